// A recording is cut off, a hundred times each: dbtrace is killed at any moment, or the disk is
// full at any moment.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <random>
#include <thread>

#include "tests/faults/recordings.h"
#include "tests/faults/small_disk.h"
#include "tests/runtime/account.h"
#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/stub_server.h"

namespace dbtrace::testing {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr size_t kCases = 100, kAtOnce = 10;

uint64_t now_ns() {
  return static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
}

enum class Kind { Plain, Rotating, Flight };

// One of the hundred: which it is decides its kind, chance its moments.
struct Case {
  size_t number = 0;
  std::mt19937 random;

  [[nodiscard]] Kind kind() const {
    constexpr Kind kKinds[] = {Kind::Plain, Kind::Rotating, Kind::Plain, Kind::Flight};
    return kKinds[number % std::size(kKinds)];
  }
  uint64_t below(uint64_t bound) { return random() % bound; }
};

// The load and its recorders.
class CutOff : public ::testing::Test {
 protected:
  void SetUp() override {
    const uint64_t seed = std::random_device{}();
    std::printf("  seed %llu\n", static_cast<unsigned long long>(seed));
    seed_ = seed;
    server_.start_load();
  }

  std::vector<std::string> arguments(Kind kind, const std::filesystem::path& folder) const {
    std::vector<std::string> all = {"record", "-p", server_.pid_text(), "--literals"};
    const std::vector<std::string> more =
        kind == Kind::Flight ? std::vector<std::string>{"-o",           folder, "--keep-last",
                                                        "2s",           "--on", "max > 1us",
                                                        "--keep-after", "0s",   "--most-an-hour",
                                                        "100"}
                             : std::vector<std::string>{"-o", folder / "recording"};
    all.insert(all.end(), more.begin(), more.end());
    if (kind != Kind::Flight) all.insert(all.end(), {"--max-rate", "0"});
    if (kind == Kind::Rotating) all.insert(all.end(), {"--rotate", "1M", "--keep", "3"});
    return all;
  }

  // Several at once, as they mostly wait.
  template <typename One>
  void try_all(const One& one) {
    std::atomic<size_t> next = 0;
    std::vector<std::thread> workers;
    for (size_t i = 0; i < kAtOnce; ++i)
      workers.emplace_back([&] {
        for (size_t number = 0; (number = next++) < kCases;) {
          SCOPED_TRACE(number);
          std::seed_seq sequence{seed_, uint64_t{number}};
          try {
            one(Case{number, std::mt19937(sequence)});
          } catch (const std::exception& error) {
            ADD_FAILURE() << error.what();
          }
        }
      });
    for (std::thread& worker : workers) worker.join();
  }

  uint64_t seed_ = 0;
  StubServer server_{"com_data/renamed-server", {}, {"clocked"}};
};

// When the first file appears, nearly.
void wait_for_a_file(const std::filesystem::path& folder) {
  const auto end = std::chrono::steady_clock::now() + seconds(30);
  while (std::filesystem::is_empty(folder) && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(microseconds(100));
}

TEST_F(CutOff, KilledAtAnyMoment) {
  std::atomic<size_t> without_file = 0, empty = 0;
  std::atomic<uint64_t> latest_missing_ns = 0;
  try_all([&](Case one) {
    const TemporaryFolder folder;
    DbtraceProcess dbtrace(arguments(one.kind(), folder.path()));
    // Often while a file is being made, else while it grows.
    const bool early = one.kind() == Kind::Flight || one.below(5) == 0;
    if (early) {
      wait_for_a_file(folder.path());
      std::this_thread::sleep_for(microseconds(one.below(60'000)));
    } else {
      dbtrace.wait_until_attached();
    }
    const uint64_t began_ns = now_ns();
    if (!early) std::this_thread::sleep_for(milliseconds(one.below(4000)));
    const uint64_t killed_ns = now_ns();
    dbtrace.kill();

    const std::vector<std::string> files = recordings_in(folder.path());
    const Recorded recorded = expect_sound(files);
    without_file += files.empty();
    empty += recorded.queries == 0;
    if (one.kind() == Kind::Flight) return;
    // All but the last second, with the time that its commit may take on a busy machine.
    constexpr uint64_t kLast_ns = 2'000'000'000;
    if (killed_ns - began_ns < kLast_ns) return;
    const uint64_t missing_ns = killed_ns - std::min(killed_ns, recorded.latest_ns);
    EXPECT_LT(missing_ns, kLast_ns);
    uint64_t most = latest_missing_ns;
    while (missing_ns > most && !latest_missing_ns.compare_exchange_weak(most, missing_ns)) {
    }
  });
  std::printf(
      "  killed %zu times: no file yet %zu times, nothing in it %zu times; at most %llu ms "
      "missing\n",
      kCases, without_file.load(), empty.load(),
      static_cast<unsigned long long>(latest_missing_ns / 1'000'000));
}

// Takes all that is free.
void fill(const std::filesystem::path& folder) {
  const UniqueFd file(
      ::open((folder / "filler-new").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const std::string block(4096, 'x');
  while (::write(file.get(), block.data(), block.size()) > 0) {
  }
}

TEST_F(CutOff, DiskFullAtAnyMoment) {
  std::atomic<size_t> without_file = 0, full = 0;
  try_all([&](Case one) {
    // Half of them find little, of the others somebody else takes what is left.
    const bool is_taken = one.below(2) == 0;
    // Three files of a megabyte, which are not filled to the last, would fit into more.
    const MemoryDisk disk(is_taken ? 16'384 : 4 * (1 + one.below(400)));
    DbtraceProcess dbtrace(arguments(one.kind(), disk.folder()));
    const milliseconds moment(one.below(2500));
    if (is_taken) {
      if (one.below(3) > 0)
        dbtrace.wait_until_attached();
      else
        wait_for_a_file(disk.folder());
      std::this_thread::sleep_for(moment);
      fill(disk.folder());
      // Of three files the oldest makes room again.
      while (one.kind() == Kind::Rotating && dbtrace.process().running()) {
        std::this_thread::sleep_for(milliseconds(50));
        fill(disk.folder());
      }
    }
    // A flight recorder goes on.
    int exit_code = -1;
    if (one.kind() == Kind::Flight) {
      wait_until([&] { return dbtrace.errors().find("kept: ") != std::string::npos; }, seconds(60));
      exit_code = dbtrace.stop();
    } else {
      exit_code = dbtrace.wait();
    }

    const std::vector<std::string> files = recordings_in(disk.folder());
    const Recorded recorded = expect_sound(files);
    without_file += files.empty();
    const std::string errors = dbtrace.errors();
    const bool is_full = errors.find("disk is full") != std::string::npos ||
                         errors.find("No space left on device") != std::string::npos;
    full += is_full;
    EXPECT_EQ(exit_code, is_full ? 1 : 0) << errors;
    if (one.kind() == Kind::Flight) return;
    EXPECT_TRUE(is_full) << errors;
    // The account says how many are in it.
    if (one.kind() == Kind::Plain && !files.empty()) {
      EXPECT_EQ(Account::of(errors).shown, recorded.queries) << errors;
    }
  });
  std::printf("  %zu disks full, no file %zu times\n", full.load(), without_file.load());
}

}  // namespace
}  // namespace dbtrace::testing
