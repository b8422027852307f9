#include "src/target/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>

namespace dbtrace::target {
namespace {

// A mangled C++ function name begins with "_Z<length><name>", one in a scope with
// "_ZN<length><scope><length><name>".
std::string mangled_prefix(std::string_view function) {
  std::string mangled = function.find("::") == std::string_view::npos ? "_Z" : "_ZN";
  for (size_t end = 0; end != std::string_view::npos;) {
    end = function.find("::");
    const std::string_view part = function.substr(0, end);
    mangled += fmt::format("{}{}", part.size(), part);
    if (end != std::string_view::npos) function.remove_prefix(end + 2);
  }
  return mangled;
}

const profiles::Profile* profile_of(symbols::Finder& finder) {
  for (const profiles::Profile& profile : profiles::all()) {
    const std::string dispatch =
        profile.plain_names ? std::string(profile.dispatch) : mangled_prefix(profile.dispatch);
    if (!finder.has_symbol_with_prefix(dispatch)) continue;
    for (const std::string_view marker : profile.marker_prefixes)
      if (finder.has_symbol_with_prefix(marker)) return &profile;
  }
  return nullptr;
}

const profiles::Profile* profile_by_name(const std::string& executable) {
  const std::string name = std::filesystem::path(executable).filename();
  // The least specific first: what is called mysqld is MySQL unless its symbols
  // say otherwise.
  const auto all = profiles::all();
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const profiles::Profile& profile) {
    return std::ranges::find(profile.executables, name) != profile.executables.end();
  });
  return found == all.rend() ? nullptr : &*found;
}

// The profile of a binary whose symbols say nothing: its debug file may, and
// its name does at least.
const profiles::Profile* profile_of_stripped(symbols::Finder& finder, const std::string& path) {
  const profiles::Profile* by_name = profile_by_name(path);
  if (!by_name) return nullptr;
  (void)finder.functions(by_name->dispatch);  // reads the debug file
  const profiles::Profile* by_symbols = profile_of(finder);
  return by_symbols ? by_symbols : by_name;
}

const profiles::Profile* recognise(symbols::Finder& finder, const std::string& path) {
  const profiles::Profile* profile = profile_of(finder);
  return profile ? profile : profile_of_stripped(finder, path);
}

// What stands behind `prefix` in the file's constants, up to the end of the line.
std::string version_in(const symbols::ElfFile& binary, std::string_view prefix) {
  std::string text = binary.string_with_prefix(prefix);
  text.erase(0, prefix.size());
  return text.substr(0, text.find('\n'));
}

std::string version_of(uint32_t pid, const Proc& proc, const profiles::Profile& profile,
                       symbols::Finder& finder) {
  if (!profile.version_text.empty()) return version_in(finder.binary(), profile.version_text);
  if (profile.version_symbol.empty()) return {};
  const auto address = finder.data_address(profile.version_symbol);
  const auto bias = proc.load_bias(pid, finder.binary().first_address());
  if (!address || !bias || !proc.is_own_memory(pid, *address + *bias)) return {};
  return read_string(pid, *address + *bias).value_or("");
}

Result<symbols::Finder> open_file(const std::string& path, const std::string& name,
                                  const std::string& root) {
  auto binary = symbols::ElfFile::open(path, name);
  if (!binary) return tl::unexpected(binary.error());
  symbols::FinderOptions options;
  options.target_root = root;
  return symbols::Finder::open(std::move(*binary), std::move(options));
}

Result<symbols::Finder> open_process(uint32_t pid, const Proc& proc) {
  return open_file(proc.exe_link(pid), proc.exe_path(pid).value_or(""), proc.root_link(pid));
}

// The process that has started `pid` from its own file; absent: somebody else has.
std::optional<uint32_t> same_file_parent(uint32_t pid, const Proc& proc) {
  const auto parent = proc.parent(pid);
  const auto inode = proc.exe_inode(pid);
  if (!parent || !inode || proc.exe_inode(*parent) != inode) return std::nullopt;
  return parent;
}

// The server that a process is a part of.
uint32_t server_process(uint32_t pid, const Proc& proc, const profiles::Profile& profile) {
  while (profile.forks) {
    const auto parent = same_file_parent(pid, proc);
    if (!parent) break;
    pid = *parent;
  }
  return pid;
}

Server describe(uint32_t pid, const Proc& proc, const profiles::Profile& profile,
                symbols::Finder& finder) {
  Server server;
  server.pid = pid;
  server.profile = &profile;
  server.executable = proc.exe_path(pid).value_or("");
  server.attach_path = proc.exe_link(pid);
  server.root = proc.root_link(pid);
  server.deleted = proc.exe_deleted(pid);
  server.version = version_of(pid, proc, profile, finder);
  server.data = data_options(proc.command_line(pid));
  return server;
}

Error not_a_server(const std::string& executable) {
  return {fmt::format("{} is not a database server that dbtrace knows", executable),
          "looked for " + what_is_looked_for()};
}

Error no_program(uint32_t pid, int error_number) {
  if (::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH)
    return {fmt::format("there is no process {}", pid),
            "`dbtrace queries` without -p lists the servers that run"};
  if (error_number == ENOENT)
    return {fmt::format("process {} runs no program: it has ended or is the kernel's", pid),
            "`dbtrace queries` without -p lists the servers that run"};
  return {fmt::format("cannot look at process {}: {}", pid, std::strerror(error_number)),
          "root with CAP_SYS_PTRACE may: sudo dbtrace …"};
}

}  // namespace

std::string data_options(const std::vector<std::string>& arguments) {
  std::string data;
  for (const std::string_view option : {"datadir", "socket", "port"})
    if (const auto value = option_value(arguments, option))
      data += fmt::format("{}--{}={}", data.empty() ? "" : " ", option, *value);
  // PostgreSQL's spelling.
  const auto folder = std::ranges::find(arguments, "-D");
  if (folder != arguments.end() && folder + 1 != arguments.end())
    data += fmt::format("{}-D {}", data.empty() ? "" : " ", *(folder + 1));
  return data;
}

std::vector<Server> find_servers(const Proc& proc) {
  std::vector<Server> servers;
  // Many processes share an executable: each file is looked at once.
  std::map<std::pair<uint64_t, uint64_t>, const profiles::Profile*> seen;
  for (const uint32_t pid : proc.processes()) {
    const auto inode = proc.exe_inode(pid);
    if (!inode) continue;
    const auto known = seen.find(*inode);
    if (known != seen.end() && !known->second) continue;
    auto finder = open_process(pid, proc);
    if (!finder) continue;
    const profiles::Profile* profile = recognise(*finder, proc.exe_path(pid).value_or(""));
    seen[*inode] = profile;
    if (profile && server_process(pid, proc, *profile) == pid)
      servers.push_back(describe(pid, proc, *profile, *finder));
  }
  std::ranges::sort(servers, {}, &Server::pid);
  return servers;
}

Result<Server> server_of_process(uint32_t pid, const Proc& proc) {
  const auto path = proc.exe_path(pid);
  if (!path) return tl::unexpected(no_program(pid, errno));
  auto finder = open_process(pid, proc);
  if (!finder) return tl::unexpected(finder.error());
  const profiles::Profile* profile = recognise(*finder, *path);
  if (!profile) return tl::unexpected(not_a_server(fmt::format("process {} ({})", pid, *path)));
  return describe(server_process(pid, proc, *profile), proc, *profile, *finder);
}

Result<Server> server_of_file(const std::string& path) {
  auto finder = open_file(path, path, "");
  if (!finder) return tl::unexpected(finder.error());
  const profiles::Profile* profile = recognise(*finder, path);
  if (!profile) return tl::unexpected(not_a_server(path));
  Server server;
  server.profile = profile;
  server.executable = path;
  server.attach_path = path;
  if (!profile->version_text.empty())
    server.version = version_in(finder->binary(), profile->version_text);
  return server;
}

Result<symbols::Finder> open_symbols(const Server& server) {
  return open_file(server.attach_path, server.executable, server.root);
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
