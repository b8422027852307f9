// Completion in fish.
#include <fmt/format.h>

#include <string_view>

#include "src/manual/manual.h"

namespace dbtrace::manual {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + '\'';
}

// -x: a value, but no file by itself. -r -F: a file.
std::string value_of(const Option& option) {
  switch (option.value) {
    case Value::None:
      return "";
    case Value::Word:
      return fmt::format(" -x -a '{}'", fmt::join(option.words, " "));
    case Value::File:
      return " -r -F";
    case Value::Folder:
      return " -x -a '(__fish_complete_directories)'";
    case Value::Process:
      return " -x -a '(__fish_complete_pids)'";
    case Value::Other:
      break;
  }
  return " -x";
}

std::string lines_of(const Command& command, std::string_view condition) {
  const std::string start = fmt::format("complete -c dbtrace -n {}", quoted(condition));
  std::string out;
  for (const Option& option : all_options(command)) {
    out += start;
    for (const std::string& name : option.names)
      out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    out += fmt::format("{} -d {}\n", value_of(option), quoted(option.description));
  }
  if (!command.positionals.empty() && command.positionals.front().value == Value::File)
    out += start + " -F\n";
  return out;
}

}  // namespace

std::string fish_completion(const Manual& manual) {
  std::string out =
      "# dbtrace completion for fish, made of the program's own command line.\n"
      "complete -c dbtrace -f\n";
  out += lines_of(manual.program, "__fish_use_subcommand");
  for (const Command& command : manual.commands) {
    out += fmt::format("complete -c dbtrace -n __fish_use_subcommand -a {} -d {}\n", command.name,
                       quoted(command.description));
    out += lines_of(command, "__fish_seen_subcommand_from " + command.name);
  }
  return out;
}

}  // namespace dbtrace::manual
