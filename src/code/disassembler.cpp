#include "src/code/disassembler.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace dbtrace::code {
namespace {

using Word = std::array<uint8_t, 4>;

// Capstone 4 knows ARMv8.0. Returns that also authenticate the link register
// (Arm ARM, C6.2 "RETAA, RETAB") are plain returns as far as values go.
constexpr Word kRet = {0xc0, 0x03, 0x5f, 0xd6};
constexpr Word kRetaa = {0xff, 0x0b, 0x5f, 0xd6};
constexpr Word kRetab = {0xff, 0x0f, 0x5f, 0xd6};

std::span<const uint8_t> as_known_to_capstone(Arch arch, std::span<const uint8_t> code) {
  if (arch != Arch::AArch64 || code.size() < kRet.size()) return code;
  const auto word = code.first(kRet.size());
  if (std::ranges::equal(word, kRetaa) || std::ranges::equal(word, kRetab)) return kRet;
  return code;
}

}  // namespace

bool in_group(const cs_insn& instruction, uint8_t group) {
  const auto groups = std::span(instruction.detail->groups, instruction.detail->groups_count);
  return std::ranges::find(groups, group) != groups.end();
}

std::string text_of(const cs_insn& instruction) {
  std::string text = instruction.mnemonic;
  if (instruction.op_str[0] != '\0') text.append(" ").append(instruction.op_str);
  return text;
}

Disassembler::Disassembler(Arch arch) : arch_(arch) {
  csh handle = 0;
  const cs_err error = arch == Arch::X86_64 ? cs_open(CS_ARCH_X86, CS_MODE_64, &handle)
                                            : cs_open(CS_ARCH_ARM64, CS_MODE_ARM, &handle);
  if (error != CS_ERR_OK) return;
  capstone_.reset(handle);
  cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
  instruction_.reset(cs_malloc(handle));
}

const cs_insn* Disassembler::decode(std::span<const uint8_t> code, uint64_t address) {
  if (!instruction_) return nullptr;
  const auto known = as_known_to_capstone(arch_, code);
  const uint8_t* bytes = known.data();
  size_t size = known.size();
  if (!cs_disasm_iter(capstone_.get(), &bytes, &size, &address, instruction_.get())) return nullptr;
  // Zeroes, the usual filling, are AArch64's "undefined"; Capstone 5 has a name for it.
  if (std::string_view(instruction_.get()->mnemonic) == "udf") return nullptr;
  return instruction_.get();
}

std::vector<unsigned> Disassembler::registers_written(const cs_insn& instruction) const {
  cs_regs read{};
  cs_regs written{};
  uint8_t read_count = 0;
  uint8_t written_count = 0;
  if (cs_regs_access(capstone_.get(), &instruction, read, &read_count, written, &written_count) !=
      CS_ERR_OK) {
    return {};
  }
  return {written, written + written_count};
}

}  // namespace dbtrace::code
