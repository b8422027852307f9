// Database servers among the running processes, recognised by what their
// executable contains, not by what it is called.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiles/profile.h"
#include "src/target/process.h"
#include "symbols/finder.h"
#include "symbols/result.h"

namespace dbtrace::target {

// A server to trace: one process, or (pid 0) every process of one file.
struct Server {
  uint32_t pid = 0;
  const profiles::Profile* profile = nullptr;
  std::string executable;   // Proc::exe_path() or the user's path
  std::string attach_path;  // opens the very file that runs: "/proc/PID/exe" or the user's path
  std::string root;         // "/proc/PID/root"; "" for every process of a file
  bool deleted = false;     // the file was replaced or removed since the process started
  std::string version;      // read from the process; "" when it cannot be known
  std::string data;         // "--datadir=… --socket=… --port=…", "-D …", as far as its command line has them
};

// All servers that run on this machine and may be looked at, by ascending pid.
[[nodiscard]] std::vector<Server> find_servers(const Proc& proc = Proc());

// The server with this pid, or that has started it, if it is one of several processes of a
// server. Errors: no such process, not permitted, not a
// server that any profile knows (says what was looked for).
[[nodiscard]] Result<Server> server_of_process(uint32_t pid, const Proc& proc = Proc());

// Every present and future process of the file `path`.
[[nodiscard]] Result<Server> server_of_file(const std::string& path);

// Server::data of a process with such a command line.
[[nodiscard]] std::string data_options(const std::vector<std::string>& arguments);

// The symbols of a server's executable and of its debug files, which are looked
// for inside its own root first.
[[nodiscard]] Result<symbols::Finder> open_symbols(const Server& server);

// "mysqld, mariadbd, …": what find_servers() looks for, for messages.
[[nodiscard]] std::string what_is_looked_for();

}  // namespace dbtrace::target
