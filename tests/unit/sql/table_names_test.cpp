#include "src/sql/table_names.h"

#include <gtest/gtest.h>

#include <random>

namespace dbtrace::sql {
namespace {

// "shop.t u": joined for comparison.
std::string tables(std::string_view text, bool cut = false) {
  std::string joined;
  for (const TableName& name : tables_of(text, cut, {})) {
    if (!joined.empty()) joined += ' ';
    if (!name.database.empty()) joined += name.database + '.';
    joined += name.table;
  }
  return joined;
}

TEST(TableNames, OfQueries) {
  EXPECT_EQ(tables("select * from t"), "t");
  EXPECT_EQ(tables("SELECT a FROM shop.orders WHERE id = 1"), "shop.orders");
  EXPECT_EQ(tables("select * from `a``b`.`c d`"), "a`b.c d");
  EXPECT_EQ(tables("select * from a, b as x, c y where a.id = b.id"), "a b c");
  EXPECT_EQ(tables("select * from a join b on a.x = b.x left join c using (y), d"), "a b c d");
  EXPECT_EQ(tables("select * from (a, b) straight_join c"), "a b c");
  EXPECT_EQ(tables("select * from t, t, t u"), "t");
  EXPECT_EQ(tables("select 1"), "");
  EXPECT_EQ(tables("select now() from dual"), "");
  EXPECT_EQ(tables("select a from t partition (p0, p1) use index (i), u"), "t u");
  EXPECT_EQ(tables("table t"), "t");
  EXPECT_EQ(tables("select status, user from user order by a desc, b"), "user");
  EXPECT_EQ(tables("select a from t for update"), "t");
  EXPECT_EQ(tables("select a from t limit 1, 2"), "t");
}

TEST(TableNames, OfSubqueries) {
  EXPECT_EQ(tables("select * from (select a from t) x, u"), "t u");
  EXPECT_EQ(tables("select (select max(a) from t), b from u where c in (select d from v)"), "t u v");
  EXPECT_EQ(tables("(select a from t) union (select b from u order by 1) limit 3"), "t u");
  EXPECT_EQ(tables("select * from t join lateral (select * from u) x"), "t u");
}

TEST(TableNames, FromInAFunctionIsNone) {
  EXPECT_EQ(tables("select extract(year from d), trim(both 'x' from y) from t"), "t");
  EXPECT_EQ(tables("select substring(s from 2 for 3) from t"), "t");
}

TEST(TableNames, FunctionsOfTablesAreNone) {
  EXPECT_EQ(tables("select * from json_table('[]', '$' columns (a int path '$')) j, t"), "t");
}

TEST(TableNames, CommonTableExpressionsAreNone) {
  EXPECT_EQ(tables("with x as (select a from t) select * from x join u"), "t u");
  EXPECT_EQ(tables("with recursive x (n) as (select 1 union select n + 1 from x), y as "
                   "(select * from t) select * from x, y, z"),
            "t z");
  EXPECT_EQ(tables("with x as (select a from t) delete from u where a in (select a from x)"),
            "t u");
  EXPECT_EQ(tables("select a from t group by a with rollup"), "t");
}

TEST(TableNames, OfChanges) {
  EXPECT_EQ(tables("insert into t (a, b) values (1, 2), (3, 4)"), "t");
  EXPECT_EQ(tables("insert ignore t set a = 1 on duplicate key update a = 2"), "t");
  EXPECT_EQ(tables("insert low_priority into s.t(a) select b from u"), "s.t u");
  EXPECT_EQ(tables("replace into t values (replace('a', 'b', 'c'))"), "t");
  EXPECT_EQ(tables("update t, u set t.a = u.a, t.b = 2 where t.id = u.id"), "t u");
  EXPECT_EQ(tables("update low_priority t set a = (select max(b) from u)"), "t u");
  EXPECT_EQ(tables("delete from t where a = 1"), "t");
  EXPECT_EQ(tables("delete a, b from t a join u b using (id)"), "t u");
  EXPECT_EQ(tables("delete from t using t join u"), "t u");
  EXPECT_EQ(tables("load data infile 'x' into table t"), "t");
}

TEST(TableNames, OfDefinitions) {
  EXPECT_EQ(tables("create table if not exists t (a int, b int)"), "t");
  EXPECT_EQ(tables("alter table t drop a, drop b, add c int"), "t");
  EXPECT_EQ(tables("drop table if exists a, s.b"), "a s.b");
  EXPECT_EQ(tables("truncate t"), "t");
  EXPECT_EQ(tables("truncate table t"), "t");
  EXPECT_EQ(tables("lock tables a read, b write"), "a b");
  EXPECT_EQ(tables("optimize table a, b"), "a b");
}

TEST(TableNames, OfOtherStatements) {
  EXPECT_EQ(tables("show tables from shop"), "");
  EXPECT_EQ(tables("set @a = 1, @b = 2"), "");
  EXPECT_EQ(tables("commit"), "");
  EXPECT_EQ(tables("explain select * from t"), "t");
  EXPECT_EQ(tables("desc t"), "t");
  EXPECT_EQ(tables("select a into @x from t"), "t");
  EXPECT_EQ(tables("select a from t into outfile 'x'"), "t");
}

TEST(TableNames, OfSeveralStatements) {
  EXPECT_EQ(tables("show tables; delete from t; update u set a = 1; select 2"), "t u");
  EXPECT_EQ(tables("with x as (select 1) select * from x; select * from x"), "x");
}

TEST(TableNames, StringsAndCommentsNameNone) {
  EXPECT_EQ(tables("select 'from a' /* from b */ -- from c\n from t # join d"), "t");
  EXPECT_EQ(tables("select /*!40001 SQL_NO_CACHE */ * from /*!40000 t */"), "t");
}

TEST(TableNames, WhatWasCutIsNotTold) {
  EXPECT_EQ(tables("select * from orders, ite", true), "orders");
  EXPECT_EQ(tables("select * from orders, items ", true), "orders items");
  EXPECT_EQ(tables("select * from shop.", true), "");
  EXPECT_EQ(tables("select * from `sho", true), "");
  EXPECT_EQ(tables("select * from ite", false), "ite");
}

TEST(TableNames, AreBounded) {
  std::string text = "select * from t";
  for (int i = 0; i < 1000; ++i) text += ", t" + std::to_string(i);
  EXPECT_EQ(tables_of(text, false, {}).size(), kMostTables);
  EXPECT_EQ(tables("select " + std::string(100'000, '(') + "select a from t"), "t");
  EXPECT_EQ(tables(std::string(100'000, ')') + " select a from t"), "t");
}

TEST(TableNames, AnyBytesWillDo) {
  std::mt19937 random(7);
  const std::string_view pieces[] = {"from ", "join ", "(",  ")",      ",",      ".",     "`",
                                     "'",     "with ", "as", " t ",    "select ", "\"",   ";",
                                     "\\",    "using", "/*", "update", "\xff",   "delete ", "\0"};
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (int i = 0; i < 12; ++i) text += pieces[random() % std::size(pieces)];
    EXPECT_LE(tables_of(text, round % 2, {}).size(), kMostTables);
  }
}

}  // namespace
}  // namespace dbtrace::sql
