#include "src/client/clients.h"

#ifndef DBTRACE_LIBPQ

namespace dbtrace::client {

Result<std::unique_ptr<Client>> connect_postgres(const Address&) {
  return built_without("libpq", "libpq-dev");
}

}  // namespace dbtrace::client

#else

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "src/client/library.h"

namespace dbtrace::client {
namespace {

// Functions of the library, by their own names.
struct Functions {
  decltype(&::PQconnectdbParams) connect = nullptr;
  decltype(&::PQfinish) finish = nullptr;
  decltype(&::PQstatus) status = nullptr;
  decltype(&::PQsendQuery) send = nullptr;
  decltype(&::PQsocket) socket = nullptr;
  decltype(&::PQconsumeInput) consume = nullptr;
  decltype(&::PQisBusy) is_busy = nullptr;
  decltype(&::PQgetResult) result = nullptr;
  decltype(&::PQresultStatus) result_status = nullptr;
  decltype(&::PQntuples) row_count = nullptr;
  decltype(&::PQgetvalue) value = nullptr;
  decltype(&::PQclear) clear = nullptr;
  decltype(&::PQerrorMessage) error = nullptr;
};

Result<Functions> load() {
  auto library = Library::load("libpq.so.5", "libpq5");
  if (!library) return tl::unexpected(library.error());
  Functions functions;
  if (library->find("PQconnectdbParams", functions.connect) &&
      library->find("PQfinish", functions.finish) && library->find("PQstatus", functions.status) &&
      library->find("PQsendQuery", functions.send) && library->find("PQsocket", functions.socket) &&
      library->find("PQconsumeInput", functions.consume) &&
      library->find("PQisBusy", functions.is_busy) &&
      library->find("PQgetResult", functions.result) &&
      library->find("PQresultStatus", functions.result_status) &&
      library->find("PQntuples", functions.row_count) &&
      library->find("PQgetvalue", functions.value) && library->find("PQclear", functions.clear) &&
      library->find("PQerrorMessage", functions.error))
    return functions;
  return fail("libpq.so.5 lacks functions that a client needs");
}

// A socket is known by its folder and a port: "/run/postgresql/.s.PGSQL.5432".
std::pair<std::string, std::string> folder_and_port(const std::string& socket) {
  constexpr std::string_view kName = ".s.PGSQL.";
  const std::filesystem::path path(socket);
  const std::string file = path.filename();
  if (!file.starts_with(kName)) return {socket, ""};
  return {path.parent_path(), file.substr(kName.size())};
}

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(" \n") + 1);
  return text;
}

class PostgresClient final : public Client {
 public:
  PostgresClient(const Functions& functions, const Address& address)
      : functions_(functions), connection_(open(functions, address), functions.finish) {}

  [[nodiscard]] Result<void> state() const {
    if (functions_.status(connection_.get()) == CONNECTION_OK) return {};
    return failure();
  }

  Result<Answer> ask(const std::string& statement) override {
    if (!functions_.send(connection_.get(), statement.c_str())) return failure();
    auto result = next_result();
    if (!result) return tl::unexpected(result.error());
    if (functions_.result_status(result->get()) != PGRES_TUPLES_OK) return failure();
    const int rows = functions_.row_count(result->get());
    Answer answer{.value = rows > 0 ? functions_.value(result->get(), 0, 0) : "",
                  .rows = static_cast<uint64_t>(rows)};
    // The end of the statement's results; then the next one may be sent.
    if (auto end = next_result(); !end) return tl::unexpected(end.error());
    return answer;
  }

 private:
  static PGconn* open(const Functions& functions, const Address& address) {
    const auto [folder, socket_port] = folder_and_port(address.socket);
    const std::string port = address.port ? fmt::format("{}", address.port) : socket_port;
    const std::string patience = fmt::format("{}", kPatience_s);
    std::vector<const char*> names, values;
    // The library takes an empty value for none.
    for (const auto& [name, value] :
         {std::pair("host", folder.empty() ? address.host.c_str() : folder.c_str()),
          std::pair("port", port.c_str()), std::pair("user", address.user.c_str()),
          std::pair("dbname", address.database.c_str()),
          std::pair("password", address.password.c_str()),
          std::pair("connect_timeout", patience.c_str()),
          std::pair("application_name", "dbtrace")}) {
      names.push_back(name);
      values.push_back(value);
    }
    names.push_back(nullptr);
    values.push_back(nullptr);
    return functions.connect(names.data(), values.data(), 0);
  }

  using ResultHandle = std::unique_ptr<PGresult, decltype(&::PQclear)>;

  // PQexec() would wait for ever for a server that has stopped.
  Result<ResultHandle> next_result() {
    PGconn* connection = connection_.get();
    while (functions_.is_busy(connection)) {
      pollfd socket{functions_.socket(connection), POLLIN, 0};
      if (::poll(&socket, 1, static_cast<int>(kPatience_s) * 1000) == 0)
        return fail("the server does not answer");
      if (!functions_.consume(connection)) return failure();
    }
    return ResultHandle(functions_.result(connection), functions_.clear);
  }

  [[nodiscard]] tl::unexpected<Error> failure() const {
    return fail(trimmed(functions_.error(connection_.get())));
  }

  Functions functions_;
  std::unique_ptr<PGconn, decltype(&::PQfinish)> connection_;
};

}  // namespace

Result<std::unique_ptr<Client>> connect_postgres(const Address& address) {
  const auto functions = load();
  if (!functions) return tl::unexpected(functions.error());
  auto client = std::make_unique<PostgresClient>(*functions, address);
  if (auto state = client->state(); !state) return tl::unexpected(state.error());
  return client;
}

}  // namespace dbtrace::client

#endif
