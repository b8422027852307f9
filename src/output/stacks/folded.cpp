// A line a stack: "query;main;run;read 1234", for all tools that draw flame graphs. The
// outermost frame is the query, the weight is in microseconds, and where a thread waited the
// innermost frame is what for: "[file read]". A semicolon in a name would end it: it becomes a
// comma.
#include <algorithm>

#include "src/output/cause_names.h"
#include "src/output/digits.h"
#include "src/output/escape.h"
#include "src/output/stacks/formats.h"
#include "src/output/stacks/names.h"
#include "src/stacks/stack_tree.h"

namespace dbtrace::output {
namespace {

using stacks::StackNode;
using stacks::StackTree;

void append_frame(std::string& out, std::string_view name) {
  const size_t begin = out.size();
  append_visible(out, name);
  std::replace(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(), ';', ',');
}

class FoldedSink final : public StackSink {
 public:
  explicit FoldedSink(stacks::FrameTable& frames) : frames_(frames) {}

 private:
  void format(const ShownProfile& shown, std::string& out) override {
    std::string root;
    append_frame(root, shown.text.visible.empty() ? kNoText : shown.text.visible);
    const StackTree tree(frames_, shown.profile.samples);
    for (const StackNode& node : tree.nodes()) {
      for (const CauseName& cause : kCauseNames) {
        const uint64_t microseconds = rounded(node.own_ns[static_cast<size_t>(cause.cause)]);
        if (microseconds == 0) continue;
        out += root;
        append_path(tree, node, out);
        if (cause.cause != model::Cause::OnCpu) {
          out += ';';
          out += wait_marker(cause.cause);
        }
        out += ' ';
        append_number(out, microseconds);
        out += '\n';
      }
    }
  }

  static uint64_t rounded(uint64_t ns) { return ns / 1000 + (ns % 1000 >= 500 ? 1 : 0); }

  void append_path(const StackTree& tree, const StackNode& node, std::string& out) {
    path_.clear();
    for (const StackNode* at = &node; at != &tree.root(); at = &tree.at(at->parent))
      path_.push_back(at);
    for (auto at = path_.rbegin(); at != path_.rend(); ++at) {
      out += ';';
      append_frame(out, flame_name(tree.frame(**at)));
    }
  }

  stacks::FrameTable& frames_;
  std::vector<const StackNode*> path_;
};

}  // namespace

std::unique_ptr<StackSink> make_folded_sink(stacks::FrameTable& frames) {
  return std::make_unique<FoldedSink>(frames);
}

}  // namespace dbtrace::output
