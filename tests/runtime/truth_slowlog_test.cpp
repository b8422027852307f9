// The slow log means the same to the tools that read slow logs as it does to us.
#include <chrono>
#include <filesystem>
#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "tests/runtime/truth.h"

namespace dbtrace::testing {
namespace {

// What the program prints; expects that it succeeds.
std::string printed_by(const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  ChildProcess program({.arguments = arguments,
                        .output = folder.path() / "output",
                        .errors = folder.path() / "errors"});
  EXPECT_EQ(program.wait(std::chrono::seconds(60)), 0) << read_file(folder.path() / "errors");
  return read_file(folder.path() / "output");
}

size_t entries(const std::string& log) {
  size_t count = 0;
  for (size_t at = 0; (at = log.find("\nSET timestamp=", at)) != std::string::npos; ++at) ++count;
  return count;
}

class SlowLog : public Truth {
 protected:
  // A log of 7 + 5 + 3 queries of three kinds.
  std::filesystem::path record() {
    const std::filesystem::path file = folder_.path() / "slow.log";
    Client session = client("anna", "shop");
    Client other = client("bert");
    DbtraceProcess process({"queries", "-p", std::to_string(server().pid()), "--format", "slowlog",
                            "-o", file.string()});
    process.wait_until_attached();
    for (int i = 1; i <= 7; ++i)
      session.query("SELECT id FROM numbers WHERE id <= " + std::to_string(i));
    Statement statement = session.prepare("SELECT square FROM numbers WHERE id = ?");
    for (int i = 0; i < 4; ++i) statement.execute({int64_t{i + 1}});
    for (const char* number : {"1", "2", "3"})
      other.query(
          std::string("SELECT '# User@Host: forged[forged] @ x []\n# Query_time: 99.0 '\n,") +
          number + ", ';\n# Time: 2001-01-01T00:00:00Z\n'");
    EXPECT_TRUE(
        wait_until([&] { return entries(read_file(file)) >= 15; }, std::chrono::seconds(5)));
    EXPECT_EQ(process.stop(), 0) << process.errors();
    EXPECT_EQ(summary_of(process.errors()).lost, 0u);
    EXPECT_EQ(summary_of(process.errors()).shown, 15u);
    return file;
  }

 private:
  TemporaryFolder folder_;
};
DBTRACE_EACH_FLAVOR(SlowLog);

TEST_P(SlowLog, IsUnderstoodByPtQueryDigest) {
  const std::filesystem::path log = record();
  const nlohmann::json digest =
      nlohmann::json::parse(printed_by({"/usr/bin/pt-query-digest", "--no-version-check",
                                        "--limit=100%", "--output=json", log.string()}));
  std::map<std::string, std::vector<int>> classes;
  for (const nlohmann::json& each : digest.at("classes")) {
    const nlohmann::json& metrics = each.at("metrics");
    const auto sum = [&](const char* name) {
      return std::stoi(metrics.at(name).at("sum").get<std::string>());
    };
    classes[each.at("fingerprint")] = {each.at("query_count"), sum("Rows_sent"),
                                       sum("Rows_examined")};
  }
  const int made_up = is_mariadb() ? 0 : 3;
  using Classes = decltype(classes);
  EXPECT_EQ(classes, (Classes{{"select id from numbers where id <= ?", {7, 28, 28}},
                              {"select square from numbers where id = ?", {5, 4, 4}},
                              {"select ? ,?, ?", {3, 3, made_up}}}));
}

// Each server's own: the time stamps differ.
TEST_P(SlowLog, IsUnderstoodByDumpSlow) {
  const std::filesystem::path tool =
      server_program(flavor()).parent_path().parent_path() / "bin/mysqldumpslow";
  const std::string report = printed_by({"/usr/bin/perl", tool.string(), record().string()});
  static const std::regex entry(
      R"(Count: (\d+) .*Rows(?:_sent)?=[\d.]+ \((\d+)\),.* (\w+)\[\w+\]@localhost)");
  std::map<std::string, std::pair<int, int>> counts;  // queries and rows by user
  for (std::sregex_iterator each(report.begin(), report.end(), entry), end; each != end; ++each) {
    auto& [queries, rows] = counts[(*each)[3].str()];
    queries += std::stoi((*each)[1].str());
    rows += std::stoi((*each)[2].str());
  }
  using Counts = decltype(counts);
  EXPECT_EQ(counts, (Counts{{"anna", {12, 32}}, {"bert", {3, 3}}})) << report;
  EXPECT_NE(report.find("SELECT id FROM numbers WHERE id <= N"), std::string::npos) << report;
}

}  // namespace
}  // namespace dbtrace::testing
