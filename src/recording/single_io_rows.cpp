#include "src/recording/single_io_rows.h"

#include <algorithm>

#include "src/recording/format.h"

namespace dbtrace::recording {
namespace {

// A file may say anything; what is added up of such numbers does not wrap around soon.
uint64_t bounded(int64_t number) {
  constexpr int64_t kMost = int64_t{1} << 46;
  return static_cast<uint64_t>(std::clamp<int64_t>(number, 0, kMost));
}

// Whose they are, by process and begin: SQLite makes a temporary index of what it needs of the
// queries.
constexpr const char* kWithQueries =
    "select start_ns, duration_ns, file, operation, thread, command_ns, offset, bytes, flags,"
    " error, begun.id from single_io"
    " left join thread on thread.id = single_io.thread"
    " left join (select query.start_ns as at, session.pid as pid, min(query.id) as id"
    "   from query join session on session.id = query.session group by 1, 2) as begun"
    "   on begun.at = single_io.command_ns and begun.pid = thread.pid"
    " order by single_io.id";
constexpr const char* kWithoutQueries =
    "select start_ns, duration_ns, file, operation, thread, command_ns, offset, bytes, flags,"
    " error, null from single_io order by id";

}  // namespace

SingleIoWriter::SingleIoWriter(Database& database, uint64_t begin_ns)
    : begin_ns_(begin_ns),
      thread_(database.insert_into("thread", 4)),
      operation_(database.insert_into("single_io", 11)) {}

int64_t SingleIoWriter::thread_of(const model::IoOperation& operation) {
  Key key = threads_.key();
  key.add(uint64_t{operation.pid}).add(uint64_t{operation.tid}).add(operation.thread);
  return threads_.number(key, [&](int64_t id) {
    thread_.put(id).put(operation.pid).put(operation.tid).put(operation.thread).run();
  });
}

void SingleIoWriter::add(const model::IoOperation& operation, QueryWriter& names) {
  const int64_t file = names.file_of(operation.file);
  const int64_t thread = thread_of(operation);
  std::optional<int64_t> command_ns;
  if (operation.command_start_ns)
    command_ns = static_cast<int64_t>(*operation.command_start_ns - begin_ns_);
  operation_.put_null()
      .put(operation.start_ns - begin_ns_)
      .put(operation.duration_ns)
      .put(file)
      .put(static_cast<uint8_t>(operation.operation))
      .put(thread)
      .put(command_ns)
      .put(operation.offset)
      .put(operation.bytes)
      .put((operation.blocked ? kBlocked : 0) | (operation.asynchronous ? kAsynchronous : 0))
      .put(operation.error)
      .run();
}

SingleIoReader::SingleIoReader(Database& database, uint64_t begin_ns, bool with_queries)
    : begin_ns_(begin_ns),
      rows_(database.prepare(with_queries ? kWithQueries : kWithoutQueries)),
      threads_(database, "select pid, tid, name from thread where id = ?"),
      files_(database, "select name, content from file where id = ?"),
      queries_(database, begin_ns) {}

bool SingleIoReader::next() {
  uint64_t kind = 0;
  do {
    if (!rows_.next()) return false;
    int64_t start = 0, duration = 0, file = 0, thread = 0, bytes = 0;
    unsigned flags = 0;
    std::optional<int64_t> command;
    rows_.get(start).get(duration).get(file).get(kind).get(thread).get(command);
    rows_.get(operation_.offset).get(bytes).get(flags).get(operation_.error).get(query_);
    operation_.start_ns = begin_ns_ + static_cast<uint64_t>(start);
    operation_.duration_ns = bounded(duration);
    operation_.bytes = bounded(bytes);
    operation_.blocked = flags & kBlocked;
    operation_.asynchronous = flags & kAsynchronous;
    operation_.command_start_ns.reset();
    if (command) operation_.command_start_ns = begin_ns_ + static_cast<uint64_t>(*command);
    operation_.file =
        files_.of(file, [](Statement& row, model::File& to) { row.get(to.name).get(to.content); });
    const Thread& of = threads_.of(
        thread, [](Statement& row, Thread& to) { row.get(to.pid).get(to.tid).get(to.name); });
    operation_.pid = of.pid;
    operation_.tid = of.tid;
    operation_.thread = of.name;
  } while (kind >= model::kFileOperations);
  operation_.operation = static_cast<model::FileOperation>(kind);
  return true;
}

const model::Query* SingleIoReader::query() { return query_ ? queries_.find(*query_) : nullptr; }

bool has_single_io(Database& database) {
  if (!database.has("single_io")) return false;
  // Where there was none to keep, there is the count of them.
  return database.number(
             "select exists (select 1 from single_io) or"
             " exists (select 1 from counter where name = 'file_operations_seen')") != 0;
}

}  // namespace dbtrace::recording
