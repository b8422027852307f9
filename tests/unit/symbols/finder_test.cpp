#include "symbols/finder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/unit/symbols/fixture.h"

namespace dbtrace::symbols {
namespace {

using test::fixture;
using test::kDispatch;
using test::kDispatchRaw;
using test::names;
using test::nm_address;
using test::open_finder;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

struct BinaryCase {
  const char* file;
  const char* table;
  const char* nm_options;
};

class FinderOnBinary : public ::testing::TestWithParam<BinaryCase> {
 protected:
  std::string path_ = fixture(GetParam().file);
  Finder finder_ = open_finder(path_);
  uint64_t nm(std::string_view raw) const { return nm_address(GetParam().nm_options, path_, raw); }
};

TEST_P(FinderOnBinary, FindsTheOneDispatchCommand) {
  const auto found = finder_.functions("dispatch_command");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].raw, kDispatchRaw);
  EXPECT_EQ(found[0].name.full, kDispatch);
  EXPECT_EQ(found[0].address, nm(kDispatchRaw));
  EXPECT_EQ(found[0].offset, finder_.binary().file_offset(found[0].address));
  EXPECT_GT(found[0].size, 0U);
  EXPECT_EQ(found[0].table, GetParam().table);
  EXPECT_EQ(found[0].file, path_);
  EXPECT_THAT(finder_.debug_file_attempts(), IsEmpty());
}

TEST_P(FinderOnBinary, MatchesScopesExactly) {
  EXPECT_THAT(names(finder_.functions("xpl::dispatcher::dispatch_command")),
              ElementsAre("xpl::dispatcher::dispatch_command(THD&, int)"));
  EXPECT_THAT(finder_.functions("dispatcher::dispatch_command"), IsEmpty());
  EXPECT_THAT(finder_.functions("set_db"), IsEmpty());
  EXPECT_THAT(names(finder_.functions("THD::set_db")), ElementsAre("THD::set_db(int)"));
  EXPECT_THAT(finder_.functions("dispatch_comman"), IsEmpty());
  EXPECT_THAT(finder_.functions(""), IsEmpty());
}

TEST_P(FinderOnBinary, FindsExternC) {
  const auto found = finder_.functions("c_function");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].address, nm("c_function"));
  EXPECT_FALSE(found[0].name.has_parameters);
  ASSERT_THAT(finder_.functions("c_alias"), SizeIs(1));
  EXPECT_EQ(finder_.functions("c_alias")[0].address, found[0].address);
}

TEST_P(FinderOnBinary, FindsOverloadsAndTemplates) {
  EXPECT_THAT(names(finder_.functions("overloaded")),
              UnorderedElementsAre("overloaded(int)", "overloaded(char const*, int)"));
  EXPECT_THAT(names(finder_.functions("templated")), ElementsAre("int templated<int>(int)"));
}

TEST_P(FinderOnBinary, CountsConstructorsOfOneAddressOnce) {
  EXPECT_THAT(names(finder_.functions("THD::THD")), ElementsAre("THD::THD()"));
  EXPECT_THAT(names(finder_.functions("THD::~THD")), ElementsAre("THD::~THD()"));
  EXPECT_THAT(finder_.functions("THD"), IsEmpty());
}

TEST_P(FinderOnBinary, FindsFunctionsOfEverySectionAndSize) {
  EXPECT_EQ(finder_.functions("hot_function").at(0).address, nm("_Z12hot_functioni"));
  const Function assembly = finder_.functions("asm_function").at(0);
  EXPECT_EQ(assembly.address, nm("asm_function"));
  EXPECT_EQ(assembly.size, 0U);
  EXPECT_EQ(finder_.functions("asm_label").at(0).address, nm("asm_label"));
}

TEST_P(FinderOnBinary, TakesLongNames) {
  std::string scope;
  for (int i = 0; i < 425; ++i) scope += "long";
  const auto found = finder_.functions(scope + "::in_long_namespace");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].name.scope, scope);
}

TEST_P(FinderOnBinary, TakesRenamedButNotClonedFunctions) {
  EXPECT_THAT(names(finder_.functions("only_by_lto")), ElementsAre("only_by_lto(int)"));
  const auto misses = finder_.near_misses("dispatch_command");
  EXPECT_THAT(misses, Contains(fmt::format("{} [clone .cold]", kDispatch)));
  EXPECT_THAT(misses, Contains(fmt::format("{} [clone .constprop.0]", kDispatch)));
}

TEST_P(FinderOnBinary, SaysWhyOthersWereNotTaken) {
  const auto misses = finder_.near_misses("dispatch_command");
  EXPECT_THAT(misses, Contains("xpl::dispatcher::dispatch_command(THD&, int) [another scope]"));
  EXPECT_THAT(misses, Not(Contains(fmt::format("{} []", kDispatch))));
  EXPECT_THAT(finder_.near_misses("set_db"), ElementsAre("THD::set_db(int) [another scope]"));
  EXPECT_THAT(finder_.near_misses("picked_at_load"),
              ElementsAre("picked_at_load [resolver of an indirect function]"));
  EXPECT_THAT(finder_.functions("picked_at_load"), IsEmpty());
  EXPECT_THAT(finder_.functions("__libc_start_main"), IsEmpty());
  EXPECT_THAT(finder_.near_misses("__libc_start_main"),
              ElementsAre("__libc_start_main [defined in another library]"));
}

TEST_P(FinderOnBinary, FindsData) {
  EXPECT_EQ(finder_.data_address("server_version"), nm("server_version"));
  EXPECT_EQ(finder_.data_address("_ZN3THD5countE"), nm("_ZN3THD5countE"));
  EXPECT_EQ(finder_.data_address("server"), std::nullopt);
  EXPECT_EQ(finder_.data_address("c_function"), std::nullopt);
  EXPECT_EQ(finder_.data_address(""), std::nullopt);
  EXPECT_THAT(finder_.functions("server_version"), IsEmpty());
}

TEST_P(FinderOnBinary, FindsPrefixes) {
  EXPECT_TRUE(finder_.has_symbol_with_prefix("_ZN3THD"));
  EXPECT_TRUE(finder_.has_symbol_with_prefix("server_version"));
  EXPECT_FALSE(finder_.has_symbol_with_prefix("N3THD"));
  EXPECT_FALSE(finder_.has_symbol_with_prefix("server_version_"));
  EXPECT_FALSE(finder_.has_symbol_with_prefix("__libc_start"));  // not defined here
}

INSTANTIATE_TEST_SUITE_P(Fixtures, FinderOnBinary,
                         ::testing::Values(BinaryCase{"pie", ".dynsym", "-D"},
                                           BinaryCase{"pie.exported", ".dynsym", "-D"},
                                           BinaryCase{"exec", ".symtab", ""}),
                         [](const auto& instance) {
                           std::string name = instance.param.file;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

TEST(Finder, KnowsStaticFunctionsFromSymtab) {
  Finder finder = open_finder(fixture("pie"));
  const auto found = finder.functions("static_function");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].table, ".symtab");
  EXPECT_EQ(found[0].address, nm_address("", fixture("pie"), "_ZL15static_functioni"));
  EXPECT_THAT(names(finder.functions("(anonymous namespace)::dispatch_command")),
              ElementsAre("(anonymous namespace)::dispatch_command(char const*)"));
}

TEST(Finder, LeavesLambdasAndLocalClassesAlone) {
  Finder finder = open_finder(fixture("exec"));
  const auto misses = finder.near_misses("dispatch_command");
  EXPECT_THAT(misses, Contains(AllOf(HasSubstr("'lambda'(int)::operator()(int) const"),
                                     HasSubstr("[local to another function]"))));
  EXPECT_THAT(misses, Contains(fmt::format("{}::Local::dispatch_command(int) "
                                           "[local to another function]",
                                           kDispatch)));
  EXPECT_THAT(misses,
              Contains("(anonymous namespace)::dispatch_command(char const*) [another scope]"));
  EXPECT_THAT(finder.functions("operator()"), IsEmpty());
}

TEST(Finder, SumsUpItsTables) {
  const Finder exported = open_finder(fixture("pie.exported"));
  EXPECT_THAT(exported.tables_summary(),
              ::testing::MatchesRegex("\\.dynsym \\([1-9][0-9]* functions\\), no \\.symtab"));
}

TEST(Finder, KnowsWhetherItHasAllNames) {
  EXPECT_TRUE(open_finder(fixture("pie")).has_all_names());
  Finder exported = open_finder(fixture("pie.exported"));
  EXPECT_FALSE(exported.has_all_names());
  EXPECT_THAT(exported.debug_file_attempts(), Not(IsEmpty()));
}

}  // namespace
}  // namespace dbtrace::symbols
