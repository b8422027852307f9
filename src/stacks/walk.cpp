#include "src/stacks/walk.h"

#include <algorithm>
#include <optional>

#include "src/stacks/expression.h"
#include "src/stacks/thread_state.h"

namespace dbtrace::stacks {
namespace {

// What differs between processors: their ABIs' DWARF numbers of registers, and calls.
struct Architecture {
  uint8_t stack_pointer;
  uint8_t frame_pointer;
  uint8_t program_counter;
  // Where a call leaves the return address: in a register, or (none) on the stack, in as many
  // bytes.
  std::optional<uint8_t> link_register;
  uint64_t pushed;
  // What of a return address counts: AArch64 may sign the rest.
  uint64_t address_mask;
};
#if defined(__x86_64__)
constexpr Architecture kArchitecture{.stack_pointer = 7,
                                     .frame_pointer = 6,
                                     .program_counter = 16,
                                     .link_register = std::nullopt,
                                     .pushed = 8,
                                     .address_mask = UINT64_MAX};
#elif defined(__aarch64__)
constexpr Architecture kArchitecture{.stack_pointer = 31,
                                     .frame_pointer = 29,
                                     .program_counter = 32,
                                     .link_register = 30,
                                     .pushed = 0,
                                     .address_mask = (uint64_t{1} << 48) - 1};
#endif

class Walk {
 public:
  Walk(ProcessCode& code, const UserStack& stack)
      : code_(code),
        registers_(stack.registers),
        memory_(stack.registers[kArchitecture.stack_pointer], stack.bytes),
        pending_(stack.pending_returns) {}

  Unwound run() {
    Unwound result;
    while (result.addresses.size() < Unwinder::kFramesMax) {
      const uint64_t address = is_exact_ ? counter() : counter() - 1;
      const ProcessCode::Place place = code_.at(address);
      // No call comes from where no code is; a jump may have led there.
      if (!is_exact_ && (!place.is_code || place.is_return_probe)) break;
      const bool is_signal_frame = place.rules != nullptr && place.rules->is_signal_frame;
      result.addresses.push_back(is_signal_frame ? counter() : address);
      const Step step = next(place);
      is_exact_ = is_signal_frame;
      if (step == Step::Start) result.whole = true;
      if (step != Step::Caller) break;
    }
    return result;
  }

 private:
  enum class Step : uint8_t { Caller, Start, Lost };

  [[nodiscard]] uint64_t counter() const { return registers_[kArchitecture.program_counter]; }
  [[nodiscard]] uint64_t stack_pointer() const { return registers_[kArchitecture.stack_pointer]; }

  Step next(const ProcessCode::Place& place) {
    if (place.rules != nullptr) return by_rules(*place.rules);
    if (is_exact_ && (!place.is_code || place.is_return_probe)) {
      if (const auto step = from_nowhere(); step != Step::Lost) return step;
    }
    return by_frame_pointer();
  }

  Step by_rules(const FrameRules& rules) {
    const auto cfa = value_of(rules.cfa, 0);
    if (!cfa) return Step::Lost;
    Registers caller = registers_;
    caller[kArchitecture.stack_pointer] = *cfa;
    bool has_return = false;
    for (const Rule& rule : rules.registers) {
      const bool is_return = rule.target == rules.return_register;
      if (rule.kind == Rule::Kind::Undefined) {
        if (is_return) return Step::Start;
        continue;
      }
      const auto value = value_of(rule, *cfa);
      if (!value) return Step::Lost;
      caller[rule.target] = *value;
      has_return = has_return || is_return;
    }
    // Only a function that has called nobody since still has it where the call left it.
    const bool is_leaf = is_exact_ && kArchitecture.link_register == rules.return_register;
    if (!has_return && !is_leaf) return Step::Lost;
    const bool moves_on = has_return ? *cfa > stack_pointer() : *cfa >= stack_pointer();
    if (!moves_on && !rules.is_signal_frame) return Step::Lost;
    return to_caller(caller, caller[rules.return_register], *cfa - kArchitecture.pushed);
  }

  // Where there is no code, and in the kernel's page for probes, a call or a return has
  // led just now.
  Step from_nowhere() {
    Registers caller = registers_;
    const uint64_t entry = stack_pointer() - kArchitecture.pushed;
    if (const auto back = pending_at(entry)) return to_caller(caller, *back, entry);
    const auto address = kArchitecture.link_register ? registers_[*kArchitecture.link_register]
                                                     : memory_.read(stack_pointer());
    if (!address || !code_.at(*address - 1).is_code) return Step::Lost;
    caller[kArchitecture.stack_pointer] += kArchitecture.pushed;
    return to_caller(caller, *address, stack_pointer());
  }

  // Both processors' frame records: the caller's frame pointer, then the return address.
  Step by_frame_pointer() {
    const uint64_t frame = registers_[kArchitecture.frame_pointer];
    if (frame < stack_pointer()) return Step::Lost;
    const auto outer = memory_.read(frame);
    const auto address = memory_.read(frame + 8);
    if (!outer || !address) return Step::Lost;
    Registers caller = registers_;
    caller[kArchitecture.frame_pointer] = *outer;
    caller[kArchitecture.stack_pointer] = frame + 16;
    return to_caller(caller, *address, frame + 8);
  }

  // `entry` is what the stack pointer was when the callee began.
  Step to_caller(const Registers& caller, uint64_t address, uint64_t entry) {
    address &= kArchitecture.address_mask;
    if (!pending_.empty() && !is_program(address)) address = pending_at(entry).value_or(address);
    if (address == 0) return Step::Start;
    registers_ = caller;
    registers_[kArchitecture.program_counter] = address;
    return Step::Caller;
  }

  [[nodiscard]] bool is_program(uint64_t address) {
    return !code_.at(address).is_return_probe && code_.at(address - 1).is_code;
  }

  // Where a return probe lets the function return to that began at `entry`. On AArch64 the
  // frame pointer alone does not tell where that was, but the order does.
  [[nodiscard]] std::optional<uint64_t> pending_at(uint64_t entry) {
    for (const PendingReturn& pending : pending_) {
      const bool is_here =
          kArchitecture.link_register ? pending.stack >= stack_pointer() : pending.stack == entry;
      // Of functions that jump to each other, all but the first would return to the trampoline.
      if (is_here && is_program(pending.address)) return pending.address;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<uint64_t> value_of(const Rule& rule, uint64_t cfa) const {
    const auto number = static_cast<uint64_t>(rule.number);
    switch (rule.kind) {
      case Rule::Kind::InMemory: {
        // Compilers do not say that a function's last instructions have taken it back.
        const bool is_popped = cfa + number < stack_pointer();
        return is_popped ? registers_[rule.target] : memory_.read(cfa + number);
      }
      case Rule::Kind::CfaPlus:
        return cfa + number;
      case Rule::Kind::Register:
        return registers_[rule.base] + number;
      case Rule::Kind::AtExpression: {
        const auto place = evaluate(rule.expression, cfa, registers_, memory_);
        return place ? memory_.read(*place) : std::nullopt;
      }
      case Rule::Kind::ExpressionIs:
        return evaluate(rule.expression, cfa, registers_, memory_);
      case Rule::Kind::Same:
      case Rule::Kind::Undefined:
        break;
    }
    return std::nullopt;
  }

  ProcessCode& code_;
  Registers registers_;
  StackCopy memory_;
  std::span<const PendingReturn> pending_;
  bool is_exact_ = true;  // the program counter is where it goes on, not where a call returns to
};

}  // namespace

Unwound walk(ProcessCode& code, const UserStack& stack) { return Walk(code, stack).run(); }

}  // namespace dbtrace::stacks
