// Whole runs on PostgreSQL, `dbtrace diff` and `dbtrace top --batch`, against pg_stat_statements.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <regex>
#include <utility>

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

TEST_P(PostgresRuns, DiffTellsOfBothRunsWhatTheServerCounted) {
  const std::pair<const char*, const char*> kKinds[] = {
      {"select colour from goods where id = ?", "select colour from goods"},
      {"update goods set colour = ? where id = ?", "update goods"},
      {"select count ( * ) from goods", "select count(*) from goods"},
      {"delete from goods where id = ?", "delete from goods"}};
  using Counts = std::map<std::string, std::array<int64_t, 2>>;
  Counts counted, told;
  const TemporaryFolder folder;
  const std::array<std::string, 2> files = {folder.path() / "before.json",
                                            folder.path() / "after.json"};
  PgClient client(server());
  client.must("set max_parallel_workers_per_gather = 0");
  for (size_t run = 0; run < files.size(); ++run) {
    client.must("select pg_stat_statements_reset()");
    DbtraceProcess process({"histogram", "-p", pid(), "--save", files[run]});
    process.wait_until_attached();
    for (int i = 0; i < 200; ++i) {
      const std::string id = std::to_string(i);
      client.must("select colour from goods where id = " + id);
      if (i % 2 == 0) client.must("update goods set colour = 'x' where id = " + id);
      if (run == 0 && i % 4 == 0) client.must("select count(*) from goods");
      if (run == 1 && i % 5 == 0) client.must("delete from goods where id = " + id + "000");
    }
    EXPECT_EQ(process.stop(), 0) << process.errors();
    for (const auto& [text, beginning] : kKinds) counted[text][run] = calls(client, beginning);
  }
  const DbtraceResult result =
      run_dbtrace({"diff", "--all", "--format", "json", files[0], files[1]});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const json report = json::parse(result.output);
  for (const json& kind : report.at("kinds"))
    for (size_t run = 0; run < files.size(); ++run) {
      const json& one = kind.at(run == 0 ? "before" : "after");
      told[kind.at("text")][run] = one.is_null() ? 0 : one.at("count").get<int64_t>();
    }
  EXPECT_EQ(told, counted) << result.output;
  EXPECT_EQ(told[kKinds[2].first], (std::array<int64_t, 2>{50, 0}));
  EXPECT_EQ(told[kKinds[3].first], (std::array<int64_t, 2>{0, 40}));
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
  const double selects = rate_of("select colour from"), updates = rate_of("update goods"),
               failed = rate_of("\\[100 failed\\] select");
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
