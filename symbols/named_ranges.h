// Named ranges of addresses, laid flat: at every address the one range that
// counts there. For the files of this room only.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/result.h"

namespace dbtrace::symbols {

// Which of the ranges that share an address counts there.
enum class Overlap {
  Innermost,  // the lowest tier; then the latest start; then the earliest end; then the plainest
              // name
  Latest,     // the one given last
};

// Owns what it needs: names are copied. Cost of build(): O(n log n), of find():
// one binary search. Threading: short_name() changes the object, the rest does not.
class NamedRanges {
 public:
  // The addresses [start, end). A name that only wins over the gaps that better
  // sources leave has a higher tier.
  struct Range {
    uint64_t start = 0;
    uint64_t end = 0;
    std::string_view name;
    uint32_t tier = 0;
  };

  // More characters of names than this are refused: all names of a MySQL with
  // debug symbols are 30 million.
  static constexpr size_t kMaxCharacters = 256U << 20;

  NamedRanges() = default;
  [[nodiscard]] static Result<NamedRanges> build(std::vector<Range> ranges, Overlap overlap);

  struct Hit {
    uint64_t start = 0;    // of the range; not where an inner one interrupts it
    std::string_view raw;  // valid as long as this object
    uint32_t id = 0;       // for short_name()
  };
  [[nodiscard]] std::optional<Hit> find(uint64_t address) const;

  // The name as a person writes it: demangled at its first use, with scope,
  // without parameters and without a clone suffix. Valid as long as this object.
  [[nodiscard]] std::string_view short_name(uint32_t id);

  // Bytes held, about.
  [[nodiscard]] size_t memory() const;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  [[nodiscard]] std::string_view raw_name(uint32_t id) const;

  // Two arrays of equal length: from starts_[i] on, range owners_[i] counts.
  std::vector<uint64_t> starts_;
  std::vector<uint32_t> owners_;  // kNone: nobody's

  struct Named {
    uint64_t start = 0;
    uint32_t name = 0;        // its position in names_; it ends where the next one's begins
    uint32_t short_name = 0;  // its position in short_names_, plus 1; 0: not made yet
  };
  std::vector<Named> ranges_;
  std::string names_;
  std::deque<std::string> short_names_;  // never moves its elements
  size_t short_bytes_ = 0;
};

}  // namespace dbtrace::symbols
