#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "tests/faults/fault.h"

namespace dbtrace::testing {
namespace {

// Its successor is on the same data, of whatever file is in the program's place by then.
void restart_and_follow(Scene& scene) {
  scene.load.stop();
  scene.database.start();
  EXPECT_TRUE(says(scene.dbtrace, "\nattached to ", 2)) << scene.dbtrace.errors();
  scene.note_objects();
  scene.load.start();
  EXPECT_TRUE(scene.load.goes_on());
}

void limit_descriptors(const Database& database, rlim_t most) {
  for (const pid_t process : database.processes()) {
    rlimit limit{};
    if (::prlimit(process, RLIMIT_NOFILE, nullptr, &limit) != 0) continue;  // it has ended
    limit.rlim_cur = std::min(most, limit.rlim_max);
    ::prlimit(process, RLIMIT_NOFILE, &limit, nullptr);
  }
}

void run_out_of_descriptors(Scene& scene) {
  const auto conversation = scene.database.connect();
  limit_descriptors(scene.database, 3);
  EXPECT_TRUE(scene.load.goes_on());
  try {
    (void)conversation->ask(scene.database.statement_that_opens_a_file());
  } catch (const std::runtime_error&) {
    // PostgreSQL says why, the others answer NULL.
  }
  EXPECT_TRUE(scene.load.goes_on());
  limit_descriptors(scene.database, RLIM_INFINITY);
}

}  // namespace

std::vector<Fault> server_faults() {
  return {
      {.name = "ServerStopped",
       .happen = [](Scene& scene) { scene.database.stop(); },
       .end = RunEnd::WithServer,
       .ends_server = true},
      {.name = "ServerKilled",
       .happen = [](Scene& scene) { scene.database.kill(); },
       .end = RunEnd::WithServer,
       .ends_server = true},
      {.name = "ServerRestarted",
       .happen =
           [](Scene& scene) {
             scene.database.kill();
             restart_and_follow(scene);
           },
       .options = {"--follow"},
       .ends_server = true},
      {.name = "ServerUpgraded",
       .happen =
           [](Scene& scene) {
             scene.database.replace_program();
             EXPECT_TRUE(scene.load.goes_on());
             scene.database.stop();
             restart_and_follow(scene);
           },
       .options = {"--follow"},
       .ends_server = true},
      {"ServerHalted",
       [](Scene& scene) {
         scene.database.signal(SIGSTOP);
         std::this_thread::sleep_for(std::chrono::milliseconds(300));
         scene.database.signal(SIGCONT);
         EXPECT_TRUE(scene.load.goes_on());
       }},
      {"ServerOutOfDescriptors", run_out_of_descriptors},
  };
}

}  // namespace dbtrace::testing
