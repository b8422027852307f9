#include "src/commands/tracing/stack_watch.h"

#include <algorithm>
#include <ctime>
#include <iterator>
#include <map>
#include <utility>
#include <variant>

#include "src/commands/wall_clock.h"
#include "src/stream/stack_events.h"
#include "symbols/process_maps.h"

namespace dbtrace::commands {
namespace {

constexpr uint64_t kSecond_ns = 1'000'000'000;

// The frames of the server, unless there are none.
std::vector<model::FrameId> without_kernel(const std::vector<model::FrameId>& stack,
                                           const stacks::FrameTable& frames) {
  std::vector<model::FrameId> server;
  std::ranges::copy_if(stack, std::back_inserter(server), [&](model::FrameId frame) {
    return frames.at(frame).kind != model::Frame::Kind::Kernel;
  });
  return server.empty() ? stack : server;
}

}  // namespace

StackWatch::StackWatch(const attach::StackOptions& options, bool lines)
    : collector_(unwinder_, {.sample_ns = kSecond_ns / options.frequency}),
      namer_(symbolizer_, unwinder_, frames_, lines) {}

void StackWatch::get_ready(const std::vector<target::Server>& servers) {
  for (const target::Server& server : servers) {
    const auto mappings = symbols::read_maps(server.pid);
    if (!mappings) continue;
    for (const symbols::Mapping& mapping : *mappings) {
      if (!mapping.executable) continue;
      const uint64_t somewhere = mapping.start + (mapping.end - mapping.start) / 2;
      (void)symbolizer_.user(server.pid, somewhere);
      (void)unwinder_.into_function(server.pid, somewhere);
    }
  }
  (void)symbolizer_.kernel(0);
}

void StackWatch::take(std::span<const std::byte> event) {
  const auto decoded = stream::decode_stack_event(event);
  if (!decoded) {
    ++malformed_;
    return;
  }
  if (const auto* capture = std::get_if<stacks::Capture>(&*decoded)) observe(capture->command.pid);
  std::visit([this](const auto& value) { collector_.take(value); }, *decoded);
}

// Its stacks are named when its command ends, and it may have ended by then, too.
void StackWatch::observe(uint32_t pid) {
  if (observed_.contains(pid)) return;
  patience_.try_again([&] {
    if (observed_.size() >= kObservedMax) observed_.clear();
    (void)symbolizer_.observe(pid);
    observed_.insert(pid);
  });
}

Result<void> StackWatch::tick(Attachments& attachments) {
  auto looked = attachments.look_at_waits();
  collector_.forget_fast(nanoseconds_of(CLOCK_MONOTONIC));
  return looked;
}

std::vector<model::Sample> StackWatch::of(const model::Query& query,
                                          const stream::Decoder& decoder) {
  // The stacks of what began before anybody looked have a start of their own.
  const uint64_t start =
      query.start_known ? decoder.monotonic(query.start_ns) : stacks::kStartNotKnown;
  const uint64_t end = query.running ? nanoseconds_of(CLOCK_MONOTONIC) : start + query.duration_ns;
  return namer_.name(query.pid, collector_.of({query.pid, start}, end, !query.running));
}

std::vector<model::NamedStack> heaviest(const std::vector<model::Sample>& samples,
                                        const stacks::FrameTable& frames, size_t most) {
  std::map<std::pair<model::Cause, std::vector<model::FrameId>>, model::NamedStack> by_frames;
  for (const model::Sample& sample : samples) {
    model::NamedStack& stack = by_frames[{sample.cause, without_kernel(sample.frames, frames)}];
    stack.ns += sample.ns;
    stack.count += sample.count;
    stack.whole = sample.whole;
  }
  std::vector<model::NamedStack> stacks;
  for (auto& [key, stack] : by_frames) {
    stack.cause = key.first;
    for (const model::FrameId frame : key.second) stack.frames.push_back(frames.at(frame).name);
    stacks.push_back(std::move(stack));
  }
  std::ranges::stable_sort(stacks, std::greater(), &model::NamedStack::ns);
  if (stacks.size() > most) stacks.resize(most);
  return stacks;
}

}  // namespace dbtrace::commands
