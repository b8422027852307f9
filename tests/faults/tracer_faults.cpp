#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/faults/checks.h"
#include "tests/faults/fault.h"

namespace dbtrace::testing {
namespace {

// Halted first: what it holds then is all that it will ever hold.
void kill(Scene& scene) {
  const std::string status = "/proc/" + std::to_string(scene.dbtrace.process().pid()) + "/status";
  scene.dbtrace.process().signal(SIGSTOP);
  EXPECT_TRUE(wait_until([&] { return read_file(status).find("State:\tT") != std::string::npos; },
                         std::chrono::seconds(60)));
  scene.note_objects();
  std::printf("  %zu objects in the kernel\n", scene.objects.back().count());
  scene.dbtrace.process().signal(SIGKILL);
}

// Killed when it holds so many programs, links and maps, or has attached.
Fault killed_with(size_t objects) {
  return {.name = "KilledWith" + std::to_string(objects) + "Objects",
          .happen =
              [objects](Scene& scene) {
                (void)wait_until(
                    [&] {
                      return BpfObjects(scene.dbtrace.process().pid()).count() >= objects ||
                             scene.dbtrace.errors().find("attached") != std::string::npos;
                    },
                    std::chrono::seconds(60));
                kill(scene);
              },
          .end = RunEnd::Killed,
          .while_attaching = true};
}

// Nothing is read of what at least 400 commands put into one page.
void halt(Scene& scene) {
  scene.dbtrace.process().signal(SIGSTOP);
  EXPECT_TRUE(scene.load.goes_on(400));
  scene.dbtrace.process().signal(SIGCONT);
  EXPECT_TRUE(scene.load.goes_on());
}

void take_descriptors_away(Scene& scene) {
  const rlimit none{3, 3};
  EXPECT_EQ(::prlimit(scene.dbtrace.process().pid(), RLIMIT_NOFILE, &none, nullptr), 0);
  scene.load.storm(20);
}

// Where clock_step.cpp looks for the step.
const std::string& clock_step_file() {
  static const TemporaryFolder folder;
  static const std::string file = folder.path() / "step";
  return file;
}

// Date and hour of each line.
size_t hours_told(const DbtraceProcess& dbtrace) {
  std::set<std::string> hours;
  for (const nlohmann::json& line : dbtrace.queries())
    hours.insert(line.at("start").get<std::string>().substr(0, sizeof("2026-01-01T00") - 1));
  return hours.size();
}

// Back by three hours, then forth by six, as dbtrace sees it: the machine's own clock is left
// alone.
void step_clock(Scene& scene) {
  size_t hours = 0;
  for (const char* seconds : {"0", "-10800", "10800"}) {
    std::ofstream(clock_step_file()) << seconds << '\n';
    ++hours;
    EXPECT_TRUE(
        wait_until([&] { return hours_told(scene.dbtrace) >= hours; }, std::chrono::seconds(20)));
  }
  std::filesystem::remove(clock_step_file());
}

void run_another(Scene& scene) {
  DbtraceProcess killed(scene.arguments), other(scene.arguments);
  killed.wait_until_attached(std::chrono::minutes(2));
  other.wait_until_attached(std::chrono::minutes(2));
  EXPECT_TRUE(scene.load.goes_on());
  killed.kill();
  EXPECT_TRUE(scene.load.goes_on());
  EXPECT_EQ(other.stop(), 0);
  expect_account(Account::of(other.errors()), other.queries().size());
  EXPECT_TRUE(scene.load.goes_on());
}

}  // namespace

std::vector<Fault> tracer_faults() {
  std::vector<Fault> faults = {
      {.name = "Killed", .happen = kill, .end = RunEnd::Killed},
      {.name = "Halted", .happen = halt, .options = {"--buffer", "4k"}, .loses = true},
      {"SmallestBounds",
       [](Scene& scene) { EXPECT_TRUE(scene.load.goes_on(300)); },
       {"--buffer", "4k", "--table-entries", "1", "--remember", "2", "--max-text", "64k",
        "--long-texts", "1"}},
      {"OutOfDescriptors", take_descriptors_away},
      {.name = "ClockSteps",
       .happen = step_clock,
       .environment = {{"LD_PRELOAD", CLOCK_STEP_LIBRARY},
                       {"DBTRACE_TEST_CLOCK_STEP", clock_step_file()}}},
      {"TwoMoreAtOnce", run_another},
      {.name = "DiskFull",
       .happen = [](Scene& scene) { EXPECT_TRUE(scene.load.goes_on(600)); },
       .end = RunEnd::OfItself,
       .exit_code = 1,
       .output = Output::SmallDisk},
      {.name = "PipeClosed",
       .happen =
           [](Scene& scene) {
             EXPECT_TRUE(scene.pipe.read_byte());
             scene.pipe.close_read_end();
             EXPECT_TRUE(scene.load.goes_on());
           },
       .end = RunEnd::OfItself,
       .output = Output::Pipe},
  };
  for (const size_t objects : {0, 1, 10, 20, 30, 40}) faults.push_back(killed_with(objects));
  return faults;
}

}  // namespace dbtrace::testing
