// Lane: a row of slices in which each one is inside another or beside it. Viewers take that for
// granted, and queries of one session may break it: when the clock is set back, when workers
// run in its name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace dbtrace::output::perfetto {

class Lane {
 public:
  // Slices come in the order of their ends. False: there is no room for this one. Memory grows with
  // the statements of one command. `is_command`: nothing is around it.
  [[nodiscard]] bool take(uint64_t begin_ns, uint64_t end_ns, bool is_command);

 private:
  struct Slice {
    uint64_t begin_ns;
    uint64_t end_ns;
  };
  std::vector<Slice> outer_;     // that are inside no other, in order of time, …
  uint64_t taken_until_ns_ = 0;  // …behind those that nothing can be around any more
};

// Those of one session. A file may say that any number of queries overlap: a slice costs a few
// looks and the logarithm of that number.
class Lanes {
 public:
  // The lane for the next slice, from 0 on; size() is the number of a new one. The first that has
  // room; behind kSearched others nothing is put around what is there.
  [[nodiscard]] size_t take(uint64_t begin_ns, uint64_t end_ns, bool is_command);
  [[nodiscard]] size_t size() const { return searched_.size() + rest_.size(); }

 private:
  static constexpr size_t kSearched = 16;
  using Until = std::pair<uint64_t, size_t>;  // when a lane is free again, its number

  std::vector<Lane> searched_;
  std::priority_queue<Until, std::vector<Until>, std::greater<>> rest_;
};

}  // namespace dbtrace::output::perfetto
