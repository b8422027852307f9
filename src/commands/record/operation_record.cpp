#include "src/commands/record/operation_record.h"

#include <fmt/format.h>

#include <string_view>

#include "src/output/counted.h"

namespace dbtrace::commands {

bool OperationRecord::is_too_much(uint64_t end_ns) {
  constexpr uint64_t kSecond_ns = 1'000'000'000;
  // They come in the order of their ends, nearly.
  if (const uint64_t second = end_ns / kSecond_ns; second > second_) {
    second_ = second;
    in_second_ = 0;
  }
  return most_ != 0 && ++in_second_ > most_;
}

void OperationRecord::take(const model::IoOperation& operation) {
  if (recorder_.has_ended())
    ++tally_.surplus;
  else if (is_too_much(operation.start_ns + operation.duration_ns))
    ++tally_.above_rate;
  else if (recorder_.add(names_.named(operation)))
    ++tally_.recorded;
  else
    ++tally_.not_written;
}

std::string OperationRecord::account(const attach::Counters& counters) const {
  const uint64_t lost = counters[DBT_COUNT_OPERATIONS_LOST];
  const uint64_t late = recorder_.surplus_operations();
  std::string text =
      fmt::format("{} seen: {} recorded, {} lost\n",
                  output::counted(counters[DBT_COUNT_OPERATIONS] + lost, "file operation"),
                  tally_.recorded - late, lost);
  const auto line = [&text](uint64_t count, std::string_view what) {
    if (count) text += fmt::format("  {} {}\n", count, what);
  };
  line(lost, "operations found the buffer full; a larger --buffer helps");
  line(tally_.above_rate, "operations were more than --max-rate");
  line(tally_.not_written, "operations came faster than the file could be written");
  line(tally_.surplus + late, "operations came after the end");
  return text;
}

}  // namespace dbtrace::commands
