// One SQL statement, made once and carried out often: values go in and come out in the order of
// its columns.
#pragma once

#include <sqlite3.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "symbols/unique.h"

namespace dbtrace::recording {

struct StatementTraits {
  using Handle = sqlite3_stmt*;
  static Handle none() { return nullptr; }
  static void release(Handle handle) { ::sqlite3_finalize(handle); }
};

// The first thing that went wrong with a database; what comes after it is not carried out.
struct Failure {
  int code = SQLITE_OK;
  std::string message = {};

  explicit operator bool() const { return code != SQLITE_OK; }
};

// Must not outlive the Database that it is of, which has the failure. Not thread-safe.
class Statement {
 public:
  Statement() = default;
  Statement(Failure& failure, sqlite3_stmt* handle) : failure_(&failure), handle_(handle) {}

  // The next parameter. Unsigned numbers beyond 2⁶³ come back as they were.
  template <std::integral Number>
  Statement& put(Number value) {
    return put_number(static_cast<int64_t>(value));
  }
  // TEXT if it is UTF-8 without a NUL, else BLOB. Must stay as it is until run() or next().
  Statement& put(std::string_view bytes);
  Statement& put(const std::string& bytes) { return put(std::string_view(bytes)); }
  template <typename Value>
  Statement& put(const std::optional<Value>& value) {
    return value ? put(*value) : put_null();
  }
  Statement& put_null();
  // Carries it out, to the end; its parameters are NULL again.
  void run();

  // The next row, if there is one; else it may be asked again from the beginning.
  [[nodiscard]] bool next();
  // How long the texts of the row are.
  [[nodiscard]] size_t bytes() const;
  // To be asked again, whatever is left.
  void reset();
  // The next column of the row.
  template <std::integral Number>
  Statement& get(Number& value) {
    value = static_cast<Number>(get_number());
    return *this;
  }
  Statement& get(std::string& bytes) {
    bytes.assign(get_bytes());
    return *this;
  }
  template <typename Value>
  Statement& get(std::optional<Value>& value) {
    if (is_null()) return skip(value);
    return get(value ? *value : value.emplace());
  }

 private:
  Statement& put_number(int64_t value);
  [[nodiscard]] int64_t get_number();
  [[nodiscard]] std::string_view get_bytes();
  [[nodiscard]] bool is_null() const;
  template <typename Value>
  Statement& skip(std::optional<Value>& value) {
    value.reset();
    ++column_;
    return *this;
  }
  void check(int code);
  // Whether it may go on: there is such a statement, and nothing has failed.
  [[nodiscard]] bool is_usable() const { return handle_ && !*failure_; }

  Failure* failure_ = nullptr;
  Unique<StatementTraits> handle_;
  int parameter_ = 0;  // that was put last
  int column_ = 0;     // to be read next
};

}  // namespace dbtrace::recording
