// What is known of a thread while its frames are walked.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "src/stacks/frame_rules.h"

namespace dbtrace::stacks {

using Registers = std::array<uint64_t, kRegisters>;  // by DWARF number

// The part of a stack that was copied.
class StackCopy {
 public:
  StackCopy(uint64_t start, std::span<const std::byte> bytes) : start_(start), bytes_(bytes) {}

  // The `size` (up to 8) bytes at `address`, as a number; nullopt when they are not all there.
  [[nodiscard]] std::optional<uint64_t> read(uint64_t address, size_t size = 8) const {
    static_assert(std::endian::native == std::endian::little);
    const uint64_t offset = address - start_;
    if (offset > bytes_.size() || size > bytes_.size() - offset || size > 8) return std::nullopt;
    uint64_t value = 0;
    std::memcpy(&value, bytes_.data() + offset, size);
    return value;
  }

 private:
  uint64_t start_;
  std::span<const std::byte> bytes_;
};

}  // namespace dbtrace::stacks
