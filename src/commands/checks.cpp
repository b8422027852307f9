#include "src/commands/checks.h"

#include <charconv>
#include <system_error>

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

CLI::Validator quantity(Result<uint64_t> (*parse)(const std::string&), uint64_t least,
                        uint64_t most) {
  return {[parse, least, most](std::string& text) {
            const auto number = parse(text);
            if (!number) return number.error().message + ": " + number.error().hint;
            if (*number < least || *number > most)
              return fmt::format("{} is out of range: it must be from {} to {}", text, least, most);
            text = fmt::format("{}", *number);
            return std::string();
          },
          ""};
}

}  // namespace dbtrace::commands
