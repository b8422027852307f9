#include "src/commands/attach_option.h"

#include <CLI/CLI.hpp>

#include "src/commands/checks.h"

namespace dbtrace::commands {

void add_attach_option(CLI::App& command, attach::Mechanism& mechanism, const std::string& group) {
  command.add_option("--attach", mechanism, "How to attach probes: auto, multi or perf [auto]")
      ->transform(one_of<attach::Mechanism>({{"auto", attach::Mechanism::Auto},
                                             {"multi", attach::Mechanism::UprobeMulti},
                                             {"perf", attach::Mechanism::PerfEvent}}))
      ->type_name("HOW")
      ->group(group);
}

}  // namespace dbtrace::commands
