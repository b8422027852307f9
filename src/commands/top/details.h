// What one kind of query is shown with when it is looked at alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "src/model/query.h"
#include "src/model/sums.h"
#include "src/model/table_io.h"

namespace dbtrace::commands::top {

// Bounded: a few examples with at most model::Example::kMostText bytes of text each.
struct Details {
  static constexpr size_t kExamples = 5;
  static constexpr size_t kBlockers = 3;
  static constexpr size_t kTables = 16;

  std::vector<model::Example> slowest;  // the slowest first
  model::TableIo tables{kTables};
  uint64_t blocked = 0;                  // queries that waited for somebody
  uint64_t blocked_ns = 0;               // their longest waits for a lock, added up
  std::vector<model::Blocker> blockers;  // those of the longest waits, the longest first

  void add(const model::Query& query);
  void merge(const Details& other);
};

}  // namespace dbtrace::commands::top
