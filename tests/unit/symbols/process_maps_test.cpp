#include "symbols/process_maps.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/symbols/fixture.h"
#include "tests/unit/symbols/tracee.h"

namespace dbtrace::symbols {
namespace {

using test::fixture;
using ::testing::IsEmpty;
using ::testing::SizeIs;

uint32_t own_pid() { return static_cast<uint32_t>(::getpid()); }

TEST(ParseMaps, TakesTheKernelsLines) {
  const auto mappings = parse_maps(
      "559e2beb4000-559e2beb9000 r-xp 00002000 fe:00 247134                     /usr/bin/cat\n"
      "7fd6346b2000-7fd6346d4000 rw-p 00000000 00:00 0 \n"
      "7fd63492a000-7fd63492c000 r-xp 00000000 00:00 0                          [vdso]\n"
      "7fd634930000-7fd634931000 --xp 00000000 00:00 0                          [uprobes]\n"
      "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n");
  ASSERT_THAT(mappings, SizeIs(5));
  EXPECT_EQ(mappings[0].start, 0x559e2beb4000U);
  EXPECT_EQ(mappings[0].end, 0x559e2beb9000U);
  EXPECT_EQ(mappings[0].offset, 0x2000U);
  EXPECT_EQ(mappings[0].inode, 247134U);
  EXPECT_EQ(mappings[0].path, "/usr/bin/cat");
  EXPECT_TRUE(mappings[0].executable);
  EXPECT_FALSE(mappings[1].executable);
  EXPECT_EQ(mappings[1].path, "");
  EXPECT_TRUE(mappings[2].is_vdso());
  EXPECT_FALSE(mappings[2].is_return_probe());
  EXPECT_TRUE(mappings[3].is_return_probe());
  EXPECT_EQ(mappings[4].start, 0xffffffffff600000U);
}

TEST(ParseMaps, TakesPathsAsTheyAre) {
  const auto mappings = parse_maps(
      "1000-2000 r-xp 00000000 fe:00 1 /opt/my server/bin (deleted)\n"
      "2000-3000 r-xp 00000000 fe:00 2 /tmp/new\\012line\n"
      "3000-4000 r-xp 00000000 fe:00 3 /tmp/100\\01\n"
      "4000-5000 r-xp 00000000 fe:00 4 /memfd:jit (deleted)\n"
      "5000-6000 r-xp 00000000 fe:00 5 /tmp/[uprobes]\n"
      "6000-7000 r-xp 00000000 fe:00 6 [uprobes]\n");
  ASSERT_THAT(mappings, SizeIs(6));
  EXPECT_EQ(mappings[0].path, "/opt/my server/bin");
  EXPECT_EQ(mappings[1].path, "/tmp/new\nline");
  EXPECT_EQ(mappings[2].path, "/tmp/100\\01");
  EXPECT_EQ(mappings[3].path, "/memfd:jit");
  EXPECT_FALSE(mappings[4].is_return_probe());
  EXPECT_FALSE(mappings[5].is_return_probe());  // has an inode: somebody's file
}

TEST(ParseMaps, LeavesOutWhatIsNoMapping) {
  for (const char* line :
       {"", "\n\n", "1000", "1000-", "1000-2000", "1000-2000 r-x", "1000-2000 r-xp",
        "1000-2000 r-xp 0 fe:00", "1000-2000 r-xpx0 fe:00 1 /x", "2000-1000 r-xp 0 fe:00 1 /x",
        "1000-1000 r-xp 0 fe:00 1 /x", "-1000-2000 r-xp 0 fe:00 1 /x",
        "11112222333344445-1 r-xp 0 fe:00 1 /x", "1000-2000 r-xp 0 fe:00 x /x"}) {
    EXPECT_THAT(parse_maps(line), IsEmpty()) << line;
  }
}

TEST(ParseMaps, KeepsMappingsInOrderAndApart) {
  const auto mappings = parse_maps(
      "1000-3000 r-xp 0 fe:00 1 /a\n2000-4000 r-xp 0 fe:00 1 /b\n3000-4000 r-xp 0 fe:00 1 /c\n"
      "1000-2000 r-xp 0 fe:00 1 /d");
  ASSERT_THAT(mappings, SizeIs(2));
  EXPECT_EQ(mappings[0].path, "/a");
  EXPECT_EQ(mappings[1].path, "/c");
}

bool is_same_file(const UniqueFd& file, const std::string& path) {
  struct stat a {};
  struct stat b {};
  return ::fstat(file.get(), &a) == 0 && ::stat(path.c_str(), &b) == 0 && a.st_ino == b.st_ino &&
         a.st_dev == b.st_dev;
}

TEST(OpenMappedFile, OpensTheVeryFile) {
  const auto maps = read_maps(own_pid());
  ASSERT_TRUE(maps) << maps.error().message;
  size_t files = 0;
  for (const Mapping& mapping : *maps) {
    if (mapping.inode == 0 || !mapping.executable) continue;
    const auto file = open_mapped_file(own_pid(), mapping);
    ASSERT_TRUE(file) << mapping.path << ": " << file.error().message;
    EXPECT_TRUE(is_same_file(*file, mapping.path)) << mapping.path;
    ++files;
  }
  EXPECT_GE(files, 3U);  // this program, libc, ld.so
}

// Without the right to use map_files, as it is for a mapping that it does not have.
TEST(OpenMappedFile, FallsBackToTheExecutableAndTheRoot) {
  struct stat status {};
  ASSERT_EQ(::stat("/proc/self/exe", &status), 0);
  Mapping mapping{.start = 0x1000, .end = 0x2000, .inode = status.st_ino, .path = "/nowhere"};
  auto file = open_mapped_file(own_pid(), mapping);
  ASSERT_TRUE(file);
  EXPECT_TRUE(is_same_file(*file, "/proc/self/exe"));

  mapping.path = "/proc/version";
  ASSERT_EQ(::stat(mapping.path.c_str(), &status), 0);
  mapping.inode = status.st_ino;
  file = open_mapped_file(own_pid(), mapping);
  ASSERT_TRUE(file);
  EXPECT_TRUE(is_same_file(*file, mapping.path));

  mapping.inode += 1;
  file = open_mapped_file(own_pid(), mapping);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().message, "replaced since it was mapped");
}

TEST(ReadVdso, IsAnElfImage) {
  const test::Tracee tracee(fixture("tracee"));
  for (const uint32_t pid : {own_pid(), tracee.pid()}) {
    const auto maps = read_maps(pid);
    ASSERT_TRUE(maps);
    for (const Mapping& mapping : *maps) {
      if (!mapping.is_vdso()) continue;
      const auto bytes = read_vdso(pid, mapping);
      ASSERT_TRUE(bytes);
      EXPECT_EQ(bytes->size(), mapping.end - mapping.start);
      EXPECT_TRUE(
          bytes->starts_with("\x7f"
                             "ELF"));
    }
  }
}

TEST(ReadVdso, RefusesWhatIsTooLarge) {
  const Mapping mapping{.start = 0x1000, .end = 0x7ffffffff000, .path = "[vdso]"};
  EXPECT_FALSE(read_vdso(own_pid(), mapping));
}

TEST(StartTime, TellsProcessesApart) {
  const auto own = start_time(own_pid());
  ASSERT_TRUE(own);
  EXPECT_EQ(own, start_time(own_pid()));
  const auto first = start_time(1);
  ASSERT_TRUE(first);
  EXPECT_LT(*first, *own);
  EXPECT_FALSE(start_time(0));
}

}  // namespace
}  // namespace dbtrace::symbols
