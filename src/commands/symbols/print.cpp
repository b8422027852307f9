#include "src/commands/symbols/print.h"

#include <fmt/format.h>

#include "src/attach/probe_place.h"
#include "src/commands/visible_lines.h"
#include "src/output/json_writer.h"

namespace dbtrace::commands {
namespace {

using symbols::FunctionKind;
using symbols::Location;
using symbols::SymbolName;

void add_line(std::string& text, std::string_view topic, std::string_view value) {
  fmt::format_to(std::back_inserter(text), "  {:<8} {}\n", topic, visible_lines(value));
}

std::string versioned(const SymbolName& name, std::string_view shown) {
  if (name.version.empty()) return std::string(shown);
  return fmt::format("{}{}{}", shown, name.is_default_version ? "@@" : "@", name.version);
}

std::string kind_text(const Location& location) {
  const SymbolName& name = location.names.front();
  const std::string size =
      location.size ? fmt::format(", {} bytes", location.size) : std::string(", of unknown size");
  return std::string(kind_name(name.kind)) + (name.kind == FunctionKind::Address ? "" : size);
}

std::string probe_text(const Result<attach::ProbePlace>& place) {
  if (!place) return "none: " + place.error().message;
  const std::string delta =
      place->delta ? fmt::format(", {} bytes behind its start", place->delta) : std::string();
  return fmt::format(
      "offset {:#x}{}: {} ({})", place->offset, delta, place->instruction,
      place->emulated ? "emulated by the kernel: cheap" : "single-stepped by the kernel: dear");
}

// Another name of what was found under `first`: only what differs is told.
std::string other_name(const SymbolName& name, const SymbolName& first) {
  std::string text = versioned(name, name.raw);
  if (name.full != name.raw && name.full != first.full) text += "  " + name.full;
  if (name.kind != first.kind) text += fmt::format(" ({})", kind_name(name.kind));
  return text;
}

void add_location(std::string& text, const symbols::ElfFile& binary, const Location& location) {
  const SymbolName& name = location.names.front();
  text += visible_lines(name.full) + "\n";
  if (!name.raw.empty()) add_line(text, "raw", versioned(name, name.raw));
  add_line(text, "kind", kind_text(location));
  add_line(text, "address",
           location.offset
               ? fmt::format("{:#x}, file offset {:#x}", location.address, *location.offset)
               : fmt::format("{:#x}, not in the file", location.address));
  if (!name.table.empty()) add_line(text, "table", fmt::format("{} of {}", name.table, name.file));
  add_line(text, "probe", probe_text(attach::probe_place(binary, location)));
  for (size_t i = 1; i < location.names.size(); ++i)
    add_line(text, i == 1 ? "also" : "", other_name(location.names[i], name));
  for (const std::string& remark : location.remarks) add_line(text, "note", remark);
}

void add_object(std::string& out, const Location& location, const SymbolName& name,
                const Result<attach::ProbePlace>& place) {
  output::JsonObject object(out);
  object.string("name", name.full);
  object.string("raw", name.is_default_version ? name.raw : versioned(name, name.raw));
  object.string("kind", kind_name(name.kind));
  object.number("address", location.address);
  if (location.offset)
    object.number("offset", *location.offset);
  else
    object.null("offset");
  object.number("size", name.size);
  object.string("table", name.table);
  object.string("file", name.file);
  if (place) {
    object.key("probe");
    output::JsonObject probe(out);
    probe.number("offset", place->offset);
    probe.string("instruction", place->instruction);
    probe.boolean("emulated", place->emulated);
    probe.end();
  } else {
    object.null("probe");
    object.string("reason", place.error().message);
  }
  object.end();
  out += '\n';
}

}  // namespace

std::string symbols_text(const symbols::Finder& finder, const symbols::Matches& matches) {
  std::string text;
  for (const Location& location : matches.locations) {
    if (!text.empty()) text += '\n';
    add_location(text, finder.binary(), location);
  }
  return text;
}

std::string symbols_json(const symbols::Finder& finder, const symbols::Matches& matches) {
  std::string out;
  for (const Location& location : matches.locations) {
    const auto place = attach::probe_place(finder.binary(), location);
    for (const SymbolName& name : location.names)
      if (name.matches) add_object(out, location, name, place);
  }
  return out;
}

std::string places_text(const symbols::Finder& finder) {
  const std::string& build_id = finder.binary().build_id();
  std::string text = fmt::format("symbols     {}\n", visible_lines(finder.tables_summary()));
  text += fmt::format("build-id    {}\n", build_id.empty() ? "none" : build_id);
  for (const symbols::DebugFileAttempt& attempt : finder.debug_file_attempts())
    text += fmt::format("looked at   {}: {}\n", visible_lines(attempt.path),
                        visible_lines(attempt.outcome));
  return text;
}

}  // namespace dbtrace::commands
