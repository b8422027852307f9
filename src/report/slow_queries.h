// The slowest queries: of all, of each kind, and of each part of the time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/model/query.h"

namespace dbtrace::report {

struct SlowQuery {
  std::shared_ptr<const model::Query> query;
  uint32_t kind = 0;
  uint32_t bucket = 0;
};

// Copies those that may be among them. Not thread-safe.
class SlowQueries {
 public:
  static constexpr size_t kOfKind = 5;
  static constexpr size_t kOfBucket = 3;
  static constexpr size_t kMostText = 4096;  // bytes of each

  void add(const model::Query& query, uint32_t kind, uint32_t bucket);

  // The slowest first.
  [[nodiscard]] std::vector<SlowQuery> of_all(size_t most) const;
  // Of these kinds, and of each bucket whatever their kind is: each once, the slowest first.
  // `is_wanted`: by kind.
  [[nodiscard]] std::vector<SlowQuery> of(const std::vector<bool>& is_wanted) const;

 private:
  using List = std::vector<SlowQuery>;
  static bool has_room(const List& list, size_t most, uint64_t duration_ns);
  static void insert(List& list, size_t most, const SlowQuery& slow);

  std::vector<List> by_kind_;  // the slowest first
  std::vector<List> by_bucket_;
};

}  // namespace dbtrace::report
