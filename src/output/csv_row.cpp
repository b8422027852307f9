#include "src/output/csv_row.h"

#include "src/output/cause_names.h"
#include "src/output/digits.h"
#include "src/output/escape.h"

namespace dbtrace::output {
namespace {

using model::FileOperation;

// Spreadsheets take a text that begins so for a formula.
constexpr std::string_view kFormulas = "=+-@";

}  // namespace

void CsvRow::begin_field() {
  if (!is_empty_) out_ += ',';
  is_empty_ = false;
}

CsvRow& CsvRow::word(std::string_view word) {
  begin_field();
  out_ += word;
  return *this;
}

CsvRow& CsvRow::number(uint64_t number) {
  begin_field();
  append_number(out_, number);
  return *this;
}

CsvRow& CsvRow::text(std::string_view text) {
  begin_field();
  shown_.clear();
  append_visible(shown_, text);
  out_ += '"';
  if (!shown_.empty() && kFormulas.find(shown_.front()) != std::string_view::npos) out_ += '\'';
  for (const char c : shown_) out_.append(c == '"' ? 2 : 1, c);
  out_ += '"';
  return *this;
}

CsvRow& CsvRow::text_if_known(const std::optional<std::string>& text) {
  return text ? this->text(*text) : word({});
}

CsvRow& CsvRow::budget(const model::Budget* budget) {
  for (const CauseName& name : kCauseNames) budget ? number(budget->ns(name.cause)) : word({});
  return budget ? number(budget->unexplained_ns) : word({});
}

CsvRow& CsvRow::io(const model::IoCounts* operations) {
  for (const auto operation : {FileOperation::Read, FileOperation::Write, FileOperation::Fsync}) {
    const model::IoCount* count =
        operations ? &(*operations)[static_cast<size_t>(operation)] : nullptr;
    count ? number(count->count) : word({});
    if (operation != FileOperation::Fsync) count ? number(count->bytes) : word({});
    count ? number(count->ns) : word({});
  }
  return *this;
}

void CsvRow::end() { out_ += "\r\n"; }

void append_budget_heading(std::string& out) {
  for (const CauseName& name : kCauseNames) {
    out += ',';
    out += name.json_key;
  }
  out += ',';
  out += UnexplainedName::json_key;
  out += ",reads,read_bytes,read_ns,writes,write_bytes,write_ns,fsyncs,fsyncs_ns";
}

}  // namespace dbtrace::output
