// Trees for a terminal: functions below their callers, with the time spent in them and in what
// they call.
//
// Stacks of servers are deep and seldom fork, so that only forks indent: a function right below
// its only caller stands under it. Where most of a caller's time goes one way, that way is the
// trunk, which goes on in the same column below its branches.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/output/budget_text.h"
#include "src/output/cause_names.h"
#include "src/output/clock_text.h"
#include "src/output/counted.h"
#include "src/output/histogram_text.h"
#include "src/output/stacks/formats.h"
#include "src/output/stacks/names.h"
#include "src/output/stacks/outline.h"
#include "src/output/text_line.h"
#include "src/stacks/stack_tree.h"

namespace dbtrace::output {
namespace {

using model::Cause;
using model::Frame;
using stacks::StackNode;
using stacks::StackTree;

constexpr Column kTime{"TIME", 7, Align::Right, false};
constexpr Column kShare{"SHARE", 5, Align::Right, false};
constexpr size_t kBarCells = 20;

// What is lighter is counted, not shown.
constexpr double kShown = 0.01;

class TreeSink final : public StackSink {
 public:
  TreeSink(const StackFormatOptions& options, stacks::FrameTable& frames)
      : frames_(frames), line_(options.width, options.color) {}

 private:
  void format(const ShownProfile& shown, std::string& out) override;
  void heading(const ShownProfile& shown, std::string& out);
  void origin(const model::Query& query, std::string& out);
  void function(const StackTree& tree, const OutlineLine& at, std::string& out);
  void weight(uint64_t ns, uint64_t said_ns, std::string& out);
  void own_times(const StackNode& node, std::string& out);

  [[nodiscard]] double share(uint64_t ns) const {
    return static_cast<double>(ns) / static_cast<double>(all_ns_);
  }

  stacks::FrameTable& frames_;
  TextLine line_;
  ClockText clock_{Zone::Local, "%H:%M:%S"};
  BudgetText remarks_{0};
  uint64_t all_ns_ = 0;
};

void TreeSink::format(const ShownProfile& shown, std::string& out) {
  const StackTree tree(frames_, shown.profile.samples);
  all_ns_ = tree.root().all_ns;
  heading(shown, out);
  for (const OutlineLine& at : outline(tree, kShown)) {
    line_.start();
    weight(at.ns, at.said_ns, out);
    line_.separate(out);
    line_.draw(at.drawing, at.columns, kDim, out);
    if (at.more > 0)
      line_.append(fmt::format("… {} more", at.more), kDim, out);
    else
      function(tree, at, out);
    out += '\n';
  }
  out += '\n';
}

// Who asked for it, and when.
void TreeSink::origin(const model::Query& query, std::string& out) {
  line_.start();
  if (query.start_known)
    line_.piece(fmt::format("{}.{:03}", clock_.at(query.start_ns / kNanosecondsPerSecond),
                            query.start_ns % kNanosecondsPerSecond / 1'000'000),
                kDim, out);
  if (query.connection_id) line_.piece(fmt::format("#{}", *query.connection_id), kDim, out);
  if (query.user) line_.piece(*query.user, kDim, out);
  if (query.database) line_.piece(*query.database, kDim, out);
  if (query.running) line_.piece("[running]", kYellow, out);
  if (query.error.value_or(0) != 0) line_.piece(fmt::format("ERR {}", *query.error), kRed, out);
  out += '\n';
}

void TreeSink::heading(const ShownProfile& shown, std::string& out) {
  const auto& [profile, text, blocker] = shown;
  if (profile.query) origin(*profile.query, out);
  line_.start();
  if (profile.queries != 1)
    line_.piece(counted(profile.queries, "query", "queries") + ':', kDim, out);
  text.visible.empty() ? line_.piece(kNoText, kDim, out) : line_.piece(text.visible, kBold, out);
  out += '\n';

  line_.start();
  line_.piece(rounded_duration(profile.duration_ns), kNoColor, out);
  append_bar_and_times(profile.budget, kBarCells, line_, out);
  if (profile.query) remarks_.remarks({*profile.query, text, blocker}, line_, out);
  out += '\n';

  line_.start();
  uint64_t stacks = 0, broken = 0;
  for (const model::Sample& sample : profile.samples) {
    stacks += sample.count;
    if (!sample.whole) broken += sample.count;
  }
  if (all_ns_ > 0) {
    line_.cell(kTime, kTime.title, kDim, out);
    line_.cell(kShare, kShare.title, kDim, out);
    line_.piece(fmt::format("{}, {}", counted(stacks, "stack"), rounded_duration(all_ns_)), kDim,
                out);
  } else {
    line_.piece("no stacks", kDim, out);
  }
  if (broken > 0) line_.piece(fmt::format("[{} broken off]", broken), kYellow, out);
  out += '\n';
}

void TreeSink::weight(uint64_t ns, uint64_t said_ns, std::string& out) {
  const auto texts = [this](uint64_t of) {
    return std::pair(rounded_duration(of), fmt::format("{:.0f}%", share(of) * 100));
  };
  const auto [time, share] = texts(ns);
  const bool is_said = said_ns != 0 && texts(said_ns) == std::pair(time, share);
  line_.cell(kTime, is_said ? "" : time, kNoColor, out);
  line_.cell(kShare, is_said ? "" : share, kNoColor, out);
}

// Only what the weight does not say: of a function that calls no other, that it waited.
void TreeSink::own_times(const StackNode& node, std::string& out) {
  std::vector<std::pair<uint64_t, Cause>> own;
  for (const CauseName& cause : kCauseNames) {
    const uint64_t ns = node.own_ns[static_cast<size_t>(cause.cause)];
    if (share(ns) >= kShown) own.emplace_back(ns, cause.cause);
  }
  std::ranges::stable_sort(own, std::greater{}, [](const auto& entry) { return entry.first; });
  const bool is_all = own.size() == 1 && node.children.empty();
  for (const auto& [ns, cause] : own) {
    if (is_all && cause == Cause::OnCpu) continue;
    line_.piece(is_all ? wait_marker(cause)
                       : fmt::format("[{} {}]", cause_words(cause), rounded_duration(ns)),
                name_of(cause).color, out);
  }
}

void TreeSink::function(const StackTree& tree, const OutlineLine& at, std::string& out) {
  const StackNode& node = tree.at(at.node);
  const Frame& frame = tree.frame(node);
  const bool is_kernel = frame.kind == Frame::Kind::Kernel;
  const bool is_marker = frame.kind == Frame::Kind::Marker;
  line_.append(frame.name, is_kernel ? kDim : is_marker ? kYellow : kNoColor, out);
  if (is_kernel) line_.piece("[kernel]", kDim, out);
  if (frame.kind == Frame::Kind::Inlined) line_.piece("[inlined]", kDim, out);
  line_.piece(frame.source, kDim, out);
  own_times(node, out);
  if (at.hidden > 0) line_.piece(fmt::format("[{} more below]", at.hidden), kDim, out);
}

}  // namespace

std::unique_ptr<StackSink> make_tree_sink(const StackFormatOptions& options,
                                          stacks::FrameTable& frames) {
  return std::make_unique<TreeSink>(options, frames);
}

}  // namespace dbtrace::output
