#include "tests/unit/report/samples.h"

#include <iterator>

namespace dbtrace::report {
namespace {

constexpr uint64_t kMinutes = 10;

struct Sample {
  const char* text;
  const char* table;
  uint64_t every;  // of queries
  uint64_t duration_ns;
  model::Cause cause;  // besides the core
};
constexpr Sample kSamples[] = {
    {"select c from orders where id = ?", "shop.orders", 1, 90'000, model::Cause::FileRead},
    {"insert into orders values (?)", "shop.orders", 5, 900'000, model::Cause::Fsync},
    {"update stock set n = n - ? where item = ?", "shop.stock", 7, 2'400'000,
     model::Cause::RowLock},
    {"select sum(price) from items join orders using (item) group by month", "shop.items", 211,
     180'000'000, model::Cause::FileRead},
    {"commit", "redo", 9, 1'300'000, model::Cause::GroupCommit},
    {"delete from carts where changed < now() - interval ? day", "shop.carts", 97, 12'000'000,
     model::Cause::RunQueue},
};

void add_details(model::Query& query, const Sample& sample, uint64_t number) {
  const uint64_t waited = query.duration_ns / 100 * (20 + number % 60);
  model::Budget& budget = query.budget.emplace();
  budget.by_cause_ns[static_cast<size_t>(sample.cause)] = waited;
  budget.by_cause_ns[0] = query.duration_ns - waited;
  model::Io& io = query.io.emplace();
  model::IoCount& read = io.operations[0];
  read = {.count = 1 + number % 3,
          .blocked = number % 2,
          .bytes = 16384,
          .ns = waited / 4,
          .max_ns = waited / 4};
  io.files.push_back({{"file.ibd", sample.table}, io.operations});
  query.named_waits.emplace().waits.push_back(
      {{"IO", std::string("Data") + sample.table}, waited, 2});
  if (model::is_lock(sample.cause)) {
    model::Blocker& blocker = query.blocker.emplace();
    blocker.waited_ns = waited;
    blocker.cause = sample.cause;
    blocker.connection_id = 9;
    blocker.idle = number % 4 == 0;
    blocker.query = kSamples[number % 3 == 0 ? 4 : 2].text;
    blocker.query_length = blocker.query->size();
  }
  if (query.duration_ns < 20'000'000) return;
  query.stacks.emplace() = {
      {waited,
       12,
       sample.cause,
       true,
       {"do_command", "dispatch_command", "JOIN::exec", "row_search_mvcc", "os_file_read"}},
      {query.duration_ns - waited,
       30,
       model::Cause::OnCpu,
       true,
       {"do_command", "dispatch_command", "JOIN::exec", "evaluate_join_record"}},
      {waited / 3,
       4,
       model::Cause::OnCpu,
       true,
       {"do_command", "dispatch_command", "JOIN::exec", "filesort", "my_qsort2"}}};
}

}  // namespace

const char* const kHostile[] = {
    "select '<script>document.title = `run`</script>'",
    "</script><script>document.title = 'run'</script>",
    "<img src=x onerror=\"document.title='run'\">",
    "\"quoted' \\ \\u003c & &lt; ]]> --> <!-- {{script}}",
    "line\u2028separator\u2029and\u202ebidi",
    "bytes \xff\xfe\x80 and \x01\x1b[31m control",
    "javascript:alert(1)",
};
const size_t kHostiles = std::size(kHostile);

model::Query query_of(const std::string& text, uint64_t start_ns, uint64_t duration_ns) {
  model::Query query;
  query.start_ns = start_ns;
  query.duration_ns = duration_ns;
  query.flavor = "mysql";
  query.command_id = 3;
  query.command = "Query";
  query.connection_id = 7;
  query.tid = 70;
  query.user = "app";
  query.host = "web1";
  query.database = "shop";
  query.text_state = model::TextState::Present;
  query.text = text;
  query.text_length = text.size();
  query.error = 0;
  return query;
}

About about(uint64_t seconds) {
  return {.path = "/var/lib/dbtrace/today.dbt",
          .program = "dbtrace 0.1.0",
          .begin_ns = kBegin,
          .end_ns = kBegin + seconds * kSecond_ns,
          .servers = {{.seen_ns = kBegin,
                       .pid = 4006,
                       .flavor = "mariadb",
                       .title = "MariaDB",
                       .version = "10.11.19",
                       .executable = "/usr/sbin/mariadbd",
                       .data = "--datadir=/var/lib/mysql",
                       .plan = {}}},
          .incidents = {},
          .counters = {}};
}

Collector collector(uint64_t seconds) {
  return Collector({.timeline = Timeline::of(kBegin, kBegin + seconds * kSecond_ns)});
}

void take(Collector& collector, const model::Query& query) {
  while (query.start_ns + query.duration_ns >= collector.bucket_end_ns()) collector.end_bucket();
  collector.take(query);
}

void finish(Collector& collector) {
  while (collector.bucket() < collector.timeline().buckets) collector.end_bucket();
}

Collector shop(uint64_t queries) {
  Collector all = collector(kMinutes * 60);
  const uint64_t gap_ns = kMinutes * 60 * kSecond_ns / (queries + 1);
  for (uint64_t i = 0; i < queries; ++i) {
    const Sample* sample = &kSamples[0];
    for (const Sample& each : kSamples)
      if (i % each.every == 0) sample = &each;
    const uint64_t at = i * gap_ns;
    const bool is_bad = at / kSecond_ns / 60 == 6;
    // Spread over two powers of two; the bad minute is slower.
    const uint64_t duration_ns = sample->duration_ns * (50 + i * 7919 % 150) / 100 *
                                 (is_bad && model::is_lock(sample->cause) ? 30 : 1);
    model::Query query = query_of(sample->text, kBegin + at, duration_ns);
    query.connection_id = i % 16;
    if (i % 301 == 0) query.error = 1205;
    add_details(query, *sample, i);
    take(all, query);
  }
  finish(all);
  return all;
}

Collector hostile() {
  Collector all = collector(kHostiles);
  uint64_t number = 0;
  for (const char* const text : kHostile) {
    model::Query query = query_of(text, kBegin + number++ * kSecond_ns, 30'000'000);
    query.user = query.host = query.database = text;
    add_details(query, {text, text, 1, 1, model::Cause::RowLock}, 1);
    query.blocker->query = text;
    query.blocker->query_length = std::string(text).size();
    query.named_waits->waits.front().event = {text, text};
    (*query.stacks)[0].frames = {text, text};
    take(all, query);
    query.blocker->query.reset();
    query.blocker->connection_id.reset();
    query.blocker->thread = query.blocker->title = text;
    take(all, query);
  }
  finish(all);
  return all;
}

About hostile_about() {
  About all = about(kHostiles);
  all.path = all.program = kHostile[1];
  all.servers.clear();
  for (const char* const text : kHostile) {
    all.servers.push_back({.seen_ns = 1,
                           .pid = {},
                           .flavor = text,
                           .title = text,
                           .version = text,
                           .executable = text,
                           .data = text,
                           .plan = text});
    all.incidents.push_back({kBegin, text, text});
  }
  return all;
}

}  // namespace dbtrace::report
