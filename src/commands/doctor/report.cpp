#include "src/commands/doctor/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "src/commands/help_format.h"
#include "src/commands/visible_lines.h"
#include "src/output/json_writer.h"

namespace dbtrace::commands {
namespace {

constexpr size_t kStateColumns = 10;
constexpr size_t kSubjectColumns = 18;

// One line of several: hints are laid out for messages of their own.
std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : visible_lines(text)) {
    const bool is_blank = c == ' ' || c == '\n';
    if (!is_blank || (!line.empty() && line.back() != ' ')) line += is_blank ? ' ' : c;
  }
  return line;
}

// The first column of what is told begins behind two spaces, where fitted() goes on below it.
void append_line(std::string_view state, std::string_view subject, std::string_view text,
                 std::string& out) {
  out += fitted(fmt::format("{:<{}}{:<{}}  {}", state, kStateColumns, subject, kSubjectColumns - 2,
                            in_one_line(text)));
  out.erase(out.find_last_not_of(' ') + 1);
  out += '\n';
}

void append_text(const Check& check, std::string& out) {
  const bool has_found = !check.found.empty();
  append_line(state_name(check.state), in_one_line(check.subject),
              has_found ? check.found : check.lost, out);
  if (has_found && !check.lost.empty()) append_line("", "", "lost: " + check.lost, out);
  if (!check.advice.empty()) append_line("", "", "do: " + check.advice, out);
}

std::string_view name_of(Section::About about) {
  switch (about) {
    case Section::About::Machine:
      return "machine";
    case Section::About::Server:
      return "server";
    case Section::About::Canary:
      break;
  }
  return "canary";
}

void string_or_null(output::JsonObject& object, std::string_view key, std::string_view text) {
  if (text.empty())
    object.null(key);
  else
    object.string(key, text);
}

void append_json(const Section& section, const Check& check, std::string& out) {
  output::JsonObject object(out);
  object.string("about", name_of(section.about));
  object.string("title", section.title);
  object.string("subject", check.subject);
  object.string("state", state_name(check.state));
  string_or_null(object, "found", check.found);
  string_or_null(object, "lost", check.lost);
  string_or_null(object, "advice", check.advice);
  object.end();
}

}  // namespace

std::string doctor_text(const std::vector<Section>& sections) {
  std::string out;
  for (const Section& section : sections) {
    if (!out.empty()) out += '\n';
    out += fitted(in_one_line(section.title)) + '\n';
    for (const Check& check : section.checks) append_text(check, out);
  }
  return out + '\n' + fitted(in_one_line(verdict(sections).text)) + '\n';
}

std::string doctor_json(const std::vector<Section>& sections) {
  const Verdict result = verdict(sections);
  std::string out;
  output::JsonObject object(out);
  object.boolean("works", result.state != CheckState::Missing);
  object.string("verdict", result.text);
  object.key("checks");
  out += '[';
  for (const Section& section : sections) {
    for (const Check& check : section.checks) {
      if (out.back() != '[') out += ',';
      append_json(section, check, out);
    }
  }
  out += ']';
  object.end();
  return out + '\n';
}

}  // namespace dbtrace::commands
