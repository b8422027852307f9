#include "src/client/clients.h"

#ifndef DBTRACE_LIBPQ

namespace dbtrace::client {

Result<std::unique_ptr<Client>> connect_postgres(const Address&, const profiles::Patience&) {
  return built_without("libpq", "libpq-dev");
}

}  // namespace dbtrace::client

#else

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "profiles/postgres/conversation.h"

namespace dbtrace::client {
namespace {

using profiles::postgres::Conversation;
using profiles::postgres::Libpq;

// A socket is known by its folder and a port: "/run/postgresql/.s.PGSQL.5432".
std::pair<std::string, std::string> folder_and_port(const std::string& socket) {
  constexpr std::string_view kName = ".s.PGSQL.";
  const std::filesystem::path path(socket);
  const std::string file = path.filename();
  if (!file.starts_with(kName)) return {socket, ""};
  return {path.parent_path(), file.substr(kName.size())};
}

// Since this version the library can be kept from sending the password in clear.
constexpr int kRequiresAuth = 160000;

Conversation::Parameters parameters_of(const Libpq& libpq, const Address& address) {
  const auto [folder, socket_port] = folder_and_port(address.socket);
  // The library takes an empty value for none.
  Conversation::Parameters parameters = {
      {"host", folder.empty() ? address.host : folder},
      {"port", address.port ? fmt::format("{}", address.port) : socket_port},
      {"user", address.user},
      {"dbname", address.database},
      {"password", address.password},
      {"application_name", "dbtrace"}};
  // Whoever wants it otherwise says so where the library looks.
  if (libpq.PQlibVersion() >= kRequiresAuth && !std::getenv("PGREQUIREAUTH"))
    parameters.emplace_back("require_auth", "!password");
  return parameters;
}

class PostgresClient final : public Client {
 public:
  explicit PostgresClient(Conversation conversation) : conversation_(std::move(conversation)) {}

  Result<Answer> ask(const std::string& statement, const profiles::Patience& patience) override {
    const auto rows = conversation_.ask(statement, {.columns = 1, .single = true}, patience);
    if (!rows) return tl::unexpected(rows.error());
    if (rows->count() == 0) return Answer{};
    return Answer{.value = std::string(rows->value(0, 0)), .rows = 1};
  }

 private:
  Conversation conversation_;
};

}  // namespace

Result<std::unique_ptr<Client>> connect_postgres(const Address& address,
                                                 const profiles::Patience& patience) {
  const auto libpq = Libpq::load();
  if (!libpq) return tl::unexpected(libpq.error());
  auto conversation = Conversation::open(**libpq, parameters_of(**libpq, address), patience);
  if (!conversation) return tl::unexpected(conversation.error());
  return std::make_unique<PostgresClient>(std::move(*conversation));
}

}  // namespace dbtrace::client

#endif
