#include "src/commands/io/process_names.h"

namespace dbtrace::commands {

ProcessNames::ProcessNames(const std::vector<target::Server>& servers) {
  for (const target::Server& server : servers)
    if (server.profile->process_name) profiles_.push_back(server.profile);
}

const std::string& ProcessNames::of(uint32_t pid) {
  static const std::string kNone;
  if (profiles_.empty()) return kNone;
  if (known_.size() >= kMax && !known_.contains(pid)) known_.clear();
  const auto now = Clock::now();
  const auto [known, is_new] = known_.try_emplace(pid);
  std::string& name = known->second.name;
  if (!is_new && now - known->second.since < kTrust) return name;
  known->second.since = now;
  const std::string title = proc_.title(pid);
  if (title.empty()) return name;  // it has ended
  name.clear();
  for (const profiles::Profile* profile : profiles_)
    if (name.empty()) name = profile->process_name(title);
  return name;
}

// All processes of a server that forks have its name; their titles tell more.
const model::IoOperation& ProcessNames::named(const model::IoOperation& operation) {
  if (operation.command_start_ns) return operation;
  const std::string& name = of(operation.pid);
  if (name.empty()) return operation;
  named_ = operation;
  named_.thread = name;
  return named_;
}

}  // namespace dbtrace::commands
