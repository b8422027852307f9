// EndIndex: which queries of a recording ended when, so that a part of its time can be read by
// itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/recording/reader.h"

namespace dbtrace::commands {

// A recording has no index by time, but its numbers are in the order of the ends, nearly: of each
// block of queries it is kept when they were. Whatever the order is, no query is missed; the worse
// it is, the more others are read with it. 40 bytes for kBlock queries. Not thread-safe.
class EndIndex {
 public:
  static constexpr size_t kBlock = 256;

  // In the order of the numbers. Times: of any one clock.
  void add(int64_t id, uint64_t start_ns, uint64_t end_ns);

  // Where those are that ended from `from_ns` to before `to_ns`, others among them.
  [[nodiscard]] std::vector<recording::Ids> ended(uint64_t from_ns, uint64_t to_ns) const;
  // Where those are that had begun then and ended later, others among them.
  [[nodiscard]] std::vector<recording::Ids> spanning(uint64_t at_ns) const;

 private:
  struct Block {
    recording::Ids ids;
    uint64_t first_start_ns = UINT64_MAX;
    uint64_t first_end_ns = UINT64_MAX;
    uint64_t last_end_ns = 0;
  };
  template <typename Wanted>
  [[nodiscard]] std::vector<recording::Ids> where(const Wanted& is_wanted) const;

  std::vector<Block> blocks_;
  size_t in_last_ = kBlock;  // queries
};

}  // namespace dbtrace::commands
