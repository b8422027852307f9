// How many stacks are whole, and what another profiler says of the same run.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "tests/runtime/budget_server.h"
#include "tests/runtime/child_process.h"
#include "tests/runtime/stacks.h"
#include "tests/runtime/temporary_folder.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;

constexpr int64_t kPercent = 100;

class WholeStacks : public BudgetServer {};
DBTRACE_BUDGET_SERVERS(WholeStacks);

// Sessions that scan, sort, lock, commit and sleep at once.
TEST_P(WholeStacks, AreNearlyAll) {
  Client owner = client();
  owner.query(
      "DROP TABLE IF EXISTS busy; CREATE TABLE busy (id INT PRIMARY KEY, v INT) "
      "ENGINE=InnoDB; INSERT INTO busy VALUES (1, 1)");
  StackTrace trace(server().pid(), {"--slower-than", "0ms"});
  const auto repeat = [](const std::string& text, int times) {
    Client session = client();
    for (int i = 0; i < times; ++i) session.query(text);
  };
  std::vector<std::thread> sessions;
  sessions.emplace_back(repeat, "SELECT SUM(LENGTH(filler)) FROM big", 4);
  sessions.emplace_back(repeat, "SELECT id FROM big ORDER BY REVERSE(filler) LIMIT 40000", 2);
  sessions.emplace_back(repeat, "UPDATE busy SET v = v + 1", 60);
  sessions.emplace_back(repeat, "UPDATE busy SET v = v + 1", 60);
  sessions.emplace_back(repeat, "SELECT SLEEP(0.05)", 20);
  for (std::thread& session : sessions) session.join();
  int64_t whole = 0, all = 0;
  for (const json& line : trace.finish(100))
    for (const json& stack : line["stacks"]) {
      all += stack["count"].get<int64_t>();
      if (stack["whole"]) whole += stack["count"].get<int64_t>();
    }
  std::printf("%s: %lld of %lld stacks are whole\n", is_mariadb() ? "MariaDB" : "MySQL",
              static_cast<long long>(whole), static_cast<long long>(all));
  EXPECT_GT(all, 200);
  EXPECT_GE(whole * kPercent, all * 98);
}

// How many samples each function is the innermost of, by name.
using Samples = std::map<std::string, double>;

double all(const Samples& samples) {
  double sum = 0;
  for (const auto& [name, count] : samples) sum += count;
  return sum;
}

std::vector<std::string> heaviest(const Samples& samples, size_t most) {
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [name, count] : samples) order.emplace_back(count, name);
  std::ranges::sort(order, std::greater());
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(most, order.size()); ++i) names.push_back(order[i].second);
  return names;
}

// "Item_func_reverse::val_str" of perf's "Item_func_reverse::val_str(String*)".
std::string without_parameters(std::string name) {
  if (const size_t bracket = name.find('('); bracket != std::string::npos && bracket > 0)
    name.resize(bracket);
  if (const size_t clone = name.find('.'); clone != std::string::npos && clone > 0)
    name.resize(clone);
  return name;
}

// Of functions that have a name.
Samples samples_of_perf(const std::filesystem::path& data) {
  const TemporaryFolder folder;
  const std::filesystem::path report = folder.path() / "report";
  const std::string command = "perf report -i " + data.string() +
                              " --stdio --no-children -g none -F sample,sym 2>/dev/null > " +
                              report.string();
  EXPECT_EQ(std::system(command.c_str()), 0);
  Samples samples;
  std::ifstream file(report);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    double count = 0;
    std::string where, name;
    if (!(words >> count >> where) || where != "[.]") continue;
    std::getline(words >> std::ws, name);
    if (!name.starts_with("0x")) samples[without_parameters(name)] += count;
  }
  return samples;
}

Samples samples_of(const std::vector<json>& lines) {
  Samples samples;
  for (const json& line : lines)
    for (const json& stack : line["stacks"]) {
      if (stack["cause"] != "on_cpu") continue;
      const json& innermost = stack["frames"].back();
      const std::string name = innermost["name"];
      if (innermost["kind"] == "user" && name.find("+0x") == std::string::npos)
        samples[name] += stack["count"].get<double>();
    }
  return samples;
}

TEST_P(WholeStacks, SayTheSameAsAnotherProfiler) {
  Client session = client();
  const TemporaryFolder folder;
  const std::filesystem::path data = folder.path() / "perf.data";
  StackTrace trace(server().pid(), {"--slower-than", "1ms", "--frequency", "499"});
  ChildProcess perf({.arguments = {"/usr/bin/perf", "record", "-q", "-e", "cpu-clock", "-F", "499",
                                   "-p", std::to_string(server().pid()), "-o", data.string()}});
  std::this_thread::sleep_for(std::chrono::seconds(2));  // it attaches to every thread
  const std::string text =
      "SELECT COUNT(*) FROM big WHERE REPLACE(REVERSE(filler), 'c', 'x') LIKE '%q%' OR "
      "CONCAT(LEFT(filler, 9), LPAD(id, 9, '0')) = CRC32(filler) OR id % 7 = ROUND(SQRT(id))";
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(8);
  while (std::chrono::steady_clock::now() < end) session.query(text);
  perf.signal(SIGINT);
  static_cast<void>(perf.wait(std::chrono::seconds(20)));
  Samples ours = samples_of(trace.finish(1)), theirs = samples_of_perf(data);
  const double our_all = all(ours), their_all = all(theirs);
  ASSERT_GT(our_all, 300);
  ASSERT_GT(their_all, 300);
  // Rarer ones are a matter of chance. Names that begin with "__" have others that are as good.
  constexpr double kOften = 0.05;
  size_t often = 0;
  for (const std::string& name : heaviest(theirs, 10)) {
    const double our_share = ours[name] / our_all, their_share = theirs[name] / their_all;
    std::printf("%5.1f%% (perf %5.1f%%) %s\n", 100 * our_share, 100 * their_share, name.c_str());
    if (name.starts_with("__") || their_share < kOften) continue;
    ++often;
    // Five standard deviations of the difference of two samples, and what the two do not
    // have in common: perf counts all threads, and from another moment on.
    const double share = (our_share + their_share) / 2;
    const double deviation = std::sqrt(share * (1 - share) * (1 / our_all + 1 / their_all));
    EXPECT_NEAR(our_share, their_share, 5 * deviation + 0.02) << name;
  }
  EXPECT_GE(often, 2);
}

}  // namespace
}  // namespace dbtrace::testing
