// One page that needs nothing else and asks nobody for anything: flame graphs to search and to
// zoom, for every profile. The page is in page/; here its data is written.
//
// Texts and names stand in a data block, as JSON in which no "<" remains, and the page
// shows them as text only. Should that fail, the browser still runs no script but the page's
// own, which its policy names by its hash.
#include <sha2.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "src/output/digits.h"
#include "src/output/escape.h"
#include "src/output/json_writer.h"
#include "src/output/stacks/cause_colors.h"
#include "src/output/stacks/collected.h"
#include "src/output/stacks/formats.h"
#include "src/output/stacks/names.h"
#include "src/output/stacks/page.h"

namespace dbtrace::output {
namespace {

using model::Frame;
using stacks::StackNode;
using stacks::StackTree;

// As a Content-Security-Policy names a script.
std::string policy_hash(std::string_view text) {
  std::array<uint8_t, SHA256_DIGEST_LENGTH> digest;
  SHA2_CTX context;
  SHA256Init(&context);
  SHA256Update(&context, reinterpret_cast<const uint8_t*>(text.data()), text.size());
  SHA256Final(digest.data(), &context);
  std::string hash = "'sha256-";
  append_base64(hash, {reinterpret_cast<const char*>(digest.data()), digest.size()});
  return hash + '\'';
}

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

class HtmlSink final : public CollectingSink {
 public:
  using CollectingSink::CollectingSink;

  void finish(std::string& out) override;

 private:
  std::string data();
  void append_profile(const CollectedProfile& profile, std::string& out);
  size_t index_of(const StackTree& tree, const StackNode& node);

  std::string frames_json_;
  std::unordered_map<model::FrameId, size_t> indexes_;
};

// [name, module, source, kind]
size_t HtmlSink::index_of(const StackTree& tree, const StackNode& node) {
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

void HtmlSink::append_profile(const CollectedProfile& profile, std::string& out) {
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

std::string HtmlSink::data() {
  std::string profiles_json;
  for (const CollectedProfile& profile : profiles()) append_profile(profile, profiles_json);
  std::string json;
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

  // Only in strings there can be any.
  std::string harmless;
  harmless.reserve(json.size());
  for (const char c : json) c == '<' ? harmless += "\\u003c" : harmless += c;
  return harmless;
}

void HtmlSink::finish(std::string& out) {
  const std::string data_json = data();
  const auto value_of = [&](std::string_view name) -> std::string {
    if (name == "data") return data_json;
    if (name == "style") return std::string(embedded::page_css);
    if (name == "style-hash") return policy_hash(embedded::page_css);
    if (name == "script") return std::string(embedded::page_js);
    if (name == "script-hash") return policy_hash(embedded::page_js);
    return {};
  };
  std::string_view page = embedded::page_html;
  for (;;) {
    const size_t begin = page.find("{{");
    out += page.substr(0, begin);
    if (begin == std::string_view::npos) break;
    const size_t end = page.find("}}", begin);
    out += value_of(page.substr(begin + 2, end - begin - 2));
    page.remove_prefix(end + 2);
  }
}

}  // namespace

std::unique_ptr<StackSink> make_html_sink(stacks::FrameTable& frames) {
  return std::make_unique<HtmlSink>(frames);
}

}  // namespace dbtrace::output
