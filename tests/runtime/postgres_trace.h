// `dbtrace queries` on a PostgreSQL server, from attaching to the account at its end.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/postgres.h"
#include "tests/runtime/truth.h"

namespace dbtrace::testing {

class PostgresTrace {
 public:
  explicit PostgresTrace(const Postgres& server, std::vector<std::string> arguments = {})
      : process_(with_defaults(server, std::move(arguments))) {
    process_.wait_until_attached();
  }

  // The lines once there are `least` of them, or it is clear that there never will be.
  std::vector<nlohmann::json> finish(size_t least) {
    EXPECT_TRUE(process_.wait_for_lines(least)) << process_.output() << process_.errors();
    EXPECT_EQ(process_.stop(), 0) << process_.errors();
    summary_ = summary_of(process_.errors());
    EXPECT_EQ(summary_.lost, 0u) << process_.errors();
    std::vector<nlohmann::json> lines = process_.queries();
    EXPECT_EQ(summary_.shown, lines.size());
    EXPECT_EQ(summary_.seen + summary_.statements,
              summary_.shown + summary_.filtered + summary_.hidden + summary_.lost);
    return lines;
  }
  [[nodiscard]] const Summary& summary() const { return summary_; }
  [[nodiscard]] DbtraceProcess& process() { return process_; }

 private:
  static std::vector<std::string> with_defaults(const Postgres& server,
                                                std::vector<std::string> arguments) {
    std::vector<std::string> all = {"queries", "-p", std::to_string(server.pid()), "--format",
                                    "json"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
  }

  DbtraceProcess process_;
  Summary summary_;
};

// Those of one session.
[[nodiscard]] inline std::vector<nlohmann::json> lines_of(const std::vector<nlohmann::json>& lines,
                                                          pid_t pid) {
  std::vector<nlohmann::json> own;
  for (const nlohmann::json& line : lines)
    if (line.at("pid") == pid) own.push_back(line);
  return own;
}

// "Query select 1 -> 1": command, text, and rows or the error.
[[nodiscard]] inline std::string told(const nlohmann::json& line) {
  std::string text = line.at("command").get<std::string>() + ' ' +
                     (line.at("query").is_null() ? "-" : line.at("query").get<std::string>());
  if (line.contains("sqlstate")) return text + " -> " + line.at("sqlstate").get<std::string>();
  return text + " -> " + line.at("rows_sent").dump();
}

[[nodiscard]] inline std::vector<std::string> told(const std::vector<nlohmann::json>& lines) {
  std::vector<std::string> all;
  for (const nlohmann::json& line : lines) all.push_back(told(line));
  return all;
}

// Tests that run on each build there is.
class OnPostgres : public ::testing::TestWithParam<PostgresBuild> {
 protected:
  void SetUp() override {
    if (const auto why = why_unavailable(GetParam())) GTEST_SKIP() << *why;
  }
  [[nodiscard]] static Postgres& server() { return shared_postgres(GetParam()); }
};

[[nodiscard]] inline std::string test_name(const ::testing::TestParamInfo<PostgresBuild>& build) {
  return build_name(build.param);
}

#define DBTRACE_EACH_POSTGRES(suite)                                                              \
  INSTANTIATE_TEST_SUITE_P(Each, suite,                                                           \
                           ::testing::Values(PostgresBuild::Installed, PostgresBuild::Version18), \
                           test_name)

// The versions besides those, from one on.
[[nodiscard]] inline std::vector<PostgresBuild> others_since(int version) {
  using enum PostgresBuild;
  std::vector<PostgresBuild> builds = {Version13, Version14, Version16, Version17};
  std::erase_if(builds, [&](PostgresBuild build) { return static_cast<int>(build) < version; });
  return builds;
}

#define DBTRACE_OTHER_POSTGRES_SINCE(version, suite) \
  INSTANTIATE_TEST_SUITE_P(Other, suite, ::testing::ValuesIn(others_since(version)), test_name)

}  // namespace dbtrace::testing
