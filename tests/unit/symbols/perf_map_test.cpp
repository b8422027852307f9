#include "symbols/perf_map.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "symbols/read_file.h"
#include "tests/unit/symbols/fixture.h"

namespace dbtrace::symbols {
namespace {

namespace fs = std::filesystem;

std::string at(const NamedRanges& map, uint64_t address) {
  const auto hit = map.find(address);
  return hit ? fmt::format("{}+{:#x}", hit->raw, address - hit->start) : "";
}

NamedRanges parse(std::string_view text) {
  auto map = parse_perf_map(text);
  if (!map) throw std::runtime_error(map.error().message);
  return std::move(*map);
}

TEST(ParsePerfMap, TakesRangesAndNamesWithSpaces) {
  const NamedRanges map = parse("7f0000001000 20 LazyCompile:~f /a b.js:1\n0x2000 0x10 g.x\n");
  EXPECT_EQ(at(map, 0x7f0000001000), "LazyCompile:~f /a b.js:1+0x0");
  EXPECT_EQ(at(map, 0x7f000000101f), "LazyCompile:~f /a b.js:1+0x1f");
  EXPECT_EQ(at(map, 0x7f0000001020), "");
  EXPECT_EQ(at(map, 0x200f), "g.x+0xf");
}

TEST(ParsePerfMap, TheLaterLineCounts) {
  const NamedRanges map = parse("1000 100 old\n1040 20 newer\n1000 10 newest\n");
  EXPECT_EQ(at(map, 0x100f), "newest+0xf");
  EXPECT_EQ(at(map, 0x1010), "old+0x10");
  EXPECT_EQ(at(map, 0x1040), "newer+0x0");
  EXPECT_EQ(at(map, 0x1060), "old+0x60");
  const NamedRanges other = parse("1040 20 old\n1000 100 over_all\n");
  EXPECT_EQ(at(other, 0x1050), "over_all+0x50");
}

TEST(ParsePerfMap, LeavesOutWhatIsNoRange) {
  const NamedRanges map = parse(
      "\n1000\n1000 10\n1000 10 \n1000 0 empty\nxyz 10 f\n1000 xyz f\n-1 10 f\n"
      "ffffffffffffffff ffffffffffffffff f\n2000 10 half a li");
  EXPECT_EQ(at(map, 0x1000), "");
  EXPECT_EQ(at(map, 0xffffffffffffffff), "");
  EXPECT_EQ(at(map, 0x2000), "");
}

class OpenPerfMap : public ::testing::Test {
 protected:
  OpenPerfMap() { fs::create_directory(folder_ / "tmp"); }

  std::string text(const PerfMapPlace& place) const {
    const auto file = open_perf_map(folder_.path(), place);
    if (!file) return file.error().message;
    return read_all(file->get(), kMaxPerfMap).value_or("unreadable");
  }

  fs::path map() const { return folder_ / "tmp/perf-7.map"; }

  test::TemporaryFolder folder_;
  PerfMapPlace place_{.pid = 7, .owner = ::geteuid()};
};

TEST_F(OpenPerfMap, OpensTheFileInTheRoot) {
  EXPECT_EQ(place_.path(), "/tmp/perf-7.map");
  EXPECT_EQ(text(place_), "not there");
  std::ofstream(map()) << "content";
  EXPECT_EQ(text(place_), "content");
}

TEST_F(OpenPerfMap, RefusesLinksAndWhatIsNoFile) {
  std::ofstream(folder_ / "tmp/other") << "content";
  fs::create_symlink("other", map());
  EXPECT_EQ(text(place_), "not a regular file");
  fs::remove(map());
  ASSERT_EQ(::mkfifo(map().c_str(), 0600), 0);
  EXPECT_EQ(text(place_), "not a regular file");
  fs::remove(map());
  fs::create_directory(map());
  EXPECT_EQ(text(place_), "not a regular file");
}

// A container must not be able to show a file of the host.
TEST_F(OpenPerfMap, StaysInTheRoot) {
  fs::remove(folder_ / "tmp");
  test::TemporaryFolder outside;
  std::ofstream(outside / "perf-7.map") << "secret";
  for (const std::string& target : {outside.path(), "../" + outside.path().substr(5)}) {
    fs::create_symlink(target, folder_ / "tmp");
    EXPECT_NE(text(place_), "secret");
    fs::remove(folder_ / "tmp");
  }
}

TEST_F(OpenPerfMap, RefusesFilesOfOthers) {
  if (::geteuid() != 0) GTEST_SKIP() << "giving files away needs root";
  std::ofstream(map()) << "content";
  ASSERT_EQ(::chown(map().c_str(), 1234, 1234), 0);
  EXPECT_EQ(text(place_), "belongs to somebody else");
  EXPECT_EQ(text({.pid = 7, .owner = 1234}), "content");
  ASSERT_EQ(::chown(map().c_str(), 0, 0), 0);
  EXPECT_EQ(text({.pid = 7, .owner = 1234}), "content");  // root may write for others
}

TEST(PerfMapPlace, IsThatOfTheProcess) {
  const auto place = perf_map_place(static_cast<uint32_t>(::getpid()));
  ASSERT_TRUE(place);
  EXPECT_EQ(place->owner, ::geteuid());
  EXPECT_EQ(place->path(), fmt::format("/tmp/perf-{}.map", ::getpid()));
  EXPECT_FALSE(perf_map_place(0));
}

TEST(ReadAll, ReadsNoMoreThanItMay) {
  test::TemporaryFolder folder;
  std::ofstream(folder / "file") << std::string(200'000, 'x');
  const std::string path = (folder / "file").string();
  EXPECT_EQ(read_file(path, 1'000'000)->size(), 200'000U);
  EXPECT_EQ(read_file(path, 100'000)->size(), 100'000U);
  EXPECT_EQ(read_file(path, 0)->size(), 0U);
  EXPECT_FALSE(read_file((folder / "none").string(), 1));
  EXPECT_FALSE(read_file(folder.path(), 1));
}

}  // namespace
}  // namespace dbtrace::symbols
