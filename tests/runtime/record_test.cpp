// `dbtrace record` on real servers: what is in the file is what was there, however it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <atomic>
#include <filesystem>
#include <random>
#include <thread>

#include "tests/runtime/client.h"
#include "tests/runtime/postgres.h"
#include "tests/runtime/recording.h"
#include "tests/runtime/servers.h"
#include "tests/runtime/truth.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

// What is the same however often somebody looks: not times, as each has probes of its own.
std::vector<std::string> told(const std::vector<json>& lines) {
  std::vector<std::string> all;
  for (json line : lines) {
    for (const char* key : {"start", "duration_ns", "tid"}) line.erase(key);
    all.push_back(line.dump());
  }
  std::ranges::sort(all);
  return all;
}

std::vector<json> replayed(const std::string& file) {
  const DbtraceResult result = run_dbtrace({"queries", "--from", file, "--format", "json"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  return queries_of(result.output);
}

class Record : public ::testing::Test {
 protected:
  // On the installed MariaDB, from attaching to stop() or whatever comes.
  DbtraceProcess& start(std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(),
                     {"record", "-o", file_, "-p", std::to_string(server_.pid())});
    dbtrace_.emplace(arguments);
    dbtrace_->wait_until_attached();
    return *dbtrace_;
  }
  std::string value(const std::string& sql) {
    std::string rows = asked(file_, sql);
    if (!rows.empty()) rows.pop_back();
    return rows;
  }
  uint64_t number(const std::string& sql) { return std::stoull(value(sql)); }

  Server& server_ = shared_server(Flavor::MariaDb);
  TemporaryFolder folder_;
  std::string file_ = folder_.path() / "recording";
  std::optional<DbtraceProcess> dbtrace_;
};

// "select 0 as n", "select 1 as n", … on a connection of its own, until it goes.
class Counting {
 public:
  explicit Counting(const Server& server, std::string tail = {})
      : thread_([this, &server, tail = std::move(tail)] {
          Client client({.socket = server.socket()});
          for (uint64_t n = 0; !stop_; done_ = ++n)
            client.query("select " + std::to_string(n) + " as n" + tail);
        }) {}
  ~Counting() { stop(); }
  uint64_t stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    return done_;
  }
  [[nodiscard]] uint64_t done() const { return done_; }

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<uint64_t> done_ = 0;
  std::thread thread_;
};

constexpr const char* kCounted =
    "from queries where text like 'select % as n%' and command = 'Query'";
TEST_F(Record, HasWhatTheLogHas) {
  start({"--literals"});
  DbtraceProcess live({"queries", "--format", "json", "-p", std::to_string(server_.pid())});
  live.wait_until_attached();
  Client client({.socket = server_.socket()});
  client.query("create database if not exists recorded");
  client.select_database("recorded");
  client.query("create or replace table t (a int primary key, b varchar(20))");
  client.query("insert into t values (1, 'x'), (2, 'y')");
  client.query("select * from t");
  EXPECT_EQ(client.error_of("select * from nosuch"), 1146U);
  Statement statement = client.prepare("select b from t where a = ?");
  for (int64_t i = 0; i < 5; ++i) statement.execute({i});
  client.query("select 'a\xff' as b");
  client.query("drop database recorded");
  const size_t done = 14;  // the last of them may still be on its way
  ASSERT_TRUE(live.wait_for_lines(done));
  ASSERT_EQ(live.stop(), 0) << live.errors();
  ASSERT_EQ(dbtrace_->stop(), 0) << dbtrace_->errors();
  const Summary summary = summary_of(dbtrace_->errors());
  EXPECT_EQ(summary.lost, 0U);

  const std::vector<std::string> recorded = told(replayed(file_));
  const std::vector<std::string> logged = told(live.queries());
  EXPECT_GE(logged.size(), done);
  EXPECT_EQ(recorded, logged);
  EXPECT_EQ(number("select count(*) from queries"), recorded.size());
  EXPECT_EQ(value("select finished, literals from recording"), "1|1");
  EXPECT_EQ(value("select pid, flavor from server"), std::to_string(server_.pid()) + "|mariadb");
  EXPECT_THAT(value("select plan from server"), HasSubstr("dispatch_command"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(Record, ABudgetIsTheWholeTime) {
  start();
  Client client({.socket = server_.socket()});
  client.query("select sleep(0.2)");
  client.ping();
  ASSERT_EQ(dbtrace_->stop(), 0) << dbtrace_->errors();
  EXPECT_EQ(value("select text from queries where duration_ns > 1e8"), "SELECT `sleep` (?)");
  EXPECT_EQ(value("select count(*) from queries where duration_ns <> on_cpu_ns + runqueue_ns +"
                  " file_read_ns + file_write_ns + fsync_ns + locks_ns + network_ns + sleep_ns +"
                  " other_ns + unexplained_ns"),
            "0");
  EXPECT_GT(number("select sleep_ns + locks_ns from queries where duration_ns > 1e8"),
            100'000'000U);
}

// The server's own count is the truth; the recording has only some of them whole.
TEST_F(Record, AboveTheRateAllAreCounted) {
  start({"--max-rate", "50"});
  Client client({.socket = server_.socket()});
  const std::string count =
      "select variable_value from information_schema.global_status"
      " where variable_name = 'com_select'";
  const uint64_t before = std::stoull(client.value(count));
  for (int i = 0; i < 3000; ++i) client.query("select " + std::to_string(i) + " + 1");
  const uint64_t after = std::stoull(client.value(count));
  EXPECT_EQ(after - before, 3001U);
  ASSERT_EQ(dbtrace_->stop(), 0) << dbtrace_->errors();
  EXPECT_THAT(dbtrace_->errors(), HasSubstr("only what all of their kind came to"));
  EXPECT_LT(number("select count(*) from queries"), 2000U);

  const DbtraceResult counted = run_dbtrace({"histogram", "--from", file_, "--format", "json"});
  ASSERT_EQ(counted.exit_code, 0) << counted.errors;
  uint64_t selects = 0;
  const json histogram = json::parse(counted.output);
  for (const json& kind : histogram.at("kinds"))
    if (kind.at("text") == "SELECT ? + ?") selects = kind.at("count");
  EXPECT_EQ(selects, 3000U) << counted.output;
}

// Every view of one recording has the same numbers.
TEST_F(Record, ViewsAgree) {
  start();
  Client client({.socket = server_.socket()});
  for (int i = 0; i < 200; ++i) client.query("select " + std::to_string(i) + " from dual");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(client.error_of("select * from mysql.nosuch"), 1146U);
  ASSERT_EQ(dbtrace_->stop(), 0) << dbtrace_->errors();
  uint64_t sum_ns = 0, count = 0, errors = 0;
  for (const json& line : replayed(file_)) {
    ++count;
    sum_ns += line.at("duration_ns").get<uint64_t>();
    errors += line.at("error") != 0;
  }
  const DbtraceResult counted = run_dbtrace({"histogram", "--from", file_, "--format", "json"});
  ASSERT_EQ(counted.exit_code, 0) << counted.errors;
  const json histogram = json::parse(counted.output);
  uint64_t counted_ns = 0, counted_errors = 0;
  for (const json& kind : histogram.at("kinds")) {
    counted_ns += kind.at("total_ns").get<uint64_t>();
    counted_errors += kind.at("errors").get<uint64_t>();
    // By the same name as in the file.
    EXPECT_EQ(value("select count(*) from queries where fingerprint = '" +
                    kind.at("id").get<std::string>() + "'"),
              kind.at("count").dump());
  }
  EXPECT_EQ(histogram.at("count"), count);
  EXPECT_EQ(counted_ns, sum_ns);
  EXPECT_EQ(counted_errors, errors);
  EXPECT_EQ(errors, 10U);
}

TEST_F(Record, TwoAreCompared) {
  const std::string before = file_, after = file_ + ".after";
  for (const char* length : {"0.01", "0.1"}) {
    start();
    Client client({.socket = server_.socket()});
    // As many stretches of each as make it sure that they differ.
    const auto end = std::chrono::steady_clock::now() + seconds(5);
    while (std::chrono::steady_clock::now() < end)
      client.query(std::string("select sleep(") + length + ")");
    ASSERT_EQ(dbtrace_->stop(), 0) << dbtrace_->errors();
    file_ = after;
  }
  const DbtraceResult result = run_dbtrace({"diff", before, after});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("SELECT `sleep` (?)")) << result.output;
  EXPECT_EQ(run_dbtrace({"diff", before, "/etc/passwd"}).exit_code, 1);
}

TEST_F(Record, KilledAtAnyMomentTheFileIsSound) {
  std::mt19937 random(std::random_device{}());
  for (int round = 0; round < 20; ++round) {
    start({"--literals", "--max-rate", "0"});  // all of them, on a fast machine, too
    Counting counting(server_);
    std::this_thread::sleep_for(milliseconds(random() % 1500));
    dbtrace_->kill();
    counting.stop();
    SCOPED_TRACE(round);
    // Whoever looks first takes back what was not finished.
    const std::vector<json> lines = replayed(file_);
    EXPECT_EQ(value("pragma integrity_check"), "ok");
    EXPECT_EQ(value("select finished from recording"), "0");
    EXPECT_EQ(number("select count(*) from queries"), lines.size());
    const uint64_t count = number(std::string("select count(*) ") + kCounted);
    // All up to the last.
    if (count > 0) {
      const uint64_t first =
          number(std::string("select min(cast(substr(text, 8) as integer)) ") + kCounted);
      EXPECT_EQ(first + count - 1,
                number(std::string("select max(cast(substr(text, 8) as integer)) ") + kCounted));
    }
  }
}

// The bound is a second; a machine that does other things, too, gets more.
TEST_F(Record, KilledItHasEverythingButTheLast) {
  start({"--literals", "--max-rate", "0"});
  Counting counting(server_);
  std::this_thread::sleep_for(seconds(3));
  const uint64_t done = counting.done();
  std::this_thread::sleep_for(seconds(5));
  dbtrace_->kill();
  counting.stop();
  EXPECT_GT(done, 0U);
  EXPECT_GE(number(std::string("select count(*) ") + kCounted), done);
}

TEST_F(Record, AFullDiskEndsIt) {
  // Room for several transactions, however much comes in the half second of one.
  ASSERT_EQ(::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, "size=64m"), 0);
  start({"--literals"});
  {
    Counting counting(server_, ", '" + std::string(1000, 'x') + "'");
    EXPECT_EQ(dbtrace_->wait(seconds(60)), 1);
    counting.stop();
  }
  EXPECT_THAT(dbtrace_->errors(), HasSubstr("database or disk is full"));
  EXPECT_EQ(value("pragma integrity_check"), "ok");
  const uint64_t count = number("select count(*) from queries");
  EXPECT_GT(count, 50U);
  // The account says how many are in it.
  EXPECT_EQ(summary_of(dbtrace_->errors()).shown, count) << dbtrace_->errors();
  EXPECT_EQ(replayed(file_).size(), count);
  dbtrace_.reset();
  ::umount(folder_.path().c_str());
}

TEST_F(Record, FilesTakeEachOthersPlace) {
  start({"--literals", "--rotate", "1M", "--keep", "3"});
  {
    Counting counting(server_, ", '" + std::string(3000, 'x') + "'");
    EXPECT_TRUE(wait_until([&] { return std::filesystem::exists(file_ + ".2"); }, seconds(60)));
    std::this_thread::sleep_for(milliseconds(500));
  }
  ASSERT_EQ(dbtrace_->stop(), 0) << dbtrace_->errors();
  EXPECT_FALSE(std::filesystem::exists(file_ + ".3"));
  uint64_t next = 0;
  for (const char* name : {".2", ".1", ""}) {
    const std::string file = file_ + name;
    EXPECT_LE(std::filesystem::file_size(file), 1U << 20);
    EXPECT_EQ(asked(file, "select finished from recording"), "1\n");
    const std::string range =
        asked(file, std::string("select min(cast(substr(text, 8) as integer)) || ' ' ||"
                                " max(cast(substr(text, 8) as integer)) ") +
                        kCounted);
    const uint64_t first = std::stoull(range);
    EXPECT_TRUE(next == 0 || first == next) << first << " follows " << next;
    next = std::stoull(range.substr(range.find(' '))) + 1;
  }
}

TEST_F(Record, EndsWithItsSize) {
  start({"--literals", "--max-size", "1M"});
  {
    Counting counting(server_, ", '" + std::string(3000, 'x') + "'");
    EXPECT_EQ(dbtrace_->wait(seconds(60)), 0) << dbtrace_->errors();
  }
  EXPECT_LE(std::filesystem::file_size(file_), 1U << 20);
  EXPECT_EQ(value("select finished from recording"), "1");
  EXPECT_EQ(summary_of(dbtrace_->errors()).shown, number("select count(*) from queries"));
}

TEST_F(Record, SaysWhatIsWrong) {
  const std::string pid = std::to_string(server_.pid());
  const DbtraceResult nowhere = run_dbtrace({"record", "-p", pid});
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_THAT(nowhere.errors, HasSubstr("-o FILE"));
  const DbtraceResult device = run_dbtrace({"record", "-p", pid, "-o", "/dev/null"});
  EXPECT_EQ(device.exit_code, 1);
  EXPECT_THAT(device.errors, HasSubstr("it is no regular file"));
  const DbtraceResult foreign = run_dbtrace({"queries", "--from", "/etc/passwd"});
  EXPECT_EQ(foreign.exit_code, 1);
  EXPECT_THAT(foreign.errors, HasSubstr("is no recording: file is not a database"));
  const DbtraceResult both = run_dbtrace({"queries", "--from", file_, "-p", pid});
  EXPECT_EQ(both.exit_code, 2);
}

class RecordOnPostgres : public ::testing::TestWithParam<PostgresBuild> {};

TEST_P(RecordOnPostgres, HasWhatTheLogHas) {
  if (const auto why = why_unavailable(GetParam())) GTEST_SKIP() << *why;
  Postgres& server = shared_postgres(GetParam());
  TemporaryFolder folder;
  const std::string file = folder.path() / "recording";
  const std::string pid = std::to_string(server.pid());
  DbtraceProcess record({"record", "-o", file, "-p", pid, "--literals"});
  record.wait_until_attached();
  DbtraceProcess live({"queries", "--format", "json", "-p", pid});
  live.wait_until_attached();
  {
    PgClient client(server);
    client.must("create table if not exists recorded (a int)");
    for (int i = 0; i < 20; ++i) client.with_parameters("insert into recorded values ($1)", {"1"});
    (void)client.query("select 1 / 0");
    client.must("select pg_sleep(0.1)");
    client.must("drop table recorded");
  }
  ASSERT_TRUE(live.wait_for_lines(24));
  ASSERT_EQ(live.stop(), 0) << live.errors();
  ASSERT_EQ(record.stop(), 0) << record.errors();
  EXPECT_EQ(summary_of(record.errors()).lost, 0U);
  EXPECT_EQ(told(replayed(file)), told(live.queries()));
  EXPECT_EQ(asked(file, "select sqlstate from queries where error <> 0"), "22012\n");
}

INSTANTIATE_TEST_SUITE_P(Each, RecordOnPostgres,
                         ::testing::Values(PostgresBuild::Installed, PostgresBuild::Version18),
                         [](const auto& build) { return build_name(build.param); });

}  // namespace
}  // namespace dbtrace::testing
