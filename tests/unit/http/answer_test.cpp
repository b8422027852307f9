// Answers are read as they are sent, in whatever parts, and hostile ones do no harm.
#include "src/http/answer.h"

#include <gtest/gtest.h>

namespace dbtrace::http {
namespace {

using std::chrono::seconds;

// Byte by byte, as the other end of a connection may send it.
Reading read(const std::string& bytes, Answer& answer) {
  for (size_t size = 0; size <= bytes.size(); ++size)
    if (const Reading reading = read_answer(bytes.substr(0, size), false, answer);
        reading != Reading::NeedsMore)
      return reading;
  return read_answer(bytes, true, answer);
}

Answer answer_of(const std::string& bytes) {
  Answer answer;
  EXPECT_EQ(read(bytes, answer), Reading::Done) << bytes;
  return answer;
}

TEST(Answer, HasAStatusAndABody) {
  const Answer answer = answer_of("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "hello");
  EXPECT_FALSE(answer.retry_after);
  EXPECT_EQ(answer_of("HTTP/1.0 404\r\n\r\n").status, 404);
  EXPECT_EQ(answer_of("HTTP/1.1 204 \r\nX: y\r\n\r\n").status, 204);
}

TEST(Answer, EndsWithTheConnectionWithoutALength) {
  Answer answer;
  const std::string bytes = "HTTP/1.1 200 OK\r\n\r\nhello";
  EXPECT_EQ(read_answer(bytes, false, answer), Reading::NeedsMore);
  EXPECT_EQ(read_answer(bytes, true, answer), Reading::Done);
  EXPECT_EQ(answer.body, "hello");
}

TEST(Answer, ComesInChunks) {
  EXPECT_EQ(answer_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                      "5\r\nhello\r\nA;x=y\r\n, world!!!\r\n0\r\n\r\n")
                .body,
            "hello, world!!!");
}

TEST(Answer, IsWhatFollowsWhatIsSaidInAdvance) {
  const Answer answer = answer_of(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\n"
      "HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.retry_after, seconds(7));
}

TEST(Answer, TellsWhenToComeAgainInSecondsOnly) {
  for (const char* value : {"Fri, 31 Dec 1999 23:59:59 GMT", "-1", "1.5", "", "99999999999", "5 s"})
    EXPECT_FALSE(answer_of(std::string("HTTP/1.1 503 x\r\nretry-after: ") + value +
                           "\r\nContent-Length: 0\r\n\r\n")
                     .retry_after)
        << value;
}

TEST(Answer, IsNoneWithoutAHead) {
  Answer answer;
  for (const char* bytes :
       {"", "HTTP/1.1", "HTTP/1.1 200 OK\r\n", "HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 -20 OK\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n",
        "HTTP/1.1 999 OK\r\n\r\n", "HTTP/1.1  200 OK\r\n\r\n", "SSH-2.0-x\r\n\r\n", "\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno header\r\n\r\n", "HTTP/1.1 200 OK\r\n: x\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 200 OK\n\n"})
    EXPECT_EQ(read(bytes, answer), Reading::Malformed) << bytes;
}

TEST(Answer, CountsWithoutItsBodyWhereThatIsBad) {
  const std::string chunked = "Transfer-Encoding: chunked\r\n\r\n";
  for (const std::string& rest :
       {std::string("Content-Length: 5\r\n\r\nhell"), std::string("Content-Length: -5\r\n\r\n"),
        std::string("Content-Length: 99999999999999999999\r\n\r\nx"),
        std::string("Content-Length: 1000000\r\n\r\nx"),
        std::string("Content-Length: 1\r\nContent-Length: 2\r\n\r\nxy"),
        "Content-Length: 1\r\n" + chunked + "1\r\nx\r\n0\r\n\r\n",
        std::string("Transfer-Encoding: gzip\r\n\r\nx"), chunked + "x\r\n", chunked + "-1\r\nx\r\n",
        chunked + "ffffffffffffffff\r\nx", chunked + "fffffffffffffffff\r\nx",
        chunked + "1\r\nxy\r\n", chunked + "5\r\nhel", chunked + "10000\r\n"}) {
    const Answer answer = answer_of("HTTP/1.1 200 OK\r\n" + rest);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "") << rest;
  }
}

TEST(Answer, IsBounded) {
  Answer answer;
  EXPECT_EQ(read_answer(std::string(kMostHead + 1, 'x'), false, answer), Reading::Malformed);
  EXPECT_EQ(read_answer("HTTP/1.1 200 OK\r\nX: " + std::string(kMostHead, 'x') + "\r\n\r\n", false,
                        answer),
            Reading::Malformed);
  EXPECT_EQ(read_answer("HTTP/1.1 200 OK\r\n\r\n" + std::string(kMostBody + 1, 'x'), false, answer),
            Reading::Done);
  EXPECT_EQ(answer.body, "");
  std::string chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (size_t i = 0; i <= kMostBody; ++i) chunks += "1\r\nx\r\n";
  EXPECT_EQ(read_answer(chunks, false, answer), Reading::Done);
  EXPECT_EQ(answer.body, "");
}

}  // namespace
}  // namespace dbtrace::http
