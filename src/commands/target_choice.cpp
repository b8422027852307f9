#include "src/commands/target_choice.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "src/commands/checks.h"
#include "src/output/escape.h"

namespace dbtrace::commands {

void add_target_options(CLI::App& app, TargetOptions& options) {
  auto* pid = app.add_option("-p,--pid", options.pids, "Server process to trace (repeatable)")
                  ->type_name("PID")
                  ->check(whole_number(1, INT32_MAX));
  app.add_option("--exe", options.executables,
                 "Trace every process of this executable, present and future (repeatable)")
      ->type_name("PATH")
      ->excludes(pid);
}

std::string describe(const target::Server& server) {
  std::string text(server.profile->title);
  if (!server.version.empty()) text += " " + server.version;
  text += server.pid ? fmt::format(" (pid {}, {}", server.pid, server.executable)
                     : fmt::format(" (every process of {}", server.executable);
  if (server.deleted) text += ", replaced on disk since it started";
  if (!server.data.empty()) text += ", " + server.data;
  // A server chooses its own version and command line.
  std::string visible;
  output::append_visible(visible, text + ")");
  return visible;
}

namespace {

// What is named twice would be shown twice.
void drop_repetitions(std::vector<target::Server>& servers) {
  std::vector<target::Server> different;
  for (target::Server& server : servers) {
    const bool known = std::ranges::any_of(different, [&server](const target::Server& other) {
      std::error_code ignored;
      return server.pid == other.pid &&
             std::filesystem::equivalent(server.attach_path, other.attach_path, ignored);
    });
    if (!known) different.push_back(std::move(server));
  }
  servers = std::move(different);
}

}  // namespace

Result<std::vector<target::Server>> choose_servers(const TargetOptions& options) {
  std::vector<target::Server> servers;
  for (const uint32_t pid : options.pids) {
    auto server = target::server_of_process(pid);
    if (!server) return tl::unexpected(server.error());
    servers.push_back(std::move(*server));
  }
  for (const std::string& executable : options.executables) {
    auto server = target::server_of_file(executable);
    if (!server) return tl::unexpected(server.error());
    servers.push_back(std::move(*server));
  }
  drop_repetitions(servers);
  if (!servers.empty()) return servers;

  servers = target::find_servers();
  std::erase_if(servers, [&options](const target::Server& server) {
    return !options.name.empty() &&
           std::filesystem::path(server.executable).filename() != options.name;
  });
  if (servers.empty())
    return fail(fmt::format("no database server {}is running here that dbtrace can see",
                            options.name.empty() ? "" : "called " + options.name + " "),
                "looked for " + target::what_is_looked_for() +
                    "; -p PID or --exe PATH names one, and root sees those of other users");
  if (servers.size() > 1 && !options.several) {
    std::string list;
    for (const target::Server& server : servers) list += "\n  " + describe(server);
    return fail("several database servers are running:" + list, "choose with -p PID (repeatable)");
  }
  return servers;
}

}  // namespace dbtrace::commands
