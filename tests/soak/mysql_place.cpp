#include <sys/socket.h>

#include "tests/runtime/client.h"
#include "tests/runtime/servers.h"
#include "tests/soak/place.h"

namespace dbtrace::testing {
namespace {

using std::to_string;

std::string error_text(unsigned number) { return number == 0 ? "" : to_string(number); }

class MysqlPlayer final : public Player {
 public:
  MysqlPlayer(const Server& server, unsigned seed, Ledger& ledger)
      : server_(server), dice_(seed), ledger_(ledger), helper_(login()) {}

  void session() override {
    Client client(login());
    for (size_t left = 1 + dice_.roll(kLongestSession); left > 0; --left) {
      play(client);
      ledger_.let_follow();
    }
    switch (dice_.roll(6)) {
      case 0:
        is_killed(client);
        break;
      case 1:
        vanishes(client);
        break;
      default:
        break;  // closes
    }
  }

 private:
  [[nodiscard]] Session login() const {
    return {.socket = server_.socket(), .user = "root", .database = "shop"};
  }
  void did(const Client& client, Deed deed) {
    ledger_.did(client.connection_id(), std::move(deed));
  }
  void query(Client& client, const std::string& text, std::optional<uint64_t> rows = {}) {
    const std::string error = error_text(client.error_of(text));
    did(client, {"Query", text, error, error.empty() ? rows : std::nullopt});
  }

  void play(Client& client) {
    const std::string mark = '\'' + dice_.mark() + '\'', n = to_string(1 + dice_.roll(100));
    switch (dice_.roll(11)) {
      case 0:
        query(client, "SELECT " + mark + ", v FROM numbers WHERE n = " + n, 1);
        break;
      case 1:
        query(client, "SELECT " + mark + ", COUNT(*) FROM numbers GROUP BY n % 7", 7);
        break;
      case 2:
        query(client, "UPDATE numbers SET v = " + mark + " WHERE n = " + n);
        break;
      case 3:
        query(client, "SELECT " + mark + " FROM nosuch");
        break;
      case 4:
        query(client, "SELEC " + mark);
        break;
      case 5:
        query(client, "SELECT LENGTH('" + dice_.long_mark() + "')", 1);
        break;
      case 6:
        query(client, "CALL tally(" + mark + ", " + n + ")");
        break;
      case 7:
        query(client, "SELECT " + mark + "; SELECT 2; SELECT n FROM numbers");
        break;
      case 8:
        prepared(client, "SELECT " + mark + ", v FROM numbers WHERE n <= ?");
        break;
      case 9:
        client.select_database("shop");
        did(client, {"InitDb", "shop"});
        break;
      case 10:
        is_interrupted(client);
        break;
    }
  }

  void prepared(Client& client, const std::string& text) {
    Statement statement = client.prepare(text);
    did(client, {"Prepare", text});
    for (const int64_t rows : {3, 0, 10}) {
      statement.execute({rows});
      did(client, {"Execute", text, "", static_cast<uint64_t>(rows)});
    }
  }

  // Sends what sleeps until somebody ends it, and waits until it does.
  std::string send_to_sleep(Client& client) {
    const std::string text = "SELECT '" + dice_.mark() + "', SLEEP(100)";
    client.send(text);
    const std::string asleep =
        "SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'User sleep' AND id = " +
        to_string(client.connection_id());
    std::string count;
    while (count != "1") {
      count = helper_.value(asleep);
      did(helper_, {"Query", asleep, "", 1});
      ledger_.let_follow();
    }
    return text;
  }

  void is_interrupted(Client& client) {
    const std::string text = send_to_sleep(client);
    query(helper_, "KILL QUERY " + to_string(client.connection_id()));
    std::string error;
    try {
      client.receive();
    } catch (const ClientError& why) {
      error = error_text(why.number());
    }
    did(client, {"Query", text, error});
  }

  void is_killed(Client& client) {
    did(client, {"Query", send_to_sleep(client), std::nullopt});
    query(helper_, "KILL " + to_string(client.connection_id()));
  }

  // Without a word, and the server is told later.
  void vanishes(Client& client) {
    did(client, {"Query", send_to_sleep(client), std::nullopt});
    ::shutdown(static_cast<int>(client.handle()->net.fd), SHUT_RDWR);
    query(helper_, "KILL QUERY " + to_string(client.connection_id()));
  }

  const Server& server_;
  Dice dice_;
  Ledger& ledger_;
  Client helper_;
};

class MysqlPlace final : public Place {
 public:
  explicit MysqlPlace(Flavor flavor) : server_({.flavor = flavor}) {
    Client client({.socket = server_.socket()});
    client.query("CREATE DATABASE shop; USE shop; CREATE TABLE numbers(n INT PRIMARY KEY, v TEXT)");
    for (int n = 1; n <= 100; ++n)
      client.query("INSERT INTO numbers VALUES (" + to_string(n) + ", '-')");
    client.query(
        "CREATE PROCEDURE tally(mark TEXT, most INT) BEGIN DECLARE i INT DEFAULT 0; "
        "WHILE i < most DO SET i = i + 10; UPDATE numbers SET v = mark WHERE n = i; END WHILE; "
        "SELECT COUNT(*) FROM numbers WHERE v = mark; END");
  }

  [[nodiscard]] const char* name() const override { return flavor_name(server_.flavor()); }
  [[nodiscard]] pid_t pid() const override { return server_.pid(); }
  [[nodiscard]] const char* user() const override { return "root"; }
  [[nodiscard]] std::unique_ptr<Player> player(unsigned seed, Ledger& ledger) const override {
    return std::make_unique<MysqlPlayer>(server_, seed, ledger);
  }
  [[nodiscard]] std::string sum_of_numbers() const override {
    return Client({.socket = server_.socket()}).value("SELECT SUM(n) FROM shop.numbers");
  }

 private:
  Server server_;
};

}  // namespace

std::vector<std::unique_ptr<Place>> mysql_places() {
  std::vector<std::unique_ptr<Place>> places;
  for (const Flavor flavor : {Flavor::MariaDb, Flavor::MySql})
    if (!why_unavailable(flavor)) places.push_back(std::make_unique<MysqlPlace>(flavor));
  return places;
}

}  // namespace dbtrace::testing
