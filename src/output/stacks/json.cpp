// One JSON object a line, one for each profile: of one query with all that is told of queries.
// Stacks that are the same, offsets included, are one; the heaviest come first.
#include <algorithm>
#include <map>
#include <tuple>

#include "src/output/budget_json.h"
#include "src/output/cause_names.h"
#include "src/output/query_json.h"
#include "src/output/stacks/formats.h"
#include "src/output/stacks/names.h"

namespace dbtrace::output {
namespace {

using model::Frame;
using model::Sample;

struct Weight {
  uint64_t ns = 0;
  uint64_t count = 0;
};

// Refers to the first of those that are alike.
struct Alike {
  const Sample* sample;
  bool operator<(const Alike& other) const {
    const auto key = [](const Sample& of) { return std::tie(of.frames, of.cause, of.whole); };
    return key(*sample) < key(*other.sample);
  }
};

void append_frame(const Frame& frame, std::string& out) {
  JsonObject object(out);
  object.string("name", frame.name);
  frame.module.empty() ? object.null("module") : object.string("module", frame.module);
  frame.offset == 0 ? object.null("offset") : object.number("offset", frame.offset);
  object.string("kind", kind_name(frame.kind));
  if (!frame.source.empty()) object.string("source", frame.source);
  object.end();
}

class JsonSink final : public StackSink {
 public:
  explicit JsonSink(const stacks::FrameTable& frames) : frames_(frames) {}

 private:
  void format(const ShownProfile& shown, std::string& out) override {
    const model::StackProfile& profile = shown.profile;
    JsonObject object(out);
    if (profile.query) {
      query_.members({*profile.query, shown.text, shown.blocker}, object, out);
    } else {
      object.string("query", shown.text.visible, shown.text.bytes);
      if (shown.text.redacted) object.boolean("redacted", true);
      object.number("queries", profile.queries);
      object.number("duration_ns", profile.duration_ns);
      add_budget(profile.budget, object, out);
    }
    append_stacks(profile, object, out);
    object.end();
    out += '\n';
  }

  void append_stacks(const model::StackProfile& profile, JsonObject& object, std::string& out) {
    std::map<Alike, Weight> merged;
    for (const Sample& sample : profile.samples) {
      Weight& weight = merged[{&sample}];
      weight.ns += sample.ns;
      weight.count += sample.count;
    }
    std::vector<std::pair<const Sample*, Weight>> heaviest;
    heaviest.reserve(merged.size());
    for (const auto& [alike, weight] : merged) heaviest.emplace_back(alike.sample, weight);
    std::ranges::stable_sort(heaviest, std::greater{},
                             [](const auto& entry) { return entry.second.ns; });

    object.key("stacks");
    out += '[';
    for (const auto& [sample, weight] : heaviest) {
      if (sample != heaviest.front().first) out += ',';
      append_stack(*sample, weight, out);
    }
    out += ']';
  }

  void append_stack(const Sample& sample, const Weight& weight, std::string& out) {
    JsonObject object(out);
    object.number("ns", weight.ns);
    object.number("count", weight.count);
    object.string("cause", name_of(sample.cause).name());
    object.boolean("whole", sample.whole);
    object.key("frames");
    out += '[';
    for (size_t i = 0; i < sample.frames.size(); ++i) {
      if (i > 0) out += ',';
      append_frame(frames_.at(sample.frames[i]), out);
    }
    out += ']';
    object.end();
  }

  const stacks::FrameTable& frames_;
  QueryJson query_{true};
};

}  // namespace

std::unique_ptr<StackSink> make_stack_json_sink(stacks::FrameTable& frames) {
  return std::make_unique<JsonSink>(frames);
}

}  // namespace dbtrace::output
