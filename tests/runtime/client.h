// A session with a database server, over its socket: a thin owner around
// libmariadb, which talks to MySQL as well. Not for use by two threads at once.
#pragma once

#include <mysql.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "symbols/unique.h"

namespace dbtrace::testing {

// What the server (or the library) refused, with its error number.
class ClientError : public std::runtime_error {
 public:
  ClientError(unsigned number, const std::string& message)
      : std::runtime_error(message), number_(number) {}
  [[nodiscard]] unsigned number() const { return number_; }

 private:
  unsigned number_;
};

using Cell = std::optional<std::string>;  // nothing = NULL
using Row = std::vector<Cell>;
using Rows = std::vector<Row>;

// A value for a `?`; std::monostate = NULL.
using Parameter = std::variant<std::monostate, int64_t, double, std::string>;

struct StatementTraits {
  using Handle = MYSQL_STMT*;
  static Handle none() { return nullptr; }
  static void release(Handle handle) { ::mysql_stmt_close(handle); }
};

// A statement of the binary protocol. Must not outlive its Client.
class Statement {
 public:
  // Rows come as text, whatever their types. Throws ClientError, as all here do.
  Rows execute(const std::vector<Parameter>& parameters = {});
  // MariaDB's bulk execution: one round trip for all rows, of one parameter each.
  void execute_bulk(std::vector<int64_t> values);
  // Sends a piece of parameter `index` ahead (COM_STMT_SEND_LONG_DATA).
  void send_long_data(unsigned index, std::string_view piece);
  // COM_STMT_RESET.
  void reset();
  [[nodiscard]] uint64_t id() const;

 private:
  friend class Client;
  explicit Statement(MYSQL_STMT* handle) : handle_(handle) {}
  void check(bool failed) const;
  Rows fetch();

  Unique<StatementTraits> handle_;
};

struct Session {
  std::string socket;
  std::string user = "root";
  std::string database = {};
  std::string password = {};
};

struct ConnectionTraits {
  using Handle = MYSQL*;
  static Handle none() { return nullptr; }
  static void release(Handle handle) { ::mysql_close(handle); }
};

class Client {
 public:
  // Throws ClientError, as everything here does that asks the server.
  // Statements may be several in one text, separated by `;`.
  explicit Client(const Session& session);
  [[nodiscard]] static bool can_connect(const std::string& socket);

  // The rows of the first statement that returns any; all are carried out.
  Rows query(std::string_view text);
  // The first cell of the first row; throws if there is none.
  std::string value(std::string_view text);
  // As query(), but tells the server's error number instead of throwing; 0 =
  // succeeded.
  unsigned error_of(std::string_view text);
  // query() in two halves, so that the test can look while the server works.
  void send(std::string_view text);
  Rows receive();

  Statement prepare(std::string_view text);

  void ping();
  void select_database(const std::string& name);  // COM_INIT_DB
  void change_user(const std::string& user, const std::string& database);
  void reset_connection();
  // COM_FIELD_LIST; the columns' names.
  std::vector<std::string> list_fields(const std::string& table);

  // As the server gave it at login.
  [[nodiscard]] uint64_t connection_id() const { return ::mysql_thread_id(handle_.get()); }
  // For what is not wrapped here.
  [[nodiscard]] MYSQL* handle() const { return handle_.get(); }

 private:
  void check(bool failed) const;

  Unique<ConnectionTraits> handle_;
};

}  // namespace dbtrace::testing
