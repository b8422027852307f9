#include "src/target/succession.h"

#include <sys/stat.h>

#include <algorithm>
#include <vector>

namespace dbtrace::target {

Succession::Succession(const Server& server, const Proc& proc)
    : executable_(server.executable), data_(server.data), user_(proc.user(server.pid)) {
  for (const uint32_t pid : proc.processes())
    if (fits(pid, proc)) known_.insert(pid);
  known_.insert(server.pid);
}

bool Succession::fits(uint32_t pid, const Proc& proc) const {
  return proc.exe_path(pid) == executable_ && proc.user(pid) == user_ &&
         data_options(proc.command_line(pid)) == data_;
}

std::optional<uint32_t> Succession::next(const Proc& proc) {
  const std::vector<uint32_t> pids = proc.processes();
  // An id may be used again.
  std::erase_if(known_, [&pids](uint32_t pid) { return std::ranges::count(pids, pid) == 0; });
  for (const uint32_t pid : pids)
    if (!known_.contains(pid) && fits(pid, proc)) {
      known_.insert(pid);
      return pid;
    }
  return std::nullopt;
}

std::optional<FileWatch::State> FileWatch::look() const {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) return std::nullopt;
  return State{status.st_dev, status.st_ino, static_cast<uint64_t>(status.st_size),
               status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec};
}

void FileWatch::know() {
  if (const auto now = look()) known_ = seen_ = *now;
}

bool FileWatch::changed() {
  const auto now = look();
  if (!now || *now == seen_) return false;
  seen_ = *now;
  return !now->same_file(known_);
}

}  // namespace dbtrace::target
