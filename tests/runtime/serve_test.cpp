// The life of `dbtrace serve`, what it tells, and that clients can harm neither it nor the count.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <thread>

#include "tests/runtime/scrape.h"
#include "tests/runtime/stub_server.h"
#include "tests/runtime/temporary_folder.h"

namespace dbtrace::testing {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr const char* kStub = "com_data/renamed-server";
constexpr const char* kCount = "dbtrace_query_duration_seconds_count";
constexpr const char* kRequest = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";

bool has_load(const Scrape& scrape, double loads) {
  return scrape.sum(kCount) >= loads * StubServer::kLoad;
}

bool is_somebody_elses_server_here() { return run_dbtrace({"serve", "--explain"}).exit_code != 2; }

TEST(Serve, TellsWhatWasCounted) {
  StubServer server(kStub);
  Serving serving({"-p", server.pid_text(), "--budget"});
  serving.process().wait_until_attached();
  server.run_load();
  const Scrape scrape = serving.wait_for([](const Scrape& now) { return has_load(now, 1); });
  EXPECT_EQ(scrape.sum(kCount), StubServer::kLoad);
  EXPECT_EQ(scrape.sum("dbtrace_query_duration_seconds_bucket", "le=\"+Inf\""), StubServer::kLoad);
  EXPECT_EQ(scrape.sum("dbtrace_commands_total", "counted"), StubServer::kLoad);
  EXPECT_EQ(scrape.sum("dbtrace_commands_lost_total"), 0);
  EXPECT_EQ(scrape.sum("dbtrace_commands_lost_by_reason_total"), 0);
  EXPECT_EQ(scrape.sum("dbtrace_attached"), 1);
  EXPECT_EQ(scrape.sum("dbtrace_server_info", "pid=\"" + server.pid_text() + "\""), 1);
  EXPECT_EQ(scrape.sum("dbtrace_queries_running"), 0);
  EXPECT_GT(scrape.sum("process_resident_memory_bytes"), 1e6);
  // Its parts are what the queries took.
  const double took = scrape.sum("dbtrace_query_duration_seconds_sum");
  EXPECT_GT(took, 0);
  EXPECT_NEAR(scrape.sum("dbtrace_query_time_seconds_total"), took, 0.01 * took);
  EXPECT_EQ(serving.page().find("SELECT 1,"), std::string::npos) << "a literal";
  // What was measured is known to the last second only.
  EXPECT_EQ(serving
                .wait_for([](const Scrape& now) {
                  return now.sum("dbtrace_probe_hits_total") >= 2 * StubServer::kLoad;
                })
                .sum("dbtrace_probe_hits_total"),
            2 * StubServer::kLoad);
  EXPECT_EQ(serving.end(), 0) << serving.process().errors();
  EXPECT_THAT(serving.process().errors(), HasSubstr(" 30000 counted"));
}

TEST(Serve, NamesThingsAsPrometheusDoes) {
  if (ChildProcess({.arguments = {"/usr/bin/promtool", "--version"}}).wait(seconds(20)) != 0)
    GTEST_SKIP() << "promtool is not installed";
  StubServer server(kStub);
  Serving serving({"-p", server.pid_text(), "--budget"});
  serving.process().wait_until_attached();
  server.run_script();
  const TemporaryFolder folder;
  (void)serving.wait_for([](const Scrape& now) { return now.sum(kCount) > 0; });
  std::ofstream(folder.path() / "page") << serving.page();
  ChildProcess promtool(
      {.arguments = {"/bin/sh", "-c", "promtool check metrics <\"$0\"", folder.path() / "page"},
       .output = folder.path() / "said",
       .errors = folder.path() / "said"});
  EXPECT_EQ(promtool.wait(seconds(60)), 0);
  EXPECT_EQ(read_file(folder.path() / "said"), "");
}

TEST(Serve, FollowsTheServer) {
  TemporaryFolder folder;
  const fs::path program = folder.path() / "server";
  fs::copy_file(stub_program(kStub), program);
  const std::vector<std::string> arguments = {"--datadir=/one"};
  // With arguments, the stub's load is another one.
  constexpr double kLoad = StubServer::kSteadyLoad;
  const auto counted = [](double loads) {
    return [loads](const Scrape& now) { return now.sum(kCount) >= loads * kLoad; };
  };
  auto server = std::make_unique<StubServer>(program, "", arguments);
  Serving serving({"-p", server->pid_text()});
  serving.process().wait_until_attached();
  server->run_load();
  EXPECT_EQ(serving.wait_for(counted(1)).sum(kCount), kLoad);
  server.reset();
  const Scrape gone =
      serving.wait_for([](const Scrape& now) { return now.sum("dbtrace_attached") == 0; });
  EXPECT_EQ(gone.sum("dbtrace_attached"), 0);
  EXPECT_EQ(gone.sum(kCount), kLoad);  // a counter does not go back
  server = std::make_unique<StubServer>(program, "", arguments);
  EXPECT_EQ(serving.wait_for([](const Scrape& now) { return now.sum("dbtrace_attached") == 1; })
                .sum("dbtrace_server_info", "pid=\"" + server->pid_text() + "\""),
            1);
  server->run_load();
  EXPECT_EQ(serving.wait_for(counted(2)).sum(kCount), 2 * kLoad);
  EXPECT_EQ(serving.end(), 0) << serving.process().errors();
}

TEST(Serve, WaitsForAServer) {
  if (is_somebody_elses_server_here()) GTEST_SKIP() << "a server of somebody else's runs here";
  Serving serving({});
  const Scrape before = serving.scrape();
  EXPECT_EQ(before.sum("dbtrace_attached"), 0);
  EXPECT_EQ(before.sum("dbtrace_build_info"), 1);
  EXPECT_THAT(serving.process().errors(), HasSubstr("no database server is running; waiting"));
  StubServer server("static/mysqld");
  serving.process().wait_until_attached();
  server.run_load();
  EXPECT_EQ(serving.wait_for([](const Scrape& now) { return has_load(now, 1); }).sum(kCount),
            StubServer::kLoad);
  EXPECT_EQ(serving.end(), 0) << serving.process().errors();
}

TEST(Serve, EndsWhileItWaits) {
  if (is_somebody_elses_server_here()) GTEST_SKIP() << "a server of somebody else's runs here";
  Serving serving({});
  HttpConnection idle(serving.port());
  EXPECT_EQ(serving.scrape().sum("dbtrace_attached"), 0);
  EXPECT_EQ(serving.end(), 0) << serving.process().errors();
}

TEST(Serve, CountsWhateverItsClientsDo) {
  StubServer server(kStub);
  Serving serving({"-p", server.pid_text()});
  serving.process().wait_until_attached();
  server.run_load();
  (void)serving.wait_for([](const Scrape& now) { return has_load(now, 1); });
  const size_t before = serving.resident();

  std::vector<std::unique_ptr<HttpConnection>> clients;
  for (int i = 0; i < 100; ++i) {
    // They ask and read nothing, send garbage, a header or a body without end, or nothing at all.
    auto& client = *clients.emplace_back(std::make_unique<HttpConnection>(serving.port(), 4096));
    switch (i % 5) {
      case 0:
        for (int times = 0; times < 50; ++times) client.send(kRequest);
        break;
      case 1:
        client.send(std::string(300'000, '\xff'));
        break;
      case 2:
        client.send("GET /metrics HTTP/1.1\r\nX: " + std::string(1'000'000, 'x'));
        break;
      case 3:
        client.send("POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n" +
                    std::string(1'000'000, 'x'));
        break;
      default:
        break;
    }
  }
  server.run_load();
  EXPECT_LT(serving.resident(), before + 24'000'000);
  clients.clear();
  const Scrape scrape = serving.wait_for([](const Scrape& now) { return has_load(now, 2); });
  EXPECT_EQ(scrape.sum(kCount), 2.0 * StubServer::kLoad);
  EXPECT_EQ(scrape.sum("dbtrace_commands_lost_total"), 0);
  EXPECT_EQ(serving.end(), 0) << serving.process().errors();
}

TEST(Serve, GivesPlacesBackThatAreHeldForNothing) {
  StubServer server(kStub);
  Serving serving({"-p", server.pid_text()});
  serving.process().wait_until_attached();
  std::vector<std::unique_ptr<HttpConnection>> silent;
  for (int i = 0; i < 60; ++i) silent.push_back(std::make_unique<HttpConnection>(serving.port()));
  // Behind them all, who asks gets an answer when the silent have had their time.
  EXPECT_EQ(http_get(serving.port(), "/metrics").status, 200);
  EXPECT_TRUE(silent.front()->is_closed(seconds(60)));
}

TEST(Serve, AnswersNothingElse) {
  StubServer server(kStub);
  Serving serving({"-p", server.pid_text()});
  serving.process().wait_until_attached();
  EXPECT_EQ(http_get(serving.port(), "/").status, 200);
  EXPECT_EQ(http_get(serving.port(), "/../etc/passwd").status, 404);
  HttpConnection post(serving.port());
  post.send("DELETE /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(post.receive(), HasSubstr(" 405 "));
  EXPECT_THAT(http_get(serving.port(), "/metrics").headers,
              HasSubstr("text/plain; version=0.0.4; charset=utf-8"));
}

TEST(Serve, TakesItsOptionsFromAFile) {
  StubServer server(kStub);
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "dbtrace.conf";
  std::ofstream(file) << "# of a test\npid = " << server.pid_text()
                      << "\nmax-kinds = 1\nbudget = true\nlisten = 127.0.0.1:1\n";
  Serving serving({"--config", file});  // --listen is typed, which wins
  serving.process().wait_until_attached();
  server.run_script();
  const Scrape scrape =
      serving.wait_for([](const Scrape& now) { return now.sum(kCount, "kind=\"other\"") > 0; });
  EXPECT_GT(scrape.sum(kCount, "kind=\"other\""), 0);
  EXPECT_TRUE(scrape.has("dbtrace_query_time_seconds_total"));
  EXPECT_EQ(serving.end(), 0) << serving.process().errors();

  const auto refused = [&](const std::string& line) {
    std::ofstream(file) << line << '\n';
    const DbtraceResult result = run_dbtrace({"serve", "--config", file});
    EXPECT_EQ(result.exit_code, 2) << line;
    return result.errors;
  };
  EXPECT_THAT(refused("max-kindz = 1"), HasSubstr("'max-kindz', which is no option of serve"));
  EXPECT_THAT(refused("max-kinds = many"), HasSubstr("'many' is not a whole number"));
  EXPECT_THAT(refused("config = /etc/passwd"), HasSubstr("'config'"));
  EXPECT_THAT(refused("[section]\nbudget = true"), HasSubstr("section."));
  EXPECT_EQ(run_dbtrace({"serve", "--config", folder.path() / "none"}).exit_code, 2);
}

TEST(Serve, IsLoudAboutAddresses) {
  StubServer server(kStub);
  Serving serving({"-p", server.pid_text()});
  serving.process().wait_until_attached();
  EXPECT_EQ(serving.process().errors().find("others than this machine"), std::string::npos);
  const std::string taken = "127.0.0.1:" + std::to_string(serving.port());
  const DbtraceResult second = run_dbtrace({"serve", "-p", server.pid_text(), "--listen", taken});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.errors, HasSubstr("cannot listen at " + taken));
  for (const char* address : {"localhost:9104", "127.0.0.1", "127.0.0.1:70000", "[::1:9104", ""})
    EXPECT_EQ(run_dbtrace({"serve", "--listen", address}).exit_code, 2) << address;

  DbtraceProcess open({"serve", "-p", server.pid_text(), "--listen", "0.0.0.0:0"});
  open.wait_until_attached();
  EXPECT_THAT(open.errors(), HasSubstr("others than this machine may read them"));
  EXPECT_EQ(open.stop(), 0);
}

}  // namespace
}  // namespace dbtrace::testing
