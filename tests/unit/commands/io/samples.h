// Operations and queries for the tests of `dbtrace io`.
#pragma once

#include <cstdint>
#include <string>

#include "src/model/io_operation.h"
#include "src/model/query.h"

namespace dbtrace::commands {

inline model::IoOperation sample_operation(model::FileOperation kind, uint64_t duration_ns) {
  model::IoOperation operation;
  operation.start_ns = 1'700'000'000'123'456'789;
  operation.duration_ns = duration_ns;
  operation.operation = kind;
  operation.file = {.name = "t.ibd", .content = "shop.t"};
  operation.offset = 16384;
  operation.bytes = kind == model::FileOperation::Fsync ? 0 : 4096;
  operation.pid = 7;
  operation.tid = 8;
  operation.thread = "connection";
  operation.command_start_ns = 1'700'000'000'000'000'000;
  return operation;
}

// The query that sample_operation() was done for.
inline model::Query sample_command(const std::string& text) {
  model::Query query;
  query.start_ns = 1'700'000'000'000'000'000;
  query.pid = 7;
  query.tid = 8;
  query.command = "Query";
  query.connection_id = 42;
  query.text_state = model::TextState::Present;
  query.text = text;
  query.text_length = text.size();
  return query;
}

}  // namespace dbtrace::commands
