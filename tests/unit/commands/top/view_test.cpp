#include "src/commands/top/view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "src/commands/top/paper.h"
#include "tests/unit/commands/top/queries.h"

namespace dbtrace::commands::top {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using What = Action::What;

const About kAbout{.clock = "12:34:56", .server = "MariaDB 10.11 (pid 42)", .message = ""};

class ViewTest : public ::testing::Test {
 protected:
  ViewTest() {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
  }
  // Two kinds of query, in two seconds.
  void two_kinds() {
    model::Query query = query_of("select * from orders where id = 5", 3 * kMillisecond);
    query.budget = model::Budget{};
    query.budget->by_cause_ns[static_cast<size_t>(model::Cause::OnCpu)] = kMillisecond;
    query.budget->by_cause_ns[static_cast<size_t>(model::Cause::FileRead)] = 2 * kMillisecond;
    query.io = model::Io{};
    query.io->files = {file_io("shop.orders", model::FileOperation::Read, 2, 32768, kMillisecond)};
    query.io->operations = query.io->files.front().operations;
    query.rows_sent = 10;
    for (int i = 0; i < 9; ++i) state_.add(query, kBegin_ns);

    query = query_of("update orders set n = 1", 10 * kMillisecond);
    query.budget = model::Budget{};
    query.budget->by_cause_ns[static_cast<size_t>(model::Cause::RowLock)] = 10 * kMillisecond;
    query.error = 1205;
    query.blocker.emplace();
    query.blocker->waited_ns = 9 * kMillisecond;
    query.blocker->cause = model::Cause::RowLock;
    query.blocker->connection_id = 12;
    query.blocker->query = "update orders set n = 2 where name = '\x1b[2J'";
    query.blocker->query_length = 100;
    state_.add(query, kBegin_ns + kSecond);
    end_interval();
  }
  void end_interval(uint64_t lost = 0) {
    now_ns_ += 2 * kSecond;
    state_.end_interval({.time_ns = now_ns_, .lost = lost, .waits = waits_});
    controls_.refresh(state_);
  }
  void act(const Action& action) { controls_.apply(action, state_, 20); }
  [[nodiscard]] std::vector<std::string> lines(const ViewOptions& options) {
    const Frame frame = draw(state_, controls_, kAbout, options);
    controls_.limit_scroll(frame.most_scroll);
    return frame.lines;
  }
  [[nodiscard]] std::vector<std::string> screen() { return lines({.width = 80, .height = 24}); }

  TopState state_ = state_of();
  Controls controls_;
  std::optional<model::WaitSums> waits_;
  uint64_t now_ns_ = kBegin_ns;
};

TEST_F(ViewTest, ShowsKinds) {
  two_kinds();
  for (const std::string& line : screen()) puts(line.c_str());
  act({What::Open});
  for (const std::string& line : lines({.width = 80, .height = 0})) puts(line.c_str());
  act({What::Show, Page::Io});
  for (const std::string& line : screen()) puts(line.c_str());
}

}  // namespace
}  // namespace dbtrace::commands::top
