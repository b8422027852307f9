// Nothing that was given to the sender is in no count, whatever the collector does.
#include "src/otlp/sender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "tests/otlp/collector.h"

namespace dbtrace::otlp {
namespace {

using dbtrace::testing::Pushed;
using dbtrace::testing::TestCollector;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kLong{60'000};

std::unique_ptr<Sender> sender_to(const std::string& url) {
  return std::make_unique<Sender>(Collector{.url = *http::parse_url(url), .headers = {}}, "test/1");
}

Message message(uint64_t items, std::string body = "x") {
  return {.signal = Signal::Metrics, .items = items, .body = std::move(body)};
}

template <typename Condition>
bool wait_until(const Condition& condition) {
  for (const auto begin = Clock::now(); Clock::now() - begin < kLong;
       std::this_thread::sleep_for(milliseconds(5)))
    if (condition()) return true;
  return false;
}

TEST(Sender, SendsInOrder) {
  TestCollector collector;
  const auto sender = sender_to(collector.url());
  for (const char* body : {"a", "b", "c"}) sender->add(message(2, body));
  sender->add({.signal = Signal::Traces, .items = 5, .body = "d"});
  sender->finish(kLong);
  EXPECT_EQ(sender->counts(Signal::Metrics).sent, 6U);
  EXPECT_EQ(sender->counts(Signal::Traces).sent, 5U);
  EXPECT_EQ(sender->counts(Signal::Metrics).dropped, 0U);
  EXPECT_THAT(sender->take_news(), IsEmpty());
  EXPECT_THAT(collector.problems(), IsEmpty());
  std::string bodies, paths;
  for (const Pushed& each : collector.pushed()) {
    bodies += each.body;
    paths += each.path;
  }
  EXPECT_EQ(bodies, "abcd");
  EXPECT_EQ(paths, "/v1/metrics/v1/metrics/v1/metrics/v1/traces");
}

TEST(Sender, TriesAgain) {
  std::atomic<int> times = 0;
  TestCollector collector([&](const Pushed&) {
    return TestCollector::answer(++times == 1 ? 503 : 200, "Retry-After: 1\r\n");
  });
  const auto sender = sender_to(collector.url());
  const auto begin = Clock::now();
  sender->add(message(1, "a"));
  sender->add(message(1, "b"));
  EXPECT_TRUE(wait_until([&] { return sender->counts(Signal::Metrics).sent == 2; }));
  EXPECT_GE(Clock::now() - begin, seconds(1));
  ASSERT_THAT(collector.pushed(), SizeIs(3));
  EXPECT_EQ(collector.pushed()[1].body, "a");
  EXPECT_EQ(sender->counts(Signal::Metrics).dropped, 0U);
  const auto news = sender->take_news();
  ASSERT_THAT(news, SizeIs(2));
  EXPECT_THAT(news[0], HasSubstr("status 503; trying again"));
  EXPECT_THAT(news[1], HasSubstr("takes again what it is sent"));
}

TEST(Sender, DropsWhatIsRefused) {
  TestCollector collector([](const Pushed&) { return TestCollector::answer(400); });
  const auto sender = sender_to(collector.url());
  for (int i = 0; i < 3; ++i) sender->add(message(2));
  sender->finish(kLong);
  EXPECT_EQ(sender->counts(Signal::Metrics).sent, 0U);
  EXPECT_EQ(sender->counts(Signal::Metrics).dropped, 6U);
  EXPECT_THAT(collector.pushed(), SizeIs(3));
  const auto news = sender->take_news();
  ASSERT_THAT(news, SizeIs(1));  // once
  EXPECT_THAT(news[0], HasSubstr("refuses metrics with status 400"));
}

TEST(Sender, TellsOnceWhatIsTakenInPart) {
  TestCollector collector([](const Pushed&) {
    return TestCollector::answer(200, "", std::string("\x0a\x07\x08\x02\x12\x03why", 9));
  });
  const auto sender = sender_to(collector.url());
  for (int i = 0; i < 3; ++i) sender->add(message(5));
  sender->finish(kLong);
  EXPECT_EQ(sender->counts(Signal::Metrics).sent, 9U);
  EXPECT_EQ(sender->counts(Signal::Metrics).dropped, 6U);
  const auto news = sender->take_news();
  ASSERT_THAT(news, SizeIs(1));
  EXPECT_THAT(news[0], HasSubstr("does not take all metrics: why"));
}

TEST(Sender, DropsTheOldestBeyondItsRoom) {
  uint16_t port = 0;
  { port = TestCollector().port(); }
  const auto sender = sender_to("http://127.0.0.1:" + std::to_string(port));
  constexpr uint64_t kMessages = 40, kFit = 8;
  for (uint64_t i = 0; i < kMessages; ++i)
    sender->add(message(1, std::string(Sender::kMostBytes / kFit, static_cast<char>('A' + i))));
  EXPECT_TRUE(
      wait_until([&] { return sender->counts(Signal::Metrics).dropped == kMessages - kFit; }));
  EXPECT_THAT(sender->take_news(), SizeIs(1));
  // Somebody comes: what is left goes to him.
  TestCollector collector(TestCollector::taken, port);
  EXPECT_TRUE(wait_until([&] { return sender->counts(Signal::Metrics).sent == kFit; }));
  ASSERT_THAT(collector.pushed(), SizeIs(kFit));
  EXPECT_EQ(collector.pushed().front().body[0], static_cast<char>('A' + kMessages - kFit));
  EXPECT_EQ(sender->counts(Signal::Metrics).dropped, kMessages - kFit);
}

TEST(Sender, EndsInTimeAndCountsWhatIsLeft) {
  TestCollector collector([](const Pushed&) { return std::nullopt; });
  const auto sender = sender_to(collector.url());
  for (int i = 0; i < 3; ++i) sender->add(message(1));
  EXPECT_TRUE(wait_until([&] { return !collector.pushed().empty(); }));
  const auto begin = Clock::now();
  sender->finish(milliseconds(200));
  EXPECT_LT(Clock::now() - begin, Sender::kPatience / 2);
  EXPECT_EQ(sender->counts(Signal::Metrics).dropped, 3U);
  const auto news = sender->take_news();
  ASSERT_THAT(news, SizeIs(1));
  EXPECT_THAT(news[0], HasSubstr("3 points and 0 spans could not be sent"));
  sender->add(message(1));
  EXPECT_EQ(sender->counts(Signal::Metrics).dropped, 4U);
}

TEST(Sender, SendsOnceMoreAtTheEnd) {
  std::atomic<bool> takes = false;
  TestCollector collector([&](const Pushed&) {
    return TestCollector::answer(takes ? 200 : 429, "Retry-After: 500\r\n");
  });
  const auto sender = sender_to(collector.url());
  sender->add(message(1));
  EXPECT_TRUE(wait_until([&] { return sender->take_news().size() == 1; }));
  takes = true;
  sender->finish(kLong);
  EXPECT_EQ(sender->counts(Signal::Metrics).sent, 1U);
}

}  // namespace
}  // namespace dbtrace::otlp
