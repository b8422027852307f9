// Which stacks of which commands are to be taken.
#pragma once

#include <cstdint>

namespace dbtrace::attach {

struct StackOptions {
  uint32_t frequency = 99;          // samples a second, of each core
  uint64_t slow_ns = 0;             // from this age on, stacks of each wait
  uint64_t early_ns = 0;            // from this age on, samples, and stacks of waits that last
  uint32_t per_second = 2000;       // no more than this many
  uint32_t ring_bytes = 16U << 20;  // a power of two
};

}  // namespace dbtrace::attach
