#include "src/commands/checks.h"

#include <charconv>
#include <system_error>

#include "src/commands/units.h"
#include "src/output/duration.h"

namespace dbtrace::commands {

CLI::Validator whole_number(uint64_t least, uint64_t most) {
  return {[least, most](std::string& text) {
            uint64_t number = 0;
            const char* end = text.data() + text.size();
            const auto result = std::from_chars(text.data(), end, number);
            if (result.ec == std::errc() && result.ptr == end && number >= least && number <= most)
              return std::string();
            return fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
          },
          ""};
}

namespace {

std::string shown(Result<uint64_t> (*parse)(const std::string&), uint64_t number) {
  if (parse != parse_duration) return fmt::format("{}", number);
  std::string text;
  output::append_duration(text, number);
  return text;
}

}  // namespace

CLI::Validator quantity(Result<uint64_t> (*parse)(const std::string&), uint64_t least,
                        uint64_t most) {
  return {[parse, least, most](std::string& text) {
            const auto number = parse(text);
            if (!number) return number.error().message + ": " + number.error().hint;
            if (*number < least || *number > most)
              return fmt::format("{} is out of range: it must be {} {}{}", text,
                                 most >= INT64_MAX ? "at least" : "from", shown(parse, least),
                                 most >= INT64_MAX ? "" : " to " + shown(parse, most));
            text = fmt::format("{}", *number);
            return std::string();
          },
          ""};
}

}  // namespace dbtrace::commands
