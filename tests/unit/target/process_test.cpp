#include "src/target/process.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "tests/unit/target/fake_proc.h"

namespace dbtrace::target {
namespace {

using test::FakeProc;
using test::stub;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
using namespace std::string_literals;

constexpr uint32_t kPid = 5'000'001;

TEST(Processes, AreThoseWithAProgram) {
  FakeProc folder;
  folder.add(kPid, "/bin/one");
  folder.add(kPid + 1, "/bin/two");
  folder.write(kPid + 2, "cmdline", "");  // a kernel thread, or one just gone
  folder.make_folder("0");
  folder.make_folder("self");
  folder.make_folder("12x");
  folder.make_folder("-3");
  folder.make_folder("99999999999999999999");
  EXPECT_THAT(folder.proc().processes(), UnorderedElementsAre(kPid, kPid + 1));
}

TEST(Processes, IncludeThisOne) {
  EXPECT_THAT(Proc().processes(), Contains(static_cast<uint32_t>(::getpid())));
}

TEST(Processes, AreNoneWithoutTheFolder) {
  const Proc proc("/no/such/folder");
  EXPECT_TRUE(proc.processes().empty());
  EXPECT_FALSE(proc.exe_path(kPid));
  EXPECT_FALSE(proc.exe_deleted(kPid));
  EXPECT_FALSE(proc.exe_inode(kPid));
  EXPECT_FALSE(proc.load_bias(kPid, 0));
  EXPECT_TRUE(proc.command_line(kPid).empty());
}

TEST(ProcessorTime, IsThatOfTheFamily) {
  const uint64_t tick_ns = 1'000'000'000 / static_cast<uint64_t>(::sysconf(_SC_CLK_TCK));
  FakeProc folder;
  folder.add(kPid, "/bin/one");
  EXPECT_EQ(folder.proc().processor_time(kPid), 0U);
  // A name may hold anything; the times stand at 14 to 17.
  folder.write(kPid, "stat", "5000001 (a) b 9 (c)) S 1 2 3 4 5 6 7 8 9 10 100 20 3 4 11 12");
  EXPECT_EQ(folder.proc().processor_time(kPid), 127 * tick_ns);
  folder.write(kPid + 1, "stat", "5000002 (child) R 5000001 2 3 4 5 6 7 8 9 10 1000 0 0 0 11");
  folder.make_folder("5000001/task");
  folder.make_folder("5000001/task/5000001");
  folder.write(kPid, "task/5000001/children", "5000002 5000003 ");
  EXPECT_EQ(folder.proc().processor_time(kPid), 1127 * tick_ns) << "one of them is gone";
  EXPECT_EQ(folder.proc().processor_time(kPid + 7), 0U);
}

TEST(ProcessorTime, OfThisOneGrows) {
  const auto self = static_cast<uint32_t>(::getpid());
  const uint64_t before = Proc().processor_time(self);
  while (Proc().processor_time(self) == before) {
  }
  SUCCEED();
}

TEST(Executable, IsFoundThoughDeleted) {
  FakeProc folder;
  folder.add(kPid, "/usr/sbin/mysqld (deleted)");
  folder.add(kPid + 1, "/usr/sbin/mysqld");
  EXPECT_EQ(folder.proc().exe_path(kPid), "/usr/sbin/mysqld");
  EXPECT_TRUE(folder.proc().exe_deleted(kPid));
  EXPECT_EQ(folder.proc().exe_path(kPid + 1), "/usr/sbin/mysqld");
  EXPECT_FALSE(folder.proc().exe_deleted(kPid + 1));
  EXPECT_EQ(folder.proc().exe_link(kPid), folder.path() + "/5000001/exe");
  EXPECT_EQ(folder.proc().root_link(kPid), folder.path() + "/5000001/root");
}

TEST(Executable, IsTheFileBehindTheLink) {
  FakeProc folder;
  folder.add(kPid, stub("com_data/renamed-server"));
  struct stat status {};
  ASSERT_EQ(::stat(stub("com_data/renamed-server").c_str(), &status), 0);
  EXPECT_EQ(folder.proc().exe_inode(kPid),
            (std::pair<uint64_t, uint64_t>(status.st_dev, status.st_ino)));
}

TEST(CommandLine, IsSplitAtNulBytes) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {""s, {}},
      {"mysqld\0"s, {"mysqld"}},
      {"mysqld"s, {"mysqld"}},
      {"mysqld\0--a b\0\0--c=\0"s, {"mysqld", "--a b", "", "--c="}},
      {"\0"s, {""}},
  };
  for (const auto& [bytes, arguments] : cases) {
    FakeProc folder;
    folder.add(kPid, "/bin/x", bytes);
    EXPECT_EQ(folder.proc().command_line(kPid), arguments);
  }
}

// A process chooses where its arguments begin and end.
TEST(CommandLine, IsReadInPartWhenItHasNoEnd) {
  FakeProc folder;
  folder.add(kPid, "/bin/x", std::string(10U << 20, '\0'));
  EXPECT_EQ(folder.proc().command_line(kPid).size(), 64U * 1024);
  folder.add(kPid + 1, "/bin/x", std::string(10U << 20, 'x'));
  EXPECT_EQ(folder.proc().title(kPid + 1).size(), 64U * 1024);
}

TEST(User, IsTheEffectiveOne) {
  FakeProc folder;
  folder.write(kPid, "status",
               "Name:\tUid: 7 7\nUmask:\t0022\nUid:\t1\t22\t3\t4\nGid:\t5\t5\t5\t5\n");
  EXPECT_EQ(folder.proc().user(kPid), 22U);
  EXPECT_EQ(folder.proc().user(kPid + 1), std::nullopt);
  folder.write(kPid + 2, "status", "Name:\tx\nUid:\tnobody");
  EXPECT_EQ(folder.proc().user(kPid + 2), std::nullopt);
  EXPECT_EQ(Proc().user(static_cast<uint32_t>(::getpid())), ::geteuid());
}

TEST(Title, IsTheFirstArgument) {
  FakeProc folder;
  folder.add(kPid, "/bin/postgres", std::string("postgres: checkpointer \0\0\0", 26));
  EXPECT_EQ(folder.proc().title(kPid), "postgres: checkpointer");
  EXPECT_EQ(folder.proc().title(kPid + 1), "") << "gone";
}

TEST(OptionValue, IsTheLastGivenInEitherForm) {
  struct Case {
    std::vector<std::string> arguments;
    std::optional<std::string> value;
  };
  const std::vector<Case> cases = {
      {{}, std::nullopt},
      {{"mysqld"}, std::nullopt},
      {{"mysqld", "--datadir=/a"}, "/a"},
      {{"mysqld", "--datadir", "/a"}, "/a"},
      {{"mysqld", "--datadir="}, ""},
      {{"mysqld", "--datadir", ""}, ""},
      {{"mysqld", "--datadir"}, std::nullopt},
      {{"mysqld", "--datadirs=/a"}, std::nullopt},
      {{"mysqld", "-datadir=/a"}, std::nullopt},
      {{"mysqld", "datadir=/a"}, std::nullopt},
      {{"mysqld", "--datadir=/a=b"}, "/a=b"},
      {{"mysqld", "--datadir=/a", "--datadir=/b"}, "/b"},
      {{"mysqld", "--datadir=/a", "--datadir", "/b"}, "/b"},
      // A value that looks like the option is none.
      {{"mysqld", "--datadir", "--datadir=/a"}, "--datadir=/a"},
  };
  for (const Case& each : cases)
    EXPECT_EQ(option_value(each.arguments, "datadir"), each.value)
        << fmt::format("{}", fmt::join(each.arguments, " "));
}

TEST(LoadBias, IsWhereTheFilesFirstByteLies) {
  struct stat status {};
  const std::string program = stub("com_data/renamed-server");
  ASSERT_EQ(::stat(program.c_str(), &status), 0);
  const auto line = [](std::string_view range, std::string_view offset, uint64_t inode) {
    return fmt::format("{} r-xp {} fd:01 {}    /some/file\n", range, offset, inode);
  };
  struct Case {
    std::string maps;
    uint64_t first_address;
    std::optional<uint64_t> bias;
  };
  const uint64_t inode = status.st_ino;
  const std::string here = line("555500000000-555500001000", "00000000", inode);
  const std::string further = line("555500001000-555500002000", "00001000", inode);
  const std::string other = line("555400000000-555400001000", "00000000", inode + 1);
  const std::vector<Case> cases = {
      {"", 0, std::nullopt},
      {"garbage\n\n", 0, std::nullopt},
      {other, 0, std::nullopt},
      {further, 0, std::nullopt},
      {here, 0, 0x555500000000},
      {other + here + further, 0, 0x555500000000},
      {line("10000000-10001000", "00000000", inode), 0x10000000, 0},
      {here, 0x1000, 0x5554fffff000},
  };
  for (const Case& each : cases) {
    FakeProc folder;
    folder.add(kPid, program);
    folder.write(kPid, "maps", each.maps);
    EXPECT_EQ(folder.proc().load_bias(kPid, each.first_address), each.bias) << each.maps;
  }
}

TEST(OwnMemory, IsTheProgramsOrNoFiles) {
  struct stat status {};
  const std::string program = stub("com_data/renamed-server");
  ASSERT_EQ(::stat(program.c_str(), &status), 0);
  FakeProc folder;
  folder.add(kPid, program);
  folder.write(kPid, "maps",
               fmt::format("1000-2000 rw-p 00003000 fd:01 {} /program\n"
                           "2000-3000 rw-p 00000000 00:00 0\n"
                           "3000-4000 rw-p 00000000 00:99 {} /somebody/elses\n",
                           status.st_ino, status.st_ino + 1));
  const std::vector<std::pair<uint64_t, bool>> cases = {{0xfff, false},  {0x1000, true},
                                                        {0x1fff, true},  {0x2fff, true},
                                                        {0x3000, false}, {0x4000, false}};
  for (const auto& [address, is_own] : cases)
    EXPECT_EQ(folder.proc().is_own_memory(kPid, address), is_own) << address;
  EXPECT_FALSE(folder.proc().is_own_memory(kPid + 1, 0x1000));
}

uint64_t address_of(const char* text) { return reinterpret_cast<uint64_t>(text); }
const auto kSelf = static_cast<uint32_t>(::getpid());

TEST(ReadString, EndsAtTheNulOrTheLimit) {
  const std::string text = "10.11.2-MariaDB";
  EXPECT_EQ(read_string(kSelf, address_of(text.c_str())), text);
  EXPECT_EQ(read_string(kSelf, address_of("")), "");
  const std::string endless(1000, 'v');
  EXPECT_EQ(read_string(kSelf, address_of(endless.c_str())), std::string(255, 'v'));
}

TEST(ReadString, NeedsNoMoreMemoryThanTheText) {
  const auto page = static_cast<size_t>(::getpagesize());
  auto* memory = static_cast<char*>(
      ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(::munmap(memory + page, page), 0);
  std::memcpy(memory + page - 6, "9.7.4", 6);
  EXPECT_EQ(read_string(kSelf, address_of(memory + page - 6)), "9.7.4");
  EXPECT_EQ(read_string(kSelf, address_of(memory + page)), std::nullopt);
  ::munmap(memory, page);
}

TEST(ReadString, IsAbsentWhereNothingIs) {
  EXPECT_EQ(read_string(kSelf, 0), std::nullopt);
  EXPECT_EQ(read_string(kSelf, UINT64_MAX), std::nullopt);
  EXPECT_EQ(read_string(kPid, address_of("x")), std::nullopt);
}

}  // namespace
}  // namespace dbtrace::target
