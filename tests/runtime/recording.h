// Recordings asked as a person would ask them.
#pragma once

#include <sqlite3.h>

#include <stdexcept>
#include <string>

namespace dbtrace::testing {

// The rows that `sql` asks the file for: columns by '|', lines by '\n'. Throws std::runtime_error.
[[nodiscard]] inline std::string asked(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  std::string rows;
  const auto take = [](void* to, int columns, char** values, char**) {
    auto& text = *static_cast<std::string*>(to);
    for (int i = 0; i < columns; ++i) {
      if (i > 0) text += '|';
      if (values[i]) text += values[i];
    }
    text += '\n';
    return 0;
  };
  char* message = nullptr;
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  constexpr int kPatience_ms = 60'000;
  int code = ::sqlite3_open_v2(path.c_str(), &database, kFlags, nullptr);
  ::sqlite3_busy_timeout(database, kPatience_ms);
  if (code == SQLITE_OK) code = ::sqlite3_exec(database, sql.c_str(), take, &rows, &message);
  const std::string error = message ? message : ::sqlite3_errstr(code);
  ::sqlite3_free(message);
  ::sqlite3_close(database);
  if (code != SQLITE_OK) throw std::runtime_error(error + ": " + sql);
  return rows;
}

}  // namespace dbtrace::testing
