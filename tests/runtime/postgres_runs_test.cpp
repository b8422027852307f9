// Whole runs on PostgreSQL, `dbtrace diff` and `dbtrace top --batch`, against pg_stat_statements.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>

#include "tests/runtime/postgres_trace.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class PostgresRuns : public OnPostgres {
 protected:
  void SetUp() override {
    OnPostgres::SetUp();
    if (IsSkipped()) return;
    PgClient client(server());
    client.must("create extension if not exists pg_stat_statements");
    client.must("drop table if exists goods");
    client.must("create table goods(id int primary key, colour text)");
    client.must("insert into goods select i, 'c' from generate_series(1, 100) i");
  }
  static std::string pid() { return std::to_string(server().pid()); }
  // How often the server says that statements beginning so were executed since the reset.
  static int64_t calls(PgClient& client, const std::string& beginning) {
    return std::stoll(
        client.must("select coalesce(sum(calls), 0) from pg_stat_statements where query like '" +
                    beginning + "%'"));
  }
};

DBTRACE_EACH_POSTGRES(PostgresRuns);

TEST_P(PostgresRuns, DiffFindsWhatTheServerCountedOtherwise) {
  const TemporaryFolder folder;
  PgClient client(server());
  std::map<std::string, std::array<int64_t, 2>> server_counts;
  const std::vector<std::string> kinds = {"select colour from goods where id", "update goods set",
                                          "select count(*) from goods", "delete from goods"};
  const auto run = [&](size_t which, const std::string& file) {
    client.must("select pg_stat_statements_reset()");
    DbtraceProcess process({"histogram", "-p", pid(), "--save", file});
    process.wait_until_attached();
    for (int i = 0; i < 200; ++i) {
      const std::string id = std::to_string(i);
      client.must("select colour from goods where id = " + id);
      if (i % 2 == 0) client.must("update goods set colour = 'x' where id = " + id);
      // Only the first has one, only the second the other.
      if (which == 0 && i % 4 == 0) client.must("select count(*) from goods");
      if (which == 1 && i % 5 == 0) client.must("delete from goods where id = -1");
    }
    EXPECT_EQ(process.stop(), 0) << process.errors();
    for (const std::string& kind : kinds) server_counts[kind][which] = calls(client, kind);
  };
  const std::string before = folder.path() / "before.json", after = folder.path() / "after.json";
  run(0, before);
  run(1, after);
  const DbtraceResult result = run_dbtrace({"diff", "--all", "--format", "json", before, after});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  std::map<std::string, std::array<int64_t, 2>> told;
  std::map<std::string, std::string> verdicts;
  const json report = json::parse(result.output);
  for (const json& kind : report.at("kinds")) {
    std::string text = kind.at("text");
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    text = std::regex_replace(text, std::regex("[`\" ]+"), " ");
    for (const std::string& name : kinds) {
      const std::string first = name.substr(0, name.find(' ', name.find(' ') + 1));
      if (!text.starts_with(first)) continue;
      if (name.starts_with("select count") != text.starts_with("select count")) continue;
      verdicts[name] = kind.at("verdict");
      for (size_t i = 0; i < 2; ++i) {
        const json& run_of = kind.at(i == 0 ? "before" : "after");
        told[name][i] = run_of.is_null() ? 0 : run_of.at("count").get<int64_t>();
      }
    }
  }
  EXPECT_EQ(told, server_counts) << result.output;
  EXPECT_EQ(told[kinds[0]][0], 200);
  EXPECT_EQ(verdicts[kinds[2]], "vanished") << result.output;
  EXPECT_EQ(verdicts[kinds[3]], "appeared") << result.output;
}

TEST_P(PostgresRuns, TopCountsWhatTheServerCounts) {
  PgClient client(server());
  client.must("select pg_stat_statements_reset()");
  DbtraceProcess process({"top", "--batch", "-p", pid(), "--interval", "600s"});
  process.wait_until_attached();
  for (int i = 0; i < 300; ++i) {
    client.must("select colour from goods where id = " + std::to_string(i));
    if (i % 3 == 0) client.must("update goods set colour = 'y' where id = 7");
  }
  for (int i = 0; i < 100; ++i) client.query("select * from nosuch");
  ASSERT_EQ(process.stop(), 0) << process.errors();
  const std::string page = process.output();
  const auto rate_of = [&page](const std::string& kind) {
    std::smatch found;
    return std::regex_search(page, found, std::regex("\n +([0-9.]+) [^\n]*" + kind))
               ? std::stod(found[1].str())
               : -1;
  };
  const double selects = rate_of("SELECT `?colour`? FROM"), updates = rate_of("UPDATE `?goods"),
               failed = rate_of("\\[100 failed\\] SELECT");
  const auto served = static_cast<double>(calls(client, "select colour from goods"));
  EXPECT_EQ(served, 300);
  EXPECT_NEAR(selects / updates,
              served / static_cast<double>(calls(client, "update goods set colour")), 0.1)
      << page;
  EXPECT_NEAR(selects / failed, 3, 0.1) << page;
  EXPECT_THAT(process.errors(), HasSubstr("500 commands seen: 500 counted")) << page;
}

TEST_P(PostgresRuns, TopTellsOfTables) {
  PgClient client(server());
  client.must("checkpoint");
  DbtraceProcess process({"top", "--batch", "--page", "io", "-p", pid(), "--interval", "600s"});
  process.wait_until_attached();
  client.must("insert into goods select i, repeat('y', 1000) from generate_series(1000, 9000) i");
  ASSERT_EQ(process.stop(), 0) << process.errors();
  EXPECT_THAT(process.output(), HasSubstr("public.goods"));
  EXPECT_THAT(process.output(), HasSubstr("wal"));
}

}  // namespace
}  // namespace dbtrace::testing
