// Options out of a file.
#pragma once

namespace CLI {
class App;
}

namespace dbtrace::commands {

// --config FILE: lines `name = value`, named as the command's options are; `#` begins a comment.
// What was typed wins. To be called before the command gets other options, which are then checked
// as if they had been typed.
void add_config_option(CLI::App& command);

}  // namespace dbtrace::commands
