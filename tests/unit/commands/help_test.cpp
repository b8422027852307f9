// What dbtrace says of itself fits a terminal of 80 columns.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "src/commands/help_format.h"
#include "src/output/escape.h"

namespace dbtrace::commands {
namespace {

std::vector<std::string> help_of(const std::string& command) {
  std::vector<std::string> lines;
  FILE* pipe = popen((DBTRACE_BINARY " " + command + " --help").c_str(), "r");
  if (pipe == nullptr) return lines;
  std::string text;
  std::array<char, 4096> buffer{};
  while (const size_t size = fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), size);
  EXPECT_EQ(pclose(pipe), 0) << command;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

size_t columns_of(const std::string& line) {
  std::string shown;
  const size_t indent = std::min(line.find_first_not_of(' '), line.size());
  size_t columns = 0;
  // White space counts as it stands.
  for (const char c : line) columns += (static_cast<uint8_t>(c) & 0xc0) != 0x80;
  EXPECT_LE(output::append_visible(shown, line), columns - indent) << line << ": wide characters";
  return columns;
}

// The words that begin the lines of dbtrace's own list.
std::vector<std::string> all_commands() {
  std::vector<std::string> commands;
  bool is_list = false;
  for (const std::string& line : help_of("")) {
    if (line.starts_with("Subcommands:")) is_list = true;
    if (is_list && line.starts_with("  ") && line[2] != ' ')
      commands.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return commands;
}

TEST(Help, GoesOnBelowItsSecondColumn) {
  EXPECT_EQ(fitted("short\n  a  b", 20), "short\n  a  b");
  EXPECT_EQ(fitted("  one two three four", 12), "  one two\n  three four");
  EXPECT_EQ(fitted("  run     does what you want it to do", 35),
            "  run     does what you want it to\n          do");
  EXPECT_EQ(fitted("  a very long example    what for", 30),
            "  a very long example\n      what for");
  EXPECT_EQ(fitted("undivided", 3), "undivided");
  EXPECT_EQ(fitted("ä ö ü", 5), "ä ö ü");
  EXPECT_EQ(fitted("a\n\nb\n", 5), "a\n\nb\n");
}

TEST(Help, FitsATerminal) {
  std::vector<std::string> commands = all_commands();
  EXPECT_GE(commands.size(), 9U);
  commands.emplace_back("");
  for (const std::string& command : commands) {
    const std::vector<std::string> lines = help_of(command);
    EXPECT_GT(lines.size(), 5U) << command;
    for (const std::string& line : lines)
      EXPECT_LE(columns_of(line), 80U) << command << ": " << line;
  }
}

}  // namespace
}  // namespace dbtrace::commands
