// What the command line can do, as plain data: the one source of manual pages and completions.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace dbtrace::manual {

// What may stand behind an option, or in a position.
enum class Value { None, Word, File, Folder, Process, Other };

struct Option {
  std::vector<std::string> names;  // "-p", "--pid"; of a positional: its one name
  std::string type;                // "PID"; "" for a flag
  Value value = Value::None;
  std::vector<std::string> words;  // of a Word: all of them
  bool repeatable = false;
  bool required = false;
  std::string description;
  std::vector<std::string> needs, excludes;  // names of other options
};

struct Group {
  std::string name;
  std::vector<Option> options;
};

struct Command {
  std::string name;  // "dbtrace", "queries"
  std::string description;
  std::vector<Option> positionals;
  std::vector<Group> groups;
  std::string footer;  // as --help prints it
};

struct Manual {
  std::string version;  // "dbtrace 0.1.0"
  Command program;
  std::vector<Command> commands;
};

[[nodiscard]] Manual read_manual(CLI::App& app);

// Of all groups.
[[nodiscard]] std::vector<Option> all_options(const Command& command);

// "dbtrace-queries", the name of the command's page.
[[nodiscard]] std::string page_name(const Manual& manual, const Command& command);

// Of man(7)'s macros. `command` is one of the manual's, or its program.
[[nodiscard]] std::string page(const Manual& manual, const Command& command);

// Scripts for the shells, each to be installed where the shell looks for it.
[[nodiscard]] std::string bash_completion(const Manual& manual);
[[nodiscard]] std::string zsh_completion(const Manual& manual);
[[nodiscard]] std::string fish_completion(const Manual& manual);

}  // namespace dbtrace::manual
