#include "src/commands/top/view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "src/commands/top/paper.h"
#include "tests/unit/commands/top/queries.h"

namespace dbtrace::commands::top {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using What = Action::What;
using Lines = std::vector<std::string>;

constexpr const char* kHostile = "\x1b[2J\x07\r\n\xff\u202e漢字漢字";

class ViewTest : public ::testing::Test {
 protected:
  ViewTest() {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
  }

  static model::Query select() {
    model::Query query = query_of("select * from orders where id = 5", 3 * kMillisecond);
    query.budget.emplace();
    query.budget->by_cause_ns[static_cast<size_t>(model::Cause::OnCpu)] = kMillisecond;
    query.budget->by_cause_ns[static_cast<size_t>(model::Cause::FileRead)] = 2 * kMillisecond;
    query.io.emplace();
    query.io->files = {file_io("shop.orders", model::FileOperation::Read, 2, 32768, kMillisecond)};
    query.io->operations = query.io->files.front().operations;
    query.rows_sent = 10;
    return query;
  }
  static model::Query update() {
    model::Query query = query_of("update orders set n = 1", 10 * kMillisecond);
    query.budget.emplace();
    query.budget->by_cause_ns[static_cast<size_t>(model::Cause::RowLock)] = 10 * kMillisecond;
    query.error = 1205;
    query.blocker.emplace();
    query.blocker->waited_ns = 9 * kMillisecond;
    query.blocker->cause = model::Cause::RowLock;
    query.blocker->connection_id = 12;
    query.blocker->query = "update orders set n = 2";
    query.blocker->query_length = 100;
    return query;
  }
  // Nine of one kind and one of another, in two seconds.
  void two_kinds() {
    for (int i = 0; i < 9; ++i) state_.add(select(), kBegin_ns);
    state_.add(update(), kBegin_ns + kSecond);
    end_interval();
  }
  void end_interval(uint64_t lost = 0) {
    now_ns_ += 2 * kSecond;
    state_.end_interval({.time_ns = now_ns_, .lost = lost, .waits = waits_});
    controls_.refresh(state_);
  }
  void act(const Action& action) { controls_.apply(action, state_, 20); }
  Lines lines(const ViewOptions& options) {
    const Frame frame = draw(state_, controls_, about_, options);
    controls_.limit_scroll(frame.most_scroll);
    return frame.lines;
  }
  Lines screen() { return lines({.width = 80, .height = 24}); }
  Lines all() { return lines({.width = 80}); }

  TopState state_ = state_of();
  Controls controls_;
  About about_{.clock = "12:34:56",
               .progress = "up 2.0s",
               .server = "MariaDB 10.11 (pid 42)",
               .keys =
                   "F1 kinds F2 running F3 waits F4 I/O  Enter open  s sort  / filter  p pause  "
                   "? help"};
  std::optional<model::WaitSums> waits_;
  uint64_t now_ns_ = kBegin_ns;
};

TEST_F(ViewTest, ShowsKinds) {
  two_kinds();
  Lines expected = {
      "12:34:56 0 lost, 5.00 queries/s, 0.02 at work, up 2.0s: MariaDB 10.11 (pid 42)",
      "2 kinds by time of the last 2.00s",
      "     /S    P50    P95    P99 SHARE TIME     MINUTE     QUERY",
      "   4.50 2.98ms 2.98ms 2.98ms 73.0% CCCRRRRR ▁▁▁▁▁▁▁▁▁█ SELECT * FROM `orders` W…",
      "   0.50 10.0ms 10.0ms 10.0ms 27.0% LLLLLLLL ▁▁▁▁▁▁▁▁▁█ [1 failed] UPDATE `order…"};
  expected.resize(23);
  expected.emplace_back(
      "F1 kinds F2 running F3 waits F4 I/O Enter open s sort / filter p pause ? help");
  EXPECT_THAT(screen(), ElementsAreArray(expected));
}

TEST_F(ViewTest, ShowsMoreOnAWideScreen) {
  two_kinds();
  EXPECT_EQ(lines({.width = 130, .height = 24})[3],
            "   4.50 2.98ms 2.98ms 2.98ms 73.0% CCCCRRRRRRRR ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁█"
            " SELECT * FROM `orders` WHERE `id` = ?");
}

TEST_F(ViewTest, LeavesTheQuerySomeRoomOnANarrowOne) {
  two_kinds();
  EXPECT_EQ(lines({.width = 40, .height = 24})[3], "   4.50 2.98ms 73.0% SELECT * FROM `ord…");
}

TEST_F(ViewTest, PrintsForLogsWithoutCutting) {
  two_kinds();
  const Lines log = lines({.most_rows = 1});
  ASSERT_EQ(log.size(), 4U);
  EXPECT_EQ(log[0], screen()[0]);
  EXPECT_THAT(log[3], HasSubstr("█ SELECT * FROM `orders` WHERE `id` = ?"));
}

TEST_F(ViewTest, MarksTheSelectedRow) {
  two_kinds();
  act({What::Down});
  EXPECT_THAT(screen()[3], StartsWith(">  4.50 2.98ms"));
  EXPECT_THAT(screen()[4], StartsWith("   0.50 10.0ms"));
  const std::string row = lines({.width = 80, .height = 24, .color = true})[3];
  EXPECT_THAT(row, StartsWith(kReverse));
  EXPECT_EQ(row.find('\x1b', 1), row.size() - output::kReset.size());  // no colour ends it
}

TEST_F(ViewTest, TurnsPagesWithTheSelection) {
  for (char c = 'a'; c <= 'z'; ++c)
    state_.add(query_of(std::string("select ") + c, 100 - static_cast<uint64_t>(c - 'a')),
               kBegin_ns);
  end_interval();
  EXPECT_EQ(room_on(24), 20U);
  EXPECT_THAT(screen()[3], HasSubstr("`a`"));
  act({What::Last});
  EXPECT_THAT(screen()[3], HasSubstr("`u`"));
  EXPECT_THAT(screen()[8], StartsWith(">"));
  EXPECT_THAT(screen()[8], HasSubstr("`z`"));
  EXPECT_EQ(screen()[9], "");
}

TEST_F(ViewTest, AlwaysTellsOfLosses) {
  two_kinds();
  end_interval(17);
  EXPECT_THAT(screen()[0], StartsWith("12:34:56 17 lost,"));
  EXPECT_THAT(lines({.width = 20, .height = 1})[0], StartsWith("12:34:56 17 lost,"));
  EXPECT_THAT(lines({.width = 80, .height = 24, .color = true})[0],
              HasSubstr("\x1b[31m17 lost,\x1b[0m"));
  act({What::Show, Page::Help});
  EXPECT_THAT(screen()[0], StartsWith("12:34:56 17 lost,"));
}

TEST_F(ViewTest, SaysWhatIsChosen) {
  two_kinds();
  act({What::Sort, Page::Kinds, kinds::SortKey::P99});
  act({What::SwitchOver});
  act({What::Pause});
  act({What::Filter});
  act({What::Type, Page::Kinds, kinds::SortKey::Total, 'o'});
  EXPECT_EQ(screen()[1], "PAUSED 2 kinds by p99 of the whole run /o_");
  EXPECT_THAT(screen()[23], HasSubstr("Enter: keep it"));
  act({What::Open});
  EXPECT_EQ(screen()[1], "PAUSED 2 kinds by p99 of the whole run /o");
  about_.message = "server 42 has ended\n";
  EXPECT_EQ(screen()[23], "server 42 has ended");
}

TEST_F(ViewTest, ShowsOneKind) {
  two_kinds();
  act({What::Last});
  act({What::Open});
  const std::string minute = "▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁█";
  const std::string id = state_.kind(*controls_.selected()).id;
  EXPECT_THAT(all(),
              ElementsAreArray(Lines{
                  "12:34:56 0 lost, 5.00 queries/s, 0.02 at work, up 2.0s: MariaDB 10.11 (pid 42)",
                  "One kind of the last 2.00s",
                  id + " 1 query, 1 failed; 10.0ms in all, 27.0% of all time",
                  "On average: 10.0ms long, - rows sent, - examined",
                  "UPDATE `orders` SET `n` = ?",
                  "LLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLL row lock 100%",
                  "queries/s " + minute + " 1/s",
                  "time/s    " + minute + " 10.0ms/s",
                  "",
                  "How long",
                  "  mean 10.0ms  p50 10.0ms  p90 10.0ms  p99 10.0ms  p99.9 10.0ms  max 10.0ms",
                  "   9.96ms –  10.2ms           1 |########################################|",
                  "",
                  "Slowest of the run",
                  "TIME       CONN   TOOK TIME       QUERY",
                  "22:13:20      7   10ms LLLLLLLLLL update orders set n = 1",
                  "",
                  "Kept waiting by others, in the run",
                  "1 time, 9.00ms in all; for longest:",
                  " 9.0ms row lock by #12 update orders set n = 2 [77 bytes more]",
              }));
}

TEST_F(ViewTest, ShowsTheTablesOfAKind) {
  two_kinds();
  act({What::Open});
  const Lines page = all();
  EXPECT_EQ(page[page.size() - 3], "Operations on files, in the run");
  EXPECT_EQ(page.back(),
            "shop.orders                  18   288k 9.00ms      0      0      0      0      0");
}

TEST_F(ViewTest, ScrollsToTheEndOfAPage) {
  two_kinds();
  act({What::Open});
  const Lines page = all();
  const Lines top = lines({.width = 80, .height = 10});
  EXPECT_EQ(top[2], page[2]);
  act({What::Last});
  (void)lines({.width = 80, .height = 10});
  const Lines bottom = lines({.width = 80, .height = 10});
  EXPECT_EQ(bottom[8], page.back());
  act({What::Up});
  EXPECT_EQ(lines({.width = 80, .height = 10})[8], page[page.size() - 2]);
}

TEST_F(ViewTest, ShowsIoByTable) {
  two_kinds();
  act({What::Show, Page::Io});
  const Lines page = screen();
  EXPECT_EQ(page[1], "I/O by table of the last 2.00s");
  EXPECT_EQ(page[2],
            "TABLE                     READS  BYTES   TIME WRITES  BYTES   TIME FSYNCS   TIME");
  EXPECT_EQ(page[3],
            "shop.orders                  18   288k 9.00ms      0      0      0      0      0");
  end_interval();
  EXPECT_EQ(screen()[3], "No query has read or written a file.");
}

// Without a budget, or when --max-overhead has given files up.
TEST_F(ViewTest, SaysOfHowManyQueriesIoIs) {
  model::Query bare = select();
  bare.budget.reset();
  bare.io.reset();
  state_.add(bare, kBegin_ns);
  end_interval();
  act({What::Show, Page::Io});
  EXPECT_EQ(screen()[3], "Measured of 0 of 1 query only.");
}

TEST_F(ViewTest, ShowsWaits) {
  act({What::Show, Page::Waits});
  end_interval();
  EXPECT_EQ(screen()[3], "Not measured: see --no-budget and --max-overhead.");
  waits_.emplace();
  const auto read = static_cast<size_t>(model::Cause::FileRead);
  waits_->ns[static_cast<size_t>(model::Cause::OnCpu)] = 3 * kSecond;
  waits_->ns[read] = kSecond;
  waits_->lengths[read].add(kMillisecond, 1000);
  waits_->now[read] = 2;
  end_interval();
  const Lines page = screen();
  EXPECT_THAT(page[0], HasSubstr(" 2.00 at work,"));
  EXPECT_EQ(page[2],
            "CAUSE           TIME SHARE                       WAITS    P50    P99    MAX  NOW");
  EXPECT_EQ(page[3], "cpu            3.00s 75.0% CCCCCCCCCCCCCCC");
  EXPECT_EQ(page[4],
            "read           1.00s 25.0% RRRRR                  1000 1.01ms 1.01ms 1.02ms    2");
}

TEST_F(ViewTest, ShowsWaitEventsOfServersThatNameThem) {
  act({What::Show, Page::Waits});
  waits_.emplace();
  waits_->ns[static_cast<size_t>(model::Cause::RowLock)] = 4 * kSecond;
  waits_->events[{"IO", "WALSync"}] = {.ns = kMillisecond, .waits = 7};
  waits_->events[{"Lock", "tuple"}] = {.ns = kSecond, .waits = 3, .now = 2};
  end_interval();
  const Lines page = screen();
  EXPECT_EQ(page[5], "Wait events");
  EXPECT_EQ(page[6], "Lock:tuple                            1.00s 25.0%      3    2");
  EXPECT_EQ(page[7], "IO:WALSync                           1.00ms  0.0%      7");
}

TEST_F(ViewTest, ShowsWhatRuns) {
  act({What::Show, Page::Running});
  model::Query query = query_of("select sleep(60)", 5 * kSecond);
  query.running = true;
  query.user = "anna";
  state_.set_running({query});
  EXPECT_EQ(screen()[1], "1 running");
  EXPECT_EQ(screen()[3], "22:13:20      7 anna     -          5.0s      - select sleep(60)");
}

TEST_F(ViewTest, SaysWhatAPageDoesNotHave) {
  two_kinds();
  about_.not_running = "none that never ended";
  about_.not_waiting = "none in the background";
  act({What::Show, Page::Running});
  EXPECT_EQ(all().back(), "none that never ended");
  act({What::Show, Page::Waits});
  EXPECT_EQ(all().back(), "none in the background");
  act({What::Show, Page::Kinds});
  EXPECT_THAT(all().back(), HasSubstr("UPDATE"));
}

TEST_F(ViewTest, HasRoomForItsHelp) {
  act({What::Show, Page::Help});
  const Lines help = lines({});
  const Frame frame = draw(state_, controls_, about_, {.width = 80, .height = 24});
  EXPECT_EQ(frame.most_scroll, 0U);
  for (size_t line = 1; line < help.size(); ++line) EXPECT_EQ(frame.lines[line], help[line]);
}

TEST_F(ViewTest, FitsAnyScreenAndObeysNobody) {
  two_kinds();
  model::Query query =
      query_of(std::string("select '") + kHostile + "' as `" + kHostile + "`", kSecond);
  query.io.emplace();
  query.io->files = {file_io(kHostile, model::FileOperation::Write, 1, 1, kSecond)};
  query.io->operations = query.io->files.front().operations;
  query.blocker.emplace();
  query.blocker->waited_ns = kSecond;
  query.blocker->thread = kHostile;
  query.blocker->query = kHostile;
  query.blocker->query_length = 1000;
  state_.add(query, now_ns_);
  query.running = true;
  query.user = kHostile;
  query.database = kHostile;
  state_.set_running({query});
  waits_.emplace();
  waits_->ns[0] = kSecond;
  about_.server = about_.message = kHostile;
  end_interval(12345);
  for (const Page page :
       {Page::Kinds, Page::Kind, Page::Running, Page::Waits, Page::Io, Page::Help}) {
    act({What::Show, Page::Kinds});
    act({What::First});
    if (page == Page::Kind)
      act({What::Open});
    else
      act({What::Show, page});
    for (size_t width = 1; width < 200; width += width < 20 ? 1 : 13) {
      for (size_t height = 1; height < 60; height += height < 12 ? 1 : 9) {
        const Lines lines = this->lines({.width = width, .height = height});
        ASSERT_EQ(lines.size(), height) << width;
        for (const std::string& line : lines) {
          ASSERT_EQ(fitting(line, width), line.size()) << width << 'x' << height << ": " << line;
          for (const char c : line) ASSERT_TRUE(c < 0 || c >= ' ') << line;
          ASSERT_THAT(line, Not(HasSubstr("\u202e")));
        }
      }
    }
  }
}

}  // namespace
}  // namespace dbtrace::commands::top
