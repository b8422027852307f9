// The MySQL family: two profiles that share a dispatch function and most of a
// protocol.
#pragma once

#include <vector>

#include "profiles/profile.h"

namespace dbtrace::profiles::mysql {

[[nodiscard]] Profile mysql();
[[nodiscard]] Profile mariadb();

// Every parameter list of dispatch_command that is known. The list in the
// symbol decides, not the flavour: each profile accepts all of them.
[[nodiscard]] std::vector<DispatchShape> dispatch_shapes();

// The protocol's commands (enum enum_server_command), as far as both servers
// agree, and what each has of its own.
[[nodiscard]] std::vector<Command> commands_of_mysql();
[[nodiscard]] std::vector<Command> commands_of_mariadb();

// Servers whose sessions and prepared statements share a base class Statement
// that holds the text (MySQL 5.6, MariaDB): where it lies in that class.
[[nodiscard]] FieldRule text_in_statement_base();

// The text of the statement at hand, as an accessor of the session returns it.
[[nodiscard]] FieldRule query_text_of(std::string_view accessor);

// thd_wait_begin and thd_wait_end (include/mysql/service_thd_wait.h), which the servers
// call for their thread pools' sake.
[[nodiscard]] WaitHooks wait_hooks();

[[nodiscard]] Canary canary();

// The row counters of a session (all servers of the family).
[[nodiscard]] std::vector<FieldRule> row_counters();

}  // namespace dbtrace::profiles::mysql
