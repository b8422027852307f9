#include "src/commands/tracing/options.h"

#include <CLI/CLI.hpp>
#include <bit>
#include <charconv>
#include <memory>

#include "profiles/user_profile.h"
#include "src/commands/attach_option.h"
#include "src/commands/checks.h"
#include "src/commands/units.h"

namespace dbtrace::commands {
namespace {

// The kernel's ring buffer is whole pages, and a power of two of them.
constexpr uint64_t kSmallestBuffer = 4096, kLargestBuffer = 1U << 30;

std::string power_of_two(std::string& bytes) {
  if (std::has_single_bit(std::stoull(bytes))) return {};
  return bytes + " bytes are not a power of two, as 1M, 8M or 64M are";
}

constexpr uint64_t kMostEntries = 1U << 20, kMostLongTexts = 1U << 14;
constexpr uint64_t kFewestRemembered = 2;  // half of them is forgotten when there are more
constexpr double kPercentOfAll = 100;

// "2%" or "2" → "2": of a whole, more than nothing.
CLI::Validator percentage() {
  return {
      [](std::string& text) {
        std::string number = text.ends_with('%') ? text.substr(0, text.size() - 1) : text;
        double percent = 0;
        const char* end = number.data() + number.size();
        const auto read = std::from_chars(number.data(), end, percent);
        if (read.ec != std::errc() || read.ptr != end || !(percent > 0) || percent > kPercentOfAll)
          return "'" + text + "' is no percentage, as 2% or 0.5% are";
        text = number;
        return std::string();
      },
      ""};
}

std::string add_profile(const std::string& path) {
  const auto added = profiles::add_profile_file(path);
  if (added) return {};
  const Error& error = added.error();
  return error.hint.empty() ? error.message : error.message + "\n  " + error.hint;
}

}  // namespace

void add_server_options(CLI::App& command, SessionOptions& options) {
  add_target_options(command, options.target);
  command
      .add_option_function<std::vector<std::string>>(
          "--profile", [](const std::vector<std::string>&) {},
          "Trace a fork with other names, too, as this file says (repeatable;\n"
          "docs/profiles.md)")
      ->check(add_profile)
      ->type_name("FILE");
}

void add_follow_option(CLI::App& command, SessionOptions& options, const std::string& group) {
  command
      .add_flag("--follow", options.follow,
                "Do not end with the server: go on with its successor (same program,\n"
                "data folder and socket), also when it was upgraded meanwhile")
      ->group(group);
}

void add_duration_option(CLI::App& command, SessionOptions& options, const std::string& group) {
  command.add_option("--duration", options.duration_ns, "After this time, e.g. 30s")
      ->transform(quantity(parse_duration, 1, INT64_MAX))
      ->type_name("TIME")
      ->group(group);
}

CLI::Option* add_output_file_option(CLI::App& command, std::string& path,
                                    const std::string& group) {
  return command
      .add_option("-o,--output", path,
                  "Write to this file, replacing it (readable by its owner only)")
      ->type_name("FILE")
      ->check([](const std::string& file) { return file.empty() ? "needs a file name" : ""; })
      ->group(group);
}

Result<output::Writer> open_output(const std::string& path, int stop_fd) {
  if (path.empty()) return output::Writer::standard_output(stop_fd);
  return output::Writer::file(path, stop_fd);
}

void add_text_options(CLI::App& command, SessionOptions& options, const std::string& group) {
  command
      .add_option("--max-text", options.tracer.max_text,
                  "Bytes of each query's text to copy, up to 64k [4096]")
      ->transform(quantity(parse_size, 1, DBT_TEXT_MAX))
      ->type_name("SIZE")
      ->group(group);
  command
      .add_option("--long-texts", options.tracer.long_texts,
                  "Texts beyond 4k that may be in flight: 64k of kernel memory each [64]")
      ->check(whole_number(1, kMostLongTexts))
      ->type_name("NUMBER")
      ->group(group);
}

CLI::Option* add_explain_option(CLI::App& command, SessionOptions& options) {
  return command.add_flag("--explain", options.explain,
                          "Print what would be probed and how, then end");
}

CLI::Option* add_file_io_option(CLI::App& command, SessionOptions& options,
                                const std::string& group) {
  using attach::FileHook;
  return command
      .add_option("--file-io", options.file_io,
                  "How to see file operations: auto, fentry, syscalls, kprobe or none [auto]")
      ->transform(one_of<FileHook>({{"auto", FileHook::Auto},
                                    {"fentry", FileHook::Fentry},
                                    {"syscalls", FileHook::SystemCalls},
                                    {"kprobe", FileHook::Kprobe},
                                    {"none", FileHook::None}}))
      ->type_name("HOW")
      ->group(group);
}

void add_statements_option(CLI::App& command, SessionOptions& options, const std::string& group) {
  command
      .add_flag("--statements", options.plan.statements,
                "Also each statement inside a command: of multi-statement texts, stored\n"
                "routines, triggers, events, and SQL's EXECUTE")
      ->group(group);
}

void add_rows_examined_option(CLI::App& command, SessionOptions& options,
                              const std::string& group) {
  command
      .add_flag("--rows-examined", options.plan.rows_examined,
                "Rows examined of MariaDB, too: one more probe a command (free on MySQL)")
      ->group(group);
}

CLI::Option* add_dsn_option(CLI::App& command, SessionOptions& options, const std::string& group) {
  return command
      .add_option("--dsn", options.connection,
                  "PostgreSQL: ask the server which table a new file is of, by such a\n"
                  "connection, e.g. 'host=/run/postgresql user=monitor'")
      ->type_name("CONNINFO")
      ->check([](const std::string& text) { return text.empty() ? "is empty" : ""; })
      ->group(group);
}

void add_max_overhead_option(CLI::App& command, std::optional<double>& limit,
                             const std::string& group) {
  command
      .add_option_function<double>(
          "--max-overhead", [&limit](double percent) { limit = percent / kPercentOfAll; },
          "Give up what costs most when tracing costs more than this of what the\n"
          "server uses (one core at least), and end when that is not enough, e.g. 2%")
      ->transform(percentage())
      ->type_name("PERCENT")
      ->group(group);
}

CLI::Option* add_buffer_option(CLI::App& command, const std::string& name, uint32_t& bytes,
                               const std::string& what, const std::string& group) {
  return command.add_option(name, bytes, what)
      ->transform(quantity(parse_size, kSmallestBuffer, kLargestBuffer))
      ->check(CLI::Validator(power_of_two, ""))
      ->type_name("SIZE")
      ->group(group);
}

void add_mechanics_options(CLI::App& command, SessionOptions& options) {
  constexpr const char* kGroup = "Mechanics";
  add_buffer_option(command, "--buffer", options.tracer.ring_bytes,
                    "Kernel buffer between server and dbtrace, a power of two [8M]", kGroup);
  command
      .add_option("--table-entries", options.tracer.table_entries,
                  "Entries of each table in the kernel: suspended commands, files, … [16384]")
      ->check(whole_number(1, kMostEntries))
      ->type_name("NUMBER")
      ->group(kGroup);
  command
      .add_option("--remember", options.remembered,
                  "Sessions' users, names of files, and file operations that wait for\n"
                  "their query: at most so many of each [65536]")
      ->check(whole_number(kFewestRemembered, kMostEntries))
      ->type_name("NUMBER")
      ->group(kGroup);
  add_attach_option(command, options.tracer.mechanism, kGroup);
  add_max_overhead_option(command, options.max_overhead, kGroup);
}

}  // namespace dbtrace::commands
