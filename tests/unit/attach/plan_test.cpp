#include "src/attach/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace dbtrace::attach {
namespace {

using profiles::Field;
using Program = ProbePoint::Program;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const profiles::Profile& profile(std::string_view flavor) {
  return *std::ranges::find(profiles::all(), flavor, &profiles::Profile::flavor);
}

symbols::Finder open(const std::string& path) {
  auto file = symbols::ElfFile::open(path);
  if (!file) throw std::runtime_error(file.error().message);
  auto finder = symbols::Finder::open(std::move(*file));
  if (!finder) throw std::runtime_error(finder.error().message);
  return std::move(*finder);
}

std::string stub(std::string_view name) { return std::string(STUB_SERVERS "/").append(name); }

Result<Plan> plan_of(std::string_view name, std::string_view flavor) {
  auto finder = open(stub(name));
  return make_plan(finder, profile(flavor));
}

Plan plan_that_exists(std::string_view name, std::string_view flavor) {
  auto plan = plan_of(name, flavor);
  if (!plan) throw std::runtime_error(plan.error().message);
  return std::move(*plan);
}

// A path as the kernel follows it: "0x10 0x8 w4" (a number), "0x10 text" and
// "0x10 pair"; "-" when there is none.
std::string text_of(const dbt_path& path) {
  if (path.steps == 0) return "-";
  std::string text;
  for (int i = 0; i < path.steps; ++i) {
    char offset[16];
    std::snprintf(offset, sizeof(offset), "%#x ", path.offset[i]);
    text += offset;
  }
  if (path.width != 0) return text + "w" + std::to_string(path.width);
  return text + (path.length_width == 8 ? "pair" : "text");
}

struct Expected {
  std::string program;
  std::string flavor;
  std::string dispatcher;
  // Argument positions, and what "to be entered again" is (-1: nothing).
  int command, session, packet, length, suspended;
  // By Field.
  std::vector<std::string> fields;
};

class StubPlan : public ::testing::TestWithParam<Expected> {};

// The offsets are those of the structures in fixtures/servers.
INSTANTIATE_TEST_SUITE_P(
    Each, StubPlan,
    ::testing::Values(
        Expected{"com_data/renamed-server",
                 "mysql",
                 "dispatch_command(THD*, COM_DATA const*, enum_server_command)",
                 2,
                 0,
                 1,
                 0,
                 -1,
                 {"0x200 w4", "-", "-", "-", "-", "0x208 w8", "0x210 w8", "-", "0x40 pair", "-",
                  "-", "-"}},
        Expected{"static/mysqld",
                 "mysql",
                 "dispatch_command(THD*, COM_DATA const*, enum_server_command)",
                 2,
                 0,
                 1,
                 0,
                 -1,
                 {"0x200 w4", "-", "-", "-", "-", "0x208 w8", "0x210 w8", "-", "0x40 pair", "-",
                  "-", "-"}},
        Expected{"suspending/mariadbd",
                 "mariadb",
                 "dispatch_command(enum_server_command, THD*, char*, unsigned int, bool)",
                 0,
                 1,
                 2,
                 3,
                 2,
                 {"0x90 w8", "0xa0 text", "0xa8 text", "0xb0 text", "0x80 pair", "-", "-",
                  "0xc8 0x8 w4", "-", "-", "-", "-"}},
        Expected{"raw_packet/mysqld",
                 "mysql",
                 "dispatch_command(enum_server_command, THD*, char*, unsigned int)",
                 0,
                 1,
                 2,
                 3,
                 -1,
                 {"0x120 w4", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-"}},
        Expected{"six_parameters/mysqld",
                 "mariadb",
                 "dispatch_command(enum_server_command, THD*, char*, unsigned int, bool, bool)",
                 0,
                 1,
                 2,
                 3,
                 -1,
                 {"0x120 w4", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-"}},
        Expected{"raw_packet_split/mysqld",
                 "mysql",
                 "dispatch_command(enum_server_command, THD*, char*, unsigned int)",
                 0,
                 1,
                 2,
                 3,
                 -1,
                 {"0x120 w4", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-"}}),
    [](const auto& each) { return each.param.program.substr(0, each.param.program.find('/')); });

TEST_P(StubPlan, SaysWhereEverythingIsRead) {
  const Expected& expected = GetParam();
  const Plan plan = plan_that_exists(expected.program, expected.flavor);
  EXPECT_EQ(plan.points.at(0).function.name.full, expected.dispatcher);
  EXPECT_EQ(plan.kernel.command_argument, expected.command);
  EXPECT_EQ(plan.kernel.session_argument, expected.session);
  EXPECT_EQ(plan.kernel.packet_argument, expected.packet);
  EXPECT_EQ(plan.kernel.length_argument, expected.length);
  EXPECT_EQ(plan.kernel.suspends, expected.suspended >= 0);
  EXPECT_EQ(plan.kernel.suspended_result, std::max(expected.suspended, 0));
  std::vector<std::string> fields;
  for (const FieldPlan& each : plan.fields) fields.push_back(text_of(each.path));
  std::vector<std::string> all = expected.fields;
  all.resize(profiles::kFieldCount, "-");  // those of servers that report
  EXPECT_EQ(fields, all);
  for (const FieldPlan& each : plan.fields) {
    // What is found has an origin, and no reason why not.
    EXPECT_EQ(each.path.steps == 0, each.origin.empty());
    EXPECT_TRUE(each.origin.empty() || each.reason.empty());
  }
}

// Compiled from the same sources, so the members lie at the same offsets.
TEST(Plan, IsTheSameOnAArch64) {
  if (!std::filesystem::exists(stub("aarch64_com_data")))
    GTEST_SKIP() << "no compiler for AArch64 (aarch64-linux-gnu-g++)";
  for (const auto& [program, flavor] :
       std::vector<std::pair<std::string, std::string>>{{"com_data/renamed-server", "mysql"},
                                                        {"suspending/mariadbd", "mariadb"},
                                                        {"raw_packet/mysqld", "mysql"},
                                                        {"six_parameters/mysqld", "mariadb"}}) {
    const Plan plan = plan_that_exists("aarch64_" + program, flavor);
    const Plan here = plan_that_exists(program, flavor);
    EXPECT_EQ(plan.arch, code::Arch::AArch64);
    EXPECT_EQ(plan.shape, here.shape);
    ASSERT_EQ(plan.points.size(), here.points.size()) << program;
    for (size_t i = 0; i < plan.points.size(); ++i) {
      EXPECT_EQ(plan.points[i].program, here.points[i].program);
      EXPECT_EQ(plan.points[i].function.name.full, here.points[i].function.name.full);
    }
    for (size_t i = 0; i < plan.fields.size(); ++i)
      EXPECT_EQ(text_of(plan.fields[i].path), text_of(here.fields[i].path))
          << program << ": " << profiles::field_name(plan.fields[i].field);
  }
}

TEST_P(StubPlan, ProbesTheDispatchersBeginAndEnd) {
  const auto finder = open(stub(GetParam().program));
  const Plan plan = plan_that_exists(GetParam().program, GetParam().flavor);
  ASSERT_GE(plan.points.size(), 2U);
  EXPECT_EQ(plan.points[0].program, Program::CommandBegin);
  EXPECT_EQ(plan.points[1].program, Program::CommandEnd);
  EXPECT_EQ(plan.points[0].function.address, plan.points[1].function.address);
  for (const ProbePoint& point : plan.points) {
    EXPECT_FALSE(point.placement.instruction.empty());
    EXPECT_EQ(point.offset,
              finder.binary().file_offset(point.function.address + point.placement.delta));
  }
}

TEST(Plan, ProbesStatementsWhereTheirTextCanBeHad) {
  const auto programs = [](const Plan& plan) {
    std::vector<Program> result;
    for (const ProbePoint& point : plan.points) result.push_back(point.program);
    return result;
  };
  EXPECT_THAT(programs(plan_that_exists("com_data/renamed-server", "mysql")),
              Contains(Program::ExecutionBegin));
  EXPECT_THAT(programs(plan_that_exists("raw_packet/mysqld", "mysql")),
              Not(Contains(Program::ExecutionBegin)));
}

TEST(Plan, TakesNamesFromTheDebugFileAndOffsetsFromTheBinary) {
  const Plan whole = plan_that_exists("raw_packet/mysqld", "mysql");
  const Plan split = plan_that_exists("raw_packet_split/mysqld", "mysql");
  EXPECT_EQ(split.points[0].offset, whole.points[0].offset);
  EXPECT_EQ(split.points[0].function.file, stub("raw_packet_split/mysqld.debug"));
  EXPECT_EQ(whole.points[0].function.file, stub("raw_packet/mysqld"));
}

TEST(Plan, CommandsAreReadAsTheLayoutSays) {
  const Plan data = plan_that_exists("com_data/renamed-server", "mysql");
  const Plan raw = plan_that_exists("raw_packet/mysqld", "mysql");
  struct Case {
    int command;
    int com_data, raw_packet;
  };
  const std::vector<Case> cases = {
      {2, DBT_TEXT_DATA64, DBT_TEXT_PACKET},                                        // InitDb
      {3, DBT_TEXT_DATA32 | DBT_COMMAND_ROWS, DBT_TEXT_PACKET | DBT_COMMAND_ROWS},  // Query
      {4, DBT_TEXT_DATA32, DBT_TEXT_PACKET_NUL},                                    // FieldList
      {14, DBT_TEXT_NONE, DBT_TEXT_NONE},                                           // Ping
      {17, DBT_COMMAND_NEW_USER, DBT_COMMAND_NEW_USER},                             // ChangeUser
      {23, DBT_TEXT_STATEMENT | DBT_COMMAND_ROWS | DBT_COMMAND_EXECUTES_ONE,
       DBT_TEXT_STATEMENT | DBT_COMMAND_ROWS | DBT_COMMAND_EXECUTES_ONE},
      {200, 0, 0},  // there is none
  };
  for (const Case& each : cases) {
    EXPECT_EQ(data.kernel.commands[each.command], each.com_data) << each.command;
    EXPECT_EQ(raw.kernel.commands[each.command], each.raw_packet) << each.command;
  }
}

TEST(SendOnly, ChoosesTheCommandsAnew) {
  Plan plan = plan_that_exists("com_data/renamed-server", "mysql");
  const auto sent = [&plan] {
    std::vector<int> ids;
    for (int id = 0; id < 256; ++id)
      if (plan.kernel.commands[id] & DBT_COMMAND_SEND) ids.push_back(id);
    return ids;
  };
  const dbt_u8 query = plan.kernel.commands[3];
  EXPECT_THAT(sent(), IsEmpty());
  send_only(plan, {3, 22, 255});
  EXPECT_EQ(sent(), (std::vector{3, 22, 255}));
  EXPECT_EQ(plan.kernel.commands[3], query | DBT_COMMAND_SEND);
  send_only(plan, {14});
  EXPECT_EQ(sent(), std::vector{14});
  EXPECT_EQ(plan.kernel.commands[3], query);
  send_only(plan, {});
  EXPECT_THAT(sent(), IsEmpty());
}

struct Refusal {
  std::string program;
  std::string message;
  std::vector<std::string> hints;
};

class Refused : public ::testing::TestWithParam<Refusal> {};

INSTANTIATE_TEST_SUITE_P(
    Each, Refused,
    ::testing::Values(
        Refusal{"no_dispatch/mysqld",
                "no_dispatch/mysqld has no function dispatch_command",
                {"looked in .dynsym (", ".symtab (", "/usr/lib/debug/.build-id/"}},
        Refusal{"other_dispatch/mysqld",
                "other_dispatch/mysqld has no function dispatch_command",
                {"not taken: xpl::dispatch_command(THD*, int)", "lambda"}},
        Refusal{
            "unknown_shape/mysqld",
            "dispatch_command(THD*, Request const&, long)",
            {"expected one of:", "\n  dispatch_command(THD*, COM_DATA const*, enum_server_command)",
             "\n  dispatch_command(enum_server_command, THD*, char*, unsigned int, bool)",
             "\n  dispatch_command(enum_server_command, THD*, char*, unsigned int)"}}),
    [](const auto& each) { return each.param.program.substr(0, each.param.program.find('/')); });

TEST_P(Refused, SaysWhatWasFoundAndLookedFor) {
  for (const char* flavor : {"mysql", "mariadb"}) {
    const auto plan = plan_of(GetParam().program, flavor);
    ASSERT_FALSE(plan);
    EXPECT_THAT(plan.error().message, HasSubstr(GetParam().message));
    for (const std::string& hint : GetParam().hints)
      EXPECT_THAT(plan.error().hint, HasSubstr(hint));
  }
}

// Lambdas, other scopes and the compiler's clones beside the real one.
TEST(Plan, NotesWhatItDidNotTake) {
  auto finder = open(SYMBOLS_FIXTURES "/pie");
  const auto plan = make_plan(finder, profile("mysql"));
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->points[0].function.name.full,
            "dispatch_command(THD*, COM_DATA const*, enum_server_command)");
  for (const char* part : {"xpl::dispatcher::dispatch_command", ".cold"})
    EXPECT_THAT(plan->notes, Contains(AllOf(HasSubstr("not taken: "), HasSubstr(part))));
}

TEST(Plan, OfStatementsIsRefusedWithoutTheirFunction) {
  auto finder = open(stub("com_data/renamed-server"));
  const auto plan = make_plan(finder, profile("mysql"), {.statements = true});
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().message, HasSubstr("has no functions mysql_execute_command"));
  EXPECT_THAT(plan.error().hint, HasSubstr("without --statements"));
}

// A file for another processor, by its header (e_machine is at 18).
TEST(Plan, IsRefusedForAnUnknownProcessor) {
  std::ifstream in(stub("com_data/renamed-server"), std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(in), {});
  ASSERT_GT(bytes.size(), 20U);
  bytes[18] = static_cast<char>(0xf3);  // EM_RISCV
  std::string path = "/tmp/dbtrace-plan-XXXXXX";
  const int fd = ::mkstemp(path.data());
  ASSERT_GE(fd, 0);
  ::close(fd);
  std::ofstream(path, std::ios::binary) << bytes;
  auto finder = open(path);
  const auto plan = make_plan(finder, profile("mysql"));
  std::remove(path.c_str());
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().message, HasSubstr("is for a processor that dbtrace does not know"));
}

}  // namespace
}  // namespace dbtrace::attach
