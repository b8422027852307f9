#include "src/commands/record/notes.h"

#include <string_view>

#include "src/commands/wall_clock.h"

namespace dbtrace::commands {
namespace {

// By their names in the tables `counter` and, where they are losses, `loss`.
struct Counted {
  dbt_counter number;
  std::string_view name;
  bool is_loss;
};
constexpr Counted kCounted[] = {
    {DBT_COUNT_FINISHED, "commands_ended", false},
    {DBT_COUNT_STARTED, "commands_begun", false},
    {DBT_COUNT_STATEMENTS, "statements_ended", false},
    {DBT_COUNT_HIDDEN, "of_kinds_not_asked_for", false},
    {DBT_COUNT_FAST, "too_fast", false},
    {DBT_COUNT_OTHER_CONNECTION, "of_other_connections", false},
    {DBT_COUNT_LOST_RING_FULL, "lost_ring_full", true},
    {DBT_COUNT_LOST_NO_STATE, "lost_map_full", true},
    {DBT_COUNT_LOST_ORPHAN, "lost_orphaned", true},
    {DBT_COUNT_LOST_TOO_DEEP, "lost_nested_too_deeply", true},
    {DBT_COUNT_UNREADABLE_TEXT, "texts_unreadable", true},
    {DBT_COUNT_TAIL_LOST, "texts_cut_short", true},
    {DBT_COUNT_BUDGETS_LOST, "budgets_lost", true},
    {DBT_COUNT_OPERATIONS_MISSED, "file_operations_missed", true},
    {DBT_COUNT_STACKS_LOST, "stacks_lost", true},
    {DBT_COUNT_STACKS_LIMITED, "stacks_not_taken", true},
};

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

void RunNotes::note(const Session& session, const Tally& tally) {
  note_servers(session);
  note_losses(tally);
  note_cost(session.cost());
}

void RunNotes::note_servers(const Session& session) {
  for (const target::Server& server : session.servers()) {
    if (!servers_.insert(server.pid).second) continue;
    recorder_.add(
        recording::ServerNote{.seen_ns = nanoseconds_of(CLOCK_REALTIME),
                              .pid = server.pid ? std::optional(server.pid) : std::nullopt,
                              .flavor = std::string(server.profile->flavor),
                              .title = std::string(server.profile->title),
                              .version = unless_empty(server.version),
                              .executable = server.executable,
                              .data = unless_empty(server.data),
                              .plan = unless_empty(session.plan_of(server.pid))});
  }
}

void RunNotes::note_losses(const Tally& tally) {
  const uint64_t now = nanoseconds_of(CLOCK_REALTIME);
  const auto note = [&](std::string_view name, uint64_t value, uint64_t before, bool is_loss) {
    recorder_.set({name, value});
    if (is_loss && value > before) recorder_.add({now, name, value - before});
  };
  for (const Counted& each : kCounted)
    note(each.name, tally.kernel[each.number], before_.kernel[each.number], each.is_loss);
  note("filtered", tally.filtered, before_.filtered, false);
  note("lost_malformed", tally.malformed, before_.malformed, true);
  note("lost_not_written", tally.dropped, before_.dropped, true);
  before_ = tally;
}

void RunNotes::note(const attach::Counters& counters, const OperationTally& tally) {
  recorder_.set({"file_operations_seen", counters[DBT_COUNT_OPERATIONS]});
  note("file_operations_lost", counters[DBT_COUNT_OPERATIONS_LOST], operations_lost_);
  note("file_operations_above_rate", tally.above_rate, operations_before_.above_rate);
  note("file_operations_not_written", tally.not_written, operations_before_.not_written);
}

// A loss.
void RunNotes::note(std::string_view name, uint64_t value, uint64_t& before) {
  recorder_.set({name, value});
  if (value > before)
    recorder_.add(recording::LossNote{nanoseconds_of(CLOCK_REALTIME), name, value - before});
  before = value;
}

void RunNotes::note_cost(const SelfCost& cost) {
  const std::optional<Cost>& measured = cost.measured();
  if (!measured) return;
  recorder_.set({"cost_measured_ns", measured->length_ns});
  recorder_.set({"cost_programs_ns", measured->programs_ns});
  recorder_.set({"cost_traps_ns", measured->traps_ns});
  recorder_.set({"cost_dbtrace_ns", measured->own_ns});
  recorder_.set({"cost_servers_ns", measured->server_ns});
}

}  // namespace dbtrace::commands
