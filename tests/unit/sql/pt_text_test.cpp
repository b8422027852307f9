// What pt-query-digest 3.2.1 makes of it, except where a comment says otherwise.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "src/sql/fingerprint.h"

namespace dbtrace::sql {
namespace {

std::string pt(std::string_view text, bool cut = false) {
  Fingerprinter fingerprinter(FingerprintMode::Pt);
  return std::string(fingerprinter.of(text, cut).text);
}

TEST(PtText, ValuesSpaceAndCase) {
  EXPECT_EQ(pt("SELECT  A\n from\tT where b = 5 and c='x' and d=\"y\""),
            "select a from t where b = ? and c=? and d=?");
  EXPECT_EQ(pt(" select 1\n"), "select ?");
  EXPECT_EQ(pt("select 1 "), "select ? ");
  EXPECT_EQ(pt("select null, a is null, nullable"), "select ?, a is ?, nullable");
  EXPECT_EQ(pt("select true, False, a_true, t.true, -false"), "select ?, ?, a_true, t?, ??");
  EXPECT_EQ(pt(""), "");
}

TEST(PtText, NumbersWhereverTheyStand) {
  EXPECT_EQ(pt("select a_1 from log_2026_01 where x12 = 3"), "select a_? from log_?_? where ? = ?");
  EXPECT_EQ(pt("select 12abc3 from 1_2"), "select ? from ?_?");
  EXPECT_EQ(pt("select -5, - 5, a-5, a - 5, .5, 5., 1e3, 0x1f, x'1F', b'01', tab1"),
            "select ?, ? ?, a?, a ? ?, ?, ?, ?, ?, ?, ?, ta?");
  EXPECT_EQ(pt("select 0x1F"), "select ?");  // there: "?f"
}

TEST(PtText, Literals) {
  EXPECT_EQ(pt("select 'it\\'s', \"it's\", 'say \"hi\"', ''"), "select ?, ?, ?, ?");
  EXPECT_EQ(pt("select 'it''s'"), "select ??");
  EXPECT_EQ(pt("select 'a\\\\', 'b'"), "select ?, ?");        // there: "select ?b'"
  EXPECT_EQ(pt("select '\"', 'b', '\"'"), "select ?, ?, ?");  // there: "select ?"
  EXPECT_EQ(pt("select '-- a\n', '/* b */'"), "select ?, ?");
  EXPECT_EQ(pt("select 'unfinished"), "select ?");  // there: the text
}

TEST(PtText, Comments) {
  EXPECT_EQ(pt("select /* a */ 1 -- b\n, # c\n 2"), "select ? , ?");
  EXPECT_EQ(pt("select a--b\n,c"), "select a ,c");
  EXPECT_EQ(pt("select a--'b'"), "select a??");
  EXPECT_EQ(pt("select a -- it's\n, b"), "select a , b");  // there: the comment is kept
  EXPECT_EQ(pt("select /*!40001 SQL_NO_CACHE */ a"), "select /*!? sql_no_cache */ a");
}

TEST(PtText, Lists) {
  EXPECT_EQ(pt("select a in (1, 'x', null) and b IN(2)"), "select a in(?+) and b in(?+)");
  EXPECT_EQ(pt("select a in (select 1), b in (c)"), "select a in (select ?), b in (c)");
  EXPECT_EQ(pt("insert into t (a) values (1, 2)"), "insert into t (a) values(?+)");
  EXPECT_EQ(pt("insert into t values (1), (2) on duplicate key update a = 1"),
            "insert into t values(?+)");
  EXPECT_EQ(pt("insert t values (1), (2) on duplicate key update a = 1"),
            "insert t values(?+) on duplicate key update a = ?");
  EXPECT_EQ(pt("REPLACE INTO t VALUES (now(), 1), (now(), 2)"), "replace into t values (now(), ?)");
  EXPECT_EQ(pt("insert into t values ()"), "insert into t values(?+)");
}

TEST(PtText, SpecialStatements) {
  EXPECT_EQ(pt("SELECT /*!40001 SQL_NO_CACHE */ * FROM `t`"), "mysqldump");
  EXPECT_EQ(pt("REPLACE /*shop.orders:3/8*/ INTO checksums VALUES (1)"), "percona-toolkit");
  EXPECT_EQ(pt("administrator command: Ping"), "administrator command: Ping");
  EXPECT_EQ(pt("CALL shop.P(1, 2)"), "call shop.p");
  EXPECT_EQ(pt("USE `shop`"), "use ?");
  EXPECT_EQ(pt("use a b"), "use a b");
}

TEST(PtText, UnionLimitAndOrder) {
  EXPECT_EQ(pt("select 1 union select 2 union all select 3"), "select ? /*repeat union all*/");
  EXPECT_EQ(pt("select * from (select 1 union select 2) as x, (select a union select b) as y"),
            "select * from (select ? /*repeat union*/) as x, (select a union select b) as y");
  EXPECT_EQ(pt("select a limit 1, 2"), "select a limit ?");
  EXPECT_EQ(pt("select a limit 1 offset 2"), "select a limit ?");
  EXPECT_EQ(pt("(select a limit 1, 2) limit 1, 2"), "(select a limit ?) limit ?, ?");
  EXPECT_EQ(pt("select a order by b ASC, c desc, d asc limit 1"),
            "select a order by b, c desc, d limit ?");
}

TEST(PtText, CutTexts) {
  EXPECT_EQ(pt("insert into t (a, b) values (1, 2), (3", true), "insert into t (a, b) values(?+)");
  EXPECT_EQ(pt("select a from t where a in (1, 2, 3", true), "select a from t where a in ...");
  EXPECT_EQ(pt("select a from t where a in (1, 2, 'x", true), "select a from t where a in ...");
  EXPECT_EQ(pt("select a from t where nam", true), "select a from t where ...");
}

TEST(PtText, Ids) {
  Fingerprinter fingerprinter(FingerprintMode::Pt);
  EXPECT_EQ(fingerprinter.of("select 5").id, 0x16219655761820A2u);
  EXPECT_EQ(printed_id(FingerprintMode::Pt, "select ?"), "0x1FE1379FE2A31B8D16219655761820A2");
}

// Nothing here may take more than linear time: these take minutes if it does.
TEST(PtText, HostileTexts) {
  for (const std::string_view piece : {"select ",
                                       " union select ",
                                       "in (",
                                       "in ,",
                                       "/*",
                                       "/*!",
                                       "--",
                                       "--a",
                                       "--'",
                                       "in (select ",
                                       "a.b ( 'x' ",
                                       "-- '",
                                       "#",
                                       "'",
                                       "\"",
                                       "`",
                                       "(",
                                       "\\",
                                       "insert into t values (",
                                       "),(",
                                       "order by asc ",
                                       "in (select ",
                                       "a.b ( 'x' ",
                                       "null",
                                       "/*a.b:1/2",
                                       "limit ?",
                                       "0x",
                                       "1e",
                                       "@@",
                                       "\xff"}) {
    std::string text;
    while (text.size() < 200'000) text += piece;
    for (const auto mode : {FingerprintMode::MySql, FingerprintMode::Pt, FingerprintMode::Pmm}) {
      Fingerprinter fingerprinter(mode);
      for (const bool cut : {false, true}) {
        EXPECT_LE(fingerprinter.of(text, cut).text.size(), 5 * text.size() + 16) << piece;
        EXPECT_LE(fingerprinter.of("insert into t values (" + text, cut).text.size(),
                  5 * text.size() + 64);
      }
    }
  }
}

}  // namespace
}  // namespace dbtrace::sql
