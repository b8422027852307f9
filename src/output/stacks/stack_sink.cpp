#include "src/output/stacks/stack_sink.h"

#include "src/output/stacks/formats.h"

namespace dbtrace::output {

void StackSink::add(const model::StackProfile& profile, std::string& out) {
  ShownProfile shown{.profile = profile, .text = {}, .blocker = {}};
  const model::Query* query = profile.query ? &*profile.query : nullptr;
  shown.text =
      shown_text(profile.text, query ? query->text_length : profile.text.size(), redacted_);
  if (query && query->blocker && query->blocker->query)
    shown.blocker =
        shown_text(*query->blocker->query, query->blocker->query_length, redacted_blocker_);
  format(shown, out);
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
