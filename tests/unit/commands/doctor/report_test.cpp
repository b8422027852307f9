#include "src/commands/doctor/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace dbtrace::commands {
namespace {

using enum CheckState;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<Section> sections() {
  return {
      {Section::About::Machine,
       "This machine",
       {{"kernel", Ok, "Linux 6.12 on x86_64"},
        {"file I/O", Degraded, "by syscalls (the kernel refuses fentry: Operation not permitted)",
         "a little time of every system call of the machine", ""}}},
      {Section::About::Server,
       "MariaDB 10.11 (pid 7)",
       {{"plan", Degraded, "", "errors have no numbers: f was not found"},
        {"symbols", Degraded, "no .symtab", "names of static functions", "install x-dbgsym"}}}};
}

TEST(DoctorText, HasALineACheckAndTheVerdict) {
  EXPECT_EQ(doctor_text(sections()),
            "This machine\n"
            "ok        kernel            Linux 6.12 on x86_64\n"
            "degraded  file I/O          by syscalls (the kernel refuses fentry: Operation\n"
            "                            not permitted)\n"
            "                            lost: a little time of every system call of the\n"
            "                            machine\n"
            "\n"
            "MariaDB 10.11 (pid 7)\n"
            "degraded  plan              errors have no numbers: f was not found\n"
            "degraded  symbols           no .symtab\n"
            "                            lost: names of static functions\n"
            "                            do: install x-dbgsym\n"
            "\n"
            "queries works with less: file I/O; plan; symbols\n");
}

TEST(DoctorText, FitsATerminalWhateverIsFound) {
  std::vector<Section> all = sections();
  for (int i = 0; i < 40; ++i) all[0].checks[0].found += " and more";
  all[1].checks[0].lost = "several lines:\n  one\n  two";
  std::istringstream lines(doctor_text(all));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  EXPECT_THAT(doctor_text(all), HasSubstr("degraded  plan              several lines:\n"
                                          "                            one\n"
                                          "                            two\n"));
}

TEST(DoctorText, CannotDriveTheTerminal) {
  std::vector<Section> all = sections();
  all[1].title = "MariaDB \x1b[2J";
  all[1].checks[0].lost = "\x1b]0;x\x07";
  all[1].checks[1] = {"symbols", Missing, "\x1b[31m", "", "\x1b[31m"};
  EXPECT_THAT(doctor_text(all), Not(HasSubstr("\x1b")));
  EXPECT_THAT(doctor_json(all), Not(HasSubstr("\x1b")));
}

TEST(Verdict, NamesWhatIsMissingFirst) {
  std::vector<Section> all = sections();
  EXPECT_EQ(verdict(all).state, Degraded);
  all[1].checks.push_back({"commands", Missing, "no function f\n  but g"});
  EXPECT_EQ(verdict(all).text, "queries does not work: commands: no function f");
  all[1].checks.pop_back();
  all.push_back({Section::About::Canary, "Canary", {{"text", Missing, "x, but it is y"}}});
  EXPECT_EQ(verdict(all).text, "not proved: text: x, but it is y");
  EXPECT_EQ(verdict({{Section::About::Machine, "", {{"kernel", Ok, "x"}}}}).text,
            "queries works here");
}

TEST(DoctorJson, HasEverythingOfEveryCheck) {
  const auto json = nlohmann::json::parse(doctor_json(sections()));
  EXPECT_EQ(json["works"], true);
  EXPECT_EQ(json["verdict"], "queries works with less: file I/O; plan; symbols");
  ASSERT_EQ(json["sections"].size(), 2U);
  const auto& machine = json["sections"][0];
  EXPECT_EQ(machine["about"], "machine");
  EXPECT_EQ(machine["title"], "This machine");
  ASSERT_EQ(machine["checks"].size(), 2U);
  EXPECT_EQ(machine["checks"][0], (nlohmann::json{{"subject", "kernel"},
                                                  {"state", "ok"},
                                                  {"found", "Linux 6.12 on x86_64"},
                                                  {"lost", nullptr},
                                                  {"advice", nullptr}}));
  const auto& server = json["sections"][1]["checks"];
  EXPECT_EQ(server[0]["found"], nullptr);
  EXPECT_EQ(server[1]["advice"], "install x-dbgsym");
  std::vector<Section> all = sections();
  all[0].checks[0].state = Missing;
  EXPECT_EQ(nlohmann::json::parse(doctor_json(all))["works"], false);
}

}  // namespace
}  // namespace dbtrace::commands
