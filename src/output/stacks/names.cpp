#include "src/output/stacks/names.h"

#include <algorithm>

#include "src/output/cause_names.h"

namespace dbtrace::output {

std::string cause_words(model::Cause cause) {
  std::string words(name_of(cause).name());
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string wait_marker(model::Cause cause) { return '[' + cause_words(cause) + ']'; }

std::string flame_name(const model::Frame& frame) {
  std::string name = frame.name;
  if (!frame.source.empty()) name += " (" + frame.source + ')';
  if (frame.kind == model::Frame::Kind::Kernel) name += "_[k]";
  if (frame.kind == model::Frame::Kind::Inlined) name += "_[i]";
  return name;
}

std::string_view kind_name(model::Frame::Kind kind) {
  switch (kind) {
    case model::Frame::Kind::User:
      return "user";
    case model::Frame::Kind::Inlined:
      return "inlined";
    case model::Frame::Kind::Kernel:
      return "kernel";
    case model::Frame::Kind::Marker:
      break;
  }
  return "marker";
}

}  // namespace dbtrace::output
