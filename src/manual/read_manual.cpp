#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

#include "src/manual/manual.h"

namespace dbtrace::manual {
namespace {

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

// The words that commands::one_of takes are the name of its validator.
std::vector<std::string> words_of(CLI::Option& option) {
  for (int i = 0;; ++i) {
    try {
      const std::string& name = option.get_validator(i)->get_name();
      if (name.empty()) continue;
      std::vector<std::string> words = CLI::detail::split(name, ',');
      for (std::string& word : words) CLI::detail::trim(word);
      return words;
    } catch (const CLI::OptionNotFound&) {
      return {};
    }
  }
}

Value value_of(const Option& option, bool is_positional) {
  if (!option.words.empty()) return Value::Word;
  if (option.type == "FILE" || option.type == "PATH") return Value::File;
  if (option.type == "DIR") return Value::Folder;
  if (option.type == "PID") return Value::Process;
  if (is_positional) return option.names.front() == "PATTERN" ? Value::Other : Value::File;
  return option.type.empty() ? Value::None : Value::Other;
}

std::vector<std::string> names_of(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(option->get_name());
  std::ranges::sort(names);  // the set's order is that of addresses
  return names;
}

Option read_option(CLI::Option& from) {
  Option option;
  const bool is_positional = from.get_positional();
  if (is_positional) option.names.push_back(from.get_name());
  for (const std::string& name : from.get_snames()) option.names.push_back("-" + name);
  for (const std::string& name : from.get_lnames()) option.names.push_back("--" + name);
  // What a check adds ("PERCENT:FLOAT in [0 - 1]") is for those who got it wrong.
  const std::string type = from.get_type_name();
  if (from.get_items_expected_max() > 0) option.type = type.substr(0, type.find(':'));
  option.words = words_of(from);
  option.value = value_of(option, is_positional);
  option.repeatable = from.get_expected_max() == CLI::detail::expected_max_vector_size;
  option.required = from.get_required();
  option.description = one_line(from.get_description());
  option.needs = names_of(from.get_needs());
  option.excludes = names_of(from.get_excludes());
  return option;
}

Command read_command(CLI::App& app) {
  Command command{app.get_name(), one_line(app.get_description()), {}, {}, app.get_footer()};
  for (const std::string& name : app.get_groups()) command.groups.push_back({name, {}});
  for (CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      command.positionals.push_back(read_option(*option));
      continue;
    }
    const auto group = std::ranges::find(command.groups, option->get_group(), &Group::name);
    if (group != command.groups.end()) group->options.push_back(read_option(*option));
  }
  std::erase_if(command.groups, [](const Group& group) { return group.options.empty(); });
  return command;
}

}  // namespace

std::vector<Option> all_options(const Command& command) {
  std::vector<Option> options;
  for (const Group& group : command.groups)
    options.insert(options.end(), group.options.begin(), group.options.end());
  return options;
}

Manual read_manual(CLI::App& app) {
  Manual manual{app.version(), read_command(app), {}};
  for (CLI::App* command : app.get_subcommands({}))
    manual.commands.push_back(read_command(*command));
  return manual;
}

}  // namespace dbtrace::manual
