#include "src/recording/query_writer.h"

#include "src/output/redact.h"
#include "src/recording/format.h"

namespace dbtrace::recording {
namespace {

using model::Cause;
using model::Query;
using model::TextState;

// Of those beyond, all that is kept is that they are others.
constexpr size_t kMostKinds = 50'000;

// The causes that have columns in `query`.
constexpr size_t kUsualCauses = 2;
static_assert(static_cast<size_t>(Cause::OnCpu) == 0 && static_cast<size_t>(Cause::RunQueue) == 1);

std::optional<uint64_t> cause_ns(const Query& query, Cause cause) {
  return query.budget ? std::optional(query.budget->ns(cause)) : std::nullopt;
}

unsigned known_parts(const Query& query) {
  return (query.io ? kIoKnown : 0) | (query.named_waits ? kWaitsKnown : 0) |
         (query.stacks ? kStacksKnown : 0) | (query.samples ? kSamplesKnown : 0);
}

bool is_all_zero(const model::IoCount& count) {
  return !count.count && !count.blocked && !count.bytes && !count.ns && !count.max_ns;
}

Statement& put_count(Statement& statement, const model::IoCount& count) {
  return statement.put(count.count)
      .put(count.blocked)
      .put(count.bytes)
      .put(count.ns)
      .put(count.max_ns);
}

}  // namespace

QueryWriter::QueryWriter(Database& database, uint64_t begin_ns, bool literals)
    : begin_ns_(begin_ns),
      literals_(literals),
      kinds_({.max_kinds = kMostKinds, .redact = output::redact}),
      session_(database.insert_into("session", 10)),
      command_(database.insert_into("command", 3)),
      kind_(database.insert_into("kind", 3)),
      text_(database.insert_into("text", 6)),
      file_(database.insert_into("file", 3)),
      event_(database.insert_into("event", 3)),
      stack_(database.insert_into("stack", 2)),
      query_(database.insert_into("query", 13)),
      blocked_(database.insert_into("blocked", 18)),
      detail_(database.insert_into("detail", 12)),
      blocker_(database.insert_into("blocker", 10)),
      wait_(database.insert_into("wait", 5)),
      io_(database.insert_into("io", 8)),
      file_io_(database.insert_into("file_io", 9)),
      query_stack_(database.insert_into("query_stack", 7)),
      samples_(database) {}

void QueryWriter::add(const Query& query, uint64_t weight) {
  const int64_t session = session_of(query);
  const int64_t command = command_of(query);
  const int64_t text = text_of(query);
  query_.put(++last_id_)
      .put(query.start_ns - begin_ns_)
      .put(query.duration_ns)
      .put(session)
      .put(command)
      .put(text)
      .put(query.error)
      .put(query.rows_sent)
      .put(query.rows_examined)
      .put(weight)
      .put(known_parts(query))
      .put(cause_ns(query, Cause::OnCpu))
      .put(cause_ns(query, Cause::RunQueue))
      .run();
  if (query.budget) add_budget(*query.budget);
  add_details(query);
  if (query.blocker) add_blocker(query, *query.blocker);
  if (query.io) add_io(*query.io);
  if (query.named_waits) add_waits(*query.named_waits);
  if (query.stacks) add_stacks(*query.stacks);
  if (query.samples) samples_.add(last_id_, *query.samples);
}

void QueryWriter::add_budget(const model::Budget& budget) {
  uint64_t any = budget.unexplained_ns | budget.voluntary_switches | budget.involuntary_switches;
  for (size_t cause = kUsualCauses; cause < model::kCauses; ++cause)
    any |= budget.by_cause_ns[cause];
  if (!any) return;
  blocked_.put(last_id_);
  for (size_t cause = kUsualCauses; cause < model::kCauses; ++cause)
    blocked_.put(budget.by_cause_ns[cause]);
  blocked_.put(budget.unexplained_ns)
      .put(budget.voluntary_switches)
      .put(budget.involuntary_switches)
      .run();
}

void QueryWriter::add_details(const Query& query) {
  const uint64_t others_ns = query.named_waits ? query.named_waits->others_ns : 0;
  if (query.sqlstate.empty() && !query.process_ended && !query.running && query.start_known &&
      !query.kind && !query.statement_id && !query.parent_id && !query.children_ns &&
      !query.depth && !query.waits_for && !others_ns)
    return;
  const std::optional<int64_t> waits_for =
      query.waits_for ? std::optional(event_of(*query.waits_for)) : std::nullopt;
  detail_.put(last_id_)
      .put(query.sqlstate)
      .put(query.process_ended)
      .put(query.running)
      .put(!query.start_known)
      .put(query.kind)
      .put(query.statement_id)
      .put(query.parent_id)
      .put(query.children_ns)
      .put(query.depth)
      .put(waits_for)
      .put(others_ns)
      .run();
}

void QueryWriter::add_blocker(const Query& query, const model::Blocker& blocker) {
  std::optional<int64_t> text;
  if (blocker.query) {
    Query other;
    other.flavor = query.flavor;
    other.command = "Query";
    other.text_state = TextState::Present;
    other.text = *blocker.query;
    other.text_length = blocker.query_length;
    text = text_of(other);
  }
  blocker_.put(last_id_)
      .put(blocker.waited_ns)
      .put(static_cast<uint8_t>(blocker.cause))
      .put(blocker.pid)
      .put(blocker.tid)
      .put(blocker.thread)
      .put(blocker.title)
      .put(blocker.idle)
      .put(blocker.connection_id)
      .put(text)
      .run();
}

void QueryWriter::add_io(const model::Io& io) {
  for (size_t i = 0; i < model::kFileOperations; ++i) {
    const bool has_file = io.slowest[i] != model::File{};
    if (is_all_zero(io.operations[i]) && !has_file) continue;
    const std::optional<int64_t> file =
        has_file ? std::optional(file_of(io.slowest[i])) : std::nullopt;
    put_count(io_.put(last_id_).put(i), io.operations[i]).put(file).run();
  }
  for (size_t place = 0; place < io.files.size(); ++place) {
    const int64_t file = file_of(io.files[place].file);
    for (size_t i = 0; i < model::kFileOperations; ++i) {
      // One at least, to tell of the file.
      if (i > 0 && is_all_zero(io.files[place].operations[i])) continue;
      file_io_.put(last_id_).put(place).put(i).put(file);
      put_count(file_io_, io.files[place].operations[i]).run();
    }
  }
}

void QueryWriter::add_waits(const model::NamedWaits& waits) {
  for (size_t place = 0; place < waits.waits.size(); ++place) {
    const model::NamedWait& wait = waits.waits[place];
    const int64_t event = event_of(wait.event);
    wait_.put(last_id_).put(place).put(event).put(wait.ns).put(wait.waits).run();
  }
}

void QueryWriter::add_stacks(const std::vector<model::NamedStack>& stacks) {
  for (size_t place = 0; place < stacks.size(); ++place) {
    const model::NamedStack& stack = stacks[place];
    frames_.clear();
    for (const std::string& frame : stack.frames) (frames_ += frame) += kFrameEnd;
    const int64_t frames = stacks_.number(stacks_.key().add(frames_),
                                          [&](int64_t id) { stack_.put(id).put(frames_).run(); });
    query_stack_.put(last_id_)
        .put(place)
        .put(frames)
        .put(static_cast<uint8_t>(stack.cause))
        .put(stack.ns)
        .put(stack.count)
        .put(stack.whole)
        .run();
  }
}

int64_t QueryWriter::session_of(const Query& query) {
  Key key = sessions_.key();
  key.add(query.flavor).add(query.pid).add(query.tid).add(query.connection_id).add(query.user);
  key.add(query.host).add(query.ip).add(query.application).add(query.database);
  return sessions_.number(key, [&](int64_t id) {
    session_.put(id)
        .put(query.flavor)
        .put(query.pid)
        .put(query.tid)
        .put(query.connection_id)
        .put(query.user)
        .put(query.host)
        .put(query.ip)
        .put(query.application)
        .put(query.database)
        .run();
  });
}

int64_t QueryWriter::command_of(const Query& query) {
  return commands_.number(
      commands_.key().add(query.command_id).add(query.command),
      [&](int64_t id) { command_.put(id).put(query.command_id).put(query.command).run(); });
}

int64_t QueryWriter::kind_of(const Query& query) {
  const uint32_t kind = kinds_.of(query).front();
  for (; kinds_written_ < kinds_.size(); ++kinds_written_) {
    const kinds::Kind& each = kinds_[static_cast<uint32_t>(kinds_written_)];
    kind_.put(kinds_written_ + 1).put(each.id).put(each.text).run();
  }
  return int64_t{kind} + 1;
}

TextForm QueryWriter::form_of(const Query& query) const {
  if (query.text_state == TextState::None) return TextForm::None;
  if (query.text_state == TextState::Unreadable) return TextForm::Unreadable;
  const bool is_wanted = literals_ || !query.has_sql();
  return is_wanted && !query.is_fingerprint ? TextForm::Copied : TextForm::Fingerprint;
}

int64_t QueryWriter::text_of(const Query& query) {
  const int64_t kind = kind_of(query);
  const TextForm form = form_of(query);
  std::optional<std::string_view> text;
  std::optional<uint64_t> length;
  if (form == TextForm::Copied)
    text = output::redact(query.text, redacted_) ? std::string_view(redacted_) : query.text;
  if (form == TextForm::Unreadable) length = query.text_length;
  // Also of what is shorter now for want of its secrets: it is cut as long as it was.
  if (form == TextForm::Copied && query.truncated())
    length = text->size() + (query.text_length - query.text.size());
  const Key key = Key(texts_.key())
                      .add(static_cast<uint64_t>(kind))
                      .add(static_cast<uint64_t>(form))
                      .add(text)
                      .add(length)
                      .add(query.query_id ? std::optional(static_cast<uint64_t>(*query.query_id))
                                          : std::nullopt);
  return texts_.number(key, [&](int64_t id) {
    text_.put(id)
        .put(kind)
        .put(static_cast<uint8_t>(form))
        .put(text)
        .put(length)
        .put(query.query_id)
        .run();
  });
}

int64_t QueryWriter::file_of(const model::File& file) {
  return files_.number(files_.key().add(file.name).add(file.content),
                       [&](int64_t id) { file_.put(id).put(file.name).put(file.content).run(); });
}

int64_t QueryWriter::event_of(const model::WaitEvent& event) {
  return events_.number(events_.key().add(event.type).add(event.event),
                        [&](int64_t id) { event_.put(id).put(event.type).put(event.event).run(); });
}

}  // namespace dbtrace::recording
