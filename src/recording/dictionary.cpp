#include "src/recording/dictionary.h"

#include <random>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace dbtrace::recording {
namespace {

uint64_t random_seed() {
  std::random_device random;
  return uint64_t{random()} << 32 | random();
}

}  // namespace

Key& Key::add(uint64_t number) {
  hash_ = XXH3_64bits_withSeed(&number, sizeof number, hash_);
  return *this;
}

Key& Key::add(std::string_view bytes) {
  hash_ = XXH3_64bits_withSeed(bytes.data(), bytes.size(), hash_);
  return *this;
}

Dictionary::Dictionary() : seed_(random_seed()) {}

}  // namespace dbtrace::recording
