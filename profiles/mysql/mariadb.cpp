// MariaDB. What each accessor looks like, and on which versions that was
// checked: README.md beside this file.
#include "profiles/mysql/data_files.h"
#include "profiles/mysql/family.h"

namespace dbtrace::profiles::mysql {
namespace {

FieldRule returned_by(std::string_view accessor, Field field, Form form) {
  return {.field = field, .form = form, .steps = {{.function = accessor, .take = Take::Returned}}};
}

FieldRule start_part(Field field, int8_t number) {
  return {.field = field,
          .form = Form::Number,
          .steps = {{.function = "thd_start_utime", .take = Take::ReadMember, .argument = number}}};
}

std::vector<FieldRule> fields() {
  std::vector<FieldRule> rules = {
      returned_by("thd_get_thread_id", Field::ConnectionId, Form::Number),
      returned_by("thd_user_name", Field::User, Form::Text),
      returned_by("thd_client_host", Field::Host, Form::Text),
      returned_by("thd_client_ip", Field::Ip, Form::Text),
      returned_by("thd_current_db", Field::Database, Form::Text),
      returned_by("thd_get_error_number", Field::ErrorNumber, Form::Number),
      text_in_statement_base(),
      query_text_of("thd_query_string"),
      // thd_start_utime returns start_time * 1000000 + start_time_sec_part.
      start_part(Field::StartSeconds, 0),
      start_part(Field::StartMicroseconds, 1),
  };
  for (FieldRule& rule : row_counters()) rules.push_back(std::move(rule));
  return rules;
}

}  // namespace

FieldRule query_text_of(std::string_view accessor) {
  return returned_by(accessor, Field::QueryText, Form::Text);
}

// thd_query_string returns the address of the text's {pointer, length} within
// the session. The text belongs to the base class Statement, which
// Prepared_statement has at its offset 0; where the session has it is what
// THD::set_statement adds to its own `this` before it calls Statement's.
FieldRule text_in_statement_base() {
  return {.field = Field::StatementText,
          .form = Form::Text,
          .steps = {{.function = "thd_query_string", .take = Take::Returned}},
          .minus = {{.function = "THD::set_statement",
                     .take = Take::CallArgument,
                     .argument = 0,
                     .callee = "Statement::set_statement"}}};
}

Profile mariadb() {
  return {.flavor = "mariadb",
          .title = "MariaDB",
          .executables = {"mariadbd", "mysqld"},
          // Dynamic columns and the Aria engine: in every MariaDB, in no MySQL.
          .marker_prefixes = {"mariadb_dyncol_", "maria_"},
          .version_symbol = "server_version",
          .dispatch = "dispatch_command",
          .shapes = dispatch_shapes(),
          .statement_execution = {"Prepared_statement::execute_loop",
                                  "Prepared_statement::execute_bulk_loop"},
          // Rows examined are zeroed behind it ("for processlist", says
          // sql/sql_parse.cc); the slow log wants them, and the text, too.
          .completion = "log_slow_statement",
          .completing_execution = "Prepared_statement::execute",
          .statement = "mysql_execute_command",
          .thread_session = "current_thd",
          .thread_session_accessor = "_current_thd",
          .wait_hooks = wait_hooks(),
          .canary = canary(),
          .file_content = content_of_file,
          .fields = fields(),
          .commands = commands_of_mariadb()};
}

}  // namespace dbtrace::profiles::mysql
