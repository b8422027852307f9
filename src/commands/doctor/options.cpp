// The command line of `dbtrace doctor`.
#include "src/commands/tracing/options.h"

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "src/commands/checks.h"
#include "src/commands/doctor/doctor.h"

namespace dbtrace::commands {
namespace {

constexpr const char* kFooter = R"(Examples:
  dbtrace doctor                     this machine, and the server that runs here
  dbtrace doctor mariadbd            one of several, by its program's name
  dbtrace doctor 1234                by its process id
  dbtrace doctor /usr/sbin/mysqld    a file, whether it runs or not
  dbtrace doctor --format json       for a program
  dbtrace doctor --canary --socket /run/mysqld/mysqld.sock --user app
                                     proves it by a statement that sleeps 50 ms

The canary's password comes from DBTRACE_PASSWORD, or from where the server's
own clients take it (option files, ~/.pgpass). Nothing is attached to the server
but by --canary; what the kernel allows is tried on dbtrace itself.

Exit status: 0 queries works, perhaps with less; 1 it does not, or the canary
proved nothing; 2 wrong usage.)";

constexpr const char* kCanary = "Canary";

// On the command line anybody could read it.
void take_password(client::Address& address) {
  if (const char* password = std::getenv("DBTRACE_PASSWORD")) address.password = password;
}

}  // namespace

CLI::App* add_doctor_command(CLI::App& app, DoctorOptions& options) {
  CLI::App* command =
      app.add_subcommand("doctor", "Say what works here, what does not, and what to do about it");
  command->footer(kFooter);
  CLI::Option* target = command->add_option(
      "TARGET", options.target, "A server's process id, its file, or its program's name");
  target->type_name("");
  add_server_options(*command, options.session);
  // These say the same.
  for (const char* other : {"--pid", "--exe"}) target->excludes(command->get_option(other));
  command->add_option("--format", options.format, "text or json (one object)")
      ->transform(
          one_of<DoctorFormat>({{"text", DoctorFormat::Text}, {"json", DoctorFormat::Json}}))
      ->type_name("FORMAT");
  take_password(options.address);
  CLI::Option* canary =
      command->add_flag("--canary", options.canary,
                        "Trace the server while it carries out a marked statement, and compare");
  canary->group(kCanary);
  const auto add = [&](const char* name, std::string& value, const char* type, const char* what) {
    command->add_option(name, value, what)->type_name(type)->needs(canary)->group(kCanary);
  };
  add("--socket", options.address.socket, "PATH", "Where to connect: a socket");
  add("--host", options.address.host, "HOST", "Where to connect: a host");
  command->add_option("--port", options.address.port, "Its port")
      ->check(whole_number(1, UINT16_MAX))
      ->type_name("PORT")
      ->needs(canary)
      ->group(kCanary);
  add("--user", options.address.user, "NAME", "Whom to connect as");
  add("--database", options.address.database, "NAME", "The database to connect to");
  return command;
}

}  // namespace dbtrace::commands
