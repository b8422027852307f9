// BPF objects as they are in the program: packed by zstd (cmake/bpf.cmake).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dbtrace::attach {

// The object's file. Empty if it cannot be unpacked, which only a broken build can bring about;
// libbpf refuses that.
[[nodiscard]] std::vector<uint8_t> unpack_object(std::span<const uint8_t> packed);

}  // namespace dbtrace::attach
