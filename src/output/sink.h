// A sink turns queries into bytes. It appends to a buffer; who flushes where is
// the writer's business, so that every format can be tested as text.
//
// What all formats promise: passwords are redacted (redact.h), and no byte of a
// query, user, host or database name can drive a terminal or be taken for a
// part of the format.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "src/model/query.h"
#include "src/output/lost.h"

namespace dbtrace::output {

enum class Format { Text, Json, SlowLog, PgLog, Csv };

struct FormatOptions {
  Format format = Format::Text;
  // Text: 0 = whole queries, else lines are cut to this many columns with "…".
  size_t width = 0;
  bool color = false;
  bool mark_running = true;  // Text: "[running]"; without it where nothing else is shown
  bool show_server = false;  // Text: a column with the pid, when several servers are traced
  bool budget = false;       // Text, JSON: say where the time went
};

struct Shown;

// Not for use by several threads at once.
class Sink {
 public:
  virtual ~Sink() = default;
  // Bytes that stand before the first query (a heading), if any.
  virtual void begin(std::string& out) { (void)out; }
  // Appends `query` in this sink's format, ended by a newline.
  void write(const model::Query& query, std::string& out);
  // Appends that there is a gap here, if the format has a way to say it.
  virtual void lost(const Lost& lost, std::string& out) { (void)lost, (void)out; }
  // Appends what can be written only when there are no more queries, if any.
  virtual void finish(std::string& out) { (void)out; }

 private:
  // Formats get what may be shown, and nothing else to show by mistake.
  virtual void format(const Shown& shown, std::string& out) = 0;

  std::string redacted_;
  std::string redacted_blocker_;
};

[[nodiscard]] std::unique_ptr<Sink> make_sink(const FormatOptions& options);

}  // namespace dbtrace::output
