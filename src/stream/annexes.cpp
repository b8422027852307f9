#include "src/stream/annexes.h"

#include <algorithm>
#include <functional>

#include "src/stream/bytes.h"

namespace dbtrace::stream {
namespace {

using model::Cause;
using model::FileOperation;

// The two sides number causes and operations alike.
constexpr bool same(Cause cause, dbt_cause number) { return static_cast<int>(cause) == number; }
static_assert(model::kCauses == DBT_CAUSES);
static_assert(same(Cause::OnCpu, DBT_CAUSE_ON_CPU) && same(Cause::RunQueue, DBT_CAUSE_RUN_QUEUE) &&
              same(Cause::FileRead, DBT_CAUSE_FILE_READ) &&
              same(Cause::FileWrite, DBT_CAUSE_FILE_WRITE) && same(Cause::Fsync, DBT_CAUSE_FSYNC) &&
              same(Cause::Lock, DBT_CAUSE_LOCK) && same(Cause::Network, DBT_CAUSE_NETWORK) &&
              same(Cause::Sleep, DBT_CAUSE_SLEEP) && same(Cause::Other, DBT_CAUSE_OTHER) &&
              same(Cause::RowLock, DBT_CAUSE_ROW_LOCK) &&
              same(Cause::MetadataLock, DBT_CAUSE_METADATA_LOCK) &&
              same(Cause::TableLock, DBT_CAUSE_TABLE_LOCK) &&
              same(Cause::UserLock, DBT_CAUSE_USER_LOCK) &&
              same(Cause::GlobalLock, DBT_CAUSE_GLOBAL_LOCK) &&
              same(Cause::Binlog, DBT_CAUSE_BINLOG) &&
              same(Cause::GroupCommit, DBT_CAUSE_GROUP_COMMIT));
static_assert(model::kFileOperations == DBT_FILE_OPERATIONS);

// The parts of events before what is of varying length.
constexpr size_t kTailHead = offsetof(dbt_tail_event, data);
constexpr size_t kBudgetHead = offsetof(dbt_budget_event, files);
constexpr size_t kBlockerHead = offsetof(dbt_blocker_event, text);
constexpr size_t kWaitsHead = offsetof(dbt_named_waits_event, waits);

model::IoCounts counts(const dbt_io_count (&from)[DBT_FILE_OPERATIONS]) {
  model::IoCounts to;
  for (size_t i = 0; i < to.size(); ++i)
    to[i] = {.count = from[i].count,
             .blocked = from[i].blocked,
             .bytes = from[i].bytes,
             .ns = from[i].ns,
             .max_ns = from[i].max_ns};
  return to;
}

model::Budget budget(const dbt_budget_event& event, uint64_t duration_ns) {
  model::Budget to;
  to.unexplained_ns = duration_ns;
  for (size_t i = 0; i < to.by_cause_ns.size(); ++i) {
    to.by_cause_ns[i] = event.ns[i];
    to.unexplained_ns -= std::min(to.unexplained_ns, event.ns[i]);
  }
  to.voluntary_switches = event.voluntary;
  to.involuntary_switches = event.involuntary;
  return to;
}

model::Io io(const dbt_budget_event& event, Files& files) {
  model::Io to;
  to.operations = counts(event.io);
  for (size_t i = 0; i < to.slowest.size(); ++i) to.slowest[i] = files.find(event.slowest_file[i]);
  to.files.reserve(event.file_count);
  for (size_t i = 0; i < event.file_count; ++i)
    to.files.push_back({files.find(event.files[i].file), counts(event.files[i].operations)});
  const auto time = [](const model::FileIo& file) {
    uint64_t sum = 0;
    for (const model::IoCount& operation : file.operations) sum += operation.ns;
    return sum;
  };
  std::stable_sort(to.files.begin(), to.files.end(), [&time](const auto& left, const auto& right) {
    return time(left) > time(right);
  });
  return to;
}

model::NamedWaits named_waits(const dbt_named_waits_event& event, const EventSource& source) {
  model::NamedWaits to;
  to.others_ns = event.others_ns;
  to.waits.reserve(event.count);
  for (const dbt_named_wait& wait : std::span(event.waits).first(event.count))
    to.waits.push_back({source.wait_event(wait.event), wait.ns, wait.waits});
  std::ranges::stable_sort(to.waits, std::greater(), &model::NamedWait::ns);
  return to;
}

}  // namespace

bool Annexes::feed_tail(std::span<const std::byte> bytes) {
  if (bytes.size() < kTailHead) return false;
  const auto event = copy_head<dbt_tail_event>(bytes, kTailHead);
  if (event.size != bytes.size() - kTailHead || event.size > DBT_TAIL_MAX) return false;
  tails_.put(event.tid, event.start_ns, std::string(as_text(bytes.subspan(kTailHead))));
  return true;
}

bool Annexes::feed_budget(std::span<const std::byte> bytes) {
  if (bytes.size() < kBudgetHead || bytes.size() > sizeof(dbt_budget_event)) return false;
  const auto event = copy_head<dbt_budget_event>(bytes, bytes.size());
  if (event.file_count > DBT_FILES_MAX ||
      bytes.size() < kBudgetHead + event.file_count * sizeof(dbt_file_io))
    return false;
  budgets_.put(event.tid, event.start_ns, event);
  return true;
}

bool Annexes::feed_blocker(std::span<const std::byte> bytes, const EventSource& source) {
  if (bytes.size() < kBlockerHead || bytes.size() > sizeof(dbt_blocker_event)) return false;
  const auto event = copy_head<dbt_blocker_event>(bytes, kBlockerHead);
  const std::span<const std::byte> text = bytes.subspan(kBlockerHead);
  if (event.text_size > text.size() || event.text_size > event.text_length ||
      event.cause >= DBT_CAUSES)
    return false;
  model::Blocker blocker;
  blocker.waited_ns = event.waited_ns;
  blocker.cause = static_cast<Cause>(event.cause);
  blocker.pid = event.blocker_tgid;
  blocker.tid = event.blocker_tid;
  blocker.thread = as_name(event.thread);
  if (event.blocker_start_ns != 0) {
    if (event.has_connection) blocker.connection_id = event.connection_id;
    if (event.has_text) {
      blocker.query = as_text(text.first(event.text_size));
      blocker.query_length = event.text_length;
    }
    blocker.idle = event.is_idle != 0;
  } else if (source.process_title) {
    blocker.title = source.process_title(event.blocker_tgid);
  }
  blockers_.put(event.tid, event.start_ns, std::move(blocker));
  return true;
}

bool Annexes::feed_waits(std::span<const std::byte> bytes) {
  if (bytes.size() < kWaitsHead || bytes.size() > sizeof(dbt_named_waits_event)) return false;
  const auto event = copy_head<dbt_named_waits_event>(bytes, bytes.size());
  if (event.count > DBT_NAMED_WAITS_MAX ||
      bytes.size() < kWaitsHead + event.count * sizeof(dbt_named_wait))
    return false;
  waits_.put(event.tid, event.start_ns, event);
  return true;
}

void Annexes::add_tail(const dbt_command_event& command, model::Query& query) {
  if (command.flags & DBT_HAS_TAIL)
    query.text += tails_.take(command.tid, command.start_ns).value_or("");
}

void Annexes::add_budget(const dbt_command_event& command, Files& files, model::Query& query) {
  query.budget.reset();
  query.io.reset();
  query.blocker.reset();
  if (!(command.flags & DBT_HAS_BUDGET)) return;
  query.blocker = blockers_.take(command.tid, command.start_ns);
  const std::optional<dbt_budget_event> event = budgets_.take(command.tid, command.start_ns);
  if (!event) return;
  query.budget = budget(*event, command.duration_ns);
  if (event->sees_files != 0) query.io = io(*event, files);
}

void Annexes::add_waits(const dbt_command_event& command, const EventSource& source,
                        model::Query& query) {
  query.named_waits.reset();
  query.waits_for.reset();
  if (!source.sees_waits) return;
  const auto event = waits_.take(command.tid, command.start_ns);
  if (query.budget) query.named_waits = event ? named_waits(*event, source) : model::NamedWaits();
  if (event && event->now != 0) query.waits_for = source.wait_event(event->now);
}

}  // namespace dbtrace::stream
