#include "src/recording/query_reader.h"

#include <algorithm>
#include <utility>

#include "src/recording/format.h"

namespace dbtrace::recording {
namespace {

using model::Query;
using model::TextState;

constexpr size_t kUsualCauses = 2;  // they stand in the query's own row
// More than any query has: a file may say anything.
constexpr uint64_t kMostParts = 10'000;

void get_count(Statement& row, model::IoCount& count) {
  row.get(count.count).get(count.blocked).get(count.bytes).get(count.ns).get(count.max_ns);
}

}  // namespace

QueryReader::QueryReader(Database& database, uint64_t begin_ns)
    : begin_ns_(begin_ns),
      rows_(database.prepare(
          "select id, start_ns, duration_ns, session, command, text, error, rows_sent,"
          " rows_examined, known, on_cpu_ns, runqueue_ns from query"
          " where id between ? and ? order by id")),
      row_(database.prepare("select start_ns, duration_ns, session, command, text from query"
                            " where id = ?")),
      blocked_(database, "blocked",
               "file_read_ns, file_write_ns, fsync_ns, lock_ns, network_ns, sleep_ns, other_ns,"
               " row_lock_ns, metadata_lock_ns, table_lock_ns, user_lock_ns, global_lock_ns,"
               " binlog_ns, group_commit_ns, unexplained_ns, voluntary_switches,"
               " involuntary_switches"),
      details_(database, "detail",
               "sqlstate, process_ended, running, start_unknown, coarse_kind, statement_id,"
               " parent_id, children_ns, depth, waits_for, other_waits_ns"),
      blockers_(database, "blocker",
                "waited_ns, cause, pid, tid, thread, title, idle, connection, text"),
      waits_(database, "wait", "event, ns, waits", "query, place"),
      io_(database, "io", "operation, slowest_file, count, blocked, bytes, ns, max_ns",
          "query, operation"),
      file_io_(database, "file_io", "place, operation, file, count, blocked, bytes, ns, max_ns",
               "query, place, operation"),
      stacks_(database, "query_stack", "stack, cause, ns, count, whole", "query, place"),
      sessions_(database,
                "select flavor, pid, tid, connection, user, host, ip, application, database"
                " from session where id = ?"),
      commands_(database, "select number, name from command where id = ?"),
      texts_(database,
             "select text.kind, text.form, iif(text.form = 1, kind.text, text.text),"
             " text.length, text.query_id"
             " from text left join kind on kind.id = text.kind where text.id = ?"),
      files_(database, "select name, content from file where id = ?"),
      events_(database, "select type, event from event where id = ?"),
      frames_(database, "select frames from stack where id = ?") {
  seek({});
}

void QueryReader::seek(const Ids& ids) {
  rows_.reset();
  rows_.put(ids.first).put(ids.last);
  for (Beside* beside : besides()) beside->seek(ids);
  if (samples_) samples_->seek(ids);
}

bool QueryReader::next() {
  if (!rows_.next()) {
    // As long as a row is at hand, nobody can write the file.
    for (Beside* beside : besides()) beside->end();
    if (samples_) samples_->end();
    return false;
  }
  int64_t start = 0, session = 0, command = 0, text = 0;
  unsigned known = 0;
  std::optional<uint64_t> on_cpu_ns, runqueue_ns;
  rows_.get(id_)
      .get(start)
      .get(query_.duration_ns)
      .get(session)
      .get(command)
      .get(text)
      .get(query_.error)
      .get(query_.rows_sent)
      .get(query_.rows_examined)
      .get(known)
      .get(on_cpu_ns)
      .get(runqueue_ns);
  query_.start_ns = begin_ns_ + static_cast<uint64_t>(start);
  // Often those of the query before.
  if (session != std::exchange(session_, session)) set_session(session);
  if (text != std::exchange(text_, text)) set_text(text);
  set_command(command);

  query_.budget.reset();
  if (on_cpu_ns) add_budget(*on_cpu_ns, runqueue_ns.value_or(0));
  query_.io.reset();
  if (known & kIoKnown) add_io();
  query_.named_waits.reset();
  if (known & kWaitsKnown) add_waits();
  query_.stacks.reset();
  if (known & kStacksKnown) add_stacks();
  query_.samples.reset();
  if (samples_ && known & kSamplesKnown) query_.samples = samples_->of(id_);
  add_blocker();
  add_details();
  return true;
}

const model::Query* QueryReader::find(int64_t id) {
  if (id == id_) return &query_;
  row_.put(id);
  const bool is_there = row_.next();
  int64_t start = 0, session = 0, command = 0, text = 0;
  if (is_there) row_.get(start).get(query_.duration_ns).get(session).get(command).get(text);
  row_.reset();
  if (!is_there) return nullptr;
  id_ = id;
  query_.start_ns = begin_ns_ + static_cast<uint64_t>(start);
  if (session != std::exchange(session_, session)) set_session(session);
  if (text != std::exchange(text_, text)) set_text(text);
  set_command(command);
  return &query_;
}

std::string_view QueryReader::kept(const std::string& name) { return *names_.insert(name).first; }

void QueryReader::set_session(int64_t id) {
  const Session& session = sessions_.of(id, [&](Statement& row, Session& to) {
    std::string flavor;
    row.get(flavor).get(to.pid).get(to.tid).get(to.connection_id).get(to.user);
    row.get(to.host).get(to.ip).get(to.application).get(to.database);
    to.flavor = kept(flavor);
  });
  query_.flavor = session.flavor;
  query_.pid = session.pid;
  query_.tid = session.tid;
  query_.connection_id = session.connection_id;
  query_.user = session.user;
  query_.host = session.host;
  query_.ip = session.ip;
  query_.application = session.application;
  query_.database = session.database;
}

void QueryReader::set_command(int64_t id) {
  const Command& command = commands_.of(id, [&](Statement& row, Command& to) {
    std::string name;
    row.get(to.id).get(name);
    to.name = kept(name);
  });
  query_.command_id = command.id;
  query_.command = command.name;
}

const QueryReader::Text& QueryReader::text(int64_t id) {
  return texts_.of(id, [](Statement& row, Text& to) {
    std::optional<uint64_t> length;
    row.get(to.kind).get(to.form).get(to.text).get(length).get(to.query_id);
    to.length = std::max<uint64_t>(length.value_or(0), to.text.size());
  });
}

void QueryReader::set_text(int64_t id) {
  const Text& from = text(id);
  kind_ = from.kind;
  query_.text = from.text;
  query_.text_length = from.length;
  query_.query_id = from.query_id;
  const auto form = static_cast<TextForm>(from.form);
  query_.is_fingerprint = form == TextForm::Fingerprint;
  query_.text_state = form == TextForm::None         ? TextState::None
                      : form == TextForm::Unreadable ? TextState::Unreadable
                                                     : TextState::Present;
}

void QueryReader::add_budget(uint64_t on_cpu_ns, uint64_t runqueue_ns) {
  model::Budget& budget = query_.budget.emplace();
  budget.by_cause_ns[0] = on_cpu_ns;
  budget.by_cause_ns[1] = runqueue_ns;
  Statement* const row = blocked_.row_of(id_);
  if (!row) return;
  for (size_t cause = kUsualCauses; cause < model::kCauses; ++cause)
    row->get(budget.by_cause_ns[cause]);
  row->get(budget.unexplained_ns).get(budget.voluntary_switches).get(budget.involuntary_switches);
}

void QueryReader::add_details() {
  query_.sqlstate.clear();
  query_.process_ended = query_.running = false;
  query_.start_known = true;
  query_.kind = query_.statement_id = query_.parent_id = query_.children_ns = 0;
  query_.depth = 0;
  query_.waits_for.reset();
  Statement* const row = details_.row_of(id_);
  if (!row) return;
  bool start_unknown = false;
  std::optional<int64_t> waits_for;
  uint64_t others_ns = 0;
  row->get(query_.sqlstate)
      .get(query_.process_ended)
      .get(query_.running)
      .get(start_unknown)
      .get(query_.kind)
      .get(query_.statement_id)
      .get(query_.parent_id)
      .get(query_.children_ns)
      .get(query_.depth)
      .get(waits_for)
      .get(others_ns);
  query_.start_known = !start_unknown;
  if (waits_for) query_.waits_for = event(*waits_for);
  if (query_.named_waits) query_.named_waits->others_ns = others_ns;
}

void QueryReader::add_blocker() {
  query_.blocker.reset();
  Statement* const row = blockers_.row_of(id_);
  if (!row) return;
  model::Blocker& blocker = query_.blocker.emplace();
  uint64_t cause = 0;
  std::optional<int64_t> query;
  row->get(blocker.waited_ns)
      .get(cause)
      .get(blocker.pid)
      .get(blocker.tid)
      .get(blocker.thread)
      .get(blocker.title)
      .get(blocker.idle)
      .get(blocker.connection_id)
      .get(query);
  blocker.cause = cause_of(cause);
  if (!query) return;
  const Text& from = text(*query);
  blocker.query = from.text;
  blocker.query_length = from.length;
}

void QueryReader::add_io() {
  model::Io& io = query_.io.emplace();
  while (Statement* const row = io_.row_of(id_)) {
    uint64_t operation = 0;
    std::optional<int64_t> slowest;
    model::IoCount count;
    get_count(row->get(operation).get(slowest), count);
    if (operation >= model::kFileOperations) continue;
    io.operations[operation] = count;
    if (slowest) io.slowest[operation] = file(*slowest);
  }
  while (Statement* const row = file_io_.row_of(id_)) {
    uint64_t place = 0, operation = 0;
    int64_t number = 0;
    model::IoCount count;
    get_count(row->get(place).get(operation).get(number), count);
    if (operation >= model::kFileOperations || place > kMostParts) continue;
    if (io.files.size() <= place) io.files.resize(place + 1);
    io.files[place].file = file(number);
    io.files[place].operations[operation] = count;
  }
}

void QueryReader::add_waits() {
  model::NamedWaits& waits = query_.named_waits.emplace();
  while (Statement* const row = waits_.row_of(id_)) {
    int64_t number = 0;
    model::NamedWait wait;
    row->get(number).get(wait.ns).get(wait.waits);
    wait.event = event(number);
    waits.waits.push_back(std::move(wait));
  }
}

void QueryReader::add_stacks() {
  auto& stacks = query_.stacks.emplace();
  while (Statement* const row = stacks_.row_of(id_)) {
    int64_t number = 0;
    uint64_t cause = 0;
    model::NamedStack stack;
    row->get(number).get(cause).get(stack.ns).get(stack.count).get(stack.whole);
    stack.cause = cause_of(cause);
    std::string_view rest =
        frames_.of(number, [](Statement& from, std::string& to) { from.get(to); });
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(kFrameEnd), rest.size());
      stack.frames.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    stacks.push_back(std::move(stack));
  }
}

const model::File& QueryReader::file(int64_t id) {
  return files_.of(id, [](Statement& row, model::File& to) { row.get(to.name).get(to.content); });
}

const model::WaitEvent& QueryReader::event(int64_t id) {
  return events_.of(id,
                    [](Statement& row, model::WaitEvent& to) { row.get(to.type).get(to.event); });
}

}  // namespace dbtrace::recording
