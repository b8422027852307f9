#include "src/commands/doctor/server_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "src/attach/file_hook.h"
#include "src/attach/tracer.h"
#include "src/commands/tracing/explain.h"
#include "src/output/counted.h"
#include "src/stacks/call_frame_info.h"
#include "src/target/debug_package.h"
#include "src/target/process.h"
#include "symbols/finder.h"

namespace dbtrace::commands {
namespace {

using enum CheckState;

// Everything that can be asked for without making the plan fail.
constexpr attach::PlanOptions kWhole = {.rows_examined = true, .statements = false, .waits = true};

Check build_id(const symbols::Finder& finder) {
  const std::string& id = finder.binary().build_id();
  if (!id.empty()) return {"build-id", Ok, id};
  return {"build-id", Degraded, "none", "debug files by build-id: they are looked for by name"};
}

std::string debug_advice(const target::Server& server) {
  const auto package = target::debug_package(server.root, server.executable);
  return package ? package->advice : "put its debug file beneath /usr/lib/debug";
}

Check symbol_tables(const target::Server& server, symbols::Finder& finder) {
  Check check{"symbols", Ok, ""};
  const bool whole = finder.has_all_names();
  check.found = finder.tables_summary();
  for (const symbols::DebugFileAttempt& attempt : finder.debug_file_attempts())
    if (attempt.used) check.found += fmt::format("; debug file {}", attempt.path);
  if (whole) return check;
  check.state = Degraded;
  check.lost = "names of static functions, in stacks and for func";
  check.advice = debug_advice(server);
  return check;
}

Check statements(symbols::Finder& finder, const profiles::Profile& profile) {
  attach::PlanOptions options;
  options.statements = true;
  const auto plan = attach::make_plan(finder, profile, options);
  if (plan) return {"statements", Ok, "those inside commands can be told (--statements)"};
  return {"statements", Degraded, plan.error().message, "--statements"};
}

Check unwinding(const symbols::Finder& finder, const attach::Plan& plan) {
  const symbols::Function& function = plan.points.front().function;
  if (stacks::CallFrameInfo(finder.binary()).at(function.address))
    return {"stacks", Ok, "unwound by the binary's own tables"};
  return {"stacks", Degraded, fmt::format("no unwind table has {}", function.name.base),
          "frames behind the server's code: frame pointers are a guess"};
}

// What is read of the server's memory by user space: the file's first bytes, for a start.
Check memory(const target::Server& server, const symbols::Finder& finder) {
  const uint64_t first = finder.binary().first_address();
  const auto bias = target::Proc().load_bias(server.pid, first);
  const auto bytes = bias ? target::read_string(server.pid, first + *bias) : std::nullopt;
  if (bytes && bytes->starts_with("\x7f"
                                  "ELF"))
    return {"memory", Ok, "can be read"};
  return {"memory", Degraded, "cannot be read",
          "commands that began before attaching (--running), stacks of waits",
          "root with CAP_SYS_PTRACE may"};
}

// Whether the kernel takes the programs, with what this plan wants.
Check programs(const target::Server& server, const symbols::Finder& finder,
               const attach::Plan& plan) {
  const auto load = [&](const attach::TracerOptions& options) {
    std::vector<attach::TracedBinary> binaries;
    binaries.push_back({finder.binary().duplicate_fd(), server.pid, plan});
    return attach::Tracer::rehearse(binaries, options);
  };
  if (const auto loaded = load({}); !loaded)
    return {"programs", Missing, loaded.error().message, "nothing can be traced",
            loaded.error().hint};
  attach::TracerOptions budget;
  budget.budget = true;
  budget.running = true;
  if (const auto hook = attach::choose_file_hook(attach::FileHook::Auto))
    budget.file_hook = hook->hook;
  if (const auto loaded = load(budget); !loaded)
    return {"programs", Degraded, loaded.error().message, "--budget, --running",
            loaded.error().hint};
  return {"programs", Ok, "the kernel takes them"};
}

// A process is told once whom it works for, and a table seldom vacuumed.
bool is_frequent(const attach::ProbePoint& point) {
  return point.program != attach::ProbePoint::Program::LeaderKnown && !point.behind_call;
}

Check places(const attach::Plan& plan) {
  std::string dear;
  for (const attach::ProbePoint& point : plan.points)
    if (is_frequent(point) && !point.placement.emulated)
      dear += (dear.empty() ? "" : ", ") + point.function.name.base;
  const std::string all = output::counted(plan.points.size(), "place");
  if (dear.empty())
    return {"probe places", Ok, fmt::format("{}, emulated by the kernel: cheap", all)};
  return {"probe places", Degraded, fmt::format("{}, single-stepped by the kernel: {}", all, dear),
          "time: such a probe costs the server up to ten times as much"};
}

}  // namespace

std::vector<Check> plan_checks(const attach::Plan& plan) {
  std::vector<Check> checks = {
      {"commands", Ok, plan.points.front().function.name.full},
  };
  if (plan.shape->session >= 0) checks.push_back({"arguments", Ok, describe_arguments(plan)});
  checks.push_back(places(plan));
  std::string found;
  std::vector<Check> lost;
  for (const attach::FieldPlan& field : plan.fields) {
    const std::string name(profiles::field_name(field.field));
    if (field.path.steps)
      found += (found.empty() ? "" : "; ") + name;  // names have commas
    else if (!field.reason.empty())
      lost.push_back({name, Degraded, field.reason, fmt::format("{} is not shown", name)});
  }
  checks.push_back({"fields", Ok, found});
  std::ranges::move(lost, std::back_inserter(checks));
  const attach::ThreadSession& session = plan.thread_session;
  if (!session.image && !session.offset)
    checks.push_back({"thread's session", Degraded, session.reason,
                      "commands that began before attaching (--running)"});
  for (const std::string& loss : plan.losses) checks.push_back({"plan", Degraded, "", loss});
  for (const std::string& note : plan.notes) checks.push_back({"plan", Ok, note});
  return checks;
}

std::vector<Check> server_checks(const target::Server& server, bool may_load) {
  auto finder = target::open_symbols(server);
  if (!finder)
    return {{"file", Missing, finder.error().message, "its functions cannot be found",
             finder.error().hint}};
  std::vector<Check> checks = {build_id(*finder)};
  const auto plan = attach::make_plan(*finder, *server.profile, kWhole);
  checks.push_back(symbol_tables(server, *finder));
  if (!plan) {
    checks.push_back(
        {"commands", Missing, plan.error().message, "nothing can be traced", plan.error().hint});
    return checks;
  }
  std::ranges::move(plan_checks(*plan), std::back_inserter(checks));
  checks.push_back(statements(*finder, *server.profile));
  checks.push_back(unwinding(*finder, *plan));
  if (server.pid) checks.push_back(memory(server, *finder));
  if (may_load) checks.push_back(programs(server, *finder, *plan));
  return checks;
}

}  // namespace dbtrace::commands
