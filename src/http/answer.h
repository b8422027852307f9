// What a server answers, read strictly and within bounds.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace dbtrace::http {

struct Answer {
  int status = 0;                                   // 200 to 599
  std::optional<std::chrono::seconds> retry_after;  // where it is told in seconds
  std::string body;                                 // empty also where it could not be read
};

enum class Reading { NeedsMore, Done, Malformed };

inline constexpr size_t kMostHead = 16'384, kMostBody = 65'536;
// Where more came, more is not needed.
inline constexpr size_t kMostAnswer = kMostHead + 2 * kMostBody;

// `bytes`: all that has come; `at_end`: no more will. Once a whole head has come it counts,
// whatever comes of the body: a body that is too long, cut or malformed is left out.
[[nodiscard]] Reading read_answer(std::string_view bytes, bool at_end, Answer& answer);

}  // namespace dbtrace::http
