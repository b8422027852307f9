// Sums that the kernel keeps by keys of its own, put under kinds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/kinds/kind_table.h"

namespace dbtrace::kinds {

// Queries of one key are of the same kinds; queries of one kind may have many keys. The
// kernel tells some queries of each key as examples (model::Query::kind is the key); until
// the first one, a key's sums wait. Memory: a histogram for each key. Not thread-safe.
class KernelSums {
 public:
  // By key; everything since the beginning. A key may be there several times. Keys do not
  // go, numbers do not shrink.
  using Sums = std::vector<std::pair<uint64_t, model::Sums>>;

  explicit KernelSums(KindTable& table) : table_(table) {}

  // Says which kinds the key of `query` stands for. It is itself among what look() is told.
  void example(const model::Query& query);
  // Adds what has come since the last look to the table's interval.
  void look(const Sums& sums);
  // The last look: what no query was told of is then of a kind "(unknown)".
  void finish(const Sums& sums);

  // Queries of the last look whose kinds were not known.
  [[nodiscard]] uint64_t unknown() const { return unknown_; }

 private:
  struct Known {
    std::vector<uint32_t> kinds;
    std::optional<model::Example> example;  // the slowest since the last look
  };
  void take(const Sums& sums, bool last);

  KindTable& table_;
  std::unordered_map<uint64_t, Known> known_;
  std::unordered_map<uint64_t, model::Sums> before_;  // of the last look
  uint64_t unknown_ = 0;
};

}  // namespace dbtrace::kinds
