// Capstone, owned: one instruction at a time, with its operands.
#pragma once

#include <capstone/capstone.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "src/code/trace.h"
#include "symbols/unique.h"

namespace dbtrace::code {

struct CapstoneTraits {
  using Handle = csh;
  static Handle none() { return 0; }
  static void release(Handle handle) { cs_close(&handle); }
};

struct InstructionTraits {
  using Handle = cs_insn*;
  static Handle none() { return nullptr; }
  static void release(Handle instruction) { cs_free(instruction, 1); }
};

// Whether Capstone files the instruction under `group` (CS_GRP_JUMP, …).
[[nodiscard]] bool in_group(const cs_insn& instruction, uint8_t group);

// "push rbp".
[[nodiscard]] std::string text_of(const cs_insn& instruction);

// Not thread-safe; make one per walk.
class Disassembler {
 public:
  explicit Disassembler(Arch arch);

  // The instruction that `code` begins with, `address` being where that lies.
  // nullptr when it cannot be decoded. Valid until the next call.
  [[nodiscard]] const cs_insn* decode(std::span<const uint8_t> code, uint64_t address);

  // Every register the instruction changes, named or implied, by Capstone's
  // number. Only for an instruction this Disassembler returned.
  [[nodiscard]] std::vector<unsigned> registers_written(const cs_insn& instruction) const;

 private:
  Arch arch_;
  Unique<CapstoneTraits> capstone_;
  Unique<InstructionTraits> instruction_;
};

}  // namespace dbtrace::code
