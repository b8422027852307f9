// Which function an address lies in: sizes, overlaps, aliases, labels.
#include "symbols/function_ranges.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/mman.h>

#include <map>
#include <set>
#include <sstream>

#include "tests/unit/symbols/fixture.h"
#include "tests/unit/symbols/small_elf.h"

namespace dbtrace::symbols {
namespace {

using test::SmallElf;

constexpr uint64_t kText = 0x10000;

class FunctionRanges : public ::testing::Test {
 protected:
  void read(const SmallElf& elf) {
    const UniqueFd file(::memfd_create("small", MFD_CLOEXEC));
    const std::string path = fmt::format("/proc/self/fd/{}", file.get());
    test::write_bytes(path, elf.bytes());
    auto functions = functions_by_address(test::open_file(path), nullptr);
    ASSERT_TRUE(functions) << functions.error().message;
    functions_ = std::move(*functions);
  }

  void read(const std::vector<SmallElf::Symbol>& symbols) {
    read(SmallElf().code(".text", kText, 0x1000).symbols(SHT_SYMTAB, symbols));
  }

  // "raw+offset", or "" for no function.
  std::string at(uint64_t address) {
    const auto hit = functions_.find(kText + address);
    if (!hit) return "";
    return fmt::format("{}+{:#x}", hit->raw, kText + address - hit->start);
  }

  NamedRanges functions_;
};

// bcc 3110, 4158: the nearest symbol below was taken however far away it was.
TEST_F(FunctionRanges, EndWithTheirSize) {
  read({{"f", kText + 0x100, 0x20}, {"g", kText + 0x200, 0x10}});
  EXPECT_EQ(at(0xff), "");
  EXPECT_EQ(at(0x100), "f+0x0");
  EXPECT_EQ(at(0x11f), "f+0x1f");
  EXPECT_EQ(at(0x120), "");
  EXPECT_EQ(at(0x1ff), "");
  EXPECT_EQ(at(0x20f), "g+0xf");
  EXPECT_EQ(at(0x210), "");
}

// sanitizers 161: `_start` of size 0 was given everything behind it.
TEST_F(FunctionRanges, WithoutSizeEndAtTheNextSymbolOrWithTheSection) {
  read(SmallElf()
           .code(".text", kText, 0x1000)
           .code(".fini", kText + 0x2000, 0x100)
           .symbols(SHT_SYMTAB, {{"_start", kText + 0x10, 0},
                                 {"main", kText + 0x40, 0x10},
                                 {"table", kText + 0x90, 8, STT_OBJECT},
                                 {"before", kText + 0x80, 0},
                                 {"last", kText + 0xff0, 0},
                                 {"fini", kText + 0x2000, 0}}));
  EXPECT_EQ(at(0x3f), "_start+0x2f");
  EXPECT_EQ(at(0x40), "main+0x0");
  EXPECT_EQ(at(0x50), "");
  EXPECT_EQ(at(0x8f), "before+0xf");
  EXPECT_EQ(at(0x90), "");
  EXPECT_EQ(at(0xfff), "last+0xf");
  EXPECT_EQ(at(0x1000), "");
  EXPECT_EQ(at(0x1fff), "");
  EXPECT_EQ(at(0x20ff), "fini+0xff");
  EXPECT_EQ(at(0x2100), "");
}

TEST_F(FunctionRanges, SizesReachNoFurtherThanTheSection) {
  read({{"f", kText + 0xf00, UINT64_MAX}, {"g", kText + 0xf80, 0x10}});
  EXPECT_EQ(at(0xf7f), "f+0x7f");
  EXPECT_EQ(at(0xfff), "f+0xff");
  EXPECT_EQ(at(0x1000), "");
}

TEST_F(FunctionRanges, InnermostOfOverlappingOnesCounts) {
  read({{"outer", kText + 0x100, 0x100},
        {"inner", kText + 0x140, 0x20},
        {"innermost", kText + 0x148, 0x08},
        {"crossing", kText + 0x1f0, 0x20}});
  EXPECT_EQ(at(0x13f), "outer+0x3f");
  EXPECT_EQ(at(0x140), "inner+0x0");
  EXPECT_EQ(at(0x148), "innermost+0x0");
  EXPECT_EQ(at(0x150), "inner+0x10");
  EXPECT_EQ(at(0x160), "outer+0x60");
  EXPECT_EQ(at(0x1f0), "crossing+0x0");
  EXPECT_EQ(at(0x20f), "crossing+0x1f");
  EXPECT_EQ(at(0x210), "");
}

TEST_F(FunctionRanges, OfOneStartTheShorterIsInside) {
  read({{"whole", kText + 0x100, 0x100}, {"head", kText + 0x100, 0x10}});
  EXPECT_EQ(at(0x10f), "head+0xf");
  EXPECT_EQ(at(0x110), "whole+0x10");
}

TEST_F(FunctionRanges, OfAliasesThePlainestCounts) {
  read({{"__write", kText, 0x10},
        {"write", kText, 0x10},
        {"__libc_write", kText, 0x10},
        {"_ZN1AC2Ev", kText + 0x20, 0x10},
        {"_ZN1AC1Ev", kText + 0x20, 0x10}});
  EXPECT_EQ(at(1), "write+0x1");
  EXPECT_EQ(at(0x21), "_ZN1AC1Ev+0x1");
}

TEST_F(FunctionRanges, LabelsCountOnlyWhereNoFunctionDoes) {
  read({{"f", kText + 0x100, 0x40},
        {".Lloop", kText + 0x110, 0, STT_NOTYPE},
        {"sized_label", kText + 0x120, 0x40, STT_NOTYPE},
        {"asm_label", kText + 0x200, 0, STT_NOTYPE},
        {"g", kText + 0x210, 4}});
  EXPECT_EQ(at(0x110), "f+0x10");
  EXPECT_EQ(at(0x13f), "f+0x3f");
  EXPECT_EQ(at(0x140), "sized_label+0x20");
  EXPECT_EQ(at(0x200), "asm_label+0x0");
  EXPECT_EQ(at(0x20f), "asm_label+0xf");
  EXPECT_EQ(at(0x214), "");
}

// An unsized function inside one with a size is a second entry, not another function.
TEST_F(FunctionRanges, UnsizedOnesCountOnlyWhereNoSizedOneDoes) {
  read({{"f", kText + 0x100, 0x40}, {"entry", kText + 0x110, 0}});
  EXPECT_EQ(at(0x110), "f+0x10");
  EXPECT_EQ(at(0x140), "entry+0x30");
}

TEST_F(FunctionRanges, ArmMappingSymbolsAreNone) {
  read({{"$x", kText + 0x100, 0, STT_NOTYPE},
        {"f", kText + 0x100, 0},
        {"$d", kText + 0x180, 0, STT_NOTYPE},
        {"$x.7", kText + 0x190, 0, STT_NOTYPE},
        {"$t", kText + 0x400, 0, STT_NOTYPE},
        {"g", kText + 0x300, 0x10}});
  EXPECT_EQ(at(0x100), "f+0x0");
  EXPECT_EQ(at(0x1f0), "f+0xf0");
  EXPECT_EQ(at(0x400), "");
}

TEST_F(FunctionRanges, DataAndWhatLiesElsewhereAreNone) {
  read({{"object", kText + 0x100, 0x40, STT_OBJECT},
        {"undefined", kText + 0x200, 0x40, STT_FUNC, SHN_UNDEF},
        {"far", 0x90000, 0x40},
        {"section", kText + 0x300, 0x40, STT_SECTION},
        {"resolver", kText + 0x400, 0x40, STT_GNU_IFUNC}});
  EXPECT_EQ(at(0x100), "");
  EXPECT_EQ(at(0x200), "");
  EXPECT_EQ(at(0x300), "");
  EXPECT_EQ(at(0x90000 - kText), "");
  EXPECT_EQ(at(0x401), "resolver+0x1");
}

TEST_F(FunctionRanges, BothTablesOfAFileCount) {
  read(SmallElf()
           .code(".text", kText, 0x1000)
           .symbols(SHT_DYNSYM, {{"exported", kText, 0x10}, {"sized_here", kText + 0x40, 0x20}})
           .symbols(SHT_SYMTAB, {{"exported", kText, 0x30},
                                 {"local", kText + 0x10, 0x10},
                                 {"sized_here", kText + 0x40, 0}}));
  EXPECT_EQ(at(0xf), "exported+0xf");
  EXPECT_EQ(at(0x10), "local+0x0");
  EXPECT_EQ(at(0x20), "");  // .dynsym knows better
  EXPECT_EQ(at(0x5f), "sized_here+0x1f");
}

// bpftrace 2118, dyninst 1349: the cold part stood as a function of its own.
TEST_F(FunctionRanges, ShortNamesAreThoseOfTheWholeFunction) {
  read({{"_ZN3THD6set_dbEi.cold", kText, 0x10},
        {"_ZN3THD6set_dbEi.constprop.0", kText + 0x10, 0x10},
        {"plain.part.0", kText + 0x20, 0x10},
        {"_ZN12_GLOBAL__N_11fIiEEvT_", kText + 0x30, 0x10},
        {"_Znonsense", kText + 0x40, 0x10}});
  const auto name = [&](uint64_t address) {
    return functions_.short_name(functions_.find(kText + address)->id);
  };
  EXPECT_EQ(name(0), "THD::set_db");
  EXPECT_EQ(name(0x10), "THD::set_db");
  EXPECT_EQ(name(0x20), "plain");
  EXPECT_EQ(name(0x30), "(anonymous namespace)::f");
  EXPECT_EQ(name(0x40), "_Znonsense");
  EXPECT_EQ(name(0), "THD::set_db");
}

// bcc 2648: addresses far from offsets.
TEST_F(FunctionRanges, OfAnExecutableWithABaseAreAtItsAddresses) {
  const auto functions = functions_by_address(test::open_file(test::fixture("exec")), nullptr);
  ASSERT_TRUE(functions);
  const uint64_t main = test::nm_address("", test::fixture("exec"), "main");
  ASSERT_GE(main, 0x10000000U);
  const auto hit = functions->find(main + 1);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->raw, "main");
  EXPECT_EQ(hit->start, main);
}

TEST_F(FunctionRanges, AreFoundWhereTheBinaryHasNoSectionHeaders) {
  test::TemporaryFolder folder;
  test::Bytes bytes = test::read_bytes(test::fixture("stripped"));
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  header.e_shoff = 0;
  header.e_shnum = header.e_shstrndx = 0;
  std::memcpy(bytes.data(), &header, sizeof(header));
  const std::string path = (folder / "server").string();
  test::write_bytes(path, bytes);
  const std::string id = test::open_file(path).build_id();
  ASSERT_GT(id.size(), 2U);
  test::copy_to(test::fixture("server.debug"),
                folder / ".build-id" / id.substr(0, 2) / (id.substr(2) + ".debug"));
  FinderOptions options;
  options.debug_folders = {folder.path()};
  const auto functions = functions_by_address(test::open_file(path), &options);
  ASSERT_TRUE(functions);
  const uint64_t main = test::nm_address("", test::fixture("server.debug"), "main");
  const auto hit = functions->find(main);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->raw, "main");
}

TEST_F(FunctionRanges, ComeFromTheDebugFileOfAStrippedOne) {
  test::TemporaryFolder folder;
  test::copy_to(test::fixture("stripped"), folder / "server");
  const uint64_t address =
      test::nm_address("", test::fixture("server.debug"), "_ZL15static_functioni");
  const std::string path = (folder / "server").string();
  auto without = functions_by_address(test::open_file(path), nullptr);
  ASSERT_TRUE(without);
  EXPECT_FALSE(without->find(address));

  test::copy_to(test::fixture("server.debug"), folder / "server.debug");
  const FinderOptions options;
  auto with = functions_by_address(test::open_file(path), &options);
  ASSERT_TRUE(with);
  const auto hit = with->find(address + 1);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->raw, "_ZL15static_functioni");
  EXPECT_EQ(hit->start, address);
}

TEST_F(FunctionRanges, TooManyNamesAreRefused) {
  // 200,000 symbols share one name of 8,000 characters.
  std::vector<SmallElf::Symbol> symbols(200'000, {"", kText, 1});
  symbols[0].name = std::string(8000, 'f');
  SmallElf elf;
  elf.code(".text", kText, 0x1000).symbols(SHT_SYMTAB, symbols);
  std::vector<uint8_t> bytes = elf.bytes();
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  Elf64_Shdr table;
  std::memcpy(&table, bytes.data() + header.e_shoff + 2 * sizeof(table), sizeof(table));
  ASSERT_EQ(table.sh_type, static_cast<uint32_t>(SHT_SYMTAB));
  for (size_t i = 1; i <= symbols.size(); ++i) {
    const uint32_t name = 1;
    std::memcpy(bytes.data() + table.sh_offset + i * sizeof(Elf64_Sym), &name, sizeof(name));
  }
  const UniqueFd file(::memfd_create("small", MFD_CLOEXEC));
  const std::string path = fmt::format("/proc/self/fd/{}", file.get());
  test::write_bytes(path, bytes);
  const auto functions = functions_by_address(test::open_file(path), nullptr);
  ASSERT_FALSE(functions);
  EXPECT_EQ(functions.error().message, "has too long names");
}

// Every function that binutils lists with a size: found at its first byte and
// up to its last one, under one of the names binutils has there.
class AgreeWithBinutils : public ::testing::TestWithParam<const char*> {};

TEST_P(AgreeWithBinutils, OnEveryFunction) {
  const std::string path = GetParam();
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not installed";
  const auto functions = functions_by_address(test::open_file(path), nullptr);
  ASSERT_TRUE(functions) << functions.error().message;
  std::map<uint64_t, std::set<std::string>> names;
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (const std::string& line : test::output_of("readelf -sW --dyn-syms '" + path + "'")) {
    // Num: Value Size Type Bind Vis Ndx Name
    std::istringstream fields(line);
    std::string number, value, size, type, bind, visibility, section, name;
    fields >> number >> value >> size >> type >> bind >> visibility >> section >> name;
    if ((type != "FUNC" && type != "IFUNC") || section == "UND") continue;
    const uint64_t start = std::stoull(value, nullptr, 16);
    const uint64_t length = std::stoull(size, nullptr, 0);
    names[start].insert(name.substr(0, name.find('@')));
    if (length != 0) ranges.emplace_back(start, length);
  }
  ASSERT_GT(ranges.size(), 20U);
  for (const auto& [start, length] : ranges) {
    const auto first = functions->find(start);
    ASSERT_TRUE(first) << fmt::format("{:#x}", start);
    EXPECT_EQ(first->start, start);
    EXPECT_TRUE(names[start].contains(std::string(first->raw))) << first->raw;
    const auto last = functions->find(start + length - 1);
    ASSERT_TRUE(last);
    EXPECT_GE(last->start, start);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, AgreeWithBinutils,
                         ::testing::Values("/usr/sbin/mariadbd", SYMBOLS_FIXTURES "/pie",
                                           "/lib/x86_64-linux-gnu/libc.so.6",
                                           "/lib/x86_64-linux-gnu/libstdc++.so.6"));

}  // namespace
}  // namespace dbtrace::symbols
