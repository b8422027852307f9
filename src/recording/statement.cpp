#include "src/recording/statement.h"

#include "src/output/utf8.h"

namespace dbtrace::recording {
namespace {

bool is_text(std::string_view bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const auto byte = static_cast<unsigned char>(bytes[at]);
    if (byte == 0) return false;
    if (byte < 0x80) {
      ++at;
      continue;
    }
    const output::Character character = output::decode_character(bytes, at);
    if (character.code == output::kInvalidCharacter) return false;
    at += character.size;
  }
  return true;
}

}  // namespace

void Statement::check(int code) {
  if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
  sqlite3* const database = ::sqlite3_db_handle(handle_.get());
  *failure_ = {.code = code, .message = ::sqlite3_errmsg(database)};
}

Statement& Statement::put_number(int64_t value) {
  if (is_usable()) check(::sqlite3_bind_int64(handle_.get(), ++parameter_, value));
  return *this;
}

Statement& Statement::put(std::string_view bytes) {
  if (!is_usable()) return *this;
  // An empty view may point nowhere, which would be taken for NULL.
  const char* const data = bytes.empty() ? "" : bytes.data();
  check(is_text(bytes) ? ::sqlite3_bind_text64(handle_.get(), ++parameter_, data, bytes.size(),
                                               SQLITE_STATIC, SQLITE_UTF8)
                       : ::sqlite3_bind_blob64(handle_.get(), ++parameter_, data, bytes.size(),
                                               SQLITE_STATIC));
  return *this;
}

Statement& Statement::put_null() {
  if (is_usable()) check(::sqlite3_bind_null(handle_.get(), ++parameter_));
  return *this;
}

void Statement::run() {
  while (next()) {
  }
}

bool Statement::next() {
  column_ = 0;
  if (!is_usable()) return false;
  const int code = ::sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  check(code);
  reset();
  return false;
}

size_t Statement::bytes() const {
  size_t bytes = 0;
  for (int column = 0; column < ::sqlite3_column_count(handle_.get()); ++column) {
    const int type = ::sqlite3_column_type(handle_.get(), column);
    if (type == SQLITE_TEXT || type == SQLITE_BLOB)
      bytes += static_cast<size_t>(::sqlite3_column_bytes(handle_.get(), column));
  }
  return bytes;
}

void Statement::reset() {
  if (!handle_) return;
  ::sqlite3_reset(handle_.get());
  parameter_ = 0;
}

int64_t Statement::get_number() { return ::sqlite3_column_int64(handle_.get(), column_++); }

std::string_view Statement::get_bytes() {
  const int column = column_++;
  const void* const data = ::sqlite3_column_blob(handle_.get(), column);
  const int size = ::sqlite3_column_bytes(handle_.get(), column);
  return data ? std::string_view(static_cast<const char*>(data), static_cast<size_t>(size))
              : std::string_view();
}

bool Statement::is_null() const {
  return ::sqlite3_column_type(handle_.get(), column_) == SQLITE_NULL;
}

}  // namespace dbtrace::recording
