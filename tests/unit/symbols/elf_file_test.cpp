#include "symbols/elf_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/symbols/fixture.h"

namespace dbtrace::symbols {
namespace {

using test::fixture;
using test::open_file;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The fields of one line of `readelf -lW` for the executable segment.
Segment readelf_executable_segment(const std::string& path) {
  Segment segment;
  for (const std::string& line : test::output_of("readelf -lW '" + path + "'")) {
    if (line.find(" LOAD ") == std::string::npos || line.find(" R E ") == std::string::npos) {
      continue;
    }
    unsigned long offset = 0;
    unsigned long address = 0;
    unsigned long file_size = 0;
    std::sscanf(line.c_str(), " LOAD %lx %lx %*x %lx", &offset, &address, &file_size);
    segment = {.address = address, .offset = offset, .file_size = file_size};
  }
  return segment;
}

class ElfFileSegments : public ::testing::TestWithParam<const char*> {};

TEST_P(ElfFileSegments, AgreeWithReadelf) {
  const ElfFile file = open_file(fixture(GetParam()));
  const Segment expected = readelf_executable_segment(fixture(GetParam()));
  ASSERT_GT(expected.file_size, 0U);
  ASSERT_THAT(file.executable_segments(), SizeIs(1));
  const Segment& segment = file.executable_segments()[0];
  EXPECT_EQ(segment.address, expected.address);
  EXPECT_EQ(segment.offset, expected.offset);
  EXPECT_EQ(segment.file_size, expected.file_size);
}

TEST_P(ElfFileSegments, BoundWhatHasAnOffset) {
  const ElfFile file = open_file(fixture(GetParam()));
  const Segment segment = file.executable_segments()[0];
  const uint64_t end = segment.address + segment.file_size;
  EXPECT_EQ(file.file_offset(segment.address), segment.offset);
  EXPECT_EQ(file.file_offset(end - 1), segment.offset + segment.file_size - 1);
  EXPECT_EQ(file.file_offset(end), std::nullopt);
  EXPECT_EQ(file.file_offset(segment.address - 1), std::nullopt);
  EXPECT_EQ(file.file_offset(UINT64_MAX), std::nullopt);

  EXPECT_THAT(file.code(segment.address, 16), SizeIs(16));
  EXPECT_THAT(file.code(end - 3, 16), SizeIs(3));
  EXPECT_THAT(file.code(segment.address, SIZE_MAX), SizeIs(segment.file_size));
  EXPECT_THAT(file.code(end, 16), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Fixtures, ElfFileSegments, ::testing::Values("pie", "exec", "stripped"));

TEST(ElfFile, ExecHasAddressesFarFromOffsets) {
  const ElfFile file = open_file(fixture("exec"));
  EXPECT_GE(file.executable_segments()[0].address, 0x10000000U);
  EXPECT_LT(file.executable_segments()[0].offset, 0x100000U);
}

TEST(ElfFile, CodeIsTheBytesAtTheOffset) {
  const ElfFile file = open_file(fixture("exec"));
  const Segment segment = file.executable_segments()[0];
  const test::Bytes bytes = test::read_bytes(fixture("exec"));
  const auto code = file.code(segment.address + 5, 100);
  ASSERT_THAT(code, SizeIs(100));
  EXPECT_TRUE(std::equal(code.begin(), code.end(), bytes.begin() + segment.offset + 5));
}

TEST(ElfFile, BuildIdIsThatOfReadelf) {
  const ElfFile file = open_file(fixture("pie"));
  EXPECT_THAT(file.build_id(), SizeIs(40));
  EXPECT_THAT(test::output_of("readelf -nW '" + fixture("pie") + "'"),
              ::testing::Contains(HasSubstr("Build ID: " + file.build_id())));
  EXPECT_EQ(open_file(fixture("stripped")).build_id(),
            open_file(fixture("server.debug")).build_id());
  EXPECT_EQ(open_file(fixture("no-id.stripped")).build_id(), "");
}

TEST(ElfFile, DebugLinkIsThatOfTheStrippedFile) {
  const auto link = open_file(fixture("stripped")).debug_link();
  ASSERT_TRUE(link.has_value());
  EXPECT_EQ(link->file, "server.debug");
  EXPECT_EQ(open_file(fixture("pie")).debug_link(), std::nullopt);
}

TEST(ElfFile, KnowsTheMachine) {
#if defined(__x86_64__)
  EXPECT_EQ(open_file(fixture("pie")).machine(), Machine::X86_64);
#elif defined(__aarch64__)
  EXPECT_EQ(open_file(fixture("pie")).machine(), Machine::AArch64);
#endif
}

TEST(ElfFile, OpensMagicLinksUnderAnotherName) {
  const auto file = ElfFile::open("/proc/self/exe", "/usr/sbin/mysqld");
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->name(), "/usr/sbin/mysqld");
  EXPECT_EQ(file->real_path(), std::filesystem::read_symlink("/proc/self/exe"));
  struct stat status {};
  ASSERT_EQ(::stat("/proc/self/exe", &status), 0);
  EXPECT_EQ(file->inode(), std::make_pair(uint64_t{status.st_dev}, uint64_t{status.st_ino}));
}

TEST(ElfFile, StaysReadableWhenDeleted) {
  const test::TemporaryFolder folder;
  test::copy_to(fixture("pie"), folder / "server");
  const int held = ::open((folder / "server").c_str(), O_RDONLY | O_CLOEXEC);
  std::filesystem::remove(folder / "server");
  const ElfFile file = open_file(fmt::format("/proc/self/fd/{}", held));
  ::close(held);
  EXPECT_EQ(file.real_path(), (folder / "server").string());
  EXPECT_EQ(file.build_id(), open_file(fixture("pie")).build_id());
}

std::string open_error(const std::string& path) {
  const auto file = ElfFile::open(path);
  return file ? "" : file.error().message;
}

// A file with holes costs nothing, and reading it would cost all memory.
TEST(ElfFile, RefusesWhatIsTooLarge) {
  const test::TemporaryFolder folder;
  const std::string path = (folder / "large").string();
  test::copy_to(fixture("pie"), path);
  ASSERT_EQ(::truncate(path.c_str(), off_t{300} << 30), 0);
  EXPECT_THAT(open_error(path), HasSubstr("is too large"));
}

TEST(ElfFile, RefusesWhatIsNoRegularElfFile) {
  const test::TemporaryFolder folder;
  const std::string fifo = (folder / "fifo").string();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_THAT(open_error(fifo), HasSubstr("not a regular file"));  // and does not block
  EXPECT_THAT(open_error("/dev/zero"), HasSubstr("not a regular file"));
  EXPECT_THAT(open_error(folder.path()), HasSubstr("not a regular file"));
  EXPECT_THAT(open_error((folder / "absent").string()), HasSubstr("No such file"));

  test::write_bytes(folder / "empty", {});
  EXPECT_NE(open_error((folder / "empty").string()), "");
  test::write_bytes(folder / "text", {'h', 'e', 'l', 'l', 'o'});
  EXPECT_THAT(open_error((folder / "text").string()), HasSubstr("not an ELF file"));
}

TEST(ElfFile, RefusesOtherClassesAndByteOrders) {
  const test::TemporaryFolder folder;
  for (const size_t field : {4U, 5U}) {  // EI_CLASS, EI_DATA: 1 is 32-bit, 2 is big-endian
    test::Bytes bytes = test::read_bytes(fixture("pie"));
    bytes[field] = static_cast<uint8_t>(3 - bytes[field]);
    test::write_bytes(folder / "other", bytes);
    EXPECT_THAT(open_error((folder / "other").string()), HasSubstr("byte order"));
  }
}

}  // namespace
}  // namespace dbtrace::symbols
