// PostgreSQL's own log as log_min_duration_statement = 0 makes it (manual: "Error Reporting and
// Logging"), to stderr, with the line prefix that pgBadger recommends:
//   log_line_prefix = '%m [%p]: user=%u,db=%d,app=%a,client=%h '
// A query that failed has an ERROR line and a STATEMENT line, as there; the message is not known,
// and its SQLSTATE stands where log_error_verbosity = verbose puts it. Times are UTC.
//
// What comes from a client may not begin a line, or it could forge one: text after a line's
// end stands behind a tab, as the server writes it.
#include <algorithm>

#include "src/output/character_class.h"
#include "src/output/clock_text.h"
#include "src/output/digits.h"
#include "src/output/escape.h"
#include "src/output/formats.h"
#include "src/output/shown.h"
#include "src/output/utf8.h"

namespace dbtrace::output {
namespace {

using model::Query;
using model::TextState;

class PgLogSink final : public Sink {
 private:
  void format(const Shown& shown, std::string& out) override;
  void prefix(const Query& query, std::string& out);

  ClockText clock_{Zone::Utc, "%Y-%m-%d %H:%M:%S"};
};

// A name within the prefix, whose parts end at commas and blanks; what is unsafe on a terminal is
// an underscore, too.
void append_name(std::string& out, const std::optional<std::string>& name) {
  if (!name || name->empty()) {
    out += "[unknown]";
    return;
  }
  for (size_t at = 0; at < name->size();) {
    const Character character = decode_character(*name, at);
    const std::string_view bytes = std::string_view(*name).substr(at, character.size);
    at += character.size;
    const bool is_end = bytes == " " || bytes == ",";
    if (is_end || character.code == kInvalidCharacter || is_unsafe(character.code))
      out += '_';
    else
      out += bytes;
  }
}

// As escape.h shows what is unsafe; lines and tabs stay.
void append_lines(std::string& out, std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Character character = decode_character(text, at);
    const std::string_view bytes = text.substr(at, character.size);
    at += character.size;
    if (bytes == "\n")
      out += "\n\t";
    else if (bytes == "\r" || bytes == std::string_view("\0", 1))
      out += ' ';
    else if (character.code == kInvalidCharacter)
      append_byte_escape(out, static_cast<uint8_t>(bytes.front()));
    else if (bytes != "\t" && is_unsafe(character.code))
      append_character_escape(out, character.code);
    else
      out += bytes;
  }
}

void append_milliseconds(std::string& out, uint64_t nanoseconds) {
  append_number(out, nanoseconds / 1'000'000);
  out += '.';
  append_zero_padded(out, nanoseconds % 1'000'000 / 1'000, 3);
  out += " ms";
}

// The server stamps a line when it writes it.
void PgLogSink::prefix(const Query& query, std::string& out) {
  const uint64_t end_ns = query.start_ns + query.duration_ns;
  out += clock_.at(end_ns / kNanosecondsPerSecond);
  out += '.';
  append_zero_padded(out, end_ns % kNanosecondsPerSecond / 1'000'000, 3);
  out += " UTC [";
  append_number(out, query.pid);
  out += "]: user=";
  append_name(out, query.user);
  out += ",db=";
  append_name(out, query.database);
  out += ",app=";
  append_name(out, query.application);
  out += ",client=";
  append_name(out, shown_host(query));
  out += ' ';
}

// "statement", or "execute <unnamed>": whether a prepared statement has a name is not known.
std::string_view kind_of(const Query& query) {
  if (query.command == "Parse") return "parse <unnamed>";
  if (query.command == "Bind") return "bind <unnamed>";
  if (query.command == "Execute") return "execute <unnamed>";
  return "statement";
}

void PgLogSink::format(const Shown& shown, std::string& out) {
  const Query& query = shown.query;
  const bool failed = query.error.value_or(0) != 0;
  prefix(query, out);
  if (failed) {
    out += "ERROR:  ";
    out += query.sqlstate;
    out += ": failed after ";
    append_milliseconds(out, query.duration_ns);
    out += '\n';
    prefix(query, out);
    out += "STATEMENT:  ";
  } else {
    out += "LOG:  duration: ";
    append_milliseconds(out, query.duration_ns);
    out += "  ";
    out += kind_of(query);
    out += ": ";
  }
  if (!query.has_sql()) {
    out += "/* ";
    out += query.command;
    out += " */";
  } else if (query.text_state == TextState::Unreadable) {
    out += "/* text unreadable */";
  } else {
    append_lines(out, shown.text.visible);
    if (shown.text.missing_bytes > 0) {
      out += " /* truncated, ";
      append_number(out, shown.text.missing_bytes);
      out += " bytes */";
    }
  }
  out += '\n';
}

}  // namespace

std::unique_ptr<Sink> make_pglog_sink() { return std::make_unique<PgLogSink>(); }

}  // namespace dbtrace::output
