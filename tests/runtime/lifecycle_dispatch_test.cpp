// What the stub servers dispatch, and what dbtrace says of it: every parameter
// list, unreadable texts, commands inside commands, commands that are put aside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/account.h"
#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/stub_server.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

// The fields of a query that a stub decides; null where it has none.
struct Shown {
  std::string command;
  json text;
  uint64_t connection = 0;
  json error = nullptr;
  json rows_sent = nullptr;

  bool operator==(const Shown&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const Shown& shown) {
    return out << shown.command << ' ' << shown.text << " of " << shown.connection << ", error "
               << shown.error << ", rows " << shown.rows_sent;
  }
};

const json kUnreadable = "(unreadable)";

std::vector<Shown> shown(const std::vector<json>& queries) {
  std::vector<Shown> result;
  for (const json& query : queries)
    result.push_back({.command = query["command"],
                      .text = query.contains("query_unreadable") ? kUnreadable : query["query"],
                      .connection = query["conn"],
                      .error = query["error"],
                      .rows_sent = query["rows_sent"]});
  return result;
}

// What a stub dispatches while it is traced.
struct Traced {
  std::vector<json> queries;
  Account account;
};
Traced trace(StubServer& server, const std::vector<std::string>& options = {},
             void (StubServer::*work)() = &StubServer::run_script) {
  std::vector<std::string> arguments = {"queries", "--format", "json", "-p", server.pid_text()};
  arguments.insert(arguments.end(), options.begin(), options.end());
  DbtraceProcess dbtrace(arguments);
  dbtrace.wait_until_attached();
  (server.*work)();
  EXPECT_EQ(dbtrace.stop(), 0);
  return {dbtrace.queries(), Account::of(dbtrace.errors())};
}

const std::vector<Shown> kComData = {
    {"Query", "SELECT 'first'", 201, nullptr, 3},
    {"Query", "SELECT 32", 201, nullptr, 3},
    {"Prepare", "SELECT ?", 201},
    {"Execute", "SELECT ?", 201, nullptr, 3},
    {"InitDb", "shop", 201},
    {"Query", kUnreadable, 201, nullptr, 3},  // no text, but a length
    {"Query", "", 201, nullptr, 3},           // no text, no length
    {"Query", kUnreadable, 201, nullptr, 3},  // the packet is not there
    {"Query", "SELECT 'edge'", 201, nullptr, 3},
    {"Query", kUnreadable, 201, nullptr, 3},  // reaches beyond the process's memory
    {"Query", "SELECT 'last'", 201, nullptr, 3},
};

const std::vector<Shown> kRawPacket = {
    {"Query", "SELECT 'first'", 101}, {"Query", "", 101},          {"InitDb", "shop", 101},
    {"FieldList", "orders", 101},     {"Query", kUnreadable, 101}, {"Query", kUnreadable, 101},
    {"Query", "SELECT 'last'", 101},
};

const std::vector<Shown> kSuspending = {
    {"Query", "SELECT 'inner'", 302, 0},     {"Query", "SELECT 'outer'", 301, 1064},
    {"Query", "SELECT 'meanwhile'", 304, 0}, {"Query", "INSERT 'put aside'", 303, 1205},
    {"Query", "SELECT 'last'", 301, 0},
};

struct Case {
  std::string name;
  std::string program;
  std::string flavor;
  std::vector<Shown> expected;
  uint64_t hidden;      // commands without text
  uint64_t unreadable;  // of those shown
};

class Stub : public ::testing::TestWithParam<std::tuple<Case, std::string>> {};

INSTANTIATE_TEST_SUITE_P(
    Every, Stub,
    ::testing::Combine(
        ::testing::Values(Case{"RawPacket", "raw_packet/mysqld", "mysql", kRawPacket, 1, 2},
                          Case{"RawPacketWithDebugFile", "raw_packet_split/mysqld", "mysql",
                               kRawPacket, 1, 2},
                          Case{"ComData", "com_data/renamed-server", "mysql", kComData, 1, 3},
                          Case{"ComDataWithoutLibraries", "static/mysqld", "mysql", kComData, 1, 3},
                          Case{"Suspending", "suspending/mariadbd", "mariadb", kSuspending, 0, 0}),
        ::testing::Values("multi", "perf")),
    [](const auto& each) {
      return std::get<0>(each.param).name + "By_" + std::get<1>(each.param);
    });

TEST_P(Stub, IsShownAsItDispatches) {
  const auto& [what, mechanism] = GetParam();
  StubServer server(what.program);
  const Traced traced = trace(server, {"--attach", mechanism});
  EXPECT_THAT(shown(traced.queries), ElementsAreArray(what.expected));
  for (const json& query : traced.queries) {
    EXPECT_EQ(query["pid"], server.pid());
    EXPECT_EQ(query["flavor"], what.flavor);
  }
  EXPECT_EQ(traced.account.shown, what.expected.size());
  EXPECT_EQ(traced.account.hidden, what.hidden);
  EXPECT_EQ(traced.account.seen, what.expected.size() + what.hidden);
  EXPECT_EQ(traced.account.lost, 0U);
  EXPECT_EQ(traced.account.class_named("read failed"), what.unreadable);
}

TEST(Suspended, IsOneCommandOfTheThreadThatEndsIt) {
  StubServer server("suspending/mariadbd");
  const std::vector<json> queries = trace(server).queries;
  ASSERT_EQ(queries.size(), kSuspending.size());
  const json& meanwhile = queries[2];
  const json& aside = queries[3];
  EXPECT_NE(aside["tid"], server.pid());
  EXPECT_EQ(meanwhile["tid"], server.pid());
  // It began before what came in between, and lasted until after that.
  EXPECT_LT(aside["start"].get<std::string>(), meanwhile["start"].get<std::string>());
  EXPECT_GT(aside["duration_ns"].get<uint64_t>(), meanwhile["duration_ns"].get<uint64_t>());
}

TEST(Session, CarriesItsNames) {
  StubServer server("suspending/mariadbd");
  for (const json& query : trace(server).queries) {
    EXPECT_EQ(query["user"], "anna");
    EXPECT_EQ(query["host"], "db.example");
    EXPECT_EQ(query["db"], "shop");
  }
}

// Commands nested deeper than there is room for are counted as lost; those
// around them are shown as they were.
TEST(Nesting, TooDeepIsLostButNeverMixedUp) {
  StubServer server("suspending/mariadbd");
  const Traced traced = trace(server, {}, &StubServer::run_load);
  EXPECT_THAT(shown(traced.queries), ElementsAreArray(std::vector<Shown>{
                                         {"Query", "DO 4", 304, 0},
                                         {"Query", "DO 3", 303, 0},
                                         {"Query", "DO 2", 302, 0},
                                         {"Query", "DO 1", 301, 0},
                                         {"Query", "DO 0", 300, 0},
                                         {"Query", "SELECT 'after'", 300, 0},
                                     }));
  EXPECT_EQ(traced.account.lost, 2U);
  EXPECT_EQ(traced.account.seen, 8U);
}

// With room for one that waits for those inside.
TEST(Nesting, BeyondTheTablesIsLostButNeverMixedUp) {
  StubServer server("suspending/mariadbd");
  const Traced traced = trace(server, {"--table-entries", "1"}, &StubServer::run_load);
  EXPECT_THAT(shown(traced.queries), ElementsAreArray(std::vector<Shown>{
                                         {"Query", "DO 1", 301, 0},
                                         {"Query", "DO 0", 300, 0},
                                         {"Query", "SELECT 'after'", 300, 0},
                                     }));
  EXPECT_EQ(traced.account.lost, 5U);
  EXPECT_EQ(traced.account.seen, 8U);
}

TEST(RowsExamined, AreTheCommandsOwn) {
  StubServer server("com_data/renamed-server");
  for (const json& query : trace(server).queries) {
    const bool counts = query["command"] == "Query" || query["command"] == "Execute";
    EXPECT_EQ(query["rows_examined"], counts ? json(30) : json()) << query;
  }
}

// Refusals: no garbage is ever printed.
struct Refusal {
  std::string name;
  std::string program;
  std::vector<std::string> says;
};

class Refused : public ::testing::TestWithParam<Refusal> {};

INSTANTIATE_TEST_SUITE_P(
    Each, Refused,
    ::testing::Values(Refusal{"WithoutDispatcher",
                              "no_dispatch/mysqld",
                              {"no_dispatch/mysqld has no function dispatch_command",
                               "looked in .dynsym (", "debug file /usr/lib/debug/.build-id/"}},
                      Refusal{"WithUnknownParameters",
                              "unknown_shape/mysqld",
                              {"dispatch_command(THD*, Request const&, long)", "expected one of:",
                               "dispatch_command(THD*, COM_DATA const*, enum_server_command)",
                               "dispatch_command(enum_server_command, THD*, char*, unsigned int)"}},
                      Refusal{"WithOthersOfThatName",
                              "other_dispatch/mysqld",
                              {"other_dispatch/mysqld has no function dispatch_command",
                               "not taken: xpl::dispatch_command(THD*, int)"}}),
    [](const auto& each) { return each.param.name; });

TEST_P(Refused, SaysWhatWasFoundAndWhatWasExpected) {
  StubServer server(GetParam().program);
  const DbtraceResult result = run_dbtrace({"queries", "-p", server.pid_text()});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.output, "");
  for (const std::string& part : GetParam().says) EXPECT_THAT(result.errors, HasSubstr(part));
}

}  // namespace
}  // namespace dbtrace::testing
