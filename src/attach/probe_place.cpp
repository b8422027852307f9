#include "src/attach/probe_place.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "src/code/disassembler.h"

namespace dbtrace::attach {

std::optional<code::Arch> arch_of(symbols::Machine machine) {
  switch (machine) {
    case symbols::Machine::X86_64:
      return code::Arch::X86_64;
    case symbols::Machine::AArch64:
      return code::Arch::AArch64;
    case symbols::Machine::Other:
      break;
  }
  return std::nullopt;
}

std::vector<uint8_t> prologue(const symbols::ElfFile& binary, uint64_t address, uint64_t size) {
  constexpr uint64_t kMost = 256;
  return binary.code(address, size ? std::min(size, kMost) : kMost);
}

std::optional<code::Placement> place_here(const symbols::ElfFile& binary, code::Arch arch,
                                          uint64_t address) {
  std::vector<uint8_t> bytes = prologue(binary, address, 0);
  code::Disassembler disassembler(arch);
  const cs_insn* instruction = disassembler.decode(bytes, address);
  bytes.resize(instruction ? instruction->size : 0);
  return code::place_probe(arch, bytes);
}

Result<ProbePlace> probe_place(const symbols::ElfFile& binary, const symbols::Location& location) {
  if (!location.no_entry.empty()) return fail(location.no_entry);
  const auto arch = arch_of(binary.machine());
  if (!arch) return fail("it is code of a processor that dbtrace does not know");
  // Of an address nothing says what comes before and after: this instruction or none.
  const auto place =
      location.names.front().kind == symbols::FunctionKind::Address
          ? place_here(binary, *arch, location.address)
          : code::place_probe(*arch, prologue(binary, location.address, location.size));
  const auto offset = place ? binary.file_offset(location.address + place->delta) : std::nullopt;
  if (!offset) return fail("its first instruction cannot be decoded or takes no probe");
  return ProbePlace{*offset, place->delta, place->instruction, place->emulated};
}

}  // namespace dbtrace::attach
