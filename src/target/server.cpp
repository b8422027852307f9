#include "src/target/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>

#include "src/target/process.h"

namespace dbtrace::target {
namespace {

// A mangled C++ function name begins with "_Z<length><name>".
std::string mangled_prefix(std::string_view function) {
  return fmt::format("_Z{}{}", function.size(), function);
}

const profiles::Profile* profile_of(symbols::Finder& finder) {
  for (const profiles::Profile& profile : profiles::all()) {
    if (!finder.has_symbol_with_prefix(mangled_prefix(profile.dispatch))) continue;
    for (const std::string_view marker : profile.marker_prefixes)
      if (finder.has_symbol_with_prefix(marker)) return &profile;
  }
  return nullptr;
}

// A stripped server keeps its name at least; its symbols may be in a debug file.
const profiles::Profile* profile_by_name(const std::string& executable) {
  const std::string name = std::filesystem::path(executable).filename();
  for (const profiles::Profile& profile : profiles::all())
    if (std::ranges::find(profile.executables, name) != profile.executables.end()) return &profile;
  return nullptr;
}

std::string version_of(uint32_t pid, const profiles::Profile& profile, symbols::Finder& finder) {
  if (profile.version_symbol.empty()) return {};
  const auto address = finder.data_address(profile.version_symbol);
  const auto bias = load_bias(pid, finder.binary().first_address());
  if (!address || !bias) return {};
  return read_string(pid, *address + *bias).value_or("");
}

std::string data_of(uint32_t pid) {
  const std::vector<std::string> arguments = command_line(pid);
  for (const std::string_view option : {"datadir", "socket", "port"})
    if (const auto value = option_value(arguments, option))
      return fmt::format("--{}={}", option, *value);
  return {};
}

Server describe(uint32_t pid, const profiles::Profile& profile, symbols::Finder& finder) {
  Server server;
  server.pid = pid;
  server.profile = &profile;
  server.executable = exe_path(pid).value_or("");
  server.attach_path = exe_link(pid);
  server.deleted = exe_deleted(pid);
  server.version = version_of(pid, profile, finder);
  server.data = data_of(pid);
  return server;
}

Result<symbols::Finder> open_file(const std::string& path, const std::string& name,
                                  const std::string& root) {
  auto binary = symbols::ElfFile::open(path, name);
  if (!binary) return tl::unexpected(binary.error());
  return symbols::Finder::open(std::move(*binary), {.target_root = root, .path_in_root = name});
}

Result<symbols::Finder> open_process(uint32_t pid) {
  return open_file(exe_link(pid), exe_path(pid).value_or(""), fmt::format("/proc/{}/root", pid));
}

Error not_a_server(const std::string& executable) {
  return {fmt::format("{} is not a database server that dbtrace knows", executable),
          "looked for " + what_is_looked_for()};
}

}  // namespace

std::vector<Server> find_servers() {
  std::vector<Server> servers;
  // Many processes share an executable: each file is looked at once.
  std::map<std::pair<uint64_t, uint64_t>, const profiles::Profile*> seen;
  for (const uint32_t pid : list_processes()) {
    const auto inode = exe_inode(pid);
    if (!inode) continue;
    const auto known = seen.find(*inode);
    if (known != seen.end() && !known->second) continue;
    auto finder = open_process(pid);
    if (!finder) continue;
    const profiles::Profile* profile = profile_of(*finder);
    if (!profile) profile = profile_by_name(exe_path(pid).value_or(""));
    seen[*inode] = profile;
    if (profile) servers.push_back(describe(pid, *profile, *finder));
  }
  std::ranges::sort(servers, {}, &Server::pid);
  return servers;
}

Result<Server> server_of_process(uint32_t pid) {
  const auto path = exe_path(pid);
  if (!path) {
    if (::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH)
      return fail(fmt::format("there is no process {}", pid), "`pgrep -a mysqld` or `dbtrace queries` without -p lists servers");
    return fail(fmt::format("cannot look at process {}: {}", pid, std::strerror(errno)),
                "run as root");
  }
  auto finder = open_process(pid);
  if (!finder) return tl::unexpected(finder.error());
  const profiles::Profile* profile = profile_of(*finder);
  if (!profile) profile = profile_by_name(*path);
  if (!profile) return tl::unexpected(not_a_server(fmt::format("process {} ({})", pid, *path)));
  return describe(pid, *profile, *finder);
}

Result<Server> server_of_file(const std::string& path) {
  auto finder = open_file(path, path, "");
  if (!finder) return tl::unexpected(finder.error());
  const profiles::Profile* profile = profile_of(*finder);
  if (!profile) profile = profile_by_name(path);
  if (!profile) return tl::unexpected(not_a_server(path));
  Server server;
  server.profile = profile;
  server.executable = path;
  server.attach_path = path;
  return server;
}

Result<symbols::Finder> open_symbols(const Server& server) {
  if (server.pid) return open_process(server.pid);
  return open_file(server.attach_path, server.executable, "");
}

std::string what_is_looked_for() {
  std::string text;
  for (const profiles::Profile& profile : profiles::all())
    text += fmt::format("{}{} (a program with {} and a symbol that begins {}, or called {})",
                        text.empty() ? "" : "; ", profile.title, profile.dispatch,
                        fmt::join(profile.marker_prefixes, " or "),
                        fmt::join(profile.executables, " or "));
  return text;
}

}  // namespace dbtrace::target
