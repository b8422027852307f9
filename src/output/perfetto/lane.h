// Lane: a row of slices in which each one is inside another or beside it. Viewers take that for
// granted, and queries of one session may break it: when the clock is set back, when workers
// run in its name.
#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace dbtrace::output::perfetto
