// Which PostgreSQL statements are of one kind. What pg_stat_statements of 15 and 18 groups was
// tried there.
#include "src/sql/postgres_text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace dbtrace::sql {
namespace {

std::string of(std::string_view text, bool cut = false) {
  PostgresText kinds;
  return std::string(kinds.of(text, cut));
}

TEST(PostgresText, ConstantsAreOne) {
  EXPECT_EQ(of("SELECT * FROM t WHERE a = 1 AND b = 'x'"), "select * from t where a = ? and b = ?");
  for (const char* constant :
       {"1",        "1.5",        ".5",    "1e10",  "1_000", "0x1F",  "'x'",          "'it''s'",
        "E'a\\'b'", "U&'\\0041'", "B'01'", "X'1f'", "N'x'",  "$$x$$", "$a$ $$ ' $a$", "$1",
        "-1",       "- 1",        "+1",    "true",  "FALSE"})
    EXPECT_EQ(of(std::string("select a from t where b = ") + constant + " and c"),
              "select a from t where b = ? and c")
        << constant;
}

// A backslash is one character outside E'…': the string ends.
TEST(PostgresText, StringsEndWhereTheServerSays) {
  EXPECT_EQ(of(R"(select 'a\', b)"), "select ? , b");
  EXPECT_EQ(of(R"(select E'a\', b')"), "select ?");
  EXPECT_EQ(of("select $tag$ ' \" $$ $tag$, b"), "select ? , b");
  EXPECT_EQ(of("select 'open"), "select ?");
  EXPECT_EQ(of("select $x$ open"), "select ?");
}

TEST(PostgresText, SpellingDoesNotCount) {
  const std::string kind = of("select a from t where b = 1");
  for (const char* other : {"SELECT a\n\tFROM t -- comment\nWHERE b=2",
                            "/* a /* nested */ comment */ select A from \"t\" where b = 3;",
                            "select a from t where b = 4 ;"})
    EXPECT_EQ(of(other), kind) << other;
}

TEST(PostgresText, NamesThatDifferAre) {
  EXPECT_NE(of("select a from \"T\""), of("select a from t"));
  EXPECT_NE(of("select a from \"A\""), of("select a from \"B\""));
  EXPECT_NE(of("select a -> 'x'"), of("select a ->> 'x'"));
}

TEST(PostgresText, ListsAreOne) {
  EXPECT_EQ(of("select 1 where a in (1, 2,3)"), "select ? where a in ( ? )");
  EXPECT_EQ(of("select 1 where a in (-1, -2)"), "select ? where a in ( ? )");
}

TEST(PostgresText, ASignBehindAValueIsAnOperator) {
  EXPECT_EQ(of("select a - 1"), "select a - ?");
  EXPECT_EQ(of("select (a) - 1"), "select ( a ) - ?");
  EXPECT_EQ(of("select -1, a"), "select ? , a");
}

TEST(PostgresText, CastsAndOperators) {
  EXPECT_EQ(of("select a::int, b #>> '{x}' from t # 1"), "select a :: int , b # > > ? from t # ?");
}

TEST(PostgresText, NothingIsLeftOfNothing) {
  for (const char* text : {"", ";", " ; ", "-- x", "/* open"}) EXPECT_EQ(of(text), "") << text;
}

TEST(PostgresText, OfACutTextTheBeginningIsSure) {
  const std::string whole = "select a, b from t where c in (1, 2, 3) and d = 'text' order by e";
  const std::string kind = of(whole);
  for (size_t size = 0; size < whole.size(); ++size) {
    std::string cut = of(whole.substr(0, size), true);
    ASSERT_TRUE(cut.ends_with("..."));
    cut.resize(cut.size() - 3);
    EXPECT_TRUE(kind.starts_with(cut)) << size << ": " << cut;
  }
}

TEST(PostgresText, AnyBytesDoNoHarm) {
  std::mt19937 random(2);
  for (int i = 0; i < 50'000; ++i) {
    std::string text;
    for (auto size = random() % 40; size > 0; --size)
      text += "aE'\"$1-/*;:.\\ \n\xff,("[random() % 18];
    EXPECT_LE(of(text, random() % 2).size(), 3 * text.size() + 8);
  }
}

}  // namespace
}  // namespace dbtrace::sql
