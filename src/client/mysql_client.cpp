#include "src/client/clients.h"

#ifndef DBTRACE_LIBMARIADB

namespace dbtrace::client {

Result<std::unique_ptr<Client>> connect_mysql(const Address&, const profiles::Patience&) {
  return built_without("libmariadb", "libmariadb-dev");
}

}  // namespace dbtrace::client

#else

#include <errmsg.h>
#include <fmt/format.h>
#include <mysql.h>
#include <poll.h>

#include "symbols/library.h"

namespace dbtrace::client {
namespace {

// Functions of the library that are used, by their own names.
#define DBTRACE_MYSQL_FUNCTIONS(each)                                                        \
  each(mysql_close) each(mysql_errno) each(mysql_error) each(mysql_fetch_row_cont)           \
      each(mysql_fetch_row_start) each(mysql_free_result_cont) each(mysql_free_result_start) \
          each(mysql_get_socket) each(mysql_init) each(mysql_num_fields) each(mysql_options) \
              each(mysql_real_connect_cont) each(mysql_real_connect_start)                   \
                  each(mysql_real_query_cont) each(mysql_real_query_start) each(mysql_use_result)

struct Functions {
#define DBTRACE_MEMBER(name) decltype(&::name) name = nullptr;
  DBTRACE_MYSQL_FUNCTIONS(DBTRACE_MEMBER)
#undef DBTRACE_MEMBER
};

Result<Functions> load() {
  const auto library = Library::load("libmariadb.so.3", "libmariadb3");
  if (!library) return tl::unexpected(library.error());
  Functions functions;
  bool all = true;
#define DBTRACE_FIND(name) all &= library->find(#name, functions.name);
  DBTRACE_MYSQL_FUNCTIONS(DBTRACE_FIND)
#undef DBTRACE_FIND
  if (!all) return fail("libmariadb.so.3 lacks functions that a client needs");
  return functions;
}

// Ways to prove who one is, without the password in clear.
constexpr const char* kProofs =
    "mysql_native_password,client_ed25519,parsec,caching_sha2_password,sha256_password";

// With the library's functions that leave the waiting to their caller.
class MySqlClient final : public Client {
 public:
  explicit MySqlClient(const Functions& functions)
      : functions_(functions), connection_(functions.mysql_init(nullptr), functions.mysql_close) {}

  Result<void> connect(const Address& address, const profiles::Patience& patience) {
    MYSQL* connection = connection_.get();
    if (!connection) return fail("cannot start a client");
    if (auto set = set_options(); !set) return set;
    MYSQL* connected = nullptr;
    const int status = functions_.mysql_real_connect_start(
        &connected, connection, or_default(address.host), or_default(address.user),
        or_default(address.password), or_default(address.database), address.port,
        or_default(address.socket), 0);
    finish(status, patience, [&](int events) {
      return functions_.mysql_real_connect_cont(&connected, connection, events);
    });
    if (!connected) return failure(patience);
    return {};
  }

  Result<Answer> ask(const std::string& statement, const profiles::Patience& patience) override {
    MYSQL* connection = connection_.get();
    int failed = 0;
    const int status =
        functions_.mysql_real_query_start(&failed, connection, statement.data(), statement.size());
    finish(status, patience, [&](int events) {
      return functions_.mysql_real_query_cont(&failed, connection, events);
    });
    if (failed) return failure(patience);
    MYSQL_RES* rows = functions_.mysql_use_result(connection);
    if (!rows) return failure(patience);
    auto answer = only_row(rows, patience);
    // It would read what is left, if there were patience for it.
    const profiles::Patience none({}, [] { return true; });
    finish(functions_.mysql_free_result_start(rows), answer ? patience : none,
           [&](int events) { return functions_.mysql_free_result_cont(rows, events); });
    return answer;
  }

 private:
  Result<void> set_options() {
    MYSQL* connection = connection_.get();
    constexpr size_t kStack = 256 * 1024;  // of each function that waits
    functions_.mysql_options(connection, MYSQL_OPT_NONBLOCK, &kStack);
    functions_.mysql_options(connection, MYSQL_READ_DEFAULT_GROUP, "client");
    constexpr size_t kLongestAnswer = 1024 * 1024;
    functions_.mysql_options(connection, MYSQL_OPT_MAX_ALLOWED_PACKET, &kLongestAnswer);
    constexpr unsigned kNoFiles = 0;  // of this machine, for the server
    functions_.mysql_options(connection, MYSQL_OPT_LOCAL_INFILE, &kNoFiles);
    if (functions_.mysql_options(connection, MARIADB_OPT_RESTRICTED_AUTH, kProofs) != 0)
      return fail("libmariadb.so.3 would send the password in clear",
                  "install version 3.2 or later");
    return {};
  }

  // Has a function go on until it is over. Once the patience is, whatever it waits for fails.
  template <typename Continue>
  void finish(int status, const profiles::Patience& patience, const Continue& go_on) {
    while (status != 0) status = go_on(wait(status, patience));
  }

  int wait(int status, const profiles::Patience& patience) const {
    short events = 0;
    if (status & MYSQL_WAIT_READ) events |= POLLIN;
    if (status & MYSQL_WAIT_WRITE) events |= POLLOUT;
    if (status & MYSQL_WAIT_EXCEPT) events |= POLLPRI;
    const int socket = functions_.mysql_get_socket(connection_.get());
    if (!patience.wait(socket, events)) return MYSQL_WAIT_TIMEOUT;
    return status & ~MYSQL_WAIT_TIMEOUT;
  }

  Result<MYSQL_ROW> next_row(MYSQL_RES* rows, const profiles::Patience& patience) {
    MYSQL_ROW row = nullptr;
    finish(functions_.mysql_fetch_row_start(&row, rows), patience,
           [&](int events) { return functions_.mysql_fetch_row_cont(&row, rows, events); });
    if (!row && functions_.mysql_errno(connection_.get()) != 0) return failure(patience);
    return row;
  }

  Result<Answer> only_row(MYSQL_RES* rows, const profiles::Patience& patience) {
    if (functions_.mysql_num_fields(rows) != 1)
      return fail("the server answers with another number of columns than one");
    const auto row = next_row(rows, patience);
    if (!row) return tl::unexpected(row.error());
    if (!*row) return Answer{};
    Answer answer{.value = (*row)[0] ? (*row)[0] : "", .rows = 1};
    const auto end = next_row(rows, patience);
    if (!end) return tl::unexpected(end.error());
    if (*end) return fail("the server answers with more than one row");
    return answer;
  }

  [[nodiscard]] tl::unexpected<Error> failure(const profiles::Patience& patience) const {
    if (patience.is_over()) return patience.why();
    // The library's own words may be what is left of other packets.
    if (functions_.mysql_errno(connection_.get()) == CR_PLUGIN_NOT_ALLOWED)
      return fail("the server wants the password in a way that may show it",
                  fmt::format("ways that do not: {}", kProofs));
    const std::string why = functions_.mysql_error(connection_.get());
    return fail(why.empty() ? "the server answers without a row" : why);
  }

  Functions functions_;
  std::unique_ptr<MYSQL, decltype(&::mysql_close)> connection_;
};

}  // namespace

Result<std::unique_ptr<Client>> connect_mysql(const Address& address,
                                              const profiles::Patience& patience) {
  const auto functions = load();
  if (!functions) return tl::unexpected(functions.error());
  auto client = std::make_unique<MySqlClient>(*functions);
  if (auto connected = client->connect(address, patience); !connected)
    return tl::unexpected(connected.error());
  return client;
}

}  // namespace dbtrace::client

#endif
