// A file of SQLite's, and what makes one a recording.
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <cstdint>
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
  // An empty recording, readable by its owner only, in the place of an older file. Errors: what
  // is there is no regular file, or no file can be made.
  [[nodiscard]] static Result<Database> create(const std::string& path);
  // The same in memory, as long as anybody has it open. `name`: for open_in_memory().
  [[nodiscard]] static Result<Database> create_in_memory(const std::string& name);
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
  // For so long at a time.
  void wait_for_readers(std::chrono::milliseconds patience);
  // One number that `sql` asks for; 0 if there is none.
  [[nodiscard]] int64_t number(std::string_view sql);

  // What went wrong first, since the beginning.
  [[nodiscard]] const Failure& failure() const { return *failure_; }
  // The same, with the file's name.
  [[nodiscard]] Result<void> state() const;

 private:
  Database(std::string path, sqlite3* handle);
  [[nodiscard]] Result<void> become_recording();

  std::string path_;
  std::unique_ptr<Failure> failure_;  // statements point at it
  Unique<DatabaseTraits> handle_;
};

}  // namespace dbtrace::recording
