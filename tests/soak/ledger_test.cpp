// The ledger finds what is missing, wrong, too much, or out of order.
#include "tests/soak/ledger.h"

#include <gtest/gtest.h>

namespace dbtrace::testing {
namespace {

using nlohmann::json;

constexpr size_t kMaxText = 10;

json line_of(const std::string& text, uint64_t connection = 1) {
  return {{"command", "Query"},
          {"conn", connection},
          {"user", "anna"},
          {"query", text.substr(0, kMaxText)},
          {"query_length", text.size()},
          {"truncated", text.size() > kMaxText},
          {"error", 0},
          {"rows_sent", 1}};
}

class LedgerOfAnna : public ::testing::Test {
 protected:
  void did(const std::string& text, uint64_t connection = 1) {
    ledger_.did(connection, {"Query", text, "", 1});
  }
  // What is counted in the end: right, missing, wrong.
  void expect_counts(uint64_t right, uint64_t missing, uint64_t wrong) {
    EXPECT_EQ(ledger_.settled(), missing == 0 && wrong == 0);
    ledger_.close();
    EXPECT_EQ(ledger_.right(), right);
    EXPECT_EQ(ledger_.missing(), missing);
    EXPECT_EQ(ledger_.wrong(), wrong);
    EXPECT_EQ(ledger_.complaints().empty(), missing == 0 && wrong == 0);
  }

  Ledger ledger_{"anna", kMaxText};
};

TEST_F(LedgerOfAnna, LinesMayComeBeforeTheDeedsAreKnownAndConnectionsMixed) {
  ledger_.told(line_of("one"));
  did("of another", 2);
  did("one");
  did("two, a longer one");
  ledger_.told(line_of("two, a longer one"));
  ledger_.told(line_of("of another", 2));
  expect_counts(3, 0, 0);
}

TEST_F(LedgerOfAnna, WhatIsNotToldIsMissing) {
  for (const char* text : {"one", "two", "three", "four"}) did(text);
  ledger_.told(line_of("one"));
  ledger_.told(line_of("three"));
  expect_counts(2, 2, 0);
}

TEST_F(LedgerOfAnna, WhatNobodyDidIsWrong) {
  did("one");
  ledger_.told(line_of("one"));
  ledger_.told(line_of("one"));
  expect_counts(1, 0, 1);
}

TEST_F(LedgerOfAnna, LinesOutOfOrderAreWrong) {
  did("one");
  did("two");
  ledger_.told(line_of("two"));
  ledger_.told(line_of("one"));
  expect_counts(1, 1, 1);
}

TEST_F(LedgerOfAnna, EveryFieldCounts) {
  const std::pair<const char*, json> kFalse[] = {
      {"command", "Execute"}, {"user", "bert"},    {"query", "tw"},  {"query_length", 5},
      {"truncated", true},    {"error", 1146},     {"rows_sent", 2}, {"sqlstate", "42P01"},
      {"query", nullptr},     {"query", "one or"}, {"conn", 2}};
  for (const auto& [member, value] : kFalse) {
    SCOPED_TRACE(member);
    Ledger ledger("anna", kMaxText);
    ledger.did(1, {"Query", "one", "", 1});
    json line = line_of("one");
    line[member] = value;
    ledger.told(line);
    ledger.close();
    EXPECT_EQ(ledger.wrong(), 1U);
    EXPECT_EQ(ledger.missing(), 1U);
  }
}

}  // namespace
}  // namespace dbtrace::testing
