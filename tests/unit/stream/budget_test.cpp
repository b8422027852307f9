// What comes besides commands: budgets, blockers, files, operations on files.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "src/stream/decoder.h"
#include "tests/unit/stream/events.h"

namespace dbtrace::stream {
namespace {

using model::Cause;

constexpr uint16_t kWithBudget = DBT_HAS_CONNECTION | DBT_HAS_TEXT | DBT_HAS_BUDGET;

template <typename Field>
const Field& of(const std::array<Field, model::kFileOperations>& all, dbt_file_operation which) {
  return all[which];
}

class BudgetTest : public testing::Test {
 protected:
  BudgetTest() { decoder.set_clock_offset(kClockOffset); }

  template <typename Event>
  void feed(const Event& event) {
    const uint64_t before = decoder.malformed();
    EXPECT_EQ(decoder.feed(bytes_of(event)), nullptr);
    EXPECT_EQ(decoder.malformed(), before);
  }

  // The event is refused.
  void reject(const std::vector<std::byte>& event, const char* why) {
    const uint64_t before = decoder.malformed();
    EXPECT_EQ(decoder.feed(event), nullptr) << why;
    EXPECT_EQ(decoder.malformed(), before + 1) << why;
    EXPECT_EQ(decoder.operation(), nullptr) << why;
  }

  Decoder decoder{{{&profile(), profiles::PacketLayout::RawPacket}}};
};

TEST_F(BudgetTest, FileOperationsThatAreNotCountedAreNotNone) {
  for (const uint32_t sees_files : {0U, 1U}) {
    dbt_budget_event event = budget();
    event.sees_files = sees_files;
    decoder.feed(bytes_of(event));
    const model::Query* query = decoder.feed(command({.flags = kWithBudget}));
    ASSERT_NE(query, nullptr);
    EXPECT_TRUE(query->budget);
    EXPECT_EQ(query->io.has_value(), sees_files != 0);
  }
}

// Knows no name at first.
class LateNamer final : public profiles::FileNamer {
 public:
  std::string content(std::string_view folder, std::string_view name) override {
    return edition_ == 0 ? std::string(folder) + '/' + std::string(name) : "public.t";
  }
  [[nodiscard]] uint64_t edition() const override { return edition_; }
  Result<void> wait_until_ready(std::chrono::milliseconds) override { return {}; }
  void learn() { ++edition_; }

 private:
  uint64_t edition_ = 0;
};

TEST_F(BudgetTest, ANameThatIsKnownLateIsTakenAndToldOnce) {
  const auto namer = std::make_shared<LateNamer>();
  Decoder named{
      {{.profile = &profile(), .layout = profiles::PacketLayout::RawPacket, .namer = namer}}};
  named.feed(bytes_of(file(5, "16384", "16400")));
  named.feed(bytes_of(file(6, "16384", "16401")));
  named.feed(bytes_of(operation()));
  ASSERT_NE(named.operation(), nullptr);
  EXPECT_EQ(named.operation()->file.content, "16384/16400");
  EXPECT_TRUE(named.take_renamed_files().empty());
  namer->learn();
  named.feed(bytes_of(operation()));
  EXPECT_EQ(named.operation()->file.content, "public.t");
  EXPECT_EQ(named.operation()->file.name, "16400");
  using Renamed = Files::Renamed;
  Renamed renamed = named.take_renamed_files();
  std::ranges::sort(renamed);
  EXPECT_EQ(renamed, (Renamed{{"16384/16400", "public.t"}, {"16384/16401", "public.t"}}));
  EXPECT_TRUE(named.take_renamed_files().empty());
}

TEST_F(BudgetTest, ACommandHasItsBudgetAndTheRestIsUnexplained) {
  dbt_budget_event event = budget();
  for (size_t i = 0; i < DBT_CAUSES; ++i) event.ns[i] = 10 + i;
  event.voluntary = 3;
  event.involuntary = 4;
  feed(event);
  const model::Query* query = decoder.feed(command({.flags = kWithBudget}));
  ASSERT_NE(query, nullptr);
  ASSERT_TRUE(query->budget);
  EXPECT_EQ(query->budget->ns(Cause::OnCpu), 10u);
  EXPECT_EQ(query->budget->ns(Cause::GroupCommit), 25u);
  EXPECT_EQ(query->budget->lock_ns(), 15u + 19 + 20 + 21 + 22 + 23 + 24 + 25);
  EXPECT_EQ(query->budget->unexplained_ns, 2500u - 16 * 10 - 120);
  EXPECT_EQ(query->budget->voluntary_switches, 3u);
  EXPECT_EQ(query->budget->involuntary_switches, 4u);
  ASSERT_TRUE(query->io);
  EXPECT_TRUE(query->io->files.empty());
  EXPECT_FALSE(query->blocker);
}

TEST_F(BudgetTest, WhatIsMoreThanTheDurationLeavesNothingUnexplained) {
  dbt_budget_event event = budget();
  event.ns[DBT_CAUSE_ON_CPU] = 2400;
  event.ns[DBT_CAUSE_SLEEP] = 200;
  event.ns[DBT_CAUSE_OTHER] = UINT64_MAX;
  feed(event);
  const model::Query* query = decoder.feed(command({.flags = kWithBudget}));
  EXPECT_EQ(query->budget->unexplained_ns, 0u);
  EXPECT_EQ(query->budget->ns(Cause::Sleep), 200u);
}

TEST_F(BudgetTest, ABudgetIsOneCommandsOnly) {
  feed(budget());
  feed(blocker());
  EXPECT_FALSE(decoder.feed(command({.flags = kWithBudget, .tid = 44}))->budget) << "other thread";
  EXPECT_TRUE(decoder.feed(command({.flags = kWithBudget}))->budget);
  const model::Query* query = decoder.feed(command({.flags = kWithBudget}));
  EXPECT_FALSE(query->budget) << "taken before";
  EXPECT_FALSE(query->io);
  EXPECT_FALSE(query->blocker);

  feed(budget());
  query = decoder.feed(command({.flags = kWithBudget, .start = 1001}));
  EXPECT_FALSE(query->budget) << "an earlier command's";
  EXPECT_FALSE(query->blocker);

  feed(budget());
  EXPECT_FALSE(decoder.feed(command())->budget) << "the flag is not set";
}

TEST_F(BudgetTest, FilesHaveNamesAndContent) {
  feed(file(5, "shop", "orders.ibd"));
  feed(file(6, "mysql", "binlog.000007"));
  dbt_budget_event event = budget();
  event.io[DBT_FILE_READ] = {.count = 9, .blocked = 2, .bytes = 4096, .ns = 800, .max_ns = 600};
  event.io[DBT_FILE_SYNC] = {.count = 1, .blocked = 1, .bytes = 0, .ns = 50, .max_ns = 50};
  event.slowest_file[DBT_FILE_READ] = 5;
  event.slowest_file[DBT_FILE_SYNC] = 7;  // never told of
  event.file_count = 2;
  event.files[0].file = 6;
  event.files[0].operations[DBT_FILE_WRITE].ns = 10;
  event.files[1].file = 5;
  event.files[1].operations[DBT_FILE_READ] = {
      .count = 8, .blocked = 2, .bytes = 4000, .ns = 700, .max_ns = 600};
  feed(event);
  const model::Query* query = decoder.feed(command({.flags = kWithBudget}));
  ASSERT_TRUE(query->io);
  const model::Io& io = *query->io;
  EXPECT_EQ(of(io.operations, DBT_FILE_READ).count, 9u);
  EXPECT_EQ(of(io.operations, DBT_FILE_READ).blocked, 2u);
  EXPECT_EQ(of(io.operations, DBT_FILE_READ).bytes, 4096u);
  EXPECT_EQ(of(io.operations, DBT_FILE_READ).ns, 800u);
  EXPECT_EQ(of(io.operations, DBT_FILE_READ).max_ns, 600u);
  EXPECT_EQ(of(io.operations, DBT_FILE_WRITE).count, 0u);
  EXPECT_EQ(of(io.operations, DBT_FILE_SYNC).count, 1u);
  EXPECT_EQ(of(io.slowest, DBT_FILE_READ), (model::File{"orders.ibd", "shop.orders.ibd"}));
  EXPECT_EQ(of(io.slowest, DBT_FILE_WRITE), model::File());
  EXPECT_EQ(of(io.slowest, DBT_FILE_SYNC), model::File());
  ASSERT_EQ(io.files.size(), 2u);
  EXPECT_EQ(io.files[0].file.name, "orders.ibd") << "by time";
  EXPECT_EQ(of(io.files[0].operations, DBT_FILE_READ).bytes, 4000u);
  EXPECT_EQ(io.files[1].file, (model::File{"binlog.000007", "binlog.000007"}))
      << "no content known: the name";
}

TEST_F(BudgetTest, AnEventMayEndBehindItsLastFile) {
  dbt_budget_event event = budget();
  event.file_count = 1;
  const size_t size = offsetof(dbt_budget_event, files) + sizeof(dbt_file_io);
  event.header.size = static_cast<uint32_t>(size);
  EXPECT_EQ(decoder.feed(bytes_of(&event, size)), nullptr);
  EXPECT_EQ(decoder.malformed(), 0u);
  EXPECT_EQ(decoder.feed(command({.flags = kWithBudget}))->io->files.size(), 1u);
  event.file_count = 2;
  reject(bytes_of(&event, size), "a second one");
}

TEST_F(BudgetTest, ABlockerIsWhoItWas) {
  dbt_blocker_event event = blocker();
  event.text_length = 5000;
  feed(event);
  feed(budget());
  const model::Query* query = decoder.feed(command({.flags = kWithBudget}));
  ASSERT_TRUE(query->blocker);
  EXPECT_EQ(query->blocker->waited_ns, 700u);
  EXPECT_EQ(query->blocker->cause, Cause::RowLock);
  EXPECT_EQ(query->blocker->pid, 42u);
  EXPECT_EQ(query->blocker->tid, 99u);
  EXPECT_EQ(query->blocker->thread, "connection");
  EXPECT_EQ(query->blocker->connection_id, 8u);
  EXPECT_EQ(query->blocker->query, "update t set a = 1");
  EXPECT_EQ(query->blocker->query_length, 5000u);
}

TEST_F(BudgetTest, ABackgroundThreadHasNoQuery) {
  dbt_blocker_event event = blocker();
  event.blocker_start_ns = 0;
  std::memset(event.thread, 'x', sizeof(event.thread));  // no NUL
  feed(event);
  feed(budget());
  const model::Query* query = decoder.feed(command({.flags = kWithBudget}));
  ASSERT_TRUE(query->blocker);
  EXPECT_EQ(query->blocker->thread, std::string(DBT_THREAD_NAME_MAX, 'x'));
  EXPECT_EQ(query->blocker->connection_id, std::nullopt);
  EXPECT_EQ(query->blocker->query, std::nullopt);
}

TEST_F(BudgetTest, AnIdleSessionIsToldFromOneAtWork) {
  dbt_blocker_event event = blocker();
  event.is_idle = 1;
  feed(event);
  feed(budget());
  const model::Query* query = decoder.feed(command({.flags = kWithBudget}));
  ASSERT_TRUE(query->blocker);
  EXPECT_TRUE(query->blocker->idle);
  EXPECT_EQ(query->blocker->query, "update t set a = 1");
  EXPECT_EQ(query->blocker->title, "");
}

TEST_F(BudgetTest, AProcessWithoutAQueryIsCalledWhatItCallsItself) {
  EventSource source{.profile = &profile()};
  source.process_title = [](uint32_t pid) { return "process " + std::to_string(pid); };
  decoder = Decoder({source});
  dbt_blocker_event event = blocker();
  for (const bool at_work : {true, false}) {
    event.blocker_start_ns = at_work ? 500 : 0;
    feed(event);
    feed(budget());
    const model::Query* query = decoder.feed(command({.flags = kWithBudget}));
    ASSERT_TRUE(query->blocker);
    EXPECT_EQ(query->blocker->title, at_work ? "" : "process 42");
    EXPECT_FALSE(query->blocker->idle);
  }
}

// Of a server that says what it waits for.
class NamedWaitsTest : public BudgetTest {
 protected:
  NamedWaitsTest() {
    decoder = Decoder({{.profile = &profile(), .sees_waits = true, .version = "17.1"}});
  }
};

TEST_F(NamedWaitsTest, TheHeaviestFirst) {
  feed(named_waits());
  feed(budget());
  const model::Query* query = decoder.feed(command({.flags = kWithBudget}));
  ASSERT_TRUE(query->named_waits);
  ASSERT_EQ(query->named_waits->waits.size(), 2u);
  const model::NamedWait& first = query->named_waits->waits[0];
  EXPECT_EQ(first.event, (model::WaitEvent{"3", "17.1/0"}));
  EXPECT_EQ(first.ns, 600u);
  EXPECT_EQ(first.waits, 1u);
  EXPECT_EQ(query->named_waits->waits[1].event, (model::WaitEvent{"10", "17.1/1"}));
  EXPECT_EQ(query->named_waits->others_ns, 7u);
  EXPECT_FALSE(query->waits_for);

  feed(budget());
  query = decoder.feed(command({.flags = kWithBudget}));
  ASSERT_TRUE(query->named_waits) << "it did not wait";
  EXPECT_TRUE(query->named_waits->waits.empty());
  EXPECT_FALSE(decoder.feed(command())->named_waits) << "no budget";
}

TEST_F(NamedWaitsTest, WhatARunningQueryWaitsFor) {
  dbt_named_waits_event event = named_waits();
  event.count = 0;
  event.now = 0x05000002;
  feed(event);
  const model::Query* query = decoder.feed(command({.flags = DBT_IS_RUNNING}));
  EXPECT_EQ(query->waits_for, (model::WaitEvent{"5", "17.1/2"}));
  EXPECT_FALSE(query->named_waits);
  EXPECT_FALSE(decoder.feed(command({.flags = DBT_IS_RUNNING}))->waits_for) << "taken before";
}

TEST_F(BudgetTest, ServersThatDoNotSayHaveNoNamedWaits) {
  feed(named_waits());
  feed(budget());
  EXPECT_FALSE(decoder.feed(command({.flags = kWithBudget}))->named_waits);
}

TEST_F(BudgetTest, NamedWaitsMayEndBehindTheLast) {
  dbt_named_waits_event event = named_waits();
  const size_t size = offsetof(dbt_named_waits_event, waits) + 2 * sizeof(dbt_named_wait);
  event.header.size = static_cast<uint32_t>(size);
  EXPECT_EQ(decoder.feed(bytes_of(&event, size)), nullptr);
  EXPECT_EQ(decoder.malformed(), 0u);
  event.count = 3;
  reject(bytes_of(&event, size), "a third one");
}

TEST_F(BudgetTest, AnOperationIsToldByItself) {
  feed(file(5, "shop", "orders.ibd"));
  EXPECT_EQ(decoder.operation(), nullptr);
  feed(operation());
  const model::IoOperation* found = decoder.operation();
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->start_ns, kClockOffset + 1100u);
  EXPECT_EQ(found->duration_ns, 30u);
  EXPECT_EQ(found->operation, model::FileOperation::Write);
  EXPECT_EQ(found->file.name, "orders.ibd");
  EXPECT_EQ(found->offset, 16384u);
  EXPECT_EQ(found->bytes, 512u);
  EXPECT_EQ(found->error, 0u);
  EXPECT_TRUE(found->blocked);
  EXPECT_EQ(found->pid, 42u);
  EXPECT_EQ(found->tid, 43u);
  EXPECT_EQ(found->thread, "connection");
  const std::optional<uint64_t> command_start = found->command_start_ns;
  const model::Query* query = decoder.feed(command());
  EXPECT_EQ(command_start, query->start_ns);
  EXPECT_EQ(decoder.operation(), nullptr) << "of the event before";
}

TEST_F(BudgetTest, AnOperationOfABackgroundThread) {
  dbt_io_event event = operation();
  event.offset = UINT64_MAX;
  event.command_start_ns = 0;
  event.error = 28;
  event.file = 77;
  feed(event);
  ASSERT_NE(decoder.operation(), nullptr);
  EXPECT_EQ(decoder.operation()->offset, std::nullopt);
  EXPECT_EQ(decoder.operation()->command_start_ns, std::nullopt);
  EXPECT_EQ(decoder.operation()->error, 28u);
  EXPECT_EQ(decoder.operation()->file, model::File());
}

TEST_F(BudgetTest, AFileNameFillsItsField) {
  dbt_file_event event = file(5, "shop", "");
  std::memset(event.name, 'n', sizeof(event.name));
  std::memset(event.folder, 'f', sizeof(event.folder));
  feed(event);
  feed(operation());
  EXPECT_EQ(decoder.operation()->file.name, std::string(DBT_FILE_NAME_MAX, 'n'));
}

TEST_F(BudgetTest, DropsMalformedEvents) {
  const auto changed = [](auto event, auto change) {
    change(event);
    return bytes_of(event);
  };
  reject(changed(budget(), [](auto& event) { event.file_count = DBT_FILES_MAX + 1; }),
         "too many files");
  reject(changed(budget(), [](auto& event) { event.file_count = UINT32_MAX; }), "far too many");
  reject(changed(blocker(), [](auto& event) { event.cause = DBT_CAUSES; }), "no cause");
  reject(changed(blocker(),
                 [](auto& event) {
                   event.text_size = DBT_BLOCKER_TEXT_MAX + 1;
                   event.text_length = event.text_size;
                 }),
         "text beyond the end");
  reject(changed(blocker(), [](auto& event) { event.text_length = 1; }), "longer than it is");
  reject(changed(named_waits(), [](auto& event) { event.count = DBT_NAMED_WAITS_MAX + 1; }),
         "too many waits");
  reject(changed(named_waits(), [](auto& event) { event.count = UINT32_MAX; }), "far too many");
  reject(changed(file(0, "shop", "orders.ibd"), [](auto&) {}), "a file without a number");
  reject(changed(operation(), [](auto& event) { event.operation = DBT_FILE_OPERATIONS; }),
         "no operation");
}

TEST_F(BudgetTest, SurvivesEveryTruncation) {
  dbt_budget_event full = budget();
  full.file_count = DBT_FILES_MAX;
  dbt_blocker_event blocked = blocker(std::string(DBT_BLOCKER_TEXT_MAX, 'x'));
  dbt_named_waits_event waits = named_waits();
  waits.count = DBT_NAMED_WAITS_MAX;
  for (const std::vector<std::byte>& whole : {bytes_of(full), bytes_of(blocked), bytes_of(waits),
                                              bytes_of(file(5, "a", "b")), bytes_of(operation())}) {
    for (uint32_t size = 0; size < whole.size(); ++size) {
      std::vector<std::byte> cut(whole.begin(), whole.begin() + size);
      if (size >= sizeof(size)) std::memcpy(cut.data(), &size, sizeof(size));
      reject(cut, "cut");
    }
  }
}

TEST_F(BudgetTest, MemoryIsBounded) {
  dbt_budget_event lost_budget = budget();
  dbt_blocker_event lost_blocker = blocker();
  dbt_named_waits_event lost_waits = named_waits();
  for (uint32_t tid = 100; tid < 10'000; ++tid) {
    lost_budget.tid = lost_blocker.tid = lost_waits.tid = tid;
    feed(lost_budget);
    feed(lost_waits);
    feed(lost_blocker);
  }
  feed(budget());
  EXPECT_TRUE(decoder.feed(command({.flags = kWithBudget}))->budget);
}

TEST(Files, ForgetsTheHalfThatNobodyAskedForTheLongest) {
  constexpr size_t kMost = 1000;
  Files files(kMost);
  const auto number = [](size_t at) { return static_cast<uint32_t>(at + 1); };
  for (size_t at = 0; at < kMost; ++at)
    ASSERT_TRUE(
        files.feed(bytes_of(file(number(at), "shop", "orders.ibd")), {.profile = &profile()}));
  EXPECT_EQ(files.find(number(0)).name, "orders.ibd");  // asked for: kept
  ASSERT_TRUE(
      files.feed(bytes_of(file(number(kMost), "shop", "new.ibd")), {.profile = &profile()}));
  EXPECT_EQ(files.find(number(0)).name, "orders.ibd");
  EXPECT_EQ(files.find(number(kMost)).name, "new.ibd");
  EXPECT_EQ(files.find(number(kMost - 1)).name, "orders.ibd");
  EXPECT_EQ(files.find(number(1)).name, "") << "the oldest";
  size_t known = 0;
  for (size_t at = 0; at <= kMost; ++at) known += !files.find(number(at)).name.empty();
  EXPECT_EQ(known, kMost / 2 + 1);
}

TEST(Files, AKnownNumberIsNamedAnew) {
  Files files;
  ASSERT_TRUE(files.feed(bytes_of(file(1, "shop", "#sql-1.ibd")), {.profile = &profile()}));
  ASSERT_TRUE(files.feed(bytes_of(file(1, "shop", "orders.ibd")), {.profile = &profile()}));
  EXPECT_EQ(files.find(1), (model::File{"orders.ibd", "shop.orders.ibd"}));
}

}  // namespace
}  // namespace dbtrace::stream
