// --attach: how probes are attached, for every command that attaches some.
#pragma once

#include <string>

#include "src/attach/mechanism.h"

namespace CLI {
class App;
}

namespace dbtrace::commands {

void add_attach_option(CLI::App& command, attach::Mechanism& mechanism, const std::string& group);

}  // namespace dbtrace::commands
