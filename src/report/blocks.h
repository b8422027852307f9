// Who kept whom waiting: the blockers of queries' longest waits for locks, summed up.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/model/budget.h"

namespace dbtrace::report {

// One side: queries of a kind, or a thread that is in no query.
struct Party {
  std::optional<uint32_t> kind;  // kinds::KindTable's
  bool idle = false;             // in a transaction, after a query of that kind
  std::string thread;            // without a kind: what it is called
  friend auto operator<=>(const Party&, const Party&) = default;
};

struct Block {
  Party blocker;
  Party blocked;
  model::Cause cause = model::Cause::Lock;
  friend auto operator<=>(const Block&, const Block&) = default;
};

struct BlockSums {
  uint64_t count = 0;
  uint64_t ns = 0;
  uint64_t max_ns = 0;

  void add(const BlockSums& other);
};

// Memory is bounded: of what comes when there are kMost already, only rest() tells.
class Blocks {
 public:
  static constexpr size_t kMost = 2000;

  void add(const Block& block, const BlockSums& sums);
  void merge(const Blocks& other);
  void clear() { *this = {}; }

  [[nodiscard]] const std::map<Block, BlockSums>& all() const { return sums_; }
  [[nodiscard]] const BlockSums& rest() const { return rest_; }
  // By the time that was waited.
  [[nodiscard]] std::vector<std::pair<const Block*, const BlockSums*>> heaviest_first() const;

 private:
  std::map<Block, BlockSums> sums_;
  BlockSums rest_;
};

}  // namespace dbtrace::report
