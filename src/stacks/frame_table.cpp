#include "src/stacks/frame_table.h"

#include <fmt/format.h>

namespace dbtrace::stacks {

model::FrameId FrameTable::intern(const model::Frame& frame) {
  const std::string key = fmt::format("{}\n{}\n{}\n{:x}\n{}", static_cast<int>(frame.kind),
                                      frame.name, frame.module, frame.offset, frame.source);
  const auto [found, is_new] = ids_.try_emplace(key, static_cast<model::FrameId>(frames_.size()));
  if (is_new) frames_.push_back(frame);
  return found->second;
}

}  // namespace dbtrace::stacks
