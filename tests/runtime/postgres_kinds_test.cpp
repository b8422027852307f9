// The kinds of PostgreSQL's statements, held against the numbers that the server itself gives them
// (pg_stat_statements groups by those).
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "src/sql/fingerprint.h"
#include "tests/runtime/postgres_trace.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;

class PostgresKinds : public OnPostgres {};

// Each line is one kind, however it is spelled.
const std::vector<std::vector<std::string>> kKinds = {
    {"select a from k where a = 1", "SELECT a FROM k WHERE a = 22", "select  a\nfrom k where a=-3",
     "select a /* c */ from k where a = 4 -- d", "select \"a\" from \"k\" where a = 5;"},
    {"select b from k where b = 'x'", "select b from k where b = E'it\\'s'",
     "select b from k where b = $$ ' $$", "select b from k where b = $t$ $$ $t$",
     "select b from k where b = U&'\\0041'", "select b from k where b = 'x''y'"},
    {"select a, b from k where a = 1 and b = 'x'", "select a, b from k where a = 2 and b = 'y'"},
    {"select a from k where a > 1", "select a from k where a > 2"},
    {"select a from k where a < 1", "select a from k where a < 2"},
    {"select a + 1 from k", "select a + 2 from k", "select a+3 from k"},
    {"select a - 1 from k", "select a - 2 from k", "select a -3 from k"},
    {"select 1", "select 22", "select -3", "select - 4"},
    {"select 1.5", "select 2.25", "select .5", "select 1e3"},
    {"select 'a'", "select 'b'"},
    {"select 1::text", "select 2::text", "select 3 :: text"},
    {"select a::text from k", "select a :: text from k"},
    {"select count(*) from k", "SELECT COUNT(*) FROM k"},
    {"select count(*) from k limit 1", "select count(*) from k limit 2"},
    {"insert into k values (1, 'x')", "insert into k values (2, 'y')",
     "INSERT INTO k VALUES (-3, 'z')"},
    {"update k set b = 'x' where a = 1", "update k set b = 'y' where a = 2"},
    {"delete from k where a = 100", "delete from k where a = 200"},
    {"select a from k where b like 'x%'", "select a from k where b like '%y'"},
    {"select a from k where a between 1 and 2", "select a from k where a between 3 and 4"},
    {"select a from k where a is null"},
    {"select a from k where a is not null"},
    {"select case when a = 1 then 'x' else 'y' end from k",
     "select case when a = 2 then 'z' else 'w' end from k"},
    {"select coalesce(b, 'x') from k", "select coalesce(b, 'y') from k"},
    {"select * from k order by a", "SELECT * FROM k ORDER BY a"},
    {"select * from k order by b"},
    {"select k.a from k", "select K.A from K"},
    {"select true", "select false"},
    {"select interval '1 day'", "select interval '2 days'"},
    {"select date '2020-01-01'", "select date '2021-01-01'"},
    {"select array[1, 2]", "select array[3, 4]"},
    {"select b || 'x' from k", "select b || 'y' from k"},
    {"select a % 2 from k", "select a % 3 from k"},
    {"select a from k where a in (1, 2, 3)", "select a from k where a in (4, 5, 6)"},
    {"select b from \"K2\"", "select b from \"K2\" "},
    {"with w as (select a from k where a = 1) select * from w",
     "with w as (select a from k where a = 2) select * from w"},
};

TEST_P(PostgresKinds, AreThoseThatTheServerTellsApart) {
  PgClient client(server());
  client.must("drop table if exists k, \"K2\"");
  client.must("create table k(a int, b text)");
  client.must("create table \"K2\"(b text)");
  PostgresTrace trace(server());
  size_t count = 0;
  for (const auto& kind : kKinds)
    for (const std::string& text : kind) {
      EXPECT_NE(PQresultStatus(client.query(text).get()), PGRES_FATAL_ERROR) << text;
      ++count;
    }
  const auto lines = lines_of(trace.finish(count), client.pid());
  ASSERT_EQ(lines.size(), count);
  sql::Fingerprinter fingerprinter(sql::FingerprintMode::MySql,
                                   {.dialect = sql::Dialect::PostgreSql});
  std::map<int64_t, std::set<std::string>> texts;  // by the server's number
  std::map<std::string, std::set<int64_t>> ids;    // by ours
  for (const json& line : lines) {
    const std::string ours(fingerprinter.of(line.at("query").get<std::string>()).text);
    const int64_t theirs = line.value("query_id", int64_t{0});
    texts[theirs].insert(ours);
    ids[ours].insert(theirs);
  }
  size_t split = 0, merged = 0;
  for (const auto& [id, ours] : texts)
    if (ours.size() > 1) {
      ++split;
      for (const std::string& text : ours) std::printf("split: %s\n", text.c_str());
    }
  for (const auto& [text, numbers] : ids)
    if (numbers.size() > 1) {
      ++merged;
      std::printf("merged: %s\n", text.c_str());
    }
  std::printf("%zu statements, %zu kinds of the server's, %zu of ours; %zu split, %zu merged\n",
              count, texts.size(), ids.size(), split, merged);
  // Constants of different types are told apart by the server alone, as are lengths of lists before
  // 18.
  EXPECT_EQ(split, 0u);
  EXPECT_LE(merged, 4u);
}

DBTRACE_EACH_POSTGRES(PostgresKinds);
DBTRACE_OTHER_POSTGRES_SINCE(14, PostgresKinds);

}  // namespace
}  // namespace dbtrace::testing
