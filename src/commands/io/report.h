// What `dbtrace io` tells, as bytes for a person or a program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "src/commands/io/table.h"
#include "src/commands/span.h"
#include "src/model/io_operation.h"
#include "src/model/query.h"

namespace dbtrace::commands {

enum class IoFormat { Text, Json };

// As they are typed and told: "read", "write", "fsync"; "table", "file", ….
[[nodiscard]] std::string_view name_of(model::FileOperation operation);
[[nodiscard]] std::string_view name_of(IoBy by);

// Appends to a buffer; who flushes where is the writer's business. Not for use by
// several threads at once.
class IoReport {
 public:
  virtual ~IoReport() = default;
  // The terminal's width, 0 for none; when it has changed, too.
  virtual void set_width(size_t columns) { (void)columns; }

  // Histograms by kind of operation, and the table. `lost`: operations of this time that
  // found no room in the kernel's buffer.
  virtual void table(const Span& span, const IoTable& table, IoBy by, uint64_t lost,
                     std::string& out) = 0;

  // What stands before the first operation().
  virtual void begin_list(std::string& out) { (void)out; }
  // A single operation. `query`: nullptr when it is not known, or there is none.
  virtual void operation(const model::IoOperation& operation, const model::Query* query,
                         std::string& out) = 0;
};

// `several`: text tells which server an operation is of.
[[nodiscard]] std::unique_ptr<IoReport> io_text(bool color, bool several);
[[nodiscard]] std::unique_ptr<IoReport> io_json();

}  // namespace dbtrace::commands
