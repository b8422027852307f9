#include "src/output/sink.h"

#include "src/output/formats.h"
#include "src/output/shown.h"

namespace dbtrace::output {

void Sink::write(const model::Query& query, std::string& out) {
  Shown shown{.query = query, .text = {}, .blocker = {}};
  if (query.text_state == model::TextState::Present)
    shown.text = shown_text(query.text, query.text_length, redacted_);
  if (query.blocker && query.blocker->query)
    shown.blocker =
        shown_text(*query.blocker->query, query.blocker->query_length, redacted_blocker_);
  format(shown, out);
}

std::unique_ptr<Sink> make_sink(const FormatOptions& options) {
  switch (options.format) {
    case Format::Json:
      return make_json_sink(options);
    case Format::SlowLog:
      return make_slowlog_sink();
    case Format::PgLog:
      return make_pglog_sink();
    case Format::Csv:
      return make_csv_sink();
    case Format::Text:
      break;
  }
  return make_text_sink(options);
}

}  // namespace dbtrace::output
