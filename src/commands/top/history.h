// What happened in each second of the last minute.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dbtrace::commands::top {

// A plain value of bounded size. Seconds are of any clock that does not go back.
class History {
 public:
  static constexpr size_t kSeconds = 60;

  struct Part {
    uint64_t queries = 0;
    uint64_t ns = 0;
    friend bool operator==(const Part&, const Part&) = default;
  };
  void add(uint64_t second, uint64_t duration_ns) { add(second, Part{1, duration_ns}); }
  void add(uint64_t second, const Part& part);

  // The kSeconds seconds before `end`, the oldest first, in `parts` (which divides
  // kSeconds) of the same length.
  [[nodiscard]] std::vector<Part> parts(uint64_t end, size_t parts) const;
  // Whether there was anything in them.
  [[nodiscard]] bool is_empty(uint64_t end) const;

 private:
  // The minute that is looked at has ended; the second that goes on is kept beside it.
  static constexpr size_t kSlots = 64;
  struct Slot {
    uint32_t second = 0;
    uint32_t queries = 0;  // below 2³²: nothing counts so many in a second
    uint64_t ns = 0;
  };
  std::array<Slot, kSlots> slots_{};
};

}  // namespace dbtrace::commands::top
