// Comma-separated values (csv_row.h): a heading, and a row a query.
#include "src/output/clock_text.h"
#include "src/output/csv_row.h"
#include "src/output/digits.h"
#include "src/output/formats.h"
#include "src/output/shown.h"

namespace dbtrace::output {
namespace {

using model::Query;
using model::TextState;

class CsvSink final : public Sink {
 public:
  void begin(std::string& out) override {
    out +=
        "start,duration_ns,pid,tid,flavor,conn,user,host,application,db,command,query,query_length,"
        "error,sqlstate,rows_sent,rows_examined,query_id,statement_id,parent_id";
    append_budget_heading(out);
    out += ",blocked_ns,blocker_pid,blocker_conn,blocker_query\r\n";
  }

 private:
  void format(const Shown& shown, std::string& out) override {
    const Query& query = shown.query;
    CsvRow row(out);
    if (query.start_known)
      row.word(time(query.start_ns)).number(query.duration_ns);
    else
      row.word({}).word({});
    row.number(query.pid).number(query.tid).text(query.flavor).number(query.connection_id);
    row.text_if_known(query.user).text_if_known(shown_host(query));
    row.text_if_known(query.application).text_if_known(query.database);
    row.text(query.command);
    text(shown, row);
    row.number(query.error);
    query.sqlstate.empty() ? row.word({}) : row.text(query.sqlstate);
    row.number(query.rows_sent).number(query.rows_examined);
    row.word(query.query_id ? std::to_string(*query.query_id) : "");
    number_unless_zero(query.statement_id, row);
    number_unless_zero(query.parent_id, row);
    row.budget(query.budget ? &*query.budget : nullptr);
    row.io(query.io ? &query.io->operations : nullptr);
    blocker(shown, row);
    row.end();
  }

  static void text(const Shown& shown, CsvRow& row) {
    const Query& query = shown.query;
    const bool has_length = query.text_state != TextState::None && !query.is_fingerprint;
    query.text_state == TextState::Present ? row.text(shown.text.visible) : row.word({});
    has_length ? row.number(query.text_length) : row.word({});
  }

  static void blocker(const Shown& shown, CsvRow& row) {
    if (const auto& blocker = shown.query.blocker) {
      row.number(blocker->waited_ns).number(blocker->pid).number(blocker->connection_id);
      blocker->query ? row.text(shown.blocker.visible) : row.word({});
    } else {
      row.word({}).word({}).word({}).word({});
    }
  }

  static void number_unless_zero(uint64_t number, CsvRow& row) {
    number > 0 ? row.number(number) : row.word({});
  }

  std::string time(uint64_t ns) {
    std::string text(clock_.at(ns / kNanosecondsPerSecond));
    text += '.';
    append_zero_padded(text, ns % kNanosecondsPerSecond, 9);
    return text + 'Z';
  }

  ClockText clock_{Zone::Utc, "%Y-%m-%dT%H:%M:%S"};
};

}  // namespace

std::unique_ptr<Sink> make_csv_sink() { return std::make_unique<CsvSink>(); }

}  // namespace dbtrace::output
