#include "src/commands/tracing/query_choice.h"

#include <CLI/CLI.hpp>

#include "profiles/profile.h"
#include "src/commands/checks.h"
#include "src/commands/tracing/session.h"
#include "src/commands/units.h"

namespace dbtrace::commands {

void add_query_choice(CLI::App& command, QueryChoice& choice, const std::string& group) {
  model::FilterOptions& filter = choice.filter;
  command
      .add_option("--slower-than", filter.slower_than_ns,
                  "Only queries that took at least this long, e.g. 10ms")
      ->transform(quantity(parse_duration, 0, UINT64_MAX))
      ->type_name("TIME")
      ->group(group);
  command.add_option("--user", filter.users, "Only this user, without @host (repeatable)")
      ->group(group);
  command
      .add_option("--host", filter.hosts,
                  "Only clients of this host, by name or address (repeatable)")
      ->group(group);
  command.add_option("--db", filter.databases, "Only this database (repeatable)")->group(group);
  command.add_option("--conn", filter.connections, "Only this connection id (repeatable)")
      ->check(whole_number(0, UINT64_MAX))
      ->group(group);
  auto* commands =
      command
          .add_option("--command", filter.commands,
                      "Only this protocol command, e.g. query, execute, ping (repeatable)")
          ->group(group);
  command
      .add_option("--match", filter.match,
                  "Only text that this regular expression finds (any case; RE2)")
      ->type_name("REGEX")
      ->group(group);
  command.add_flag("--errors", filter.errors_only, "Only commands that failed")->group(group);
  command
      .add_flag("--all-commands", choice.all_commands, "Also commands without text: Ping, Quit, …")
      ->group(group)
      ->excludes(commands);
}

Result<model::Filter> make_filter(const QueryChoice& choice, bool statements) {
  model::FilterOptions filter = choice.filter;
  for (const profiles::Profile& profile : profiles::all())
    for (const profiles::Command& command : profile.commands)
      filter.known_commands.emplace_back(command.name);
  if (statements) filter.known_commands.emplace_back(model::kStatement);
  return model::Filter::create(filter);
}

std::vector<uint8_t> commands_to_send(const attach::Plan& plan, const QueryChoice& choice,
                                      const model::Filter& filter) {
  if (!choice.all_commands && choice.filter.commands.empty())
    return Session::commands_with_text(plan);
  std::vector<uint8_t> ids;
  for (int id = 0; id < 256; ++id) {
    const profiles::Command* command =
        profiles::find_command(*plan.profile, static_cast<uint8_t>(id));
    if (choice.all_commands || (command && filter.accepts_command(command->name)))
      ids.push_back(static_cast<uint8_t>(id));
  }
  return ids;
}

std::vector<uint8_t> without_background(const attach::Plan& plan, std::vector<uint8_t> commands) {
  std::erase_if(commands, [&](uint8_t id) {
    const profiles::Command* command = profiles::find_command(*plan.profile, id);
    return command && command->background;
  });
  return commands;
}

std::vector<uint8_t> commands_to_count(const attach::Plan& plan, const QueryChoice& choice,
                                       const model::Filter& filter) {
  return choice.filter.commands.empty()
             ? without_background(plan, commands_to_send(plan, choice, filter))
             : commands_to_send(plan, choice, filter);
}

void choose_in_kernel(const QueryChoice& choice, attach::TracerOptions& options) {
  options.slower_than_ns = choice.filter.slower_than_ns.value_or(0);
  if (choice.filter.connections.size() == 1)
    options.only_connection = choice.filter.connections.front();
}

bool kernel_chooses(const QueryChoice& choice) {
  const model::FilterOptions& filter = choice.filter;
  // There, connection 0 stands for all.
  const bool by_connection = filter.connections.empty() ||
                             (filter.connections.size() == 1 && filter.connections.front() != 0);
  return by_connection && filter.users.empty() && filter.hosts.empty() &&
         filter.databases.empty() && filter.match.empty() && !filter.errors_only;
}

}  // namespace dbtrace::commands
