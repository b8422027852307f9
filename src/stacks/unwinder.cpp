#include "src/stacks/unwinder.h"

#include <algorithm>
#include <unordered_map>

#include "src/stacks/process_code.h"
#include "src/stacks/walk.h"

namespace dbtrace::stacks {
namespace {

constexpr size_t kMaxProcesses = 128;

}  // namespace

struct Unwinder::Impl {
  struct Process {
    ProcessCode code;
    uint64_t last_use = 0;
  };

  Process& process_of(uint32_t pid) {
    const auto known = processes.find(pid);
    Process& process = known == processes.end() ? observed(pid) : known->second;
    process.last_use = ++uses;
    return process;
  }

  // What is known of a process stays when it has ended.
  Process& observed(uint32_t pid) {
    Process process{ProcessCode(pid, files), ++uses};
    const auto known = processes.find(pid);
    if (!process.code.read() && known != processes.end()) return known->second;
    if (processes.size() >= kMaxProcesses && known == processes.end()) {
      processes.erase(std::ranges::min_element(
          processes, {}, [](const auto& entry) { return entry.second.last_use; }));
    }
    return processes.insert_or_assign(pid, std::move(process)).first->second;
  }

  CodeFiles files;
  std::unordered_map<uint32_t, Process> processes;
  uint64_t uses = 0;
};

Unwinder::Unwinder() : impl_(std::make_unique<Impl>()) {}
Unwinder::Unwinder(Unwinder&&) noexcept = default;
Unwinder& Unwinder::operator=(Unwinder&&) noexcept = default;
Unwinder::~Unwinder() = default;

void Unwinder::observe(uint32_t pid) { impl_->observed(pid); }

void Unwinder::forget(uint32_t pid) { impl_->processes.erase(pid); }

Unwound Unwinder::unwind(uint32_t pid, const UserStack& stack) {
  return walk(impl_->process_of(pid).code, stack);
}

uint64_t Unwinder::into_function(uint32_t pid, uint64_t address) {
  const FrameRules* rules = impl_->process_of(pid).code.at(address).rules;
  return rules ? rules->into_function : 0;
}

}  // namespace dbtrace::stacks
