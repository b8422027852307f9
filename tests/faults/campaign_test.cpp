// Every fault on every kind of server: whatever happens, the server goes on and is right, nothing
// of dbtrace remains in it, and what dbtrace tells is accounted for.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>

#include "tests/faults/checks.h"
#include "tests/faults/fault.h"
#include "tests/faults/small_disk.h"

namespace dbtrace::testing {
namespace {

using std::chrono::minutes;

std::vector<Fault> all_faults() {
  std::vector<Fault> all = server_faults();
  for (auto faults : {client_faults(), tracer_faults()})
    all.insert(all.end(), faults.begin(), faults.end());
  return all;
}

// Sets variables for the programs that start meanwhile.
class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string>& variables)
      : variables_(variables) {
    for (const auto& [name, value] : variables_) ::setenv(name.c_str(), value.c_str(), 1);
  }
  ~Environment() {
    for (const auto& [name, value] : variables_) ::unsetenv(name.c_str());
  }

 private:
  const std::map<std::string, std::string>& variables_;
};

std::unique_ptr<Database> database;
Kind kind_of_database;

class Campaign : public ::testing::TestWithParam<std::tuple<Kind, Fault>> {
 protected:
  void SetUp() override {
    const Kind kind = std::get<0>(GetParam());
    if (const auto reason = why_unavailable(kind)) GTEST_SKIP() << *reason;
    if (database && kind_of_database == kind) return;
    database.reset();
    database = make_database(kind);
    kind_of_database = kind;
  }
  // A server that ended by itself fails the fault that it did not survive, and no other.
  void TearDown() override {
    if (!database) return;
    const auto end = database->how_it_ended();
    EXPECT_FALSE(end) << "the server ended: " << *end;
    if (end) database.reset();
  }
  static void TearDownTestSuite() { database.reset(); }
};

// What dbtrace printed is true; all of it, unless it was killed.
void expect_told(const Fault& fault, const DbtraceProcess& dbtrace, const std::string& output,
                 const Load& load) {
  const auto lines = queries_of(output);
  const size_t told = expect_marks(lines, load.asked());
  if (fault.end == RunEnd::Killed) return;
  const Account account = Account::of(dbtrace.errors());
  expect_account(account, lines.size());
  EXPECT_EQ(account.class_named("malformed"), 0U) << dbtrace.errors();
  EXPECT_TRUE(!fault.loses || account.class_named("ring full") > 0) << dbtrace.errors();
  if (fault.end == RunEnd::OfItself) return;  // it was not there to the last answer
  EXPECT_GE(told + account.lost + load.cut_off(), load.answered()) << dbtrace.errors();
}

TEST_P(Campaign, TheServerGoesOnAndNothingRemains) {
  const Fault& fault = std::get<1>(GetParam());
  Pipe pipe;
  std::optional<SmallDisk> disk;
  if (fault.output == Output::SmallDisk) disk.emplace();
  const int outputs[] = {-1, pipe.write_end(), disk ? disk->fd() : -1};
  std::vector<std::string> arguments = {"queries", "--format", "json", "-p",
                                        std::to_string(database->pid())};
  arguments.insert(arguments.end(), fault.options.begin(), fault.options.end());

  Load load(*database);
  if (fault.while_attaching) {
    load.start();
    EXPECT_TRUE(load.goes_on());
  }
  std::optional<Environment> environment(fault.environment);
  DbtraceProcess dbtrace(arguments, outputs[static_cast<int>(fault.output)]);
  environment.reset();
  pipe.close_write_end();
  Scene scene{*database, load, dbtrace, arguments, pipe};
  if (!fault.while_attaching) {
    dbtrace.wait_until_attached(minutes(2));
    scene.note_objects();
    EXPECT_TRUE(ProbeSites(database->pid()).all_probed());
    load.start();
    EXPECT_TRUE(load.goes_on());
  }
  fault.happen(scene);
  load.stop();
  EXPECT_EQ(load.wrong(), 0U);
  EXPECT_TRUE(fault.ends_server || load.cut_off() == 0) << load.cut_off();

  if (fault.end == RunEnd::CtrlC) dbtrace.process().signal(SIGINT);
  EXPECT_EQ(dbtrace.wait(minutes(2)), fault.end == RunEnd::Killed ? 128 + SIGKILL : fault.exit_code)
      << dbtrace.errors();
  if (fault.output != Output::Pipe)
    expect_told(fault, dbtrace, disk ? read_file(disk->path()) : dbtrace.output(), load);

  if (fault.end == RunEnd::WithServer) database->start();
  expect_alive(*database);
  expect_nothing_left(ProbeSites(database->pid()), scene.objects);
}

INSTANTIATE_TEST_SUITE_P(Each, Campaign,
                         ::testing::Combine(::testing::ValuesIn(kKinds),
                                            ::testing::ValuesIn(all_faults())),
                         [](const auto& each) {
                           return std::string(kind_name(std::get<0>(each.param))) + "_" +
                                  std::get<1>(each.param).name;
                         });

}  // namespace

bool says(const DbtraceProcess& dbtrace, const std::string& text, size_t times) {
  return wait_until(
      [&] {
        const std::string errors = "\n" + dbtrace.errors();
        size_t count = 0;
        for (size_t at = errors.find(text); at != std::string::npos; at = errors.find(text, at + 1))
          ++count;
        return count >= times;
      },
      std::chrono::minutes(2));
}

}  // namespace dbtrace::testing
