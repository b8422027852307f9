#include "src/commands/doctor/doctor.h"

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "src/attach/machine.h"
#include "src/attach/preflight.h"
#include "src/attach/trial.h"
#include "src/commands/checks.h"
#include "src/commands/doctor/canary.h"
#include "src/commands/doctor/machine_checks.h"
#include "src/commands/doctor/report.h"
#include "src/commands/doctor/server_checks.h"
#include "src/commands/messages.h"

namespace dbtrace::commands {
namespace {

// "-p 1234", "--exe /x" and a name in one word.
TargetOptions target_of(const DoctorOptions& options) {
  TargetOptions target = options.session.target;
  target.several = !options.canary;  // which is sent to one of them
  const std::string& typed = options.target;
  std::string number = typed;
  if (typed.empty()) return target;
  if (whole_number(1, INT32_MAX)(number).empty())
    target.pids.push_back(static_cast<uint32_t>(std::stoul(number)));
  else if (typed.find('/') != std::string::npos)
    target.executables.push_back(typed);
  else
    target.name = typed;
  return target;
}

std::vector<Section> examine(const DoctorOptions& options) {
  // Tries nothing, and allows as many open files as a run is allowed.
  const bool may_trace = attach::preflight().has_value();
  std::optional<attach::Trials> trials;
  if (may_trace) trials = attach::Trials::run();
  std::vector<Section> sections = {
      {Section::About::Machine, "This machine",
       machine_checks(attach::look_at_machine(), trials ? &*trials : nullptr)}};

  const auto servers = choose_servers(target_of(options));
  if (!servers) {
    const Error& error = servers.error();
    sections.push_back({Section::About::Server,
                        "No server",
                        {{"server", CheckState::Missing, error.message, "", error.hint}}});
    return sections;
  }
  for (const target::Server& server : *servers)
    sections.push_back(
        {Section::About::Server, describe(server), server_checks(server, may_trace)});
  // What does not work proves nothing.
  if (!options.canary || verdict(sections).state == CheckState::Missing) return sections;
  for (const target::Server& server : *servers)
    sections.push_back(
        {Section::About::Canary, "Canary in " + describe(server),
         run_canary(server, options.address, trials->allowed(attach::Trial::Scheduler))});
  return sections;
}

}  // namespace

int run_doctor(const DoctorOptions& options) {
  const std::vector<Section> sections = examine(options);
  const std::string text =
      options.format == DoctorFormat::Json ? doctor_json(sections) : doctor_text(sections);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    return complain({"cannot write the answer to standard output", {}}, kFailed);
  return verdict(sections).state == CheckState::Missing ? kFailed : kDone;
}

}  // namespace dbtrace::commands
