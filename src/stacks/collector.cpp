#include "src/stacks/collector.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace dbtrace::stacks {
namespace {

// A thread's commands follow each other: the one before has ended. If it is not asked for within
// this time, it was not slow.
constexpr uint64_t kForget_ns = 2'000'000'000;

size_t hash_of(const std::vector<uint64_t>& addresses) {
  return std::hash<std::string_view>()(
      {reinterpret_cast<const char*>(addresses.data()), addresses.size() * sizeof(uint64_t)});
}

}  // namespace

Collector::Collector(Unwinder& unwinder, CollectorOptions options)
    : unwinder_(unwinder), options_(options) {}

void Collector::grow(Command& command, size_t bytes) {
  command.memory += bytes;
  memory_ += bytes;
}

// The index of a capture's stack, which is new or was there before.
size_t Collector::stack_of(Command& command, const Capture& capture) {
  AddressStack stack;
  stack.kernel = capture.kernel;
  stack.cause = capture.cause;
  stack.user = unwinder_.unwind(capture.command.pid,
                                {capture.registers, capture.bytes, capture.pending_returns});
  const size_t hash = hash_of(stack.user.addresses) * 31 + hash_of(stack.kernel);
  const auto [first, last] = command.by_hash.equal_range(hash);
  for (auto other = first; other != last; ++other)
    if (command.found.stacks[other->second] == stack) return other->second;
  const size_t index = command.found.stacks.size();
  grow(command, sizeof(stack) + 8 * (stack.kernel.size() + stack.user.addresses.size()));
  command.found.stacks.push_back(std::move(stack));
  command.by_hash.emplace(hash, index);
  return index;
}

void Collector::add_moment(Command& command, const Moment& moment) {
  std::vector<Moment>& moments = command.found.moments;
  if (moments.size() >= kMomentsMax) {
    const auto [sum, is_new] = command.sums.try_emplace(moment.stack, moments.size());
    if (!is_new) {
      moments[sum->second].ns += moment.ns;
      moments[sum->second].count += moment.count;
      return;
    }
  }
  moments.push_back(moment);
  grow(command, sizeof(moment));
}

void Collector::take(const Capture& capture) {
  Command& command = commands_[capture.command];
  if (command.memory == 0) grow(command, sizeof(Command));
  command.tid = capture.tid;
  uint64_t& latest = latest_[capture.tid];
  latest = std::max(latest, capture.command.start_ns);
  command.last_ns = std::max(command.last_ns, capture.time_ns);
  const size_t stack = stack_of(command, capture);
  if (capture.wait_since_ns) {
    command.wait = {stack, capture.wait_since_ns, capture.time_ns};
  } else {
    const uint64_t age = capture.time_ns - std::min(capture.time_ns, capture.command.start_ns);
    add_moment(command, {.stack = stack, .time_ns = age, .ns = options_.sample_ns});
  }
  if (memory_ > options_.memory_limit) make_room(capture.command);
}

void Collector::take(const WaitEnd& end) {
  const auto found = commands_.find(end.command);
  if (found == commands_.end()) return;
  auto& [key, command] = *found;
  command.last_ns = std::max(command.last_ns, end.end_ns);
  // Of what was copied after the end, nobody knows what it is.
  if (command.wait.since_ns != end.wait_since_ns || command.wait.seen_ns >= end.end_ns) {
    if (command.wait.since_ns <= end.wait_since_ns) command.wait = {};
    return;
  }
  const uint64_t since = std::max(end.wait_since_ns, key.start_ns);
  add_moment(
      command,
      {.stack = command.wait.stack, .time_ns = since - key.start_ns, .ns = end.end_ns - since});
  command.wait = {};
}

CommandStacks Collector::of(CommandKey key, uint64_t until_ns, bool ended) {
  const auto command = commands_.find(key);
  if (command == commands_.end()) return {};
  CommandStacks found = ended ? std::move(command->second.found) : command->second.found;
  const Wait& wait = command->second.wait;
  if (const uint64_t since = std::max(wait.since_ns, key.start_ns);
      wait.since_ns && since < until_ns)
    found.moments.push_back(
        {.stack = wait.stack, .time_ns = since - key.start_ns, .ns = until_ns - since});
  std::stable_sort(
      found.moments.begin(), found.moments.end(),
      [](const Moment& left, const Moment& right) { return left.time_ns < right.time_ns; });
  if (ended) erase(command);
  return found;
}

void Collector::forget_fast(uint64_t now_ns) {
  for (auto command = commands_.begin(); command != commands_.end();) {
    const auto next = std::next(command);
    if (latest_[command->second.tid] > command->first.start_ns &&
        command->second.last_ns + kForget_ns < now_ns)
      erase(command);
    command = next;
  }
  if (commands_.empty()) latest_.clear();
}

void Collector::erase(Commands::iterator command) {
  memory_ -= command->second.memory;
  commands_.erase(command);
}

// Those that nothing was heard of for longest go first.
void Collector::make_room(const CommandKey& spared) {
  std::vector<Commands::iterator> oldest;
  for (auto command = commands_.begin(); command != commands_.end(); ++command)
    if (command->first != spared) oldest.push_back(command);
  std::ranges::sort(oldest, {}, [](auto command) { return command->second.last_ns; });
  for (auto command : oldest) {
    if (memory_ <= options_.memory_limit / 2) return;
    dropped_ += command->second.found.moments.size();
    erase(command);
  }
}

}  // namespace dbtrace::stacks
