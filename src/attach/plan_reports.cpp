#include "src/attach/plan_reports.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "src/attach/plan_hooks.h"
#include "src/attach/probe_place.h"
#include "src/code/call_sites.h"
#include "src/code/calls.h"
#include "src/code/elements.h"
#include "src/code/members.h"
#include "symbols/unwind_rows.h"

namespace dbtrace::attach {
namespace {

using profiles::Reports;
using symbols::Function;
using Program = ProbePoint::Program;

// From a report to the call that tells what it is about; from a command's begin to its end.
constexpr size_t kNearby = 250;
constexpr size_t kFarther = 6000;
constexpr size_t kLargestFunction = 64 * 1024;
constexpr size_t kCallSize = 5;  // x86-64

class ReportPlanner {
 public:
  ReportPlanner(symbols::Finder& finder, Plan& plan)
      : finder_(finder), plan_(plan), reports_(plan.profile->reports) {
    for (const symbols::Segment& segment : finder.binary().executable_segments())
      if (segment.file_size > code_.size()) {
        address_ = segment.address;
        code_ = finder.binary().code(segment.address, segment.file_size);
      }
  }

  Result<void> run() {
    auto rows = symbols::UnwindRows::open(finder_.binary());
    if (!rows) return tl::unexpected(rows.error());
    rows_ = std::move(*rows);
    const auto report = function(reports_.function);
    if (!report) return tl::unexpected(report.error());
    if (auto known = find_numbering(*report); !known) return known;
    if (auto begun = find_places(*report); !begun) return begun;
    if (auto ended = find_ends(); !ended) return ended;
    if (auto ended = find_own_ends(); !ended) return ended;
    if (auto completed = find_completion(); !completed) return completed;
    if (auto failed = find_failure(); !failed) return failed;
    add_helpers();
    return {};
  }

 private:
  [[nodiscard]] Result<Function> function(std::string_view name) {
    std::vector<Function> functions = finder_.functions(name);
    drop_repeated_addresses(functions);
    if (functions.size() == 1) return functions.front();
    return fail(fmt::format("{} has {} function {}", finder_.binary().name(),
                            functions.empty() ? "no" : "more than one", name));
  }

  // What only looks like a call is left out.
  [[nodiscard]] std::vector<uint64_t> calls_of(const Function& function) const {
    std::vector<uint64_t> calls = code::direct_calls(plan_.arch, code_, address_, function.address);
    std::erase_if(calls, [&](uint64_t call) {
      const auto begin = rows_ ? rows_->begin(call) : std::nullopt;
      return !begin || !code::meets(plan_.arch, code_, address_, *begin, call);
    });
    return calls;
  }

  Result<void> add_call(Program program, const Function& callee, uint64_t call, uint8_t command) {
    const auto offset = finder_.binary().file_offset(call);
    if (!offset || call > std::numeric_limits<uint32_t>::max())
      return fail(fmt::format("a call of {} at {:#x} cannot be probed", callee.name.base, call));
    ProbePoint point{program, callee, {}, *offset};
    point.placement.instruction = fmt::format("call {:#x}", callee.address);
    point.placement.emulated = true;
    point.call = call;
    point.command = command;
    plan_.points.push_back(std::move(point));
    return {};
  }

  // Behind the call.
  Result<void> add_return(Program program, const Function& callee, uint64_t call, uint8_t command) {
    const uint64_t at = call + kCallSize;
    const auto offset = finder_.binary().file_offset(at);
    const auto placement = place_here(finder_.binary(), plan_.arch, at);
    if (!placement || !offset || at > std::numeric_limits<uint32_t>::max())
      return fail(fmt::format("the return of {} to {:#x} cannot be probed", callee.name.base, at));
    ProbePoint point{program, callee, *placement, *offset};
    point.call = at;
    point.behind_call = true;
    point.command = command;
    plan_.points.push_back(std::move(point));
    return {};
  }

  Result<void> add_entry(Program program, const Function& function) {
    auto point = place_point(finder_.binary(), plan_.arch, function, program);
    if (!point) return tl::unexpected(point.error());
    plan_.points.push_back(std::move(*point));
    return {};
  }

  Result<void> find_numbering(const Function& report) {
    const auto paths = code::trace_values(plan_.arch, code_of(report), report.address);
    const auto state = code::store_of(paths, 0, code::kImage);
    const auto disabled = state ? code::constant_stored(paths, *state) : std::nullopt;
    if (!disabled)
      return fail(fmt::format("the code of {} does not show how {} numbers its states",
                              report.name.base, finder_.binary().name()));
    for (const Reports::Numbering& numbering : reports_.numberings)
      if (numbering.disabled == *disabled) {
        plan_.kernel.report.running = numbering.running;
        plan_.notes.push_back(fmt::format("{} stores {} for no state: a session that runs is {}",
                                          report.name.base, *disabled, numbering.running));
        return {};
      }
    return fail(fmt::format("{} stores {} for no state: dbtrace knows no server that numbers so",
                            report.name.base, *disabled));
  }

  [[nodiscard]] std::vector<uint8_t> code_of(const Function& function) const {
    return finder_.binary().code(
        function.address,
        function.size ? std::min<size_t>(function.size, kLargestFunction) : kLargestFunction);
  }

  // The commands that begin at a call, by what follows it; and the call that does.
  [[nodiscard]] std::map<uint8_t, code::NextCall> commands_at(
      uint64_t call, const std::vector<uint64_t>& telling,
      const std::map<uint64_t, Function>& callees) {
    std::map<uint8_t, code::NextCall> commands;
    for (const code::NextCall& next :
         code::next_calls(plan_.arch, code_, address_, call + kCallSize, telling, kNearby)) {
      const std::string& name = callees.at(next.target).name.base;
      for (const Reports::Place& place : reports_.places) {
        if (std::ranges::find(place.before, name) == place.before.end()) continue;
        if (place.with.empty() ||
            (next.argument &&
             finder_.binary().string_at(*next.argument, place.with.size() + 1) == place.with))
          commands.emplace(place.command, next);
      }
    }
    return commands;
  }

  Result<void> find_places(const Function& report) {
    std::map<uint64_t, Function> callees;  // by address
    const auto find_all = [&](const std::vector<std::string_view>& names) {
      for (const std::string_view name : names)
        for (const Function& each : finder_.functions(name)) callees.emplace(each.address, each);
    };
    for (const Reports::Place& place : reports_.places) find_all(place.before);
    find_all(reports_.elsewhere);
    std::vector<uint64_t> telling;
    for (const auto& [address, callee] : callees) telling.push_back(address);

    std::map<uint8_t, size_t> found;
    for (const uint64_t call : calls_of(report)) {
      const auto commands = commands_at(call, telling, callees);
      if (commands.size() != 1) continue;  // what a report is about that nobody asks for
      const auto& [command, told_by] = *commands.begin();
      if (!has_end(place_of(command), told_by)) continue;
      if (auto added = add_call(Program::ReportBegin, report, call, command); !added) return added;
      if (place_of(command).is_that_call)
        if (auto added =
                add_return(Program::ReportEnd, callees.at(told_by.target), told_by.at, command);
            !added)
          return added;
      begins_.emplace(call, command);
      ++found[command];
    }
    for (const profiles::Command& command : plan_.profile->commands)
      if (found[command.id] == 0 && needed(command.id))
        return fail(fmt::format("in {}, no call of {} is the begin of {}", finder_.binary().name(),
                                report.name.base, command.name));
    return {};
  }

  [[nodiscard]] const Reports::Place& place_of(uint8_t command) const {
    return *std::ranges::find(reports_.places, command, &Reports::Place::command);
  }

  // Older servers lack the function that says that a command is done, and not every instruction
  // takes a probe: then there is no such command, but the server can be traced.
  [[nodiscard]] bool has_end(const Reports::Place& place, const code::NextCall& told_by) {
    if (place.is_that_call)
      return place_here(finder_.binary(), plan_.arch, told_by.at + kCallSize).has_value();
    return place.done_by.empty() || function(place.done_by);
  }

  // Commands that are told to be done by a function of their own.
  Result<void> find_own_ends() {
    for (const Reports::Place& place : reports_.places) {
      if (place.done_by.empty()) continue;
      const auto end = function(place.done_by);
      if (!end) continue;
      if (auto added = add_entry(Program::ReportEnd, *end); !added) return added;
      plan_.points.back().command = place.command;
    }
    return {};
  }

  // Without these the server cannot be traced: what ends has to begin.
  [[nodiscard]] bool needed(uint8_t command) const {
    return std::ranges::find(reports_.ended, command) != reports_.ended.end() ||
           command == reports_.completes;
  }

  Result<void> find_ends() {
    const auto end = function(reports_.end);
    if (!end) return tl::unexpected(end.error());
    const std::vector<uint64_t> calls = calls_of(*end);
    for (const auto& [begin, command] : begins_) {
      if (std::ranges::find(reports_.ended, command) == reports_.ended.end()) continue;
      const auto call = end_of(begin, calls, end->address);
      if (!call)
        return fail(fmt::format("in {}, the end of the command that begins at {:#x} was not found",
                                finder_.binary().name(), begin));
      if (auto added = add_call(Program::ReportEnd, *end, *call, command); !added) return added;
    }
    for (const auto& [command, name] : reports_.ended_in) {
      const auto caller = function(name);
      if (!caller) return tl::unexpected(caller.error());
      for (const code::Placement& call :
           code::find_calls(plan_.arch, code_of(*caller), caller->address, end->address))
        if (auto added = add_call(Program::ReportEnd, *end, caller->address + call.delta, command);
            !added)
          return added;
    }
    return {};
  }

  // The next one behind the begin, and before another begin, that the code leads to.
  [[nodiscard]] std::optional<uint64_t> end_of(uint64_t begin, const std::vector<uint64_t>& calls,
                                               uint64_t target) const {
    const auto next = std::ranges::find_if(calls, [&](uint64_t call) { return call > begin; });
    const auto other = begins_.upper_bound(begin);
    if (next == calls.end() || (other != begins_.end() && other->first < *next)) return {};
    const uint64_t wanted[] = {target};
    const auto reached = code::next_calls(plan_.arch, code_, address_, begin, wanted, kFarther);
    const bool leads_there =
        std::ranges::any_of(reached, [&](const code::NextCall& each) { return each.at == *next; });
    return leads_there ? std::optional(*next) : std::nullopt;
  }

  Result<void> find_completion() {
    const auto end = function(reports_.statement_end);
    if (!end) return tl::unexpected(end.error());
    if (auto added = add_entry(Program::StatementComplete, *end); !added) return added;
    plan_.kernel.report.completed = reports_.completes;
    plan_.kernel.report.step = reports_.step;
    plan_.kernel.report.next = reports_.next;
    const auto suspension = function(reports_.suspension);
    if (!suspension) return tl::unexpected(suspension.error());
    size_t found = 0;
    for (const uint64_t call : calls_of(*suspension)) {
      if (code::argument_just_before(plan_.arch, code_, address_, call) !=
          reports_.suspension_argument)
        continue;
      if (auto added = add_call(Program::ReportEnd, *suspension, call, reports_.completes); !added)
        return added;
      ++found;
    }
    if (found == 0)
      plan_.losses.push_back(
          "executions that fetch a part of their rows end with the session's next command: no "
          "call says that they are suspended");
    return {};
  }

  Result<void> find_failure() {
    const auto failure = function(reports_.failure);
    if (!failure) return tl::unexpected(failure.error());
    std::vector<uint64_t> given_up;
    for (const std::string_view name : reports_.failure_then)
      for (const Function& each : finder_.functions(name)) given_up.push_back(each.address);
    size_t found = 0;
    for (const uint64_t call : calls_of(*failure)) {
      if (code::next_calls(plan_.arch, code_, address_, call + kCallSize, given_up, kNearby)
              .empty())
        continue;
      if (auto added = add_call(Program::ReportFailure, *failure, call, 0); !added) return added;
      ++found;
    }
    if (found == 0)
      return fail(fmt::format("in {}, no call of {} is the end of a command that fails",
                              finder_.binary().name(), reports_.failure));
    return {};
  }

  // What makes records better, but can be missing.
  void add_helpers() {
    dbt_report_plan& kernel = plan_.kernel.report;
    kernel.default_error = reports_.default_error;
    kernel.in_transaction = reports_.in_transaction;
    kernel.idle = kernel.transaction.steps ? reports_.idle : 0;
    if (const auto accessor = function(reports_.error_accessor))
      if (const auto element =
              code::returned_element(plan_.arch, code_of(*accessor), accessor->address))
        kernel.error = {element->index, element->first, element->size};
    if (kernel.error.index == 0)
      plan_.losses.push_back(
          fmt::format("the numbers of some errors are not known: the code of {} was not understood",
                      reports_.error_accessor));
    add_helper({reports_.error_begin}, Program::ErrorBegin,
               "an error without a number may be shown with an earlier one's");
    add_helper({reports_.error_number}, Program::ErrorNumber, "errors have no numbers");
    add_helper(reports_.leader, Program::LeaderKnown,
               "workers are not attributed to the session that they work for");
  }

  // On the first of `names` that there is.
  void add_helper(const std::vector<std::string_view>& names, Program program,
                  std::string_view lost) {
    for (const std::string_view name : names)
      if (const auto found = function(name); found && add_entry(program, *found)) return;
    plan_.losses.push_back(fmt::format("{}: {} was not found", lost, fmt::join(names, ", ")));
  }

  symbols::Finder& finder_;
  Plan& plan_;
  const Reports& reports_;
  std::vector<uint8_t> code_;  // of the largest executable segment…
  uint64_t address_ = 0;       // …and where it lies
  std::optional<symbols::UnwindRows> rows_;
  std::map<uint64_t, uint8_t> begins_;  // calls at which commands begin
};

}  // namespace

Result<void> add_execution_probes(symbols::Finder& finder, Plan& plan) {
  const std::string_view name = plan.profile->reports.execution;
  std::vector<Function> functions = finder.functions(name);
  drop_repeated_addresses(functions);
  if (functions.size() != 1 || !plan.kernel.report.statement_text.steps)
    return fail(
        fmt::format("the statements inside commands of {} cannot be told: {} was not found, "
                    "or not where its text lies",
                    finder.binary().name(), name),
        "without --statements its commands can be traced");
  for (const Program program : {Program::ExecutionEnter, Program::ExecutionLeave}) {
    auto point = place_point(finder.binary(), plan.arch, functions.front(), program);
    if (!point) return tl::unexpected(point.error());
    plan.points.push_back(std::move(*point));
  }
  return {};
}

Result<void> add_report_hooks(symbols::Finder& finder, Plan& plan) {
  if (plan.arch != code::Arch::X86_64)
    return fail(fmt::format("{} is for a processor whose code dbtrace cannot read far enough",
                            finder.binary().name()),
                "servers of this kind can be traced on x86-64");
  return ReportPlanner(finder, plan).run();
}

}  // namespace dbtrace::attach
