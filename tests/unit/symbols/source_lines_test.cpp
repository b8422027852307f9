// Lines of source and inlined functions: known ones, and all against binutils' addr2line.
#include "symbols/source_lines.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "tests/unit/symbols/fixture.h"
#include "tests/unit/symbols/tracee.h"

namespace dbtrace::symbols {
namespace {

using test::fixture;
// "FUNCTION FILE:LINE", innermost first.
using Frames = std::vector<std::string>;

Frames text(const std::vector<SourceFrame>& frames) {
  Frames result;
  for (const SourceFrame& frame : frames) result.push_back(frame.function + " " + frame.line);
  return result;
}

SourceLines open_lines(const std::string& name) {
  auto lines = SourceLines::open(test::open_file(fixture(name)));
  EXPECT_TRUE(lines) << name;
  return std::move(*lines);
}

// The addresses of `function`, one a byte, in a file that is not stripped.
std::vector<uint64_t> addresses_of(const std::string& name, const std::string& function) {
  std::vector<uint64_t> addresses;
  for (const std::string& line : test::output_of(
           fmt::format("nm --print-size '{}' | grep ' {}$'", fixture(name), function))) {
    uint64_t start = 0;
    uint64_t size = 0;
    if (std::sscanf(line.c_str(), "%lx %lx", &start, &size) != 2) continue;
    for (uint64_t i = 0; i < size; ++i) addresses.push_back(start + i);
  }
  return addresses;
}

// The answers at all addresses of `function`, each once.
std::vector<Frames> answers(const std::string& name, const std::string& function) {
  SourceLines lines = open_lines(name);
  std::vector<Frames> result;
  for (const uint64_t address : addresses_of(name, function)) {
    const Frames frames = text(lines.at(address));
    if (std::find(result.begin(), result.end(), frames) == result.end()) result.push_back(frames);
  }
  return result;
}

class SourceLinesOf : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(fixture(GetParam()))) GTEST_SKIP() << "its compiler is missing";
  }
};

TEST_P(SourceLinesOf, EveryKindOfScope) {
  EXPECT_THAT(answers(GetParam(), "chain"),
              ::testing::Contains(Frames{
                  "(anonymous namespace)::hidden lines.cpp:9",
                  "(anonymous namespace)::Local::method lines.cpp:13",
                  "outer::inner::internal lines.cpp:21",
                  "outer::templated<int>(int)::'lambda'(int)::operator() lines.cpp:27",
                  "outer::templated lines.cpp:29",
                  "chain lines.cpp:34",
              }));
  EXPECT_THAT(answers(GetParam(), "blocks"), ::testing::Contains(Frames{
                                                 "(anonymous namespace)::hidden lines.cpp:9",
                                                 "blocks lines.cpp:40",
                                             }));
}

// At each address, what addr2line says: the lines, from the innermost function outwards.
TEST_P(SourceLinesOf, EveryAddress) {
  std::vector<uint64_t> addresses;
  for (const char* function : {"chain", "blocks", "main"}) {
    const auto more = addresses_of(GetParam(), function);
    addresses.insert(addresses.end(), more.begin(), more.end());
  }
  std::vector<Frames> expected;
  for (const std::string& line :
       test::output_of(fmt::format("addr2line --addresses --inlines --basenames -e '{}' {:#x}",
                                   fixture(GetParam()), fmt::join(addresses, " ")))) {
    if (line.starts_with("0x")) {
      expected.emplace_back();
      continue;
    }
    // Without "(discriminator 1)"; "?" is a line that is not told.
    const std::string place = line.substr(0, line.find(' '));
    expected.back().push_back(place.substr(0, place.find(":?")));
  }
  ASSERT_EQ(expected.size(), addresses.size());

  SourceLines lines = open_lines(GetParam());
  size_t inlined = 0;
  for (size_t i = 0; i < addresses.size(); ++i) {
    Frames found;
    for (const SourceFrame& frame : lines.at(addresses[i])) found.push_back(frame.line);
    EXPECT_EQ(found, expected[i]) << fmt::format("{:#x}", addresses[i]);
    inlined += found.size() > 2;
  }
  EXPECT_GE(inlined, 3U);
}

INSTANTIATE_TEST_SUITE_P(All, SourceLinesOf,
                         ::testing::Values("lines", "lines.dwarf4", "lines.compressed", "lines.dwz",
                                           "lines.clang", "aarch64.lines"),
                         [](const auto& file) {
                           std::string name = file.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

TEST(SourceLines, AreNotInStrippedFiles) {
  EXPECT_FALSE(SourceLines::open(test::open_file(fixture("pie.exported"))));
  EXPECT_FALSE(SourceLines::open(test::open_file(fixture("tracee"))));
}

TEST(SourceLines, KnowNothingElsewhere) {
  SourceLines lines = open_lines("lines");
  EXPECT_TRUE(lines.at(0).empty());
  EXPECT_TRUE(lines.at(UINT64_MAX).empty());
}

// Whatever a file says, asking ends and does no harm.
TEST(SourceLines, SurviveDamage) {
  const std::vector<uint64_t> addresses = addresses_of("lines", "chain");
  const test::Bytes sound = test::read_bytes(fixture("lines"));
  // Where debug information lies: behind all that is loaded.
  const size_t begin = sound.size() / 2;
  test::TemporaryFolder folder;
  std::mt19937_64 random(1);
  size_t answered = 0;
  for (int round = 0; round < 300; ++round) {
    test::Bytes bytes = sound;
    for (uint64_t changes = random() % 20; changes-- > 0;)
      bytes[begin + random() % (bytes.size() - begin)] = static_cast<uint8_t>(random());
    test::write_bytes(folder / "damaged", bytes);
    const auto file = ElfFile::open((folder / "damaged").string());
    auto lines = file ? SourceLines::open(*file) : fail("no ELF file");
    if (!lines) continue;
    for (const uint64_t address : addresses) answered += lines->at(address).size() > 1;
  }
  EXPECT_GT(answered, 300U);
}

// From the debug file, of a process.
TEST(SourceLines, OfAProcess) {
  test::TemporaryFolder folder;
  test::copy_to(fixture("tracee.lines.stripped"), folder / "tracee");
  test::copy_to(fixture("tracee.lines.debug"), folder / "tracee.lines.debug");
  const test::Tracee tracee((folder / "tracee").string());
  Symbolizer symbolizer;
  const auto frames = symbolizer.source(tracee.pid(), tracee.address("exported"));
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].function, "exported");
  EXPECT_THAT(frames[0].line, ::testing::MatchesRegex("tracee.cpp:[0-9]+"));
  EXPECT_TRUE(symbolizer.source(tracee.pid(), 0).empty());
}

TEST(SourceLines, WithoutDebugInformationThereIsTheFunction) {
  const test::Tracee tracee(fixture("tracee"));
  Symbolizer symbolizer;
  EXPECT_EQ(text(symbolizer.source(tracee.pid(), tracee.address("exported"))), Frames{"exported "});
}

}  // namespace
}  // namespace dbtrace::symbols
