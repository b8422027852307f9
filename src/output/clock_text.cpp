#include "src/output/clock_text.h"

namespace dbtrace::output {

std::string_view ClockText::at(uint64_t seconds) {
  if (!text_.empty() && seconds == seconds_) return text_;
  const auto time = static_cast<time_t>(seconds);
  tm parts{};
  if (zone_ == Zone::Utc) {
    gmtime_r(&time, &parts);
  } else {
    localtime_r(&time, &parts);
  }
  char buffer[64];
  text_.assign(buffer, strftime(buffer, sizeof buffer, pattern_, &parts));
  seconds_ = seconds;
  return text_;
}

}  // namespace dbtrace::output
