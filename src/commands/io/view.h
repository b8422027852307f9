// Operations on files, wherever they come from, counted or listed as it was asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "src/commands/io/io.h"
#include "src/commands/io/report.h"
#include "src/commands/io/subject.h"
#include "src/commands/io/table.h"
#include "src/commands/span.h"
#include "src/output/writer.h"

namespace dbtrace::commands {

// Not thread-safe. `options` and `writer` must outlive it.
class IoView {
 public:
  // `several`: operations may be of several servers.
  IoView(const IoOptions& options, bool several, output::Writer& writer);

  void resized() { report_->set_width(writer_.width()); }
  [[nodiscard]] bool is_list() const { return is_list_; }
  // Whether take() needs the query that an operation was done for.
  [[nodiscard]] bool needs_queries() const { return is_list_ || subjects_.needs_queries(); }

  // Whether it is to be shown; else it is counted as filtered.
  [[nodiscard]] bool wants(const model::IoOperation& operation);
  // `query`: nullptr when it is not known, or there is none.
  void take(const model::IoOperation& operation, const model::Query* query);
  // What was taken of table `from` is of table `to`.
  void rename_table(const std::string& from, const std::string& to);
  // An interval, of what was taken since the one before. `lost`: operations of this time. Not of
  // lists.
  void end_interval(const Span& span, uint64_t lost);
  [[nodiscard]] bool has_interval() const { return interval_.operations() != 0; }
  // The whole, unless it is a list.
  void finish(const Span& span, uint64_t lost);
  void flush();

  [[nodiscard]] uint64_t filtered() const { return filtered_; }
  // Shown or counted, and which of both.
  [[nodiscard]] uint64_t told() const { return told_; }
  [[nodiscard]] const char* told_as() const { return is_list_ ? "shown" : "counted"; }
  // Nothing more can be shown.
  [[nodiscard]] bool has_ended() const { return status_ != output::WriteStatus::Ok; }
  [[nodiscard]] output::WriteStatus status() const { return status_; }

 private:
  const IoOptions& options_;
  const bool is_list_;
  output::Writer& writer_;
  IoSubjects subjects_;
  std::unique_ptr<IoReport> report_;
  IoTable interval_, total_;
  uint64_t filtered_ = 0;
  uint64_t told_ = 0;
  std::string buffer_;
  output::WriteStatus status_ = output::WriteStatus::Ok;
};

}  // namespace dbtrace::commands
