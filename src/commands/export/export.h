// `dbtrace export`: a recording as a file for other programs.
#pragma once

#include <cstdint>

#include "src/commands/queries/queries.h"

namespace CLI {
class App;
}

namespace dbtrace::commands {

enum class ExportFormat : uint8_t { None, Csv, Json, SlowLog, PgLog, Folded, Speedscope, Perfetto };

struct ExportOptions {
  QueriesOptions queries;  // which of what recording, and where to
  ExportFormat format = ExportFormat::None;
};

CLI::App* add_export_command(CLI::App& app, ExportOptions& options);
// Returns the exit status.
[[nodiscard]] int run_export(const ExportOptions& options);

}  // namespace dbtrace::commands
