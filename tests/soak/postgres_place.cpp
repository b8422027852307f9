#include <sys/socket.h>

#include "tests/runtime/postgres.h"
#include "tests/soak/place.h"

namespace dbtrace::testing {
namespace {

using std::to_string;

std::string error_of(const PGresult* result) {
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  return state != nullptr ? state : "";
}

class PostgresPlayer final : public Player {
 public:
  PostgresPlayer(const Postgres& server, unsigned seed, Ledger& ledger)
      : server_(server), dice_(seed), ledger_(ledger), helper_(server) {}

  void session() override {
    PgClient client(server_);
    for (size_t left = 1 + dice_.roll(kLongestSession); left > 0; --left) {
      play(client);
      ledger_.let_follow();
    }
    switch (dice_.roll(6)) {
      case 0:
        is_terminated(client);
        break;
      case 1:
        vanishes(client);
        break;
      default:
        break;  // closes
    }
  }

 private:
  void did(const PgClient& client, Deed deed) {
    ledger_.did(static_cast<uint64_t>(client.pid()), std::move(deed));
  }
  void query(PgClient& client, const std::string& text, std::optional<uint64_t> rows = {}) {
    const std::string error = error_of(client.query(text).get());
    did(client, {"Query", text, error, error.empty() ? rows : std::nullopt});
  }

  void play(PgClient& client) {
    const std::string mark = '\'' + dice_.mark() + '\'', n = to_string(1 + dice_.roll(100));
    switch (dice_.roll(11)) {
      case 0:
        query(client, "select " + mark + ", v from numbers where n = " + n, 1);
        break;
      case 1:
        query(client, "select " + mark + ", count(*) from numbers group by n % 7", 7);
        break;
      case 2:
        query(client, "update numbers set v = " + mark + " where n = " + n, 1);
        break;
      case 3:
        query(client, "select " + mark + " from nosuch");
        break;
      case 4:
        query(client, "selec " + mark);
        break;
      case 5:
        query(client, "select length('" + dice_.long_mark() + "')", 1);
        break;
      case 6:
        query(client, "call tally(" + mark + ", " + n + ")");
        break;
      case 7:
        query(client, "select " + mark + "; select n from numbers; ;", 101);
        break;
      case 8:
        prepared(client, "select " + mark + ", v from numbers where n <= $1::int");
        break;
      case 9:
        with_parameters(client, "select " + mark + ", 100 / $1::int");
        break;
      case 10:
        is_interrupted(client);
        break;
    }
  }

  void prepared(PgClient& client, const std::string& text) {
    client.prepare("", text);  // not shown
    for (const uint64_t rows : {3, 0, 10}) {
      client.execute("", {to_string(rows)});
      did(client, {"Execute", text, "", rows});
    }
  }

  // The server divides when it plans, which is a Bind's business.
  void with_parameters(PgClient& client, const std::string& text) {
    client.with_parameters(text, {"4"});
    did(client, {"Execute", text, "", 1});
    did(client, {"Bind", text, error_of(client.with_parameters(text, {"0"}).get())});
  }

  // Sends what sleeps until somebody ends it, and waits until it does.
  std::string send_to_sleep(PgClient& client) {
    const std::string text = "select '" + dice_.mark() + "', pg_sleep(100)";
    PQsendQuery(client.raw(), text.c_str());
    const std::string asleep =
        "select wait_event from pg_stat_activity where pid = " + to_string(client.pid());
    std::string event;
    while (event != "PgSleep") {
      event = helper_.must(asleep);
      did(helper_, {"Query", asleep, "", 1});
      ledger_.let_follow();
    }
    return text;
  }

  void end(const char* how, const PgClient& client) {
    query(helper_, "select " + std::string(how) + "(" + to_string(client.pid()) + ")", 1);
  }

  void is_interrupted(PgClient& client) {
    const std::string text = send_to_sleep(client);
    end("pg_cancel_backend", client);
    std::string error;
    while (const PgResult result{PQgetResult(client.raw())}) error = error_of(result.get());
    did(client, {"Query", text, error});
  }

  void is_terminated(PgClient& client) {
    did(client, {"Query", send_to_sleep(client), std::nullopt});
    end("pg_terminate_backend", client);
  }

  // Without a word, and the server is told later.
  void vanishes(PgClient& client) {
    did(client, {"Query", send_to_sleep(client), std::nullopt});
    ::shutdown(PQsocket(client.raw()), SHUT_RDWR);
    end("pg_cancel_backend", client);
  }

  const Postgres& server_;
  Dice dice_;
  Ledger& ledger_;
  PgClient helper_;
};

class PostgresPlace final : public Place {
 public:
  // Nothing that the server does of itself.
  PostgresPlace()
      : server_(PostgresBuild::Installed, "autovacuum = off\nmax_parallel_workers_per_gather = 0\n",
                PostgresFile::Own) {
    PgClient client(server_);
    client.must("create table numbers as select n, '-' as v from generate_series(1, 100) n");
    client.must("create index on numbers(n)");
    client.must(
        "create procedure tally(mark text, most int) language plpgsql as $$ begin "
        "for i in 1 .. most / 10 loop update numbers set v = mark where n = i * 10; end loop; "
        "end $$");
  }

  [[nodiscard]] const char* name() const override { return "postgres"; }
  [[nodiscard]] pid_t pid() const override { return server_.pid(); }
  [[nodiscard]] const char* user() const override { return "postgres"; }
  [[nodiscard]] std::unique_ptr<Player> player(unsigned seed, Ledger& ledger) const override {
    return std::make_unique<PostgresPlayer>(server_, seed, ledger);
  }
  [[nodiscard]] std::string sum_of_numbers() const override {
    return PgClient(server_).must("select sum(n) from numbers");
  }

 private:
  Postgres server_;
};

}  // namespace

std::unique_ptr<Place> postgres_place() {
  if (why_unavailable(PostgresBuild::Installed)) return nullptr;
  return std::make_unique<PostgresPlace>();
}

}  // namespace dbtrace::testing
