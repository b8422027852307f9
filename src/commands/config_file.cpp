#include "src/commands/config_file.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace dbtrace::commands {
namespace {

CLI::Option& option_of(const CLI::ConfigItem& item, CLI::App& command) {
  CLI::Option* option = command.get_option_no_throw("--" + item.name);
  if (item.parents.empty() && option && option->get_configurable()) return *option;
  throw CLI::ConfigError(fmt::format("the file has '{}', which is no option of {}", item.fullname(),
                                     command.get_name()));
}

// Far more than all options take.
constexpr uintmax_t kMostBytes = 1 << 20;

// What is not there, the parser says itself.
void check_file(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return;
  if (!std::filesystem::is_regular_file(path, none))
    throw CLI::ConfigError(path + " is no regular file");
  if (std::filesystem::file_size(path, none) > kMostBytes)
    throw CLI::ConfigError(path + " is too long for a file of options");
}

void take_file(const std::string& path, CLI::App& command) {
  check_file(path);
  const std::vector<const CLI::Option*> typed =
      std::as_const(command).get_options([](const CLI::Option* each) { return each->count() > 0; });
  CLI::ConfigBase format;
  for (const CLI::ConfigItem& item : format.from_file(path)) {
    CLI::Option& option = option_of(item, command);
    if (std::ranges::find(typed, &option) != typed.end()) continue;
    if (option.get_expected_min() == 0)  // a flag
      option.add_result(option.get_flag_value(item.name, format.to_flag(item)));
    else
      option.add_result(item.inputs);
  }
}

}  // namespace

void add_config_option(CLI::App& command) {
  // Options are looked at in the order in which they were added: what this one takes from the
  // file is there before the others' values are.
  command
      .add_option_function<std::string>(
          "--config", [&command](const std::string& path) { take_file(path, command); },
          "Options out of this file: `name = value` a line; what is typed wins")
      ->type_name("FILE")
      ->configurable(false);
}

}  // namespace dbtrace::commands
