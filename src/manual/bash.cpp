// Completion in bash. It stands on nothing but bash itself.
#include <fmt/format.h>

#include "src/manual/manual.h"

namespace dbtrace::manual {
namespace {

constexpr const char* kFunctions = R"sh(
_dbtrace() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command= wanted i
  # bash makes three words of --option=value.
  if [[ $word == = ]]; then
    word=
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} != -* ]]; then
      command=${COMP_WORDS[i]}
      break
    fi
  done
  wanted=$(_dbtrace_value "$command" "$previous")
  if [[ -z $wanted ]]; then
    wanted=$(_dbtrace_value "$command" '')
    [[ -n $wanted && $word != -* ]] || wanted=$(_dbtrace_words "$command")
  fi
  case $wanted in
    @file) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    @folder) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    @process) mapfile -t COMPREPLY < <(cd /proc && compgen -W "$(printf '%s ' [0-9]*)" -- "$word") ;;
    @other) COMPREPLY=() ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$wanted" -- "$word") ;;
  esac
}
complete -F _dbtrace dbtrace
)sh";

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::string wanted(const Option& option) {
  switch (option.value) {
    case Value::Word:
      return joined(option.words);
    case Value::File:
      return "@file";
    case Value::Folder:
      return "@folder";
    case Value::Process:
      return "@process";
    case Value::None:
    case Value::Other:
      break;
  }
  return "@other";
}

std::string names_of(const Command& command) {
  std::vector<std::string> names;
  for (const Option& option : all_options(command))
    names.insert(names.end(), option.names.begin(), option.names.end());
  return joined(names);
}

}  // namespace

std::string bash_completion(const Manual& manual) {
  std::string words;
  std::string values;
  std::vector<std::string> commands;
  for (const Command& command : manual.commands) {
    commands.push_back(command.name);
    words += fmt::format("    {}) echo '{}' ;;\n", command.name, names_of(command));
    for (const Option& option : all_options(command)) {
      if (option.value == Value::None) continue;
      for (const std::string& name : option.names)
        values += fmt::format("    '{} {}') echo '{}' ;;\n", command.name, name, wanted(option));
    }
    if (!command.positionals.empty())
      values += fmt::format("    '{} ') echo '{}' ;;\n", command.name,
                            wanted(command.positionals.front()));
  }
  return fmt::format(
      "# dbtrace completion for bash, made of the program's own command line.\n"
      "# Options and commands that may stand behind COMMAND, or behind dbtrace.\n"
      "_dbtrace_words() {{\n  case $1 in\n    '') echo '{} {}' ;;\n{}  esac\n}}\n\n"
      "# What stands behind OPTION of COMMAND: words, or a kind of thing. Without an option: what\n"
      "# COMMAND works on.\n"
      "_dbtrace_value() {{\n  case \"$1 $2\" in\n{}  esac\n}}\n{}",
      joined(commands), names_of(manual.program), words, values, kFunctions);
}

}  // namespace dbtrace::manual
