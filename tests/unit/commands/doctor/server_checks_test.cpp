#include "src/commands/doctor/server_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace dbtrace::commands {
namespace {

using ::testing::HasSubstr;

// Of every process of a stub server's file, as one who may load nothing.
std::vector<Check> checks_of(const std::string& name) {
  const auto server = target::server_of_file(std::string(STUB_SERVERS "/") + name);
  if (!server) throw std::runtime_error(server.error().message);
  return server_checks(*server, false);
}

Check about(const std::vector<Check>& checks, const std::string& subject) {
  const auto check = std::ranges::find(checks, subject, &Check::subject);
  if (check == checks.end()) throw std::runtime_error("no check is about " + subject);
  return *check;
}

TEST(ServerChecks, TellWhatThePlanHas) {
  const auto checks = checks_of("com_data/renamed-server");
  EXPECT_EQ(about(checks, "commands").state, CheckState::Ok);
  EXPECT_THAT(about(checks, "commands").found, HasSubstr("dispatch_command(THD*, COM_DATA const*"));
  EXPECT_THAT(about(checks, "arguments").found, HasSubstr("command in rdx"));
  EXPECT_THAT(about(checks, "fields").found, HasSubstr("connection id"));
  EXPECT_EQ(about(checks, "symbols").state, CheckState::Ok);
  EXPECT_EQ(about(checks, "stacks").state, CheckState::Ok);
  EXPECT_EQ(about(checks, "build-id").found.size(), 40U);
}

TEST(ServerChecks, TellOfEachFieldThatCannotBeHad) {
  const Check user = about(checks_of("com_data/renamed-server"), "user");
  EXPECT_EQ(user.state, CheckState::Degraded);
  EXPECT_THAT(user.found, HasSubstr("no function thd_get_security_context"));
  EXPECT_EQ(user.lost, "user is not shown");
}

TEST(ServerChecks, NameTheDebugFileThatIsUsed) {
  const Check symbols = about(checks_of("raw_packet_split/mysqld"), "symbols");
  EXPECT_EQ(symbols.state, CheckState::Ok);
  EXPECT_THAT(symbols.found, HasSubstr("raw_packet_split/mysqld.debug"));
}

TEST(ServerChecks, MissWhatCannotBeTraced) {
  const Check commands = about(checks_of("unknown_shape/mysqld"), "commands");
  EXPECT_EQ(commands.state, CheckState::Missing);
  EXPECT_THAT(commands.found, HasSubstr("parameters that dbtrace does not know"));
  EXPECT_THAT(commands.advice, HasSubstr("expected one of"));
}

TEST(ServerChecks, TellWhatAPlanLostAndNoted) {
  const auto server = target::server_of_file(STUB_SERVERS "/com_data/renamed-server");
  auto finder = target::open_symbols(*server);
  auto plan = attach::make_plan(*finder, *server->profile);
  ASSERT_TRUE(plan);
  plan->losses = {"errors have no numbers"};
  plan->notes = {"not taken: x"};
  plan->points.front().placement.emulated = false;
  plan->thread_session = {};
  plan->thread_session.reason = "no variable";
  const auto checks = plan_checks(*plan);
  const auto loss = std::ranges::find(checks, "errors have no numbers", &Check::lost);
  ASSERT_NE(loss, checks.end());
  EXPECT_EQ(loss->state, CheckState::Degraded);
  const auto note = std::ranges::find(checks, "not taken: x", &Check::found);
  ASSERT_NE(note, checks.end());
  EXPECT_EQ(note->state, CheckState::Ok);
  EXPECT_EQ(about(checks, "probe places").state, CheckState::Degraded);
  EXPECT_THAT(about(checks, "probe places").found, HasSubstr("dispatch_command"));
  EXPECT_EQ(about(checks, "thread's session").state, CheckState::Degraded);
}

}  // namespace
}  // namespace dbtrace::commands
