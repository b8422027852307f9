// Expected texts are what STATEMENT_DIGEST_TEXT() of MySQL 9.7 says, where it
// takes the statement.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "src/sql/fingerprint.h"

namespace dbtrace::sql {
namespace {

std::string digest(std::string_view text, bool cut = false, const LexerOptions& options = {}) {
  Fingerprinter fingerprinter(FingerprintMode::MySql, options);
  return std::string(fingerprinter.of(text, cut).text);
}

TEST(DigestText, KeywordsNamesAndValues) {
  EXPECT_EQ(digest("select a from t where b = 5 and c='x'"),
            "SELECT `a` FROM `t` WHERE `b` = ? AND `c` = ?");
  EXPECT_EQ(digest("SELECT\n\ta\n FROM  t\tWHERE b=?"), "SELECT `a` FROM `t` WHERE `b` = ?");
  EXPECT_EQ(digest("select t.*, `x y`.`a``b` from db.t"),
            "SELECT `t` . * , `x y` . `a`b` FROM `db` . `t`");
  EXPECT_EQ(digest("select $a, a$b, \xc3\xa9"), "SELECT `$a` , `a$b` , `\xc3\xa9`");
  EXPECT_EQ(digest(""), "");
  EXPECT_EQ(digest(" -- nothing"), "");
}

TEST(DigestText, SynonymsAreOneKeyword) {
  EXPECT_EQ(digest("create table t (a int, b integer, c varchar(10), d double)"),
            "CREATE TABLE `t` ( `a` INTEGER , `b` INTEGER , `c` VARCHARACTER (?) , `d` FLOAT8 )");
  EXPECT_EQ(digest("select current_timestamp, a rlike 'x', a <> 1, a != 1"),
            "SELECT NOW , `a` RLIKE ? , `a` != ? , `a` != ?");
  EXPECT_EQ(digest("create user 'a'@'h' identified by 'x'"),
            "CREATE SYSTEM_USER ? @? IDENTIFIED BY ?");
}

TEST(DigestText, FunctionsAreKeywordsOnlyWithTheirParenthesis) {
  EXPECT_EQ(digest("select count(*), Count (*), sum(a)"),
            "SELECT COUNT ( * ) , `Count` ( * ) , SUM ( `a` )");
  EXPECT_EQ(digest("select max, concat('a')"), "SELECT `max` , `concat` (?)");
}

TEST(DigestText, WordsBesideADotAreNames) {
  EXPECT_EQ(digest("select select.a, t.from, t.1a, t.12"),
            "SELECT `select` . `a` , `t` . `from` , `t` . `1a` , `t` . `12`");
}

TEST(DigestText, EveryKindOfLiteral) {
  for (const char* literal :
       {"1",       "1.5",   ".5",  "5.",    "1e10", "1.5e-3", "0x1F",   "0b101",   "x'1F'",
        "X'AB'",   "b'01'", "'a'", "\"a\"", "n'a'", "N'a'",   "'a''b'", "'a\\'b'", "\"a\"\"b\"",
        "'a\\\\'", "-1",    "+ 1", "- - 1", "null", "?",      "\\N"}) {
    EXPECT_EQ(digest(std::string("select a = ") + literal + ", b"), "SELECT `a` = ? , `b`")
        << literal;
  }
  EXPECT_EQ(digest("select 0xabg, 0b2, 1a, 1e"), "SELECT `0xabg` , `0b2` , `1a` , `1e`");
  EXPECT_EQ(digest("select _utf8mb4'x', _latin1 x'41', _foo"),
            "SELECT (_charset) ? , (_charset) ? , `_foo`");
  EXPECT_EQ(digest("select true, false, date '2020-01-01'"), "SELECT TRUE , FALSE , DATE ?");
}

TEST(DigestText, SignsAndOperators) {
  EXPECT_EQ(digest("select -1, a-1, a -1, a = -1, a*-1, (-1), f(-1)"),
            "SELECT ? , `a` - ? , `a` - ? , `a` = ? , `a` * ? , (?) , `f` (?)");
  EXPECT_EQ(digest("select case when -1 then -1 else -1 end, not -1, !-1, ~-1"),
            "SELECT CASE WHEN ? THEN ? ELSE ? END , NOT ? , ! - ? , ~ - ?");
  EXPECT_EQ(digest("select a from t where -1 having -1"),
            "SELECT `a` FROM `t` WHERE - ? HAVING - ?");
  EXPECT_EQ(digest("select a->'$.x', a->>'$.y', a<=>1, a<<2, a>>3, a||b&&c, @a:=-1"),
            "SELECT `a` -> ? , `a` ->> ? , `a` <=> ? , `a` << ? , `a` >> ? , `a` || `b` && `c` , "
            "@? := - ?");
}

TEST(DigestText, NullAsAValueAndAsAWord) {
  EXPECT_EQ(digest("select null, (null), a = null, not null"), "SELECT ? , (?) , `a` = ? , NOT ?");
  EXPECT_EQ(digest("select a is null, a is not null"), "SELECT `a` IS NULL , `a` IS NOT NULL");
  EXPECT_EQ(digest("create table t (a int not null, b date null default null)"),
            "CREATE TABLE `t` ( `a` INTEGER NOT NULL , `b` DATE NULL DEFAULT ? )");
  EXPECT_EQ(digest("x on delete set null"), "`x` ON DELETE SET NULL");
}

TEST(DigestText, ListsAndRows) {
  EXPECT_EQ(digest("select 1, 2, a, 3, 4, 5"), "SELECT ?, ... , `a` , ?, ...");
  EXPECT_EQ(digest("select a in (1), a in (1, 2, -3), a not in (null)"),
            "SELECT `a` IN (...) , `a` IN (...) , `a` NOT IN (...)");
  EXPECT_EQ(digest("select a in ((1, 2), (3, 4)), a in (1, b), a in (select 1)"),
            "SELECT `a` IN ( (...) /* , ... */ ) , `a` IN ( ? , `b` ) , `a` IN ( SELECT ? )");
  EXPECT_EQ(digest("insert into t values (1), (2), (3)"), "INSERT INTO `t` VALUES (?) /* , ... */");
  EXPECT_EQ(digest("insert into t values (1, 'a'), (2, null)"),
            "INSERT INTO `t` VALUES (...) /* , ... */");
  EXPECT_EQ(digest("insert into t values (1, 2)"), "INSERT INTO `t` VALUES (...)");
  EXPECT_EQ(digest("insert into t values (1, now()), (2, now())"),
            "INSERT INTO `t` VALUES ( ? , NOW ( ) ) , ( ? , NOW ( ) )");
  EXPECT_EQ(digest("select a from t limit 5, 10"), "SELECT `a` FROM `t` LIMIT ?, ...");
}

TEST(DigestText, Variables) {
  EXPECT_EQ(digest("set @a = 1, @`b c` = 2, @'d' = 3"), "SET @? = ? , @`b c` = ? , @? = ?");
  EXPECT_EQ(digest("select @@sort_buffer_size, @@global.sort_buffer_size"),
            "SELECT @@`sort_buffer_size` , @@GLOBAL . `sort_buffer_size`");
  EXPECT_EQ(digest("grant all on *.* to root@localhost"), "GRANT ALL ON * . * TO `root` @?");
}

TEST(DigestText, Comments) {
  EXPECT_EQ(digest("/* a 'b */ select /* /* c */ 1 -- d\n # e 'f\n, a"), "SELECT ? , `a`");
  EXPECT_EQ(digest("select 1 --1"), "SELECT ? - ?");
  EXPECT_EQ(digest("select /*!80000 1, */ 2 /*! , 3 */ /*!999999 , a */ /*M! , b */"),
            "SELECT ?, ...");
  EXPECT_EQ(digest("select 1 /*M! , a */ /*!50800 , b */ /*!50100 , c */", false,
                   {.dialect = Dialect::MariaDb}),
            "SELECT ? , `a` , `c`");
}

TEST(DigestText, Hints) {
  EXPECT_EQ(digest("select /*+ max_execution_time(10) no_index_merge(t1@qb i1, i2) x bka(@qb t) */ "
                   "1 /*+ c */"),
            "SELECT /*+ MAX_EXECUTION_TIME (?) NO_INDEX_MERGE ( `t1`@`qb` `i1` , `i2` ) `x` BKA ( "
            "@`qb` `t` ) */ ?");
  EXPECT_EQ(digest("select a /*+ no_icp(t) */ from t"), "SELECT `a` FROM `t`");
}

TEST(DigestText, AnsiQuotesAndNoBackslashEscapes) {
  EXPECT_EQ(digest("select \"a\"\"b\"", false, {.ansi_quotes = true}), "SELECT `a\"b`");
  EXPECT_EQ(digest("select 'a\\', b", false, {.backslash_escapes = false}), "SELECT ? , `b`");
}

TEST(DigestText, TheEndOfAStatement) {
  EXPECT_EQ(digest("select 1;"), "SELECT ?");
  EXPECT_EQ(digest("select 1 ; ;"), "SELECT ?");
  EXPECT_EQ(digest("select 1; select a"), "SELECT ? ; SELECT `a`");
}

TEST(DigestText, WhatIsCutEndsWithWhatIsSure) {
  EXPECT_EQ(digest("select a from tab", true), "SELECT `a` FROM ...");
  EXPECT_EQ(digest("select a from tab ", true), "SELECT `a` FROM `tab` ...");
  EXPECT_EQ(digest("select a from t where b = 'unfinish", true),
            "SELECT `a` FROM `t` WHERE `b` = ...");
  EXPECT_EQ(digest("select a, -", true), "SELECT `a` ...");
  EXPECT_EQ(digest("select select.", true), "SELECT ...");
}

TEST(DigestText, CutListsAreOneKind) {
  const std::string rows = "insert into t (a, b) values (1, 'x'), (2, 'y'), (3, 'z'), (4, 'w')";
  for (size_t size = rows.find("1, 'x'"); size < rows.size(); ++size) {
    EXPECT_EQ(digest(rows.substr(0, size), true), "INSERT INTO `t` ( `a` , `b` ) VALUES ...");
  }
  const std::string list = "select a from t where a in (1, 2, -3, 'x', null, 5) ";
  for (size_t size = list.find("1, 2"); size < list.size(); ++size) {
    EXPECT_EQ(digest(list.substr(0, size), true), "SELECT `a` FROM `t` WHERE `a` IN ...");
  }
}

}  // namespace
}  // namespace dbtrace::sql
