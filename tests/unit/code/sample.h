// A piece of machine code and the address it lies at.
#pragma once

#include <cstdint>
#include <vector>

#include "src/code/trace.h"

namespace dbtrace::code {

struct Sample {
  uint64_t address;
  std::vector<uint8_t> code;
};

[[nodiscard]] inline std::vector<Path> trace(Arch arch, const Sample& sample) {
  return trace_values(arch, sample.code, sample.address);
}

}  // namespace dbtrace::code
