// Which queries a command looks at: the options and what follows from them, the same for
// all commands.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/attach/plan.h"
#include "src/attach/tracer.h"
#include "src/model/filter.h"
#include "symbols/result.h"

namespace CLI {
class App;
}

namespace dbtrace::commands {

struct QueryChoice {
  model::FilterOptions filter;
  bool all_commands = false;  // also those without text
};

// --slower-than, --user, --host, --db, --conn, --command, --match, --errors, --all-commands.
void add_query_choice(CLI::App& command, QueryChoice& choice, const std::string& group);

// Errors are the user's: an expression or a command that there is not. `statements`:
// statements inside commands are traced, too.
[[nodiscard]] Result<model::Filter> make_filter(const QueryChoice& choice, bool statements);

// The commands that leave the kernel: those asked for by name, all of them, or those that
// carry text.
[[nodiscard]] std::vector<uint8_t> commands_to_send(const attach::Plan& plan,
                                                    const QueryChoice& choice,
                                                    const model::Filter& filter);
// Without those that are no queries (profiles::Command::background).
[[nodiscard]] std::vector<uint8_t> without_background(const attach::Plan& plan,
                                                      std::vector<uint8_t> commands);
// commands_to_send() for those who count queries: what no client waits for only when asked for by
// name.
[[nodiscard]] std::vector<uint8_t> commands_to_count(const attach::Plan& plan,
                                                     const QueryChoice& choice,
                                                     const model::Filter& filter);

// Has the kernel leave out what it can tell.
void choose_in_kernel(const QueryChoice& choice, attach::TracerOptions& options);
// Whether the kernel leaves out all that is not chosen.
[[nodiscard]] bool kernel_chooses(const QueryChoice& choice);

}  // namespace dbtrace::commands
