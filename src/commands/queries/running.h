// Commands that have not ended: `--running` shows all of them again and again,
// `--report-running` tells once of each that has taken too long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "src/commands/pace.h"
#include "src/model/query.h"
#include "src/output/sink.h"

namespace dbtrace::commands {

struct RunningOptions {
  bool show = false;                     // and nothing else
  uint64_t interval_ns = 1'000'000'000;  // from one look to the next
  std::optional<uint64_t> report_ns;     // the age from which on a command is told of

  [[nodiscard]] bool wanted() const { return show || report_ns; }
};

// When to look; never when nothing is wanted.
[[nodiscard]] Pace pace_of(const RunningOptions& options);

// Lets each command through once, however often it is seen.
class OncePerCommand {
 public:
  [[nodiscard]] bool is_new(const model::Query& query);
  // After each look: what it has not seen has ended.
  void look_ended();

 private:
  using Key = std::tuple<uint32_t, bool, uint64_t>;  // process; is it a connection; it, or a thread
  std::map<Key, uint64_t> before_, now_;             // to the command's start
};

// Those whose start is not known first: they have run for longest, as far as anybody knows.
void longest_first(std::vector<model::Query>& queries);

// What one look has seen, the longest first.
class RunningTable {
 public:
  void add(const model::Query& query) { queries_.push_back(query); }
  // Appends what was added since the last time. As text: a heading, and as many
  // lines as fit on a screen of `height` lines, which it fills from its top;
  // 0: no screen, then a line with the time stands before and an empty one behind.
  void write(output::Sink& sink, output::Format format, size_t height, std::string& out);

 private:
  std::vector<model::Query> queries_;
};

}  // namespace dbtrace::commands
