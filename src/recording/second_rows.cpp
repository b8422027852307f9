#include "src/recording/second_rows.h"

#include <algorithm>

namespace dbtrace::recording {
namespace {

using model::Histogram;

// A number that a file may have made up: what is added up of such ones does not wrap around soon.
void get_bounded(Statement& row, uint64_t& value) {
  constexpr int64_t kMost = int64_t{1} << 46;  // ten thousand threads, for two hours
  int64_t number = 0;
  row.get(number);
  value = static_cast<uint64_t>(std::clamp<int64_t>(number, 0, kMost));
}

}  // namespace

SecondWriter::SecondWriter(Database& database)
    : second_(database.insert_into("second", 4)),
      cause_(database.insert_into("second_cause", 4)),
      wait_(database.insert_into("second_wait", 5)),
      event_(database.insert_into("second_event", 5)) {}

uint64_t SecondWriter::add(const model::Spending& second, QueryWriter& names) {
  second_.put(++last_id_).put(second.end_ns).put(second.length_ns).put(second.queries).run();
  uint64_t rows = 1 + second.sums.events.size();
  for (size_t cause = 0; cause < model::kCauses; ++cause) rows += add_cause(cause, second.sums);
  for (const auto& [event, sums] : second.sums.events) {
    const int64_t name = names.event_of(event);
    event_.put(last_id_).put(name).put(sums.ns).put(sums.waits).put(sums.now).run();
  }
  return rows;
}

uint64_t SecondWriter::add_cause(size_t cause, const model::WaitSums& sums) {
  uint64_t rows = 0;
  if (sums.ns[cause] || sums.now[cause]) {
    cause_.put(last_id_).put(cause).put(sums.ns[cause]).put(sums.now[cause]).run();
    ++rows;
  }
  const auto& counts = sums.lengths[cause].counts();
  for (size_t bucket = 0; bucket < counts.size(); ++bucket) {
    if (!counts[bucket]) continue;
    wait_.put(last_id_)
        .put(cause)
        .put(Histogram::least(bucket))
        .put(Histogram::greatest(bucket))
        .put(counts[bucket])
        .run();
    ++rows;
  }
  return rows;
}

SecondReader::SecondReader(Database& database)
    : rows_(database.prepare("select id, end_ns, length_ns, queries from second order by id")),
      causes_(database, "second_cause", "cause, ns, now", "second, cause"),
      waits_(database, "second_wait", "cause, at_least_ns, count", "second, cause, at_least_ns"),
      events_(database, "second_event", "event, ns, waits, now", "second, event"),
      names_(database, "select type, event from event where id = ?") {}

bool SecondReader::next() {
  if (!rows_.next()) return false;
  int64_t id = 0;
  second_ = {};
  rows_.get(id).get(second_.end_ns);
  get_bounded(rows_, second_.length_ns);
  get_bounded(rows_, second_.queries);
  add_causes(id);
  add_waits(id);
  add_events(id);
  return true;
}

void SecondReader::add_causes(int64_t id) {
  while (Statement* const row = causes_.row_of(id)) {
    uint64_t cause = 0, ns = 0, now = 0;
    row->get(cause);
    get_bounded(*row, ns);
    get_bounded(*row, now);
    if (cause >= model::kCauses) continue;
    second_.sums.ns[cause] = ns;
    second_.sums.now[cause] = now;
  }
}

void SecondReader::add_waits(int64_t id) {
  while (Statement* const row = waits_.row_of(id)) {
    uint64_t cause = 0, at_least_ns = 0, count = 0;
    row->get(cause);
    get_bounded(*row, at_least_ns);
    get_bounded(*row, count);
    if (cause < model::kCauses) second_.sums.lengths[cause].add(at_least_ns, count);
  }
}

void SecondReader::add_events(int64_t id) {
  while (Statement* const row = events_.row_of(id)) {
    int64_t number = 0;
    row->get(number);
    model::EventSums& sums = second_.sums.events[names_.of(
        number, [](Statement& from, model::WaitEvent& to) { from.get(to.type).get(to.event); })];
    get_bounded(*row, sums.ns);
    get_bounded(*row, sums.waits);
    get_bounded(*row, sums.now);
  }
}

}  // namespace dbtrace::recording
