#include "src/model/filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dbtrace::model {
namespace {

using ::testing::HasSubstr;
using std::literals::string_literals::operator""s;

Query select_query() {
  Query query;
  query.duration_ns = 10'000'000;
  query.command = "Query";
  query.connection_id = 8;
  query.user = "app";
  query.database = "shop";
  query.text_state = TextState::Present;
  query.text = "SELECT name\nFROM customers";
  query.text_length = query.text.size();
  query.error = 0;
  return query;
}

FilterOptions with_commands(std::vector<std::string> commands) {
  FilterOptions options;
  options.commands = std::move(commands);
  options.known_commands = {"Query", "Execute", "InitDb", "BulkExecute", "Ping", "Query"};
  return options;
}

bool accepts(const FilterOptions& options, const Query& query) {
  Result<Filter> filter = Filter::create(options);
  EXPECT_TRUE(filter.has_value()) << (filter ? "" : filter.error().message);
  return filter && filter->accepts(query);
}

bool matches(std::string expression, std::string text) {
  FilterOptions options;
  options.match = std::move(expression);
  Query query = select_query();
  query.text = std::move(text);
  return accepts(options, query);
}

TEST(Filter, WithoutCriteriaAcceptsEverything) {
  EXPECT_TRUE(accepts({}, select_query()));
  EXPECT_TRUE(accepts({}, Query{}));
}

TEST(Filter, SlowerThanIncludesTheLimitItself) {
  FilterOptions options;
  options.slower_than_ns = 10'000'000;
  EXPECT_TRUE(accepts(options, select_query()));
  options.slower_than_ns = 10'000'001;
  EXPECT_FALSE(accepts(options, select_query()));
}

TEST(Filter, ErrorsOnlyNeedsAKnownErrorNumber) {
  FilterOptions options;
  options.errors_only = true;
  Query query = select_query();
  EXPECT_FALSE(accepts(options, query));
  query.error.reset();
  EXPECT_FALSE(accepts(options, query));
  query.error = 1146;
  EXPECT_TRUE(accepts(options, query));
}

TEST(Filter, HostIsTheNameOrTheAddress) {
  FilterOptions options;
  options.hosts = {"web1", "10.0.0.9"};
  Query query = select_query();
  EXPECT_FALSE(accepts(options, query));
  query.host = "web1";
  EXPECT_TRUE(accepts(options, query));
  query.host = "web2";
  EXPECT_FALSE(accepts(options, query));
  query.ip = "10.0.0.9";
  EXPECT_TRUE(accepts(options, query));
}

TEST(Filter, UserIsAnyOfExactly) {
  FilterOptions options;
  options.users = {"root", "app"};
  Query query = select_query();
  EXPECT_TRUE(accepts(options, query));
  query.user = "App";
  EXPECT_FALSE(accepts(options, query));
  query.user.reset();
  EXPECT_FALSE(accepts(options, query));
}

TEST(Filter, DatabaseAndConnectionMustBothHold) {
  FilterOptions options;
  options.databases = {"shop"};
  options.connections = {7, 8};
  Query query = select_query();
  EXPECT_TRUE(accepts(options, query));
  query.connection_id = 9;
  EXPECT_FALSE(accepts(options, query));
  query.connection_id.reset();
  EXPECT_FALSE(accepts(options, query));
  query.connection_id = 7;
  query.database.reset();
  EXPECT_FALSE(accepts(options, query));
}

TEST(Filter, CommandNamesComeInManySpellings) {
  Query query = select_query();
  for (const char* name : {"Query", "query", "COM_QUERY", "com_query"}) {
    EXPECT_TRUE(accepts(with_commands({name}), query)) << name;
  }
  EXPECT_FALSE(accepts(with_commands({"Ping"}), query));
  EXPECT_TRUE(accepts(with_commands({"Ping", "Query"}), query));

  query.command = "Execute";
  for (const char* name : {"execute", "COM_STMT_EXECUTE", "stmt_execute", "Stmt Execute"}) {
    EXPECT_TRUE(accepts(with_commands({name}), query)) << name;
  }
  query.command = "InitDb";
  for (const char* name : {"init db", "INIT_DB", "com_init_db", "initdb"}) {
    EXPECT_TRUE(accepts(with_commands({name}), query)) << name;
  }
  query.command = "BulkExecute";
  EXPECT_TRUE(accepts(with_commands({"COM_STMT_BULK_EXECUTE"}), query));
}

TEST(Filter, UnknownCommandIsAnErrorThatListsTheKnownOnes) {
  for (const char* name : {"selekt", "", "COM_", "Quer"}) {
    Result<Filter> filter = Filter::create(with_commands({"Query", name}));
    ASSERT_FALSE(filter.has_value()) << name;
    EXPECT_THAT(filter.error().message, HasSubstr("'" + std::string(name) + "'"));
    EXPECT_EQ(filter.error().hint, "known commands: BulkExecute, Execute, InitDb, Ping, Query");
  }
}

TEST(Filter, MatchIgnoresCaseAndLines) {
  EXPECT_TRUE(matches("select.*from", "SELECT name\nFROM customers"));
  EXPECT_TRUE(matches("^SELECT", "select 1"));
  EXPECT_FALSE(matches("update", "select 1"));
}

TEST(Filter, MatchWorksOnAnyBytes) {
  EXPECT_TRUE(matches("from t", "select '\xff\xfe\0\xe9' from t"s));
  EXPECT_TRUE(matches("\\xff.$", "select \xff\x80"));
  EXPECT_TRUE(matches("\xc3\xa9t\xc3\xa9", "select '\xc3\xa9t\xc3\xa9'"));
}

TEST(Filter, MatchNeedsTextThatCouldBeRead) {
  FilterOptions options;
  options.match = ".*";
  Query query = select_query();
  EXPECT_TRUE(accepts(options, query));
  query.text_state = TextState::Unreadable;
  EXPECT_FALSE(accepts(options, query));
  query.text_state = TextState::None;
  EXPECT_FALSE(accepts(options, query));
}

TEST(Filter, BadExpressionIsAnErrorThatNamesIt) {
  for (const char* expression : {"(", "[a", "*", "(?<=x)y", "((a{900}){900}){900}"}) {
    FilterOptions options;
    options.match = expression;
    Result<Filter> filter = Filter::create(options);
    ASSERT_FALSE(filter.has_value()) << expression;
    EXPECT_THAT(filter.error().message, HasSubstr(expression));
    EXPECT_FALSE(filter.error().hint.empty());
  }
}

// A backtracking engine would take longer than the universe on this.
TEST(Filter, MatchIsLinearOnHostileInput) {
  EXPECT_FALSE(matches("(a+)+$", std::string(65536, 'a') + "b"));
  EXPECT_FALSE(matches("(x+x+)+y", std::string(65536, 'x')));
}

}  // namespace
}  // namespace dbtrace::model
