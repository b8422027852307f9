#include "src/attach/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "src/attach/field_path.h"
#include "src/attach/plan_hooks.h"
#include "src/attach/plan_reports.h"
#include "src/attach/probe_place.h"

namespace dbtrace::attach {
namespace {

using profiles::DispatchShape;
using profiles::Profile;
using symbols::Function;

std::string signature(const DispatchShape& shape) {
  return fmt::format("({})", fmt::join(shape.parameters, ", "));
}

const DispatchShape* matching_shape(const Profile& profile, const Function& function) {
  for (const DispatchShape& shape : profile.shapes)
    if (std::ranges::equal(shape.parameters, function.name.parameters)) return &shape;
  return nullptr;
}

Error not_found(symbols::Finder& finder, const Profile& profile) {
  std::string hint =
      fmt::format("looked in {} of {}", finder.tables_summary(), finder.binary().name());
  for (const symbols::DebugFileAttempt& attempt : finder.debug_file_attempts())
    hint += fmt::format("\n  debug file {}: {}", attempt.path, attempt.outcome);
  for (const std::string& other : finder.near_misses(profile.dispatch))
    hint += fmt::format("\n  not taken: {}", other);
  return {fmt::format("{} has no function {}", finder.binary().name(), profile.dispatch), hint};
}

Error unknown_shape(const Profile& profile, const std::vector<Function>& candidates) {
  std::string message = "the server's dispatch function has parameters that dbtrace does not know:";
  for (const Function& function : candidates) message += "\n  " + function.name.full;
  std::string hint = "expected one of:";
  for (const DispatchShape& shape : profile.shapes)
    hint += fmt::format("\n  {}{}", profile.dispatch, signature(shape));
  return {message, hint};
}

struct Dispatch {
  Function function;
  const DispatchShape* shape;
};

Result<Dispatch> find_dispatch(symbols::Finder& finder, const Profile& profile) {
  std::vector<Function> candidates = finder.functions(profile.dispatch);
  if (candidates.empty()) return tl::unexpected(not_found(finder, profile));
  drop_repeated_addresses(candidates);
  std::vector<Dispatch> known;
  for (const Function& function : candidates)
    if (const DispatchShape* shape = matching_shape(profile, function))
      known.push_back({function, shape});
  if (known.empty()) return tl::unexpected(unknown_shape(profile, candidates));
  if (known.size() > 1)
    return fail(fmt::format("{} has several functions {} that could be the dispatcher: {} and {}",
                            finder.binary().name(), profile.dispatch, known[0].function.name.full,
                            known[1].function.name.full));
  return known.front();
}

FieldPlan plan_field(symbols::Finder& finder, const Profile& profile, code::Arch arch,
                     profiles::Field field) {
  FieldPlan plan{.field = field, .path = {}, .origin = {}, .reason = {}};
  for (const profiles::FieldRule& rule : profile.fields) {
    if (rule.field != field) continue;
    auto found = find_field(finder, arch, rule);
    if (found) {
      plan.path = found->path;
      plan.origin = found->origin;
      plan.reason.clear();
      return plan;
    }
    plan.reason += (plan.reason.empty() ? "" : "; ") + found.error().message;
  }
  return plan;
}

dbt_path* kernel_path(dbt_plan& kernel, profiles::Field field) {
  switch (field) {
    case profiles::Field::ConnectionId:
      return &kernel.connection_id;
    case profiles::Field::User:
      return &kernel.user;
    case profiles::Field::Host:
      return &kernel.host;
    case profiles::Field::Ip:
      return &kernel.ip;
    case profiles::Field::Database:
      return &kernel.database;
    case profiles::Field::RowsSent:
      return &kernel.rows_sent;
    case profiles::Field::RowsExamined:
      return &kernel.rows_examined;
    case profiles::Field::ErrorNumber:
      return &kernel.error_number;
    case profiles::Field::StatementText:
      return &kernel.statement_text;
    case profiles::Field::QueryText:
      return &kernel.query_text;
    case profiles::Field::Application:
      return &kernel.report.application;
    case profiles::Field::QueryId:
      return &kernel.report.query_id;
    case profiles::Field::CompletedRows:
      return &kernel.report.rows;
    case profiles::Field::TransactionState:
      return &kernel.report.transaction;
    case profiles::Field::WaitEvent:
      return &kernel.report.wait;
    case profiles::Field::StartSeconds:
    case profiles::Field::StartMicroseconds:
      return nullptr;  // the programs have clocks of their own
  }
  return nullptr;
}

uint8_t kernel_rule(profiles::TextRule rule) {
  switch (rule) {
    case profiles::TextRule::None:
      return DBT_TEXT_NONE;
    case profiles::TextRule::Packet:
      return DBT_TEXT_PACKET;
    case profiles::TextRule::PacketToNul:
      return DBT_TEXT_PACKET_NUL;
    case profiles::TextRule::Data32:
      return DBT_TEXT_DATA32;
    case profiles::TextRule::Data64:
      return DBT_TEXT_DATA64;
    case profiles::TextRule::Statement:
      return DBT_TEXT_STATEMENT;
    case profiles::TextRule::Reported:
      return DBT_TEXT_REPORTED;
  }
  return DBT_TEXT_NONE;
}

void fill_kernel_plan(Plan& plan) {
  const DispatchShape& shape = *plan.shape;
  dbt_plan& kernel = plan.kernel;
  kernel.command_argument = static_cast<dbt_u8>(shape.command);
  kernel.session_argument = static_cast<dbt_u8>(shape.session);
  kernel.packet_argument = static_cast<dbt_u8>(shape.packet);
  kernel.length_argument = static_cast<dbt_u8>(std::max<int8_t>(shape.length, 0));
  kernel.suspends = shape.suspended_result >= 0;
  kernel.suspended_result = static_cast<dbt_u32>(std::max<int8_t>(shape.suspended_result, 0));
  for (const FieldPlan& field : plan.fields)
    if (dbt_path* path = kernel_path(kernel, field.field)) *path = field.path;
  const bool raw = shape.layout == profiles::PacketLayout::RawPacket;
  for (const profiles::Command& command : plan.profile->commands) {
    dbt_u8& flags = kernel.commands[command.id];
    flags = kernel_rule(raw ? command.raw_packet : command.com_data);
    if (command.has_rows) flags |= DBT_COMMAND_ROWS;
    if (command.changes_user) flags |= DBT_COMMAND_NEW_USER;
    if (command.executes_one) flags |= DBT_COMMAND_EXECUTES_ONE;
    if (command.step) flags |= DBT_COMMAND_STEP;
    kernel.is_summed[command.id] =
        !command.background && (flags & DBT_COMMAND_TEXT || command.step);
  }
}

void find_fields(symbols::Finder& finder, Plan& plan) {
  for (size_t i = 0; i < profiles::kFieldCount; ++i)
    plan.fields.push_back(
        plan_field(finder, *plan.profile, plan.arch, static_cast<profiles::Field>(i)));
}

// A server that reports has no dispatcher.
Result<Plan> make_report_plan(symbols::Finder& finder, const PlanOptions& options, Plan plan) {
  plan.shape = &plan.profile->shapes.front();
  find_fields(finder, plan);
  plan.thread_session.image = finder.binary().first_address();
  fill_kernel_plan(plan);
  plan.kernel.forks = plan.profile->forks;
  set_wait_causes(plan);
  // Of what is executed, not of the server's image.
  plan.kernel.report.statement_text = std::exchange(plan.kernel.statement_text, {});
  if (auto added = add_report_hooks(finder, plan); !added) return tl::unexpected(added.error());
  if (options.statements)
    if (auto added = add_execution_probes(finder, plan); !added)
      return tl::unexpected(added.error());
  return plan;
}

}  // namespace

Result<Plan> make_plan(symbols::Finder& finder, const Profile& profile,
                       const PlanOptions& options) {
  Plan plan;
  plan.profile = &profile;
  const auto arch = arch_of(finder.binary().machine());
  if (!arch)
    return fail(
        fmt::format("{} is for a processor that dbtrace does not know", finder.binary().name()),
        "x86-64 and AArch64 servers can be traced");
  plan.arch = *arch;

  if (!profile.reports.function.empty()) return make_report_plan(finder, options, std::move(plan));
  auto dispatch = find_dispatch(finder, profile);
  if (!dispatch) return tl::unexpected(dispatch.error());
  plan.shape = dispatch->shape;
  using Program = ProbePoint::Program;
  for (const Program program : {Program::CommandBegin, Program::CommandEnd}) {
    auto point = place_point(finder.binary(), plan.arch, dispatch->function, program);
    if (!point) return tl::unexpected(point.error());
    plan.points.push_back(std::move(*point));
  }
  find_fields(finder, plan);
  plan.thread_session = find_thread_session(finder, plan.arch, profile);
  const bool texts_at_completion =
      add_completion_hooks(finder, dispatch->function, options.rows_examined, plan);
  fill_kernel_plan(plan);
  // Without a way to the statement's text its probe would cost and tell nothing.
  if (!texts_at_completion && plan.kernel.statement_text.steps)
    add_execution_hooks(finder, profile, plan);
  if (options.statements)
    if (auto added = add_statement_hooks(finder, plan); !added)
      return tl::unexpected(added.error());
  if (options.waits) add_wait_hooks(finder, plan);
  for (const std::string& other : finder.near_misses(profile.dispatch))
    plan.notes.push_back("not taken: " + other);
  return plan;
}

profiles::TextRule text_rule(const Plan& plan, uint8_t command) {
  const profiles::Command* known = profiles::find_command(*plan.profile, command);
  if (!known) return profiles::TextRule::None;
  return plan.shape->layout == profiles::PacketLayout::RawPacket ? known->raw_packet
                                                                 : known->com_data;
}

void send_only(Plan& plan, const std::vector<uint8_t>& ids) {
  for (dbt_u8& flags : plan.kernel.commands) flags &= static_cast<dbt_u8>(~DBT_COMMAND_SEND);
  for (const uint8_t id : ids) plan.kernel.commands[id] |= DBT_COMMAND_SEND;
}

}  // namespace dbtrace::attach
