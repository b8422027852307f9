// Private PostgreSQL servers for the tests, and clients by libpq. Each server has a folder and a
// socket of its own, no network, and trusts whoever comes.
#pragma once

#include <libpq-fe.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/runtime/child_process.h"
#include "tests/runtime/temporary_folder.h"

namespace dbtrace::testing {

enum class PostgresBuild {
  Installed = 0,  // the newest of Debian's packages
  // With symbols, from npm packages: tests/lib/postgres_versions.sh makes them.
  Version13 = 13,
  Version14 = 14,
  Version16 = 16,
  Version17 = 17,
  Version18 = 18,
};

[[nodiscard]] std::string build_name(PostgresBuild build);
// Why such a server cannot be started here, for GTEST_SKIP; nothing if it can.
[[nodiscard]] std::optional<std::string> why_unavailable(PostgresBuild build);

// Whether it runs the build's file or a copy in a folder of its own.
enum class PostgresFile { Shared, Own };

class Postgres {
 public:
  // Starts it and waits until it answers. `settings` are lines of postgresql.conf. Throws
  // std::runtime_error with the end of the log if it does not.
  explicit Postgres(PostgresBuild build, const std::string& settings = {},
                    PostgresFile file = PostgresFile::Shared);
  // Ends it with all its processes.
  ~Postgres();
  Postgres(const Postgres&) = delete;
  Postgres& operator=(const Postgres&) = delete;

  [[nodiscard]] pid_t pid() const { return process_->pid(); }  // the postmaster's
  [[nodiscard]] std::string socket_folder() const { return folder_.path(); }
  [[nodiscard]] const std::filesystem::path& program() const { return program_; }
  [[nodiscard]] std::string log() const { return read_file(folder_.path() / "log"); }
  // For a failure's message; nothing while it runs.
  [[nodiscard]] std::optional<std::string> how_it_ended() const {
    return process_->how_it_ended(folder_.path() / "log");
  }

  // Ends it as an operator would. Throws if it does not end within a minute.
  void stop();
  // Ends the postmaster with SIGKILL; the others notice.
  void kill();
  // Starts it again, after its end, on the same data and socket.
  void start();

 private:
  [[nodiscard]] bool starts();

  TemporaryFolder folder_;
  std::filesystem::path program_;
  std::unique_ptr<ChildProcess> process_;
};

// The server of that build that tests share, with pg_stat_statements; started at first use.
Postgres& shared_postgres(PostgresBuild build);

struct ResultDeleter {
  void operator()(PGresult* result) const { PQclear(result); }
};
using PgResult = std::unique_ptr<PGresult, ResultDeleter>;

class PgClient {
 public:
  // Throws std::runtime_error when it cannot connect.
  explicit PgClient(const Postgres& server, const std::string& database = "postgres",
                    const std::string& user = "postgres", const std::string& application = "test");
  ~PgClient() { PQfinish(connection_); }
  PgClient(const PgClient&) = delete;
  PgClient& operator=(const PgClient&) = delete;

  [[nodiscard]] PGconn* raw() { return connection_; }
  [[nodiscard]] pid_t pid() const { return PQbackendPID(connection_); }
  // Whatever comes of it.
  PgResult query(const std::string& sql) { return PgResult(PQexec(connection_, sql.c_str())); }
  // Throws when it fails. The first value of the last result, "" without one.
  std::string must(const std::string& sql);
  // Parse, bind and execute in one go.
  PgResult with_parameters(const std::string& sql, const std::vector<std::string>& values);
  PgResult prepare(const std::string& name, const std::string& sql) {
    return PgResult(PQprepare(connection_, name.c_str(), sql.c_str(), 0, nullptr));
  }
  PgResult execute(const std::string& name, const std::vector<std::string>& values);

 private:
  PGconn* connection_;
};

}  // namespace dbtrace::testing
