#include "src/commands/tracing/follower.h"

#include <algorithm>

namespace dbtrace::commands {

void Follower::attached(const target::Server& server) {
  if (server.pid) {
    if (processes_) followed_.push_back({server.pid, target::Succession(server)});
    return;
  }
  const auto file = std::ranges::find(files_, server.executable, &target::FileWatch::path);
  if (file == files_.end())
    files_.emplace_back(server.executable);
  else
    file->know();
}

bool Follower::ended(uint32_t pid) {
  const auto process = std::ranges::find(followed_, pid, &Process::pid);
  if (process == followed_.end()) return false;
  process->ended = true;
  return true;
}

std::vector<Result<target::Server>> Follower::arrivals() {
  std::vector<Result<target::Server>> arrived;
  const bool awaited = !files_.empty() || std::ranges::any_of(followed_, &Process::ended);
  const auto now = std::chrono::steady_clock::now();
  if (!awaited || now < next_look_) return arrived;
  next_look_ = now + std::chrono::seconds(1);

  for (auto process = followed_.begin(); process != followed_.end();) {
    const auto pid = process->ended ? process->succession.next() : std::nullopt;
    auto server = pid ? std::optional(target::server_of_process(*pid)) : std::nullopt;
    if (server) arrived.push_back(std::move(*server));
    // Whoever attaches follows the successor from then on.
    process = server && arrived.back() ? followed_.erase(process) : std::next(process);
  }
  for (target::FileWatch& file : files_)
    if (file.changed()) arrived.push_back(target::server_of_file(file.path()));
  return arrived;
}

}  // namespace dbtrace::commands
