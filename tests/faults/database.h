// The three kinds of servers as the campaign uses them: they can be asked, killed, started again
// and replaced. Each runs a copy of its program: probes go into a file, so the servers of others
// who trace at the same time would be seen here.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dbtrace::testing {

class Conversation {
 public:
  virtual ~Conversation() = default;
  // The first value of the answer. Throws std::runtime_error when there is none.
  virtual std::string ask(const std::string& text) = 0;
};

class Database {
 public:
  virtual ~Database() = default;

  // Of the process that is named to dbtrace.
  [[nodiscard]] virtual pid_t pid() const = 0;
  // Throws std::runtime_error when it cannot connect. May be called by any thread.
  [[nodiscard]] virtual std::unique_ptr<Conversation> connect() const = 0;
  [[nodiscard]] virtual std::filesystem::path program() const = 0;
  // A statement that opens a file of the server's host; its answer does not matter.
  [[nodiscard]] virtual std::string statement_that_opens_a_file() const = 0;

  // For a failure's message; nothing while it runs.
  [[nodiscard]] virtual std::optional<std::string> how_it_ended() const = 0;

  // As an operator would; with SIGKILL; again, on the same data. Call them from the thread that
  // made it. They throw std::runtime_error.
  virtual void stop() = 0;
  virtual void kill() = 0;
  virtual void start() = 0;

  // That process and those it has started.
  [[nodiscard]] std::vector<pid_t> processes() const;
  void signal(int number) const;
  // Puts another file of the same content in its program's place, as an upgrade does.
  void replace_program() const;
};

enum class Kind { MariaDb, MySql, Postgres };
inline constexpr Kind kKinds[] = {Kind::MariaDb, Kind::MySql, Kind::Postgres};
[[nodiscard]] const char* kind_name(Kind kind);
// Why there is no such server here; nothing if there is.
[[nodiscard]] std::optional<std::string> why_unavailable(Kind kind);
// Starts one that has the table `numbers` (n: 1 to 100).
[[nodiscard]] std::unique_ptr<Database> make_database(Kind kind);

}  // namespace dbtrace::testing
