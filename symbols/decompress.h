// Bytes out of compressed sections. For the files of this room only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "symbols/result.h"

namespace dbtrace::symbols {

enum class Compression { Zlib, Zstd, Xz };

// No symbol table is larger; a bomb that pretends to be one ends here.
inline constexpr size_t kMaxDecompressed = 512U << 20;

// All that `bytes` decompress to. Memory grows with what really comes out, never
// with what a header promises. The error's message fits behind a colon: "is
// damaged", "is larger than …".
[[nodiscard]] Result<std::vector<uint8_t>> decompress(Compression compression,
                                                      std::span<const uint8_t> bytes,
                                                      size_t most = kMaxDecompressed);

// The content of a section with SHF_COMPRESSED: an Elf64_Chdr and what it says.
[[nodiscard]] Result<std::vector<uint8_t>> decompress_section(std::span<const uint8_t> section,
                                                              size_t limit = kMaxDecompressed);

}  // namespace dbtrace::symbols
