// Arguments of calls are what the program passed; what cannot be read is said, and
// what is lost is counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/runtime/func_support.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// What the stub's four calls of many_arguments pass.
TEST(Args, AreWhatWasPassed) {
  StubServer server(kThrowing);
  FuncRun run({"many_arguments", "--args", "0:int,1:uint,2:long,3:str,4+0:str:4+8,5:str:6,7:str",
               "--args", "4+8:ulong"},
              server);
  const std::vector<json> lines = run.script();
  ASSERT_EQ(lines.size(), 4U);
  for (const json& line : lines) {
    EXPECT_EQ(line["function"], "many_arguments");
    EXPECT_EQ(line["pid"], server.pid());
    EXPECT_EQ(line["tid"], server.pid());
  }
  EXPECT_EQ(lines[0]["args"], (json{{"0", -1},
                                    {"1", 4'000'000'000},
                                    {"2", -5'000'000'000},
                                    {"3", "SELECT 'first'"},
                                    {"4+0", "a text"},
                                    {"5", "six by"},
                                    {"7", "seven"},
                                    {"4+8", 6}}));
  EXPECT_FALSE(lines[0].contains("unreadable"));
  EXPECT_FALSE(lines[0].contains("cut"));

  EXPECT_EQ(lines[1]["args"]["3"], json());  // a null pointer
  EXPECT_EQ(lines[1]["args"]["5"], "\x1b[3");
  EXPECT_EQ(lines[1]["unreadable"], json{"7"});

  EXPECT_EQ(lines[2]["args"]["3"], std::string(1023, 'x'));
  EXPECT_EQ(lines[2]["args"]["5"], std::string(1024, 'x'));
  EXPECT_EQ(lines[2]["args"]["7"], "");
  EXPECT_EQ(lines[2]["cut"], (json{"3", "5"}));
  EXPECT_EQ(lines[2]["unreadable"], (json{"4+0", "4+8"}));

  EXPECT_EQ(lines[3]["args"]["3"], "SET PASSWORD = '<redacted>'");
  EXPECT_EQ(lines[3]["args"]["5"], "");
}

TEST(Args, AsTextCannotDriveTheTerminal) {
  StubServer server(kThrowing);
  DbtraceProcess dbtrace(
      {"func", "many_arguments", "--args", "5:str,7:str,3:str", "-p", server.pid_text()});
  dbtrace.wait_until_attached();
  server.run_script();
  EXPECT_EQ(dbtrace.stop(), 0);
  const std::string text = dbtrace.output();
  EXPECT_THAT(text,
              HasSubstr("  many_arguments  5=\"six bytes\" 7=\"seven\" 3=\"SELECT 'first'\"\n"));
  EXPECT_THAT(text, HasSubstr("  5=\"\\x1b[31m 'red'\" 7=<unreadable 0x10> 3=null\n"));
  EXPECT_THAT(text, HasSubstr("7=\"\\xff\\xfe\""));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_EQ(std::ranges::count(text, '\n'), 4);
}

TEST(Args, OfFunctionsThatThrow) {
  StubServer server(kThrowing);
  FuncRun run({"throws", "--args", "0:int"}, server);
  const std::vector<json> lines = run.script();
  ASSERT_EQ(lines.size(), 1000U);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(lines[static_cast<size_t>(i)]["args"]["0"], i);
}

// MySQL's shape: the text lies where argument 1 points to.
TEST(Args, OfADispatcher) {
  StubServer server("com_data/renamed-server");
  FuncRun run({"dispatch_command", "--args", "1+0:str:1+8,2:int"}, server);
  server.run_load();
  const std::vector<json> lines = run.stop();
  ASSERT_EQ(lines.size(), StubServer::kLoad);
  EXPECT_EQ(lines[77]["args"]["1+0"], "SELECT 77, '77'");
  EXPECT_EQ(lines[77]["args"]["2"], 3);
}

TEST(Args, RaiseADoubtWhereThereIsNoPointer) {
  StubServer server("com_data/renamed-server");
  FuncRun run({"dispatch_command", "--args", "2:str"}, server);
  server.run_script();
  for (const json& line : run.stop()) EXPECT_EQ(line["unreadable"], json{"2"});
  EXPECT_THAT(run.errors(), HasSubstr("note: argument 2 of dispatch_command(THD*, COM_DATA const*, "
                                      "enum_server_command) seems to be no pointer, but: "
                                      "enum_server_command\n"));
}

// Nobody reads for a while: what finds no room is counted, and what comes through
// is right.
TEST(Args, AreLostOnlyWithAWord) {
  StubServer server("com_data/renamed-server", {}, {"steady"});
  FuncRun run({"dispatch_command", "--args", "1+0:str:1+8"}, server);
  run.dbtrace().process().signal(SIGSTOP);
  server.run_load();
  run.dbtrace().process().signal(SIGCONT);
  const std::vector<json> lines = run.stop();
  EXPECT_LT(lines.size(), StubServer::kSteadyLoad);
  EXPECT_GT(lines.size(), 0U);
  const size_t lost = StubServer::kSteadyLoad - lines.size();
  EXPECT_THAT(run.errors(),
              HasSubstr(std::to_string(StubServer::kSteadyLoad) +
                        " calls of 1 function: " + std::to_string(lines.size()) + " shown, " +
                        std::to_string(lost) + " lost\n  " + std::to_string(lost) + " ring full"));
  long last = -1;
  for (const json& line : lines) {
    const std::string text = line["args"]["1+0"];
    const long number = std::stol(text.substr(text.find("id = ") + 5));
    ASSERT_GT(number, last);
    last = number;
  }
}

}  // namespace
}  // namespace dbtrace::testing
