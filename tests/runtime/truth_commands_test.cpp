// Every command of many clients appears once, in order, with what is true of it.
#include <functional>
#include <map>
#include <thread>
#include <utility>

#include "tests/runtime/truth.h"

namespace dbtrace::testing {
namespace {

constexpr unsigned kParseError = 1064, kNoSuchTable = 1146, kDuplicateKey = 1062,
                   kAccessDenied = 1142, kNoRightToDatabase = 1044, kUnknownStatement = 1243;

// Rows sent and examined.
struct Counts {
  uint64_t sent = 0;
  uint64_t examined = 0;
};

// For a statement that reads no table MySQL makes up a row, and counts it.
constexpr uint64_t kNoTable = UINT64_MAX;

// A client that writes down what dbtrace has to tell about each of its commands.
class Actor {
 public:
  Actor(const Setting& setting, const Session& session, size_t number)
      : client_(session),
        user_(session.user),
        database_(session.database),
        number_(number),
        setting_(setting) {}

  [[nodiscard]] uint64_t connection_id() const { return client_.connection_id(); }
  [[nodiscard]] const std::vector<Told>& did() const { return did_; }

  // `text` made unlike every other text.
  std::string own(const std::string& text) {
    return text + " /* " + std::to_string(number_) + "." + std::to_string(++texts_) + " */";
  }

  void query(const std::string& statement, Counts rows, unsigned error = 0) {
    const std::string text = own(statement);
    note("Query", text, error, rows);
    EXPECT_EQ(client_.error_of(text), error) << text;
  }

  void prepare_and_execute(const std::string& statement,
                           const std::vector<std::vector<Parameter>>& executions, Counts rows,
                           unsigned error = 0) {
    const std::string text = own(statement);
    note("Prepare", text);
    Statement prepared = client_.prepare(text);
    for (const auto& parameters : executions) {
      note("Execute", text, error, rows);
      EXPECT_EQ(error_of([&] { prepared.execute(parameters); }), error) << text;
    }
  }

  void prepare_in_vain(const std::string& statement, unsigned error) {
    const std::string text = own(statement);
    note("Prepare", text, error);
    EXPECT_EQ(error_of([&] { client_.prepare(text); }), error) << text;
  }

  void execute_in_bulk(const std::string& statement, const std::vector<int64_t>& values) {
    const std::string text = own(statement);
    note("Prepare", text);
    Statement prepared = client_.prepare(text);
    note("BulkExecute", text, 0, Counts{});
    prepared.execute_bulk(values);
  }

  // The server knows no such statement, so there is no text, and nothing was counted.
  void execute_unknown() {
    const std::string text = own("SELECT 1");
    note("Prepare", text);
    const Unique<StatementTraits> statement(::mysql_stmt_init(client_.handle()));
    ASSERT_EQ(::mysql_stmt_prepare(statement.get(), text.data(), text.size()), 0);
    note("Execute", std::nullopt, kUnknownStatement);
    const unsigned long id = std::exchange(statement.get()->stmt_id, 4711ul);
    EXPECT_NE(::mysql_stmt_execute(statement.get()), 0);
    EXPECT_EQ(::mysql_stmt_errno(statement.get()), kUnknownStatement);
    statement.get()->stmt_id = id;
  }

  // The database is the one at the command's begin.
  void use(const std::string& database, unsigned error = 0) {
    note("InitDb", database, error);
    EXPECT_EQ(error_of([&] { client_.select_database(database); }), error);
    if (error == 0) database_ = database;
  }

  void become(const std::string& user, const std::string& database) {
    client_.change_user(user, database);
    user_ = user;
    database_ = database;
  }

  void reset_connection() { client_.reset_connection(); }

 private:
  template <typename Action>
  static unsigned error_of(Action action) {
    try {
      action();
      return 0;
    } catch (const ClientError& failure) {
      return failure.number();
    }
  }

  void note(const std::string& command, const std::optional<std::string>& text, unsigned error = 0,
            const std::optional<Counts>& rows = {}) {
    Told told{.command = command, .text = text, .user = user_, .error = error};
    if (!database_.empty()) told.database = database_;
    if (rows) {
      told.rows_sent = rows->sent;
      told.rows_examined = rows->examined == kNoTable ? setting_.examined_without_table()
                                                     : setting_.examined(rows->examined);
    }
    did_.push_back(told);
  }

  Client client_;
  std::string user_;
  std::string database_;
  size_t number_;
  Setting setting_;
  int texts_ = 0;
  std::vector<Told> did_;
};

using Step = std::function<void(Actor&)>;

// What every client does, in an order of its own. All clients stand in `shop`
// and leave it as it was.
const std::vector<Step>& steps() {
  static const std::vector<Step> all = {
      [](Actor& a) {
        a.query("SELECT 1", {1, kNoTable});
      },
      [](Actor& a) {
        a.query("DO 0", {0, kNoTable});
      },
      [](Actor& a) { a.query("SET @a = 'grüß'", {}); },
      [](Actor& a) {
        a.query("SELECT * FROM shop.numbers WHERE id = 7", {1, 1});
      },
      [](Actor& a) {
        a.query("SELECT * FROM shop.numbers WHERE id <= 37", {37, 37});
      },
      [](Actor& a) {
        a.query("SELECT * FROM shop.numbers WHERE square <= 81", {9, 100});
      },
      [](Actor& a) {
        a.query("SELECT * FROM shop.numbers LIMIT 5", {5, 5});
      },
      [](Actor& a) {
        a.query("SELECT MAX(square) FROM shop.numbers", {1, 100});
      },
      [](Actor& a) {
        a.query("SELECT 1; SELECT * FROM shop.numbers LIMIT 3", {3, 3});
      },
      [](Actor& a) {
        a.query("UPDATE shop.numbers SET square = square WHERE id = 5", {0, 1});
      },
      [](Actor& a) {
        a.query("DELETE FROM shop.numbers WHERE square < 0", {0, 100});
      },
      [](Actor& a) { a.query("INSERT INTO shop.numbers VALUES (1, 1)", {}, kDuplicateKey); },
      [](Actor& a) { a.query("SELEC 1", {}, kParseError); },
      [](Actor& a) { a.query("SELECT * FROM shop.nowhere", {}, kNoSuchTable); },
      [](Actor& a) { a.query("SELECT * FROM mysql.user", {}, kAccessDenied); },
      [](Actor& a) { a.query("SELECT 1; SELEC 2", {}, kParseError); },
      [](Actor& a) { a.prepare_in_vain("SELEC ?", kParseError); },
      [](Actor& a) { a.prepare_in_vain("SELECT * FROM shop.nowhere", kNoSuchTable); },
      [](Actor& a) {
        a.prepare_and_execute("SELECT ?, ?", {{int64_t{1}, "a"}, {2.5, std::monostate{}}},
                              {1, kNoTable});
      },
      [](Actor& a) {
        a.prepare_and_execute("SELECT * FROM shop.numbers WHERE id <= ?",
                              {{int64_t{4}}, {int64_t{4}}, {int64_t{4}}}, {4, 4});
      },
      [](Actor& a) {
        a.prepare_and_execute("INSERT INTO shop.numbers VALUES (?, 0)", {{int64_t{1}}}, {},
                              kDuplicateKey);
      },
      [](Actor& a) { a.execute_unknown(); },
      [](Actor& a) { a.use("nowhere", kNoRightToDatabase); },
      [](Actor& a) { a.use("depot"); },
      [](Actor& a) { a.use("shop"); },
  };
  return all;
}

// What each connection did.
using Doings = std::map<uint64_t, std::vector<Told>>;

// Ends the trace and expects that it told just that. Returns the lines.
std::vector<Line> expect_told(const Doings& done, Trace& trace) {
  size_t count = 0;
  for (const auto& [connection, commands] : done) count += commands.size();
  const std::vector<Line> lines = trace.finish(count);
  Doings told = by_connection(lines);
  for (const auto& [connection, commands] : done) {
    SCOPED_TRACE("connection " + std::to_string(connection));
    expect_same(told[connection], commands);
    told.erase(connection);
  }
  EXPECT_EQ(told, Doings()) << "nobody did this";
  return lines;
}

class Commands : public Truth {
 protected:
  static Actor actor(const std::string& user, const std::string& database = {}, size_t number = 0) {
    return {GetParam(), {.socket = server().socket(), .user = user, .database = database}, number};
  }
};
DBTRACE_EACH_SETTING(Commands);

TEST_P(Commands, OfManyClientsAreToldEachOnceAndTrue) {
  constexpr size_t kActors = 24, kRounds = 3;
  const char* const users[] = {"anna", "bert", "carl"};
  std::vector<Actor> actors;
  for (size_t i = 0; i < kActors; ++i)
    actors.push_back(actor(users[i % 3], i % 2 ? "shop" : "", i));
  Trace trace(server(), as_set());
  std::vector<std::thread> threads;
  for (Actor& actor : actors)
    threads.emplace_back([&actor, first = threads.size()] {
      for (size_t i = 0; i < kRounds * steps().size(); ++i)
        steps()[(first + i) % steps().size()](actor);
    });
  for (std::thread& thread : threads) thread.join();

  Doings done;
  for (const Actor& actor : actors) done[actor.connection_id()] = actor.did();
  const std::vector<Line> lines = expect_told(done, trace);
  EXPECT_GE(lines.size(), kActors * kRounds * steps().size());
  for (const Line& line : lines) {
    EXPECT_EQ(line.text_length.value_or(0), line.told.text.value_or("").size());
    EXPECT_FALSE(line.truncated);
    EXPECT_FALSE(line.in_base64);
  }
}

// The server uses its threads and session objects again for later clients.
TEST_P(Commands, OfManyShortSessionsAreTold) {
  const char* const users[] = {"anna", "bert", "carl", "root"};
  Doings done;
  Trace trace(server(), as_set());
  for (size_t i = 0; i < 200; ++i) {
    Actor visitor = actor(users[i % 4], i % 3 ? "shop" : "", i);
    visitor.query("SELECT CONNECTION_ID()", {1, kNoTable});
    done[visitor.connection_id()] = visitor.did();
  }
  EXPECT_EQ(done.size(), 200u);
  expect_told(done, trace);
}

TEST_P(Commands, AreOfWhomTheSessionBelongsToAtTheTime) {
  Actor anna = actor("anna");
  Trace trace(server(), as_set());
  anna.query("SELECT CURRENT_USER()", {1, kNoTable});
  anna.become("bert", "shop");
  anna.query("SELECT CURRENT_USER()", {1, kNoTable});
  anna.become("carl", "");
  anna.query("SELECT CURRENT_USER()", {1, kNoTable});
  anna.use("depot");
  anna.reset_connection();
  anna.query("SELECT DATABASE()", {1, kNoTable});
  anna.become("anna", "depot");
  anna.prepare_and_execute("SELECT CURRENT_USER()", {{}}, {1, kNoTable});
  expect_told({{anna.connection_id(), anna.did()}}, trace);
}

// MySQL has no such command.
class BulkCommands : public Commands {};
INSTANTIATE_TEST_SUITE_P(Only, BulkCommands,
                         ::testing::Values(Setting{Flavor::MariaDb, false},
                                           Setting{Flavor::MariaDb, true}),
                         setting_name);

TEST_P(BulkCommands, AreTold) {
  client().query("CREATE OR REPLACE TABLE depot.bulk (a INT)");
  Actor anna = actor("anna");
  Trace trace(server(), as_set());
  anna.execute_in_bulk("INSERT INTO depot.bulk VALUES (?)", {1, 2, 3});
  anna.execute_in_bulk("INSERT INTO depot.bulk VALUES (?)", {4, 5});
  anna.query("SELECT * FROM depot.bulk", {5, 5});
  expect_told({{anna.connection_id(), anna.did()}}, trace);
}

}  // namespace
}  // namespace dbtrace::testing
