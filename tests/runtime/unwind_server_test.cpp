// Stacks of the real servers' threads, copied with ptrace: they are whole, and what gdb says.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iostream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include "src/stacks/unwinder.h"
#include "symbols/symbolizer.h"
#include "tests/runtime/client.h"
#include "tests/runtime/command.h"
#include "tests/runtime/servers.h"
#include "tests/unit/stacks/capture.h"

namespace dbtrace::testing {
namespace {

using stacks::Unwinder;
using stacks::Unwound;
using stacks::test::capture;
using stacks::test::threads_of;

class UnwindServer : public ::testing::TestWithParam<Flavor> {
 protected:
  void SetUp() override {
    if (const auto reason = why_unavailable(GetParam())) GTEST_SKIP() << *reason;
  }
  [[nodiscard]] static Server& server() { return shared_server(GetParam()); }
  [[nodiscard]] static uint32_t pid() { return static_cast<uint32_t>(server().pid()); }
  [[nodiscard]] static Client client() { return Client({.socket = server().socket()}); }
};

INSTANTIATE_TEST_SUITE_P(Each, UnwindServer, ::testing::Values(Flavor::MariaDb, Flavor::MySql),
                         [](const auto& flavor) { return std::string(flavor_name(flavor.param)); });

// Clients that keep the server at all kinds of work until the end.
class Load {
 public:
  explicit Load(const Server& server) {
    Client setup({.socket = server.socket()});
    setup.query(
        "DROP DATABASE IF EXISTS work; CREATE DATABASE work; USE work;"
        "CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, n INT, s VARCHAR(200));"
        "INSERT INTO t (n, s) VALUES (1, REPEAT('a', 100)), (2, REPEAT('b', 100))");
    for (int i = 0; i < 9; ++i)
      setup.query("INSERT INTO work.t (n, s) SELECT n + id, s FROM work.t");
    for (const char* text :
         {"SELECT COUNT(*) FROM t a JOIN t b ON a.n < b.n WHERE a.s LIKE '%b%'",
          "SELECT s, n, COUNT(*) FROM t GROUP BY s, n ORDER BY MD5(n) LIMIT 3",
          "UPDATE t SET n = n + 1 WHERE id = 1",  // two of them wait for each other, and for the
                                                  // disk
          "UPDATE t SET n = n + 1 WHERE id = 1", "SELECT BENCHMARK(20000, SHA2('text', 256))",
          "SELECT SLEEP(0.01)", "SELECT id FROM t WHERE id = 7"}) {
      threads_.emplace_back([this, text, socket = server.socket()] {
        Client client({.socket = socket, .database = "work"});
        while (!is_over_) client.error_of(text);
      });
    }
  }
  ~Load() {
    is_over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

 private:
  std::atomic<bool> is_over_ = false;
  std::vector<std::thread> threads_;
};

std::string text(symbols::Symbolizer& symbolizer, uint32_t pid, const Unwound& unwound) {
  std::ostringstream out;
  for (const uint64_t address : unwound.addresses) {
    const auto place = symbolizer.user(pid, address);
    out << "    " << std::hex << address << std::dec << ' ' << place.function << " in "
        << place.module << '\n';
  }
  return out.str();
}

TEST_P(UnwindServer, StacksAreWhole) {
  constexpr int kRounds = 60;
  const Load load(server());
  Unwinder unwinder;
  symbols::Symbolizer symbolizer;
  unwinder.observe(pid());
  size_t all = 0;
  size_t whole = 0;
  size_t deepest = 0;
  std::map<std::string, size_t> broken;
  for (int round = 0; round < kRounds; ++round) {
    for (const pid_t thread : threads_of(server().pid())) {
      const auto captured = capture(thread);
      if (!captured) continue;
      const Unwound unwound = unwinder.unwind(pid(), captured->stack());
      ++all;
      whole += unwound.whole;
      deepest = std::max(deepest, unwound.addresses.size());
      if (!unwound.whole) ++broken[text(symbolizer, pid(), unwound)];
    }
  }
  std::cout << "  " << whole << " of " << all << " stacks are whole, the deepest has " << deepest
            << " frames\n";
  for (const auto& [stack, count] : broken) std::cout << "  " << count << " times:\n" << stack;
  EXPECT_GE(all, 500U);
  EXPECT_GE(static_cast<double>(whole), 0.98 * static_cast<double>(all));
  EXPECT_GE(deepest, 15U);
}

// Of each thread the addresses that gdb prints, innermost first. Without debug files: from those
// it makes frames for jumps as well.
std::map<pid_t, std::vector<uint64_t>> stacks_by_gdb(const Server& server) {
  const std::string root =
      std::filesystem::read_symlink("/proc/" + std::to_string(server.pid()) + "/root").string();
  const DbtraceResult result =
      run_command({"/usr/bin/gdb", "-nx", "-batch", "-iex", "set sysroot " + root, "-iex",
                   "set debuginfod enabled off", "-iex", "set debug-file-directory /nowhere",
                   server_program(server.flavor()), "-p", std::to_string(server.pid()), "-ex",
                   "thread apply all backtrace"});
  std::map<pid_t, std::vector<uint64_t>> stacks;
  std::vector<uint64_t>* current = nullptr;
  std::istringstream lines(result.output);
  const std::regex thread_line("^Thread .*LWP (\\d+).*");
  const std::regex frame_line("^#\\d+ +0x([0-9a-f]+) in .*");
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, thread_line)) {
      current = &stacks[std::stoi(match[1])];
    } else if (current != nullptr && std::regex_match(line, match, frame_line)) {
      current->push_back(std::stoull(match[1], nullptr, 16));
    }
  }
  return stacks;
}

// Threads that wait in the meantime have the same stacks for both. One that was elsewhere just when
// gdb looked is compared again.
TEST_P(UnwindServer, StacksAreThoseOfGdb) {
  if (!std::filesystem::exists("/usr/bin/gdb")) GTEST_SKIP() << "gdb is not installed";
  // One in a known wait, beside the server's own.
  Client holder = client();
  holder.query("SELECT GET_LOCK('held', 10)");
  Client waiter = client();
  waiter.send("SELECT GET_LOCK('held', 60)");
  std::this_thread::sleep_for(std::chrono::milliseconds(200));

  Unwinder unwinder;
  symbols::Symbolizer symbolizer;
  std::set<pid_t> agreed;
  std::map<pid_t, std::string> differ;
  size_t threads = 0, in_lock = 0;
  constexpr int kRounds = 5;
  for (int round = 0; round == 0 || (round < kRounds && !differ.empty()); ++round) {
    std::map<pid_t, Unwound> before;
    for (const pid_t thread : threads_of(server().pid())) {
      if (const auto captured = capture(thread))
        before[thread] = unwinder.unwind(pid(), captured->stack());
    }
    threads = std::max(threads, before.size());
    const auto expected = stacks_by_gdb(server());
    for (const auto& [thread, unwound] : before) {
      const auto captured = capture(thread);
      if (agreed.contains(thread) || !captured || !expected.contains(thread)) continue;
      if (unwinder.unwind(pid(), captured->stack()).addresses != unwound.addresses) continue;
      std::vector<uint64_t> addresses = unwound.addresses;
      // What gdb prints is where calls return to.
      for (size_t i = 1; i < addresses.size(); ++i) ++addresses[i];
      if (addresses != expected.at(thread) || !unwound.whole) {
        differ[thread] = text(symbolizer, pid(), unwound);
        continue;
      }
      agreed.insert(thread);
      differ.erase(thread);
      for (const uint64_t address : unwound.addresses)
        in_lock += symbolizer.user(pid(), address).function == "Item_func_get_lock::val_int";
    }
  }
  std::cout << "  " << agreed.size() << " of " << threads << " threads wait\n";
  for (const auto& [thread, stack] : differ) ADD_FAILURE() << "thread " << thread << '\n' << stack;
  EXPECT_GE(agreed.size(), threads / 2);
  EXPECT_GE(in_lock, 1U);
  holder.query("SELECT RELEASE_LOCK('held')");
  waiter.receive();
}

}  // namespace
}  // namespace dbtrace::testing
