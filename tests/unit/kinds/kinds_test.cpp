#include "src/kinds/kinds.h"

#include <gtest/gtest.h>

#include "src/output/redact.h"
#include "tests/unit/kinds/queries.h"

namespace dbtrace::kinds {
namespace {

using model::Query;

// "t|u": the texts of the query's kinds.
std::string texts(Kinds& kinds, const Query& query) {
  std::string joined;
  for (const uint32_t kind : kinds.of(query)) {
    if (!joined.empty()) joined += '|';
    joined += kinds[kind].text;
  }
  return joined;
}

TEST(Kinds, ByFingerprint) {
  Kinds kinds({});
  const uint32_t first = kinds.of(query_of("select a from t where id = 1"))[0];
  EXPECT_EQ(kinds.of(query_of("SELECT a FROM t WHERE id=2 /* x */"))[0], first);
  EXPECT_NE(kinds.of(query_of("select a from u where id = 1"))[0], first);
  EXPECT_EQ(kinds[first].text, "SELECT `a` FROM `t` WHERE `id` = ?");
  EXPECT_EQ(kinds[first].id,
            sql::printed_id(sql::FingerprintMode::MySql, "SELECT `a` FROM `t` WHERE `id` = ?"));
  EXPECT_EQ(kinds.size(), 3U);  // with "other"
}

TEST(Kinds, ByFingerprintAsPtMakesThem) {
  Kinds kinds({.mode = sql::FingerprintMode::Pt});
  const uint32_t kind = kinds.of(query_of("SELECT a FROM t WHERE id=2"))[0];
  EXPECT_EQ(kinds[kind].text, "select a from t where id=?");
  EXPECT_EQ(kinds[kind].id,
            sql::printed_id(sql::FingerprintMode::Pt, "select a from t where id=?"));
}

TEST(Kinds, TheSameTextAgainIsOfTheSameKind) {
  Kinds kinds({});
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < 20'000; ++i)  // more than are remembered
      ASSERT_EQ(texts(kinds, query_of("select " + std::to_string(i))), "SELECT ?");
  EXPECT_EQ(kinds.size(), 2U);
}

TEST(Kinds, NoKindIsWithoutAText) {
  Kinds kinds({});
  EXPECT_EQ(texts(kinds, query_of("/* ping */")), "(no statement)");
  EXPECT_EQ(texts(kinds, query_of("")), "(no statement)");
  EXPECT_EQ(kinds[kinds.of(query_of("-- x"))[0]].id,
            sql::printed_id(sql::FingerprintMode::MySql, ""));
  Kinds users({.by = By::User});
  Query anonymous = query_of("select 1");
  anonymous.user = "";
  EXPECT_EQ(texts(users, anonymous), "(anonymous)");
}

TEST(Kinds, ATextThatWasCutIsAnotherKind) {
  Kinds kinds({});
  Query cut = query_of("select a from t");
  cut.text_length = 100;
  EXPECT_EQ(texts(kinds, query_of("select a from t")), "SELECT `a` FROM `t`");
  EXPECT_TRUE(texts(kinds, cut).ends_with("..."));
}

TEST(Kinds, WhatHasNoSqlIsOfTheKindOfItsCommand) {
  Kinds kinds({});
  Query query = query_of("shop");
  query.command = "InitDb";
  EXPECT_EQ(texts(kinds, query), "[InitDb]");
  query = query_of("");
  query.text_state = model::TextState::None;
  query.command = "Ping";
  EXPECT_EQ(texts(kinds, query), "[Ping]");
  query = query_of("");
  query.text_state = model::TextState::Unreadable;
  EXPECT_EQ(texts(kinds, query), "[Query] (text unreadable)");
}

TEST(Kinds, BySessionAndCommand) {
  const Query query = query_of("select 1");
  Query bare = query;
  bare.user.reset();
  bare.database.reset();
  bare.connection_id.reset();
  bare.command = "";
  const auto by = [](By grouping, const Query& of, bool several = false) {
    Kinds kinds({.by = grouping, .several_servers = several});
    return texts(kinds, of);
  };
  EXPECT_EQ(by(By::Database, query), "shop");
  EXPECT_EQ(by(By::Database, bare), "(none)");
  EXPECT_EQ(by(By::User, query), "anna");
  EXPECT_EQ(by(By::User, bare), "(unknown)");
  EXPECT_EQ(by(By::Command, query), "Query");
  EXPECT_EQ(by(By::Command, bare), "(unknown)");
  EXPECT_EQ(by(By::Connection, query), "7");
  EXPECT_EQ(by(By::Connection, bare), "(unknown)");
  Query second = query;
  second.pid = 42;
  EXPECT_EQ(by(By::Connection, second, true), "42:7");
}

TEST(Kinds, ByTableAQueryIsOfEachItNames) {
  Kinds kinds({.by = By::Table});
  EXPECT_EQ(texts(kinds, query_of("select * from t join depot.u")), "shop.t|depot.u");
  EXPECT_EQ(texts(kinds, query_of("select * from shop.t")), "shop.t");
  EXPECT_EQ(texts(kinds, query_of("select 1")), "(none)");
  Query elsewhere = query_of("select * from t join depot.u");
  elsewhere.database = "depot";
  EXPECT_EQ(texts(kinds, elsewhere), "depot.t|depot.u");
  elsewhere.database.reset();
  EXPECT_EQ(texts(kinds, elsewhere), "t|depot.u");
  EXPECT_EQ(texts(kinds, query_of("select * from t join depot.u")), "shop.t|depot.u");
}

TEST(Kinds, ByTableADatabaseOfPostgresIsNoSchema) {
  Kinds kinds({.by = By::Table});
  Query query = query_of("select * from t join depot.u on true");
  query.flavor = "postgres";
  EXPECT_EQ(texts(kinds, query), "t|depot.u");
}

TEST(Fingerprints, AreByTheRulesOfTheServer) {
  Fingerprints fingerprints(sql::FingerprintMode::MySql);
  Query query = query_of("SELECT \"A\" FROM t WHERE b = 'x'");
  EXPECT_EQ(fingerprints.of(query, query.text).text, "SELECT ? FROM `t` WHERE `b` = ?");
  query.flavor = "postgres";
  EXPECT_EQ(fingerprints.of(query, query.text).text, "select \"A\" from t where b = ?");
}

TEST(Kinds, AreBounded) {
  Kinds kinds({.max_kinds = 10});
  for (int i = 0; i < 1000; ++i) {
    const uint32_t kind = kinds.of(query_of("select a from t" + std::to_string(i)))[0];
    EXPECT_EQ(kind, i < 10 ? static_cast<uint32_t>(i) + 1 : Kinds::kOther);
  }
  EXPECT_EQ(kinds.size(), 11U);
  EXPECT_EQ(kinds[Kinds::kOther].text, "(other)");
  EXPECT_EQ(texts(kinds, query_of("select a from t3")), "SELECT `a` FROM `t3`");
}

TEST(Kinds, ListsOfTablesAreBounded) {
  Kinds kinds({.by = By::Table, .max_kinds = 10});
  for (int i = 0; i < 100; ++i) {
    std::string text = "select * from t0";
    for (int table = 1; table < 10; ++table)
      if ((i * 37 >> (table % 7)) & 1) text += ", t" + std::to_string(table);
    const auto list = kinds.of(query_of(text));
    ASSERT_FALSE(list.empty());
    for (const uint32_t kind : list) ASSERT_LT(kind, kinds.size());
  }
  EXPECT_LE(kinds.size(), 11U);
}

TEST(Kinds, ALongFingerprintIsKeptInPart) {
  Kinds kinds({});
  std::string text = "select ";
  for (int i = 0; i < 3000; ++i) text += "a" + std::to_string(i) + ", ";
  const uint32_t one = kinds.of(query_of(text + "b"))[0], other = kinds.of(query_of(text + "c"))[0];
  EXPECT_NE(one, other);
  EXPECT_EQ(kinds[one].text.size(), Kind::kMostText + 3);
  EXPECT_NE(kinds[one].id, kinds[other].id);
}

TEST(Kinds, NoSecretIsInAFingerprintWhateverTheQuoting) {
  Kinds kinds({.redact = output::redact});
  // With NO_BACKSLASH_ESCAPES the first string ends behind the backslash.
  const std::string shown =
      texts(kinds, query_of(R"(create user a identified by 'x\', b identified by ' secret ', c)"));
  EXPECT_EQ(shown.find("secret"), std::string::npos) << shown;
  EXPECT_TRUE(
      texts(kinds, query_of("alter user a identified by 'secret'")).ends_with("IDENTIFIED BY ?"));
}

TEST(Kinds, DialectsAreKeptApart) {
  Kinds kinds({});
  Query query = query_of("select 1 /*M! + 1 */");
  EXPECT_EQ(texts(kinds, query), "SELECT ?");
  query.flavor = "mariadb";
  EXPECT_EQ(texts(kinds, query), "SELECT ? + ?");
}

}  // namespace
}  // namespace dbtrace::kinds
