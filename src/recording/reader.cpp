#include "src/recording/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/recording/sum_rows.h"

namespace dbtrace::recording {

Result<Reader> Reader::open(const std::string& path) { return begin(path, Database::open(path)); }

Result<Reader> Reader::open_in_memory(const std::string& name) {
  return begin("memory", Database::open_in_memory(name));
}

Result<Reader> Reader::begin(const std::string& path, Result<Database> database) {
  if (!database) return tl::unexpected(database.error());
  Reader reader(path, std::move(*database));
  if (auto begun = reader.begin(); !begun) return tl::unexpected(begun.error());
  return reader;
}

Result<void> Reader::begin() {
  Statement recording =
      database_.prepare("select begin_ns, end_ns, finished, literals, program from recording");
  const bool is_there = recording.next();
  if (is_there) recording.get(begin_ns_).get(end_ns_).get(finished_).get(literals_).get(program_);
  recording.reset();
  Statement stretches =
      database_.prepare("select first_query, kept, end_ns from stretch order by id");
  while (stretches.next()) {
    Range& range = stretches_.emplace_back();
    stretches.get(range.first).get(range.count).get(range.end_ns);
  }
  queries_ = std::make_unique<QueryReader>(database_, begin_ns_);
  if (auto state = database_.state(); !state) return state;
  if (!is_there) return fail(fmt::format("{} is no recording: it does not say of when", path_));
  return {};
}

template <typename Value>
Result<Value> Reader::unless_failed(Value value) const {
  if (auto state = database_.state(); !state) return tl::unexpected(state.error());
  return value;
}

bool Reader::is_example(int64_t query) {
  while (stretch_ < stretches_.size() &&
         query >= stretches_[stretch_].first + stretches_[stretch_].count)
    ++stretch_;
  return stretch_ < stretches_.size() && query >= stretches_[stretch_].first;
}

bool Reader::want_samples() {
  const bool has_them = database_.has("sample");
  if (has_them) queries_->want_samples(database_);
  return has_them;
}

Result<const model::Query*> Reader::next() {
  const bool is_there = queries_->next();
  if (!is_there || database_.failure()) return unless_failed<const model::Query*>(nullptr);
  if (!is_example(queries_->id())) return &queries_->query();
  example_ = queries_->query();
  example_.kind = static_cast<uint64_t>(queries_->kind());
  return &example_;
}

Result<const model::Spending*> Reader::next_second() {
  if (!seconds_ && !database_.has("second")) return unless_failed<const model::Spending*>(nullptr);
  if (!seconds_) seconds_ = std::make_unique<SecondReader>(database_);
  return unless_failed(seconds_->next() ? &seconds_->second() : nullptr);
}

Result<bool> Reader::has_operations() { return unless_failed(has_single_io(database_)); }

Result<void> Reader::begin_operations(bool with_queries) {
  operations_.reset();
  if (has_single_io(database_))
    operations_ = std::make_unique<SingleIoReader>(database_, begin_ns_, with_queries);
  return database_.state();
}

Result<const model::IoOperation*> Reader::next_operation() {
  if (!operations_) return nullptr;
  return unless_failed(operations_->next() ? &operations_->operation() : nullptr);
}

Result<uint64_t> Reader::lost_operations(uint64_t from_ns, uint64_t to_ns) {
  Statement rows = database_.prepare(
      "select sum(count) from loss where at_ns >= ? and at_ns < ? and what in"
      " ('file_operations_lost', 'file_operations_above_rate', 'file_operations_not_written')");
  uint64_t lost = 0;
  rows.put(from_ns).put(to_ns);
  if (rows.next()) rows.get(lost);
  return unless_failed(lost);
}

void Reader::seek(const Ids& ids) {
  stretch_ = 0;
  queries_->seek(ids);
}

std::vector<uint64_t> Reader::stretch_ends() const {
  std::vector<uint64_t> ends(stretches_.size());
  std::ranges::transform(stretches_, ends.begin(), &Range::end_ns);
  return ends;
}

Result<kinds::KernelSums::Sums> Reader::sums() { return sums(0, INT64_MAX); }

Result<kinds::KernelSums::Sums> Reader::sums(uint64_t from_ns, uint64_t to_ns) {
  return unless_failed(read_sums(database_, from_ns, to_ns));
}

Result<std::vector<model::Query>> Reader::examples() {
  std::vector<model::Query> examples;
  Statement kinds = database_.prepare(
      "select id, text from kind where id in (select kind from kind_sum) order by id");
  while (kinds.next()) {
    model::Query& example = examples.emplace_back();
    kinds.get(example.kind).get(example.text);
    example.text_state = model::TextState::Present;
    example.text_length = example.text.size();
    example.is_fingerprint = true;
  }
  return unless_failed(std::move(examples));
}

Result<bool> Reader::has_stacks() {
  return unless_failed(database_.number("select exists (select 1 from query_stack)") != 0);
}

Result<std::vector<ServerNote>> Reader::servers() {
  std::vector<ServerNote> servers;
  Statement rows = database_.prepare(
      "select seen_ns, pid, flavor, title, version, executable, data, plan from server order by "
      "id");
  while (rows.next()) {
    ServerNote& server = servers.emplace_back();
    rows.get(server.seen_ns).get(server.pid).get(server.flavor).get(server.title);
    rows.get(server.version).get(server.executable).get(server.data).get(server.plan);
  }
  return unless_failed(std::move(servers));
}

Result<std::vector<Incident>> Reader::incidents() {
  std::vector<Incident> incidents;
  // The first version has none.
  if (!database_.has("incident")) return unless_failed(std::move(incidents));
  Statement rows = database_.prepare("select at_ns, condition, value from incident order by id");
  while (rows.next()) {
    Incident& incident = incidents.emplace_back();
    rows.get(incident.at_ns).get(incident.condition).get(incident.value);
  }
  return unless_failed(std::move(incidents));
}

Result<uint64_t> Reader::summed_up() {
  return unless_failed(
      static_cast<uint64_t>(database_.number("select sum(queries - kept) from stretch")));
}

Result<std::map<std::string, uint64_t>> Reader::counters() {
  std::map<std::string, uint64_t> counters;
  Statement rows = database_.prepare("select name, value from counter");
  while (rows.next()) {
    std::string name;
    uint64_t value = 0;
    rows.get(name).get(value);
    counters[name] = value;
  }
  return unless_failed(std::move(counters));
}

}  // namespace dbtrace::recording
