#include "profiles/postgres/server_catalog.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>
#include <vector>

#include "profiles/postgres/libpq.h"
#include "profiles/postgres/number.h"

namespace dbtrace::profiles::postgres {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience{4};

using Connection = std::unique_ptr<PGconn, decltype(&::PQfinish)>;
using Answer = std::unique_ptr<PGresult, decltype(&::PQclear)>;

// The server gives up before we do.
constexpr const char* kSettings =
    "set statement_timeout = 3000; set lock_timeout = 1000; set default_transaction_read_only = on";
constexpr const char* kSchemas = "select oid, nspname from pg_catalog.pg_namespace";
constexpr const char* kRelations =
    "select c.oid, c.relnamespace, coalesce(pg_catalog.pg_relation_filenode(c.oid), 0),"
    " c.reltoastrelid, c.relkind, c.relisshared::int, c.relname from pg_catalog.pg_class c"
    " where c.relkind in ('r', 'i', 'S', 't', 'm') limit 500000";

// One conversation, until its deadline.
class Conversation {
 public:
  Conversation(const Libpq& libpq, const std::stop_token& stop)
      : libpq_(libpq),
        stop_(stop),
        deadline_(Clock::now() + kPatience),
        connection_(nullptr, libpq.PQfinish) {}

  // Errors: why not.
  Result<void> open(const std::vector<std::pair<std::string, std::string>>& parameters) {
    std::vector<const char*> names, values;
    for (const auto& [name, value] : parameters) {
      names.push_back(name.c_str());
      values.push_back(value.c_str());
    }
    names.push_back(nullptr);
    values.push_back(nullptr);
    connection_.reset(libpq_.PQconnectStartParams(names.data(), values.data(), 0));
    if (!connection_ || libpq_.PQstatus(connection_.get()) == CONNECTION_BAD) return refused();
    // Standard error is not the server's.
    libpq_.PQsetNoticeProcessor(
        connection_.get(), [](void*, const char*) {}, nullptr);
    for (auto next = PGRES_POLLING_WRITING; next != PGRES_POLLING_OK;) {
      if (next == PGRES_POLLING_FAILED) return refused();
      if (!wait(next == PGRES_POLLING_READING ? POLLIN : POLLOUT))
        return fail("PostgreSQL does not answer --dsn");
      next = libpq_.PQconnectPoll(connection_.get());
    }
    return ask(kSettings) ? Result<void>() : refused();
  }

  // The rows; null: it failed, or took too long.
  Answer ask(const char* statement) {
    if (libpq_.PQsendQuery(connection_.get(), statement) != 1) return none();
    Answer last = none();
    for (;;) {
      while (libpq_.PQisBusy(connection_.get())) {
        if (!wait(POLLIN) || libpq_.PQconsumeInput(connection_.get()) != 1) return none();
      }
      Answer answer(libpq_.PQgetResult(connection_.get()), libpq_.PQclear);
      if (!answer) break;
      last = std::move(answer);
    }
    const ExecStatusType status = libpq_.PQresultStatus(last.get());
    return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK ? std::move(last) : none();
  }

  [[nodiscard]] std::string database() const { return libpq_.PQdb(connection_.get()); }

 private:
  [[nodiscard]] Answer none() const { return {nullptr, libpq_.PQclear}; }

  [[nodiscard]] tl::unexpected<Error> refused() const {
    std::string why = connection_ ? libpq_.PQerrorMessage(connection_.get()) : "no memory";
    std::ranges::replace(why, '\n', ' ');
    return fail("PostgreSQL cannot be asked (--dsn): " +
                why.substr(0, why.find_last_not_of(' ') + 1));
  }

  // For the socket; in steps, to see that it is time to stop.
  bool wait(short events) {
    constexpr int kStep_ms = 100;
    while (!stop_.stop_requested() && Clock::now() < deadline_) {
      pollfd socket{.fd = libpq_.PQsocket(connection_.get()), .events = events, .revents = 0};
      if (::poll(&socket, 1, kStep_ms) > 0) return true;
    }
    return false;
  }

  const Libpq& libpq_;
  const std::stop_token& stop_;
  Clock::time_point deadline_;
  Connection connection_;
};

std::optional<NamesByFile> all_names(const Libpq& libpq, Conversation& conversation, bool shared) {
  const Answer schemas = conversation.ask(kSchemas), relations = conversation.ask(kRelations);
  if (!schemas || !relations) return std::nullopt;
  const auto number_in = [&](const Answer& answer, int row, int column) {
    return number_of(libpq.PQgetvalue(answer.get(), row, column)).value_or(0);
  };
  Catalog catalog;
  for (int row = 0; row < libpq.PQntuples(schemas.get()); ++row)
    catalog.schemas().add(number_in(schemas, row, 0), libpq.PQgetvalue(schemas.get(), row, 1));
  for (int row = 0; row < libpq.PQntuples(relations.get()); ++row)
    catalog.add({.oid = number_in(relations, row, 0),
                 .schema = number_in(relations, row, 1),
                 .file = number_in(relations, row, 2),
                 .toast = number_in(relations, row, 3),
                 .kind = *libpq.PQgetvalue(relations.get(), row, 4),
                 .shared = number_in(relations, row, 5) != 0,
                 .name = libpq.PQgetvalue(relations.get(), row, 6)});
  return catalog.names({}, shared);
}

class LibpqCatalog final : public ServerCatalog {
 public:
  using Parameters = std::vector<std::pair<std::string, std::string>>;
  LibpqCatalog(const Libpq& libpq, Parameters parameters)
      : libpq_(libpq), parameters_(std::move(parameters)) {}

  Result<uint64_t> identify(const std::stop_token& stop) override {
    Conversation conversation(libpq_, stop);
    if (auto opened = conversation.open(parameters_); !opened)
      return tl::unexpected(opened.error());
    const Answer answer =
        conversation.ask("select system_identifier from pg_catalog.pg_control_system()");
    if (!answer || libpq_.PQntuples(answer.get()) != 1)
      return fail("PostgreSQL does not tell --dsn which server it is");
    return std::strtoull(libpq_.PQgetvalue(answer.get(), 0, 0), nullptr, 10);
  }

  std::optional<NamesByFile> names(uint32_t database, const std::stop_token& stop) override {
    Conversation first(libpq_, stop);
    if (!first.open(parameters_)) return std::nullopt;
    if (database == 0) return all_names(libpq_, first, true);
    const std::string which =
        "select datname from pg_catalog.pg_database where datallowconn and oid = " +
        std::to_string(database);
    const Answer answer = first.ask(which.c_str());
    if (!answer || libpq_.PQntuples(answer.get()) != 1) return std::nullopt;
    const std::string name = libpq_.PQgetvalue(answer.get(), 0, 0);
    if (name == first.database()) return all_names(libpq_, first, false);
    Parameters parameters = parameters_;
    std::erase_if(parameters, [](const auto& one) { return one.first == "dbname"; });
    parameters.emplace_back("dbname", name);
    Conversation second(libpq_, stop);
    if (!second.open(parameters)) return std::nullopt;
    return all_names(libpq_, second, false);
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
