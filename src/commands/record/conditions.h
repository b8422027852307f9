// When a flight recorder keeps what it holds: conditions on what has ended of late, and on what
// runs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/model/histogram.h"
#include "src/model/query.h"
#include "src/recording/writer.h"
#include "symbols/result.h"

namespace dbtrace::commands {

// The last ten seconds. A pure rule: who uses it says when a second is over. Not thread-safe.
class Recently {
 public:
  static constexpr size_t kSeconds = 10;

  void add(const model::Query& ended);
  // Some command has run for so long.
  void add_running(uint64_t age_ns) { running_ns_ = std::max(running_ns_, age_ns); }
  // The oldest second goes, and what runs has to be added anew.
  void begin_second();

  // Whether ten seconds have been seen.
  [[nodiscard]] bool is_whole() const { return seconds_ > kSeconds; }
  [[nodiscard]] uint64_t queries() const { return sum(&Second::queries); }
  [[nodiscard]] uint64_t errors() const { return sum(&Second::errors); }
  [[nodiscard]] uint64_t total_ns() const { return sum(&Second::total_ns); }
  [[nodiscard]] uint64_t max_ns() const;
  [[nodiscard]] uint64_t running_ns() const { return running_ns_; }
  [[nodiscard]] model::Histogram durations() const;

 private:
  struct Second {
    model::Histogram durations;
    uint64_t queries = 0, errors = 0, total_ns = 0, max_ns = 0;
  };
  [[nodiscard]] uint64_t sum(uint64_t Second::*count) const;

  std::array<Second, kSeconds> ring_;
  size_t seconds_ = 1;  // begun
  uint64_t running_ns_ = 0;
};

// "p99 > 200ms". Not thread-safe.
class Condition {
 public:
  struct Measure;

  // Errors: no such measure (the hint lists them), no comparison, a limit of another kind.
  [[nodiscard]] static Result<Condition> parse(const std::string& text);

  [[nodiscard]] bool is_about_running() const;
  // Once, when it becomes true: what was found. Not known yet is not true.
  [[nodiscard]] std::optional<std::string> became_true(const Recently& recently);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  Condition(const Measure& measure, bool is_above, uint64_t limit);

  const Measure* measure_;
  bool is_above_;
  uint64_t limit_;  // nanoseconds, or so many a second
  std::string text_;
  bool was_true_ = false;
};

// The conditions of a run, and how often they may say something. Not thread-safe.
class Conditions {
 public:
  Conditions(std::vector<Condition> conditions, size_t most_an_hour)
      : conditions_(std::move(conditions)), most_an_hour_(most_an_hour) {}

  [[nodiscard]] bool look_at_running() const;
  // Once a second. `too_many`: something happened that came too soon after others.
  [[nodiscard]] std::vector<recording::Incident> look(const Recently& recently, uint64_t now_ns,
                                                      bool& too_many);

 private:
  std::vector<Condition> conditions_;
  size_t most_an_hour_;
  std::vector<uint64_t> said_ns_;  // in the last hour
};

}  // namespace dbtrace::commands
