// The slow query log as MySQL or MariaDB would write it, each query in the
// style of the server that ran it. What the servers know and dbtrace does not
// (lock time without a budget, unknown row counts) is 0, with "Rows_unknown: Yes" behind it.
// A budget adds attributes, by the names of Percona Server where it has one.
//
// Parsers of this format go by lines, so nothing that comes from a query may
// look like one: see append_statement() and append_token().
#include <algorithm>

#include "src/output/cause_names.h"
#include "src/output/clock_text.h"
#include "src/output/digits.h"
#include "src/output/formats.h"
#include "src/output/shown.h"
#include "src/output/slowlog_escape.h"

namespace dbtrace::output {
namespace {

using model::Cause;
using model::Query;
using model::TextState;

// Names of accounts the server does not give, and parsers insist on.
constexpr std::string_view kNoUser = "unknown";
constexpr size_t kIdWidth = 5;

class SlowLogSink final : public Sink {
 private:
  void format(const Shown& shown, std::string& out) override;
  void heading(const Query& query, std::string& out);
  void measures(const Query& query, bool is_mariadb, std::string& out);
  void use_database(const Query& query, std::string& out);

  ClockText mysql_clock_{Zone::Utc, "# Time: %Y-%m-%dT%H:%M:%S"};
  ClockText mariadb_clock_{Zone::Local, "# Time: %y%m%d %k:%M:%S\n"};
  std::string database_;  // that the last `use` named
};

void append_microseconds(std::string& out, uint64_t nanoseconds) {
  append_number(out, nanoseconds / kNanosecondsPerSecond);
  out += '.';
  append_zero_padded(out, nanoseconds % kNanosecondsPerSecond / 1'000, 6);
}

void append_account(const Query& query, std::string& out) {
  const std::string_view user =
      query.user && !query.user->empty() ? std::string_view(*query.user) : kNoUser;
  out += "# User@Host: ";
  append_token(out, user);
  out += '[';
  append_token(out, user);
  out += "] @ ";
  if (query.host) append_token(out, *query.host);
  out += " [";
  if (query.ip) append_token(out, *query.ip);
  out += ']';
}

// The lines that say when and who. The servers stamp an event when it ends.
void SlowLogSink::heading(const Query& query, std::string& out) {
  const uint64_t end_ns = query.start_ns + query.duration_ns;
  if (query.flavor == "mariadb") {
    out += mariadb_clock_.at(end_ns / kNanosecondsPerSecond);
    append_account(query, out);
    out += "\n# Thread_id: ";
    append_number(out, query.connection_id.value_or(0));
    out += "  Schema: ";
    if (query.database) append_attribute(out, *query.database);
    out += "  QC_hit: No\n";
  } else {
    out += mysql_clock_.at(end_ns / kNanosecondsPerSecond);
    out += '.';
    append_zero_padded(out, end_ns % kNanosecondsPerSecond / 1'000, 6);
    out += "Z\n";
    append_account(query, out);
    if (query.connection_id) {
      out += "  Id: ";
      const size_t begin = out.size();
      append_number(out, *query.connection_id);
      const size_t digits = out.size() - begin;
      out.insert(begin, kIdWidth - std::min(kIdWidth, digits), ' ');
    }
    out += '\n';
  }
}

// What MySQL counts: waits for tables and rows, not those for GET_LOCK() or within the
// server.
uint64_t lock_time_ns(const Query& query) {
  if (!query.budget) return 0;
  return query.budget->ns(Cause::MetadataLock) + query.budget->ns(Cause::TableLock) +
         query.budget->ns(Cause::RowLock);
}

void append_time(std::string& out, std::string_view name, uint64_t nanoseconds) {
  out += "  ";
  out += name;
  out += ": ";
  append_microseconds(out, nanoseconds);
}

// On the line that begins with the query's time, of which mysqldumpslow leaves nothing in
// the statement; it would take further lines for a part of it.
void append_budget(const Query& query, std::string& out) {
  const model::Budget& budget = *query.budget;
  if (query.io) {
    const model::IoCount& reads =
        query.io->operations[static_cast<size_t>(model::FileOperation::Read)];
    out += "  InnoDB_IO_r_ops: ";
    append_number(out, reads.count);
    out += "  InnoDB_IO_r_bytes: ";
    append_number(out, reads.bytes);
    append_time(out, "InnoDB_IO_r_wait", reads.ns);
  }
  append_time(out, name_of(Cause::RowLock).slowlog, budget.ns(Cause::RowLock));
  for (const CauseName& name : kCauseNames) {
    if (is_kind_of_lock(name.cause)) continue;
    append_time(out, name.slowlog,
                name.cause == Cause::Lock ? budget.lock_ns() : budget.ns(name.cause));
  }
  append_time(out, UnexplainedName::slowlog, budget.unexplained_ns);
}

void SlowLogSink::measures(const Query& query, bool is_mariadb, std::string& out) {
  out += "# Query_time: ";
  append_microseconds(out, query.duration_ns);
  out += "  Lock_time: ";
  append_microseconds(out, lock_time_ns(query));
  out += is_mariadb ? "  Rows_sent: " : " Rows_sent: ";
  append_number(out, query.rows_sent.value_or(0));
  out += "  Rows_examined: ";
  append_number(out, query.rows_examined.value_or(0));
  if (!query.rows_sent || !query.rows_examined) out += "  Rows_unknown: Yes";
  if (query.error.value_or(0) != 0) {
    out += "  Last_errno: ";
    append_number(out, *query.error);
  }
  if (query.budget) append_budget(query, out);
  out += '\n';
}

void SlowLogSink::use_database(const Query& query, std::string& out) {
  if (!query.database || query.database->empty() || *query.database == database_) return;
  database_ = *query.database;
  out += "use ";
  append_identifier(out, database_);
  out += ";\n";
}

void SlowLogSink::format(const Shown& shown, std::string& out) {
  const Query& query = shown.query;
  heading(query, out);
  measures(query, query.flavor == "mariadb", out);
  use_database(query, out);
  out += "SET timestamp=";
  append_number(out, query.start_ns / kNanosecondsPerSecond);
  out += ";\n";
  if (!query.has_sql()) {
    out += "# administrator command: ";
    out += query.command;
  } else if (query.text_state == TextState::Unreadable) {
    out += "/* text unreadable */";
  } else {
    if (!append_statement(out, shown.text.visible)) out += "/* no text */";
    if (shown.text.missing_bytes > 0) {
      out += " /* truncated, ";
      append_number(out, shown.text.missing_bytes);
      out += " bytes */";
    }
  }
  out += ";\n";
}

}  // namespace

std::unique_ptr<Sink> make_slowlog_sink() { return std::make_unique<SlowLogSink>(); }

}  // namespace dbtrace::output
