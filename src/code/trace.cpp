#include "src/code/trace.h"

#include <deque>
#include <set>
#include <utility>

#include "src/code/disassembler.h"
#include "src/code/machine.h"
#include "src/code/processor.h"

namespace dbtrace::code {
namespace {

constexpr size_t kMaxPaths = 32;
constexpr int kMaxInstructions = 400;

// A path to be walked (further).
struct Walk {
  Machine machine;
  uint64_t at;             // offset of the next instruction
  std::vector<bool> seen;  // by offset: instructions this path went through
  int instructions = 0;
};

class Walker {
 public:
  Walker(Arch arch, std::span<const uint8_t> code, uint64_t address)
      : code_(code),
        address_(address),
        disassembler_(arch),
        processor_(arch == Arch::X86_64 ? x86_64_processor() : aarch64_processor()) {}

  std::vector<Path> run() {
    pending_.push_back({Machine(processor_.convention()), 0, std::vector<bool>(code_.size())});
    std::vector<Path> paths;
    while (!pending_.empty()) {
      Walk walk = std::move(pending_.front());
      pending_.pop_front();
      while (advance(walk)) {
      }
      paths.push_back(std::move(walk.machine.path));
    }
    return paths;
  }

 private:
  // One instruction; false at the end of the path.
  bool advance(Walk& walk) {
    if (walk.at >= code_.size() || walk.seen[walk.at]) return false;
    if (++walk.instructions > kMaxInstructions) return false;
    walk.seen[walk.at] = true;
    const cs_insn* instruction = disassembler_.decode(code_.subspan(walk.at), address_ + walk.at);
    if (instruction == nullptr) return false;
    const uint64_t next = walk.at + instruction->size;
    const Flow flow = processor_.execute(*instruction, disassembler_, walk.machine);
    switch (flow.kind) {
      case Flow::Kind::Next:
        walk.at = next;
        return true;
      case Flow::Kind::Branch:
        fork(walk, flow);
        walk.machine.assume_zero(flow.zero_if_not_taken);
        walk.at = next;
        return true;
      case Flow::Kind::Jump:
        return jump(walk, flow.target);
      case Flow::Kind::IndirectJump:
        walk.machine.tail_call(0);
        return false;
      case Flow::Kind::Return:
        walk.machine.finish();
        return false;
      case Flow::Kind::Stop:
        return false;
    }
    return false;
  }

  void fork(const Walk& walk, const Flow& flow) {
    // The path being walked counts as started.
    if (started_ >= kMaxPaths || !forked_.insert(walk.at).second) return;
    ++started_;
    Walk taken = walk;
    taken.machine.assume_zero(flow.zero_if_taken);
    // A branch out of the function is a path too, one that ends right there.
    if (!jump(taken, flow.target)) taken.at = code_.size();
    pending_.push_back(std::move(taken));
  }

  bool jump(Walk& walk, uint64_t target) const {
    const uint64_t offset = target - address_;  // wraps for a target before the function
    if (offset >= code_.size()) {
      walk.machine.tail_call(target);
      return false;
    }
    walk.at = offset;
    return true;
  }

  std::span<const uint8_t> code_;
  uint64_t address_;
  Disassembler disassembler_;
  const Processor& processor_;
  std::deque<Walk> pending_;
  std::set<uint64_t> forked_;  // offsets of branches whose taken side has a path
  size_t started_ = 1;
};

}  // namespace

std::vector<Path> trace_values(Arch arch, std::span<const uint8_t> code, uint64_t address) {
  return Walker(arch, code, address).run();
}

}  // namespace dbtrace::code
