#include "src/client/clients.h"

#ifndef DBTRACE_LIBPQ

namespace dbtrace::client {

Result<std::unique_ptr<Client>> connect_postgres(const Address&) {
  return built_without("libpq", "libpq-dev");
}

}  // namespace dbtrace::client

#else

#include <fmt/format.h>
#include <poll.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "profiles/postgres/libpq.h"

namespace dbtrace::client {
namespace {

using profiles::postgres::Libpq;

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
  PostgresClient(const Libpq& libpq, const Address& address)
      : libpq_(libpq), connection_(open(libpq, address), libpq.PQfinish) {}

  [[nodiscard]] Result<void> state() const {
    if (libpq_.PQstatus(connection_.get()) == CONNECTION_OK) return {};
    return failure();
  }

  Result<Answer> ask(const std::string& statement) override {
    if (!libpq_.PQsendQuery(connection_.get(), statement.c_str())) return failure();
    auto result = next_result();
    if (!result) return tl::unexpected(result.error());
    if (libpq_.PQresultStatus(result->get()) != PGRES_TUPLES_OK) return failure();
    const int rows = libpq_.PQntuples(result->get());
    Answer answer{.value = rows > 0 ? libpq_.PQgetvalue(result->get(), 0, 0) : "",
                  .rows = static_cast<uint64_t>(rows)};
    // The end of the statement's results; then the next one may be sent.
    if (auto end = next_result(); !end) return tl::unexpected(end.error());
    return answer;
  }

 private:
  static PGconn* open(const Libpq& libpq, const Address& address) {
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
    return libpq.PQconnectdbParams(names.data(), values.data(), 0);
  }

  using ResultHandle = std::unique_ptr<PGresult, decltype(&::PQclear)>;

  // PQexec() would wait for ever for a server that has stopped.
  Result<ResultHandle> next_result() {
    PGconn* connection = connection_.get();
    while (libpq_.PQisBusy(connection)) {
      pollfd socket{libpq_.PQsocket(connection), POLLIN, 0};
      if (::poll(&socket, 1, static_cast<int>(kPatience_s) * 1000) == 0)
        return fail("the server does not answer");
      if (!libpq_.PQconsumeInput(connection)) return failure();
    }
    return ResultHandle(libpq_.PQgetResult(connection), libpq_.PQclear);
  }

  [[nodiscard]] tl::unexpected<Error> failure() const {
    return fail(trimmed(libpq_.PQerrorMessage(connection_.get())));
  }

  const Libpq& libpq_;
  std::unique_ptr<PGconn, decltype(&::PQfinish)> connection_;
};

}  // namespace

Result<std::unique_ptr<Client>> connect_postgres(const Address& address) {
  const auto libpq = Libpq::load();
  if (!libpq) return tl::unexpected(libpq.error());
  auto client = std::make_unique<PostgresClient>(**libpq, address);
  if (auto state = client->state(); !state) return tl::unexpected(state.error());
  return client;
}

}  // namespace dbtrace::client

#endif
