// `dbtrace top --batch`, and what it says where there is no screen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "tests/runtime/client.h"
#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/servers.h"
#include "tests/runtime/top_load.h"

namespace dbtrace::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TopBatch : public ::testing::TestWithParam<Flavor> {
 protected:
  void SetUp() override {
    if (const auto why = why_unavailable(GetParam())) GTEST_SKIP() << *why;
  }
  static Server& server() { return shared_server(GetParam()); }
  static std::vector<std::string> command(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"top", "--batch", "-p", std::to_string(server().pid())});
    return arguments;
  }
};
INSTANTIATE_TEST_SUITE_P(OnEach, TopBatch, ::testing::Values(Flavor::MariaDb, Flavor::MySql),
                         [](const auto& flavor) { return flavor_name(flavor.param); });

size_t count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// The rate that a page tells of a kind.
double rate_of(const std::string& page, const std::string& kind) {
  const std::regex row("\n +([0-9.]+) [^\n]*" + kind);
  std::smatch found;
  return std::regex_search(page, found, row) ? std::stod(found[1].str()) : -1;
}

TEST_P(TopBatch, PrintsAPageForEachIntervalAndOneOfTheRun) {
  make_shop(server());
  const Load load(server());
  const DbtraceResult result =
      run_dbtrace(command({"--limit", "2", "--interval", "1s", "--sort", "count"}));
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(count(result.output, "of the last 1.0"), 2U) << result.output;
  EXPECT_EQ(count(result.output, "of the whole run"), 1U) << result.output;
  EXPECT_THAT(result.output, Not(HasSubstr("\x1b")));
  EXPECT_THAT(result.output, HasSubstr("SELECT `colour` FROM `goods` WHERE `id` = ?\n"));
  EXPECT_THAT(result.errors, HasSubstr(" 0 lost"));
}

TEST_P(TopBatch, CountsWhatClientsDid) {
  make_shop(server());
  Client client({.socket = server().socket(), .database = "shop"});
  DbtraceProcess dbtrace(command({"--interval", "600s"}));
  dbtrace.wait_until_attached();
  for (int i = 0; i < 300; ++i)
    client.query("SELECT colour FROM goods WHERE id = " + std::to_string(i));
  for (int i = 0; i < 100; ++i) EXPECT_NE(client.error_of("SELECT * FROM nosuch"), 0U);
  EXPECT_EQ(dbtrace.stop(), 0);
  const std::string page = dbtrace.output();
  const double frequent = rate_of(page, "SELECT `colour` FROM `goods`");
  const double failed = rate_of(page, "\\[100 failed\\] SELECT \\* FROM `nosuch`");
  EXPECT_NEAR(frequent / failed, 3, 0.1) << page;
  EXPECT_THAT(dbtrace.errors(), HasSubstr("400 commands seen: 400 counted"));
}

TEST_P(TopBatch, HasOtherPagesAndFilters) {
  make_shop(server());
  const Load load(server());
  DbtraceResult result = run_dbtrace(command({"--limit", "1", "--page", "waits"}));
  EXPECT_THAT(result.output, HasSubstr("\ncpu ")) << result.errors;
  result = run_dbtrace(command({"--limit", "1", "--page", "io"}));
  EXPECT_THAT(result.output, HasSubstr("\nredo ")) << result.errors;
  result = run_dbtrace(command({"--limit", "1", "--no-budget", "--match", "^update"}));
  EXPECT_THAT(result.output, HasSubstr("UPDATE `goods`")) << result.errors;
  EXPECT_THAT(result.output, Not(HasSubstr("SELECT `colour`")));
  EXPECT_THAT(result.output, Not(HasSubstr("TIME"))) << "no budget, no bar";
  result = run_dbtrace(command({"--limit", "1", "--by", "table"}));
  EXPECT_THAT(result.output, HasSubstr(" shop.goods\n")) << result.errors;
}

TEST_P(TopBatch, WhatRunsHasNoSumOfTheRun) {
  const DbtraceResult result =
      run_dbtrace(command({"--limit", "2", "--interval", "1s", "--page", "running"}));
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(count(result.output, " running"), 2U) << result.output;
}

TEST_P(TopBatch, NeedsATerminalOtherwise) {
  const DbtraceResult result = run_dbtrace({"top", "-p", std::to_string(server().pid())});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr("standard output is no terminal"));
  EXPECT_THAT(result.errors, HasSubstr("--batch"));
}

TEST_P(TopBatch, Explains) {
  const DbtraceResult result = run_dbtrace(command({"--explain"}));
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("begin of a command"));
  EXPECT_THAT(result.output, HasSubstr("file I/O"));
}

}  // namespace
}  // namespace dbtrace::testing
