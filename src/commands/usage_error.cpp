#include "src/commands/usage_error.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <vector>

#include "symbols/similar.h"

namespace dbtrace::commands {
namespace {

// The nearest of `known`, unless all are far from it.
std::optional<std::string> nearest(const std::string& typed,
                                   const std::vector<std::string>& known) {
  size_t best = std::max<size_t>(1, typed.size() / 3) + 1;
  std::optional<std::string> found;
  for (const std::string& name : known) {
    const size_t distance = symbols::edit_distance(typed, name, best);
    if (distance < best) {
      best = distance;
      found = name;
    }
  }
  return found;
}

std::string did_you_mean(const std::string& typed, const std::vector<std::string>& known) {
  const auto near = nearest(typed, known);
  return near ? fmt::format("; did you mean {}?", *near) : "";
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// What no option took, in the order in which it was typed.
std::string unexpected(const CLI::App& command) {
  std::vector<std::string> rest = command.remaining(true);
  const auto option =
      std::ranges::find_if(rest, [](const std::string& word) { return word.starts_with("-"); });
  if (option != rest.end())
    return fmt::format("there is no option {}{}", *option,
                       did_you_mean(option->substr(0, option->find('=')), options_of(command)));
  return fmt::format("'{}' was not expected", rest.empty() ? "" : rest.front());
}

}  // namespace

std::string explain_usage(const CLI::App& app, const CLI::ParseError& error,
                          const std::string& first) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  std::string message = error.what();
  if (chosen.empty() && !first.empty() && !first.starts_with("-")) {
    message = fmt::format("there is no command {}{}", first, did_you_mean(first, commands_of(app)));
  } else if (chosen.empty() && !first.empty()) {
    message = fmt::format("there is no option {}{}", first, did_you_mean(first, options_of(app)));
  } else if (chosen.empty()) {
    message = fmt::format("which command? {}", fmt::join(commands_of(app), ", "));
  } else if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    message = unexpected(command);
  }
  return fmt::format("dbtrace: {}\n  see: dbtrace {}--help\n", message,
                     chosen.empty() ? "" : command.get_name() + " ");
}

}  // namespace dbtrace::commands
