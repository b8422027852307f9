#include "profiles/postgres/server_catalog.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>
#include <vector>

#include "profiles/postgres/conversation.h"
#include "profiles/postgres/libpq.h"
#include "profiles/postgres/number.h"

namespace dbtrace::profiles::postgres {
namespace {

constexpr std::chrono::seconds kPatience{4};

// The server gives up before we do.
constexpr const char* kSettings =
    "set statement_timeout = 3000; set lock_timeout = 1000; set default_transaction_read_only = on";
constexpr const char* kSchemas = "select oid, nspname from pg_catalog.pg_namespace";
constexpr const char* kRelations =
    "select c.oid, c.relnamespace, coalesce(pg_catalog.pg_relation_filenode(c.oid), 0),"
    " c.reltoastrelid, c.relkind, c.relisshared::int, c.relname from pg_catalog.pg_class c"
    " where c.relkind in ('r', 'i', 'S', 't', 'm') limit 500000";

// One conversation, and for how long it may last.
class Session {
 public:
  // Errors: why not.
  static Result<Session> open(const Libpq& libpq, const Conversation::Parameters& parameters,
                              const std::stop_token& stop) {
    Patience patience(kPatience, [&stop] { return stop.stop_requested(); });
    auto conversation = Conversation::open(libpq, parameters, patience);
    if (!conversation) return refused(conversation.error());
    Session session{std::move(*conversation), std::move(patience)};
    if (auto set = session.ask(kSettings, 0); !set) return refused(set.error());
    return session;
  }

  Result<Rows> ask(const std::string& statement, int columns) {
    return conversation_.ask(statement, {.columns = columns}, patience_);
  }
  [[nodiscard]] std::string database() const { return conversation_.database(); }

 private:
  Session(Conversation conversation, Patience patience)
      : conversation_(std::move(conversation)), patience_(std::move(patience)) {}

  static tl::unexpected<Error> refused(const Error& why) {
    return fail("PostgreSQL cannot be asked (--dsn): " + why.message);
  }

  Conversation conversation_;
  Patience patience_;
};

std::optional<NamesByFile> all_names(Session& session, bool shared) {
  const auto schemas = session.ask(kSchemas, 2);
  if (!schemas) return std::nullopt;
  const auto relations = session.ask(kRelations, 7);
  if (!relations) return std::nullopt;
  const auto number_in = [](const Rows& rows, int row, int column) {
    return number_of(rows.value(row, column)).value_or(0);
  };
  Catalog catalog;
  for (int row = 0; row < schemas->count(); ++row)
    catalog.schemas().add(number_in(*schemas, row, 0), std::string(schemas->value(row, 1)));
  for (int row = 0; row < relations->count(); ++row)
    catalog.add({.oid = number_in(*relations, row, 0),
                 .schema = number_in(*relations, row, 1),
                 .file = number_in(*relations, row, 2),
                 .toast = number_in(*relations, row, 3),
                 .kind = *relations->value(row, 4).data(),
                 .shared = number_in(*relations, row, 5) != 0,
                 .name = std::string(relations->value(row, 6))});
  return catalog.names({}, shared);
}

class LibpqCatalog final : public ServerCatalog {
 public:
  using Parameters = Conversation::Parameters;
  LibpqCatalog(const Libpq& libpq, Parameters parameters)
      : libpq_(libpq), parameters_(std::move(parameters)) {}

  Result<uint64_t> identify(const std::stop_token& stop) override {
    auto session = Session::open(libpq_, parameters_, stop);
    if (!session) return tl::unexpected(session.error());
    const auto rows =
        session->ask("select system_identifier from pg_catalog.pg_control_system()", 1);
    if (!rows || rows->count() != 1)
      return fail("PostgreSQL does not tell --dsn which server it is");
    return std::strtoull(rows->value(0, 0).data(), nullptr, 10);
  }

  std::optional<NamesByFile> names(uint32_t database, const std::stop_token& stop) override {
    auto first = Session::open(libpq_, parameters_, stop);
    if (!first) return std::nullopt;
    if (database == 0) return all_names(*first, true);
    const auto rows =
        first->ask("select datname from pg_catalog.pg_database where datallowconn and oid = " +
                       std::to_string(database),
                   1);
    if (!rows || rows->count() != 1) return std::nullopt;
    const std::string name(rows->value(0, 0));
    if (name == first->database()) return all_names(*first, false);
    Parameters parameters = parameters_;
    std::erase_if(parameters, [](const auto& one) { return one.first == "dbname"; });
    parameters.emplace_back("dbname", name);
    auto second = Session::open(libpq_, parameters, stop);
    if (!second) return std::nullopt;
    return all_names(*second, false);
  }

 private:
  const Libpq& libpq_;
  Parameters parameters_;
};

// Whether a part of it may have been meant for the password: libpq would show it when it does not
// find such a host or port.
bool is_split_wrongly(std::string_view name, std::string_view value) {
  if (name == "port") return value.find_first_not_of("0123456789,") != std::string_view::npos;
  return (name == "host" || name == "hostaddr") && !value.starts_with('@') &&
         value.find('@') != std::string_view::npos;
}

}  // namespace

Result<std::unique_ptr<ServerCatalog>> server_catalog(const std::string& connection) {
  const auto loaded = Libpq::load();
  if (!loaded) return tl::unexpected(loaded.error());
  const Libpq& libpq = **loaded;
  // Its own words for what is wrong show parts of the text.
  PQconninfoOption* options = libpq.PQconninfoParse(connection.c_str(), nullptr);
  if (!options)
    return fail(
        "--dsn is no connection string of PostgreSQL",
        "such as 'host=/run/postgresql user=monitor' or postgresql://monitor@localhost/shop");
  LibpqCatalog::Parameters parameters;
  for (const PQconninfoOption* option = options; option->keyword; ++option)
    if (option->val && std::string_view(option->keyword) != "application_name")
      parameters.emplace_back(option->keyword, option->val);
  libpq.PQconninfoFree(options);
  for (const auto& [name, value] : parameters)
    if (is_split_wrongly(name, value))
      return fail("--dsn has no host and port where a URI has them",
                  "in a user's name or password write %40 for @, %2F for /, %3A for :");
  // Libpq's own default is the user's name.
  if (std::ranges::find(parameters, "dbname", &std::pair<std::string, std::string>::first) ==
      parameters.end())
    parameters.emplace_back("dbname", "postgres");
  parameters.emplace_back("application_name", "dbtrace");
  return std::make_unique<LibpqCatalog>(libpq, std::move(parameters));
}

}  // namespace dbtrace::profiles::postgres
