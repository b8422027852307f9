#include "tests/runtime/io.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace dbtrace::testing {

using nlohmann::json;

IoAccount IoAccount::of(const std::string& errors) {
  static const std::regex kSummary(
      R"((\d+) file operations seen: (\d+) (?:counted|shown), (\d+) filtered, (\d+) lost)");
  std::smatch match;
  if (!std::regex_search(errors, match, kSummary))
    throw std::runtime_error("no account in: " + errors);
  return {.seen = std::stoll(match[1]),
          .told = std::stoll(match[2]),
          .filtered = std::stoll(match[3]),
          .lost = std::stoll(match[4])};
}

IoTrace::IoTrace(std::vector<std::string> options)
    : process_([&] {
        options.insert(options.begin(), {"io", "--format", "json"});
        return options;
      }()) {
  process_.wait_until_attached(std::chrono::seconds(120));
}

std::vector<json> IoTrace::finish() {
  EXPECT_EQ(process_.stop(), 0) << process_.errors();
  account_ = IoAccount::of(process_.errors());
  EXPECT_EQ(account_.seen, account_.told + account_.filtered + account_.lost) << process_.errors();
  return process_.queries();
}

json IoTrace::total() {
  const std::vector<json> lines = finish();
  if (lines.empty() || lines.back().at("span") != "total")
    throw std::runtime_error("no total: " + process_.errors());
  return lines.back();
}

int64_t sum_of(const json& table, const std::string& member,
               const std::function<bool(const json& row)>& wanted) {
  int64_t sum = 0;
  for (const json& row : table.at("rows"))
    if (wanted(row)) sum += row.at(member).get<int64_t>();
  return sum;
}

IoPlan::IoPlan(const std::vector<std::string>& lines) {
  std::ofstream file(folder_.path() / "plan");
  for (const std::string& line : lines) file << line << '\n';
}

std::vector<json> IoPlan::results() const {
  std::vector<json> results;
  std::istringstream lines(read_file(folder_.path() / "results"));
  for (std::string line; std::getline(lines, line);) results.push_back(json::parse(line));
  return results;
}

}  // namespace dbtrace::testing
