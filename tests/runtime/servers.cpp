#include "tests/runtime/servers.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <stdexcept>

#include "tests/runtime/client.h"

namespace dbtrace::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
namespace fs = std::filesystem;

// What differs between the flavours.
struct Installation {
  const char* name;
  fs::path root;    // of the server's file system; empty = ours
  fs::path parent;  // where server folders are made
  fs::path program;
  std::vector<std::string> install;  // makes the data folder; empty: it is copied from…
  fs::path template_folder;
  std::vector<std::string> run_arguments;
};

fs::path cached(const std::string& name) {
  const char* cache = std::getenv("DBTRACE_TEST_CACHE");
  return fs::path(cache != nullptr ? cache : "/var/cache/dbtrace-tests") / name;
}

std::array<Installation, kFlavors> make_installations() {
  const fs::path mysql9 = cached("mysql9"), mysql56 = cached("mysql56"),
                 mariadb11 = cached("mariadb11");
  const std::string server56 = mysql56 / "server";
  return {
      Installation{
          .name = "mariadb",
          .root = "",
          .parent = fs::temp_directory_path(),
          .program = "/usr/sbin/mariadbd",
          .install = {"/usr/bin/mariadb-install-db", "--no-defaults",
                      "--auth-root-authentication-method=normal", "--skip-test-db", "--force"},
          .template_folder = "",
          .run_arguments = {}},
      Installation{.name = "mysql",
                   .root = mysql9,
                   .parent = mysql9,
                   .program = "/usr/sbin/mysqld",
                   .install = {"/usr/sbin/mysqld", "--no-defaults", "--initialize-insecure"},
                   .template_folder = "",
                   .run_arguments = {"--mysqlx=OFF", "--secure-file-priv="}},
      Installation{
          .name = "mysql",
          .root = "",
          .parent = mysql56,
          .program = server56 + "/mysqld",
          .install = {},
          .template_folder = mysql56 / "template",
          .run_arguments = {"--basedir=" + server56, "--lc-messages-dir=" + server56 + "/share",
                            "--innodb-log-file-size=5M"}},
      Installation{.name = "mariadb",
                   .root = mariadb11,
                   .parent = mariadb11,
                   .program = "/usr/sbin/mariadbd",
                   .install = {},
                   .template_folder = mariadb11 / "template",
                   .run_arguments = {"--innodb-log-file-size=5M"}},
  };
}

const Installation& installation(Flavor flavor) {
  static const std::array<Installation, kFlavors> installations = make_installations();
  return installations.at(static_cast<size_t>(flavor));
}

// As tests/lib/server_cache.sh expects it: the pid tells whether the folder is in use.
std::string folder_prefix() { return "data-" + std::to_string(::getpid()) + "-"; }

// `path` as the server sees it.
std::string inside(const Installation& where, const fs::path& path) {
  return where.root.empty() ? path.string() : "/" + path.lexically_relative(where.root).string();
}

void append(std::vector<std::string>& list, const std::vector<std::string>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

}  // namespace

const char* flavor_name(Flavor flavor) { return installation(flavor).name; }

fs::path server_program(Flavor flavor) {
  const Installation& where = installation(flavor);
  return where.root.string() + where.program.string();
}

std::optional<std::string> why_unavailable(Flavor flavor) {
  const fs::path program = server_program(flavor);
  if (!fs::exists(program)) return program.string() + " is not there";
  if (::geteuid() != 0) return "starting servers needs root";
  return std::nullopt;
}

Server::Server(const ServerOptions& options)
    : options_(options),
      flavor_(options.flavor),
      folder_(installation(options.flavor).parent, folder_prefix()) {
  initialize();
  if (options.prepare != nullptr) options.prepare(folder());
  start();
}

void Server::initialize() {
  const Installation& where = installation(flavor_);
  if (where.install.empty()) {
    fs::copy(where.template_folder, folder() / "data", fs::copy_options::recursive);
    return;
  }
  std::vector<std::string> command = where.install;
  // Servers that start remove the temporary tables of others from a folder that they share.
  append(command, {"--datadir=" + inside(where, folder() / "data"),
                   "--tmpdir=" + inside(where, folder()), "--user=root"});
  ChildProcess installer({.arguments = command, .errors = folder() / "log", .root = where.root});
  if (installer.wait(seconds(120)) != 0)
    throw std::runtime_error("cannot make a data folder:\n" + tail(log()));
}

void Server::start() {
  const Installation& where = installation(flavor_);
  const fs::path here = inside(where, folder());
  std::vector<std::string> command = {
      options_.program.empty() ? where.program.string() : (here / options_.program).string(),
      "--no-defaults",
      "--datadir=" + (here / "data").string(),
      "--tmpdir=" + here.string(),
      "--socket=" + (here / "socket").string(),
      "--pid-file=" + (here / "pid").string(),
      "--user=root",
      "--skip-networking",
      "--innodb-buffer-pool-size=64M"};
  append(command, where.run_arguments);
  append(command, options_.arguments);
  process_ = std::make_unique<ChildProcess>(
      ChildOptions{.arguments = command, .errors = folder() / "log", .root = where.root});

  const bool answers = wait_until(
      [this] { return !process_->running() || Client::can_connect(socket()); }, seconds(120));
  if (!answers || !process_->running())
    throw std::runtime_error("the server did not start:\n" + tail(log()));
}

std::string Server::log() const { return read_file(folder() / "log"); }

void Server::stop() {
  process_->signal(SIGTERM);
  if (!process_->wait(seconds(60))) throw std::runtime_error("the server does not stop");
}

void Server::kill() {
  process_->signal(SIGKILL);
  process_->wait(seconds(10));
}

Server& shared_server(Flavor flavor) {
  static std::array<std::unique_ptr<Server>, kFlavors> servers;
  std::unique_ptr<Server>& server = servers.at(static_cast<size_t>(flavor));
  if (!server) server = std::make_unique<Server>(ServerOptions{.flavor = flavor});
  return *server;
}

}  // namespace dbtrace::testing
