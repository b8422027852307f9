// What go-mysql's query.Fingerprint() makes of it, except where a comment says
// otherwise.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "src/sql/fingerprint.h"

namespace dbtrace::sql {
namespace {

std::string pmm(std::string_view text, bool cut = false) {
  Fingerprinter fingerprinter(FingerprintMode::Pmm);
  return std::string(fingerprinter.of(text, cut).text);
}

TEST(PmmText, ValuesSpaceAndCase) {
  EXPECT_EQ(pmm("SELECT  A\n from\tT where b = 5 and c='x' and d=\"y\" "),
            "select a from t where b = ? and c=? and d=?");
  EXPECT_EQ(pmm("select count( * ),sum( a )from t"), "select count( * ),sum( a )from t");
  EXPECT_EQ(pmm("select @a, @@b, a=1,b>=2,c<>3 ;"), "select @a, @@b, a=?,b>=?,c<>? ;");
  EXPECT_EQ(pmm(""), "");
}

TEST(PmmText, NumbersButNotInNames) {
  EXPECT_EQ(pmm("select tab1, a_1, t.1a, log_2026_01, `a 1`"),
            "select tab1, a_1, t.1a, log_2026_01, `a 1`");
  EXPECT_EQ(pmm("select 12abc, 12xyz"), "select ?, 12xyz");
  EXPECT_EQ(pmm("select -5, a-5, a -5, a - 5, 1.5e-3, 0x1F, b=.5, .5"),
            "select ?, a?, a ?, a - ?, ?, ?, b=?, .?");
  EXPECT_EQ(pmm("select a*2, a%3"), "select a*?, a%?");  // there: "a*2, a%3"
}

TEST(PmmText, Literals) {
  EXPECT_EQ(pmm("select 'it\\'s', \"it's\", 'a\\\\', 'it''s'"), "select ?, ?, ?, ??");
  EXPECT_EQ(pmm("select x'1F', b'01', X'1F', N'a', _utf8'b'"), "select ?, ?, x?, n?, _utf8?");
  EXPECT_EQ(pmm("select id=x'1F'"), "select id=?");  // there: "select ?"
}

TEST(PmmText, Null) {
  EXPECT_EQ(pmm("select null, a = null, b is null, c is not null from t"),
            "select ?, a = ?, b is ?, c is not null from t");
  EXPECT_EQ(pmm("select a is null from t where b is not null"),
            "select a is null from t where b is not null");
}

TEST(PmmText, Comments) {
  EXPECT_EQ(pmm("select /* a */ 1 -- b\n, 2 # c"), "select ? , ?");
  EXPECT_EQ(pmm("select /*!40001 SQL_NO_CACHE */ a"), "select /*!40001 sql_no_cache */ a");
}

TEST(PmmText, Lists) {
  EXPECT_EQ(pmm("select a in (1, 'x)') and b NOT IN(2)"), "select a in(?+) and b not in(?+)");
  EXPECT_EQ(pmm("select a in (select b from t where c = 1 ) and d"),
            "select a in(select b from t where c = ?) and d");
  EXPECT_EQ(pmm("insert into t (a) values (1, now()), (2, now())"), "insert into t (a) values(?+)");
  EXPECT_EQ(pmm("insert into t () values ()"), "insert into t () values()");
  EXPECT_EQ(pmm("insert into t value (1) on duplicate key update a = values(a) + 1"),
            "insert into t value(?+) on duplicate key update a = values(a) + ?");
  EXPECT_EQ(pmm("select a in (1), b"), "select a in(?+), b");  // there the comma is lost
}

TEST(PmmText, OrderBy) {
  EXPECT_EQ(pmm("select a order by b ASC, c desc, d asc limit 5, 10"),
            "select a order by b, c desc, d limit ?, ?");
  EXPECT_EQ(pmm("select asc from t"), "select asc from t");
}

TEST(PmmText, SpecialStatements) {
  EXPECT_EQ(pmm("CALL Shop.P(1, 2)"), "call Shop.P");
  EXPECT_EQ(pmm("USE `shop`"), "use ?");
  EXPECT_EQ(pmm("administrator command: Init DB"), "administrator command: Init DB");
}

TEST(PmmText, CutTexts) {
  EXPECT_EQ(pmm("insert into t (a) values (1), (2", true), "insert into t (a) values ...");
  EXPECT_EQ(pmm("select a from t where a in (1, 2, 'x", true), "select a from t where a in ...");
}

TEST(PmmText, Ids) {
  EXPECT_EQ(printed_id(FingerprintMode::Pmm, "hello world"), "93CB22BB8F5ACDC3");
}

}  // namespace
}  // namespace dbtrace::sql
