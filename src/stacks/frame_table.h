// Each frame once: stacks repeat the same functions over and over.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "src/model/stack.h"

namespace dbtrace::stacks {

// Not thread-safe. Ids stay valid as long as the table.
class FrameTable {
 public:
  // The id of an equal frame, the same one every time.
  model::FrameId intern(const model::Frame& frame);
  [[nodiscard]] const model::Frame& at(model::FrameId id) const { return frames_[id]; }
  [[nodiscard]] size_t size() const { return frames_.size(); }

 private:
  std::vector<model::Frame> frames_;
  std::unordered_map<std::string, model::FrameId> ids_;
};

}  // namespace dbtrace::stacks
