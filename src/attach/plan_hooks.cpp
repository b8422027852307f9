#include "src/attach/plan_hooks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "bpf/budget_event.h"
#include "src/attach/probe_place.h"
#include "src/code/calls.h"

namespace dbtrace::attach {

using profiles::Profile;
using symbols::Function;

namespace {

dbt_cause kernel_cause(profiles::Wait wait) {
  switch (wait) {
    case profiles::Wait::Sleep:
      return DBT_CAUSE_SLEEP;
    case profiles::Wait::FileRead:
      return DBT_CAUSE_FILE_READ;
    case profiles::Wait::Fsync:
      return DBT_CAUSE_FSYNC;
    case profiles::Wait::Network:
      return DBT_CAUSE_NETWORK;
    case profiles::Wait::Lock:
      return DBT_CAUSE_LOCK;
    case profiles::Wait::RowLock:
      return DBT_CAUSE_ROW_LOCK;
    case profiles::Wait::MetadataLock:
      return DBT_CAUSE_METADATA_LOCK;
    case profiles::Wait::TableLock:
      return DBT_CAUSE_TABLE_LOCK;
    case profiles::Wait::UserLock:
      return DBT_CAUSE_USER_LOCK;
    case profiles::Wait::GlobalLock:
      return DBT_CAUSE_GLOBAL_LOCK;
    case profiles::Wait::Binlog:
      return DBT_CAUSE_BINLOG;
    case profiles::Wait::GroupCommit:
      return DBT_CAUSE_GROUP_COMMIT;
    case profiles::Wait::Unknown:
      break;
  }
  return DBT_CAUSE_ON_CPU;  // 0: the server says nothing better
}

void set_causes(const std::vector<profiles::Wait>& waits, dbt_u8 (&causes)[DBT_WAITS_MAX]) {
  for (size_t i = 0; i < std::min<size_t>(waits.size(), DBT_WAITS_MAX); ++i)
    causes[i] = static_cast<dbt_u8>(kernel_cause(waits[i]));
}

// Probes the calls in `caller` that mark a command as done; returns their number.
size_t probe_completion(symbols::Finder& finder, const Function& caller, Plan& plan) {
  size_t found = 0;
  const std::vector<uint8_t> code = finder.binary().code(caller.address, caller.size);
  for (const Function& callee : finder.functions(plan.profile->completion)) {
    for (const code::Placement& call :
         code::find_calls(plan.arch, code, caller.address, callee.address)) {
      const auto offset = finder.binary().file_offset(caller.address + call.delta);
      if (!offset) continue;
      plan.points.push_back({ProbePoint::Program::CommandComplete, caller, call, *offset});
      ++found;
    }
  }
  return found;
}

}  // namespace

void drop_repeated_addresses(std::vector<Function>& functions) {
  std::ranges::stable_sort(functions, {}, &Function::address);
  const auto repeated = std::ranges::unique(functions, {}, &Function::address);
  functions.erase(repeated.begin(), repeated.end());
}

Result<ProbePoint> place_point(const symbols::ElfFile& binary, code::Arch arch,
                               const Function& function, ProbePoint::Program program) {
  const auto placement = code::place_probe(arch, prologue(binary, function.address, function.size));
  const auto offset =
      placement ? binary.file_offset(function.address + placement->delta) : std::nullopt;
  if (!offset)
    return fail(
        fmt::format("cannot place a probe in {}: its first instruction at {:#x} cannot be decoded",
                    function.name.full, function.address));
  return ProbePoint{program, function, *placement, *offset};
}

void add_execution_hooks(symbols::Finder& finder, const Profile& profile, Plan& plan) {
  const size_t before = plan.points.size();
  for (const std::string_view name : profile.statement_execution) {
    std::vector<Function> functions = finder.functions(name);
    drop_repeated_addresses(functions);
    for (const Function& function : functions) {
      auto point =
          place_point(finder.binary(), plan.arch, function, ProbePoint::Program::ExecutionBegin);
      if (point)
        plan.points.push_back(std::move(*point));
      else
        plan.losses.push_back(point.error().message);
    }
  }
  if (plan.points.size() == before)
    plan.losses.push_back(
        fmt::format("executions of prepared statements have no text: none of {} found",
                    fmt::join(profile.statement_execution, ", ")));
}

Result<void> add_statement_hooks(symbols::Finder& finder, Plan& plan) {
  const std::string_view name = plan.profile->statement;
  std::vector<Function> functions = finder.functions(name);
  drop_repeated_addresses(functions);
  if (functions.size() != 1)
    return fail(fmt::format("{} has {} functions {}: its statements cannot be told apart",
                            finder.binary().name(), functions.empty() ? "no" : "several", name),
                "without --statements its commands can be traced");
  if (!plan.kernel.query_text.steps) {
    const FieldPlan& text = plan.fields.at(static_cast<size_t>(profiles::Field::QueryText));
    return fail(fmt::format("the text of a statement cannot be had in {}: {}",
                            finder.binary().name(), text.reason),
                "without --statements its commands can be traced");
  }
  for (const auto program :
       {ProbePoint::Program::StatementEnter, ProbePoint::Program::StatementLeave}) {
    auto point = place_point(finder.binary(), plan.arch, functions.front(), program);
    if (!point) return tl::unexpected(point.error());
    plan.points.push_back(std::move(*point));
  }
  return {};
}

// Both hooks or none: a wait that never ends would swallow all that follow.
void add_wait_hooks(symbols::Finder& finder, Plan& plan) {
  const profiles::WaitHooks& hooks = plan.profile->wait_hooks;
  if (hooks.begin.empty()) return;
  std::vector<ProbePoint> points;
  for (const auto& [name, program] : {std::pair(hooks.begin, ProbePoint::Program::WaitBegin),
                                      std::pair(hooks.end, ProbePoint::Program::WaitEnd)}) {
    std::vector<Function> functions = finder.functions(name);
    drop_repeated_addresses(functions);
    if (functions.size() != 1) break;
    if (auto point = place_point(finder.binary(), plan.arch, functions.front(), program))
      points.push_back(std::move(*point));
  }
  if (points.size() != 2) {
    plan.losses.push_back(fmt::format(
        "kinds of locks are not told apart: {} and {} were not found, or cannot be probed",
        hooks.begin, hooks.end));
    return;
  }
  std::ranges::move(points, std::back_inserter(plan.points));
  plan.kernel.wait_argument = static_cast<dbt_u8>(hooks.argument);
  set_causes(hooks.waits, plan.kernel.wait_causes);
}

void set_wait_causes(Plan& plan) {
  const profiles::WaitEvents& events = plan.profile->wait_events;
  set_causes(events.kinds, plan.kernel.report.wait_causes);
  set_causes(events.locks, plan.kernel.report.lock_causes);
  plan.kernel.report.lock_kind = events.lock_kind;
}

bool add_completion_hooks(symbols::Finder& finder, const Function& dispatch, bool rows_examined,
                          Plan& plan) {
  const Profile& profile = *plan.profile;
  if (profile.completion.empty()) return false;
  const auto without_rows = [&](std::string_view reason) {
    FieldPlan& examined = plan.fields.at(static_cast<size_t>(profiles::Field::RowsExamined));
    examined.path = {};
    examined.reason = fmt::format("zeroed before {} returns; {}", dispatch.name.base, reason);
    return false;
  };
  if (!rows_examined)
    return without_rows("--rows-examined reads it in time, at the price of a probe a command");
  plan.kernel.completes = 1;
  if (probe_completion(finder, dispatch, plan) == 0)
    return without_rows(fmt::format("its call of {} was not found", profile.completion));
  size_t executions = 0;
  std::vector<Function> executors = finder.functions(profile.completing_execution);
  drop_repeated_addresses(executors);
  for (const Function& executor : executors) executions += probe_completion(finder, executor, plan);
  return executions > 0 &&
         plan.fields.at(static_cast<size_t>(profiles::Field::QueryText)).path.steps > 0;
}

}  // namespace dbtrace::attach
