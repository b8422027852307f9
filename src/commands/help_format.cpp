#include "src/commands/help_format.h"

#include <algorithm>

namespace dbtrace::commands {
namespace {

constexpr size_t kNameColumns = 26;
constexpr size_t kIndent = 6;             // of a second column that has no room beside the first
constexpr size_t kLeastDescription = 24;  // columns

size_t columns_of(std::string_view text) {
  const auto is_start = [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; };
  return static_cast<size_t>(std::ranges::count_if(text, is_start));
}

// Appends words until the line is full, then begins the next one at `column`.
void append_words(std::string_view words, size_t column, size_t width, std::string& out) {
  size_t used = columns_of(std::string_view(out).substr(out.rfind('\n') + 1));
  bool is_first = true;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    if (!is_first && used + 1 + columns_of(word) > width) {
      out += '\n' + std::string(column, ' ');
      used = column;
    } else if (!is_first) {
      out += ' ';
      ++used;
    }
    out += word;
    used += columns_of(word);
    is_first = false;
  }
}

void append_line(std::string_view line, size_t width, std::string& out) {
  if (columns_of(line) <= width) {
    out += line;
    return;
  }
  const size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const size_t gap = line.rfind("  ");
  if (gap == std::string_view::npos || gap < indent) {
    out.append(indent, ' ');
    append_words(line.substr(indent), indent, width, out);
    return;
  }
  const size_t second = gap + 2;
  if (const size_t column = columns_of(line.substr(0, second));
      column + kLeastDescription <= width) {
    out += line.substr(0, second);
    append_words(line.substr(second), column, width, out);
    return;
  }
  out += line.substr(0, line.find_last_not_of(' ', gap) + 1);
  out += '\n' + std::string(kIndent, ' ');
  append_words(line.substr(second), kIndent, width, out);
}

}  // namespace

std::string fitted(std::string_view text, size_t width) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    append_line(line, width, out);
    if (line.size() == text.size()) break;
    out += '\n';
    text.remove_prefix(line.size() + 1);
  }
  return out;
}

HelpFormat::HelpFormat() { column_width(kNameColumns); }

std::string HelpFormat::description(std::string text) const {
  std::ranges::replace(text, '\n', ' ');
  return fitted(text, kHelpWidth - get_column_width());
}

std::string HelpFormat::make_option_desc(const CLI::Option* option) const {
  return description(option->get_description());
}

std::string HelpFormat::make_subcommand(const CLI::App* command) const {
  std::ostringstream out;
  CLI::detail::format_help(out, command->get_display_name(true),
                           description(command->get_description()), get_column_width());
  return out.str();
}

std::string HelpFormat::make_footer(const CLI::App* app) const {
  return fitted(CLI::Formatter::make_footer(app));
}

}  // namespace dbtrace::commands
