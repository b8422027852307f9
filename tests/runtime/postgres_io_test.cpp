// `dbtrace io` on PostgreSQL: its files by their tables, against what the server itself counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <set>

#include "tests/runtime/io.h"
#include "tests/runtime/postgres_trace.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kBlock = 8192;

// Nothing reads or writes but what the test asks for.
const char* const kSettings =
    "shared_buffers = 4MB\nautovacuum = off\nbgwriter_lru_maxpages = 0\ncheckpoint_timeout = 1h\n"
    "max_parallel_workers_per_gather = 0\nmax_wal_size = 4GB\n";

Postgres& quiet_postgres(PostgresBuild build) {
  static std::map<PostgresBuild, std::unique_ptr<Postgres>> servers;
  std::unique_ptr<Postgres>& server = servers[build];
  if (!server) server = std::make_unique<Postgres>(build, kSettings);
  return *server;
}

class PostgresIo : public ::testing::TestWithParam<PostgresBuild> {
 protected:
  void SetUp() override {
    if (const auto why = why_unavailable(GetParam())) GTEST_SKIP() << *why;
  }
  static Postgres& server() { return quiet_postgres(GetParam()); }
  static IoTrace trace(std::vector<std::string> options = {}) {
    options.insert(options.end(), {"-p", std::to_string(server().pid())});
    return IoTrace(options);
  }
  static std::vector<std::string> with_dsn(std::vector<std::string> options = {}) {
    options.insert(options.end(), {"--dsn", "host=" + server().socket_folder() +
                                                " user=postgres dbname=postgres password=hunter2"});
    return options;
  }
  // 40 MB: ten times what the server keeps.
  static void make_big(PgClient& client) {
    if (client.must("select to_regclass('big') is null") != "t") return;
    client.must(
        "create table big as select i, repeat(md5(i::text), 25) as b from "
        "generate_series(1, 40000) i");
    client.must("vacuum freeze big");
    client.must("checkpoint");
  }
  static int64_t number_of(PgClient& client, const std::string& sql) {
    return std::stoll(client.must(sql));
  }
  // A number of the statement's plan, as the server has counted.
  static int64_t counted(PgClient& client, const std::string& statement, const char* what) {
    return json::parse(client.must("explain (analyze, buffers, format json) " + statement))
        .at(0)
        .at("Plan")
        .at(what)
        .get<int64_t>();
  }
  static int64_t bytes_of(const json& total, const std::string& table,
                          const std::string& operation) {
    return sum_of(total, "bytes", [&](const json& row) {
      return row.at("table") == table && row.at("operation") == operation;
    });
  }
  static std::set<std::string> tables_of(const json& table) {
    std::set<std::string> names;
    for (const json& row : table.at("rows"))
      if (row.at("table").is_string()) names.insert(row.at("table"));
    return names;
  }
  // Tables alpha and beta as the server has written them, and what swaps their names.
  static void make_pair(PgClient& client) {
    client.must("drop table if exists alpha, beta");
    client.must("create table alpha(a int); create table beta(a int)");
    client.must("checkpoint");
  }
  static constexpr const char* kSwap =
      "begin; alter table alpha rename to passing; alter table beta rename to alpha; "
      "alter table passing rename to beta";
  // Its file below the data directory, as dbtrace shows what it has no name for.
  static std::string numbers_of(PgClient& client, const std::string& table) {
    const std::string path = client.must("select pg_relation_filepath('" + table + "')");
    return path.substr(path.find('/') + 1);
  }
  // Writes to the table's file until a later interval tells of that name, and not of the numbers.
  static bool is_told(IoTrace& traced, const std::string& name, const std::string& numbers,
                      const std::function<void()>& write) {
    const size_t before = traced.process().queries().size();
    return wait_until(
        [&] {
          write();
          const auto lines = traced.process().queries();
          if (lines.size() < before + 2) return false;
          const auto tables = tables_of(lines.back());
          return tables.contains(name) && !tables.contains(numbers);
        },
        seconds(60));
  }
};

DBTRACE_EACH_POSTGRES(PostgresIo);

TEST_P(PostgresIo, ATableIsReadAsTheServerCounts) {
  PgClient client(server());
  make_big(client);
  const std::string statement = "select sum(length(b)) from big";
  IoTrace traced = trace();
  const int64_t blocks = counted(client, statement, "Shared Read Blocks");
  const json total = traced.total();
  EXPECT_GE(blocks, 4000);
  EXPECT_EQ(bytes_of(total, "public.big", "read"), blocks * kBlock) << total;
  EXPECT_EQ(traced.account().lost, 0);
}

TEST_P(PostgresIo, TheServersStatisticsSayTheSame) {
  PgClient client(server());
  make_big(client);
  const std::string reads =
      "select heap_blks_read from pg_statio_user_tables where relname = 'big'";
  const auto now = [&] {
    client.must("select pg_stat_force_next_flush()");
    client.must("select 1");  // after which they are sent
    return number_of(client, reads);
  };
  IoTrace traced = trace({"--table", "big"});
  const int64_t before = now();
  for (int i = 0; i < 3; ++i) client.must("select count(*) from big where b like 'z%'");
  const int64_t blocks = now() - before;
  const json total = traced.total();
  EXPECT_GE(blocks, 12'000);
  EXPECT_EQ(bytes_of(total, "public.big", "read"), blocks * kBlock) << total;
  EXPECT_EQ(tables_of(total), std::set<std::string>{"public.big"});
}

TEST_P(PostgresIo, TemporaryFilesAreReadAndWrittenAsTheServerCounts) {
  PgClient client(server());
  make_big(client);
  client.must("set work_mem = '1MB'");
  const std::string statement = "select b from big order by b collate \"C\"";
  IoTrace traced = trace();
  const auto plan = json::parse(client.must("explain (analyze, buffers, format json) " + statement))
                        .at(0)
                        .at("Plan");
  const json total = traced.total();
  const int64_t read = plan.at("Temp Read Blocks"), written = plan.at("Temp Written Blocks");
  EXPECT_GE(written, 1000);
  EXPECT_EQ(bytes_of(total, "temporary file", "read"), read * kBlock) << total;
  EXPECT_EQ(bytes_of(total, "temporary file", "write"), written * kBlock) << total;
}

TEST_P(PostgresIo, TheLogIsWrittenAsFarAsTheServerSays) {
  PgClient client(server());
  client.must("create table if not exists logged(a int)");
  client.must("select pg_switch_wal()");
  client.must("insert into logged select generate_series(1, 1000)");
  IoTrace traced = trace();
  const int64_t before = number_of(client, "select pg_current_wal_flush_lsn() - '0/0'");
  for (int i = 0; i < 20; ++i) client.must("insert into logged select generate_series(1, 1000)");
  const int64_t flushed = number_of(client, "select pg_current_wal_flush_lsn() - '0/0'") - before;
  const json total = traced.total();
  const int64_t bytes = bytes_of(total, "wal", "write");
  const int64_t writes = sum_of(total, "count", [](const json& row) {
    return row.at("table") == "wal" && row.at("operation") == "write";
  });
  // Whole pages are written, the last one again with what comes next.
  EXPECT_GE(bytes, flushed) << total;
  EXPECT_LE(bytes, flushed + 2 * kBlock * writes) << total;
  EXPECT_GE(writes, 20);
}

TEST_P(PostgresIo, WhatTheServerHasNotWrittenIsANumber) {
  PgClient client(server());
  client.must("drop table if exists unwritten");
  client.must("checkpoint");
  IoTrace traced = trace();
  client.must("create table unwritten(a int)");
  client.must("insert into unwritten select generate_series(1, 2000)");
  const std::string numbers = numbers_of(client, "unwritten");
  const json total = traced.total();
  EXPECT_TRUE(tables_of(total).contains(numbers)) << numbers << ' ' << total;
  EXPECT_FALSE(tables_of(total).contains("public.unwritten"));
}

TEST_P(PostgresIo, ANewTableHasItsNameAfterTheNextCheckpoint) {
  PgClient client(server());
  client.must("drop table if exists fresh");
  IoTrace traced = trace({"--interval", "500ms"});
  client.must("create table fresh(a int)");
  client.must("insert into fresh select generate_series(1, 2000)");
  const std::string numbers = numbers_of(client, "fresh");
  client.must("checkpoint");
  EXPECT_TRUE(is_told(traced, "public.fresh", numbers,
                      [&] { client.must("insert into fresh select generate_series(1, 2000)"); }));
  const json total = traced.total();
  EXPECT_TRUE(tables_of(total).contains("public.fresh")) << total;
  EXPECT_FALSE(tables_of(total).contains(numbers)) << "in the sum of the run it has one name";
}

// The server writes rows of transactions that fail, and does not mark them.
TEST_P(PostgresIo, ARenameThatFailedIsNone) {
  PgClient client(server());
  make_pair(client);
  client.must(kSwap);
  client.must("rollback");
  client.must("checkpoint");
  IoTrace traced = trace();
  client.must("insert into alpha select generate_series(1, 2000)");
  const json total = traced.total();
  EXPECT_TRUE(tables_of(total).contains("public.alpha")) << total;
  EXPECT_FALSE(tables_of(total).contains("public.beta")) << total;
}

TEST_P(PostgresIo, ARenameCountsWhenItIsCommitted) {
  PgClient client(server());
  make_pair(client);
  PgClient renamer(server());
  renamer.must(kSwap);
  client.must("checkpoint");
  // It alone can write to them meanwhile, by their new names.
  const auto insert = [&] { renamer.must("insert into beta select generate_series(1, 2000)"); };
  IoTrace traced = trace({"--interval", "500ms"});
  EXPECT_TRUE(is_told(traced, "public.alpha", "public.beta", insert));
  renamer.must("commit");
  client.must("checkpoint");
  EXPECT_TRUE(is_told(traced, "public.beta", "public.alpha", insert));
  (void)traced.finish();
}

TEST_P(PostgresIo, AServerThatIsAskedTellsAtOnce) {
  PgClient client(server());
  client.must("drop table if exists asked");
  client.must("drop schema if exists \"o'dd\" cascade");
  client.must("checkpoint");
  IoTrace traced = trace(with_dsn({"--interval", "500ms"}));
  client.must("create schema \"o'dd\" create table \"ta ble\"(a int, b text)");
  client.must("insert into \"o'dd\".\"ta ble\" select generate_series(1, 2000)");
  const std::string before = numbers_of(client, "\"o''dd\".\"ta ble\"");
  const auto insert = [&] {
    client.must("insert into \"o'dd\".\"ta ble\" select generate_series(1, 2000)");
  };
  EXPECT_TRUE(is_told(traced, "o'dd.ta ble", before, insert));
  // A rewritten table has another file.
  client.must("vacuum full \"o'dd\".\"ta ble\"");
  const std::string after = numbers_of(client, "\"o''dd\".\"ta ble\"");
  EXPECT_NE(before, after);
  EXPECT_TRUE(is_told(traced, "o'dd.ta ble", after, insert));
  const json total = traced.total();
  EXPECT_FALSE(tables_of(total).contains(before)) << total;
  EXPECT_FALSE(tables_of(total).contains(after)) << total;
  EXPECT_THAT(traced.process().errors(), Not(HasSubstr("hunter2")));
}

TEST_P(PostgresIo, OtherDatabasesAndWhatBelongsToATable) {
  PgClient client(server());
  client.must("drop database if exists other");
  client.must("create database other");
  PgClient other(server(), "other");
  other.must("create table longs(a int primary key, b text)");
  other.must("alter table longs alter b set storage external");
  other.must("insert into longs select i, repeat('x', 20000) from generate_series(1, 500) i");
  other.must("vacuum freeze longs");
  client.must("checkpoint");
  IoTrace traced = trace({"--op", "write"});
  other.must("insert into longs select i, repeat('x', 20000) from generate_series(501, 1000) i");
  client.must("checkpoint");
  const auto tables = tables_of(traced.total());
  for (const char* name :
       {"public.longs", "public.longs_pkey", "public.longs (toast)", "public.longs (toast index)"})
    EXPECT_TRUE(tables.contains(name)) << name;
}

TEST_P(PostgresIo, AServerThatCannotBeAskedIsSaidBefore) {
  const auto with = [](const std::string& connection) {
    return run_dbtrace({"io", "-p", std::to_string(server().pid()), "--dsn", connection});
  };
  DbtraceResult result = with("host=/nowhere password=hunter2");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr("--dsn"));
  EXPECT_THAT(result.errors, Not(HasSubstr("hunter2")));
  for (const PostgresBuild other : {PostgresBuild::Installed, PostgresBuild::Version18}) {
    if (other == GetParam() || why_unavailable(other)) continue;
    result = with("host=" + quiet_postgres(other).socket_folder() + " user=postgres");
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.errors, HasSubstr("another server"));
  }
  result = run_dbtrace({"queries", "-p", std::to_string(server().pid()), "--dsn", "host=/x"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr("add --budget"));
  // Parts of a password that libpq would show as a host or a port that there is not.
  for (const char* uri :
       {"postgresql://u:x@hunter2@localhost/db", "postgresql://u:hunter2/x@localhost/db"}) {
    result = with(uri);
    EXPECT_EQ(result.exit_code, 1) << uri;
    EXPECT_THAT(result.errors, HasSubstr("%40")) << uri;
    EXPECT_THAT(result.errors, Not(HasSubstr("hunter2"))) << uri;
  }
  result = with("hunter2");
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.errors, HasSubstr("connection string"));
  EXPECT_THAT(result.errors, Not(HasSubstr("hunter2")));
}

// Version 18 lets other processes read, and the query waits for them, whether they wait or not.
TEST_P(PostgresIo, AQueryWaitsForWhatIoWorkersRead) {
  if (GetParam() != PostgresBuild::Version18) GTEST_SKIP() << "reads for itself";
  PgClient client(server());
  make_big(client);
  PostgresTrace traced(server(), {"--budget"});
  const std::string text = "select sum(length(b)) from big";
  client.must(text);
  for (const json& line : lines_of(traced.finish(1), client.pid()))
    EXPECT_GT(line.at("budget").at("file_read_ns").get<int64_t>(), 0) << line;
}

TEST_P(PostgresIo, WhatIoWorkersReadIsTheirs) {
  if (GetParam() != PostgresBuild::Version18) GTEST_SKIP() << "reads for itself";
  PgClient client(server());
  make_big(client);
  EXPECT_EQ(client.must("show io_method"), "worker");
  IoTrace traced = trace({"--by", "thread", "--table", "big"});
  const int64_t blocks = counted(client, "select sum(length(b)) from big", "Shared Read Blocks");
  const json total = traced.total();
  const auto read = [&](bool in_queries) {
    return sum_of(total, "bytes",
                  [&](const json& row) { return row.at("in_queries") == in_queries; });
  };
  EXPECT_EQ(read(true) + read(false), blocks * kBlock) << total;
  EXPECT_GT(read(false), 0) << total;
  for (const json& row : total.at("rows")) {
    if (row.at("in_queries").get<bool>()) continue;
    EXPECT_THAT(row.at("thread").get<std::string>(), ::testing::StartsWith("io worker ")) << row;
  }
}

TEST_P(PostgresIo, BackgroundProcessesHaveTheNamesThatTheyGiveThemselves) {
  PgClient client(server());
  client.must("create table if not exists dirty(a int)");
  IoTrace traced = trace({"--by", "thread", "--op", "write"});
  client.must("insert into dirty select generate_series(1, 2000)");
  client.must("checkpoint");
  const json total = traced.total();
  EXPECT_GT(sum_of(total, "bytes",
                   [](const json& row) {
                     return row.at("thread") == "checkpointer" && !row.at("in_queries").get<bool>();
                   }),
            0)
      << total;
}

}  // namespace
}  // namespace dbtrace::testing
