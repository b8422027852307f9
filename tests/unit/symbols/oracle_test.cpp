// The library's answers against those of elfutils, binutils and LLVM's own
// demangler, on real servers and libraries, as far as they are installed.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "symbols/demangle.h"
#include "tests/unit/symbols/fixture.h"

namespace dbtrace::symbols {
namespace {

using ::testing::SizeIs;

using AddressedNames = std::set<std::pair<uint64_t, std::string>>;

std::string mysql9() {
  const char* cache = std::getenv("DBTRACE_TEST_CACHE");
  return fmt::format("{}/mysql9/usr/sbin/mysqld", cache ? cache : "/var/cache/dbtrace-tests");
}

std::string library(const std::string& name) {
  const std::string text = test::output_of("gcc -print-file-name=" + name).at(0);
  return std::filesystem::exists(text) ? std::filesystem::canonical(text).string() : text;
}

bool is_part(std::string_view raw) {
  return raw.find(".cold") != std::string_view::npos ||
         raw.find(".part.") != std::string_view::npos;
}

// All functions in the symbol tables of `path`, by `eu-readelf -s`:
//   12: 00000000000a1b20    265 FUNC    GLOBAL DEFAULT       14 name@@VERSION
AddressedNames readelf_functions(const std::string& path) {
  AddressedNames result;
  for (const std::string& line : test::output_of(fmt::format("eu-readelf -s '{}'", path))) {
    unsigned long address = 0;
    std::array<char, 16> type{};
    std::array<char, 16> section{};
    int name_at = 0;
    if (std::sscanf(line.c_str(), " %*d: %lx %*d %15s %*s %*s %15s %n", &address, type.data(),
                    section.data(), &name_at) != 3 ||
        name_at == 0)
      continue;
    const std::string_view kind = type.data();
    const bool is_function = kind == "FUNC" || kind == "GNU_IFUNC";
    if (!is_function || std::string_view(section.data()) == "UNDEF" || address == 0) continue;
    std::string name = line.substr(static_cast<size_t>(name_at));
    name.resize(std::min(name.find('@'), name.size()));
    if (!name.empty() && !is_part(name)) result.emplace(address, name);
  }
  return result;
}

AddressedNames found_functions(Finder& finder) {
  AddressedNames result;
  for (const Location& location : finder.match(*Pattern::parse("*")).locations) {
    EXPECT_EQ(location.offset, finder.binary().file_offset(location.address));
    for (const SymbolName& name : location.names)
      if (name.matches) result.emplace(location.address, name.raw);
  }
  return result;
}

// What is in one and not in the other, for a readable failure.
std::vector<std::string> missing(const AddressedNames& from, const AddressedNames& in) {
  std::vector<std::string> result;
  for (const auto& [address, name] : from)
    if (!in.contains({address, name})) result.push_back(fmt::format("{:#x} {}", address, name));
  if (result.size() > 10) result.resize(10);
  return result;
}

class Oracle : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(GetParam())) GTEST_SKIP() << GetParam() << " is not installed";
  }
};

TEST_P(Oracle, FunctionsAreThoseOfReadelf) {
  Finder finder = test::open_finder(GetParam());
  const AddressedNames found = found_functions(finder);
  AddressedNames expected = readelf_functions(GetParam());
  for (const DebugFileAttempt& attempt : finder.debug_file_attempts())
    if (attempt.used) expected.merge(readelf_functions(attempt.path));
  ASSERT_GT(expected.size(), 100U);
  EXPECT_THAT(missing(expected, found), ::testing::IsEmpty());
  EXPECT_THAT(missing(found, expected), ::testing::IsEmpty());
}

TEST_P(Oracle, NamesAreDemangledAsLlvmDoes) {
  const std::string command = fmt::format(
      "nm --dynamic --defined-only --format=posix --without-symbol-versions '{}' | "
      "awk '$1 ~ /^_Z[^.]*$/ {{ print $1 }}'",
      GetParam());
  const std::vector<std::string> raws = test::output_of(command);
  const std::vector<std::string> expected = test::output_of(command + " | llvm-cxxfilt");
  ASSERT_EQ(raws.size(), expected.size());
  for (size_t i = 0; i < raws.size(); ++i)
    ASSERT_EQ(demangle(raws[i]).value_or(raws[i]), expected[i]) << raws[i];
}

std::string short_name(const ::testing::TestParamInfo<std::string>& instance) {
  static constexpr std::array kNames = {"mariadbd", "mysqld", "postgres", "libc", "libstdcxx"};
  return kNames.at(instance.index);
}

INSTANTIATE_TEST_SUITE_P(Installed, Oracle,
                         ::testing::Values("/usr/sbin/mariadbd", mysql9(),
                                           "/usr/lib/postgresql/15/bin/postgres",
                                           library("libc.so.6"), library("libstdc++.so.6")),
                         short_name);

class RealServer : public ::testing::TestWithParam<const char*> {};

TEST_P(RealServer, AgreesWithNm) {
  const std::string path = GetParam();
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not installed";
  Finder finder = test::open_finder(path);
  const auto found = finder.functions("dispatch_command");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].address, test::nm_address("-D", path, found[0].raw));
  EXPECT_EQ(found[0].offset, finder.binary().file_offset(found[0].address));
  EXPECT_GE(found[0].name.parameters.size(), 3U);
}

INSTANTIATE_TEST_SUITE_P(Installed, RealServer, ::testing::Values("/usr/sbin/mariadbd"));

}  // namespace
}  // namespace dbtrace::symbols
