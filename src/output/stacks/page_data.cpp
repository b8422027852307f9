// Profiles as a page of flame graphs reads them.
#include "src/output/stacks/page_data.h"

#include <unordered_map>

#include "src/output/digits.h"
#include "src/output/escape.h"
#include "src/output/json_writer.h"
#include "src/output/stacks/cause_colors.h"
#include "src/output/stacks/formats.h"
#include "src/output/stacks/names.h"

namespace dbtrace::output {
namespace {

using model::Frame;
using stacks::StackNode;
using stacks::StackTree;

void append_visible_string(std::string& out, std::string_view text) {
  std::string visible;
  append_visible(visible, text);
  append_json_string(out, visible);
}

class Numbers {
 public:
  explicit Numbers(std::string& out) : out_(out) { out_ += '['; }
  void add(uint64_t number) {
    if (out_.back() != '[') out_ += ',';
    append_number(out_, number);
  }
  void end() { out_ += ']'; }

 private:
  std::string& out_;
};

void append_cause(std::string& out, std::string_view name, std::string_view color) {
  JsonObject object(out);
  object.string("name", name);
  object.string("color", color);
  object.end();
}

class PageData {
 public:
  void append(const std::deque<CollectedProfile>& profiles, std::string& out);

 private:
  void append_profile(const CollectedProfile& profile, std::string& out);
  size_t index_of(const StackTree& tree, const StackNode& node);

  std::string frames_json_;
  std::unordered_map<model::FrameId, size_t> indexes_;
};

// [name, module, source, kind]
size_t PageData::index_of(const StackTree& tree, const StackNode& node) {
  const auto [found, is_new] = indexes_.try_emplace(node.frame, indexes_.size());
  if (!is_new) return found->second;
  const Frame& frame = tree.frame(node);
  if (!frames_json_.empty()) frames_json_ += ',';
  frames_json_ += '[';
  for (const std::string* text : {&frame.name, &frame.module, &frame.source}) {
    append_visible_string(frames_json_, *text);
    frames_json_ += ',';
  }
  append_json_string(frames_json_, kind_name(frame.kind));
  frames_json_ += ']';
  return found->second;
}

void PageData::append_profile(const CollectedProfile& profile, std::string& out) {
  if (!out.empty()) out += ',';
  JsonObject object(out);
  object.string("text", profile.text);
  object.number("queries", profile.queries);
  object.number("duration_ns", profile.duration_ns);
  object.key("budget_ns");
  Numbers budget(out);
  for (const uint64_t ns : profile.budget.by_cause_ns) budget.add(ns);
  budget.add(profile.budget.unexplained_ns);
  budget.end();
  object.key("nodes");
  Numbers nodes(out);
  for (const StackNode& node : profile.tree.nodes()) {
    if (&node == &profile.tree.root()) continue;
    nodes.add(node.parent);
    nodes.add(index_of(profile.tree, node));
  }
  nodes.end();
  object.key("samples");
  Numbers samples(out);
  for (const CollectedSample& sample : profile.samples) {
    samples.add(sample.node);
    samples.add(sample.ns);
    samples.add(static_cast<uint64_t>(sample.cause));
    samples.add(sample.time_ns);
    samples.add(sample.count);
  }
  samples.end();
  object.end();
}

void PageData::append(const std::deque<CollectedProfile>& profiles, std::string& json) {
  std::string profiles_json;
  for (const CollectedProfile& profile : profiles) append_profile(profile, profiles_json);
  JsonObject object(json);
  object.key("causes");
  json += '[';
  for (const CauseColor& color : kCauseColors) {
    if (&color != &kCauseColors.front()) json += ',';
    append_cause(json, cause_words(color.cause), color.css);
  }
  json += ']';
  object.key("unexplained");
  append_cause(json, "unexplained", kUnexplainedColor);
  object.key("frames");
  json += '[' + frames_json_ + ']';
  object.key("profiles");
  json += '[' + profiles_json + ']';
  object.end();
}

class PageDataSink final : public CollectingSink {
 public:
  using CollectingSink::CollectingSink;
  void finish(std::string& out) override { append_page_data(profiles(), out); }
};

}  // namespace

void append_page_data(const std::deque<CollectedProfile>& profiles, std::string& out) {
  PageData().append(profiles, out);
}

std::unique_ptr<StackSink> make_page_data_sink(stacks::FrameTable& frames) {
  return std::make_unique<PageDataSink>(frames);
}

}  // namespace dbtrace::output
