// The command-line options that all commands that trace queries share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "src/commands/tracing/session.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace dbtrace::commands {

// Which servers: -p, --exe, --profile (which takes effect when it is parsed).
void add_server_options(CLI::App& command, SessionOptions& options);
// --follow.
void add_follow_option(CLI::App& command, SessionOptions& options, const std::string& group);
// --duration.
void add_duration_option(CLI::App& command, SessionOptions& options, const std::string& group);
// -o: a file instead of standard output (output::Writer::file).
CLI::Option* add_output_file_option(CLI::App& command, std::string& path, const std::string& group);
// What it stands for: standard output where `path` is empty.
[[nodiscard]] Result<output::Writer> open_output(const std::string& path, int stop_fd);
// --max-text, --long-texts.
void add_text_options(CLI::App& command, SessionOptions& options, const std::string& group);
// --statements.
void add_statements_option(CLI::App& command, SessionOptions& options, const std::string& group);
// --rows-examined.
void add_rows_examined_option(CLI::App& command, SessionOptions& options, const std::string& group);
// --explain; the caller prints Session::explanation().
CLI::Option* add_explain_option(CLI::App& command, SessionOptions& options);
// --file-io.
CLI::Option* add_file_io_option(CLI::App& command, SessionOptions& options,
                                const std::string& group);
// --dsn.
CLI::Option* add_dsn_option(CLI::App& command, SessionOptions& options, const std::string& group);
// --max-overhead.
void add_max_overhead_option(CLI::App& command, std::optional<double>& limit,
                             const std::string& group);
// For memory between the kernel and dbtrace: a power of two.
CLI::Option* add_buffer_option(CLI::App& command, const std::string& name, uint32_t& bytes,
                               const std::string& what, const std::string& group);
// --buffer, --table-entries, --remember, --attach, --max-overhead.
void add_mechanics_options(CLI::App& command, SessionOptions& options);

}  // namespace dbtrace::commands
