#include "src/stacks/namer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace dbtrace::stacks {
namespace {

using model::Frame;
using symbols::Symbolized;

// Of processes whose code changes all the time no more is remembered than this.
constexpr size_t kKnownMax = 200'000;

std::string_view base_name(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// `into_function`: from where a function without a name begins.
Frame frame_of(const Symbolized& at, uint64_t address, uint64_t into_function) {
  Frame frame;
  frame.module = base_name(at.module);
  switch (at.kind) {
    case Symbolized::Kind::Function:
      frame.name = at.function;
      break;
    case Symbolized::Kind::Module:
      frame.name = fmt::format("{}+{:#x}", frame.module, at.module_offset - into_function);
      break;
    case Symbolized::Kind::ReturnProbe:
      frame.name = "[return probe]";
      frame.kind = Frame::Kind::Marker;
      break;
    case Symbolized::Kind::Nowhere:
      frame.name = fmt::format("{:#x}", address);
      break;
  }
  return frame;
}

// The kernel's way from losing a core to telling of it. What is further in, is dbtrace.
bool gives_up_core(std::string_view function) { return function == "__schedule"; }

}  // namespace

// `frames` holds the function that has the code.
void Namer::add_lines(uint32_t pid, uint64_t address, std::vector<Frame>& frames) {
  const std::vector<symbols::SourceFrame> source = symbolizer_.source(pid, address);
  if (source.empty()) return;
  frames.front().source = source.back().line;
  for (auto inlined = std::next(source.rbegin()); inlined != source.rend(); ++inlined) {
    Frame frame = frames.front();
    frame.kind = Frame::Kind::Inlined;
    frame.name = inlined->function;
    frame.source = inlined->line;
    frames.push_back(std::move(frame));
  }
}

const std::vector<model::FrameId>& Namer::user(uint32_t pid, uint64_t address) {
  auto& known = known_[pid];
  if (const auto found = known.find(address); found != known.end()) return found->second;
  if (known.size() >= kKnownMax) known.clear();
  const Symbolized at = symbolizer_.user(pid, address);
  const uint64_t into_function =
      at.kind == Symbolized::Kind::Module ? unwinder_.into_function(pid, address) : 0;
  std::vector<Frame> frames = {frame_of(at, address, into_function)};
  if (lines_ && frames.front().kind == Frame::Kind::User) add_lines(pid, address, frames);
  std::vector<model::FrameId>& ids = known[address];
  for (const Frame& frame : frames) ids.push_back(frames_.intern(frame));
  return ids;
}

void Namer::kernel(const std::vector<uint64_t>& addresses, std::vector<model::FrameId>& frames) {
  std::vector<model::FrameId> innermost_first;
  for (const uint64_t address : addresses) {
    auto [known, is_new] = known_kernel_.try_emplace(address, 0);
    if (is_new) {
      Frame frame = frame_of(symbolizer_.kernel(address), address, 0);
      frame.kind = Frame::Kind::Kernel;
      if (frame.module.empty()) frame.module = "[kernel]";
      known->second = frames_.intern(frame);
    }
    if (gives_up_core(frames_.at(known->second).name))
      innermost_first.clear();
    else
      innermost_first.push_back(known->second);
  }
  frames.insert(frames.end(), innermost_first.rbegin(), innermost_first.rend());
}

std::vector<model::FrameId> Namer::name(uint32_t pid, const AddressStack& stack) {
  std::vector<model::FrameId> frames;
  const std::vector<uint64_t>& addresses = stack.user.addresses;
  frames.reserve(addresses.size() + stack.kernel.size());
  for (auto address = addresses.rbegin(); address != addresses.rend(); ++address)
    std::ranges::copy(user(pid, *address), std::back_inserter(frames));
  kernel(stack.kernel, frames);
  return frames;
}

std::vector<model::Sample> Namer::name(uint32_t pid, const CommandStacks& stacks) {
  std::vector<std::vector<model::FrameId>> named;
  named.reserve(stacks.stacks.size());
  for (const AddressStack& stack : stacks.stacks) named.push_back(name(pid, stack));
  std::vector<model::Sample> samples;
  samples.reserve(stacks.moments.size());
  for (const Moment& moment : stacks.moments) {
    const AddressStack& stack = stacks.stacks[moment.stack];
    samples.push_back({.time_ns = moment.time_ns,
                       .ns = moment.ns,
                       .count = moment.count,
                       .cause = stack.cause,
                       .whole = stack.user.whole,
                       .frames = named[moment.stack]});
  }
  return samples;
}

}  // namespace dbtrace::stacks
