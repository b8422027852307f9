#include "src/report/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "src/output/utf8.h"
#include "tests/unit/report/samples.h"

namespace dbtrace::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const About& about, const Collector& collector) {
  std::string text;
  append_text(about, collector, text);
  return text;
}

void expect_that_it_fits(const std::string& text) {
  std::istringstream lines(text);
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    size_t columns = 0;
    for (const char c : line) columns += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    EXPECT_LE(columns, kTextColumns) << line;
  }
  EXPECT_LE(count, kTextLines) << text;
}

// All losses, many servers, an incident: as much as there can be.
About everything() {
  About all = about(600);
  for (int i = 0; i < 5; ++i) all.servers.push_back(all.servers.front());
  all.incidents = {{kBegin, "p99 > 200ms", "312ms"}, {kBegin, "running > 10s", "11s"}};
  all.finished = false;
  all.sampled = true;
  all.summed_up = 17;
  for (const char* name : {"lost_ring_full", "lost_map_full", "lost_orphaned", "lost_malformed",
                           "texts_unreadable", "budgets_lost", "stacks_lost"})
    all.counters[name] = 3;
  return all;
}

TEST(ReportText, FitsAMail) {
  expect_that_it_fits(text_of(everything(), shop(30'000)));
  expect_that_it_fits(text_of(hostile_about(), hostile()));
}

TEST(ReportText, SaysWhatTheNumbersAre) {
  const std::string text = text_of(about(600), shop(30'000));
  EXPECT_THAT(
      text, HasSubstr("MariaDB 10.11.19 (pid 4006, /usr/sbin/mariadbd, --datadir=/var/lib/mysql)"));
  EXPECT_THAT(text, HasSubstr("30000 queries of 6 kinds, 50.0/s; 100 errors;"));
  EXPECT_THAT(text, HasSubstr("UPDATE `stock` SET `n` = `n` - ?"));
  EXPECT_THAT(text, HasSubstr("shop.orders"));
  EXPECT_THAT(text, HasSubstr("IO:Datashop.stock"));
  EXPECT_THAT(text, HasSubstr("idle in transaction after "));
  EXPECT_THAT(text, HasSubstr("Nothing was lost."));
}

TEST(ReportText, SaysWhatIsMissingAndWhatThatMeans) {
  const std::string text = text_of(everything(), shop(100));
  EXPECT_THAT(text, HasSubstr("cut off, or still being written: later queries are not in it"));
  EXPECT_THAT(text,
              HasSubstr("3 commands lost: dbtrace was too slow to take them: counts and times"));
  EXPECT_THAT(text, Not(HasSubstr("Nothing was lost.")));
}

TEST(ReportText, OfAnEmptyRecordingSaysThatThereIsNothing) {
  Collector none = collector(10);
  finish(none);
  const std::string text = text_of(about(10), none);
  EXPECT_THAT(text, HasSubstr("0 queries of 0 kinds, 0.0/s; 0 errors"));
  EXPECT_THAT(text, Not(HasSubstr("KIND")));
}

TEST(ReportText, HoldsNoControlCharacters) {
  const std::string text = text_of(hostile_about(), hostile());
  for (const char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << text;
}

}  // namespace
}  // namespace dbtrace::report
