// A picture of all stacks: callers above the functions that they call, the profiles side by
// side, as wide as their stacks weigh. It needs no script: what a box is, its title says, which
// browsers show at the pointer.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "src/output/escape.h"
#include "src/output/histogram_text.h"
#include "src/output/stacks/cause_colors.h"
#include "src/output/stacks/collected.h"
#include "src/output/stacks/formats.h"
#include "src/output/stacks/names.h"
#include "src/output/utf8.h"

namespace dbtrace::output {
namespace {

using model::Cause;
using model::Frame;
using stacks::CauseTimes;
using stacks::StackNode;
using stacks::StackTree;

constexpr double kWidth = 1200;
constexpr double kMargin = 10;
constexpr double kRow = 20;
constexpr double kGap = 1;
constexpr double kTop = 44;  // before the first row
constexpr double kPadding = 5;
constexpr double kCharacter = 7.25;  // of 12px monospace
constexpr size_t kLeastText = 4;     // characters
constexpr double kLeastWidth = 0.5;  // of a box that is drawn

// What XML has no way to write (control characters are escaped already) becomes U+FFFD.
void append_xml(std::string& out, std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Character character = decode_character(text, at);
    switch (character.code) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case kInvalidCharacter:
      case 0xfffe:
      case 0xffff:
        out += "\ufffd";
        break;
      default:
        out.append(text.substr(at, character.size));
    }
    at += character.size;
  }
}

struct Box {
  double x = 0;
  double width = 0;
  size_t row = 0;
  uint64_t ns = 0;
  const CauseTimes* times = nullptr;  // what the thread did; null: `wait`
  Cause wait = Cause::OnCpu;
  bool is_kernel = false;
};

class Picture {
 public:
  explicit Picture(uint64_t all_ns) : all_ns_(all_ns) {}

  void add(const CollectedProfile& profile, double x, double width);
  // Appends the whole of it.
  void finish(std::string& out) const;

 private:
  // A node, or a wait that ends stacks, and the room that it has.
  struct Part {
    uint64_t ns;
    uint32_t node;
    Cause wait;  // OnCpu: it is a node
    double x;
    double width;
    size_t row;
  };

  void add_below(const StackTree& tree, const Part& part);
  void draw(const Box& box, const std::string& name, const std::string& where);
  void fill(const Box& box);
  void legend(std::string& out) const;

  uint64_t all_ns_;
  CauseTimes sums_{};
  std::string boxes_;
  size_t rows_ = 0;
  std::vector<Part> pending_;
};

void Picture::fill(const Box& box) {
  double x = box.x;
  const double width = std::max(box.width - kGap, kLeastWidth);
  const auto piece = [&](Cause cause, double part) {
    boxes_ += fmt::format(
        R"(<rect x="{:.1f}" y="{:.0f}" width="{:.2f}" height="{:.0f}" fill="{}"/>)", x,
        kTop + static_cast<double>(box.row) * kRow, part, kRow - kGap, css_color(cause));
    x += part;
  };
  if (!box.times) return piece(box.wait, width);
  const bool is_mixed = std::ranges::count_if(*box.times, std::identity{}) > 1;
  if (is_mixed) boxes_ += R"(<g fill-opacity="0.5">)";
  for (const CauseColor& color : kCauseColors) {
    const uint64_t ns = (*box.times)[static_cast<size_t>(color.cause)];
    if (ns > 0) piece(color.cause, width * static_cast<double>(ns) / static_cast<double>(box.ns));
  }
  if (is_mixed) boxes_ += "</g>";
}

void Picture::draw(const Box& box, const std::string& name, const std::string& where) {
  rows_ = std::max(rows_, box.row + 1);
  std::string visible;
  append_visible(visible, name);
  boxes_ += "<g><title>";
  append_xml(boxes_, visible);
  if (!where.empty()) {
    visible.clear();
    append_visible(visible, where);
    boxes_ += " (";
    append_xml(boxes_, visible);
    boxes_ += ')';
  }
  boxes_ += fmt::format(", {}, {:.1f} %</title>", rounded_duration(box.ns),
                        100 * static_cast<double>(box.ns) / static_cast<double>(all_ns_));
  fill(box);
  const double room = (box.width - kGap - 2 * kPadding) / kCharacter;
  if (room >= kLeastText) {
    boxes_ += fmt::format(R"(<text x="{:.1f}" y="{:.0f}"{}>)", box.x + kPadding,
                          kTop + static_cast<double>(box.row) * kRow + 14,
                          box.is_kernel ? R"( font-style="italic")" : "");
    visible.clear();
    append_visible(visible, name, static_cast<size_t>(room));
    append_xml(boxes_, visible);
    boxes_ += "</text>";
  }
  boxes_ += "</g>\n";
}

// The heaviest first, from left to right.
void Picture::add_below(const StackTree& tree, const Part& above) {
  const StackNode& node = tree.at(above.node);
  std::vector<Part> parts;
  for (const uint32_t child : node.children)
    parts.push_back({tree.at(child).all_ns, child, Cause::OnCpu, 0, 0, above.row + 1});
  for (const CauseColor& color : kCauseColors) {
    const uint64_t ns = node.own_ns[static_cast<size_t>(color.cause)];
    if (ns > 0 && color.cause != Cause::OnCpu)
      parts.push_back({ns, above.node, color.cause, 0, 0, above.row + 1});
  }
  std::ranges::stable_sort(parts, std::greater{}, &Part::ns);
  double x = above.x;
  for (Part& part : parts) {
    part.x = x;
    // Bounded sums may be less than their parts.
    part.width =
        std::min(above.width * static_cast<double>(part.ns) / static_cast<double>(node.all_ns),
                 above.x + above.width - x);
    x += part.width;
    if (part.width >= kLeastWidth) pending_.push_back(part);
  }
}

void Picture::add(const CollectedProfile& profile, double x, double width) {
  const StackTree& tree = profile.tree;
  const StackNode& root = tree.root();
  for (size_t i = 0; i < sums_.size(); ++i) sums_[i] = stacks::bounded_sum(sums_[i], root.ns[i]);
  draw({.x = x, .width = width, .row = 0, .ns = root.all_ns, .times = &root.ns}, profile.text,
       profile.queries == 1 ? "" : fmt::format("{} queries", profile.queries));
  add_below(tree, {root.all_ns, StackTree::kRoot, Cause::OnCpu, x, width, 0});
  while (!pending_.empty()) {
    const Part part = pending_.back();
    pending_.pop_back();
    Box box{.x = part.x, .width = part.width, .row = part.row, .ns = part.ns};
    if (part.wait != Cause::OnCpu) {
      box.wait = part.wait;
      draw(box, wait_marker(part.wait), "");
      continue;
    }
    const Frame& frame = tree.frame(tree.at(part.node));
    box.times = &tree.at(part.node).ns;
    box.is_kernel = frame.kind == Frame::Kind::Kernel;
    draw(box, frame.name, frame.source.empty() ? frame.module : frame.source);
    add_below(tree, part);
  }
}

void Picture::legend(std::string& out) const {
  double x = kMargin;
  for (const CauseColor& color : kCauseColors) {
    const uint64_t ns = sums_[static_cast<size_t>(color.cause)];
    if (ns == 0) continue;
    const std::string text = fmt::format("{} {}", cause_words(color.cause), rounded_duration(ns));
    out += fmt::format(R"(<rect x="{:.0f}" y="14" width="12" height="12" rx="2" fill="{}"/>)", x,
                       color.css);
    out += fmt::format(R"(<text x="{:.0f}" y="24">{}</text>)", x + 18, text);
    out += '\n';
    x += 18 + kCharacter * static_cast<double>(text.size()) + 18;
  }
}

void Picture::finish(std::string& out) const {
  const double height = kTop + static_cast<double>(rows_) * kRow + kMargin;
  out += fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" font-family="Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="12" fill="#1c1c1c">)",
      kWidth, height);
  out += "\n<title>Stacks of slow queries</title>\n";
  out += R"(<rect width="100%" height="100%" fill="#ffffff"/>)";
  out += '\n';
  if (all_ns_ == 0) out += R"(<text x="10" y="24">No stacks were taken.</text>)";
  legend(out);
  out += boxes_;
  out += "</svg>\n";
}

class SvgSink final : public CollectingSink {
 public:
  using CollectingSink::CollectingSink;

  void finish(std::string& out) override {
    uint64_t all_ns = 0;
    for (const CollectedProfile& profile : profiles())
      all_ns = stacks::bounded_sum(all_ns, profile.tree.root().all_ns);
    Picture picture(all_ns);
    double x = kMargin;
    for (const CollectedProfile& profile : profiles()) {
      const uint64_t ns = profile.tree.root().all_ns;
      if (ns == 0) continue;
      const double width =
          (kWidth - 2 * kMargin) * static_cast<double>(ns) / static_cast<double>(all_ns);
      if (width >= kLeastWidth && x < kWidth - kMargin) picture.add(profile, x, width);
      x += width;
    }
    picture.finish(out);
  }
};

}  // namespace

std::unique_ptr<StackSink> make_svg_sink(stacks::FrameTable& frames) {
  return std::make_unique<SvgSink>(frames);
}

}  // namespace dbtrace::output
