// How the durations of each kind were distributed in each of a few stretches of a run: what
// shows how much they differ without anybody changing anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/kinds/kind_table.h"

namespace dbtrace::kinds {

// So many buckets of model::Histogram are one here: 1/8 of a power of two.
inline constexpr size_t kSliceWidth = 4;

struct SliceCount {
  uint16_t bucket;
  uint64_t count;
  friend bool operator==(const SliceCount&, const SliceCount&) = default;
};
// By bucket, in order, without those that are empty.
using Slice = std::vector<SliceCount>;

[[nodiscard]] Slice slice_of(const model::Histogram& histogram);

// Records them, whatever the run's length is: when there are too many, two become one. Not
// thread-safe.
class Slices {
 public:
  static constexpr size_t kMost = 24;

  // A stretch has ended; `table` has everything since the beginning. True: stretches were
  // joined, and the next ones shall be twice as long.
  bool end_stretch(const KindTable& table);
  // In order, without those in which there were no queries of this kind.
  [[nodiscard]] std::vector<Slice> of(uint32_t kind) const;

 private:
  // All since the beginning, where it is not the same as at the stretch before.
  struct Snapshot {
    size_t stretch;
    Slice counts;
  };
  void join();

  std::vector<std::vector<Snapshot>> by_kind_;
  size_t stretches_ = 0;
};

}  // namespace dbtrace::kinds
