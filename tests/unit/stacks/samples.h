// Stacks written as text, for tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/stacks/frame_table.h"

namespace dbtrace::stacks {

inline model::Frame function(std::string_view name, uint64_t offset = 0) {
  model::Frame frame;
  frame.name = name;
  frame.module = "mariadbd";
  frame.offset = offset;
  return frame;
}

// "main;work;sys_read_[k];[odd]": functions of the server, of the kernel, and a marker.
inline std::vector<model::FrameId> frames_of(FrameTable& table, std::string_view stack) {
  constexpr std::string_view kKernel = "_[k]";
  std::vector<model::FrameId> ids;
  while (!stack.empty()) {
    const std::string_view name = stack.substr(0, stack.find(';'));
    stack.remove_prefix(std::min(stack.size(), name.size() + 1));
    model::Frame frame = function(name);
    if (name.ends_with(kKernel)) {
      frame.kind = model::Frame::Kind::Kernel;
      frame.name.resize(name.size() - kKernel.size());
      frame.module = "[kernel]";
    } else if (name.starts_with('[')) {
      frame.kind = model::Frame::Kind::Marker;
      frame.module.clear();
    }
    ids.push_back(table.intern(frame));
  }
  return ids;
}

inline model::Sample sample(FrameTable& table, std::string_view stack, uint64_t ns,
                            model::Cause cause = model::Cause::OnCpu) {
  model::Sample sample;
  sample.ns = ns;
  sample.cause = cause;
  sample.frames = frames_of(table, stack);
  return sample;
}

// "main;work;…" again.
inline std::string text_of(const FrameTable& table, const std::vector<model::FrameId>& frames) {
  std::string text;
  for (const model::FrameId id : frames) {
    if (!text.empty()) text += ';';
    text += table.at(id).name;
    if (table.at(id).kind == model::Frame::Kind::Kernel) text += "_[k]";
  }
  return text;
}

}  // namespace dbtrace::stacks
