#include "tests/runtime/client.h"

#include <errmsg.h>

#include <array>
#include <memory>
#include <utility>

namespace dbtrace::testing {
namespace {

struct ResultTraits {
  using Handle = MYSQL_RES*;
  static Handle none() { return nullptr; }
  static void release(Handle handle) { ::mysql_free_result(handle); }
};
using UniqueResult = Unique<ResultTraits>;

Rows rows_of(MYSQL_RES* result) {
  Rows rows;
  const unsigned columns = ::mysql_num_fields(result);
  while (MYSQL_ROW cells = ::mysql_fetch_row(result)) {
    const unsigned long* lengths = ::mysql_fetch_lengths(result);
    Row row;
    for (unsigned i = 0; i < columns; ++i)
      row.push_back(cells[i] != nullptr ? Cell(std::string(cells[i], lengths[i])) : std::nullopt);
    rows.push_back(std::move(row));
  }
  return rows;
}

// Points into `parameter`, which must outlive the execution.
MYSQL_BIND bind(const Parameter& parameter) {
  MYSQL_BIND bound{};
  bound.buffer_type = MYSQL_TYPE_NULL;
  if (const auto* number = std::get_if<int64_t>(&parameter)) {
    bound.buffer_type = MYSQL_TYPE_LONGLONG;
    bound.buffer = const_cast<int64_t*>(number);
  } else if (const auto* real = std::get_if<double>(&parameter)) {
    bound.buffer_type = MYSQL_TYPE_DOUBLE;
    bound.buffer = const_cast<double*>(real);
  } else if (const auto* text = std::get_if<std::string>(&parameter)) {
    bound.buffer_type = MYSQL_TYPE_STRING;
    bound.buffer = const_cast<char*>(text->data());
    bound.buffer_length = text->size();
  }
  return bound;
}

}  // namespace

Client::Client(const Session& session) : handle_(::mysql_init(nullptr)) {
  if (!handle_) throw ClientError(CR_OUT_OF_MEMORY, "out of memory");
  ::mysql_options(handle(), MYSQL_SET_CHARSET_NAME, "utf8mb4");
  check(::mysql_real_connect(handle(), nullptr, session.user.c_str(), session.password.c_str(),
                             session.database.empty() ? nullptr : session.database.c_str(), 0,
                             session.socket.c_str(), CLIENT_MULTI_STATEMENTS) == nullptr);
}

bool Client::can_connect(const std::string& socket) {
  try {
    const Client client({.socket = socket});
    return true;
  } catch (const ClientError&) {
    return false;
  }
}

void Client::check(bool failed) const {
  if (failed) throw ClientError(::mysql_errno(handle()), ::mysql_error(handle()));
}

Rows Client::query(std::string_view text) {
  send(text);
  return receive();
}

void Client::send(std::string_view text) {
  check(::mysql_send_query(handle(), text.data(), text.size()) != 0);
}

Rows Client::receive() {
  check(::mysql_read_query_result(handle()) != 0);
  Rows rows;
  int more = 0;
  do {
    const UniqueResult result(::mysql_store_result(handle()));
    check(!result && ::mysql_field_count(handle()) != 0);
    if (result && rows.empty()) rows = rows_of(result.get());
    more = ::mysql_next_result(handle());  // 0 = there is one, -1 = no more
  } while (more == 0);
  check(more > 0);
  return rows;
}

std::string Client::value(std::string_view text) {
  const Rows rows = query(text);
  if (rows.empty() || !rows.front().front()) throw ClientError(0, "no value");
  return *rows.front().front();
}

unsigned Client::error_of(std::string_view text) {
  try {
    query(text);
    return 0;
  } catch (const ClientError& error) {
    return error.number();
  }
}

Statement Client::prepare(std::string_view text) {
  Statement statement(::mysql_stmt_init(handle()));
  check(!statement.handle_);
  // So that fetch() can size its buffers.
  const my_bool yes = 1;
  ::mysql_stmt_attr_set(statement.handle_.get(), STMT_ATTR_UPDATE_MAX_LENGTH, &yes);
  statement.check(::mysql_stmt_prepare(statement.handle_.get(), text.data(), text.size()) != 0);
  return statement;
}

void Client::ping() { check(::mysql_ping(handle()) != 0); }

void Client::select_database(const std::string& name) {
  check(::mysql_select_db(handle(), name.c_str()) != 0);
}

void Client::change_user(const std::string& user, const std::string& database) {
  check(::mysql_change_user(handle(), user.c_str(), "",
                            database.empty() ? nullptr : database.c_str()) != 0);
}

void Client::reset_connection() { check(::mysql_reset_connection(handle()) != 0); }

std::vector<std::string> Client::list_fields(const std::string& table) {
  const UniqueResult result(::mysql_list_fields(handle(), table.c_str(), nullptr));
  check(!result);
  std::vector<std::string> names;
  for (unsigned i = 0; i < ::mysql_num_fields(result.get()); ++i)
    names.emplace_back(::mysql_fetch_field_direct(result.get(), i)->name);
  return names;
}

void Statement::check(bool failed) const {
  if (failed)
    throw ClientError(::mysql_stmt_errno(handle_.get()), ::mysql_stmt_error(handle_.get()));
}

Rows Statement::execute(const std::vector<Parameter>& parameters) {
  if (parameters.size() != ::mysql_stmt_param_count(handle_.get()))
    throw ClientError(CR_INVALID_PARAMETER_NO, "wrong number of parameters");
  std::vector<MYSQL_BIND> bound;
  for (const Parameter& parameter : parameters) bound.push_back(bind(parameter));
  if (!bound.empty()) check(::mysql_stmt_bind_param(handle_.get(), bound.data()) != 0);
  check(::mysql_stmt_execute(handle_.get()) != 0);
  return fetch();
}

Rows Statement::fetch() {
  const UniqueResult columns(::mysql_stmt_result_metadata(handle_.get()));
  if (!columns) return {};
  check(::mysql_stmt_store_result(handle_.get()) != 0);

  struct Column {
    std::vector<char> buffer;
    unsigned long length = 0;
    my_bool is_null = 0;
  };
  constexpr size_t kRoomForNumbers = 64;  // max_length is about the wire, not the text
  std::vector<Column> cells(::mysql_num_fields(columns.get()));
  std::vector<MYSQL_BIND> bound(cells.size());
  for (unsigned i = 0; i < cells.size(); ++i) {
    cells[i].buffer.resize(::mysql_fetch_field_direct(columns.get(), i)->max_length +
                           kRoomForNumbers);
    bound[i].buffer_type = MYSQL_TYPE_STRING;
    bound[i].buffer = cells[i].buffer.data();
    bound[i].buffer_length = cells[i].buffer.size();
    bound[i].length = &cells[i].length;
    bound[i].is_null = &cells[i].is_null;
  }
  check(::mysql_stmt_bind_result(handle_.get(), bound.data()) != 0);

  Rows rows;
  int status = 0;
  while ((status = ::mysql_stmt_fetch(handle_.get())) == 0) {
    Row row;
    for (const Column& cell : cells)
      row.push_back(cell.is_null != 0 ? std::nullopt
                                      : Cell(std::string(cell.buffer.data(), cell.length)));
    rows.push_back(std::move(row));
  }
  check(status == 1);
  if (status == MYSQL_DATA_TRUNCATED) throw ClientError(0, "a cell was cut");
  ::mysql_stmt_free_result(handle_.get());
  return rows;
}

void Statement::execute_bulk(std::vector<int64_t> values) {
  unsigned count = static_cast<unsigned>(values.size());
  ::mysql_stmt_attr_set(handle_.get(), STMT_ATTR_ARRAY_SIZE, &count);
  MYSQL_BIND bound{};
  bound.buffer_type = MYSQL_TYPE_LONGLONG;
  bound.buffer = values.data();
  check(::mysql_stmt_bind_param(handle_.get(), &bound) != 0);
  check(::mysql_stmt_execute(handle_.get()) != 0);
  count = 0;
  ::mysql_stmt_attr_set(handle_.get(), STMT_ATTR_ARRAY_SIZE, &count);
}

void Statement::send_long_data(unsigned index, std::string_view piece) {
  check(::mysql_stmt_send_long_data(handle_.get(), index, piece.data(), piece.size()) != 0);
}

void Statement::reset() { check(::mysql_stmt_reset(handle_.get()) != 0); }

uint64_t Statement::id() const { return handle_.get()->stmt_id; }

}  // namespace dbtrace::testing
