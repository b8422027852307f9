#include "src/client/clients.h"

#ifndef DBTRACE_LIBMARIADB

namespace dbtrace::client {

Result<std::unique_ptr<Client>> connect_mysql(const Address&) {
  return built_without("libmariadb", "libmariadb-dev");
}

}  // namespace dbtrace::client

#else

#include <fmt/format.h>
#include <mysql.h>

#include "symbols/library.h"

namespace dbtrace::client {
namespace {

// Functions of the library, by their own names.
struct Functions {
  decltype(&::mysql_init) init = nullptr;
  decltype(&::mysql_options) options = nullptr;
  decltype(&::mysql_real_connect) connect = nullptr;
  decltype(&::mysql_close) close = nullptr;
  decltype(&::mysql_real_query) query = nullptr;
  decltype(&::mysql_store_result) store_result = nullptr;
  decltype(&::mysql_num_rows) num_rows = nullptr;
  decltype(&::mysql_fetch_row) fetch_row = nullptr;
  decltype(&::mysql_free_result) free_result = nullptr;
  decltype(&::mysql_error) error = nullptr;
};

Result<Functions> load() {
  auto library = Library::load("libmariadb.so.3", "libmariadb3");
  if (!library) return tl::unexpected(library.error());
  Functions functions;
  if (library->find("mysql_init", functions.init) &&
      library->find("mysql_options", functions.options) &&
      library->find("mysql_real_connect", functions.connect) &&
      library->find("mysql_close", functions.close) &&
      library->find("mysql_real_query", functions.query) &&
      library->find("mysql_store_result", functions.store_result) &&
      library->find("mysql_num_rows", functions.num_rows) &&
      library->find("mysql_fetch_row", functions.fetch_row) &&
      library->find("mysql_free_result", functions.free_result) &&
      library->find("mysql_error", functions.error))
    return functions;
  return fail("libmariadb.so.3 lacks functions that a client needs");
}

class MySqlClient final : public Client {
 public:
  explicit MySqlClient(const Functions& functions)
      : functions_(functions), connection_(functions.init(nullptr), functions.close) {}

  Result<void> connect(const Address& address) {
    if (!connection_) return fail("cannot start a client");
    MYSQL* connection = connection_.get();
    const unsigned patience = kPatience_s;
    functions_.options(connection, MYSQL_OPT_CONNECT_TIMEOUT, &patience);
    functions_.options(connection, MYSQL_OPT_READ_TIMEOUT, &patience);
    functions_.options(connection, MYSQL_OPT_WRITE_TIMEOUT, &patience);
    functions_.options(connection, MYSQL_READ_DEFAULT_GROUP, "client");
    if (functions_.connect(connection, or_default(address.host), or_default(address.user),
                           or_default(address.password), or_default(address.database), address.port,
                           or_default(address.socket), 0))
      return {};
    return failure();
  }

  Result<Answer> ask(const std::string& statement) override {
    MYSQL* connection = connection_.get();
    if (functions_.query(connection, statement.data(), statement.size()) != 0) return failure();
    const std::unique_ptr<MYSQL_RES, decltype(&::mysql_free_result)> rows(
        functions_.store_result(connection), functions_.free_result);
    if (!rows) return failure();
    Answer answer{.value = {}, .rows = functions_.num_rows(rows.get())};
    const MYSQL_ROW row = functions_.fetch_row(rows.get());
    if (row && row[0]) answer.value = row[0];
    return answer;
  }

 private:
  [[nodiscard]] tl::unexpected<Error> failure() const {
    return fail(functions_.error(connection_.get()));
  }

  Functions functions_;
  std::unique_ptr<MYSQL, decltype(&::mysql_close)> connection_;
};

}  // namespace

Result<std::unique_ptr<Client>> connect_mysql(const Address& address) {
  const auto functions = load();
  if (!functions) return tl::unexpected(functions.error());
  auto client = std::make_unique<MySqlClient>(*functions);
  if (auto connected = client->connect(address); !connected)
    return tl::unexpected(connected.error());
  return client;
}

}  // namespace dbtrace::client

#endif
