#include "src/output/sink.h"

#include "src/output/formats.h"
#include "src/output/redact.h"
#include "src/output/shown.h"
#include "src/output/utf8.h"

namespace dbtrace::output {

void Sink::write(const model::Query& query, std::string& out) {
  Shown shown{.query = query, .text = {}, .bytes = {}};
  if (query.text_state == model::TextState::Present) {
    shown.redacted = redact(query.text, redacted_);
    shown.bytes = shown.redacted ? redacted_ : query.text;
    shown.text = shown.bytes;
    if (query.truncated()) {
      shown.text = without_unfinished_character(shown.bytes);
      shown.missing_bytes =
          query.text_length - query.text.size() + (shown.bytes.size() - shown.text.size());
    }
  }
  format(shown, out);
}

std::unique_ptr<Sink> make_sink(const FormatOptions& options) {
  switch (options.format) {
    case Format::Json:
      return make_json_sink();
    case Format::SlowLog:
      return make_slowlog_sink();
    case Format::Text:
      break;
  }
  return make_text_sink(options);
}

}  // namespace dbtrace::output
