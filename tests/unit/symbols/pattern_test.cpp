// What people type, and what it means.
#include "symbols/pattern.h"

#include <gmock/gmock.h>

#include "symbols/glob.h"
#include "symbols/pattern_text.h"
#include "symbols/type_text.h"

namespace dbtrace::symbols {
namespace {

using ::testing::HasSubstr;

bool matches(std::string_view typed, std::string_view raw) {
  const auto pattern = Pattern::parse(typed);
  size_t cost = 0;
  return pattern && pattern->matches(raw, cost);
}

struct MatchCase {
  const char* typed;
  const char* raw;
  bool matches;
};

class PatternMatches : public ::testing::TestWithParam<MatchCase> {};

TEST_P(PatternMatches, AsAPersonExpects) {
  const MatchCase& example = GetParam();
  EXPECT_EQ(matches(example.typed, example.raw), example.matches)
      << example.typed << " and " << example.raw;
}

// f(int), a::b::f(int), a::(anonymous namespace)::f(int), f<int>(int), f[abi:x](int)
constexpr const char* kF = "_Z1fi";
constexpr const char* kScoped = "_ZN1a1b1fEi";
constexpr const char* kAnonymous = "_ZN1a12_GLOBAL__N_11fEi";
constexpr const char* kTemplate = "_Z1fIiEvT_";
constexpr const char* kTagged = "_Z1fB1xi";
constexpr const char* kLambda =
    "_ZZ1fiENKUliE_clEi";  // f(int)::'lambda'(int)::operator()(int) const
constexpr const char* kDispatch = "_Z16dispatch_commandP3THDPK8COM_DATA19enum_server_command";

// bpftrace 2186: `main` also hit main_test().
INSTANTIATE_TEST_SUITE_P(
    Exact, PatternMatches,
    ::testing::Values(MatchCase{"f", kF, true}, MatchCase{"f", "_Z2ffi", false},
                      MatchCase{"main", "_Z9main_testv", false}, MatchCase{"main", "main", true},
                      MatchCase{"main", "main_test", false}, MatchCase{"mai", "main", false},
                      MatchCase{" main ", "main", true},
                      MatchCase{"dispatch_command", kDispatch, true},
                      MatchCase{"dispatch_comman", kDispatch, false},
                      MatchCase{"ispatch_command", kDispatch, false},
                      MatchCase{"THD", kDispatch, false}));

INSTANTIATE_TEST_SUITE_P(
    Scopes, PatternMatches,
    ::testing::Values(MatchCase{"f", kScoped, true}, MatchCase{"b::f", kScoped, true},
                      MatchCase{"a::b::f", kScoped, true}, MatchCase{"::a::b::f", kScoped, true},
                      MatchCase{"::b::f", kScoped, false}, MatchCase{"::f", kScoped, false},
                      MatchCase{"::f", kF, true}, MatchCase{"a::f", kScoped, false},
                      MatchCase{"x::a::b::f", kScoped, false}, MatchCase{"a::f", kF, false},
                      MatchCase{"a::f", kAnonymous, true},
                      MatchCase{"a::(anonymous namespace)::f", kAnonymous, true},
                      MatchCase{"(anonymous namespace)::f", kAnonymous, true},
                      MatchCase{"(anonymous namespace)::f", kScoped, false},
                      MatchCase{"::f", kAnonymous, false},
                      MatchCase{"std::sort", "_ZNSt8__detail4sortEv", false},
                      MatchCase{"std::getline", "_ZSt7getlinev", true},
                      MatchCase{"std::f", "_ZNSt7__cxx111fEv", true}));

INSTANTIATE_TEST_SUITE_P(
    Parameters, PatternMatches,
    ::testing::Values(
        MatchCase{"f(int)", kF, true}, MatchCase{"f( int )", kF, true},
        MatchCase{"f(signed)", kF, true}, MatchCase{"f(long)", kF, false},
        MatchCase{"f()", kF, false}, MatchCase{"f()", "_Z1fv", true},
        MatchCase{"f(void)", "_Z1fv", true}, MatchCase{"f(const char*)", "_Z1fPKc", true},
        MatchCase{"f(char const *)", "_Z1fPKc", true}, MatchCase{"f(char*)", "_Z1fPKc", false},
        MatchCase{"f(std::string const&)", "_Z1fRKSs", true},
        MatchCase{"f(const std::string &)",
                  "_Z1fRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", true},
        MatchCase{"f(long unsigned int)", "_Z1fm", true},
        MatchCase{"dispatch_command(THD*, const COM_DATA*, enum enum_server_command)", kDispatch,
                  true},
        MatchCase{"dispatch_command(THD*)", kDispatch, false},
        MatchCase{"A::f() const", "_ZNK1A1fEv", true}, MatchCase{"A::f()", "_ZNK1A1fEv", true},
        MatchCase{"A::f() const", "_ZN1A1fEv", false}));

INSTANTIATE_TEST_SUITE_P(
    TemplatesAndTags, PatternMatches,
    ::testing::Values(MatchCase{"f", kTemplate, true}, MatchCase{"f<int>", kTemplate, true},
                      MatchCase{"f< signed int >", kTemplate, true},
                      MatchCase{"f<long>", kTemplate, false}, MatchCase{"f<int>", kF, false},
                      MatchCase{"void f<int>(int)", kTemplate, true},
                      MatchCase{"Map::at", "_ZN3MapIicE2atEi", true},
                      MatchCase{"Map<int, char>::at", "_ZN3MapIicE2atEi", true},
                      MatchCase{"Map<int, int>::at", "_ZN3MapIicE2atEi", false},
                      MatchCase{"f", kTagged, true}, MatchCase{"f[abi:x]", kTagged, true},
                      MatchCase{"f[abi:y]", kTagged, false},
                      MatchCase{"f[abi:x](int)", kTagged, true}, MatchCase{"f[abi:x]", kF, false}));

INSTANTIATE_TEST_SUITE_P(
    Specials, PatternMatches,
    ::testing::Values(
        MatchCase{"A::A", "_ZN1AC1Ev", true}, MatchCase{"A::A", "_ZN1AC2Ev", true},
        MatchCase{"A::~A", "_ZN1AD0Ev", true}, MatchCase{"~A", "_ZN1AD0Ev", true},
        MatchCase{"A::~A", "_ZN1AC1Ev", false},
        MatchCase{"std::string::string", "_ZNSsC1Ev", false},
        MatchCase{"basic_string", "_ZNSsC1Ev", true}, MatchCase{"A::operator*", "_ZN1AmlEi", true},
        MatchCase{"A::operator()", "_ZN1AclEi", true}, MatchCase{"operator[]", "_ZN1AixEi", true},
        MatchCase{"A::operator bool", "_ZNK1AcvbEv", true},
        MatchCase{"A::operator unsigned long", "_ZNK1AcvmEv", true},
        MatchCase{"operator new", "_Znwm", true}, MatchCase{"operator new", "_Znam", false},
        MatchCase{"operator<", "_Zlt1AS_", true}, MatchCase{"operator<", "_Zls1AS_", false},
        MatchCase{"f", kLambda, false}, MatchCase{"operator()", kLambda, false},
        MatchCase{"f(int)::'lambda'(int)::operator()", kLambda, true},
        MatchCase{"non-virtual thunk to A::f()", "_ZThn8_N1A1fEv", true}));

INSTANTIATE_TEST_SUITE_P(
    ClonesAndRawNames, PatternMatches,
    ::testing::Values(MatchCase{"f", "_Z1fi.constprop.0", true}, MatchCase{"f", "f.isra.0", true},
                      MatchCase{"f.isra.0", "f.isra.0", true},
                      MatchCase{"f.isra.0", "f.isra.1", false}, MatchCase{"f.isra.0", "f", false},
                      MatchCase{"f(int) [clone .part.0]", "_Z1fi.part.0", true},
                      MatchCase{"f.part.0", "_Z1fi.part.0", true}, MatchCase{kF, kF, true},
                      MatchCase{kF, "_Z1fii", false}, MatchCase{kF, "_Z1fi.part.0", false},
                      MatchCase{"_Z1fi.part.0", "_Z1fi.part.0", true}, MatchCase{"_Z1f*", kF, true},
                      MatchCase{"_Z1f?", "_Z1fii", false}));

INSTANTIATE_TEST_SUITE_P(
    Globs, PatternMatches,
    ::testing::Values(
        MatchCase{"f*", kF, true}, MatchCase{"f*", "foo", true}, MatchCase{"f*", kScoped, false},
        MatchCase{"*f", kScoped, true}, MatchCase{"a::*", kScoped, true},
        MatchCase{"a::*::f", kScoped, true}, MatchCase{"dispatch_*", kDispatch, true},
        MatchCase{"*THD*", kDispatch, false}, MatchCase{"*(*THD*)", kDispatch, true},
        MatchCase{"d*(THD*, *)", kDispatch, true}, MatchCase{"dispatch_?ommand", kDispatch, true},
        MatchCase{"dispatch_[a-c]ommand", kDispatch, true},
        MatchCase{"dispatch_[!a-c]ommand", kDispatch, false},
        MatchCase{"Map::*", "_ZN3MapIicE2atEi", true},
        MatchCase{"Map<*>::at", "_ZN3MapIicE2atEi", true}, MatchCase{"a::f*", kAnonymous, true},
        MatchCase{"f*", kTagged, true}, MatchCase{"f", kTagged, true}, MatchCase{"*", kF, true},
        MatchCase{"f.*", "_Z1fi.part.0", true}, MatchCase{"f*", "f.part.0", true},
        MatchCase{"*::operator=*", "_ZN1AeqEi", true},
        MatchCase{"A::operator=*", "_ZN1AmlEi", false}, MatchCase{"*string*", "_ZNSsC1Ev", true}));

INSTANTIATE_TEST_SUITE_P(
    Regexes, PatternMatches,
    ::testing::Values(MatchCase{"/dispatch|close/", kDispatch, true},
                      MatchCase{"/^dispatch_command\\(THD\\*/", kDispatch, true},
                      MatchCase{"/^ispatch/", kDispatch, false}, MatchCase{"/^f$/", "f", true},
                      MatchCase{"/::f\\(int\\)$/", kScoped, true}));

TEST(Pattern, KnowsItsForm) {
  const auto form = [](std::string_view typed) { return Pattern::parse(typed)->form(); };
  using Form = Pattern::Form;
  EXPECT_EQ(form("f"), Form::Name);
  EXPECT_EQ(form("f(int*)"), Form::Name);
  EXPECT_EQ(form("A<B*>::f"), Form::Name);
  EXPECT_EQ(form("A::operator*"), Form::Name);
  EXPECT_EQ(form("operator[]"), Form::Name);
  EXPECT_EQ(form("f[abi:cxx11]"), Form::Name);
  EXPECT_EQ(form("f*"), Form::Glob);
  EXPECT_EQ(form("A<*>::f"), Form::Glob);
  EXPECT_EQ(form("f[12]"), Form::Glob);
  EXPECT_EQ(form("*::operator*"), Form::Glob);
  EXPECT_EQ(form("_Z1fi"), Form::Raw);
  EXPECT_EQ(form("/f/"), Form::Regex);
  EXPECT_EQ(form("0x1f"), Form::Address);
  EXPECT_EQ(form("0xzz"), Form::Name);
  EXPECT_EQ(Pattern::parse("0x1F")->address(), 0x1fU);
  EXPECT_EQ(Pattern::parse("0x1ffffffffffffffff")->form(), Form::Name);  // no 64-bit number
}

TEST(Pattern, ComparesVersions) {
  const auto any = Pattern::parse("f");
  EXPECT_TRUE(any->accepts_version("V1", false));
  EXPECT_TRUE(any->accepts_version("", true));
  const auto one = Pattern::parse("f@V1");
  EXPECT_EQ(one->name(), "f");
  EXPECT_TRUE(one->accepts_version("V1", false));
  EXPECT_TRUE(one->accepts_version("V1", true));
  EXPECT_FALSE(one->accepts_version("V12", true));
  EXPECT_FALSE(one->accepts_version("", true));
  const auto defaults = Pattern::parse("f@@V1");
  EXPECT_TRUE(defaults->accepts_version("V1", true));
  EXPECT_FALSE(defaults->accepts_version("V1", false));
}

TEST(Pattern, AsksForPartsOnlyByTheirSuffix) {
  EXPECT_FALSE(Pattern::parse("f")->asks_for_suffix(".part.0"));
  EXPECT_FALSE(Pattern::parse("f*")->asks_for_suffix(".part.0"));
  EXPECT_FALSE(Pattern::parse("/f.part/")->asks_for_suffix(".part.0"));
  EXPECT_TRUE(Pattern::parse("f.part.0")->asks_for_suffix(".part.0"));
  EXPECT_FALSE(Pattern::parse("f.part.0")->asks_for_suffix(".part.1"));
  EXPECT_TRUE(Pattern::parse("f.part.*")->asks_for_suffix(".part.0"));
  EXPECT_TRUE(Pattern::parse("_Z1fi.cold")->asks_for_suffix(".cold"));
}

TEST(Pattern, SaysWhatIsWrong) {
  const auto error = [](std::string_view typed) {
    const auto pattern = Pattern::parse(typed);
    return pattern ? std::string() : pattern.error().message;
  };
  EXPECT_THAT(error(""), HasSubstr("empty"));
  EXPECT_THAT(error("  "), HasSubstr("empty"));
  EXPECT_THAT(error("/(/"), HasSubstr("not a regular expression"));
  EXPECT_THAT(error("/f"), HasSubstr("slashes"));
  EXPECT_THAT(error("/"), HasSubstr("slashes"));
  EXPECT_THAT(error(std::string(100'000, 'x')), HasSubstr("too long"));
}

// A needle that is not in every matching raw name would hide functions.
TEST(Needle, IsOnlyWhatMangledNamesSpell) {
  EXPECT_EQ(Pattern::parse("a::dispatch")->needle(), "dispatch");
  EXPECT_EQ(Pattern::parse("A::~A")->needle(), "A");
  EXPECT_EQ(Pattern::parse("operator new")->needle(), "");
  EXPECT_EQ(Pattern::parse("allocator")->needle(), "");
  EXPECT_EQ(Pattern::parse("/f/")->needle(), "");
  EXPECT_EQ(needle_of_glob("*dispatch*"), "dispatch");
  EXPECT_EQ(needle_of_glob("row_*::search_for_mysql"), "search_for_mysql");
  EXPECT_EQ(needle_of_glob("*lambda*"), "");
  EXPECT_EQ(needle_of_glob("*lambda12*"), "");
  EXPECT_EQ(needle_of_glob("*string*"), "");
  EXPECT_EQ(needle_of_glob("*ring*"), "");  // in "string"
  EXPECT_EQ(needle_of_glob("*unsigned*"), "");
  EXPECT_EQ(needle_of_glob("*1ul*"), "");
  EXPECT_EQ(needle_of_glob("f[abc]g"), "");
  EXPECT_EQ(needle_of_glob("do[abcdefgh]it"), "");
}

TEST(Glob, MatchesAllOfTheText) {
  EXPECT_TRUE(glob_matches("", ""));
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_FALSE(glob_matches("?", ""));
  EXPECT_TRUE(glob_matches("a*b*c", "aXbXbXc"));
  EXPECT_FALSE(glob_matches("a*b*c", "aXbXbX"));
  EXPECT_TRUE(glob_matches("[]]", "]"));
  EXPECT_TRUE(glob_matches("[a-", "[a-"));
  EXPECT_TRUE(glob_matches("[a-]", "-"));
  EXPECT_TRUE(glob_matches("[!a]", "b"));
  EXPECT_FALSE(glob_matches("[!a]", "a"));
  EXPECT_FALSE(glob_matches("ab", "a"));
}

TEST(Glob, StaysQuickWhereItCannotMatch) {
  std::string pattern;
  for (int i = 0; i < 1000; ++i) pattern += "*a";
  EXPECT_FALSE(glob_matches(pattern + "b", std::string(4000, 'a')));
}

TEST(CanonicalTypes, AreOneSpelling) {
  EXPECT_EQ(canonical_types("(const char *, unsigned)"), "(char const*,unsigned int)");
  EXPECT_EQ(canonical_types("(long long unsigned int)"), "(unsigned long long)");
  EXPECT_EQ(canonical_types("(unsigned long long)"), "(unsigned long long)");
  EXPECT_EQ(canonical_types("(short int, signed char, long double)"),
            "(short,signed char,long double)");
  EXPECT_EQ(canonical_types("(const A::B<const int> &)"), "(A::B<int const>const&)");
  EXPECT_EQ(canonical_types("(A::B<int const> const&)"), "(A::B<int const>const&)");
  EXPECT_EQ(canonical_types("(char const* const)"), "(char const*const)");
  EXPECT_EQ(canonical_types("<A<int> >"), "<A<int>>");
  EXPECT_EQ(canonical_types(""), "");
}

}  // namespace
}  // namespace dbtrace::symbols
