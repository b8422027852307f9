#include "src/target/process.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

#include "symbols/read_file.h"

namespace dbtrace::target {
namespace {

constexpr std::string_view kDeleted = " (deleted)";
// A process can make its command line and its mappings as long as it likes.
constexpr size_t kMostArguments = 64 * 1024, kMostMappings = 16U << 20;

std::optional<std::string> read_link(const std::string& path) {
  std::array<char, 4096> buffer;
  const ssize_t size = ::readlink(path.c_str(), buffer.data(), buffer.size());
  if (size <= 0) return std::nullopt;
  return std::string(buffer.data(), static_cast<size_t>(size));
}

std::string beginning_of(const std::string& path, size_t most) {
  return symbols::read_file(path, most).value_or("");
}

std::optional<uint32_t> parse_pid(std::string_view text) {
  uint32_t pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (error != std::errc() || end != text.data() + text.size() || pid == 0) return std::nullopt;
  return pid;
}

}  // namespace

std::string Proc::file(uint32_t pid, std::string_view name) const {
  return folder_ + "/" + std::to_string(pid) + "/" + std::string(name);
}

std::vector<uint32_t> Proc::processes() const {
  std::vector<uint32_t> pids;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(folder_.c_str()), ::closedir);
  if (!directory) return pids;
  while (const dirent* entry = ::readdir(directory.get())) {
    const std::optional<uint32_t> pid = parse_pid(entry->d_name);
    if (pid && exe_path(*pid)) pids.push_back(*pid);
  }
  return pids;
}

std::string Proc::exe_link(uint32_t pid) const { return file(pid, "exe"); }
std::string Proc::root_link(uint32_t pid) const { return file(pid, "root"); }

std::optional<std::string> Proc::exe_path(uint32_t pid) const {
  std::optional<std::string> path = read_link(exe_link(pid));
  if (path && path->ends_with(kDeleted)) path->resize(path->size() - kDeleted.size());
  return path;
}

bool Proc::exe_deleted(uint32_t pid) const {
  const std::optional<std::string> path = read_link(exe_link(pid));
  return path && path->ends_with(kDeleted);
}

std::optional<std::pair<uint64_t, uint64_t>> Proc::exe_inode(uint32_t pid) const {
  struct stat status {};
  if (::stat(exe_link(pid).c_str(), &status) != 0) return std::nullopt;
  return std::pair<uint64_t, uint64_t>(status.st_dev, status.st_ino);
}

std::vector<std::string> Proc::command_line(uint32_t pid) const {
  std::vector<std::string> arguments;
  std::istringstream bytes(beginning_of(file(pid, "cmdline"), kMostArguments));
  for (std::string argument; std::getline(bytes, argument, '\0');)
    arguments.push_back(std::move(argument));
  return arguments;
}

std::string Proc::title(uint32_t pid) const {
  std::istringstream bytes(beginning_of(file(pid, "cmdline"), kMostArguments));
  std::string title;
  std::getline(bytes, title, '\0');
  title.erase(title.find_last_not_of(' ') + 1);
  return title;
}

std::vector<std::string> Proc::stat(uint32_t pid) const {
  std::ifstream file_stream(file(pid, "stat"));
  std::string text;
  std::getline(file_stream, text);
  // PID (NAME) STATE PARENT …, and a name may hold anything.
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream fields(text.substr(name_end + 1));
  return {std::istream_iterator<std::string>(fields), {}};
}

std::optional<uint32_t> Proc::user(uint32_t pid) const {
  std::ifstream status(file(pid, "status"));
  for (std::string word; status >> word;) {
    uint32_t real = 0, effective = 0;
    if (word == "Uid:" && status >> real >> effective) return effective;
    if (!std::getline(status, word)) break;  // names may hold anything but a line's end
  }
  return std::nullopt;
}

std::optional<uint32_t> Proc::parent(uint32_t pid) const {
  const std::vector<std::string> fields = stat(pid);
  return fields.size() > 1 ? parse_pid(fields[1]) : std::nullopt;
}

uint64_t Proc::processor_time(uint32_t pid) const {
  // Of `fields`, which begin with what proc_pid_stat(5) counts as number 3.
  constexpr size_t kUser = 14 - 3, kTimes = 4;  // user, system, and both of ended children
  static const uint64_t tick_ns = 1'000'000'000 / static_cast<uint64_t>(::sysconf(_SC_CLK_TCK));
  const auto ticks = [this](uint32_t process) {
    const std::vector<std::string> fields = stat(process);
    uint64_t sum = 0;
    for (size_t i = kUser; i < kUser + kTimes && i < fields.size(); ++i)
      sum += std::strtoull(fields[i].c_str(), nullptr, 10);
    return sum;
  };
  uint64_t sum = ticks(pid);
  std::ifstream children(file(pid, "task/" + std::to_string(pid) + "/children"));
  for (uint32_t child = 0; children >> child;) sum += ticks(child);
  return sum * tick_ns;
}

std::optional<std::string> option_value(const std::vector<std::string>& arguments,
                                        std::string_view name) {
  const std::string option = "--" + std::string(name);
  std::optional<std::string> value;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument.starts_with(option + "="))
      value = argument.substr(option.size() + 1);
    else if (argument == option && i + 1 < arguments.size())
      value = arguments[++i];
  }
  return value;
}

std::optional<std::string> read_string(uint32_t pid, uint64_t address) {
  std::array<char, 256> buffer{};
  iovec local{buffer.data(), buffer.size() - 1};
  iovec remote{reinterpret_cast<void*>(address), buffer.size() - 1};
  const ssize_t size = ::process_vm_readv(static_cast<pid_t>(pid), &local, 1, &remote, 1, 0);
  if (size <= 0) return std::nullopt;
  return std::string(buffer.data());
}

std::optional<uint64_t> Proc::load_bias(uint32_t pid, uint64_t first_segment_address) const {
  const auto inode = exe_inode(pid);
  if (!inode) return std::nullopt;
  return symbols::load_bias(mappings(pid), inode->second, first_segment_address);
}

std::vector<symbols::Mapping> Proc::mappings(uint32_t pid) const {
  const std::string text = beginning_of(file(pid, "maps"), kMostMappings);
  return symbols::parse_maps(std::string_view(text).substr(0, text.rfind('\n') + 1));
}

bool Proc::is_own_memory(uint32_t pid, uint64_t address) const {
  const auto inode = exe_inode(pid);
  return inode && std::ranges::any_of(mappings(pid), [&](const symbols::Mapping& mapping) {
           return mapping.start <= address && address < mapping.end &&
                  (mapping.inode == 0 || mapping.inode == inode->second);
         });
}

}  // namespace dbtrace::target
