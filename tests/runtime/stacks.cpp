#include "tests/runtime/stacks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace dbtrace::testing {

using nlohmann::json;

StackTrace::StackTrace(pid_t server, const std::vector<std::string>& options)
    : process_([&] {
        std::vector<std::string> all = {"stacks", "--format", "json", "-p", std::to_string(server)};
        all.insert(all.end(), options.begin(), options.end());
        return all;
      }()) {
  process_.wait_until_attached(std::chrono::seconds(120));
}

std::vector<json> StackTrace::finish(size_t least) {
  EXPECT_TRUE(process_.wait_for_lines(least)) << process_.errors();
  EXPECT_EQ(process_.stop(), 0) << process_.errors();
  return process_.queries();
}

std::vector<std::string> names_of(const json& stack) {
  std::vector<std::string> names;
  for (const json& frame : stack.at("frames")) names.push_back(frame.at("name"));
  return names;
}

int64_t ns_in(const json& query, const std::string& function, const std::string& cause) {
  int64_t sum = 0;
  for (const json& stack : query.at("stacks"))
    if ((cause.empty() || stack.at("cause") == cause) &&
        std::ranges::count(names_of(stack), function) > 0)
      sum += stack.at("ns").get<int64_t>();
  return sum;
}

int64_t ns_of_stacks(const json& query, const std::string& cause) {
  int64_t sum = 0;
  for (const json& stack : query.at("stacks"))
    if (cause.empty() || stack.at("cause") == cause) sum += stack.at("ns").get<int64_t>();
  return sum;
}

}  // namespace dbtrace::testing
