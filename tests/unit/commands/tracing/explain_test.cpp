#include "src/commands/tracing/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dbtrace::commands {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// --explain of every process of a stub server's file.
std::string explanation(const std::string& path) {
  const auto server = target::server_of_file(path);
  if (!server) throw std::runtime_error(server.error().message);
  auto finder = target::open_symbols(*server);
  if (!finder) throw std::runtime_error(finder.error().message);
  const auto plan = attach::make_plan(*finder, *server->profile);
  if (!plan) throw std::runtime_error(plan.error().message);
  return explain(*server, *finder, *plan);
}

std::string stub(const std::string& name) { return STUB_SERVERS "/" + name; }

TEST(Explain, SaysWhereEverythingIsRead) {
  const std::string program = stub("com_data/renamed-server");
  const std::string text = explanation(program);
  for (const std::string& part : {
           "server       MySQL (every process of " + program + ")\n",
           std::string("build-id     "),
           std::string("symbols      .dynsym ("),
           std::string(
               "dispatcher   dispatch_command(THD*, COM_DATA const*, enum_server_command)\n"),
           "_Z16dispatch_commandP3THDPK8COM_DATA19enum_server_command, from .dynsym of " + program,
           std::string(
               "command in rdx, session in rdi, text at [rsi+0] with its length at [rsi+8]"),
           std::string("begin of a command  "),
           std::string("end of a command (return probe)"),
           std::string("text of a prepared statement"),
           std::string(", file offset 0x"),
           std::string("connection id    [session+0x200]  (from thd_get_thread_id)"),
           std::string("user             -  no function thd_get_security_context"),
           std::string("statement text   [statement+0x40]  (from mysqld_stmt_execute)"),
       })
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(Explain, FollowsPointersInFields) {
  EXPECT_THAT(
      explanation(stub("suspending/mariadbd")),
      AllOf(HasSubstr("server       MariaDB ("),
            HasSubstr("command in rdi, session in rsi, text at rdx with its length in rcx"),
            HasSubstr("error number     [[session+0xc8]+0x8]  (from thd_get_error_number)")));
}

TEST(Explain, NamesTheDebugFile) {
  const std::string text = explanation(stub("raw_packet_split/mysqld"));
  EXPECT_THAT(text,
              AllOf(HasSubstr("debug file   " + stub("raw_packet_split/mysqld.debug") + ": used\n"),
                    HasSubstr("from .symtab of " + stub("raw_packet_split/mysqld.debug"))));
}

TEST(Explain, CannotDriveTheTerminal) {
  target::Server server = *target::server_of_file(stub("com_data/renamed-server"));
  auto finder = target::open_symbols(server);
  auto plan = attach::make_plan(*finder, *server.profile);
  server.version = "9\x1b[31m";
  server.data = "--datadir=\x1b]0;x\x07";
  plan->points.front().function.name.full = "f\x1b[2J";
  plan->notes.emplace_back("n\x1b[2J\nforged       line");
  EXPECT_THAT(explain(server, *finder, *plan),
              AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\x07"))));
}

}  // namespace
}  // namespace dbtrace::commands
