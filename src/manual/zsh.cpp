// Completion in zsh.
#include <fmt/format.h>

#include <string_view>

#include "src/manual/manual.h"

namespace dbtrace::manual {
namespace {

// `text` within single quotes, its characters of `special` behind backslashes.
std::string quoted(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\'";
    } else if (c == '\\' || special.find(c) != std::string_view::npos) {
      out += '\\';
    }
    out += c;
  }
  return out;
}

std::string action(const Option& option) {
  switch (option.value) {
    case Value::Word:
      return fmt::format("({})", fmt::join(option.words, " "));
    case Value::File:
      return "_files";
    case Value::Folder:
      return "_files -/";
    case Value::Process:
      return "_pids";
    case Value::None:
    case Value::Other:
      break;
  }
  return " ";
}

// What _arguments calls a spec, of each of the option's names.
std::string specs(const Option& option) {
  std::vector<std::string> others = option.excludes;
  std::erase_if(others, [](const std::string& name) { return !name.starts_with('-'); });
  if (!option.repeatable) others.insert(others.end(), option.names.begin(), option.names.end());
  std::string out;
  for (const std::string& name : option.names) {
    out += " \\\n        '";
    if (!others.empty()) out += fmt::format("({})", fmt::join(others, " "));
    if (option.repeatable) out += '*';
    const bool has_value = option.value != Value::None;
    out += fmt::format("{}{}[{}]", name, has_value && name.starts_with("--") ? "=" : "",
                       quoted(option.description, "[]"));
    if (has_value) out += fmt::format(":{}:{}", quoted(option.type, ":"), action(option));
    out += '\'';
  }
  return out;
}

std::string positional_spec(const Option& positional) {
  return fmt::format(" \\\n        '{}:{}:{}'", positional.repeatable ? "*" : "",
                     quoted(positional.names.front(), ":"), action(positional));
}

}  // namespace

std::string zsh_completion(const Manual& manual) {
  std::string program;
  for (const Option& option : all_options(manual.program)) program += specs(option);
  std::string names;
  std::string cases;
  for (const Command& command : manual.commands) {
    names += fmt::format(" \\\n    '{}:{}'", command.name, quoted(command.description, ":"));
    cases += fmt::format("    {})\n      _arguments", command.name);
    for (const Option& option : all_options(command)) cases += specs(option);
    for (const Option& positional : command.positionals) cases += positional_spec(positional);
    cases += " ;;\n";
  }
  return fmt::format(R"(#compdef dbtrace
# dbtrace completion for zsh, made of the program's own command line.
_dbtrace_commands() {{
  local -a commands=({})
  _describe command commands
}}

_dbtrace() {{
  local curcontext=$curcontext state line
  local -A opt_args
  _arguments -C{} \
        '1:command:_dbtrace_commands' \
        '*::argument:->arguments'
  [[ $state == arguments ]] || return
  case $words[1] in
{}  esac
}}

_dbtrace "$@"
)",
                     names, program, cases);
}

}  // namespace dbtrace::manual
