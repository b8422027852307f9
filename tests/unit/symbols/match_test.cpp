// The rules by which symbols are told apart, one test each, on objects for this
// machine's processor and for AArch64.
#include <elf.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstring>

#include "tests/unit/symbols/fixture.h"

namespace dbtrace::symbols {
namespace {

using test::fixture;
using test::open_finder;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

Matches match(const std::string& path, std::string_view typed, FinderOptions options = {}) {
  options.debug_folders.clear();
  return open_finder(path, std::move(options)).match(*Pattern::parse(typed));
}

std::vector<std::string> raws(const Matches& matches) {
  std::vector<std::string> result;
  for (const Location& location : matches.locations)
    for (const SymbolName& name : location.names)
      if (name.matches) result.push_back(name.raw);
  return result;
}

class Rules : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(path_)) GTEST_SKIP() << path_ << " was not built";
  }
  Matches find(std::string_view typed) const { return match(path_, typed); }
  Location only(std::string_view typed) const {
    const Matches matches = find(typed);
    EXPECT_THAT(matches.locations, SizeIs(1)) << typed;
    return matches.locations.empty() ? Location{} : matches.locations.front();
  }
  uint64_t nm(std::string_view raw) const { return test::nm_address("", path_, raw); }

  std::string path_ = fixture(GetParam());
};

TEST_P(Rules, AddressesAndOffsetsAreThoseOfTheFile) {
  const Location location = only("folded_one");
  EXPECT_EQ(location.address, nm("_Z10folded_onei"));
  ASSERT_TRUE(location.offset.has_value());
  // Verified by reading the bytes: there the file holds the function's code.
  const ElfFile file = test::open_file(path_);
  const test::Bytes bytes = test::read_bytes(path_);
  const auto code = file.code(location.address, location.size);
  ASSERT_THAT(code, SizeIs(location.size));
  EXPECT_TRUE(std::equal(code.begin(), code.end(), bytes.begin() + *location.offset));
  EXPECT_EQ(location.names.front().kind, FunctionKind::Function);
  EXPECT_EQ(location.names.front().file, path_);
  EXPECT_EQ(location.no_entry, "");
}

// bpftrace 2186.
TEST_P(Rules, AnExactNameIsNoPrefix) {
  EXPECT_THAT(raws(find("main")), ElementsAre("main"));
  EXPECT_THAT(raws(find("main_test")), ElementsAre("_Z9main_testv"));
  EXPECT_THAT(find("main_tes").locations, IsEmpty());
}

TEST_P(Rules, ConstructorsHaveVariants) {
  const Matches whole = find("Derived::Derived");
  EXPECT_THAT(raws(whole), UnorderedElementsAre("_ZN7DerivedC1Ev", "_ZN7DerivedC2Ev"));
  ASSERT_THAT(whole.locations, SizeIs(2));
  for (const Location& location : whole.locations)
    EXPECT_THAT(location.remarks, Contains(HasSubstr("one of 2 variants")));
  EXPECT_THAT(raws(find("Derived::~Derived")),
              UnorderedElementsAre("_ZN7DerivedD0Ev", "_ZN7DerivedD1Ev", "_ZN7DerivedD2Ev"));

  const Location base = only("Base::Base");  // C1 and C2 at one address
  EXPECT_THAT(base.names, SizeIs(2));
  EXPECT_THAT(base.remarks, IsEmpty());
}

// bpftrace 2118, dyninst 1349: `.cold` was taken for a function.
TEST_P(Rules, ClonesAreInstancesAndPartsAreNot) {
  const Matches matches = find("cloned");
  EXPECT_THAT(raws(matches),
              UnorderedElementsAre("_Z6clonedi", "_Z6clonedi.constprop.0", "_Z6clonedi.isra.0",
                                   "_Z6clonedi.llvm.123", "_Z6clonedi.__uniq.456"));
  EXPECT_THAT(matches.left_out, UnorderedElementsAre("_Z6clonedi.part.0", "_Z6clonedi.cold",
                                                     "_Z6clonedi.part.0.cold"));
  EXPECT_EQ(only("_Z6clonedi").names.front().kind, FunctionKind::Function);
  EXPECT_EQ(only("cloned.llvm.123").names.front().kind, FunctionKind::Function);
  const Location clone = only("cloned.constprop.0");
  EXPECT_EQ(clone.names.front().kind, FunctionKind::Clone);
  EXPECT_THAT(clone.remarks, Contains(HasSubstr("arguments")));
  const Location part = only("cloned.part.0");
  EXPECT_EQ(part.names.front().kind, FunctionKind::Part);
  EXPECT_EQ(part.no_entry, "");
  EXPECT_THAT(only("cloned.cold").no_entry, HasSubstr("never called"));
  EXPECT_THAT(only("_Z6clonedi.part.0.cold").no_entry, HasSubstr("never called"));
}

TEST_P(Rules, NamesMayLeaveOutWhatNobodyTypes) {
  EXPECT_THAT(raws(find("outer::hidden")), ElementsAre("_ZN5outer12_GLOBAL__N_16hiddenEi"));
  EXPECT_THAT(raws(find("outer::in_inline_namespace")),
              ElementsAre("_ZN5outer7__cxx1119in_inline_namespaceEi"));
  EXPECT_THAT(raws(find("outer::Box::tagged")),
              UnorderedElementsAre("_ZNK5outer3BoxIiE6taggedB6taggedEiPKc",
                                   "_ZNK5outer3BoxIhE6taggedB6taggedEhPKc"));
  EXPECT_THAT(raws(find("Box<unsigned char>::tagged(unsigned char, const char*)")),
              ElementsAre("_ZNK5outer3BoxIhE6taggedB6taggedEhPKc"));
  EXPECT_THAT(raws(find("Box<int>::operator*")), ElementsAre("_ZN5outer3BoxIiEdeEv"));
  EXPECT_THAT(raws(find("Box<int>::operator bool")), ElementsAre("_ZNK5outer3BoxIiEcvbEv"));
  EXPECT_THAT(raws(find("Box<int>::operator()(long unsigned, unsigned long int) const")),
              ElementsAre("_ZNK5outer3BoxIiEclEmm"));
}

TEST_P(Rules, GlobsAndRegularExpressionsFindMany) {
  EXPECT_THAT(raws(find("folded_*")), UnorderedElementsAre("_Z10folded_onei", "_Z10folded_twoi"));
  EXPECT_THAT(raws(find("/^folded_(one|two)\\(int\\)$/")),
              UnorderedElementsAre("_Z10folded_onei", "_Z10folded_twoi"));
  EXPECT_THAT(raws(find("outer::Box::*bool*")), SizeIs(2));
  EXPECT_THAT(find("nothing*").locations, IsEmpty());
}

// What another library defines, whatever value the table gives: in an
// executable at fixed addresses, the symbol of a function whose address is
// taken points to the procedure linkage table.
TEST_P(Rules, UndefinedFunctionsNameTheirLibrary) {
  const Matches matches = find("imported");
  EXPECT_THAT(matches.locations, IsEmpty());
  ASSERT_THAT(matches.undefined, SizeIs(1));
  EXPECT_EQ(matches.undefined[0].full, "imported(int)");
  EXPECT_EQ(matches.undefined[0].version, "NEW_2.0");
  EXPECT_EQ(matches.undefined[0].library, "libversioned.so.1");
}

TEST_P(Rules, OverlapsBelongToTheInnermost) {
  const uint64_t within = nm("within");
  const auto name_at = [&](uint64_t address) {
    return only(fmt::format("{:#x}", address)).names.front().raw;
  };
  EXPECT_EQ(name_at(within), "within");
  EXPECT_EQ(name_at(within - 1), "outermost");
  EXPECT_EQ(name_at(nm("outermost")), "outermost");
  const Location inside = only(fmt::format("{:#x}", within + 1));
  EXPECT_EQ(inside.address, within);
  EXPECT_THAT(inside.remarks, Contains(HasSubstr("0x1 bytes behind its start")));
  // Behind the end of the inner one, the outer one goes on.
  EXPECT_EQ(name_at(nm("endless") - 1), "outermost");
}

// bpftrace 940: functions of size 0 were refused.
TEST_P(Rules, SizeZeroReachesToTheNextSymbol) {
  const Location endless = only("endless");
  EXPECT_EQ(endless.size, 0U);
  EXPECT_EQ(endless.no_entry, "");
  EXPECT_EQ(only(fmt::format("{:#x}", endless.address + 2)).names.front().raw, "endless");
}

TEST_P(Rules, LabelsInDataAreNoFunctions) { EXPECT_THAT(find("in_data").locations, IsEmpty()); }

// ARM's $x and $d mark code and data.
TEST_P(Rules, MappingSymbolsAreNoFunctions) {
  for (const Location& location : find("*").locations)
    for (const SymbolName& name : location.names) EXPECT_NE(name.raw[0], '$') << name.raw;
}

INSTANTIATE_TEST_SUITE_P(Fixtures, Rules,
                         ::testing::Values("rules.pie", "rules.exec", "aarch64.rules.pie",
                                           "aarch64.rules.exec"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

class Versions : public ::testing::TestWithParam<const char*> {};

TEST_P(Versions, OfOneFunctionAreDistinct) {
  const std::string path = fixture(GetParam());
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " was not built";
  EXPECT_THAT(match(path, "versioned").locations, SizeIs(2));
  const Matches old_one = match(path, "versioned@OLD_1.0");
  ASSERT_THAT(old_one.locations, SizeIs(1));
  EXPECT_EQ(old_one.locations[0].names[0].version, "OLD_1.0");
  EXPECT_FALSE(old_one.locations[0].names[0].is_default_version);
  const Matches new_one = match(path, "versioned@@NEW_2.0");
  ASSERT_THAT(new_one.locations, SizeIs(1));
  EXPECT_TRUE(new_one.locations[0].names[0].is_default_version);
  EXPECT_NE(old_one.locations[0].address, new_one.locations[0].address);
  EXPECT_THAT(match(path, "versioned@@OLD_1.0").locations, IsEmpty());
  EXPECT_THAT(match(path, "versioned@OLD").locations, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Libraries, Versions,
                         ::testing::Values("versioned.so", "aarch64.versioned.so"),
                         [](const auto& instance) {
                           return instance.index == 0 ? "host" : "aarch64";
                         });

// sanitizers 617: one name hid the other.
TEST(Match, AliasesShareALocation) {
  const Matches matches = match(fixture("pie"), "c_alias");
  ASSERT_THAT(matches.locations, SizeIs(1));
  const Location& location = matches.locations[0];
  ASSERT_THAT(location.names, SizeIs(2));
  EXPECT_EQ(location.names[0].raw, "c_alias");
  EXPECT_TRUE(location.names[0].matches);
  EXPECT_EQ(location.names[1].raw, "c_function");
  EXPECT_FALSE(location.names[1].matches);
  EXPECT_THAT((std::vector{location.names[0].kind, location.names[1].kind}),
              UnorderedElementsAre(FunctionKind::Function, FunctionKind::Alias));
}

TEST(Match, FoldedCodeIsToldOf) {
  const std::string path = fixture("rules.icf");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "ld.lld is not installed";
  const Matches matches = match(path, "folded_one");
  ASSERT_THAT(matches.locations, SizeIs(1));
  EXPECT_THAT(matches.locations[0].remarks, Contains(HasSubstr("2 functions with the same code")));
  EXPECT_THAT(raws(match(path, "folded_*")), SizeIs(2));
  EXPECT_THAT(match(path, "folded_*").locations, SizeIs(1));
}

// bpftrace 2865: listed but not attachable.
TEST(Match, ResolversAreNoEntries) {
  const Matches matches = match(fixture("pie"), "picked_at_load");
  ASSERT_THAT(matches.locations, SizeIs(1));
  EXPECT_EQ(matches.locations[0].names[0].kind, FunctionKind::Ifunc);
  EXPECT_THAT(matches.locations[0].no_entry, HasSubstr("resolver"));
}

TEST(Match, LabelsCountOnlyWhereNothingElseMatches) {
  EXPECT_EQ(match(fixture("pie"), "asm_label").locations.at(0).names[0].kind, FunctionKind::Label);
  EXPECT_THAT(raws(match(fixture("pie"), "asm_*")), ElementsAre("asm_function"));
}

// An extern "C" function wins over methods of its name.
TEST(Match, AnExactRawNameIsMeantAlone) {
  EXPECT_THAT(raws(match("/proc/self/exe", "dbtrace_exact_name")),
              ElementsAre("dbtrace_exact_name"));
  EXPECT_THAT(raws(match("/proc/self/exe", "Holder::dbtrace_exact_name")), SizeIs(1));
}

// bcc 478: .text.hot was not looked at.
TEST(Match, EveryExecutableSectionCounts) {
  EXPECT_THAT(raws(match(fixture("pie"), "hot_function")), ElementsAre("_Z12hot_functioni"));
}

// bpftrace 5144 and 1763: an address in a stripped file was refused.
TEST(Match, AnAddressNeedsNoSymbol) {
  const test::TemporaryFolder folder;  // where its debug file is not
  const std::string path = (folder / "server").string();
  test::copy_to(fixture("stripped"), path);
  const uint64_t address = test::nm_address("", fixture("server.debug"), "_ZL15static_functioni");
  const Matches matches = match(path, fmt::format("{:#x}", address));
  ASSERT_THAT(matches.locations, SizeIs(1));
  const Location& location = matches.locations[0];
  EXPECT_EQ(location.address, address);
  EXPECT_EQ(location.offset, test::open_file(path).file_offset(address));
  EXPECT_EQ(location.names[0].kind, FunctionKind::Address);
  EXPECT_THAT(location.remarks, Contains(HasSubstr("no symbol covers this address")));
  EXPECT_THAT(match(path, "0x1").locations, IsEmpty());
  EXPECT_THAT(match(path, "0xffffffffffffffff").locations, IsEmpty());
}

// Where the two disagree, the loader goes by .dynsym.
TEST(Match, DynsymIsRightAboutGlobalSymbols) {
  test::Bytes bytes = test::read_bytes(fixture("pie"));
  const uint64_t address = test::nm_address("", fixture("pie"), "c_function");
  // The last entry with this address and name in the file is .symtab's.
  size_t changed = 0;
  for (size_t at = bytes.size() - sizeof(Elf64_Sym); at > 0 && changed == 0; --at) {
    Elf64_Sym symbol;
    std::memcpy(&symbol, bytes.data() + at, sizeof(symbol));
    if (symbol.st_value != address || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
    ++changed;
    for (int alias = 0; alias < 2; ++alias) {
      symbol.st_value += 1;
      std::memcpy(bytes.data() + at, &symbol, sizeof(symbol));
    }
  }
  ASSERT_EQ(changed, 1U);
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "server", bytes);
  for (const char* name : {"c_function", "c_alias"}) {
    const Matches matches = match((folder / "server").string(), name);
    ASSERT_THAT(matches.locations, SizeIs(1)) << name;
    EXPECT_EQ(matches.locations[0].address, address) << name;
    EXPECT_EQ(matches.locations[0].names[0].table, ".dynsym") << name;
  }
}

// A debug file's own code is not there: a probe would attach and never fire.
TEST(Match, DebugFilesTakeNoProbes) {
  const Matches matches = match(fixture("server.debug"), "dispatch_command");
  ASSERT_FALSE(matches.locations.empty());
  for (const Location& location : matches.locations)
    EXPECT_THAT(location.no_entry, HasSubstr("debug file"));
}

TEST(Match, MergesTheDebugFile) {
  FinderOptions options;
  options.debug_file = fixture("server.debug");
  const Matches matches = match(fixture("stripped"), "*dispatch_command", options);
  // ::, xpl::dispatcher::, (anonymous namespace)::, a local class's, and a clone.
  EXPECT_THAT(matches.locations, SizeIs(5));
  for (const Location& location : matches.locations) {
    EXPECT_EQ(location.names[0].file, fixture("server.debug"));
    EXPECT_EQ(location.offset, test::open_file(fixture("stripped")).file_offset(location.address));
    EXPECT_EQ(location.no_entry, "");
  }
}

TEST(Inlined, FunctionsAreCounted) {
  for (const char* name : {"rules.exec", "rules.dwz", "aarch64.rules.exec"}) {
    if (!std::filesystem::exists(fixture(name))) continue;
    Finder finder = open_finder(fixture(name));
    const auto pattern = Pattern::parse("always_inlined");
    EXPECT_THAT(finder.match(*pattern).locations, IsEmpty());
    const auto inlined = finder.inlined(*pattern);
    ASSERT_TRUE(inlined.has_value()) << name;
    EXPECT_EQ(inlined->sites, 2U) << name;
    EXPECT_THAT(inlined->name, HasSubstr("always_inlined"));
    EXPECT_FALSE(finder.inlined(*Pattern::parse("nothing")).has_value());
  }
  EXPECT_FALSE(
      open_finder(fixture("rules.pie")).inlined(*Pattern::parse("always_inlined")).has_value());
}

}  // namespace
}  // namespace dbtrace::symbols

extern "C" __attribute__((noinline, used)) int dbtrace_exact_name(int x) { return x + 1; }
struct Holder {
  static int dbtrace_exact_name(int x);
};
__attribute__((noinline, used)) int Holder::dbtrace_exact_name(int x) { return x + 2; }
