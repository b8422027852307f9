#include "src/commands/record/conditions.h"

#include <gtest/gtest.h>

namespace dbtrace::commands {
namespace {

constexpr uint64_t kMillisecond = 1'000'000, kSecond = 1'000 * kMillisecond;

Condition condition(const std::string& text) {
  auto parsed = Condition::parse(text);
  if (!parsed) throw std::runtime_error(parsed.error().message);
  return std::move(*parsed);
}

void add(Recently& recently, size_t count, uint64_t duration_ns, uint32_t error = 0) {
  model::Query query;
  query.duration_ns = duration_ns;
  query.error = error;
  for (size_t i = 0; i < count; ++i) recently.add(query);
}

void pass(Recently& recently, size_t seconds) {
  for (size_t i = 0; i < seconds; ++i) recently.begin_second();
}

TEST(ConditionText, IsUnderstoodWithAndWithoutSpaces) {
  for (const char* text : {"p99>200ms", " p99  >200ms ", "p99 > 0.2s"})
    EXPECT_EQ(condition(text).text(), "p99 > 200ms") << text;
  EXPECT_EQ(condition("errors > 5/s").text(), "errors > 5/s");
  EXPECT_EQ(condition("queries<1").text(), "queries < 1/s");
  EXPECT_EQ(condition("errors > 0.1/s").text(), "errors > 0.1/s");
  EXPECT_TRUE(condition("running > 10s").is_about_running());
}

TEST(ConditionText, IsRefusedWithAReason) {
  for (const char* text :
       {"", "p99", "p99 = 3s", "p98 > 3s", "p99 > 3", "p99 > ", "> 3s", "errors > 3s",
        "errors > -1", "queries < 1.55", "errors > nan", "errors > 1e300", "p99 > 1s > 2s"}) {
    const auto parsed = Condition::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_FALSE(parsed.error().message.empty()) << text;
    EXPECT_FALSE(parsed.error().hint.empty()) << text;
  }
}

TEST(Condition, OfAQuantileIsOfTheLastTenSeconds) {
  Condition slow = condition("p50 > 10ms");
  Recently recently;
  EXPECT_FALSE(slow.became_true(recently));  // nothing is known
  add(recently, 10, kMillisecond);
  EXPECT_FALSE(slow.became_true(recently));
  pass(recently, 5);
  add(recently, 11, 20 * kMillisecond);
  EXPECT_EQ(slow.became_true(recently), "20.0ms");
  // It is told once, …
  EXPECT_FALSE(slow.became_true(recently));
  // … and again when it has been false.
  pass(recently, Recently::kSeconds);
  EXPECT_FALSE(slow.became_true(recently));
  add(recently, 1, 30 * kMillisecond);
  EXPECT_EQ(slow.became_true(recently), "30.0ms");
}

TEST(Condition, MaxAndMeanAreExact) {
  Recently recently;
  add(recently, 1, kSecond);
  add(recently, 1, 3 * kSecond);
  EXPECT_EQ(condition("max > 2.9s").became_true(recently), "3.00s");
  EXPECT_FALSE(condition("max > 3s").became_true(recently));
  EXPECT_EQ(condition("mean < 2.1s").became_true(recently), "2.00s");
  EXPECT_FALSE(condition("mean > 2s").became_true(recently));
}

TEST(Condition, OfARateNeedsTenSeconds) {
  Condition failing = condition("errors > 1/s"), idle = condition("queries < 5/s");
  Recently recently;
  for (size_t second = 0; second < Recently::kSeconds; ++second) {
    add(recently, 3, kMillisecond, 1064);
    EXPECT_FALSE(failing.became_true(recently)) << second;
    EXPECT_FALSE(idle.became_true(recently)) << second;
    pass(recently, 1);
  }
  // Nine whole seconds and the one that has begun.
  EXPECT_EQ(failing.became_true(recently), "2.7/s");
  EXPECT_EQ(idle.became_true(recently), "2.7/s");
}

TEST(Condition, OneErrorIsMoreThanNone) {
  Condition any = condition("errors > 0/s"), few = condition("errors > 0.1/s");
  Recently recently;
  pass(recently, Recently::kSeconds + 1);
  EXPECT_FALSE(any.became_true(recently));
  add(recently, 1, kMillisecond, 1064);
  EXPECT_EQ(any.became_true(recently), "0.1/s");
  EXPECT_FALSE(few.became_true(recently));
  add(recently, 1, kMillisecond, 1064);
  EXPECT_EQ(few.became_true(recently), "0.2/s");
}

TEST(Condition, OfWhatRunsIsOfThisMoment) {
  Condition stuck = condition("running > 10s");
  Recently recently;
  recently.add_running(9 * kSecond);
  recently.add_running(kSecond);
  EXPECT_FALSE(stuck.became_true(recently));
  pass(recently, 1);
  recently.add_running(11 * kSecond);
  EXPECT_EQ(stuck.became_true(recently), "11.0s");
  pass(recently, 1);
  EXPECT_FALSE(stuck.became_true(recently));
}

TEST(Conditions, SaySoManyTimesAnHour) {
  Conditions conditions({condition("max > 1s"), condition("running > 1s")}, 2);
  EXPECT_TRUE(conditions.look_at_running());
  constexpr uint64_t kHour = 3600 * kSecond;
  const auto happens = [&](uint64_t at_ns, bool& too_many) {
    Recently slow;
    add(slow, 1, 2 * kSecond);
    const auto incidents = conditions.look(slow, at_ns, too_many);
    bool ignored = false;
    EXPECT_TRUE(conditions.look(Recently{}, at_ns, ignored).empty());
    return incidents;
  };
  bool too_many = false;
  const auto first = happens(kHour, too_many);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].at_ns, kHour);
  EXPECT_EQ(first[0].condition, "max > 1.00s");
  EXPECT_EQ(first[0].value, "2.00s");
  EXPECT_EQ(happens(kHour + kSecond, too_many).size(), 1U);
  EXPECT_FALSE(too_many);
  EXPECT_EQ(happens(kHour + 2 * kSecond, too_many).size(), 0U);
  EXPECT_TRUE(too_many);
  EXPECT_EQ(happens(2 * kHour, too_many).size(), 1U);
  EXPECT_FALSE(too_many);
}

}  // namespace
}  // namespace dbtrace::commands
