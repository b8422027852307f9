#include "src/commands/doctor/canary_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace dbtrace::commands {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint64_t kMs = 1'000'000;

Sung sung() {
  return {.text = "select /* dbtrace canary 0f */ sleep(0.05)",
          .connection_id = "17",
          .user = "app",
          .rows = 1,
          .asked_ns = 50 * kMs,
          .took_ns = 52 * kMs};
}

model::Query heard() {
  model::Query query;
  query.text = sung().text;
  query.connection_id = 17;
  query.user = "app";
  query.rows_sent = 1;
  query.duration_ns = 51 * kMs;
  query.budget.emplace();
  query.budget->by_cause_ns[static_cast<size_t>(model::Cause::Sleep)] = 50 * kMs;
  query.budget->by_cause_ns[static_cast<size_t>(model::Cause::OnCpu)] = kMs;
  return query;
}

// The subjects of what is not right.
std::set<std::string> wrong(const model::Query& query, CheckState state = CheckState::Missing) {
  std::set<std::string> subjects;
  for (const Check& check : canary_checks(sung(), query))
    if (check.state == state) subjects.insert(check.subject);
  return subjects;
}

std::set<std::string> only(const char* subject) { return {subject}; }

TEST(Canary, IsRightWhenAllIsAsItsClientKnows) {
  EXPECT_THAT(wrong(heard()), IsEmpty());
  EXPECT_THAT(wrong(heard(), CheckState::Degraded), IsEmpty());
  EXPECT_THAT(canary_checks(sung(), heard()), SizeIs(6));
}

TEST(Canary, IsWrongInWhateverDiffers) {
  model::Query query = heard();
  query.text += " ";
  EXPECT_EQ(wrong(query), only("text"));
  query = heard();
  query.connection_id = 18;
  EXPECT_EQ(wrong(query), only("connection"));
  query = heard();
  query.user = "root";
  EXPECT_EQ(wrong(query), only("user"));
  query = heard();
  query.rows_sent = 0;
  EXPECT_EQ(wrong(query), only("rows"));
}

TEST(Canary, TakesNoTimeThatItsClientDidNotWait) {
  model::Query query = heard();
  query.budget.reset();  // whatever else is said of it
  query.duration_ns = 49 * kMs;
  EXPECT_EQ(wrong(query).count("duration"), 1U);
  query.duration_ns = 53 * kMs;
  EXPECT_EQ(wrong(query).count("duration"), 1U);
}

TEST(Canary, HasABudgetThatAddsUpAndSleeps) {
  model::Query query = heard();
  query.budget->by_cause_ns[static_cast<size_t>(model::Cause::OnCpu)] = 3 * kMs;
  EXPECT_EQ(wrong(query), only("budget"));
  query = heard();
  std::swap(query.budget->by_cause_ns[static_cast<size_t>(model::Cause::Sleep)],
            query.budget->by_cause_ns[static_cast<size_t>(model::Cause::Other)]);
  EXPECT_EQ(wrong(query), only("budget"));
  query.budget.reset();
  EXPECT_EQ(wrong(query), only("budget"));
}

TEST(Canary, LacksWhatIsNotTold) {
  model::Query query = heard();
  query.user.reset();
  query.rows_sent.reset();
  EXPECT_THAT(wrong(query), IsEmpty());
  EXPECT_EQ(wrong(query, CheckState::Degraded), (std::set<std::string>{"rows", "user"}));
  Sung without = sung();
  without.budget = false;
  EXPECT_EQ(canary_checks(without, heard()).back().state, CheckState::Degraded);
}

TEST(Canary, NotHeardProvesNothing) {
  const auto checks = canary_checks(sung(), std::nullopt);
  ASSERT_THAT(checks, SizeIs(1));
  EXPECT_EQ(checks[0].state, CheckState::Missing);
  EXPECT_THAT(checks[0].found, AllOf(HasSubstr("not seen"), HasSubstr("connection 17")));
}

}  // namespace
}  // namespace dbtrace::commands
