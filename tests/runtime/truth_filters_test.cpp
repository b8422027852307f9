// What is shown is what was asked for: no more, no less.
#include <chrono>
#include <list>
#include <string>
#include <vector>

#include "tests/runtime/truth.h"

namespace dbtrace::testing {
namespace {

// Far from what anything else here takes, even on a busy machine.
constexpr const char* kLong = "SLEEP(0.5)";
constexpr const char* kThreshold = "400ms";

class Filters : public Truth {
 protected:
  // What the three clients do; each statement ends with a letter for its name.
  void play() {
    anna_.query("SELECT 1 /*A*/");
    anna_.query(std::string("SELECT ") + kLong + " /*B*/");
    anna_.error_of("SELECT * FROM nowhere /*C*/");
    bert_.query("SELECT COUNT(*) FROM numbers /*D*/");
    {
      Statement statement = bert_.prepare("SELECT square FROM numbers WHERE id = ? /*E*/");
      statement.execute({int64_t{1}});
      statement.execute({int64_t{2}});
    }
    bert_.ping();
    carl_.error_of("SELEC 1 /*F*/");
    carl_.query(std::string("SELECT ") + kLong + "\n/*G*/");
  }

  // The letters in the order of the lines; for commands without text, the first
  // letter of their name in lower case.
  static std::string letters(const std::vector<Line>& lines) {
    std::string found;
    for (const Line& line : lines) {
      const std::string text = line.told.text.value_or("");
      found += text.ends_with("*/") ? text.at(text.size() - 3)
                                    : static_cast<char>(line.told.command.front() - 'A' + 'a');
    }
    return found;
  }

  Client anna_ = client("anna", "shop");
  Client bert_ = client("bert", "depot");
  Client carl_ = client("carl");
};
DBTRACE_EACH_FLAVOR(Filters);

struct Case {
  std::vector<std::string> arguments;
  std::string shown;
  bool ends_by_itself = false;
};

TEST_P(Filters, ShowWhatWasAskedFor) {
  const std::string anna = std::to_string(anna_.connection_id());
  const std::string bert = std::to_string(bert_.connection_id());
  const std::string carl = std::to_string(carl_.connection_id());
  const std::vector<Case> cases = {
      {{}, "ABCDEEEFG"},
      {{"--all-commands"}, "ABCDEEEcpFG"},
      {{"--slower-than", kThreshold}, "BG"},
      {{"--slower-than", "1h"}, ""},
      {{"--user", "anna"}, "ABC"},
      {{"--user", "anna", "--user", "carl"}, "ABCFG"},
      {{"--user", "ann"}, ""},
      {{"--db", "depot"}, "DEEE"},
      {{"--db", "shop", "--db", "depot"}, "ABCDEEE"},
      {{"--conn", anna}, "ABC"},
      {{"--conn", carl, "--conn", bert}, "DEEEFG"},
      {{"--conn", "4000000000"}, ""},
      {{"--command", "query"}, "ABCDFG"},
      {{"--command", "Execute"}, "EE"},
      {{"--command", "COM_STMT_PREPARE", "--command", "ping"}, "Ep"},
      {{"--match", "from NUMBERS"}, "DEEE"},
      {{"--match", "sleep.*/.g"}, "G"},
      {{"--match", "^SELEC "}, "F"},
      {{"--errors"}, "CF"},
      {{"--errors", "--user", "carl"}, "F"},
      {{"--slower-than", kThreshold, "--conn", anna}, "B"},
      {{"--command", "execute", "--user", "bert", "--match", "square"}, "EE"},
      {{"--command", "execute", "--user", "anna"}, ""},
      {{"--limit", "3"}, "ABC", true},
      {{"--limit", "2", "--user", "carl"}, "FG", true},
      {{"--limit", "1", "--command", "ping"}, "p", true},
  };
  std::list<Trace> traces;  // all at once, so each sees the same
  for (const Case& each : cases) traces.emplace_back(server(), each.arguments);
  play();
  for (const Case& each : cases) {
    SCOPED_TRACE(::testing::PrintToString(each.arguments));
    Trace& trace = traces.front();
    EXPECT_EQ(letters(each.ends_by_itself ? trace.wait() : trace.finish(each.shown.size())),
              each.shown);
    traces.pop_front();
  }
}

TEST_P(Filters, CountWhatTheyLeaveOut) {
  Trace in_kernel(server(), {"--slower-than", kThreshold});
  Trace in_program(server(), {"--user", "bert"});
  Trace by_command(server(), {"--command", "ping"});
  play();
  in_kernel.finish(2);
  EXPECT_EQ(in_kernel.summary().filtered, 7u);
  EXPECT_EQ(in_kernel.summary().hidden, 2u);  // Ping, Close
  in_program.finish(4);
  EXPECT_EQ(in_program.summary().filtered, 5u);
  EXPECT_EQ(in_program.summary().hidden, 2u);
  by_command.finish(1);
  EXPECT_EQ(by_command.summary().filtered, 0u);
  EXPECT_EQ(by_command.summary().hidden, 10u);
}

TEST_P(Filters, EndAfterTheTimeAskedFor) {
  const auto begin = std::chrono::steady_clock::now();
  Trace trace(server(), {"--duration", "1s"});
  anna_.query("SELECT 1");
  EXPECT_EQ(told_of(trace.wait(), anna_).size(), 1u);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

}  // namespace
}  // namespace dbtrace::testing
