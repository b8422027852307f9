// How --help is laid out: within 80 columns.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <string_view>

namespace dbtrace::commands {

inline constexpr size_t kHelpWidth = 80;

// What does not fit is continued on lines of its own: below its second column, which begins
// behind two spaces or more, where there is one.
[[nodiscard]] std::string fitted(std::string_view text, size_t width = kHelpWidth);

class HelpFormat final : public CLI::Formatter {
 public:
  HelpFormat();

  std::string make_option_desc(const CLI::Option* option) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_footer(const CLI::App* app) const override;

 private:
  // For the column of descriptions; line breaks in it are only spaces.
  [[nodiscard]] std::string description(std::string text) const;
};

}  // namespace dbtrace::commands
