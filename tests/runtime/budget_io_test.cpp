// What queries do with files, operation by operation, by each of the ways in which
// dbtrace can see it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>

#include "tests/runtime/budget.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class BudgetIo : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (GetParam() != std::string("auto") && !can_see_files(GetParam()))
      GTEST_SKIP() << "--file-io " << GetParam() << " is not possible here";
  }
  [[nodiscard]] static BudgetRun run(const std::vector<std::string>& plan) {
    return {kBudgetShapes[0], plan, {"--file-io", GetParam()}};
  }
};

INSTANTIATE_TEST_SUITE_P(By, BudgetIo, ::testing::Values("auto", "fentry", "kprobe", "syscalls"),
                         [](const auto& way) { return std::string(way.param); });

TEST_P(BudgetIo, CountsEveryCallThatReads) {
  const BudgetRun traced = run(
      {"201 read a.ibd 4096 5 warm; pread a.ibd 100 5; readv a.ibd 4096 5; preadv a.ibd 4096 5; "
       "preadv2 a.ibd 8192 5"});
  const BudgetedQuery& query = traced.one(201);
  expect_io(query);
  EXPECT_EQ(query.told["io"]["reads"], 25);
  EXPECT_EQ(query.told["io"]["read_bytes"], 5 * (4096 * 3 + 100 + 8192));
  EXPECT_EQ(query.told["io"]["writes"], 0);
  EXPECT_EQ(query.told["io"]["fsyncs"], 0);
}

TEST_P(BudgetIo, CountsEveryCallThatWritesAndSyncs) {
  const BudgetRun traced =
      run({"201 write a.ibd 4096 5 warm; pwrite a.ibd 100 5; writev a.ibd 4096 5; "
           "pwritev a.ibd 4096 5; pwritev2 a.ibd 8192 5; fsync a.ibd; write a.ibd 10; "
           "fdatasync a.ibd; write a.ibd 10; sync_file_range a.ibd 10"});
  const BudgetedQuery& query = traced.one(201);
  expect_io(query);
  EXPECT_EQ(query.told["io"]["writes"], 27);
  EXPECT_EQ(query.told["io"]["write_bytes"], 5 * (4096 * 3 + 100 + 8192) + 20);
  EXPECT_EQ(query.told["io"]["fsyncs"], 3);
  EXPECT_EQ(query.told["io"]["reads"], 0);
}

TEST_P(BudgetIo, TellsReadsOfTheDeviceFromThoseOfTheCache) {
  const BudgetRun traced =
      run({"201 pread warm.ibd 4096 200 warm; pread cold.ibd 4096 200 cold; spin 1"});
  const BudgetedQuery& query = traced.one(201);
  expect_io(query);
  expect_budget(query);
  std::map<std::string, json> files;
  for (const json& file : query.told["io"]["files"]) files[file["file"]] = file;
  ASSERT_EQ(files.size(), 2u);
  EXPECT_LE(files["warm.ibd"]["reads_blocked"], 20);
  EXPECT_GT(files["cold.ibd"]["reads_blocked"], files["warm.ibd"]["reads_blocked"]);
}

TEST_P(BudgetIo, OfMoreFilesThanItKeepsApartCountsAll) {
  std::string script;
  for (int i = 0; i < 20; ++i)
    script +=
        "pread f" + std::to_string(i) + ".ibd 4096 " + std::to_string(i == 7 ? 100 : 2) + " cold; ";
  const BudgetRun traced = run({"201 " + script});
  const BudgetedQuery& query = traced.one(201);
  expect_io(query);
  EXPECT_EQ(query.told["io"]["reads"], 19 * 2 + 100);
  const json& files = query.told["io"]["files"];
  EXPECT_EQ(files.size(), 8u);
  const auto time = [](const json& file) { return file["read_ns"].get<int64_t>(); };
  EXPECT_TRUE(std::ranges::is_sorted(files, std::greater(), time)) << files;
  const auto heavy =
      std::ranges::find(files, "f7.ibd", [](const json& file) { return file["file"]; });
  ASSERT_NE(heavy, files.end()) << files;
  EXPECT_EQ((*heavy)["reads"], 100);
}

TEST_P(BudgetIo, NamesWhatTheFilesHold) {
  const std::map<std::string, std::string> tables = {
      {"shop/orders.ibd", "shop.orders"},
      {"shop/notes.MYD", "shop.notes"},
      {"shop/notes.MYI", "shop.notes"},
      {"shop/log.MAD", "shop.log"},
      {"ib_logfile0", "redo"},
      {"#ib_redo12", "redo"},
      {"undo_001", "undo"},
      {"binlog.000001", "binlog"},
  };
  int connection = 201;
  std::vector<std::string> plan;
  for (const auto& [file, table] : tables)
    plan.push_back(std::to_string(connection++) + " pread " + file + " 4096 warm; spin 0");
  const BudgetRun traced = run(plan);
  connection = 201;
  for (const auto& [file, table] : tables) {
    const json& files = traced.one(connection++).told["io"]["files"];
    ASSERT_EQ(files.size(), 1u) << file;
    EXPECT_EQ(files[0]["table"], table) << file;
    EXPECT_EQ(files[0]["file"], file.substr(file.rfind('/') + 1));
  }
}

TEST_P(BudgetIo, IsNothingWhereThereIsNone) {
  const BudgetRun traced = run({"201 sleep 1; spin 1; poll s 1"});
  expect_io(traced.one(201));
  EXPECT_EQ(traced.one(201).told["io"]["reads"], 0);
}

TEST_P(BudgetIo, BelongsToTheQueryOfItsThread) {
  const BudgetRun traced =
      run({"201 pread a.ibd 4096 50 cold; sleep 5", "202 pread a.ibd 4096 70 cold; sleep 5",
           "writer pwrite a.ibd 4096 90; fsync a.ibd"});
  EXPECT_EQ(traced.one(201).told["io"]["reads"], 50);
  EXPECT_EQ(traced.one(202).told["io"]["reads"], 70);
  EXPECT_EQ(traced.one(202).told["io"]["writes"], 0);
}

// On their way to the disk such writes lead through the functions of syncs.
TEST_P(BudgetIo, WritesThatSyncAreWrites) {
  const BudgetRun traced = run({"201 pwrite a.ibd 4096 20 sync; writev b.ibd 1000 20 sync"});
  const BudgetedQuery& query = traced.one(201);
  expect_io(query);
  EXPECT_EQ(query.told["io"]["writes"], 40);
  EXPECT_EQ(query.told["io"]["write_bytes"], 20 * (4096 + 1000));
  EXPECT_EQ(query.told["io"]["fsyncs"], 0);
}

// Threads that sleep in read() until the end.
class SleepingReaders {
 public:
  void start(size_t count) {
    ASSERT_EQ(::pipe(pipe_), 0);
    for (size_t i = 0; i < count; ++i)
      readers_.emplace_back([this] {
        char byte = 0;
        ++reading_;
        static_cast<void>(::read(pipe_[0], &byte, 1));
      });
    wait_until([&] { return reading_ == count; }, std::chrono::seconds(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  ~SleepingReaders() {
    ::close(pipe_[1]);
    for (std::thread& reader : readers_) reader.join();
    ::close(pipe_[0]);
  }

 private:
  int pipe_[2] = {-1, -1};
  std::atomic<size_t> reading_ = 0;
  std::vector<std::thread> readers_;
};

TEST_P(BudgetIo, OfAMachineFullOfReadersIsWholeOrSaidNotToBe) {
  SleepingReaders others;
  const BudgetRun traced(kBudgetShapes[0], {"201 pread a.ibd 4096 20 warm; fsync a.ibd"},
                         {"--file-io", GetParam()},
                         [&] { others.start(20 + 2 * std::thread::hardware_concurrency()); });
  const int64_t told = traced.one(201).told["io"]["reads"];
  if (GetParam() != std::string("kprobe")) {
    EXPECT_EQ(told, 20);
    EXPECT_THAT(traced.errors(), Not(HasSubstr("not counted")));
  } else if (told < 20) {
    EXPECT_THAT(traced.errors(),
                HasSubstr(std::to_string(20 - told) + " file operations not counted"));
  }
}

TEST(BudgetWithoutFiles, StillAddsUp) {
  const BudgetRun run(kBudgetShapes[0], {"201 pread a.ibd 4096 200 cold; sleep 5; spin 1"},
                      {"--file-io", "none"});
  expect_budget(run.one(201));
  EXPECT_TRUE(run.one(201).told.at("io").is_null());
}

}  // namespace
}  // namespace dbtrace::testing
