#include "tests/faults/recordings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/recording.h"

namespace dbtrace::testing {
namespace {

// A number that `sql` asks for.
uint64_t number(const std::string& file, const std::string& sql) {
  return std::stoull(asked(file, sql));
}

// What the load sends, and nothing else.
struct Sent {
  uint64_t number = 0;
  uint64_t at_ns = 0;
};
bool parse(const std::string& text, Sent& sent) {
  unsigned long long number = 0, at_ns = 0;
  int head = 0;
  if (std::sscanf(text.c_str(), "SELECT %llu, %llu, '%n", &number, &at_ns, &head) != 2)
    return false;
  sent = {number, at_ns};
  constexpr size_t kFiller = 300;
  return text.substr(static_cast<size_t>(head)) == std::string(kFiller, '0') + "'";
}

void expect_sent(const std::string& file, std::vector<Sent>& all) {
  std::istringstream rows(asked(
      file, "select start_ns || ' ' || (start_ns + duration_ns) || ' ' || text from queries"));
  for (std::string row; std::getline(rows, row);) {
    std::istringstream columns(row);
    uint64_t begin_ns = 0, end_ns = 0;
    std::string text;
    columns >> begin_ns >> end_ns;
    std::getline(columns.ignore(), text);
    Sent sent;
    ASSERT_TRUE(parse(text, sent)) << row;
    // In the order in which they were sent, and not before that; the clocks that tell differ by
    // a little.
    constexpr uint64_t kClocks_ns = 100'000'000;
    EXPECT_GE(begin_ns + kClocks_ns, sent.at_ns) << row;
    EXPECT_GE(end_ns, begin_ns) << row;
    if (!all.empty()) {
      ASSERT_GT(sent.number, all.back().number) << "twice, or out of order: " << row;
      EXPECT_GT(sent.at_ns, all.back().at_ns) << row;
    }
    all.push_back(sent);
  }
}

void expect_readable(const std::string& file, uint64_t queries) {
  const DbtraceResult counted = run_dbtrace({"histogram", "--from", file, "--format", "json"});
  ASSERT_EQ(counted.exit_code, 0) << counted.errors;
  EXPECT_EQ(nlohmann::json::parse(counted.output).at("count"), queries) << counted.output;
}

}  // namespace

std::vector<std::string> recordings_in(const std::filesystem::path& folder) {
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string name = file.path();
    if (!name.ends_with("-journal") && !name.ends_with("-new")) files.push_back(name);
  }
  std::ranges::sort(files, std::greater());
  return files;
}

Recorded expect_sound(const std::vector<std::string>& files) {
  std::vector<Sent> all;
  uint64_t lost = 0;
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    try {
      const size_t before = all.size();
      EXPECT_EQ(asked(file, "pragma integrity_check"), "ok\n");
      expect_sent(file, all);
      expect_readable(file, all.size() - before);
      EXPECT_EQ(number(file, "select count(*) from query"), all.size() - before);
      EXPECT_EQ(number(file, "select count(*) from recording"), 1U);
      EXPECT_EQ(number(file,
                       "select count(*) from queries where on_cpu_ns is null or duration_ns <>"
                       " on_cpu_ns + runqueue_ns + file_read_ns + file_write_ns + fsync_ns +"
                       " locks_ns + network_ns + sleep_ns + other_ns + unexplained_ns"),
                0U);
      lost += number(file, "select coalesce(sum(count), 0) from loss");
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
  if (all.empty()) return {};
  const uint64_t span = all.back().number - all.front().number + 1;
  EXPECT_LE(span - all.size(), lost);
  return {.queries = all.size(), .latest_ns = all.back().at_ns};
}

}  // namespace dbtrace::testing
