// MySQL and Percona Server. What each accessor looks like, and on which
// versions that was checked: README.md beside this file.
#include "profiles/mysql/data_files.h"
#include "profiles/mysql/family.h"

namespace dbtrace::profiles::mysql {
namespace {

// The session's Security_context, then one of its accessors, each of which
// returns {pointer, length} in two registers.
FieldRule from_security_context(Field field, std::string_view accessor) {
  return {.field = field,
          .form = Form::Text,
          .steps = {
              {.function = "thd_get_security_context", .take = Take::StoredThrough, .argument = 1},
              {.function = accessor, .take = Take::Returned}}};
}

// The same in 5.6, where the session points at its Security_context.
FieldRule from_old_security_context(Field field, Form form, const Step& step) {
  return {.field = field,
          .form = form,
          .steps = {{.function = "Security_context::restore_security_context",
                     .take = Take::StoreOf,
                     .argument = 2,
                     .object = 1},
                    step}};
}

// Of 5.6, which has no accessors for plugins.
std::vector<FieldRule> old_fields() {
  const Step error_number = {.function = "Diagnostics_area::set_error_status",
                             .take = Take::StoreOf,
                             .argument = 1,
                             .first_parameter = "unsigned int"};
  return {
      // set_user frees the old name.
      from_old_security_context(Field::User, Form::Text,
                                {.function = "Security_context::set_user",
                                 .take = Take::CallArgument,
                                 .argument = 0,
                                 .callee = "my_free"}),
      // These are of class String: {char*, uint32 length, …} (sql/sql_string.h).
      from_old_security_context(Field::Host, Form::ShortTextPair,
                                {.function = "Security_context::get_host", .take = Take::Returned}),
      from_old_security_context(Field::Ip, Form::ShortTextPair,
                                {.function = "Security_context::get_ip", .take = Take::Returned}),
      // SQL's DATABASE() copies it; THD::db_length stands behind THD::db.
      {.field = Field::Database,
       .form = Form::TextPair,
       .steps = {{.function = "Item_func_database::val_str",
                  .take = Take::CallArgument,
                  .argument = 1,
                  .callee = "String::copy",
                  .object = kAnyObject}}},
      {.field = Field::ErrorNumber,
       .form = Form::Number,
       .steps = {{.function = "THD::reset_for_next_command",
                  .take = Take::CallArgument,
                  .argument = 0,
                  .callee = "Diagnostics_area::reset_diagnostics_area"},
                 error_number}},
      text_in_statement_base(),
  };
}

std::vector<FieldRule> fields() {
  std::vector<FieldRule> rules = {
      {.field = Field::ConnectionId,
       .form = Form::Number,
       .steps = {{.function = "thd_get_thread_id", .take = Take::Returned}}},
      from_security_context(Field::User, "Security_context::user"),
      from_security_context(Field::Host, "Security_context::host"),
      from_security_context(Field::Ip, "Security_context::ip"),
      // set_db frees the old name; THD::m_db is a LEX_CSTRING.
      {.field = Field::Database,
       .form = Form::TextPair,
       .steps = {{.function = "THD::set_db",
                  .take = Take::CallArgument,
                  .argument = 0,
                  .callee = "my_free"}}},
      // is_error compares the status in the diagnostics area with DA_ERROR;
      // set_error_status stores the number there.
      {.field = Field::ErrorNumber,
       .form = Form::Number,
       .steps = {{.function = "thd_is_error", .take = Take::ComparedObject},
                 {.function = "Diagnostics_area::set_error_status",
                  .take = Take::StoreOf,
                  .argument = 1,
                  .first_parameter = "unsigned int"}}},
      // From 8.0 on the statement is argument 1; 5.7 looks it up by its id.
      {.field = Field::StatementText,
       .form = Form::Text,
       .steps = {{.function = "mysqld_stmt_execute",
                  .take = Take::CallArgument,
                  .argument = 1,
                  .callee = "PROFILING::set_query_source",
                  .object = kAnyObject}}},
      query_text_of("thd_query_unsafe"),
      query_text_of("thd_query_string"),  // 5.6
      // THD::start_utime: the wall clock in microseconds.
      {.field = Field::StartMicroseconds,
       .form = Form::Number,
       .steps = {{.function = "THD::set_time", .take = Take::FirstComputedStore}}},
  };
  for (FieldRule& rule : old_fields()) rules.push_back(std::move(rule));
  for (FieldRule& rule : row_counters()) rules.push_back(std::move(rule));
  return rules;
}

}  // namespace

std::vector<FieldRule> row_counters() {
  return {
      {.field = Field::RowsSent,
       .form = Form::Number,
       .steps = {{.function = "THD::set_sent_row_count", .take = Take::StoreOf, .argument = 1}}},
      {.field = Field::RowsSent,
       .form = Form::Number,
       .steps = {{.function = "THD::inc_sent_row_count", .take = Take::FirstStore}}},
      {.field = Field::RowsExamined,
       .form = Form::Number,
       .steps = {{.function = "THD::inc_examined_row_count", .take = Take::FirstStore}}},
      // MariaDB 11 has no such function any more; this one tells performance_schema.
      {.field = Field::RowsExamined,
       .form = Form::Number,
       .steps = {{.function = "THD::ps_report_examined_row_count",
                  .take = Take::IndirectArgument,
                  .argument = 1}}},
  };
}

Profile mysql() {
  return {.flavor = "mysql",
          .title = "MySQL",
          .executables = {"mysqld", "mysqld-debug"},
          // No name is MySQL's alone on all versions: whoever dispatches
          // commands and is not MariaDB.
          .marker_prefixes = {"_Z16dispatch_command"},
          .version_symbol = "server_version",
          .dispatch = "dispatch_command",
          .shapes = dispatch_shapes(),
          .statement_execution = {"Prepared_statement::execute_loop"},
          .statement = "mysql_execute_command",
          .thread_session = "current_thd",
          .thread_session_accessor = "thd_get_current_thd",
          .wait_hooks = wait_hooks(),
          .canary = canary(),
          .file_content = content_of_file,
          .fields = fields(),
          .commands = commands_of_mysql()};
}

}  // namespace dbtrace::profiles::mysql
