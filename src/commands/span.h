// The time that numbers are about.
#pragma once

#include <cstdint>

namespace dbtrace::commands {

struct Span {
  bool total = false;   // all of it; else an interval
  uint64_t end_ns = 0;  // wall clock, since the Unix epoch
  uint64_t length_ns = 0;
};

}  // namespace dbtrace::commands
