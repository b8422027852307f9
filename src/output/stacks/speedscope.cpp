// One file for speedscope, after https://www.speedscope.app/file-format-schema.json: for each
// profile its stacks in order of time, and those on the core and those waiting alone. Where a
// thread waited, the innermost frame says what for.
#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <unordered_map>

#include "src/output/digits.h"
#include "src/output/escape.h"
#include "src/output/json_writer.h"
#include "src/output/stacks/collected.h"
#include "src/output/stacks/formats.h"
#include "src/output/stacks/names.h"

namespace dbtrace::output {
namespace {

using model::Cause;
using stacks::StackNode;
using stacks::StackTree;

struct Part {
  std::string_view title;
  bool (*has)(Cause);
};
constexpr Part kParts[] = {
    {"in order of time", [](Cause) { return true; }},
    {"on the core", [](Cause cause) { return cause == Cause::OnCpu; }},
    {"waiting", [](Cause cause) { return cause != Cause::OnCpu; }},
};
// The title of the first where nobody knows when its samples were.
constexpr std::string_view kWithoutTimes = "all";

// "row0sel.cc:4711"
void add_source(const std::string& source, JsonObject& object) {
  const size_t colon = source.rfind(':');
  uint64_t line = 0;
  const bool has_line =
      colon != std::string::npos &&
      std::from_chars(source.data() + colon + 1, source.data() + source.size(), line).ptr ==
          source.data() + source.size();
  object.string("file", has_line ? source.substr(0, colon) : source);
  if (has_line) object.number("line", line);
}

class SpeedscopeSink final : public CollectingSink {
 public:
  using CollectingSink::CollectingSink;

  void finish(std::string& out) override {
    std::string profiles_json;
    for (const CollectedProfile& profile : profiles())
      for (const Part& part : kParts) append_profile(profile, part, profiles_json);

    JsonObject file(out);
    file.string("$schema", "https://www.speedscope.app/file-format-schema.json");
    file.string("exporter", "dbtrace");
    file.string("name", "dbtrace stacks");
    file.number("activeProfileIndex", 0);
    file.key("shared");
    out += "{\"frames\":[" + frames_json_ + "]}";
    file.key("profiles");
    out += '[' + profiles_json + ']';
    file.end();
    out += '\n';
  }

 private:
  void append_profile(const CollectedProfile& profile, const Part& part, std::string& out);
  void append_stack(const StackTree& tree, const CollectedSample& sample, std::string& out);
  size_t index_of(const StackTree& tree, const StackNode& node);
  size_t index_of(Cause cause);
  size_t append_frame(const std::string& name, const model::Frame* frame);

  std::string frames_json_;
  size_t frames_ = 0;
  std::unordered_map<model::FrameId, size_t> indexes_;
  std::array<std::optional<size_t>, model::kCauses> waits_;
  std::vector<size_t> stack_;
};

size_t SpeedscopeSink::append_frame(const std::string& name, const model::Frame* frame) {
  if (frames_ > 0) frames_json_ += ',';
  JsonObject object(frames_json_);
  std::string visible;
  append_visible(visible, name);
  object.string("name", visible);
  if (frame && !frame->source.empty())
    add_source(frame->source, object);
  else if (frame && !frame->module.empty())
    object.string("file", frame->module);
  object.end();
  return frames_++;
}

size_t SpeedscopeSink::index_of(const StackTree& tree, const StackNode& node) {
  const auto [found, is_new] = indexes_.try_emplace(node.frame);
  if (is_new) {
    const model::Frame& frame = tree.frame(node);
    found->second = append_frame(flame_name(frame), &frame);
  }
  return found->second;
}

size_t SpeedscopeSink::index_of(Cause cause) {
  std::optional<size_t>& index = waits_[static_cast<size_t>(cause)];
  if (!index) index = append_frame(wait_marker(cause), nullptr);
  return *index;
}

void SpeedscopeSink::append_stack(const StackTree& tree, const CollectedSample& sample,
                                  std::string& out) {
  stack_.clear();
  if (sample.cause != Cause::OnCpu) stack_.push_back(index_of(sample.cause));
  for (uint32_t node = sample.node; node != StackTree::kRoot; node = tree.at(node).parent)
    stack_.push_back(index_of(tree, tree.at(node)));
  out += '[';
  for (size_t i = stack_.size(); i-- > 0;) {
    append_number(out, stack_[i]);
    if (i > 0) out += ',';
  }
  out += ']';
}

void SpeedscopeSink::append_profile(const CollectedProfile& profile, const Part& part,
                                    std::string& out) {
  std::string samples;
  std::string weights;
  uint64_t sum = 0;
  for (const CollectedSample& sample : profile.samples) {
    if (!part.has(sample.cause)) continue;
    if (!samples.empty()) {
      samples += ',';
      weights += ',';
    }
    append_stack(profile.tree, sample, samples);
    append_number(weights, sample.ns);
    sum = stacks::bounded_sum(sum, sample.ns);
  }
  const bool has_times =
      std::ranges::any_of(profile.samples, [](const auto& each) { return each.time_ns != 0; });
  const std::string_view title = &part == kParts && !has_times ? kWithoutTimes : part.title;
  if (!out.empty()) out += ',';
  JsonObject object(out);
  object.string("type", "sampled");
  object.string("name", profile.text + " (" + std::string(title) + ')');
  object.string("unit", "nanoseconds");
  object.number("startValue", 0);
  object.number("endValue", sum);
  object.key("samples");
  out += '[' + samples + ']';
  object.key("weights");
  out += '[' + weights + ']';
  object.end();
}

}  // namespace

std::unique_ptr<StackSink> make_speedscope_sink(stacks::FrameTable& frames) {
  return std::make_unique<SpeedscopeSink>(frames);
}

}  // namespace dbtrace::output
