#include "src/commands/wall_clock.h"

#include "src/output/clock_text.h"

namespace dbtrace::commands {

std::string local_time() {
  output::ClockText clock(output::Zone::Local, "%H:%M:%S");
  return std::string(clock.at(nanoseconds_of(CLOCK_REALTIME) / output::kNanosecondsPerSecond));
}

}  // namespace dbtrace::commands
