#include "symbols/demangle.h"

#include <gmock/gmock.h>

#include "symbols/demangled_size.h"
#include "tests/unit/symbols/fixture.h"

namespace dbtrace::symbols {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Demangle, GivesWhatTheProfilesCompareWith) {
  EXPECT_EQ(demangle(test::kDispatchRaw), test::kDispatch);
  EXPECT_EQ(demangle("_Z16dispatch_command19enum_server_commandP3THDPcjb"),
            "dispatch_command(enum_server_command, THD*, char*, unsigned int, bool)");
}

TEST(Demangle, LeavesOutVersionAndCloneSuffix) {
  EXPECT_EQ(demangle("_Z1fi@@LIB_1.0"), "f(int)");
  EXPECT_EQ(demangle("_Z1fi.part.0.cold"), "f(int)");
  EXPECT_EQ(demangle("_Z1fi.llvm.1234"), "f(int)");
}

TEST(Demangle, RefusesWhatIsNotMangled) {
  EXPECT_EQ(demangle(""), std::nullopt);
  EXPECT_EQ(demangle("main"), std::nullopt);
  EXPECT_EQ(demangle("_Z"), std::nullopt);
  EXPECT_EQ(demangle("_Z99f"), std::nullopt);
}

TEST(Demangle, SurvivesNestingThatWouldExhaustTheStack) {
  for (const size_t depth : {1000U, 4000U, 100'000U, 10'000'000U}) {
    EXPECT_EQ(demangle("_Z1f" + std::string(depth, 'P') + "i").has_value(), depth <= 4000);
  }
}

// A<int, int>, A<that, that>, …: each level names the last one twice, by its
// number in base 36.
std::string doubling_name(int levels) {
  static constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const auto reference = [](int number) {
    std::string text;
    if (number >= 36) text += kDigits[static_cast<size_t>(number / 36)];
    return "S" + text + kDigits[static_cast<size_t>(number % 36)] + "_";
  };
  std::string raw = "_Z1f1AIiiE";
  for (int i = 0; i < levels; ++i) raw += "S_I" + reference(i) + reference(i) + "E";
  return raw;
}

TEST(Demangle, RefusesReferencesThatDoubleTheNameEachTime) {
  const auto small = demangle(doubling_name(10));
  ASSERT_TRUE(small.has_value());
  EXPECT_GT(small->size(), 1024U * 4);
  for (const int levels : {20, 40, 100}) {
    EXPECT_EQ(demangle(doubling_name(levels)), std::nullopt);
    EXPECT_GT(demangled_size_limit(doubling_name(levels)), 4U << 20);
  }
}

TEST(Demangle, TakesManyReferencesThatStaySmall) {
  std::string raw = "_Z1f1AIiE";
  for (int i = 0; i < 60; ++i) raw += "1AIS" + std::string(i == 0 ? "" : "0") + "_S_E";
  const auto name = demangle(raw);
  ASSERT_TRUE(name.has_value());
  EXPECT_GE(demangled_size_limit(raw), name->size());
}

TEST(DemangledSize, IsNoLessThanTheName) {
  for (const char* raw :
       {test::kDispatchRaw, "_ZN1A1fEiz", "_Z1fIJiclEEvDpT_", "_ZNKSt6vectorIiSaIiEEixEm",
        "_ZZ1fiENKUliE_clEi", "_ZThn8_N1A1fEv", "_Z1fIiEDTcl1gfp_EET_"}) {
    const auto name = demangle(raw);
    ASSERT_TRUE(name.has_value()) << raw;
    EXPECT_GE(demangled_size_limit(raw), name->size()) << raw;
  }
  EXPECT_EQ(demangled_size_limit("_Z"), 0U);
}

TEST(CloneSuffix, BeginsAtTheFirstDot) {
  EXPECT_EQ(clone_suffix("_Z1fi"), "");
  EXPECT_EQ(clone_suffix("_Z1fi.cold"), ".cold");
  EXPECT_EQ(clone_suffix("_Z1fi.part.0.cold"), ".part.0.cold");
  EXPECT_EQ(clone_suffix("f.constprop.0@@V1.2"), ".constprop.0");
  EXPECT_EQ(clone_suffix("f@@V1.2"), "");
  EXPECT_EQ(clone_suffix(".Llabel"), "");
  EXPECT_EQ(clone_suffix(""), "");
}

struct NameCase {
  const char* full;
  const char* scope;
  const char* base;
  std::vector<std::string> parameters;
  bool has_parameters = true;
  bool is_local = false;
};

class ParseFunctionName : public ::testing::TestWithParam<NameCase> {};

TEST_P(ParseFunctionName, TakesApart) {
  const NameCase& expected = GetParam();
  const FunctionName name = parse_function_name(expected.full);
  EXPECT_EQ(name.full, expected.full);
  EXPECT_EQ(name.scope, expected.scope);
  EXPECT_EQ(name.base, expected.base);
  EXPECT_EQ(name.parameters, expected.parameters);
  EXPECT_EQ(name.has_parameters, expected.has_parameters);
  EXPECT_EQ(name.is_local, expected.is_local);
}

INSTANTIATE_TEST_SUITE_P(
    Functions, ParseFunctionName,
    ::testing::Values(
        NameCase{"main", "", "main", {}, false}, NameCase{"f()", "", "f", {}},
        NameCase{test::kDispatch,
                 "",
                 "dispatch_command",
                 {"THD*", "COM_DATA const*", "enum_server_command"}},
        NameCase{"xpl::dispatcher::dispatch_command(THD&, int)",
                 "xpl::dispatcher",
                 "dispatch_command",
                 {"THD&", "int"}},
        NameCase{
            "(anonymous namespace)::f(char const*)", "(anonymous namespace)", "f", {"char const*"}},
        NameCase{"a::(anonymous namespace)::B::f()", "a::(anonymous namespace)::B", "f", {}},
        NameCase{"Item::type() const", "Item", "type", {}},
        NameCase{"Item::type() const &", "Item", "type", {}},
        NameCase{"THD::~THD()", "THD", "~THD", {}}, NameCase{"void f<int>(int)", "", "f", {"int"}},
        NameCase{"std::vector<int, std::allocator<int>> const& a::f<(b)1>(int)", "a", "f", {"int"}},
        NameCase{
            "unsigned long Map<int, char>::at<X>(X const&)", "Map<int, char>", "at", {"X const&"}},
        NameCase{"f[abi:cxx11](int)", "", "f", {"int"}},
        NameCase{"f(void (*)(int, char), std::map<int, A>, ...)",
                 "",
                 "f",
                 {"void (*)(int, char)", "std::map<int, A>", "..."}},
        NameCase{"decltype((a) < (b)) f<int>(int)", "", "f", {"int"}},
        NameCase{"f(A<(1) > (0)>)", "", "f", {"A<(1) > (0)>"}}));

INSTANTIATE_TEST_SUITE_P(
    Operators, ParseFunctionName,
    ::testing::Values(
        NameCase{"A::operator()(int)", "A", "operator()", {"int"}},
        NameCase{"operator new(unsigned long)", "", "operator new", {"unsigned long"}},
        NameCase{"A::operator new[](unsigned long)", "A", "operator new[]", {"unsigned long"}},
        NameCase{"operator<<(A&, int)", "", "operator<<", {"A&", "int"}},
        NameCase{"operator<(A, A)", "", "operator<", {"A", "A"}},
        NameCase{"A::operator->() const", "A", "operator->", {}},
        NameCase{"A::operator bool() const", "A", "operator bool", {}},
        NameCase{"A::operator std::vector<int>()", "A", "operator std::vector<int>", {}},
        NameCase{
            "operator\"\" _ms(unsigned long long)", "", "operator\"\" _ms", {"unsigned long long"}},
        NameCase{"operator_of(int)", "", "operator_of", {"int"}}));

INSTANTIATE_TEST_SUITE_P(
    LocalEntities, ParseFunctionName,
    ::testing::Values(
        NameCase{"f(int)::'lambda'(int)::operator()(int) const",
                 "f(int)::'lambda'(int)",
                 "operator()",
                 {"int"},
                 true,
                 true},
        NameCase{"f(int)::{lambda(int)#1}::operator()(int) const",
                 "f(int)::{lambda(int)#1}",
                 "operator()",
                 {"int"},
                 true,
                 true},
        NameCase{"A::f() const::Local::f(int)", "A::f() const::Local", "f", {"int"}, true, true},
        NameCase{"f(int)::counter", "f(int)", "counter", {}, false, true},
        NameCase{"auto f<int>(int)::'lambda0'(auto)::operator()<char>(auto) const",
                 "f<int>(int)::'lambda0'(auto)",
                 "operator()",
                 {"auto"},
                 true,
                 true},
        // The lambda is an argument of the template, not around the function.
        NameCase{"std::handler<f()::'lambda'()>::call(int)",
                 "std::handler<f()::'lambda'()>",
                 "call",
                 {"int"}}));

// What is no function's name, or is broken, stays whole.
INSTANTIATE_TEST_SUITE_P(
    LeftAlone, ParseFunctionName,
    ::testing::Values(
        NameCase{"", "", "", {}, false}, NameCase{"vtable for A", "", "vtable for A", {}, false},
        NameCase{"non-virtual thunk to A::f()", "", "non-virtual thunk to A::f()", {}, false},
        NameCase{"guard variable for f()::x", "", "guard variable for f()::x", {}, false},
        NameCase{"f(int", "", "f(int", {}, false}, NameCase{"f<int", "", "f<int", {}, false},
        NameCase{"f(]", "", "f(]", {}, false}, NameCase{"::", "", "::", {}, false},
        NameCase{"'", "", "'", {}, false}));

TEST(ParseFunctionName, IsLinearInBrackets) {
  const std::string deep(1'000'000, '(');
  EXPECT_EQ(parse_function_name(deep).base, deep);
  EXPECT_THAT(parse_function_name("f" + std::string(100'000, '<')).parameters, IsEmpty());
  EXPECT_THAT(parse_function_name("f(" + std::string(3, ',') + ")").parameters,
              ElementsAre("", "", ""));
}

}  // namespace
}  // namespace dbtrace::symbols
