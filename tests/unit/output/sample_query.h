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

inline std::string written(Sink& sink, const model::Query& query) {
  std::string out;
  sink.write(query, out);
  return out;
}

inline std::string written(const FormatOptions& options, const model::Query& query) {
  return written(*make_sink(options), query);
}

}  // namespace dbtrace::output
