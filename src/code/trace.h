// Where values come from in a short piece of machine code.
//
// trace_values() runs a function's instructions symbolically: registers hold
// "argument 0", "what lies at argument 0 + 0x558", a constant, or "unknown".
// From that the attach plan learns member offsets of the very build that runs,
// out of tiny accessors, without debug information and without a version table.
// Pure: bytes in, facts out. Anything not understood becomes "unknown", never a
// guess.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dbtrace::code {

enum class Arch { X86_64, AArch64 };

// A symbolic value: start at `base`, follow `loads` (each: add the offset, then
// load 8 bytes), then add `addend`. `mov 0x8(%rdi),%rax; lea 0x10(%rax),%rax`
// gives {Argument 0, loads {8}, addend 0x10}.
struct Value {
  // ThreadPointer: what the thread's variables lie at constant distances from.
  enum class Base { Unknown, Constant, Argument, CallResult, Stack, ThreadPointer };
  Base base = Base::Unknown;
  int argument = 0;                 // for Argument
  uint64_t callee = 0;              // for CallResult: the call's target (0: indirect)
  std::vector<int64_t> loads = {};  // a Constant base starts at address 0, Stack at the entry's SP
  int64_t addend = 0;               // for a Constant without loads: the constant itself
  uint8_t width = 8;                // bytes of the last load or operation (4: zero-extended)

  friend bool operator==(const Value&, const Value&) = default;
};

struct Store {
  Value address;  // where to
  Value value;    // what
  uint8_t width = 8;
};

struct Call {
  uint64_t target = 0;           // 0: indirect
  std::vector<Value> arguments;  // the first six (x86-64) or eight (AArch64) integer arguments
  bool tail = false;             // a jump out of the function
};

struct Compare {
  Value member;  // the value compared (a load)
  int64_t constant = 0;
};

// One way through the function, from its first instruction to a return, a tail
// call, or the point where the walk gave up (`complete` false).
struct Path {
  std::optional<Value> returned;         // rax / x0 at the return
  std::optional<Value> returned_second;  // rdx / x1 at the return
  std::vector<Store> stores;             // excluding stores to the stack
  std::vector<Value> reads;              // excluding reads of the stack
  std::vector<Call> calls;
  std::vector<Compare> compares;  // with a constant; a test for zero is one
  bool complete = false;
};

// Walks `code`, which lies at `address`. The first path falls through every
// conditional branch; each branch met adds one path that takes it, so the
// number of paths grows with the branches and not with their combinations.
// Bounded in paths (32) and instructions per path (400); loops are cut.
//
// A register that a path's branch proved zero is Constant 0 on that path.
[[nodiscard]] std::vector<Path> trace_values(Arch arch, std::span<const uint8_t> code,
                                             uint64_t address);

}  // namespace dbtrace::code
