#include "tests/faults/database.h"

#include <signal.h>

#include <fstream>
#include <stdexcept>

#include "tests/runtime/client.h"
#include "tests/runtime/postgres.h"
#include "tests/runtime/servers.h"

namespace dbtrace::testing {
namespace {

namespace fs = std::filesystem;

Flavor flavor_of(Kind kind) { return kind == Kind::MariaDb ? Flavor::MariaDb : Flavor::MySql; }

class MysqlConversation : public Conversation {
 public:
  explicit MysqlConversation(const std::string& socket) : client_({.socket = socket}) {}
  std::string ask(const std::string& text) override { return client_.value(text); }

 private:
  Client client_;
};

template <Kind kind>
void copy_program(const fs::path& folder) {
  fs::copy_file(server_program(flavor_of(kind)), folder / "server");
}

class MysqlDatabase : public Database {
 public:
  explicit MysqlDatabase(Kind kind)
      : server_({.flavor = flavor_of(kind),
                 .arguments = {"--max-allowed-packet=64M"},
                 .program = "server",
                 .prepare = kind == Kind::MariaDb ? &copy_program<Kind::MariaDb>
                                                  : &copy_program<Kind::MySql>}) {
    Client client({.socket = server_.socket()});
    client.query(
        "CREATE DATABASE shop; CREATE TABLE shop.numbers(n INT PRIMARY KEY) ENGINE=InnoDB");
    for (int n = 1; n <= 100; ++n)
      client.query("INSERT INTO shop.numbers VALUES (" + std::to_string(n) + ")");
  }

  [[nodiscard]] pid_t pid() const override { return server_.pid(); }
  [[nodiscard]] std::unique_ptr<Conversation> connect() const override {
    return std::make_unique<MysqlConversation>(server_.socket());
  }
  [[nodiscard]] fs::path program() const override { return server_.folder() / "server"; }
  [[nodiscard]] std::string statement_that_opens_a_file() const override {
    return "SELECT LOAD_FILE('/etc/passwd')";
  }
  [[nodiscard]] std::optional<std::string> how_it_ended() const override {
    return server_.how_it_ended();
  }
  void stop() override { server_.stop(); }
  void kill() override { server_.kill(); }
  void start() override { server_.start(); }

 private:
  Server server_;
};

class PostgresConversation : public Conversation {
 public:
  explicit PostgresConversation(const Postgres& server) : client_(server) {}
  std::string ask(const std::string& text) override { return client_.must(text); }

 private:
  PgClient client_;
};

class PostgresDatabase : public Database {
 public:
  PostgresDatabase() : server_(PostgresBuild::Installed, "", PostgresFile::Own) {
    PgClient client(server_);
    client.must("CREATE SCHEMA shop");
    client.must("CREATE TABLE shop.numbers AS SELECT n FROM generate_series(1, 100) n");
  }

  [[nodiscard]] pid_t pid() const override { return server_.pid(); }
  [[nodiscard]] std::unique_ptr<Conversation> connect() const override {
    return std::make_unique<PostgresConversation>(server_);
  }
  [[nodiscard]] fs::path program() const override { return server_.program(); }
  [[nodiscard]] std::string statement_that_opens_a_file() const override {
    return "SELECT pg_read_file('/etc/passwd')";
  }
  [[nodiscard]] std::optional<std::string> how_it_ended() const override {
    return server_.how_it_ended();
  }
  void stop() override { server_.stop(); }
  void kill() override { server_.kill(); }
  void start() override { server_.start(); }

 private:
  Postgres server_;
};

}  // namespace

std::vector<pid_t> Database::processes() const {
  std::vector<pid_t> all = {pid()};
  const std::string process = std::to_string(pid());
  std::ifstream children("/proc/" + process + "/task/" + process + "/children");
  for (pid_t child = 0; children >> child;) all.push_back(child);
  return all;
}

void Database::signal(int number) const {
  for (const pid_t process : processes()) ::kill(process, number);
}

void Database::replace_program() const {
  const fs::path next = program().string() + ".new";
  fs::copy_file(program(), next);
  fs::rename(next, program());
}

const char* kind_name(Kind kind) {
  constexpr const char* kNames[] = {"MariaDb", "MySql", "Postgres"};
  return kNames[static_cast<size_t>(kind)];
}

std::optional<std::string> why_unavailable(Kind kind) {
  return kind == Kind::Postgres ? why_unavailable(PostgresBuild::Installed)
                                : why_unavailable(flavor_of(kind));
}

std::unique_ptr<Database> make_database(Kind kind) {
  if (kind == Kind::Postgres) return std::make_unique<PostgresDatabase>();
  return std::make_unique<MysqlDatabase>(kind);
}

}  // namespace dbtrace::testing
