#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "tests/faults/fault.h"

namespace dbtrace::testing {
namespace {

void storm(Scene& scene) {
  constexpr size_t kConnections = 500;
  const auto begin = std::chrono::steady_clock::now();
  scene.load.storm(kConnections);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("  %.0f connections a second\n", kConnections / took.count());
}

void long_statement(Scene& scene) {
  constexpr size_t kLength = 16 * 1024 * 1024;
  const std::string text = "SELECT length('" + std::string(kLength, 'x') + "')";
  const auto conversation = scene.database.connect();
  EXPECT_EQ(conversation->ask(text), std::to_string(kLength));
  EXPECT_EQ(conversation->ask("SELECT 'end'"), "end");
  // Its line, with the first of its text.
  EXPECT_TRUE(wait_until(
      [&] { return scene.dbtrace.output().find("SELECT length('xxx") != std::string::npos; },
      std::chrono::seconds(60)));
}

}  // namespace

std::vector<Fault> client_faults() {
  return {
      {"ConnectionStorm", storm},
      {"StatementOf16MB", long_statement},
      {"StatementOf16MBInLongText", long_statement, {"--max-text", "64k"}},
  };
}

}  // namespace dbtrace::testing
