// From a thread's registers and a copy of its stack to the calls that it is in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace dbtrace::stacks {

// A return that a return probe waits for: the address stands in the probe's hands, not
// on the stack, where the kernel put that of its trampoline.
struct PendingReturn {
  uint64_t stack = 0;    // where it stood, or would have (the stack pointer at the entry)
  uint64_t address = 0;  // to return to
};

// What was copied of a thread at one moment.
struct UserStack {
  // By DWARF number, as the architecture's ABI counts them. x86-64: rax, rdx, rcx, rbx, rsi, rdi,
  // rbp, rsp, r8–r15, rip. AArch64: x0–x30, sp, pc.
  std::array<uint64_t, 33> registers{};
  std::span<const std::byte> bytes;                // of the stack, from the stack pointer on
  std::span<const PendingReturn> pending_returns;  // the latest first
};

struct Unwound {
  // Innermost first. The first is where it ran; the others lie inside the call (the address
  // to return to, minus one), so that they name the caller even where it never returns.
  std::vector<uint64_t> addresses;
  bool whole = false;  // reached the thread's start
  friend bool operator==(const Unwound&, const Unwound&) = default;
};

// Knows any number of processes. Unwinds by each module's .eh_frame (or .debug_frame), and by
// frame pointers in code that has none.
// Errors: what cannot be unwound comes out not whole. Hostile stacks and tables end it early.
// Threading: one thread at a time.
class Unwinder {
 public:
  static constexpr size_t kFramesMax = 512;

  Unwinder();
  Unwinder(Unwinder&&) noexcept;
  Unwinder& operator=(Unwinder&&) noexcept;
  ~Unwinder();

  // Notes what the process has mapped, so that it can be unwound after it has ended and
  // after its files were deleted. unwind() does it itself if need be.
  void observe(uint32_t pid);
  void forget(uint32_t pid);

  [[nodiscard]] Unwound unwind(uint32_t pid, const UserStack& stack);
  // How many bytes an address lies behind the begin of its function, as the tables for
  // unwinding say, which know functions without names, too; 0: they do not say.
  [[nodiscard]] uint64_t into_function(uint32_t pid, uint64_t address);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dbtrace::stacks
