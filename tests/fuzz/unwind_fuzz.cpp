// Arbitrary registers, stacks and return probes, in the image of this very process.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "src/stacks/unwinder.h"

namespace {

using namespace dbtrace::stacks;

constexpr uint64_t kStack = 0x7000'0000'0000;

// Numbers that the fuzzer chooses, most of them places of code or of the stack: it would hardly
// find these.
class Numbers {
 public:
  Numbers(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  [[nodiscard]] bool at_end() const { return size_ < 3; }

  uint64_t next() {
    if (at_end()) return 0;
    const uint8_t kind = data_[0];
    const uint64_t low = data_[1] | uint64_t{data_[2]} << 8;
    data_ += 3;
    size_ -= 3;
    switch (kind % 4) {
      case 0:
        return reinterpret_cast<uint64_t>(&std::qsort) + low % 4096;
      case 1:
        return reinterpret_cast<uint64_t>(&Unwinder::kFramesMax) + low;
      case 2:
        return kStack + low;
      default:
        return low << (kind / 4 % 48);
    }
  }

 private:
  const uint8_t* data_;
  size_t size_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Unwinder unwinder;
  Numbers numbers(data, size);
  UserStack stack;
  for (uint64_t& value : stack.registers) value = numbers.next();
  stack.registers[7] = stack.registers[31] = kStack;
  std::vector<PendingReturn> pending(2);
  for (PendingReturn& one : pending) one = {numbers.next(), numbers.next()};
  std::vector<uint64_t> words;
  while (!numbers.at_end()) words.push_back(numbers.next());
  stack.pending_returns = pending;
  stack.bytes = std::as_bytes(std::span(words));
  const Unwound unwound = unwinder.unwind(static_cast<uint32_t>(::getpid()), stack);
  if (unwound.addresses.empty() || unwound.addresses.size() > Unwinder::kFramesMax) std::abort();
  return 0;
}
