// A real Prometheus scrapes `dbtrace serve` while a real server works: what it then knows is what
// clients did, and what Grafana and its own rules ask of it is there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <regex>
#include <set>

#include "tests/runtime/client.h"
#include "tests/runtime/scrape.h"
#include "tests/runtime/servers.h"
#include "tests/runtime/temporary_folder.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;
using std::chrono::seconds;

constexpr const char* kPrometheus = "/usr/bin/prometheus";
const std::filesystem::path kContrib = CONTRIB;

std::string in_url(const std::string& text) {
  std::string encoded;
  for (const unsigned char c : text) {
    constexpr const char* kDigits = "0123456789ABCDEF";
    if (std::isalnum(c)) {
      encoded += static_cast<char>(c);
    } else {
      encoded += '%';
      encoded += kDigits[c >> 4];
      encoded += kDigits[c & 15];
    }
  }
  return encoded;
}

// Scrapes one agent once a second.
class Prometheus {
 public:
  explicit Prometheus(uint16_t agent) : port_(free_port()) {
    std::ofstream(folder_.path() / "config.yml")
        << "global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}\n"
        << "rule_files: ['" << (kContrib / "prometheus-rules.yml").string() << "']\n"
        << "scrape_configs:\n  - job_name: dbtrace\n    static_configs:\n"
        << "      - targets: ['127.0.0.1:" << agent << "']\n";
    process_ = std::make_unique<ChildProcess>(ChildOptions{
        .arguments = {kPrometheus, "--config.file=" + (folder_.path() / "config.yml").string(),
                      "--storage.tsdb.path=" + (folder_.path() / "data").string(),
                      "--web.listen-address=127.0.0.1:" + std::to_string(port_)},
        .output = folder_.path() / "log",
        .errors = folder_.path() / "log"});
    const auto is_ready = [&] {
      try {
        return http_get(port_, "/-/ready").status == 200;
      } catch (const std::runtime_error&) {
        return false;
      }
    };
    if (!wait_until(is_ready, seconds(120)))
      throw std::runtime_error("no Prometheus: " + tail(read_file(folder_.path() / "log")));
  }

  // The answer to a query of now. Throws with the reason when it is refused.
  [[nodiscard]] json query(const std::string& expression) const {
    const json answer =
        json::parse(http_get(port_, "/api/v1/query?query=" + in_url(expression)).body);
    if (answer.at("status") != "success")
      throw std::runtime_error(expression + ": " + answer.dump());
    return answer.at("data").at("result");
  }
  // Of the first result; NAN without one.
  [[nodiscard]] double value(const std::string& expression) const {
    const json result = query(expression);
    return result.empty() ? NAN : std::stod(result.at(0).at("value").at(1).get<std::string>());
  }

 private:
  TemporaryFolder folder_;
  uint16_t port_;
  std::unique_ptr<ChildProcess> process_;
};

class ServeToPrometheus : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kPrometheus)) GTEST_SKIP() << "prometheus is not installed";
    if (const auto why = why_unavailable(Flavor::MariaDb)) GTEST_SKIP() << *why;
    server_ = std::make_unique<Server>(ServerOptions{.flavor = Flavor::MariaDb});
  }
  [[nodiscard]] std::string pid() const { return std::to_string(server_->pid()); }

  std::unique_ptr<Server> server_;
};

TEST_F(ServeToPrometheus, ItsFiguresAreWhatClientsDid) {
  Serving serving({"-p", pid()});
  serving.process().wait_until_attached();
  DbtraceProcess beside({"histogram", "-p", pid(), "--format", "json"});
  beside.wait_until_attached();
  const Prometheus prometheus(serving.port());

  Client client({.socket = server_->socket()});
  constexpr int kSlow = 30, kQuick = 2000, kFailing = 25;
  for (int i = 0; i < kSlow; ++i)
    client.query("SELECT SLEEP(0.0" + std::to_string(10 + i % 20) + ") AS marked");
  for (int i = 0; i < kQuick; ++i) client.query("SELECT " + std::to_string(i) + " AS hurried");
  for (int i = 0; i < kFailing; ++i) EXPECT_NE(client.error_of("SELECT 1 FROM test.nowhere"), 0U);
  const Scrape scrape = serving.wait_for(
      [&](const Scrape& now) { return now.sum("dbtrace_query_errors_total") == kFailing; });
  ASSERT_EQ(beside.stop(), 0) << beside.errors();

  const auto of = [&](const std::string& name, const std::string& text) {
    return name + "{kind=\"" + scrape.kind_of(text) + "\"}";
  };
  const std::string count = "dbtrace_query_duration_seconds_count";
  const auto all_scraped = [&] {
    return prometheus.value("sum(dbtrace_query_errors_total)") == kFailing;
  };
  ASSERT_TRUE(wait_until(all_scraped, seconds(60)));
  EXPECT_EQ(prometheus.value(of(count, "`hurried`")), kQuick);
  EXPECT_EQ(prometheus.value(of(count, "`marked`")), kSlow);
  EXPECT_EQ(prometheus.value(of("dbtrace_query_errors_total", "`nowhere`")), kFailing);
  EXPECT_EQ(prometheus.value(of("dbtrace_query_rows_sent_total", "`hurried`")), kQuick);
  EXPECT_EQ(prometheus.value("sum(dbtrace_commands_lost_total)"), 0);
  EXPECT_EQ(prometheus.value("up{job=\"dbtrace\"}"), 1);
  EXPECT_EQ(prometheus.value("dbtrace_attached"), 1);

  // Buckets are powers of two: it cannot be further off than that.
  for (const json& kind : beside.queries().back().at("kinds")) {
    if (kind.at("text").get<std::string>().find("`marked`") == std::string::npos) continue;
    const double own = kind.at("p99_ns").get<double>() / 1e9;
    const double theirs =
        prometheus.value("histogram_quantile(0.99, " +
                         of("dbtrace_query_duration_seconds_bucket", "`marked`") + ")");
    EXPECT_GT(theirs, own / 2);
    EXPECT_LT(theirs, own * 2);
  }
  EXPECT_EQ(serving.end(), 0) << serving.process().errors();
}

// All names of metrics in it that are dbtrace's own.
std::set<std::string> metrics_in(const std::string& text) {
  static const std::regex name("\\b(dbtrace|process)_[a-z_0-9]+");
  return {std::sregex_token_iterator(text.begin(), text.end(), name), {}};
}

TEST_F(ServeToPrometheus, WhatIsAskedForIsThere) {
  Serving serving({"-p", pid(), "--budget", "--rows-examined"});
  serving.process().wait_until_attached();
  const Prometheus prometheus(serving.port());
  Client client({.socket = server_->socket()});
  client.query(
      "CREATE DATABASE here; CREATE TABLE here.t(a INT PRIMARY KEY); INSERT INTO here.t VALUES "
      "(1)");
  for (int i = 0; i < 20; ++i) client.query("SELECT * FROM here.t");
  const Scrape scrape = serving.wait_for([](const Scrape& now) {
    return now.has("dbtrace_query_file_bytes_total") &&
           now.sum("dbtrace_query_duration_seconds_count") >= 21;
  });

  const json dashboard = json::parse(read_file(kContrib / "grafana-dashboard.json"));
  std::string asked = read_file(kContrib / "prometheus-rules.yml");
  size_t expressions = 0;
  std::set<int> ids;
  for (const json& panel : dashboard.at("panels")) {
    EXPECT_TRUE(ids.insert(panel.at("id").get<int>()).second) << panel;
    for (const json& target : panel.at("targets")) {
      std::string expression = target.at("expr");
      asked += expression + "\n";
      expression = std::regex_replace(expression, std::regex("\\$__rate_interval"), "5m");
      expression = std::regex_replace(expression, std::regex("\\$instance"), ".*");
      EXPECT_NO_THROW((void)prometheus.query(expression));
      ++expressions;
    }
  }
  EXPECT_GT(expressions, 15U);
  const std::set<std::string> names = metrics_in(asked);
  EXPECT_GT(names.size(), 10U);
  for (const std::string& name : names) EXPECT_TRUE(scrape.has(name)) << name;
  // And what is told is in the document that lists it.
  const std::string document = read_file(kContrib.parent_path() / "docs/fleet.md");
  for (const std::string& name : metrics_in(serving.page()))
    EXPECT_NE(document.find(std::regex_replace(name, std::regex("_(bucket|sum|count)$"), "")),
              std::string::npos)
        << name;
  EXPECT_EQ(serving.end(), 0) << serving.process().errors();
}

}  // namespace
}  // namespace dbtrace::testing
