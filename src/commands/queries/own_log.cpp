#include "src/commands/queries/own_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace dbtrace::commands {
namespace {

struct OwnLog {
  output::Format format;
  std::string_view option;
  profiles::Protocol servers;
};
constexpr OwnLog kOwnLogs[] = {
    {output::Format::SlowLog, "--format slowlog", profiles::Protocol::MySql},
    {output::Format::PgLog, "--format pglog", profiles::Protocol::Postgres},
};

// `pid` 0: none.
Result<void> check(output::Format format, const profiles::Profile& profile, uint32_t pid) {
  const auto* const chosen = std::ranges::find(kOwnLogs, format, &OwnLog::format);
  const auto* const own = std::ranges::find(kOwnLogs, profile.canary.protocol, &OwnLog::servers);
  if (chosen == std::end(kOwnLogs) || own == chosen) return {};
  return fail(fmt::format("{} is not for {}{}", chosen->option, profile.title,
                          pid ? fmt::format(" (pid {})", pid) : ""),
              own == std::end(kOwnLogs) ? "--format json is" : fmt::format("{} is", own->option));
}

}  // namespace

Result<void> check_format(output::Format format, const std::vector<target::Server>& servers) {
  for (const target::Server& server : servers)
    if (auto fits = check(format, *server.profile, server.pid); !fits) return fits;
  return {};
}

Result<void> check_format(output::Format format,
                          const std::vector<recording::ServerNote>& servers) {
  for (const recording::ServerNote& server : servers) {
    const auto all = profiles::all();
    const auto profile = std::ranges::find(all, server.flavor, &profiles::Profile::flavor);
    if (profile == all.end()) continue;
    if (auto fits = check(format, *profile, server.pid.value_or(0)); !fits) return fits;
  }
  return {};
}

}  // namespace dbtrace::commands
