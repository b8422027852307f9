#include "src/recording/database.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "src/recording/own_files.h"

namespace dbtrace::embedded {
extern const std::string_view recording_schema;
}

namespace dbtrace::recording {
namespace {

// Somebody may be reading, or writing, for this long.
constexpr int kPatience_ms = 20'000;
// Of what is read. What dbtrace writes is far shorter.
constexpr int kLongestValue = 16 << 20;
// Of an extended result code: https://sqlite.org/rescode.html#extrc
constexpr int kPrimaryCode = 0xff;
constexpr std::string_view kMaker = "dbtrace record makes recordings";

// Journals of an earlier file would be taken for this one's.
constexpr const char* kCompanions[] = {"", "-journal", "-wal", "-shm"};

Result<void> make_way(const std::string& path) {
  for (const char* companion : kCompanions)
    if (::unlink((path + companion).c_str()) != 0 && errno != ENOENT)
      return fail(fmt::format("cannot replace {}{}: {}", path, companion, std::strerror(errno)));
  return {};
}

// Who records to a file has it locked.
bool is_being_written(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return file && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

tl::unexpected<Error> cannot_write(const std::string& path, const std::string& reason) {
  return fail(fmt::format("cannot write {}: {}", path, reason));
}

Error no_recording(const std::string& path, const std::string& reason) {
  return {fmt::format("{} is no recording: {}", path, reason), std::string(kMaker)};
}

}  // namespace

Database::Database(std::string path, sqlite3* handle)
    : path_(std::move(path)), failure_(std::make_unique<Failure>()), handle_(handle) {
  ::sqlite3_extended_result_codes(handle, 1);
  ::sqlite3_busy_timeout(handle, kPatience_ms);
}

Result<void> Database::can_create(const std::string& path) {
  for (const char* each : {"", "-journal", "-new"}) {
    struct stat status {};
    const std::string name = path + each;
    if (::lstat(name.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
      return fail(
          fmt::format("cannot record to {}: {} is no regular file", path, *each ? name : "it"));
  }
  if (is_being_written(path))
    return fail(fmt::format("cannot record to {}: another dbtrace does", path));
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return cannot_write(path, std::strerror(errno));
  return {};
}

Result<Database> Database::create(const std::string& path, const FirstRows& first) {
  if (auto can = can_create(path); !can) return tl::unexpected(can.error());
  const std::string made = path + "-new";
  auto written = make_file(made, first);
  Result<void> placed;
  if (!written)
    placed = tl::unexpected(written.error());
  else
    placed = make_way(path);
  if (placed && std::rename(made.c_str(), path.c_str()) != 0)
    placed = cannot_write(path, std::strerror(errno));
  if (!placed) {
    ::unlink(made.c_str());
    return tl::unexpected(placed.error());
  }
  auto database = open_to_write(path);
  if (!database) return database;
  database->written_ = std::move(*written);
  // A journal of the old pages, on the disk before they change: whatever ends the writer, the file
  // is one, and has what the last transaction left. Nothing is written before a transaction ends.
  database->execute(
      "pragma journal_mode = delete; pragma synchronous = normal; pragma temp_store = memory;"
      "pragma cache_spill = off;");
  if (auto state = database->state(); !state) return tl::unexpected(state.error());
  return database;
}

Result<UniqueFd> Database::make_file(const std::string& path, const FirstRows& first) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT)
    return cannot_write(path, std::strerror(errno));
  // SQLite makes files that others can read.
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0)
    return cannot_write(path, std::strerror(errno));
  auto database = open_to_write(path);
  if (!database) return tl::unexpected(database.error());
  // One that is not finished is of no use.
  database->execute("pragma journal_mode = off; pragma synchronous = normal;");
  if (auto made = database->become_recording(first); !made) return tl::unexpected(made.error());
  return file;
}

Result<Database> Database::open_to_write(const std::string& path) {
  sqlite3* handle = nullptr;
  const int code = ::sqlite3_open_v2(path.c_str(), &handle,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, own_files());
  Database database(path, handle);
  if (code != SQLITE_OK) return cannot_write(path, sqlite3_errstr(code));
  return database;
}

Result<void> Database::become_recording(const FirstRows& first) {
  execute(
      fmt::format("pragma page_size = 4096; pragma temp_store = memory;"
                  "begin immediate; pragma application_id = {}; pragma user_version = {};",
                  kApplicationId, kSchemaVersion));
  execute(std::string(embedded::recording_schema));
  first(*this);
  execute("commit");
  return state();
}

Result<Database> Database::create_in_memory(const std::string& name, const FirstRows& first) {
  auto database = open_in_memory(name);
  if (!database) return database;
  // It goes with the process, whatever ends that.
  database->execute("pragma journal_mode = off; pragma synchronous = off;");
  if (auto made = database->become_recording(first); !made) return tl::unexpected(made.error());
  return database;
}

Result<Database> Database::open_in_memory(const std::string& name) {
  // A name that begins with '/' is shared within the process:
  // https://sqlite.org/src/file/src/memdb.c
  const std::string path = fmt::format("file:/{}?vfs=memdb", name);
  sqlite3* handle = nullptr;
  const int code = ::sqlite3_open_v2(
      path.c_str(), &handle,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database("memory", handle);
  if (code != SQLITE_OK)
    return fail(fmt::format("cannot record in memory: {}", sqlite3_errstr(code)));
  return database;
}

Result<Database> Database::open(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    return fail(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  if (!S_ISREG(status.st_mode)) return tl::unexpected(no_recording(path, "it is no regular file"));
  sqlite3* handle = nullptr;
  // Reading only, a cut-off transaction could not be taken back. Where the file is read-only,
  // SQLite does with that.
  const int code = ::sqlite3_open_v2(path.c_str(), &handle,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, own_files());
  Database database(path, handle);
  if (code != SQLITE_OK) return fail(fmt::format("cannot read {}: {}", path, sqlite3_errstr(code)));
  // Whoever made the file may mean harm.
  (void)::sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  (void)::sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  (void)::sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  (void)::sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  (void)::sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLongestValue);
  database.execute("pragma query_only = on; pragma cell_size_check = on; pragma mmap_size = 0;");
  const int64_t application = database.number("pragma application_id");
  const int64_t version = database.number("pragma user_version");
  if (const Failure& failure = database.failure())
    return tl::unexpected(no_recording(path, failure.message));
  if (application != kApplicationId)
    return tl::unexpected(no_recording(path, "it is a database of something else"));
  if (version < 1 || version > kSchemaVersion)
    return fail(
        fmt::format("{} is a recording of version {}, and this dbtrace knows versions up to {}",
                    path, version, kSchemaVersion),
        "read it with the dbtrace that made it, or a newer one");
  // What is a table there must be one that is in the file.
  if (database.number("select count(*) from sqlite_schema where type = 'table' and rootpage < 1"))
    return tl::unexpected(no_recording(path, "it has virtual tables"));
  return database;
}

Statement Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  if (!*failure_) {
    const int code = ::sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                          SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (code != SQLITE_OK) *failure_ = {code, ::sqlite3_errmsg(handle_.get())};
  }
  return {*failure_, statement};
}

Statement Database::insert_into(std::string_view table, int columns) {
  std::string sql = fmt::format("insert into {} values (?", table);
  for (int column = 1; column < columns; ++column) sql += ", ?";
  return prepare(sql + ")");
}

void Database::execute(const std::string& sql) {
  if (*failure_) return;
  const int code = ::sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) *failure_ = {code, ::sqlite3_errmsg(handle_.get())};
}

bool Database::try_commit() {
  execute("commit");
  if ((failure_->code & kPrimaryCode) != SQLITE_BUSY) return true;
  *failure_ = {};
  return false;
}

void Database::wait_for_readers(std::chrono::milliseconds patience) {
  ::sqlite3_busy_timeout(handle_.get(), static_cast<int>(patience.count()));
}

bool Database::has(std::string_view table) {
  int64_t count = 0;
  Statement statement =
      prepare("select count(*) from sqlite_schema where type = 'table' and name = ?");
  if (statement.put(table).next()) statement.get(count);
  return count > 0;
}

int64_t Database::number(std::string_view sql) {
  int64_t value = 0;
  Statement statement = prepare(sql);
  if (statement.next()) statement.get(value);
  return value;
}

Result<void> Database::state() const {
  if (!*failure_) return {};
  if (failure_->code == SQLITE_READONLY_DBMOVED)
    return fail(fmt::format("{} was removed, or something else is in its place", path_));
  if ((failure_->code & kPrimaryCode) == SQLITE_BUSY)
    return fail(fmt::format("{}: somebody else reads or writes it for too long", path_));
  return fail(fmt::format("{}: {}", path_, failure_->message));
}

}  // namespace dbtrace::recording
