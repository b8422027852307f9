#include "src/stacks/beginning.h"

#include <algorithm>
#include <string>

namespace dbtrace::stacks {
namespace {

using model::Frame;
using model::FrameId;

FrameId marker(std::string text, FrameTable& frames) {
  Frame frame;
  frame.kind = Frame::Kind::Marker;
  frame.name = std::move(text);
  return frames.intern(frame);
}

}  // namespace

std::vector<FrameId> marked_frames(const model::Sample& sample, FrameTable& frames) {
  const bool is_marked =
      !sample.frames.empty() && frames.at(sample.frames.front()).kind == Frame::Kind::Marker;
  std::vector<FrameId> marked;
  marked.reserve(sample.frames.size() + 1);
  if (!sample.whole && !is_marked) marked.push_back(marker(std::string(kBrokenOff), frames));
  marked.insert(marked.end(), sample.frames.begin(), sample.frames.end());
  return marked;
}

uint64_t begin_at(std::string_view function, std::vector<model::Sample>& samples,
                  FrameTable& frames) {
  const auto is_it = [&](FrameId id) {
    return frames.at(id).kind != Frame::Kind::Marker && frames.at(id).name == function;
  };
  uint64_t without = 0;
  for (model::Sample& sample : samples) {
    const auto begin = std::ranges::find_if(sample.frames, is_it);
    if (begin != sample.frames.end()) {
      sample.frames.erase(sample.frames.begin(), begin);
      sample.whole = true;
      continue;
    }
    ++without;
    if (!sample.whole) continue;
    sample.frames.insert(sample.frames.begin(),
                         marker("[not in " + std::string(function) + ']', frames));
  }
  return without;
}

}  // namespace dbtrace::stacks
