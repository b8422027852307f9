#include "src/output/budget_json.h"

#include "src/output/cause_names.h"

namespace dbtrace::output {
namespace {

using model::Blocker;
using model::Budget;
using model::Cause;

struct OperationKeys {
  std::string_view count;
  std::string_view bytes;
  std::string_view ns;
  std::string_view max_ns;
  std::string_view blocked;
  std::string_view max_file;
  std::string_view max_table;
};

// In the order of model::FileOperation.
constexpr std::array<OperationKeys, model::kFileOperations> kOperations = {{
    {"reads", "read_bytes", "read_ns", "read_max_ns", "reads_blocked", "read_max_file",
     "read_max_table"},
    {"writes", "write_bytes", "write_ns", "write_max_ns", "writes_blocked", "write_max_file",
     "write_max_table"},
    {"fsyncs", "fsync_bytes", "fsync_ns", "fsync_max_ns", "fsyncs_blocked", "fsync_max_file",
     "fsync_max_table"},
}};

void string_or_null(JsonObject& object, std::string_view key, const std::string& value) {
  value.empty() ? object.null(key) : object.string(key, value);
}

void counts(JsonObject& object, const OperationKeys& keys, const model::IoCount& count) {
  object.number(keys.count, count.count);
  object.number(keys.bytes, count.bytes);
  object.number(keys.ns, count.ns);
  object.number(keys.max_ns, count.max_ns);
  object.number(keys.blocked, count.blocked);
}

void file_member(JsonObject& object, const model::File& file, std::string_view file_key,
                 std::string_view table_key) {
  string_or_null(object, file_key, file.name);
  string_or_null(object, table_key, file.content);
}

void io_member(JsonObject& object, const model::Io& io, std::string& out) {
  object.key("io");
  JsonObject member(out);
  for (size_t i = 0; i < kOperations.size(); ++i) {
    counts(member, kOperations[i], io.operations[i]);
    file_member(member, io.slowest[i], kOperations[i].max_file, kOperations[i].max_table);
  }
  member.key("files");
  out += '[';
  for (const model::FileIo& file : io.files) {
    if (&file != &io.files.front()) out += ',';
    JsonObject entry(out);
    file_member(entry, file.file, "file", "table");
    add_operations(file.operations, entry);
    entry.end();
  }
  out += ']';
  member.end();
}

void event_members(JsonObject& object, const model::WaitEvent& event) {
  object.string("type", event.type);
  object.string("event", event.event);
}

void waits_member(JsonObject& object, const model::NamedWaits& waits, std::string& out) {
  object.key("wait_events");
  out += '[';
  for (const model::NamedWait& wait : waits.waits) {
    if (&wait != &waits.waits.front()) out += ',';
    JsonObject entry(out);
    event_members(entry, wait.event);
    entry.number("ns", wait.ns);
    entry.number("waits", wait.waits);
    entry.end();
  }
  out += ']';
  if (waits.others_ns != 0) object.number("other_wait_events_ns", waits.others_ns);
}

void blocker_member(JsonObject& object, const Blocker& blocker, const ShownText& text,
                    std::string& out) {
  object.key("blocker");
  JsonObject member(out);
  member.number("waited_ns", blocker.waited_ns);
  member.string("cause", name_of(blocker.cause).name());
  member.number("pid", blocker.pid);
  member.number("tid", blocker.tid);
  member.string("thread", blocker.thread);
  if (!blocker.title.empty()) member.string("process", blocker.title);
  if (blocker.idle) member.boolean("idle_in_transaction", true);
  blocker.connection_id ? member.number("conn", *blocker.connection_id) : member.null("conn");
  if (blocker.query) {
    member.string("query", text.visible, text.bytes);
    if (text.redacted) member.boolean("redacted", true);
    member.number("query_length", blocker.query_length);
    member.boolean("truncated", text.missing_bytes != 0);
  } else {
    member.null("query");
    member.null("query_length");
    member.boolean("truncated", false);
  }
  member.end();
}

}  // namespace

void add_causes(const Budget& budget, JsonObject& object) {
  for (const CauseName& name : kCauseNames) {
    if (is_kind_of_lock(name.cause)) continue;
    object.number(name.json_key,
                  name.cause == Cause::Lock ? budget.lock_ns() : budget.ns(name.cause));
  }
  object.number(UnexplainedName::json_key, budget.unexplained_ns);
}

void add_locks(const Budget& budget, JsonObject& object, std::string& out) {
  object.key("locks");
  JsonObject locks(out);
  for (const CauseName& name : kCauseNames) {
    if (is_kind_of_lock(name.cause) && budget.ns(name.cause) != 0)
      locks.number(name.json_key, budget.ns(name.cause));
  }
  locks.end();
}

void add_operations(const model::IoCounts& operations, JsonObject& object) {
  for (size_t i = 0; i < kOperations.size(); ++i) counts(object, kOperations[i], operations[i]);
}

void add_budget(const Budget& budget, JsonObject& object, std::string& out) {
  object.key("budget");
  JsonObject member(out);
  add_causes(budget, member);
  member.number("voluntary_switches", budget.voluntary_switches);
  member.number("involuntary_switches", budget.involuntary_switches);
  add_locks(budget, member, out);
  member.end();
}

void append_budget(JsonObject& object, const Shown& shown, std::string& out) {
  const model::Query& query = shown.query;
  query.budget ? add_budget(*query.budget, object, out) : object.null("budget");
  query.io ? io_member(object, *query.io, out) : object.null("io");
  query.blocker ? blocker_member(object, *query.blocker, shown.blocker, out)
                : object.null("blocker");
  if (query.named_waits) waits_member(object, *query.named_waits, out);
}

void append_wait(JsonObject& object, const model::WaitEvent& event, std::string& out) {
  object.key("wait_event");
  JsonObject member(out);
  event_members(member, event);
  member.end();
}

}  // namespace dbtrace::output
