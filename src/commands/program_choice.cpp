#include "src/commands/program_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <vector>

namespace dbtrace::commands {
namespace {

namespace fs = std::filesystem;

std::optional<uint32_t> parse_pid(const std::string& text) {
  uint32_t pid = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, pid);
  if (result.ec != std::errc() || result.ptr != end || pid == 0) return std::nullopt;
  return pid;
}

Result<Program> program_of_process(uint32_t pid, const target::Proc& proc) {
  const auto path = proc.exe_path(pid);
  if (!path)
    return fail(
        fmt::format("there is no process {} that runs a program, or it may not be looked at", pid),
        "root with CAP_SYS_PTRACE may look at every process");
  return Program{pid, *path, proc.exe_link(pid), proc.root_link(pid)};
}

bool is_called(uint32_t pid, const std::string& name, const target::Proc& proc) {
  const auto path = proc.exe_path(pid);
  if (path && fs::path(*path).filename() == name) return true;
  const auto arguments = proc.command_line(pid);
  return !arguments.empty() && fs::path(arguments.front()).filename() == name;
}

// Where a program that does not run could lie.
std::string hint_for(const std::string& name) {
  for (const std::string_view folder :
       {".", "/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"}) {
    const std::string path = fmt::format("{}/{}", folder, name);
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return fmt::format("the file {} can be named", path);
  }
  return "name a process id or, with a '/', a file";
}

Result<Program> program_of_name(const std::string& name, const target::Proc& proc) {
  std::vector<uint32_t> pids;
  std::set<std::pair<uint64_t, uint64_t>> files;
  for (const uint32_t pid : proc.processes()) {
    if (!is_called(pid, name, proc)) continue;
    const auto inode = proc.exe_inode(pid);
    if (inode && files.insert(*inode).second) pids.push_back(pid);
  }
  if (pids.empty())
    return fail(fmt::format("no running program is called {}", name), hint_for(name));
  if (pids.size() == 1) return program_of_process(pids.front(), proc);
  std::string list;
  for (const uint32_t pid : pids)
    list += fmt::format("\n  {} ({})", pid, proc.exe_path(pid).value_or(""));
  return fail(fmt::format("several running programs are called {}:{}", name, list),
              "name one by its process id");
}

}  // namespace

Result<Program> choose_program(const std::string& typed, const target::Proc& proc) {
  if (const auto pid = parse_pid(typed)) return program_of_process(*pid, proc);
  if (typed.find('/') != std::string::npos) return Program{0, typed, typed, ""};
  return program_of_name(typed, proc);
}

Result<symbols::Finder> open_symbols(const Program& program, symbols::FinderOptions options) {
  auto binary = symbols::ElfFile::open(program.attach_path, program.name);
  if (!binary) return tl::unexpected(std::move(binary.error()));
  options.target_root = program.root;
  return symbols::Finder::open(std::move(*binary), std::move(options));
}

}  // namespace dbtrace::commands
