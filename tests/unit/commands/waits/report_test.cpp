#include "src/commands/waits/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace dbtrace::commands {
namespace {

using model::Cause;

void spend(WaitsInterval& interval, Cause cause, uint64_t ns, uint64_t waits = 1) {
  const auto at = static_cast<size_t>(cause);
  interval.sums.ns[at] += ns;
  if (cause != Cause::OnCpu) interval.sums.lengths[at].add(ns / waits, waits);
}

WaitsInterval example() {
  WaitsInterval interval;
  interval.end_ns = 1'700'000'000'123'456'789;
  interval.length_ns = 2'000'000'000;
  interval.queries = 10;
  spend(interval, Cause::OnCpu, 100'000'000);
  spend(interval, Cause::RowLock, 300'000'000, 2);
  interval.sums.now[static_cast<size_t>(Cause::RowLock)] = 4;
  return interval;
}

std::string text_of(const WaitsInterval& interval, bool histograms) {
  std::string out;
  waits_text(histograms, false)->add(interval, out);
  return out;
}

TEST(WaitsText, HeaviestCauseFirstWithShareAndThreads) {
  const std::string text = text_of(example(), false);
  EXPECT_NE(text.find("10 queries, 5/s; 0.20 at work on average\n"), std::string::npos) << text;
  const size_t lock = text.find("  row lock         300ms  75.0%  LLLLLLLLLLLLLLLLLL ");
  const size_t cpu = text.find("  cpu              100ms  25.0%  CCCCCC\n");
  ASSERT_NE(lock, std::string::npos) << text;
  ASSERT_NE(cpu, std::string::npos) << text;
  EXPECT_LT(lock, cpu);
  const std::string line = text.substr(lock, text.find('\n', lock) - lock);
  EXPECT_TRUE(line.ends_with("    4")) << line;  // NOW
  EXPECT_NE(line.find("  2   149ms   149ms   151ms"), std::string::npos)
      << line;  // waits, p50, p99, max
}

TEST(WaitsText, HistogramsOnDemandAndInTheTotal) {
  WaitsInterval interval = example();
  EXPECT_EQ(text_of(interval, false).find('|'), std::string::npos);
  EXPECT_NE(text_of(interval, true).find("2 |####"), std::string::npos);
  interval.total = true;
  EXPECT_NE(text_of(interval, false).find("2 |####"), std::string::npos);
}

TEST(WaitsText, FitsATerminal) {
  for (const size_t width : {80, 90, 200}) {
    const auto report = waits_text(true, false);
    report->set_width(width);
    std::string out;
    report->add(example(), out);
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line);) {
      const auto is_start = [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; };
      EXPECT_LE(std::ranges::count_if(line, is_start), width) << line;
    }
    EXPECT_NE(out.find("  row lock         300ms  75.0%  LLLLL"), std::string::npos) << out;
  }
}

TEST(WaitsText, NothingSpent) {
  WaitsInterval interval;
  interval.length_ns = 1'000'000'000;
  EXPECT_NE(text_of(interval, true).find("(1.00s)  0 queries, 0/s; 0.00 at work on average\n"),
            std::string::npos);
}

TEST(WaitsJson, EveryCauseIsThere) {
  std::string out;
  waits_json()->add(example(), out);
  EXPECT_TRUE(out.starts_with(R"({"span":"interval","end":"2023-11-14T22:13:20.123456789Z",)"
                              R"("length_ns":2000000000,"queries":10,"total_ns":400000000,)"
                              R"("causes":{"on_cpu":{"ns":100000000,"now":0},)"))
      << out;
  EXPECT_NE(out.find(R"("row_lock":{"ns":300000000,"now":4,"waits":2,"p50_ns":)"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find(R"("sleep":{"ns":0,"now":0,"waits":0,"p50_ns":null,)"), std::string::npos);
}

WaitsInterval with_events() {
  WaitsInterval interval = example();
  interval.sums.events[{"IO", "WALSync"}] = {.ns = 1'000'000, .waits = 7};
  interval.sums.events[{"Lock", "tuple"}] = {.ns = 200'000'000, .waits = 2, .now = 3};
  return interval;
}

TEST(WaitsText, EventsOfServersThatNameThem) {
  EXPECT_EQ(text_of(example(), false).find("WAIT EVENT"), std::string::npos);
  EXPECT_NE(text_of(with_events(), false)
                .find("\n\n  WAIT EVENT                                TIME  SHARE     WAITS  NOW\n"
                      "  Lock:tuple                               200ms  50.0%         2    3\n"
                      "  IO:WALSync                              1.00ms   0.2%         7\n"),
            std::string::npos)
      << text_of(with_events(), false);
}

TEST(WaitsJson, EventsOfServersThatNameThem) {
  std::string without, with;
  waits_json()->add(example(), without);
  waits_json()->add(with_events(), with);
  EXPECT_EQ(without.find("wait_events"), std::string::npos);
  EXPECT_TRUE(with.ends_with(
      R"(},"wait_events":[{"type":"Lock","event":"tuple","ns":200000000,"now":3,"waits":2},)"
      R"({"type":"IO","event":"WALSync","ns":1000000,"now":0,"waits":7}]})"
      "\n"))
      << with;
}

TEST(WaitSums, EventsSinceALookBefore) {
  model::WaitSums sums = with_events().sums;
  sums.add(with_events().sums);
  EXPECT_EQ((sums.events.at({"Lock", "tuple"}).now), 6U);
  sums.events[{"Lock", "tuple"}].ns += 5;
  sums.events[{"Timeout", "PgSleep"}].ns = 9;
  sums.nobody_waits();
  model::WaitSums earlier = with_events().sums;
  earlier.add(with_events().sums);
  sums.subtract(earlier);
  ASSERT_EQ(sums.events.size(), 2U) << "what nothing was spent with is gone";
  EXPECT_EQ((sums.events.at({"Lock", "tuple"}).ns), 5U);
  EXPECT_EQ((sums.events.at({"Timeout", "PgSleep"}).ns), 9U);
}

TEST(WaitSums, WhatIsSpentSinceALookBefore) {
  WaitsInterval before = example();
  WaitsInterval now = example();
  spend(now, Cause::RowLock, 5'000, 1);
  now.sums.subtract(before.sums);
  EXPECT_EQ(now.sums.ns[static_cast<size_t>(Cause::RowLock)], 5'000U);
  EXPECT_EQ(now.sums.lengths[static_cast<size_t>(Cause::RowLock)].count(), 1U);
  EXPECT_EQ(now.sums.total_ns(), 5'000U);
}

}  // namespace
}  // namespace dbtrace::commands
