// Private database servers for the tests: each with a folder and a socket of its
// own, no network, root without a password.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/runtime/child_process.h"
#include "tests/runtime/temporary_folder.h"

namespace dbtrace::testing {

enum class Flavor {
  MariaDb,  // the installed one
  MySql,    // Oracle's, version 9, in a chroot: tests/lib/mysql9.sh makes it
  // Other generations: tests/lib/generations.sh makes them.
  MySql56,
  MariaDb11,
};
inline constexpr size_t kFlavors = 4;

// The name that dbtrace's output has for it.
[[nodiscard]] const char* flavor_name(Flavor flavor);

// Why such a server cannot be started here, for GTEST_SKIP; nothing if it can.
[[nodiscard]] std::optional<std::string> why_unavailable(Flavor flavor);

// The server program as seen from here (for MySQL: inside its root).
[[nodiscard]] std::filesystem::path server_program(Flavor flavor);

struct ServerOptions {
  Flavor flavor = Flavor::MariaDb;
  std::vector<std::string> arguments = {};  // come last, so they win
  // Run this copy of the server program instead. Relative to the server's
  // folder(), where `prepare` may have put it.
  std::string program = {};
  // Called with the server's folder before the server starts, if set.
  void (*prepare)(const std::filesystem::path& folder) = nullptr;
};

class Server {
 public:
  // Starts it and waits until it answers. Throws std::runtime_error with the end
  // of the server's log if it does not.
  explicit Server(const ServerOptions& options);
  // Ends the server, however it is, and removes its files.
  ~Server() = default;

  [[nodiscard]] Flavor flavor() const { return flavor_; }
  [[nodiscard]] std::string socket() const { return folder_.path() / "socket"; }
  [[nodiscard]] pid_t pid() const { return process_->pid(); }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  // What the server printed.
  [[nodiscard]] std::string log() const;
  // For a failure's message; nothing while it runs.
  [[nodiscard]] std::optional<std::string> how_it_ended() const {
    return process_->how_it_ended(folder() / "log");
  }

  // Ends it as an operator would. Throws if it does not end within a minute.
  void stop();
  // Ends it with SIGKILL.
  void kill();
  // Starts it again, after its end, on the same data and socket.
  void start();

 private:
  void initialize();

  ServerOptions options_;
  Flavor flavor_;
  TemporaryFolder folder_;
  std::unique_ptr<ChildProcess> process_;  // declared last: ends before its files go
};

// The server that tests share which do not mind what it has been through;
// started at first use, ended with the program. Throws like Server's constructor.
Server& shared_server(Flavor flavor);

}  // namespace dbtrace::testing
