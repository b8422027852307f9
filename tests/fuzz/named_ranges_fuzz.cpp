// Arbitrary ranges among few addresses, so that they meet in every way. What counts
// at an address must be what a search through all of them finds. Four bytes make
// a range: start, size, tier, name.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <tuple>

#include "symbols/named_ranges.h"

namespace {

using namespace dbtrace::symbols;
using Range = NamedRanges::Range;

bool is_inner(const Range& a, const Range& b) {
  const auto key = [](const Range& range) {
    return std::tuple(range.tier, ~range.start, range.end, range.name);
  };
  return key(a) < key(b);
}

const Range* expected(const std::vector<Range>& ranges, uint64_t address, Overlap overlap) {
  const Range* best = nullptr;
  for (const Range& range : ranges) {
    if (address < range.start || address >= range.end) continue;
    if (best == nullptr || overlap == Overlap::Latest || is_inner(range, *best)) best = &range;
  }
  return best;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string letters = "abcdefghijklmnop";
  std::vector<Range> ranges;
  for (; size >= 4; data += 4, size -= 4) {
    const uint64_t start = data[0] % 64U;
    ranges.push_back({.start = start,
                      .end = start + data[1] % 32U,
                      .name = std::string_view(letters).substr(data[3] % 16U, 1),
                      .tier = data[2] % 3U});
  }
  for (const Overlap overlap : {Overlap::Innermost, Overlap::Latest}) {
    const auto flat = NamedRanges::build(ranges, overlap);
    if (!flat) std::abort();
    for (uint64_t address = 0; address < 128; ++address) {
      const Range* want = expected(ranges, address, overlap);
      const auto hit = flat->find(address);
      if (hit.has_value() != (want != nullptr)) std::abort();
      if (hit && (hit->start != want->start || hit->raw != want->name)) std::abort();
    }
  }
  return 0;
}
