#include "src/output/stack_lines.h"

#include <string_view>

#include "src/output/cause_names.h"
#include "src/output/duration.h"

namespace dbtrace::output {
namespace {

constexpr Column kWhere{"", 18, Align::Right, false};
constexpr std::string_view kCalledBy = "\u2190";

}  // namespace

void append_stack_lines(std::span<const model::NamedStack> stacks, TextLine& line,
                        std::string& out) {
  std::string text;
  for (const model::NamedStack& stack : stacks) {
    line.start();
    text.clear();
    append_duration(text, stack.ns);
    text += ' ';
    text += name_of(stack.cause).label;
    line.cell(kWhere, text, kDim, out);
    for (auto frame = stack.frames.rbegin(); frame != stack.frames.rend(); ++frame) {
      if (frame != stack.frames.rbegin()) line.piece(kCalledBy, kDim, out);
      line.piece(*frame, kNoColor, out);
    }
    if (!stack.whole) line.piece("[broken off]", kYellow, out);
    out += '\n';
  }
}

}  // namespace dbtrace::output
