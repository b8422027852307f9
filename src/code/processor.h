// What instructions do to a Machine: one implementation per instruction set.
#pragma once

#include <capstone/capstone.h>

#include <cstdint>

#include "src/code/disassembler.h"
#include "src/code/machine.h"

namespace dbtrace::code {

// Where a walk goes after an instruction.
struct Flow {
  enum class Kind {
    Next,          // on to the next instruction
    Branch,        // to `target` or to the next instruction
    Jump,          // to `target`
    IndirectJump,  // to a place that the code does not show
    Return,
    Stop,  // not understood, or no way on
  };
  Kind kind = Kind::Next;
  uint64_t target = 0;
  // For Branch: a value that is zero on that side; Unknown when there is none.
  Value zero_if_taken = {};
  Value zero_if_not_taken = {};
};

class Processor {
 public:
  virtual ~Processor() = default;
  [[nodiscard]] virtual const Convention& convention() const = 0;
  // Carries out one instruction; `disassembler` decoded it. What is not
  // modelled makes every register it writes Unknown.
  virtual Flow execute(const cs_insn& instruction, const Disassembler& disassembler,
                       Machine& machine) const = 0;
};

[[nodiscard]] const Processor& x86_64_processor();
[[nodiscard]] const Processor& aarch64_processor();

}  // namespace dbtrace::code
