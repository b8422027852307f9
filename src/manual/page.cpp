// Manual pages. Only macros of man(7) that groff and mandoc know.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "src/manual/manual.h"

namespace dbtrace::manual {
namespace {

// As running text. A hyphen that is typed must not become a typographic one.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'' || c == '`') {
      out += c == '`' ? "\\(ga" : "\\(aq";
    } else {
      out += c;
    }
  }
  return out;
}

// A line of its own: at its start, a dot would make it a request.
std::string line(std::string_view text) {
  return (text.starts_with('.') ? "\\&" : "") + escaped(text) + '\n';
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  });
  return text;
}

std::string heading(std::string_view text) { return fmt::format(".SH \"{}\"\n", escaped(text)); }

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

std::string described(const Option& option) {
  std::string out = ".TP\n";
  std::string names;
  for (const std::string& name : option.names)
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", escaped(name));
  if (!option.type.empty()) names += fmt::format(" \\fI{}\\fR", escaped(option.type));
  out += names + '\n' + line(option.description + '.');
  if (!option.words.empty()) out += line("One of " + joined(option.words) + '.');
  if (!option.needs.empty()) out += line("Only with " + joined(option.needs) + '.');
  if (!option.excludes.empty()) out += line("Not with " + joined(option.excludes) + '.');
  return out;
}

std::string synopsis(const Manual& manual, const Command& command) {
  if (&command == &manual.program) return ".B dbtrace\n.I COMMAND\n[\\fIOPTIONS\\fR]\n";
  std::string out = fmt::format(".B dbtrace {}\n[\\fIOPTIONS\\fR]\n", escaped(command.name));
  for (const Option& positional : command.positionals) {
    const std::string name = fmt::format("\\fI{}\\fR{}", escaped(positional.names.front()),
                                         positional.repeatable ? "..." : "");
    out += positional.required ? name + '\n' : fmt::format("[{}]\n", name);
  }
  return out;
}

// Help's lines: what is indented stays as it is laid out, below a heading of its own if a line like
// "Examples:" stands above it; the rest is text.
std::string footer_text(std::string_view footer) {
  std::string out;
  bool is_paragraph = true;  // that begins
  bool is_laid_out = false;
  bool is_noted = false;
  const auto lay_out = [&](bool wanted) {
    if (wanted != is_laid_out) out += wanted ? ".nf\n" : ".fi\n";
    is_laid_out = wanted;
  };
  while (!footer.empty()) {
    const std::string_view one = footer.substr(0, footer.find('\n'));
    footer.remove_prefix(std::min(footer.size(), one.size() + 1));
    lay_out(one.starts_with(' '));
    if (is_paragraph && one.ends_with(':') && footer.starts_with(' ')) {
      out += heading(upper(std::string(one.substr(0, one.size() - 1))));
      is_noted = false;
    } else if (is_paragraph && one.starts_with("Exit status: ")) {
      out += heading("EXIT STATUS") + line(one.substr(13));
      is_noted = false;
    } else if (is_paragraph && !one.empty()) {
      out += (is_noted ? ".PP\n" : heading("NOTES")) + line(one);
      is_noted = true;
    } else if (!one.empty()) {
      out += line(one);
    }
    is_paragraph = one.empty();
  }
  lay_out(false);
  return out;
}

std::string commands_text(const Manual& manual) {
  std::string out = heading("COMMANDS");
  for (const Command& command : manual.commands)
    out +=
        fmt::format(".TP\n\\fB{}\\fR\n{}", escaped(command.name), line(command.description + '.'));
  return out;
}

std::string see_also(const Manual& manual, const Command& command) {
  std::string out = heading("SEE ALSO");
  std::vector<std::string> names;
  if (&command != &manual.program) names.push_back(page_name(manual, manual.program));
  for (const Command& other : manual.commands)
    if (&other != &command) names.push_back(page_name(manual, other));
  for (const std::string& name : names)
    out += fmt::format(".BR {} (1){}\n", escaped(name), name == names.back() ? "" : ",");
  return out;
}

}  // namespace

std::string page_name(const Manual& manual, const Command& command) {
  return &command == &manual.program ? command.name : manual.program.name + "-" + command.name;
}

std::string page(const Manual& manual, const Command& command) {
  const bool is_program = &command == &manual.program;
  const std::string name = page_name(manual, command);
  std::string description = command.description;
  if (const std::string prefix = command.name + ": "; description.starts_with(prefix))
    description.erase(0, prefix.size());
  std::string out = fmt::format(".TH {} 1 \"\" \"{}\" \"dbtrace\"\n", escaped(upper(name)),
                                escaped(manual.version));
  out += heading("NAME") + fmt::format("{} \\- {}\n", escaped(name), escaped(description));
  out += heading("SYNOPSIS") + synopsis(manual, command);
  if (is_program) out += commands_text(manual);
  if (!command.positionals.empty()) {
    out += heading("ARGUMENTS");
    for (const Option& positional : command.positionals) {
      Option plain = positional;
      plain.type.clear();  // its name says it
      out += described(plain);
    }
  }
  for (const Group& group : command.groups) {
    out += heading(upper(group.name));
    for (const Option& option : group.options) out += described(option);
  }
  out += footer_text(command.footer);
  return out + see_also(manual, command);
}

}  // namespace dbtrace::manual
