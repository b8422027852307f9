#include "symbols/named_ranges.h"

#include <algorithm>
#include <limits>
#include <queue>

#include "symbols/demangle.h"

namespace dbtrace::symbols {
namespace {

using Range = NamedRanges::Range;

size_t underscores(std::string_view name) {
  return std::min(name.find_first_not_of('_'), name.size());
}

// `write` rather than `__write`: of several names for one thing the one that
// looks least like an implementation's own.
bool is_plainer(std::string_view a, std::string_view b) {
  if (underscores(a) != underscores(b)) return underscores(a) < underscores(b);
  if (a.size() != b.size()) return a.size() < b.size();
  return a < b;
}

bool counts_more(const Range& a, const Range& b) {
  if (a.tier != b.tier) return a.tier < b.tier;
  if (a.start != b.start) return a.start > b.start;
  if (a.end != b.end) return a.end < b.end;
  return is_plainer(a.name, b.name);
}

// Walks along the addresses and tells where another range begins to count.
class Sweep {
 public:
  Sweep(const std::vector<Range>& ranges, Overlap overlap)
      : ranges_(ranges), active_(Less{&ranges, overlap}) {}

  // `change(address, index)`: from `address` on, that range counts; kNone: none.
  template <typename Change>
  void run(uint32_t none, Change change) {
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < ranges_.size(); ++i) {
      if (ranges_[i].start < ranges_[i].end) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return ranges_[a].start < ranges_[b].start; });
    const auto retire = [&](uint64_t until) {
      while (!active_.empty() && ranges_[active_.top()].end <= until) {
        const uint64_t end = ranges_[active_.top()].end;
        while (!active_.empty() && ranges_[active_.top()].end <= end) active_.pop();
        change(end, active_.empty() ? none : active_.top());
      }
    };
    for (const uint32_t i : order) {
      retire(ranges_[i].start);
      active_.push(i);
      change(ranges_[i].start, active_.top());
    }
    retire(std::numeric_limits<uint64_t>::max());
  }

 private:
  struct Less {
    const std::vector<Range>* ranges;
    Overlap overlap;
    bool operator()(uint32_t a, uint32_t b) const {
      return overlap == Overlap::Latest ? a < b : counts_more((*ranges)[b], (*ranges)[a]);
    }
  };

  const std::vector<Range>& ranges_;
  std::priority_queue<uint32_t, std::vector<uint32_t>, Less> active_;
};

}  // namespace

Result<NamedRanges> NamedRanges::build(std::vector<Range> ranges, Overlap overlap) {
  NamedRanges flat;
  if (ranges.size() >= kNone) return fail("has too many symbols");
  size_t characters = 0;
  for (const Range& range : ranges) characters += range.name.size();
  if (characters > kMaxCharacters) return fail("has too long names");

  flat.names_.reserve(characters);
  std::vector<uint32_t> ids(ranges.size(), kNone);  // range → its place in ranges_
  const auto id_of = [&](uint32_t index) {
    if (index == kNone) return kNone;
    if (ids[index] == kNone) {
      ids[index] = static_cast<uint32_t>(flat.ranges_.size());
      flat.ranges_.push_back({.start = ranges[index].start,
                              .name = static_cast<uint32_t>(flat.names_.size()),
                              .short_name = 0});
      flat.names_ += ranges[index].name;
    }
    return ids[index];
  };
  // Which range counts at an address is known when the next address comes.
  uint64_t at = 0;
  uint32_t pending = kNone;
  const auto settle = [&] {
    const uint32_t last = flat.owners_.empty() ? kNone : flat.owners_.back();
    const uint32_t owner = id_of(pending);
    if (owner == last) return;
    flat.starts_.push_back(at);
    flat.owners_.push_back(owner);
  };
  Sweep(ranges, overlap).run(kNone, [&](uint64_t address, uint32_t index) {
    if (address != at) settle();
    at = address;
    pending = index;
  });
  settle();
  flat.starts_.shrink_to_fit();
  flat.owners_.shrink_to_fit();
  flat.ranges_.shrink_to_fit();
  return flat;
}

std::optional<NamedRanges::Hit> NamedRanges::find(uint64_t address) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), address);
  if (after == starts_.begin()) return std::nullopt;
  const uint32_t id = owners_[static_cast<size_t>(after - starts_.begin()) - 1];
  if (id == kNone) return std::nullopt;
  return Hit{.start = ranges_[id].start, .raw = raw_name(id), .id = id};
}

std::string_view NamedRanges::raw_name(uint32_t id) const {
  const size_t end = id + 1 < ranges_.size() ? ranges_[id + 1].name : names_.size();
  return std::string_view(names_).substr(ranges_[id].name, end - ranges_[id].name);
}

std::string_view NamedRanges::short_name(uint32_t id) {
  Named& range = ranges_.at(id);
  if (range.short_name == 0) {
    short_names_.push_back(symbols::short_name(raw_name(id)));
    short_bytes_ += short_names_.back().size() + sizeof(std::string);
    range.short_name = static_cast<uint32_t>(short_names_.size());
  }
  return short_names_[range.short_name - 1];
}

size_t NamedRanges::memory() const {
  return starts_.size() * (sizeof(uint64_t) + sizeof(uint32_t)) + ranges_.size() * sizeof(Named) +
         names_.size() + short_bytes_;
}

}  // namespace dbtrace::symbols
