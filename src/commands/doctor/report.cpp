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

std::string without_indent(std::string_view line) {
  const size_t start = std::min(line.find_first_not_of(' '), line.size());
  return visible_lines(line.substr(start));
}

// The column of what is told begins behind two spaces: fitted() goes on below it. What has lines
// of its own keeps them.
void append_lines(std::string_view state, std::string_view subject, std::string_view text,
                  std::string& out) {
  while (true) {
    const std::string_view line = text.substr(0, text.find('\n'));
    out += fitted(fmt::format("{:<{}}{:<{}}  {}", state, kStateColumns, subject,
                              kSubjectColumns - 2, without_indent(line)));
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
    if (line.size() == text.size()) return;
    text.remove_prefix(line.size() + 1);
    state = subject = "";
  }
}

void append_text(const Check& check, std::string& out) {
  const bool has_found = !check.found.empty();
  append_lines(state_name(check.state), check.subject, has_found ? check.found : check.lost, out);
  if (has_found && !check.lost.empty()) append_lines("", "", "lost: " + check.lost, out);
  if (!check.advice.empty()) append_lines("", "", "do: " + check.advice, out);
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

// `append` is called for each item between brackets.
template <typename Items, typename Append>
void append_array(const Items& items, std::string& out, Append append) {
  out += '[';
  for (const auto& item : items) {
    if (&item != &items.front()) out += ',';
    append(item, out);
  }
  out += ']';
}

void append_check(const Check& check, std::string& out) {
  output::JsonObject object(out);
  object.string("subject", check.subject);
  object.string("state", state_name(check.state));
  string_or_null(object, "found", check.found);
  string_or_null(object, "lost", check.lost);
  string_or_null(object, "advice", check.advice);
  object.end();
}

void append_section(const Section& section, std::string& out) {
  output::JsonObject object(out);
  object.string("about", name_of(section.about));
  object.string("title", section.title);
  object.key("checks");
  append_array(section.checks, out, append_check);
  object.end();
}

}  // namespace

std::string doctor_text(const std::vector<Section>& sections) {
  std::string out;
  for (const Section& section : sections) {
    if (!out.empty()) out += '\n';
    out += fitted(visible_lines(section.title)) + '\n';
    for (const Check& check : section.checks) append_text(check, out);
  }
  return out + '\n' + fitted(visible_lines(verdict(sections).text)) + '\n';
}

std::string doctor_json(const std::vector<Section>& sections) {
  const Verdict result = verdict(sections);
  std::string out;
  output::JsonObject object(out);
  object.boolean("works", result.state != CheckState::Missing);
  object.string("verdict", result.text);
  object.key("sections");
  append_array(sections, out, append_section);
  object.end();
  return out + '\n';
}

}  // namespace dbtrace::commands
