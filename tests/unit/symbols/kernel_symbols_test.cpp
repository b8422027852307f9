#include "symbols/kernel_symbols.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace dbtrace::symbols {
namespace {

KernelSymbols parse(std::string_view text) {
  auto symbols = KernelSymbols::parse(text);
  if (!symbols) throw std::runtime_error(symbols.error().message);
  return std::move(*symbols);
}

std::string at(KernelSymbols& symbols, uint64_t address) {
  const auto hit = symbols.find(address);
  return hit ? fmt::format("{}+{:#x} {}", hit->function, hit->offset, hit->module) : "";
}

TEST(KernelSymbols, EndAtTheNextSymbol) {
  KernelSymbols symbols = parse(
      "ffffffff81000000 T _text\n"
      "ffffffff81000000 T startup_64\n"
      "ffffffff81000100 t vfs_read.isra.0\n"
      "ffffffff81000300 W weak\n"
      "ffffffff81000400 T _etext\n"
      "ffffffff81002000 D data\n"
      "ffffffff81002100 B bss\n");
  EXPECT_EQ(at(symbols, 0xffffffff80ffffff), "");
  EXPECT_EQ(at(symbols, 0xffffffff81000010), "startup_64+0x10 [kernel]");
  EXPECT_EQ(at(symbols, 0xffffffff810002ff), "vfs_read+0x1ff [kernel]");
  EXPECT_EQ(symbols.find(0xffffffff81000100)->raw, "vfs_read.isra.0");
  EXPECT_EQ(at(symbols, 0xffffffff81000300), "weak+0x0 [kernel]");
  EXPECT_EQ(at(symbols, 0xffffffff81002000), "");
  EXPECT_EQ(at(symbols, 0xffffffff81002100), "");
}

// The last function of a module does not reach to the next module.
TEST(KernelSymbols, OfAModuleEndWithItsPage) {
  KernelSymbols symbols = parse(
      "ffffffffc0000000 t first\t[one]\n"
      "ffffffffc0000100 t last\t[one]\n"
      "ffffffffc0002000 t other\t[two]\n"
      "ffffffffc0002080 d other_data\t[two]\n"
      "ffffffffc0003ff0 t bpf_prog_6deef7357e7b4530_f\t[bpf]\n");
  EXPECT_EQ(at(symbols, 0xffffffffc00000ff), "first+0xff [one]");
  EXPECT_EQ(at(symbols, 0xffffffffc0000fff), "last+0xeff [one]");
  EXPECT_EQ(at(symbols, 0xffffffffc0001000), "");
  EXPECT_EQ(at(symbols, 0xffffffffc000207f), "other+0x7f [two]");
  EXPECT_EQ(at(symbols, 0xffffffffc0002080), "");
  EXPECT_EQ(at(symbols, 0xffffffffc0003fff), "bpf_prog_6deef7357e7b4530_f+0xf [bpf]");
  EXPECT_EQ(at(symbols, 0xffffffffc0004000), "");
}

TEST(KernelSymbols, NeedNoOrder) {
  KernelSymbols symbols = parse("2000 t b\t[m]\n1000 T a\n1010 T c\n");
  EXPECT_EQ(at(symbols, 0x100f), "a+0xf [kernel]");
  EXPECT_EQ(at(symbols, 0x2001), "b+0x1 [m]");
}

TEST(KernelSymbols, ThatAreHiddenAreAnError) {
  const auto hidden = KernelSymbols::parse("0000000000000000 T _text\n0000000000000000 T f\n");
  ASSERT_FALSE(hidden);
  EXPECT_THAT(hidden.error().message, ::testing::HasSubstr("hides"));
  EXPECT_THAT(hidden.error().hint, ::testing::HasSubstr("kptr_restrict"));
  EXPECT_FALSE(KernelSymbols::parse(""));
}

TEST(KernelSymbols, LeavesOutWhatIsNoSymbol) {
  KernelSymbols symbols = parse(
      "\nffff\nffff \nffff T\nffff T \nffff TT f\nxyz T f\n1000 T good\t\n"
      "1100 D data\nffffffffffffffff T end\n");
  EXPECT_EQ(at(symbols, 0x1000), "good+0x0 [kernel]");
  EXPECT_EQ(at(symbols, 0xffff), "");
  EXPECT_EQ(at(symbols, 0xffffffffffffffff), "");
}

// Every function of the running kernel is found under one of the names that
// /proc/kallsyms has at its address.
TEST(KernelSymbols, AreThoseOfThisKernel) {
  auto symbols = KernelSymbols::read();
  if (!symbols) GTEST_SKIP() << symbols.error().message;
  std::map<uint64_t, std::set<std::string>> names;
  std::ifstream kallsyms("/proc/kallsyms");
  for (std::string line; std::getline(kallsyms, line);) {
    std::istringstream fields(line);
    std::string address, type, name, module;
    fields >> address >> type >> name >> module;
    if (module == "[bpf]") continue;  // programs come and go
    if (std::string("tTwW").find(type) != std::string::npos)
      names[std::stoull(address, nullptr, 16)].insert(name);
  }
  names.erase(0);
  ASSERT_GT(names.size(), 1000U);
  size_t wrong = 0;
  for (const auto& [address, expected] : names) {
    const auto hit = symbols->find(address);
    if (!hit || hit->offset != 0 || !expected.contains(std::string(hit->raw))) ++wrong;
  }
  EXPECT_EQ(wrong, 0U);
}

}  // namespace
}  // namespace dbtrace::symbols
