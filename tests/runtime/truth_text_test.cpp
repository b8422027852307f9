// The text is the client's, byte for byte, up to the length asked for; what is
// left out is said.
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/truth.h"

namespace dbtrace::testing {
namespace {

constexpr size_t kDefaultMaximum = 4096, kMaximum = 65536;

// A statement of exactly `size` bytes, no two places of which look alike.
std::string statement_of(size_t size) {
  std::string text = "DO '";
  for (size_t i = 0; text.size() + 1 < size; ++i) text += std::to_string(i) + ",";
  text.resize(size > 0 ? size - 1 : 0);
  if (size > 4) text += "'";
  if (size > 0 && size <= 4) text = std::string("DO 1").substr(0, size);
  return text;
}

struct Limit {
  std::vector<std::string> arguments;
  size_t maximum;
  std::vector<size_t> sizes;
};

const std::vector<Limit>& limits() {
  static const std::vector<Limit> all = {
      {{}, kDefaultMaximum, {0, 1, 2, 5, 100, 4095, 4096, 4097, 8192, 100'000}},
      {{"--max-text", "1"}, 1, {0, 1, 2, 4096, 5000}},
      {{"--max-text", "10"}, 10, {0, 1, 9, 10, 11, 4096, 5000}},
      {{"--max-text", "4097"}, 4097, {1, 4095, 4096, 4097, 4098, 70'000}},
      {{"--max-text", "64k"},
       kMaximum,
       {0, 1, 4095, 4096, 4097, 4098, 32'768, 65'535, 65'536, 65'537, 300'000}},
  };
  return all;
}

void expect_text(const Line& line, const std::string& text, size_t maximum) {
  SCOPED_TRACE(line.told.command + " of " + std::to_string(text.size()) + " bytes, at most " +
               std::to_string(maximum));
  ASSERT_TRUE(line.told.text.has_value());
  EXPECT_EQ(line.text_length, text.size());
  EXPECT_EQ(line.truncated, text.size() > maximum);
  // Not EXPECT_EQ: it would print both texts.
  EXPECT_TRUE(*line.told.text == text.substr(0, maximum))
      << line.told.text->size() << " bytes: " << line.told.text->substr(0, 100);
}

class Text : public Truth {};
DBTRACE_EACH_FLAVOR(Text);

TEST_P(Text, IsWholeUpToTheLimitAndItsLengthTrue) {
  for (const Limit& limit : limits()) {
    Client speaker = client();
    Trace trace(server(), limit.arguments);
    for (const size_t size : limit.sizes) speaker.error_of(statement_of(size));
    const std::vector<Line> lines = lines_of(trace.finish(limit.sizes.size()), speaker);
    ASSERT_EQ(lines.size(), limit.sizes.size());
    for (size_t i = 0; i < lines.size(); ++i)
      expect_text(lines[i], statement_of(limit.sizes[i]), limit.maximum);
  }
}

TEST_P(Text, OfPreparedStatementsObeysTheSameLimits) {
  for (const Limit& limit : limits()) {
    Client speaker = client();
    Trace trace(server(), limit.arguments);
    std::vector<std::string> texts;
    for (const size_t size : limit.sizes) {
      if (size < 5) continue;  // no statement is that short
      texts.push_back(statement_of(size));
      Statement statement = speaker.prepare(texts.back());
      statement.execute();
    }
    const std::vector<Line> lines = lines_of(trace.finish(2 * texts.size()), speaker);
    ASSERT_EQ(lines.size(), 2 * texts.size());
    for (size_t i = 0; i < lines.size(); ++i) {
      EXPECT_EQ(lines[i].told.command, i % 2 ? "Execute" : "Prepare");
      expect_text(lines[i], texts[i / 2], limit.maximum);
    }
  }
}

TEST_P(Text, OfSixteenMegabytesIsCutAndItsLengthTrue) {
  client().query("SET GLOBAL max_allowed_packet = 64 * 1024 * 1024");
  constexpr size_t kSize = 16 << 20;
  const std::string text = statement_of(kSize + 1000);
  for (const auto& [argument, maximum] :
       {std::pair("4096", kDefaultMaximum), std::pair("64k", kMaximum)}) {
    Client speaker = client();
    Trace trace(server(), {"--max-text", argument});
    speaker.query(text);
    speaker.query("SELECT 1");
    const std::vector<Line> lines = lines_of(trace.finish(2), speaker);
    ASSERT_EQ(lines.size(), 2u);
    expect_text(lines[0], text, maximum);
    expect_text(lines[1], "SELECT 1", maximum);
  }
}

// Long texts leave the kernel in two parts, which must find each other.
TEST_P(Text, OfManyClientsAtOnceIsNotMixedUp) {
  constexpr size_t kClients = 16, kTexts = 20;
  const auto text_of = [](size_t client, size_t number) {
    return "DO /* " + std::to_string(client) + "." + std::to_string(number) + " */ " +
           statement_of(3000 + 2500 * ((client + number) % 20)).substr(3);
  };
  std::vector<Client> clients;
  for (size_t i = 0; i < kClients; ++i) clients.push_back(client());
  Trace trace(server(), {"--max-text", "64k"});
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kClients; ++i)
    threads.emplace_back([&, i] {
      for (size_t n = 0; n < kTexts; ++n) clients[i].query(text_of(i, n));
    });
  for (std::thread& thread : threads) thread.join();
  const std::vector<Line> lines = trace.finish(kClients * kTexts);
  for (size_t i = 0; i < kClients; ++i) {
    const std::vector<Line> own = lines_of(lines, clients[i]);
    ASSERT_EQ(own.size(), kTexts);
    for (size_t n = 0; n < kTexts; ++n) expect_text(own[n], text_of(i, n), kMaximum);
  }
}

TEST_P(Text, OfAnyBytesSurvives) {
  using namespace std::string_literals;
  const std::vector<std::string> texts = {
      "SELECT 'a\0b\0'"s,
      "\0"s,
      "SELECT 1\0 -- after the NUL"s,
      "SELECT 'grüß Gott, 你好, 🐬'",
      "SELECT 'latin1: gr\xfc\xdf'",
      "SELECT 'gbk: \xc4\xe3\xba\xc3, \x81\x5c'",
      "SELECT 'cut: \xf0\x9f\x90",
      "SELECT 'surrogate: \xed\xa0\x80, too long: \xc0\xaf, beyond: \xf4\x90\x80\x80, \xff\xfe'",
      "SELECT _binary'\x01\x02\x80\xff\x7f', x'00ff', 0b101",
      "SELECT '\x1b[31mred\x1b[0m \x07\x08\x7f \xc2\x9b'",
      "SELECT 1 -- to the end of line\n, 2 # another\r\n, 3 /* and\n */, 4\t/*! , 5 */",
      "  \n\t SELECT 1 ;  \n",
      ";",
      " ",
      "-- nothing but a comment",
      R"(SELECT "double \"quoted\"", 'single ''quoted''', `2` FROM (SELECT 1 AS `2`) AS b, '\\')",
      "SELECT 1; SELECT 'two'; SELECT 3;",
      "SELECT '\"}\n{\"start\":\"forged'",
      "SELECT '\xe2\x80\xa8 \xef\xbb\xbf \xef\xbf\xbf'",
  };
  Client speaker = client();
  Trace trace(server());
  for (const std::string& text : texts) speaker.error_of(text);
  const std::vector<Line> lines = lines_of(trace.finish(texts.size()), speaker);
  ASSERT_EQ(lines.size(), texts.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].told.text, texts[i]);
    EXPECT_EQ(lines[i].text_length, texts[i].size());
    EXPECT_FALSE(lines[i].truncated);
  }
}

// A text that is not UTF-8 goes along in base64; one that is does not.
TEST_P(Text, IsInBase64OnlyWhenItMustBe) {
  Client speaker = client();
  Trace trace(server(), {"--max-text", "10"});
  speaker.query("SELECT 'ü'");
  speaker.query("SELECT '\xfc'");
  speaker.query("SELECT '12ü'");  // cut within the character
  const std::vector<Line> lines = lines_of(trace.finish(3), speaker);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_FALSE(lines[0].in_base64);
  EXPECT_TRUE(lines[1].in_base64);
  EXPECT_EQ(lines[2].told.text->substr(0, 10), "SELECT '12");
}

TEST_P(Text, OfPasswordsIsNotTold) {
  Client speaker = client();
  Trace trace(server());
  speaker.query("CREATE USER dora@localhost IDENTIFIED BY 'tell-nobody'");
  speaker.query("ALTER USER dora@localhost IDENTIFIED BY 'tell-nobody'");
  speaker.query("DROP USER dora@localhost");
  const std::vector<Line> lines = lines_of(trace.finish(3), speaker);
  ASSERT_EQ(lines.size(), 3u);
  for (const Line& line : lines) EXPECT_EQ(line.told.text->find("nobody"), std::string::npos);
  EXPECT_EQ(lines[0].text_length, 54u);
}

}  // namespace
}  // namespace dbtrace::testing
