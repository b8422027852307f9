#include "src/sql/lexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dbtrace::sql {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using Kind = TokenKind;

std::vector<std::pair<Kind, std::string>> tokens(std::string_view text,
                                                 const LexerOptions& options = {}) {
  std::vector<std::pair<Kind, std::string>> found;
  Lexer lexer(text, options);
  for (Token token = lexer.next(); token.kind != Kind::End; token = lexer.next()) {
    found.emplace_back(token.kind, text.substr(token.begin, token.end - token.begin));
  }
  EXPECT_EQ(lexer.next().kind, Kind::End);
  return found;
}

TEST(Lexer, TellsKindsApart) {
  EXPECT_THAT(
      tokens("a `b` 1 'c' ? @d \\N <= \x01"),
      ElementsAre(Pair(Kind::Word, "a"), Pair(Kind::QuotedName, "`b`"), Pair(Kind::Number, "1"),
                  Pair(Kind::String, "'c'"), Pair(Kind::Placeholder, "?"),
                  Pair(Kind::Operator, "@"), Pair(Kind::Variable, "d"), Pair(Kind::Null, "\\N"),
                  Pair(Kind::Operator, "<="), Pair(Kind::Invalid, "\x01")));
}

TEST(Lexer, TakesTheLongestOperator) {
  EXPECT_THAT(
      tokens("a->>b<=>c->d>=e"),
      ElementsAre(Pair(Kind::Word, "a"), Pair(Kind::Operator, "->>"), Pair(Kind::Word, "b"),
                  Pair(Kind::Operator, "<=>"), Pair(Kind::Word, "c"), Pair(Kind::Operator, "->"),
                  Pair(Kind::Word, "d"), Pair(Kind::Operator, ">="), Pair(Kind::Word, "e")));
}

TEST(Lexer, NumbersOfAllShapes) {
  for (const char* number : {"0", "12", "1.5", "1.", ".5", "1e5", "1E+5", "1.5e-3", "1.e2", "0x1aF",
                             "0b01", "x'1F'", "X'1f'", "b'01'", "B'1'"}) {
    EXPECT_THAT(tokens(number), ElementsAre(Pair(Kind::Number, number)));
  }
  for (const char* name : {"1a", "1e", "0x", "0xg", "0X1", "0b2", "xa", "e1", "1_"}) {
    EXPECT_THAT(tokens(name), ElementsAre(Pair(Kind::Word, name)));
  }
}

TEST(Lexer, TellsWhatIsUnfinished) {
  for (const char* text : {"'a", "\"a", "`a", "n'a", "x'1", "'a\\'", "'a''", "'\\"}) {
    Lexer lexer(text);
    const Token token = lexer.next();
    EXPECT_TRUE(token.unfinished) << text;
    EXPECT_EQ(token.end, std::string_view(text).size()) << text;
    EXPECT_EQ(lexer.next().kind, Kind::End) << text;
  }
}

TEST(Lexer, ServerSettingsMatter) {
  EXPECT_THAT(tokens("\"a\""), ElementsAre(Pair(Kind::String, "\"a\"")));
  EXPECT_THAT(tokens("\"a\"", {.ansi_quotes = true}), ElementsAre(Pair(Kind::QuotedName, "\"a\"")));
  EXPECT_THAT(tokens("'\\' a", {.backslash_escapes = false}),
              ElementsAre(Pair(Kind::String, "'\\'"), Pair(Kind::Word, "a")));
}

TEST(Lexer, VersionCommentsAreTextUpToTheVersion) {
  EXPECT_THAT(tokens("/*!50100 a */ b /*! c */"),
              ElementsAre(Pair(Kind::Word, "a"), Pair(Kind::Word, "b"), Pair(Kind::Word, "c")));
  EXPECT_THAT(tokens("/*!80100 a */ b", {.version = 80'000}), ElementsAre(Pair(Kind::Word, "b")));
  EXPECT_THAT(tokens("/*!123 a */"), ElementsAre(Pair(Kind::Number, "123"), Pair(Kind::Word, "a")));
  EXPECT_THAT(tokens("/*M!100100 a */ b"), ElementsAre(Pair(Kind::Word, "b")));
  EXPECT_THAT(tokens("/*M!100100 a */ b", {.dialect = Dialect::MariaDb}),
              ElementsAre(Pair(Kind::Word, "a"), Pair(Kind::Word, "b")));
  // MariaDB leaves out what is for versions of MySQL that it does not follow.
  EXPECT_THAT(tokens("/*!50701 a */ /*!50700 b */", {.dialect = Dialect::MariaDb}),
              ElementsAre(Pair(Kind::Word, "b")));
}

TEST(Lexer, DashesAreACommentOnlyBeforeASpace) {
  EXPECT_THAT(tokens("a -- b\nc"), ElementsAre(Pair(Kind::Word, "a"), Pair(Kind::Word, "c")));
  EXPECT_THAT(tokens("a--b"), ElementsAre(Pair(Kind::Word, "a"), Pair(Kind::Operator, "-"),
                                          Pair(Kind::Operator, "-"), Pair(Kind::Word, "b")));
  EXPECT_THAT(tokens("a --"), ElementsAre(Pair(Kind::Word, "a")));
}

}  // namespace
}  // namespace dbtrace::sql
