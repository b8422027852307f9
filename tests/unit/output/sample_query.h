// A query with every field set, for tests to change.
#pragma once

#include <string>
#include <string_view>

#include "src/model/query.h"
#include "src/output/sink.h"

namespace dbtrace::output {

inline void set_text(model::Query& query, std::string_view text, uint64_t missing = 0) {
  query.text_state = model::TextState::Present;
  query.text = text;
  query.text_length = text.size() + missing;
}

inline model::Query sample_query() {
  model::Query query;
  query.start_ns = 1'767'323'045'123'456'789;  // 2026-01-02T03:04:05.123456789Z
  query.duration_ns = 123'456;
  query.pid = 4242;
  query.tid = 4250;
  query.flavor = "mysql";
  query.command_id = 3;
  query.command = "Query";
  query.connection_id = 8;
  query.user = "app";
  query.host = "web1";
  query.ip = "10.0.0.7";
  query.database = "shop";
  query.error = 0;
  query.rows_sent = 1;
  query.rows_examined = 20;
  set_text(query, "select 1");
  return query;
}

inline uint64_t& ns_of(model::Query& query, model::Cause cause) {
  return query.budget->by_cause_ns[static_cast<size_t>(cause)];
}

// The sample, which waited for a row and for the disk: 123,456 ns in all.
inline model::Query sample_with_budget() {
  using model::Cause;
  model::Query query = sample_query();
  query.budget.emplace();
  ns_of(query, Cause::OnCpu) = 30'000;
  ns_of(query, Cause::FileRead) = 20'000;
  ns_of(query, Cause::RowLock) = 70'000;
  ns_of(query, Cause::Lock) = 3'000;
  query.budget->unexplained_ns = 456;
  query.budget->voluntary_switches = 5;
  query.budget->involuntary_switches = 1;

  const model::File table{"orders.ibd", "shop.orders"};
  query.io.emplace();
  query.io->operations[0] = {
      .count = 3, .blocked = 1, .bytes = 49'152, .ns = 25'000, .max_ns = 21'000};
  query.io->slowest[0] = table;
  query.io->files.push_back({table, query.io->operations});

  query.blocker.emplace();
  query.blocker->waited_ns = 69'000;
  query.blocker->cause = Cause::RowLock;
  query.blocker->pid = 4242;
  query.blocker->tid = 4251;
  query.blocker->thread = "connection";
  query.blocker->connection_id = 9;
  query.blocker->query = "update orders set a = 1";
  query.blocker->query_length = query.blocker->query->size();
  return query;
}

inline std::string written(Sink& sink, const model::Query& query) {
  std::string out;
  sink.write(query, out);
  return out;
}

inline std::string written(const FormatOptions& options, const model::Query& query) {
  return written(*make_sink(options), query);
}

}  // namespace dbtrace::output
