#include "profiles/postgres/postgres.h"

#include "profiles/postgres/data_files.h"
#include "profiles/postgres/file_names.h"
#include "profiles/postgres/process_names.h"
#include "profiles/postgres/wait_event_names.h"

namespace dbtrace::profiles::postgres {
namespace {

// The protocol's messages (manual: "Message Formats"), by their letters; the last four are none:
// commands of standby servers, which come as queries, and what a process does that no client talks
// to.
constexpr uint8_t kQuery = 'Q';
constexpr uint8_t kParse = 'P';
constexpr uint8_t kBind = 'B';
constexpr uint8_t kExecute = 'E';
constexpr uint8_t kFunctionCall = 'F';
constexpr uint8_t kReplication = 'r';
constexpr uint8_t kParallelWorker = 'w';
constexpr uint8_t kAutovacuum = 'v';
constexpr uint8_t kIdle = 'i';

// 2000-01-01 (POSTGRES_EPOCH_JDATE, src/include/datatype/timestamp.h).
constexpr uint64_t kEpoch_us = 946'684'800'000'000;

// ERRCODE_INTERNAL_ERROR, "XX000", as MAKE_SQLSTATE packs it (src/include/utils/elog.h).
constexpr uint32_t sqlstate(std::string_view text) {
  uint32_t packed = 0;
  for (size_t i = 0; i < text.size(); ++i)
    packed |= static_cast<uint32_t>((text[i] - '0') & 0x3f) << (6 * i);
  return packed;
}

std::vector<Command> commands() {
  using enum TextRule;
  return {
      {.id = kQuery, .name = "Query", .raw_packet = Reported, .com_data = None, .has_rows = true},
      {.id = kParse,
       .name = "Parse",
       .raw_packet = Reported,
       .com_data = None,
       .has_rows = false,
       .step = true},
      {.id = kBind,
       .name = "Bind",
       .raw_packet = Reported,
       .com_data = None,
       .has_rows = false,
       .step = true},
      {.id = kExecute,
       .name = "Execute",
       .raw_packet = Reported,
       .com_data = None,
       .has_rows = true},
      {.id = kFunctionCall,
       .name = "FunctionCall",
       .raw_packet = None,
       .com_data = None,
       .has_rows = false},
      {.id = kReplication,
       .name = "Replication",
       .raw_packet = Reported,
       .com_data = None,
       .has_rows = false,
       .background = true},
      {.id = kParallelWorker,
       .name = "ParallelWorker",
       .raw_packet = Reported,
       .com_data = None,
       .has_rows = false,
       .background = true},
      {.id = kAutovacuum,
       .name = "Autovacuum",
       .raw_packet = Reported,
       .com_data = None,
       .has_rows = false,
       .background = true},
      {.id = kIdle,
       .name = "IdleInTransaction",
       .raw_packet = None,
       .com_data = None,
       .has_rows = false},
  };
}

// exec_simple_query and the others like it are static, and partly inlined. Each reports that it
// runs a text, and goes on with something that no other does.
Reports reports() {
  const std::vector<std::string_view> title = {"set_ps_display", "set_ps_display_with_len"};
  return {
      .function = "pgstat_report_activity",
      .places = {{.command = kQuery, .before = {"pg_parse_query"}},
                 {.command = kParse, .before = title, .with = "PARSE"},
                 {.command = kBind, .before = title, .with = "BIND"},
                 {.command = kExecute, .before = {"GetCommandTagName", "GetCommandTagNameAndLen"}},
                 {.command = kFunctionCall, .before = title, .with = "<FASTPATH>"},
                 {.command = kReplication,
                  .before = {"IsAbortedTransactionBlockState"},
                  .done_by = "EndReplicationCommand"},
                 {.command = kParallelWorker, .before = {"shm_toc_lookup"}},
                 {.command = kAutovacuum, .before = {"vacuum"}, .is_that_call = true}},
      .elsewhere = {"ReadyForQuery"},
      // enum BackendState (src/include/utils/backend_status.h): 18 has put
      // STATE_STARTING before the others. STATE_DISABLED is the last one.
      .numberings = {{.disabled = 6, .running = 2}, {.disabled = 7, .running = 3}},
      .end = "check_log_duration",
      .ended = {kQuery, kParse},
      .ended_in = {{kFunctionCall, "HandleFunctionRequest"}},
      .statement_end = "EndCommand",
      .completes = kExecute,
      .suspension = "pq_putemptymessage",
      .suspension_argument = 's',  // PortalSuspended
      .step = kBind,
      .next = kExecute,
      .failure = "EmitErrorReport",
      .failure_then = {"AbortCurrentTransaction", "AbortOutOfAnyTransaction"},
      .error_begin = "errstart_cold",
      .error_number = "errcode",
      .default_error = sqlstate("XX000"),
      .error_accessor = "geterrcode",
      // enum TBlockState (src/backend/access/transam/xact.c): TBLOCK_DEFAULT and TBLOCK_STARTED
      // are those outside of blocks.
      .in_transaction = 2,
      .idle = kIdle,
      .leader = {"pq_set_parallel_leader", "pq_set_parallel_master"},  // the latter in 13
      .execution = "standard_ExecutorRun",
  };
}

// PG_WAIT_* (src/include/utils/wait_event.h, wait_classes.h from 17 on) and enum LockTagType
// (src/include/storage/lock.h), the same from 13 to 18.
WaitEvents wait_events() {
  using enum Wait;
  return {.kinds = {Unknown, Lock, Unknown, Lock, Lock, Unknown, Network, Unknown, Lock, Sleep,
                    FileRead},
          .lock_kind = 3,
          .locks = {TableLock, TableLock, Lock, Lock, RowLock, RowLock, Lock, RowLock, MetadataLock,
                    UserLock, UserLock, RowLock}};
}

// write_csvlog reads of the client's Port, in the order of its columns: user, database, host.
FieldRule of_port(Field field, int8_t number) {
  return {.field = field,
          .form = Form::Text,
          .steps = {{.function = "write_csvlog",
                     .take = Take::ReadMember,
                     .argument = number,
                     .object = kImage,
                     .variable = "MyProcPort"}}};
}

std::vector<FieldRule> fields() {
  return {
      of_port(Field::User, 0),
      of_port(Field::Database, 1),
      of_port(Field::Host, 2),
      {.field = Field::Application,
       .form = Form::Text,
       .steps = {{.function = "application_name", .take = Take::Variable}}},
      {.field = Field::QueryId,
       .form = Form::Number,
       .steps = {{.function = "pgstat_report_query_id",
                  .take = Take::StoreOf,
                  .argument = 0,
                  .object = kImage}}},
      // QueryCompletion: the statement's tag, then its rows.
      {.field = Field::CompletedRows,
       .form = Form::Number,
       .steps = {{.function = "EndCommand", .take = Take::ReadMember, .argument = 1}}},
      {.field = Field::CompletedRows,
       .form = Form::Number,
       .steps = {{.function = "BuildQueryCompletionString",
                  .take = Take::ReadMember,
                  .argument = 1,
                  .object = 1}}},
      {.field = Field::QueryText,
       .form = Form::Text,
       .steps = {{.function = "debug_query_string", .take = Take::Variable}}},
      {.field = Field::StartMicroseconds,
       .form = Form::Number,
       .steps = {{.function = "GetCurrentStatementStartTimestamp",
                  .take = Take::Returned,
                  .object = kImage}}},
      {.field = Field::TransactionState,
       .form = Form::Number,
       .steps = {{.function = "IsTransactionBlock", .take = Take::ComparedMember}}},
      // A variable that points at the backend's own, which monitoring reads.
      {.field = Field::WaitEvent,
       .form = Form::Number,
       .steps = {{.function = "my_wait_event_info", .take = Take::PointerVariable}}},
      // CreateQueryDesc keeps the text that it is given.
      {.field = Field::StatementText,
       .form = Form::Text,
       .steps = {{.function = "CreateQueryDesc",
                  .take = Take::StoreOf,
                  .argument = 1,
                  .object = kAnyObject}}},
  };
}

}  // namespace

Profile postgres() {
  return {.flavor = "postgres",
          .title = "PostgreSQL",
          .executables = {"postgres"},
          .marker_prefixes = {"pgstat_report_activity"},
          .version_symbol = "",
          .version_text = "postgres (PostgreSQL) ",  // PG_BACKEND_VERSIONSTR
          .dispatch = "PostgresMain",
          .plain_names = true,
          .forks = true,
          .process_name = process_name,
          // Positions do not matter: no function is probed as a dispatcher is.
          .shapes = {{.parameters = {},
                      .layout = PacketLayout::RawPacket,
                      .command = -1,
                      .session = -1,
                      .packet = -1,
                      .length = -1,
                      .suspended_result = -1}},
          .statement_execution = {},
          .epoch_us = kEpoch_us,
          .wait_events = wait_events(),
          .reports = reports(),
          .error_form = ErrorForm::Sqlstate,
          .canary = {.protocol = Protocol::Postgres,
                     .statement = "select /* dbtrace canary {} */ pg_sleep(0.05)",
                     .connection_id = "select pg_backend_pid()",
                     .user = "select session_user"},
          .file_content = content_of_file,
          .wait_event = wait_event_name,
          .file_namer = file_namer,
          .fields = fields(),
          .commands = commands()};
}

}  // namespace dbtrace::profiles::postgres
