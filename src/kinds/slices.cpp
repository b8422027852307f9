#include "src/kinds/slices.h"

#include <utility>

namespace dbtrace::kinds {
namespace {

Slice difference(const Slice& now, const Slice& before) {
  Slice slice;
  auto earlier = before.begin();
  for (const SliceCount& each : now) {
    while (earlier != before.end() && earlier->bucket < each.bucket) ++earlier;
    const bool was = earlier != before.end() && earlier->bucket == each.bucket;
    const uint64_t count = each.count - (was ? earlier->count : 0);
    if (count) slice.push_back({each.bucket, count});
  }
  return slice;
}

}  // namespace

Slice slice_of(const model::Histogram& histogram) {
  Slice slice;
  for (size_t bucket = 0; bucket < histogram.counts().size(); ++bucket) {
    const uint64_t count = histogram.counts()[bucket];
    const auto wide = static_cast<uint16_t>(bucket / kSliceWidth);
    if (count == 0) continue;
    if (!slice.empty() && slice.back().bucket == wide)
      slice.back().count += count;
    else
      slice.push_back({wide, count});
  }
  return slice;
}

bool Slices::end_stretch(const KindTable& table) {
  ++stretches_;
  by_kind_.resize(table.kinds().size());
  for (uint32_t kind = 0; kind < by_kind_.size(); ++kind) {
    model::Histogram all = table.total(kind).durations;
    all.merge(table.interval(kind).durations);
    Slice counts = slice_of(all);
    std::vector<Snapshot>& snapshots = by_kind_[kind];
    if (snapshots.empty() ? !counts.empty() : snapshots.back().counts != counts)
      snapshots.push_back({stretches_, std::move(counts)});
  }
  if (stretches_ < kMost) return false;
  join();
  return true;
}

// Of two stretches the later one's end remains.
void Slices::join() {
  stretches_ /= 2;
  for (std::vector<Snapshot>& snapshots : by_kind_) {
    std::vector<Snapshot> joined;
    for (Snapshot& snapshot : snapshots) {
      snapshot.stretch = (snapshot.stretch + 1) / 2;
      if (!joined.empty() && joined.back().stretch == snapshot.stretch) joined.pop_back();
      joined.push_back(std::move(snapshot));
    }
    snapshots = std::move(joined);
  }
}

std::vector<Slice> Slices::of(uint32_t kind) const {
  std::vector<Slice> slices;
  if (kind >= by_kind_.size()) return slices;
  const Slice nothing;
  const Slice* before = &nothing;
  for (const Snapshot& snapshot : by_kind_[kind]) {
    slices.push_back(difference(snapshot.counts, *before));
    before = &snapshot.counts;
  }
  return slices;
}

}  // namespace dbtrace::kinds
