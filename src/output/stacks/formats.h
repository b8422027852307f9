// The formats that make_stack_sink() chooses from. Private to this room.
#pragma once

#include <memory>

#include "src/output/stacks/stack_sink.h"

namespace dbtrace::output {

[[nodiscard]] std::unique_ptr<StackSink> make_tree_sink(const StackFormatOptions& options,
                                                        stacks::FrameTable& frames);
[[nodiscard]] std::unique_ptr<StackSink> make_folded_sink(stacks::FrameTable& frames);
[[nodiscard]] std::unique_ptr<StackSink> make_stack_json_sink(stacks::FrameTable& frames);
[[nodiscard]] std::unique_ptr<StackSink> make_speedscope_sink(stacks::FrameTable& frames);
[[nodiscard]] std::unique_ptr<StackSink> make_svg_sink(stacks::FrameTable& frames);
[[nodiscard]] std::unique_ptr<StackSink> make_html_sink(stacks::FrameTable& frames);

}  // namespace dbtrace::output
