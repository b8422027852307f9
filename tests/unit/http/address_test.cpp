// Which texts are addresses, and that what listens there can be found.
#include "src/http/address.h"

#include <gtest/gtest.h>

namespace dbtrace::http {
namespace {

TEST(Address, IsReadAsItIsWritten) {
  for (const char* text : {"127.0.0.1:9104", "0.0.0.0:0", "10.1.2.3:65535", "[::1]:9104", "[::]:1",
                           "[2001:db8::7]:80"}) {
    const auto address = parse_address(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(address->text(), text);
  }
}

TEST(Address, IsNumbersOnly) {
  for (const char* text :
       {"", ":", "9104", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:-1",
        "127.0.0.1:65536", "127.0.0.1:80x", "localhost:9104", "1.2.3:80", "::1:9104", "[::1]",
        "[::1:80", "[]:80", "[127.0.0.1]:80", "[::1]x:80"})
    EXPECT_FALSE(parse_address(text)) << text;
}

TEST(Address, KnowsThisMachine) {
  for (const char* text : {"127.0.0.1:1", "127.9.9.9:1", "[::1]:1"})
    EXPECT_TRUE(parse_address(text)->is_loopback()) << text;
  for (const char* text : {"0.0.0.0:1", "10.0.0.1:1", "128.0.0.1:1", "[::]:1", "[fe80::1]:1"})
    EXPECT_FALSE(parse_address(text)->is_loopback()) << text;
}

TEST(Listening, IsAtTheAddress) {
  const auto first = listen_at(*parse_address("127.0.0.1:0"));
  ASSERT_TRUE(first);
  const Address address = address_of(first->get());
  EXPECT_TRUE(address.text().starts_with("127.0.0.1:")) << address.text();
  EXPECT_NE(address.text(), "127.0.0.1:0");
  const auto second = listen_at(address);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find(address.text()), std::string::npos);
}

}  // namespace
}  // namespace dbtrace::http
