// Which texts say whom to send to, and what is sent besides.
#include "src/http/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dbtrace::http {
namespace {

using ::testing::HasSubstr;

TEST(Url, IsAnAddressAndAPath) {
  const auto url = parse_url("http://127.0.0.1:4318");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->address.text(), "127.0.0.1:4318");
  EXPECT_EQ(url->host, "127.0.0.1:4318");
  EXPECT_EQ(url->path, "");
  const auto longer = parse_url("http://[::1]:80/otlp/v2//");
  ASSERT_TRUE(longer);
  EXPECT_EQ(longer->address.text(), "[::1]:80");
  EXPECT_EQ(longer->path, "/otlp/v2");
  const auto named = parse_url("http://localhost:4318/");
  ASSERT_TRUE(named);
  EXPECT_EQ(named->address.text(), "127.0.0.1:4318");
  EXPECT_EQ(named->host, "localhost:4318");
}

TEST(Url, IsNothingElse) {
  for (const char* text :
       {"", "http://", "127.0.0.1:4318", "ftp://127.0.0.1:1", "http://127.0.0.1",
        "http://localhost", "http://127.0.0.1:0", "http://collector:4318",
        "http://me:secret@127.0.0.1:4318", "http://127.0.0.1:4318/?a=b", "http://127.0.0.1:4318/#a",
        "http://127.0.0.1:4318?a", "http://127.0.0.1:4318/a b", "http://127.0.0.1:4318/\r\nX: y",
        "http:///127.0.0.1:1", "http://127.0.0.1:70000", "http://localhost.evil:1"})
    EXPECT_FALSE(parse_url(text)) << text;
}

TEST(Url, SaysWhatToDoForHttps) {
  const auto url = parse_url("https://collector.example:4318");
  ASSERT_FALSE(url);
  EXPECT_THAT(url.error().hint, HasSubstr("run a collector on this machine"));
}

TEST(RequestHeader, IsANameAndAValue) {
  const auto header = parse_header("Authorization:  Bearer a:b");
  ASSERT_TRUE(header);
  EXPECT_EQ(header->name, "Authorization");
  EXPECT_EQ(header->value, "Bearer a:b");
  EXPECT_TRUE(parse_header("X-Empty:"));
}

TEST(RequestHeader, CannotLeaveItsLine) {
  for (const char* text :
       {"", "X", ": y", "X y: z", "X: a\r\nY: b", "X: a\nY: b", "X\r: a", "X: \xc3\xa4", "X: a\tb"})
    EXPECT_FALSE(parse_header(text)) << text;
  for (const char* text : {"Host: x", "content-length: 5", "Transfer-Encoding: chunked"})
    EXPECT_FALSE(parse_header(text)) << text;
}

TEST(RequestHeader, IsNotToldWhereItIsRefused) {
  const auto header = parse_header("Authorization Bearer secret");
  ASSERT_FALSE(header);
  EXPECT_EQ((header.error().message + header.error().hint).find("secret"), std::string::npos);
}

}  // namespace
}  // namespace dbtrace::http
