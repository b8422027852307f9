// Stacks of queries as bytes: a tree to read, input for tools that draw flame graphs, and
// flame graphs. Appends to a buffer, as Sink does (src/output/sink.h), and promises the same:
// passwords are redacted, and no byte of a text or name drives a terminal or a browser, or is
// taken for a part of the format.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "src/model/stack_profile.h"
#include "src/output/shown.h"
#include "src/stacks/frame_table.h"

namespace dbtrace::output {

enum class StackFormat { Text, Folded, Json, Speedscope, Svg, Html };

struct StackFormatOptions {
  StackFormat format = StackFormat::Text;
  // Text: 0 = nothing is cut, else columns of the terminal.
  size_t width = 0;
  bool color = false;
};

// A profile with what may be shown of its texts.
struct ShownProfile {
  const model::StackProfile& profile;
  ShownText text;
  ShownText blocker;  // the query of who kept profile.query waiting
};

// Not for use by several threads at once.
class StackSink {
 public:
  virtual ~StackSink() = default;
  // Formats that can be written bit by bit (text, folded, JSON) append all of it at once.
  // Its frames are those of the table that the sink was made for.
  void add(const model::StackProfile& profile, std::string& out);
  // Appends what is left: of the others, the whole file. Nothing may be added after it.
  virtual void finish(std::string& out) { (void)out; }

 private:
  virtual void format(const ShownProfile& shown, std::string& out) = 0;

  std::string redacted_;
  std::string redacted_blocker_;
};

// `frames` must outlive the sink, which adds markers and functions without offsets to it.
[[nodiscard]] std::unique_ptr<StackSink> make_stack_sink(const StackFormatOptions& options,
                                                         stacks::FrameTable& frames);

// finish() appends what a page of flame graphs draws, as one JSON object: for pages that show them
// among other things (page/profiles.js reads it, page/graph.js draws it).
[[nodiscard]] std::unique_ptr<StackSink> make_page_data_sink(stacks::FrameTable& frames);

}  // namespace dbtrace::output
