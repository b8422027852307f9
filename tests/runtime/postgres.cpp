#include "tests/runtime/postgres.h"

#include <pwd.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>

#include "tests/runtime/command.h"

namespace dbtrace::testing {
namespace {

using std::filesystem::path;

// PostgreSQL does not run as root.
constexpr const char* kAccount = "postgres";

path cache() {
  const char* folder = std::getenv("DBTRACE_TEST_CACHE");
  return folder != nullptr ? folder : "/var/cache/dbtrace-tests";
}

// Where the programs lie; empty: nowhere.
path programs(PostgresBuild build) {
  if (build != PostgresBuild::Installed)
    return cache() / ("postgres" + std::to_string(static_cast<int>(build))) / "native" / "bin";
  path newest;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/postgresql", ignored))
    if (exists(entry.path() / "bin" / "postgres") && entry.path() > newest) newest = entry.path();
  return newest.empty() ? path{} : newest / "bin";
}

std::vector<std::string> as_account(std::vector<std::string> command) {
  std::vector<std::string> whole = {"/usr/bin/setpriv", "--reuid",        kAccount, "--regid",
                                    kAccount,           "--clear-groups", "--"};
  whole.insert(whole.end(), command.begin(), command.end());
  return whole;
}

std::vector<const char*> pointers(const std::vector<std::string>& values) {
  std::vector<const char*> result;
  for (const std::string& value : values) result.push_back(value.c_str());
  return result;
}

}  // namespace

std::string build_name(PostgresBuild build) {
  return build == PostgresBuild::Installed ? "Installed"
                                           : "Version" + std::to_string(static_cast<int>(build));
}

std::optional<std::string> why_unavailable(PostgresBuild build) {
  const path folder = programs(build);
  if (!folder.empty() && exists(folder / "postgres")) return std::nullopt;
  return build == PostgresBuild::Installed
             ? "no PostgreSQL in /usr/lib/postgresql (package postgresql)"
             : "no PostgreSQL in " + folder.string() + " (test.sh makes it)";
}

Postgres::Postgres(PostgresBuild build, const std::string& settings, PostgresFile file)
    : program_(programs(build) / "postgres") {
  const passwd* account = ::getpwnam(kAccount);
  if (account == nullptr) throw std::runtime_error("there is no account postgres");
  if (::chown(folder_.path().c_str(), account->pw_uid, account->pw_gid) != 0)
    throw std::runtime_error("cannot give a folder to postgres");
  const path data = folder_.path() / "data";
  const DbtraceResult made =
      run_command(as_account({programs(build) / "initdb", "-D", data, "-A", "trust", "-N"}));
  if (made.exit_code != 0) throw std::runtime_error("initdb: " + made.output + made.errors);
  std::ofstream(data / "postgresql.conf", std::ios::app)
      << "listen_addresses = ''\nunix_socket_directories = '" << folder_.path().string()
      << "'\nshared_buffers = 32MB\nfsync = off\n"
      << settings << '\n';
  if (file == PostgresFile::Own) {
    const path own = folder_.path() / "postgres";
    copy_file(program_, own);
    program_ = own;
  }
  start();
}

bool Postgres::starts() {
  process_ = std::make_unique<ChildProcess>(
      ChildOptions{.arguments = as_account({program_, "-D", folder_.path() / "data"}),
                   .errors = folder_.path() / "log"});
  const std::string address = "host=" + folder_.path().string() + " user=postgres dbname=postgres";
  return wait_until([&] { return PQping(address.c_str()) == PQPING_OK || !process_->running(); },
                    std::chrono::seconds(60)) &&
         process_->running();
}

// The processes of a postmaster that was killed keep its successor out while they notice.
void Postgres::start() {
  if (!wait_until([&] { return starts() || log().find("pre-existing") == std::string::npos; },
                  std::chrono::seconds(60)) ||
      !process_->running())
    throw std::runtime_error("PostgreSQL does not run: " + log());
}

void Postgres::stop() {
  process_->signal(SIGINT);  // "fast": sessions are ended
  if (!process_->wait(std::chrono::seconds(60)))
    throw std::runtime_error("PostgreSQL does not stop");
}

void Postgres::kill() {
  process_->signal(SIGKILL);
  process_->wait(std::chrono::seconds(10));
}

Postgres::~Postgres() {
  process_->signal(SIGINT);  // "fast": sessions are ended
  if (!process_->wait(std::chrono::seconds(60))) process_->signal(SIGQUIT);
  process_->wait(std::chrono::seconds(20));
}

Postgres& shared_postgres(PostgresBuild build) {
  static std::map<PostgresBuild, std::unique_ptr<Postgres>> servers;
  std::unique_ptr<Postgres>& server = servers[build];
  if (server) return *server;
  server = std::make_unique<Postgres>(
      build,
      "shared_preload_libraries = 'pg_stat_statements'\nlog_min_duration_statement = 0\n"
      "log_line_prefix = '%m [%p]: user=%u,db=%d,app=%a,client=%h '\n"
      "min_parallel_table_scan_size = 0\nparallel_setup_cost = 0\nparallel_tuple_cost = 0\n");
  PgClient(*server).must("create extension pg_stat_statements");
  return *server;
}

PgClient::PgClient(const Postgres& server, const std::string& database, const std::string& user,
                   const std::string& application)
    : connection_(PQconnectdb(("host=" + server.socket_folder() + " user=" + user +
                               " dbname=" + database + " application_name=" + application)
                                  .c_str())) {
  if (PQstatus(connection_) == CONNECTION_OK) return;
  const std::string why = PQerrorMessage(connection_);
  PQfinish(connection_);
  throw std::runtime_error(why);
}

std::string PgClient::must(const std::string& sql) {
  const PgResult result = query(sql);
  const ExecStatusType status = PQresultStatus(result.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
    throw std::runtime_error(sql + ": " + PQerrorMessage(connection_));
  return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
}

PgResult PgClient::with_parameters(const std::string& sql, const std::vector<std::string>& values) {
  return PgResult(PQexecParams(connection_, sql.c_str(), static_cast<int>(values.size()), nullptr,
                               pointers(values).data(), nullptr, nullptr, 0));
}

PgResult PgClient::execute(const std::string& name, const std::vector<std::string>& values) {
  return PgResult(PQexecPrepared(connection_, name.c_str(), static_cast<int>(values.size()),
                                 pointers(values).data(), nullptr, nullptr, 0));
}

}  // namespace dbtrace::testing
