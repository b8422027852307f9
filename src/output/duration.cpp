#include "src/output/duration.h"

#include "src/output/clock_text.h"
#include "src/output/digits.h"

namespace dbtrace::output {
namespace {

struct Unit {
  uint64_t nanoseconds;
  uint64_t limit;  // used below this many nanoseconds
  const char* name;
};

constexpr uint64_t kMinute = 60 * kNanosecondsPerSecond;
constexpr uint64_t kHour = 60 * kMinute;

constexpr Unit kUnits[] = {
    {1'000, 1'000'000, "\u00b5s"},
    {1'000'000, kNanosecondsPerSecond, "ms"},
    {kNanosecondsPerSecond, kMinute, "s"},
};

}  // namespace

void append_duration(std::string& out, uint64_t nanoseconds) {
  if (nanoseconds < 1'000) {
    append_number(out, nanoseconds);
    out += "ns";
    return;
  }
  for (const Unit& unit : kUnits) {
    if (nanoseconds >= unit.limit) continue;
    append_number(out, nanoseconds / unit.nanoseconds);
    if (nanoseconds < 10 * unit.nanoseconds) {
      out += '.';
      append_number(out, nanoseconds % unit.nanoseconds * 10 / unit.nanoseconds);
    }
    out += unit.name;
    return;
  }
  const bool hours = nanoseconds >= kHour;
  append_number(out, nanoseconds / (hours ? kHour : kMinute));
  out += hours ? 'h' : 'm';
  append_zero_padded(
      out, hours ? nanoseconds / kMinute % 60 : nanoseconds / kNanosecondsPerSecond % 60, 2);
  out += hours ? 'm' : 's';
}

}  // namespace dbtrace::output
