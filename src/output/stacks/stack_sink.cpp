#include "src/output/stacks/stack_sink.h"

#include "src/output/stacks/formats.h"

namespace dbtrace::output {

void StackSink::add(const model::StackProfile& profile, std::string& out) {
  format(profile, shown_text(profile.text, profile.text.size(), redacted_), out);
}

std::unique_ptr<StackSink> make_stack_sink(const StackFormatOptions& options,
                                           stacks::FrameTable& frames) {
  switch (options.format) {
    case StackFormat::Folded:
      return make_folded_sink(frames);
    case StackFormat::Json:
      return make_stack_json_sink(frames);
    case StackFormat::Speedscope:
      return make_speedscope_sink(frames);
    case StackFormat::Svg:
      return make_svg_sink(frames);
    case StackFormat::Html:
      return make_html_sink(frames);
    case StackFormat::Text:
      break;
  }
  return make_tree_sink(options, frames);
}

}  // namespace dbtrace::output
