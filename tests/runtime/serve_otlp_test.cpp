// What `dbtrace serve` sends to a collector is what it counted, and no collector can harm the
// count.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <optional>
#include <set>
#include <stdexcept>

#include "tests/otlp/collector.h"
#include "tests/otlp/told.h"
#include "tests/runtime/client.h"
#include "tests/runtime/scrape.h"
#include "tests/runtime/servers.h"
#include "tests/runtime/stub_server.h"
#include "tests/runtime/temporary_folder.h"

namespace dbtrace::testing {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Clock = std::chrono::steady_clock;

constexpr const char* kStub = "com_data/renamed-server";
constexpr const char* kCount = "dbtrace_query_duration_seconds_count";

std::vector<std::string> to(const TestCollector& collector, std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--otlp", collector.url(), "--otlp-interval", "1s"});
  return arguments;
}

std::vector<ToldMetrics> metrics_of(const TestCollector& collector) {
  std::vector<ToldMetrics> all;
  for (const Pushed& each : collector.pushed())
    if (each.path == "/v1/metrics") all.push_back(metrics_told(each.body));
  return all;
}

bool has_load(const Scrape& scrape, double loads) {
  return scrape.sum(kCount) >= loads * StubServer::kLoad;
}

// Of what Prometheus is told: how OpenTelemetry's names and units are spelled there.
std::string prometheus_name(std::string name, const ToldMetric& metric) {
  std::ranges::replace(name, '.', '_');
  for (const auto& [unit, suffix] : {std::pair("s", "_seconds"), std::pair("By", "_bytes")})
    if (metric.unit == unit && !name.ends_with(suffix)) name += suffix;
  return metric.kind == "sum" ? name + "_total" : name;
}

TEST(ServeOtlp, SendsWhatPrometheusIsTold) {
  StubServer server(kStub);
  TestCollector collector;
  Serving serving(to(collector, {"-p", server.pid_text(), "--budget"}));
  serving.process().wait_until_attached();
  server.run_load();
  const Scrape scrape = serving.wait_for([](const Scrape& now) { return has_load(now, 1); });
  EXPECT_EQ(serving.end(), 0) << serving.process().errors();
  EXPECT_THAT(collector.problems(), IsEmpty());

  const std::vector<ToldMetrics> pushes = metrics_of(collector);
  ASSERT_FALSE(pushes.empty());
  const ToldMetrics& last = pushes.back();
  EXPECT_EQ(last.sum("dbtrace.query.duration"), StubServer::kLoad);
  EXPECT_EQ(last.sum("dbtrace.commands", {{"fate", "counted"}}), StubServer::kLoad);
  EXPECT_EQ(last.sum("dbtrace.commands.lost"), 0);
  EXPECT_EQ(last.metrics.at("dbtrace.query.duration").kind, "histogram");
  EXPECT_EQ(last.metrics.at("dbtrace.query.duration").unit, "s");
  EXPECT_EQ(last.resource.at("service.name"), "dbtrace");
  EXPECT_EQ(last.resource.at("process.pid"), serving.process().process().pid());
  EXPECT_FALSE(last.resource.at("host.name").get<std::string>().empty());
  EXPECT_EQ(last.scope, "dbtrace");
  for (const auto& [name, metric] : last.metrics)
    if (name.starts_with("dbtrace."))
      EXPECT_TRUE(
          scrape.has(prometheus_name(name, metric) + (metric.kind == "histogram" ? "_count" : "")))
          << name;
  for (const Pushed& each : collector.pushed())
    EXPECT_EQ(each.body.find("SELECT 1,"), std::string::npos) << "a literal";
}

TEST(ServeOtlp, CountsUpFromOneBeginning) {
  StubServer server(kStub);
  TestCollector collector;
  Serving serving(to(collector, {"-p", server.pid_text()}));
  serving.process().wait_until_attached();
  for (int load = 1; load <= 3; ++load) {
    server.run_load();
    (void)serving.wait_for([&](const Scrape& now) { return has_load(now, load); });
    const size_t before = collector.pushed().size();
    EXPECT_TRUE(wait_until([&] { return collector.pushed().size() > before + 1; }, seconds(60)));
  }
  EXPECT_EQ(serving.end(), 0) << serving.process().errors();
  uint64_t start = 0, time = 0;
  double counted = 0;
  for (const ToldMetrics& push : metrics_of(collector)) {
    for (const auto& [name, metric] : push.metrics)
      for (const Point& point : metric.points) {
        if (!start) start = point.start_ns;
        EXPECT_TRUE(metric.kind == "gauge" || point.start_ns == start) << name;
      }
    const uint64_t now = push.metrics.at("dbtrace.attached").points[0].time_ns;
    EXPECT_GT(now, time);
    time = now;
    EXPECT_GE(push.sum("dbtrace.query.duration"), counted);
    counted = push.sum("dbtrace.query.duration");
  }
  EXPECT_EQ(counted, 3.0 * StubServer::kLoad);
}

TEST(ServeOtlp, CountsWhateverItsCollectorDoes) {
  using Answer = TestCollector::Answer;
  const std::vector<std::pair<const char*, Answer>> collectors = {
      {"busy", [](const Pushed&) { return TestCollector::answer(503, "Retry-After: 1\r\n"); }},
      {"silent", [](const Pushed&) { return std::nullopt; }},
      {"garbage", [](const Pushed&) { return std::string(300'000, '\xff'); }},
      {"endless",
       [](const Pushed&) { return "HTTP/1.1 200 OK\r\n\r\n" + std::string(3'000'000, 'x'); }}};
  for (const auto& [name, answer] : collectors) {
    SCOPED_TRACE(name);
    StubServer server(kStub);
    TestCollector collector(answer);
    Serving serving(to(collector, {"-p", server.pid_text()}));
    serving.process().wait_until_attached();
    server.run_load();
    (void)serving.wait_for([](const Scrape& now) { return has_load(now, 1); });
    const size_t before = serving.resident();
    EXPECT_TRUE(wait_until([&] { return collector.pushed().size() >= 2; }, seconds(60)));
    server.run_load();
    const Scrape scrape = serving.wait_for([](const Scrape& now) { return has_load(now, 2); });
    EXPECT_EQ(scrape.sum(kCount), 2.0 * StubServer::kLoad);
    EXPECT_EQ(scrape.sum("dbtrace_commands_lost_total"), 0);
    EXPECT_LT(serving.resident(), before + 24'000'000);
    const auto begin = Clock::now();
    EXPECT_EQ(serving.end(), 0) << serving.process().errors();
    EXPECT_LT(Clock::now() - begin, seconds(30));
  }
}

TEST(ServeOtlp, SaysWhatBecameOfWhatItSent) {
  StubServer server(kStub);
  TestCollector collector([](const Pushed&) { return TestCollector::answer(404); });
  Serving serving(to(collector, {"-p", server.pid_text()}));
  serving.process().wait_until_attached();
  const Scrape scrape = serving.wait_for([](const Scrape& now) {
    return now.sum("dbtrace_otlp_dropped_total", "signal=\"metrics\"") > 0;
  });
  EXPECT_GT(scrape.sum("dbtrace_otlp_dropped_total", "signal=\"metrics\""), 0);
  EXPECT_EQ(scrape.sum("dbtrace_otlp_sent_total"), 0);
  EXPECT_TRUE(wait_until(
      [&] {
        return serving.process().errors().find("refuses metrics with status 404") !=
               std::string::npos;
      },
      seconds(60)));
  EXPECT_EQ(serving.end(), 0);
}

TEST(ServeOtlp, TakesItsOptionsFromAFile) {
  StubServer server(kStub);
  TestCollector collector;
  const TemporaryFolder folder;
  const auto file = folder.path() / "dbtrace.conf";
  std::ofstream(file) << "pid = " << server.pid_text() << "\notlp = \"" << collector.url()
                      << "/prefix\"\notlp-interval = 1s\n"
                      << "otlp-header = [\"X-One: 1\", \"Authorization: Bearer secret\"]\n";
  Serving serving({"--config", file});
  serving.process().wait_until_attached();
  EXPECT_EQ(serving.end(), 0) << serving.process().errors();
  ASSERT_FALSE(collector.pushed().empty());
  const Pushed pushed = collector.pushed().back();
  EXPECT_EQ(pushed.path, "/prefix/v1/metrics");
  EXPECT_EQ(pushed.headers.at("X-One"), "1");
  EXPECT_EQ(pushed.headers.at("Authorization"), "Bearer secret");
}

// Of what is counted in the kernel, the slow ones are told, and nothing else.
TEST(ServeOtlp, SendsSlowQueriesAsSpans) {
  if (const auto why = why_unavailable(Flavor::MariaDb)) GTEST_SKIP() << *why;
  Server server({});
  TestCollector collector;
  const std::string pid = std::to_string(server.pid());
  Serving serving(to(collector, {"-p", pid, "--budget", "--otlp-slower-than", "100ms"}));
  serving.process().wait_until_attached();
  Client client({.socket = server.socket()});
  client.query("create database shop");
  client.query("create table shop.orders(a int)");
  for (int i = 0; i < 200; ++i) client.query("select " + std::to_string(i));
  // Not only the slowest of a kind is told.
  for (const char* seconds : {"0.4", "0.2", "0.3"})
    client.query(std::string("select sleep(") + seconds +
                 "), 'secret' from (select 1) x left join shop.orders on true "
                 "/*traceparent='00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'*/");
  EXPECT_THROW(client.query("select sleep(0.2), (select 1 union select 2)"), std::runtime_error);
  EXPECT_EQ(serving.end(), 0) << serving.process().errors();
  EXPECT_THAT(collector.problems(), IsEmpty());

  std::vector<ToldSpan> linked, own;
  for (const Pushed& each : collector.pushed()) {
    EXPECT_EQ(each.body.find("secret"), std::string::npos);
    if (each.path != "/v1/traces") continue;
    for (const ToldSpan& span : spans_told(each.body))
      (span.parent_id.empty() ? own : linked).push_back(span);
  }
  ASSERT_EQ(linked.size(), 3U);
  std::set<std::string> ids;
  for (const ToldSpan& span : linked) {
    EXPECT_EQ(span.trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
    EXPECT_EQ(span.parent_id, "00f067aa0ba902b7");
    EXPECT_EQ(span.name, "SELECT shop.orders");
    EXPECT_GE(span.end_ns - span.start_ns, 200'000'000U);
    EXPECT_EQ(span.attributes["db.system.name"], "mariadb");
    EXPECT_EQ(span.resource["service.name"], "mariadb");
    EXPECT_GE(span.attributes["dbtrace.budget.sleep_ns"], 100'000'000);
    EXPECT_TRUE(ids.insert(span.span_id).second);
  }
  const ToldMetrics last = metrics_of(collector).back();
  EXPECT_EQ(last.sum("dbtrace.otlp.dropped"), 0);
  EXPECT_GE(last.sum("dbtrace.query.duration"), 205);
}

TEST(ServeOtlp, SaysWhomItCannotSendTo) {
  const auto refused = [](const std::vector<std::string>& arguments) {
    std::vector<std::string> all = {"serve"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const DbtraceResult result = run_dbtrace(all);
    EXPECT_EQ(result.exit_code, 2) << result.errors;
    return result.errors;
  };
  EXPECT_THAT(refused({"--otlp", "https://127.0.0.1:4318"}), HasSubstr("run a collector"));
  EXPECT_THAT(refused({"--otlp", "http://collector:4318"}), HasSubstr("names are not looked up"));
  EXPECT_THAT(refused({"--otlp", "http://127.0.0.1:1", "--otlp-header", "Host: x"}),
              HasSubstr("dbtrace's own"));
  EXPECT_THAT(refused({"--otlp-interval", "5s"}), HasSubstr("--otlp"));
}

}  // namespace
}  // namespace dbtrace::testing
