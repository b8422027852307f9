#include "src/attach/packed_object.h"

#include "symbols/decompress.h"

namespace dbtrace::attach {

std::vector<uint8_t> unpack_object(std::span<const uint8_t> packed) {
  return symbols::decompress(symbols::Compression::Zstd, packed).value_or(std::vector<uint8_t>{});
}

}  // namespace dbtrace::attach
