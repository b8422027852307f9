// What is sent arrives whole, and whoever answers, or does not, holds nobody up beyond the
// deadline.
#include "src/http/post.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/otlp/collector.h"

namespace dbtrace::http {
namespace {

using dbtrace::testing::Pushed;
using dbtrace::testing::TestCollector;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Clock = std::chrono::steady_clock;

Result<Answer> send(const TestCollector& to, std::string_view body,
                    milliseconds patience = seconds(60), const std::vector<Header>& headers = {}) {
  const Url url = *parse_url(to.url() + "/in");
  const auto until = Clock::now() + patience;
  return post({.to = url,
               .path = "/v1/metrics",
               .type = "application/x-protobuf",
               .agent = "test/1",
               .headers = headers,
               .body = body},
              [&] { return until; });
}

TEST(Post, SendsAllOfIt) {
  TestCollector collector(
      [](const Pushed&) { return TestCollector::answer(503, "Retry-After: 3\r\n", "busy"); });
  std::string body(5'000'000, '\0');
  for (size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>(i * 7 >> 3);
  const auto answer = send(collector, body, seconds(60), {{"X-Scope", "databases"}});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 503);
  EXPECT_EQ(answer->retry_after, seconds(3));
  EXPECT_EQ(answer->body, "busy");
  EXPECT_THAT(collector.problems(), IsEmpty());
  ASSERT_EQ(collector.pushed().size(), 1U);
  const Pushed pushed = collector.pushed()[0];
  EXPECT_EQ(pushed.path, "/in/v1/metrics");
  EXPECT_EQ(pushed.headers.at("X-Scope"), "databases");
  EXPECT_EQ(pushed.headers.at("Host"), "127.0.0.1:" + std::to_string(collector.port()));
  EXPECT_TRUE(pushed.body == body);
}

TEST(Post, SaysThatNobodyListens) {
  uint16_t port = 0;
  { port = TestCollector().port(); }
  const Url url = *parse_url("http://127.0.0.1:" + std::to_string(port));
  const auto answer =
      post({.to = url, .path = "/", .type = "x/y", .agent = "x", .headers = {}, .body = "x"},
           [] { return Clock::now() + seconds(60); });
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("Connection refused"));
}

TEST(Post, GivesUpAtItsDeadline) {
  TestCollector collector([](const Pushed&) { return std::nullopt; });
  const auto begin = Clock::now();
  const auto answer = send(collector, "x", milliseconds(300));
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("does not answer in time"));
  EXPECT_LT(Clock::now() - begin, seconds(20));
}

TEST(Post, TakesAStatusWhoseBodyDoesNotCome) {
  TestCollector collector(
      [](const Pushed&) { return "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx"; });
  const auto answer = send(collector, "x");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "");
}

TEST(Post, RefusesWhatIsNotHttp) {
  for (const std::string& bytes : {std::string("SSH-2.0-OpenSSH\r\n"), std::string(300'000, '\xff'),
                                   std::string(), std::string("HTTP/1.1 200 OK\r\n")}) {
    TestCollector collector([&](const Pushed&) { return bytes; });
    EXPECT_FALSE(send(collector, "x"));
  }
}

TEST(Post, IsNotHeldUpByAnAnswerWithoutEnd) {
  TestCollector collector(
      [](const Pushed&) { return "HTTP/1.1 200 OK\r\n\r\n" + std::string(2'000'000, 'x'); });
  const auto answer = send(collector, "x");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "");
}

}  // namespace
}  // namespace dbtrace::http
