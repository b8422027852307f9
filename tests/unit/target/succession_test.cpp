#include "src/target/succession.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/unit/target/fake_proc.h"

namespace dbtrace::target {
namespace {

using test::FakeProc;
using namespace std::string_literals;

constexpr uint32_t kPid = 5'000'001;
const std::string kPath = "/usr/sbin/mysqld";
const std::string kLine = "mysqld\0--datadir=/one\0--socket\0/s\0--verbose\0"s;

Server server() {
  Server server;
  server.pid = kPid;
  server.executable = kPath;
  server.data = "--datadir=/one --socket=/s";
  return server;
}

TEST(Succession, IsByProgramAndData) {
  FakeProc proc;
  proc.add(kPid, kPath, kLine);
  Succession succession(server(), proc.proc());
  proc.add(kPid + 1, kPath, "mysqld\0--datadir=/two\0--socket=/s\0"s);
  proc.add(kPid + 2, "/bin/sh", kLine);
  EXPECT_EQ(succession.next(proc.proc()), std::nullopt);
  // Other options do not matter; nor does it whether the file was replaced already.
  proc.add(kPid + 3, kPath + " (deleted)", "mysqld\0--socket=/s\0--datadir=/one\0"s);
  EXPECT_EQ(succession.next(proc.proc()), kPid + 3);
  EXPECT_EQ(succession.next(proc.proc()), std::nullopt);
}

TEST(Succession, IsNotThatOfWhoWasThereBefore) {
  FakeProc proc;
  proc.add(kPid, kPath, kLine);
  proc.add(kPid + 1, kPath, kLine);
  Succession succession(server(), proc.proc());
  EXPECT_EQ(succession.next(proc.proc()), std::nullopt);
}

// Anybody may start a program that looks like it; a server that is about to change its user is one
// when it has.
TEST(Succession, IsOfTheSameUser) {
  FakeProc proc;
  const auto of_user = [&proc](uint32_t pid, const std::string& user) {
    proc.write(pid, "status", "Uid:\t0\t" + user + "\t0\t0\n");
  };
  proc.add(kPid, kPath, kLine);
  of_user(kPid, "27");
  Succession succession(server(), proc.proc());
  proc.add(kPid + 1, kPath, kLine);
  of_user(kPid + 1, "1000");
  proc.add(kPid + 2, kPath, kLine);
  of_user(kPid + 2, "0");
  EXPECT_EQ(succession.next(proc.proc()), std::nullopt);
  of_user(kPid + 2, "27");
  EXPECT_EQ(succession.next(proc.proc()), kPid + 2);
}

TEST(Succession, MayHaveAnIdThatWasUsedBefore) {
  FakeProc proc;
  proc.add(kPid, kPath, kLine);
  Succession succession(server(), proc.proc());
  std::filesystem::remove_all(proc.path() + "/" + std::to_string(kPid));
  EXPECT_EQ(succession.next(proc.proc()), std::nullopt);
  proc.add(kPid, kPath, kLine);
  EXPECT_EQ(succession.next(proc.proc()), kPid);
}

TEST(FileWatch, SeesAnotherFileAtThePath) {
  std::string folder = "/tmp/dbtrace-watch-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/server", next = folder + "/next";
  std::ofstream(path) << "one";
  FileWatch watch(path);
  EXPECT_FALSE(watch.changed());
  std::ofstream(path) << "one, changed in place";
  EXPECT_FALSE(watch.changed());
  std::ofstream(next) << "tw";
  std::filesystem::rename(next, path);
  EXPECT_TRUE(watch.changed());
  EXPECT_FALSE(watch.changed());
  std::ofstream(path) << "two, to its end";
  EXPECT_TRUE(watch.changed());
  watch.know();
  std::ofstream(path) << "two, touched";
  EXPECT_FALSE(watch.changed());
  std::filesystem::remove(path);
  EXPECT_FALSE(watch.changed());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace dbtrace::target
