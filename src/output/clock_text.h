// Wall-clock seconds as text. Many queries share a second, so the text of the
// last one asked for is kept.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

namespace dbtrace::output {

inline constexpr uint64_t kNanosecondsPerSecond = 1'000'000'000;

enum class Zone { Utc, Local };

class ClockText {
 public:
  // `pattern` as strftime takes it.
  ClockText(Zone zone, const char* pattern) : zone_(zone), pattern_(pattern) {}

  // Of `seconds` since the Unix epoch; valid until the next call.
  [[nodiscard]] std::string_view at(uint64_t seconds);

 private:
  Zone zone_;
  const char* pattern_;
  uint64_t seconds_ = 0;
  std::string text_;  // empty: nothing kept
};

}  // namespace dbtrace::output
