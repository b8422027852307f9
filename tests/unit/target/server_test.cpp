#include "src/target/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/unit/target/fake_proc.h"

namespace dbtrace::target {
namespace {

using test::FakeProc;
using test::stub;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::string_literals;

constexpr uint32_t kPid = 5'000'001;

// What recognises each program, and as what.
struct Program {
  std::string name;
  std::string flavor;  // "": no server
};

class Recognised : public ::testing::TestWithParam<Program> {};

INSTANTIATE_TEST_SUITE_P(
    Each, Recognised,
    ::testing::Values(Program{"com_data/renamed-server", "mysql"},  // by its symbols
                      Program{"raw_packet/mysqld", "mysql"},        // the same, from .symtab
                      Program{"suspending/mariadbd", "mariadb"},    // by MariaDB's mark
                      Program{"raw_packet_split/mysqld", "mysql"},  // by its debug file's symbols
                      Program{"static_split/mysqld", "mysql"},      // the same
                      Program{"unknown_shape/mysqld", "mysql"},     // to be refused with a reason
                      Program{"other_dispatch/mysqld", "mysql"},  // by its name, to be refused too
                      Program{"no_dispatch/mysqld", "mysql"}),
    [](const auto& each) { return each.param.name.substr(0, each.param.name.find('/')); });

TEST_P(Recognised, ByProcessAndByFile) {
  const std::string program = stub(GetParam().name);
  FakeProc folder;
  folder.add(kPid, program);
  const auto by_process = server_of_process(kPid, folder.proc());
  ASSERT_TRUE(by_process) << by_process.error().message;
  EXPECT_EQ(by_process->profile->flavor, GetParam().flavor);
  EXPECT_EQ(by_process->pid, kPid);
  EXPECT_EQ(by_process->executable, program);
  EXPECT_EQ(by_process->root, folder.path() + "/5000001/root");
  EXPECT_FALSE(by_process->deleted);
  const auto by_file = server_of_file(program);
  ASSERT_TRUE(by_file) << by_file.error().message;
  EXPECT_EQ(by_file->profile->flavor, GetParam().flavor);
  EXPECT_EQ(by_file->pid, 0U);
  EXPECT_EQ(by_file->root, "");
  for (const Server& server : {*by_process, *by_file})
    EXPECT_TRUE(open_symbols(server)) << server.attach_path;
}

TEST(FindServers, ListsThemByPid) {
  FakeProc folder;
  folder.add(kPid + 9, stub("com_data/renamed-server"), "x\0--socket=/nine\0"s);
  folder.add(kPid + 3, "/bin/ls");
  folder.add(kPid + 1, stub("suspending/mariadbd"), "x\0--datadir\0/one\0--socket=/s\0"s);
  folder.add(kPid + 2, stub("com_data/renamed-server"), "x\0--port=33\0"s);
  folder.add(kPid + 4, "/no/such/file (deleted)");
  folder.add(kPid + 5, "/etc/passwd");
  folder.add(kPid + 6, "/bin/ls");
  folder.write(kPid + 7, "cmdline", "");
  const std::vector<Server> servers = find_servers(folder.proc());
  struct Expected {
    uint32_t pid;
    std::string flavor, data;
  };
  const std::vector<Expected> expected = {{kPid + 1, "mariadb", "--datadir=/one --socket=/s"},
                                          {kPid + 2, "mysql", "--port=33"},
                                          {kPid + 9, "mysql", "--socket=/nine"}};
  ASSERT_EQ(servers.size(), expected.size());
  for (size_t i = 0; i < servers.size(); ++i) {
    EXPECT_EQ(servers[i].pid, expected[i].pid);
    EXPECT_EQ(servers[i].profile->flavor, expected[i].flavor);
    EXPECT_EQ(servers[i].data, expected[i].data);
    EXPECT_EQ(servers[i].version, "");  // there is no such process to read it from
  }
}

TEST(FindServers, FindsNoneWhereNoneRuns) {
  FakeProc folder;
  EXPECT_THAT(find_servers(folder.proc()), IsEmpty());
  folder.add(kPid, "/bin/ls");
  EXPECT_THAT(find_servers(folder.proc()), IsEmpty());
}

TEST(ServerOfProcess, SaysWhyNot) {
  FakeProc folder;
  folder.add(kPid, "/bin/ls");
  folder.add(kPid + 1, "/etc/passwd");
  const auto self = static_cast<uint32_t>(::getpid());  // there is one, but no "exe"
  struct Case {
    uint32_t pid;
    std::string message, hint;
  };
  const std::vector<Case> cases = {
      {kPid, "process 5000001 (/bin/ls) is not a database server", "looked for MariaDB"},
      {kPid + 1, "/etc/passwd is not an ELF file", ""},
      {kPid + 2, "there is no process 5000003", "without -p lists"},
      {self, "runs no program", "without -p lists"},
  };
  for (const Case& each : cases) {
    const auto server = server_of_process(each.pid, folder.proc());
    ASSERT_FALSE(server) << each.pid;
    EXPECT_THAT(server.error().message, HasSubstr(each.message));
    EXPECT_THAT(server.error().hint, HasSubstr(each.hint));
  }
}

TEST(ServerOfFile, SaysWhyNot) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"/no/such/file", "cannot open /no/such/file: No such file or directory"},
      {"/etc", "/etc is not a regular file"},
      {"/dev/null", "/dev/null is not a regular file"},
      {"/etc/passwd", "/etc/passwd is not an ELF file"},
      {"/bin/ls", "/bin/ls is not a database server that dbtrace knows"},
      {"", "cannot open"},
  };
  for (const auto& [path, message] : cases) {
    const auto server = server_of_file(path);
    ASSERT_FALSE(server) << path;
    EXPECT_THAT(server.error().message, HasSubstr(message));
  }
}

TEST(WhatIsLookedFor, NamesEveryProfilesMarks) {
  EXPECT_THAT(what_is_looked_for(),
              AllOf(HasSubstr("MariaDB"), HasSubstr("MySQL"), HasSubstr("dispatch_command"),
                    HasSubstr("mariadbd"), HasSubstr("mysqld")));
}

}  // namespace
}  // namespace dbtrace::target
