#include "src/commands/messages.h"

#include <fmt/format.h>

#include <cstdio>

#include "src/commands/visible_lines.h"

namespace dbtrace::commands {

std::string text_of(const Error& error) {
  std::string text = fmt::format("dbtrace: {}\n", visible_lines(error.message));
  if (!error.hint.empty()) text += fmt::format("  {}\n", visible_lines(error.hint));
  return text;
}

int complain(const Error& error, int code) {
  fmt::print(stderr, "{}", text_of(error));
  return code;
}

}  // namespace dbtrace::commands
