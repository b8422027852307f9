// Our reader of call frame information against libdw's, all over real files; and what crafted
// tables may do, which is nothing.
#include "src/stacks/call_frame_info.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <libelf.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "symbols/memory_file.h"
#include "symbols/unique.h"
#include "tests/unit/stacks/chain.h"
#include "tests/unit/symbols/small_elf.h"

namespace dbtrace::stacks {
namespace {

using Kind = Rule::Kind;
using symbols::ElfFile;

struct ElfTraits {
  using Handle = ::Elf*;
  static ::Elf* none() { return nullptr; }
  static void release(::Elf* elf) { ::elf_end(elf); }
};
struct DwarfTraits {
  using Handle = ::Dwarf*;
  static ::Dwarf* none() { return nullptr; }
  static void release(::Dwarf* dwarf) { ::dwarf_end(dwarf); }
};
struct CfiTraits {
  using Handle = ::Dwarf_CFI*;
  static ::Dwarf_CFI* none() { return nullptr; }
  static void release(::Dwarf_CFI* cfi) { ::dwarf_cfi_end(cfi); }
};

std::string text(const Rule& rule) {
  switch (rule.kind) {
    case Kind::Same:
      return "same";
    case Kind::Undefined:
      return "undefined";
    case Kind::InMemory:
      return fmt::format("in memory at {}", rule.number);
    case Kind::CfaPlus:
      return fmt::format("cfa {}", rule.number);
    case Kind::Register:
      return fmt::format("register {} {}", rule.base, rule.number);
    case Kind::AtExpression:
    case Kind::ExpressionIs:
      return "expression";
  }
  return "?";
}

// The same of libdw's operations.
std::string text(const Dwarf_Op* ops, size_t count, bool is_default_same) {
  if (count == 0) return ops == nullptr || is_default_same ? "same" : "undefined";
  const bool is_value = ops[count - 1].atom == DW_OP_stack_value;
  const size_t places = is_value ? count - 1 : count;
  if (places == 1 && ops[0].atom == DW_OP_regx) return fmt::format("register {} 0", ops[0].number);
  const bool has_offset = places == 2 && ops[1].atom == DW_OP_plus_uconst;
  if (places > 2 || ops[0].atom != DW_OP_call_frame_cfa || (places == 2 && !has_offset))
    return "expression";
  return fmt::format("{} {}", is_value ? "cfa" : "in memory at",
                     has_offset ? static_cast<int64_t>(ops[1].number) : 0);
}

// libdw's view of a file.
class Reference {
 public:
  Reference(const ElfFile& file, bool debug_frame) : file_(file.duplicate_fd()) {
    ::elf_version(EV_CURRENT);
    elf_.reset(::elf_begin(file_.get(), ELF_C_READ_MMAP, nullptr));
    if (debug_frame) {
      dwarf_.reset(::dwarf_begin_elf(elf_.get(), DWARF_C_READ, nullptr));
      cfi_ = ::dwarf_getcfi(dwarf_.get());
    } else {
      own_.reset(::dwarf_getcfi_elf(elf_.get()));
      cfi_ = own_.get();
    }
  }

  // Expects that it says the same of `address`. Returns whether it says anything.
  bool expect(uint64_t address, const std::optional<FrameRules>& rules) {
    Dwarf_Frame* found = nullptr;
    const bool is_there = ::dwarf_cfi_addrframe(cfi_, address, &found) == 0;
    EXPECT_EQ(is_there, rules.has_value()) << fmt::format("{:#x}", address);
    if (!is_there || !rules) return false;
    const std::unique_ptr<Dwarf_Frame, decltype(&std::free)> frame(found, &std::free);
    bool is_signal_frame = false;
    EXPECT_EQ(::dwarf_frame_info(found, nullptr, nullptr, &is_signal_frame),
              rules->return_register);
    EXPECT_EQ(is_signal_frame, rules->is_signal_frame);

    Dwarf_Op* ops = nullptr;
    size_t count = 0;
    EXPECT_EQ(::dwarf_frame_cfa(found, &ops, &count), 0);
    const bool is_register = count == 1 && ops[0].atom == DW_OP_bregx;
    EXPECT_EQ(text(rules->cfa), is_register ? fmt::format("register {} {}", ops[0].number,
                                                          static_cast<int64_t>(ops[0].number2))
                                            : "expression");
    std::array<std::string, kRegisters> ours;
    ours.fill("same");
    for (const Rule& rule : rules->registers) ours.at(rule.target) = text(rule);
    for (int target = 0; target < static_cast<int>(kRegisters); ++target) {
      std::array<Dwarf_Op, 3> memory{};
      EXPECT_EQ(::dwarf_frame_register(found, target, memory.data(), &ops, &count), 0);
      const std::string& own = ours[static_cast<size_t>(target)];
      // What nobody mentions is lost for libdw, but not so the stack pointer, which is the CFA.
      const std::string theirs = text(ops, count, own == "same");
      if (theirs == "cfa 0" && own == "same") continue;
      EXPECT_EQ(own, theirs) << fmt::format("register {} at {:#x}", target, address);
    }
    return !::testing::Test::HasFailure();
  }

 private:
  UniqueFd file_;
  Unique<ElfTraits> elf_;
  Unique<DwarfTraits> dwarf_;
  Unique<CfiTraits> own_;
  Dwarf_CFI* cfi_ = nullptr;
};

struct File {
  const char* path;  // a fixture, if it does not begin with '/'
  bool debug_frame = false;
  uint64_t step = 1;
};

class CallFrames : public ::testing::TestWithParam<File> {};

TEST_P(CallFrames, AreAsLibdwSays) {
  const File& parameter = GetParam();
  const std::string path =
      parameter.path[0] == '/' ? parameter.path : test::fixture(parameter.path);
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const auto file = ElfFile::open(path);
  ASSERT_TRUE(file);
  const CallFrameInfo frames(*file);
  Reference reference(*file, parameter.debug_frame);
  size_t found = 0;
  for (const symbols::Segment& segment : file->executable_segments()) {
    for (uint64_t offset = 0; offset < segment.file_size; offset += parameter.step) {
      const uint64_t address = segment.address + offset;
      found += reference.expect(address, frames.at(address));
      ASSERT_FALSE(HasFailure()) << fmt::format("{:#x}", address);
    }
  }
  EXPECT_GT(found, 30U);
}

std::string name_of(const File& file) {
  std::string name = std::filesystem::path(file.path).filename();
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    All, CallFrames,
    ::testing::Values(File{"chains"}, File{"chains.unoptimized"}, File{"liblinked.so"},
                      File{"libloaded.so", true}, File{"aarch64.chains"},
                      File{"/lib/x86_64-linux-gnu/libc.so.6", false, 11},
                      File{"/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", false, 7},
                      File{"/lib/x86_64-linux-gnu/libstdc++.so.6", false, 13},
                      File{"/lib/x86_64-linux-gnu/libcrypto.so.3", false, 29},
                      File{"/usr/sbin/mariadbd", false, 251},
                      File{"/var/cache/dbtrace-tests/mysql9/usr/sbin/mysqld", false, 509}),
    [](const auto& file) { return name_of(file.param); });

// A file whose .eh_frame has one CIE, of x86-64, and one FDE, with these instructions.
class Crafted {
 public:
  static constexpr uint64_t kCode = 0x1000;
  static constexpr uint64_t kSize = 0x100;

  explicit Crafted(const std::vector<uint8_t>& common, const std::vector<uint8_t>& own) {
    // Version 1, no augmentation, code alignment 1, data alignment -8, return address in 16.
    std::vector<uint8_t> cie = {0, 0, 0, 0, 1, 0, 1, 0x78, 16};
    cie.insert(cie.end(), common.begin(), common.end());
    add(cie);
    std::vector<uint8_t> fde(20);
    const auto to_cie = static_cast<uint32_t>(frames_.size() + 4);
    std::memcpy(fde.data(), &to_cie, 4);
    std::memcpy(fde.data() + 4, &kCode, 8);
    std::memcpy(fde.data() + 12, &kSize, 8);
    fde.insert(fde.end(), own.begin(), own.end());
    add(fde);
  }

  [[nodiscard]] std::optional<FrameRules> at(uint64_t address) const {
    const auto bytes = symbols::test::SmallElf()
                           .code(".text", kCode, kSize)
                           .section(".eh_frame", SHT_PROGBITS, SHF_ALLOC, 0x4000, frames_)
                           .bytes();
    auto file = symbols::memory_file("crafted", bytes);
    EXPECT_TRUE(file);
    const auto elf = ElfFile::open(std::move(*file), "crafted");
    EXPECT_TRUE(elf);
    return CallFrameInfo(*elf).at(address);
  }

 private:
  void add(const std::vector<uint8_t>& body) {
    const auto size = static_cast<uint32_t>(body.size());
    const size_t at = frames_.size();
    frames_.resize(at + 4);
    std::memcpy(frames_.data() + at, &size, 4);
    frames_.insert(frames_.end(), body.begin(), body.end());
  }

  std::vector<uint8_t> frames_;
};

const std::vector<uint8_t> kEntry = {DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1};

TEST(CraftedFrames, AreReadWhereTheyAreSound) {
  const auto rules =
      Crafted(kEntry, {DW_CFA_advance_loc | 4, DW_CFA_def_cfa_offset, 16}).at(0x1003);
  ASSERT_TRUE(rules);
  EXPECT_EQ(text(rules->cfa), "register 7 8");
  const auto later =
      Crafted(kEntry, {DW_CFA_advance_loc | 4, DW_CFA_def_cfa_offset, 16}).at(0x1004);
  ASSERT_TRUE(later);
  EXPECT_EQ(text(later->cfa), "register 7 16");
  EXPECT_FALSE(Crafted(kEntry, {}).at(0xfff));
  EXPECT_FALSE(Crafted(kEntry, {}).at(0x1100));
}

// libdw makes room for as many registers as the number says.
TEST(CraftedFrames, WithAHugeRegister) {
  const std::vector<uint8_t> number = {0xff, 0xff, 0xff, 0xff, 0x07};
  std::vector<uint8_t> own = {DW_CFA_same_value};
  own.insert(own.end(), number.begin(), number.end());
  EXPECT_TRUE(Crafted(kEntry, own).at(0x1000));  // a register of no interest
  own.front() = DW_CFA_def_cfa_register;
  EXPECT_FALSE(Crafted(kEntry, own).at(0x1000));
}

TEST(CraftedFrames, ThatRememberWithoutEnd) {
  EXPECT_FALSE(Crafted(kEntry, std::vector<uint8_t>(60'000, DW_CFA_remember_state)).at(0x1000));
  EXPECT_FALSE(Crafted(kEntry, {DW_CFA_restore_state}).at(0x1000));
}

TEST(CraftedFrames, ThatAreTooLong) {
  EXPECT_TRUE(Crafted(kEntry, std::vector<uint8_t>(60'000, DW_CFA_nop)).at(0x1000));
  EXPECT_FALSE(Crafted(kEntry, std::vector<uint8_t>(70'000, DW_CFA_nop)).at(0x1000));
}

TEST(CraftedFrames, ThatEndInTheMiddle) {
  for (const uint8_t instruction :
       {DW_CFA_advance_loc4, DW_CFA_def_cfa, DW_CFA_expression, DW_CFA_def_cfa_expression,
        DW_CFA_offset_extended, DW_CFA_set_loc}) {
    EXPECT_FALSE(Crafted(kEntry, {instruction, 3}).at(0x1000)) << int{instruction};
  }
  EXPECT_FALSE(Crafted({}, {}).at(0x1000));  // says nothing of the CFA
}

}  // namespace
}  // namespace dbtrace::stacks
