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

constexpr Unit kUnits[] = {
    {1'000, 1'000'000, "\u00b5s"},
    {1'000'000, kNanosecondsPerSecond, "ms"},
    {kNanosecondsPerSecond, kMinute, "s"},
};

uint64_t rounded_quotient(uint64_t value, uint64_t by) {
  return value / by + (value % by >= (by + 1) / 2 ? 1 : 0);
}

}  // namespace

void append_duration(std::string& out, uint64_t nanoseconds) {
  if (nanoseconds < 1'000) {
    append_number(out, nanoseconds);
    out += "ns";
    return;
  }
  for (const Unit& unit : kUnits) {
    const uint64_t tenths = rounded_quotient(nanoseconds, unit.nanoseconds / 10);
    const uint64_t whole = rounded_quotient(nanoseconds, unit.nanoseconds);
    if (whole >= unit.limit / unit.nanoseconds) continue;
    if (tenths < 100) {
      append_number(out, tenths / 10);
      out += '.';
      append_number(out, tenths % 10);
    } else {
      append_number(out, whole);
    }
    out += unit.name;
    return;
  }
  const uint64_t seconds = rounded_quotient(nanoseconds, kNanosecondsPerSecond);
  const bool hours = seconds >= 3'600;
  const uint64_t parts = hours ? rounded_quotient(nanoseconds, kMinute) : seconds;
  append_number(out, parts / 60);
  out += hours ? 'h' : 'm';
  append_zero_padded(out, parts % 60, 2);
  out += hours ? 'm' : 's';
}

}  // namespace dbtrace::output
