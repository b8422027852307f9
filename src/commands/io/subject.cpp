#include "src/commands/io/subject.h"

#include <fmt/format.h>

#include "src/output/escape.h"
#include "src/output/shown.h"

namespace dbtrace::commands {
namespace {

using Kind = IoSubject::Kind;

IoSubject named(const std::string& name, const std::string& table = {}) {
  if (name.empty()) return {.kind = Kind::Unknown, .name = {}, .table = {}};
  return {.kind = Kind::Named, .name = name, .table = table};
}

}  // namespace

IoSubject IoSubjects::of(const model::IoOperation& operation, const model::Query* query) {
  switch (by_) {
    case IoBy::Table:
      return named(operation.file.content);
    case IoBy::File:
      return named(operation.file.name, operation.file.content);
    case IoBy::Thread:
      return {.kind = operation.command_start_ns ? Kind::Named : Kind::Background,
              .name = operation.thread,
              .table = {}};
    case IoBy::Query:
      return kind_of_query(operation, query);
    case IoBy::Operation:
      break;
  }
  return {};
}

IoSubject IoSubjects::kind_of_query(const model::IoOperation& operation,
                                    const model::Query* query) {
  if (!operation.command_start_ns)
    return {.kind = Kind::Background, .name = operation.thread, .table = {}};
  if (!query) return {.kind = Kind::Unknown, .name = {}, .table = {}};
  if (query->text_state != model::TextState::Present)
    return named(fmt::format("[{}]", query->command));
  if (query->is_fingerprint) return named(query->text);
  // Of secrets not even their kind is told.
  const output::ShownText text = output::shown_text(query->text, query->text_length, redacted_);
  return named(std::string(fingerprints_.of(*query, text.bytes).text));
}

std::string example_of(const model::Query& query) {
  std::string redacted;
  const output::ShownText text = output::shown_text(query.text, query.text_length, redacted);
  std::string example(text.visible);
  if (text.missing_bytes != 0) example += output::kEllipsis;
  return example;
}

}  // namespace dbtrace::commands
