// A sink turns queries into bytes. It appends to a buffer; who flushes where is
// the writer's business, so that every format can be tested as text.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "src/model/query.h"
#include "symbols/result.h"

namespace dbtrace::output {

enum class Format { Text, Json, SlowLog };

struct FormatOptions {
  Format format = Format::Text;
  // Text: 0 = whole queries, else lines are cut to this many columns with "…".
  size_t width = 0;
  bool color = false;
  bool show_server = false;  // Text: a column with the pid, when several servers are traced
};

class Sink {
 public:
  virtual ~Sink() = default;
  // Bytes that stand before the first query (a heading), if any.
  virtual void begin(std::string& out) { (void)out; }
  virtual void write(const model::Query& query, std::string& out) = 0;
};

[[nodiscard]] std::unique_ptr<Sink> make_sink(const FormatOptions& options);

}  // namespace dbtrace::output
