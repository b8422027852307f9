#include "src/code/machine.h"

#include <algorithm>
#include <utility>

namespace dbtrace::code {
namespace {

// Chains of pointers longer than this serve nobody; a bound keeps values small.
constexpr size_t kMaxLoads = 8;
// Wider than any single store (a 64-byte vector).
constexpr int64_t kWidestSlot = 64;

// Two's complement, as the processor adds.
int64_t wrapping_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

bool is_stack_address(const Value& value) { return value.base == Value::Base::Stack; }

}  // namespace

Value constant_value(int64_t number) { return {.base = Value::Base::Constant, .addend = number}; }

Value argument_value(int position) { return {.base = Value::Base::Argument, .argument = position}; }

Value stack_value(int64_t offset) { return {.base = Value::Base::Stack, .addend = offset}; }

Value narrowed(Value value, uint8_t width) {
  if (width >= value.width || !is_known(value)) return value;
  if (is_number(value)) {
    const uint64_t mask = (uint64_t{1} << (8 * width)) - 1;
    return constant_value(static_cast<int64_t>(static_cast<uint64_t>(value.addend) & mask));
  }
  value.width = width;
  return value;
}

Value plus(Value value, int64_t number) {
  if (is_known(value)) value.addend = wrapping_add(value.addend, number);
  return value;
}

Value sum(const Value& a, const Value& b) {
  if (is_number(b)) return plus(a, b.addend);
  if (is_number(a)) return plus(b, a.addend);
  return {};
}

Machine::Machine(const Convention& convention) : convention_(&convention) {
  for (size_t i = 0; i < convention.arguments.size(); ++i) {
    registers[convention.arguments[i]] = argument_value(static_cast<int>(i));
  }
  registers[convention.stack_pointer] = stack_value(0);
}

Value Machine::load(const Value& address, uint8_t width) {
  if (!is_known(address) || address.width != 8) return {};
  if (is_stack_address(address)) {
    const auto slot = slots_.find(address.addend);
    if (slot == slots_.end() || slot->second.width < width) return {};
    return narrowed(slot->second.value, width);
  }
  if (address.loads.size() >= kMaxLoads) return {};
  Value value = address;
  value.loads.push_back(std::exchange(value.addend, 0));
  value.width = width;
  path.reads.push_back(value);
  return value;
}

void Machine::store(const Value& address, const Value& value, uint8_t width) {
  note_escape(value);
  if (is_stack_address(address)) {
    forget_slots(address.addend, wrapping_add(address.addend, width));
    if (is_known(value) && (width == 4 || width == 8)) {
      slots_[address.addend] = {narrowed(value, width), width};
    }
    return;
  }
  if (!is_known(address)) forget_escaped();
  path.stores.push_back({address, narrowed(value, width), width});
}

std::vector<Value> Machine::arguments() const {
  std::vector<Value> values;
  values.reserve(convention_->arguments.size());
  for (const int number : convention_->arguments) values.push_back(registers[number]);
  return values;
}

void Machine::call(uint64_t target) {
  path.calls.push_back({target, arguments(), false});
  for (const Value& value : path.calls.back().arguments) note_escape(value);
  forget_escaped();
  for (const int number : convention_->lost_in_calls) registers[number] = {};
  registers[convention_->result] = {.base = Value::Base::CallResult, .callee = target};
  flags.reset();
}

void Machine::tail_call(uint64_t target) {
  path.calls.push_back({target, arguments(), true});
  path.complete = true;
}

void Machine::finish() {
  path.returned = registers[convention_->result];
  path.returned_second = registers[convention_->second_result];
  path.complete = true;
}

void Machine::compare(const Value& value, int64_t constant) {
  flags = Compare{value, constant};
  if (is_known(value) && !is_number(value)) path.compares.push_back(*flags);
}

void Machine::assume_zero(const Value& value) {
  if (!is_known(value)) return;
  const Value zero = constant_value(0);
  std::ranges::replace(registers, value, zero);
  for (auto& [offset, slot] : slots_) {
    if (slot.value == value) slot.value = zero;
  }
}

void Machine::forget_slots(int64_t from, int64_t to) {
  // A slot that begins before `from` may reach into the range.
  auto slot = slots_.lower_bound(wrapping_add(from, -kWidestSlot));
  while (slot != slots_.end() && slot->first < to) {
    const bool overlaps = wrapping_add(slot->first, slot->second.width) > from;
    slot = overlaps ? slots_.erase(slot) : std::next(slot);
  }
}

void Machine::note_escape(const Value& value) {
  if (is_stack_address(value)) escaped_from_ = std::min(escaped_from_, value.addend);
}

void Machine::forget_escaped() { forget_slots(escaped_from_, std::numeric_limits<int64_t>::max()); }

}  // namespace dbtrace::code
