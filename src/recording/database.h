// A file of SQLite's, and what makes one a recording.
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "src/recording/statement.h"
#include "symbols/result.h"
#include "symbols/unique.h"

namespace dbtrace::recording {

// PRAGMA application_id ("dbtr") and user_version of a recording.
inline constexpr int64_t kApplicationId = 0x64627472;
inline constexpr int64_t kSchemaVersion = 3;

struct DatabaseTraits {
  using Handle = sqlite3*;
  static Handle none() { return nullptr; }
  static void release(Handle handle) { ::sqlite3_close_v2(handle); }
};

// Not for use by several threads at once.
class Database {
 public:
  // The rows that every recording has.
  using FirstRows = std::function<void(Database&)>;
  // A recording of these only, readable by its owner only, in the place of an older file. Whatever
  // ends the process meanwhile, what is at `path` then is a recording, or nothing: it is made
  // beside it, as `path`-new. Errors: those of can_create(), or no file can be made.
  [[nodiscard]] static Result<Database> create(const std::string& path, const FirstRows& first);
  // What would be in the way of create(), which changes nothing: something that is no regular file,
  // a recording that is being made by somebody else, or a folder that is not to be written to.
  [[nodiscard]] static Result<void> can_create(const std::string& path);
  // The same in memory, as long as anybody has it open. `name`: for open_in_memory().
  [[nodiscard]] static Result<Database> create_in_memory(const std::string& name,
                                                         const FirstRows& first);
  [[nodiscard]] static Result<Database> open_in_memory(const std::string& name);
  // One to be read. What a writer that was killed had not finished is taken back. Errors: no
  // recording, or of a version that is not known.
  [[nodiscard]] static Result<Database> open(const std::string& path);

  [[nodiscard]] Statement prepare(std::string_view sql);
  // "insert into TABLE values (…)" with so many columns.
  [[nodiscard]] Statement insert_into(std::string_view table, int columns);
  // Carries out statements that return nothing.
  void execute(const std::string& sql);
  // Ends a transaction; false: somebody reads the file, and it goes on.
  [[nodiscard]] bool try_commit();
  // Another one may take its place from now on (can_create).
  void release() { written_.reset(); }
  // For so long at a time.
  void wait_for_readers(std::chrono::milliseconds patience);
  // Whether there is a table of this name: early versions have not all.
  [[nodiscard]] bool has(std::string_view table);
  // One number that `sql` asks for; 0 if there is none.
  [[nodiscard]] int64_t number(std::string_view sql);

  // What went wrong first, since the beginning.
  [[nodiscard]] const Failure& failure() const { return *failure_; }
  // The same, with the file's name.
  [[nodiscard]] Result<void> state() const;

 private:
  Database(std::string path, sqlite3* handle);
  [[nodiscard]] static Result<Database> open_to_write(const std::string& path);
  [[nodiscard]] static Result<UniqueFd> make_file(const std::string& path, const FirstRows& first);
  [[nodiscard]] Result<void> become_recording(const FirstRows& first);

  std::string path_;
  std::unique_ptr<Failure> failure_;  // statements point at it
  // Of one that is written, locked (flock): others know that it is. Closed after SQLite has closed
  // the file, as that would lose its own locks, else.
  UniqueFd written_;
  Unique<DatabaseTraits> handle_;
};

}  // namespace dbtrace::recording
