// The command line of `dbtrace serve`.
#include "src/commands/tracing/options.h"

#include <CLI/CLI.hpp>

#include "src/commands/checks.h"
#include "src/commands/config_file.h"
#include "src/commands/serve/serve.h"
#include "src/commands/tracing/kind_options.h"
#include "src/commands/units.h"
#include "src/http/url.h"

namespace dbtrace::commands {
namespace {

constexpr const char* kExamples = R"(Examples:
  dbtrace serve                               the servers that run here, at 127.0.0.1:9104/metrics
  dbtrace serve --exe /usr/sbin/mariadbd      every process of that file, present and future
  dbtrace serve --budget --max-overhead 2%    also where the time goes, while that is cheap
  dbtrace serve --by table --max-kinds 50     fewer series
  dbtrace serve --listen 10.1.2.3:9104        for others than this machine: all may read it
  dbtrace serve --otlp http://127.0.0.1:4318  also to an OpenTelemetry collector
  dbtrace serve --config /etc/dbtrace.conf    lines as `max-kinds = 50`, named as the options are

Exit status: 0 ended by a signal, 1 failed, 2 wrong usage, 3 --max-overhead ended it.)";

// Each is some thirty series.
constexpr size_t kKinds = 200;

template <typename Value>
std::string problem_of(const Result<Value>& parsed) {
  if (parsed) return {};
  const Error& error = parsed.error();
  return error.hint.empty() ? error.message : error.message + ": " + error.hint;
}

std::string check_address(const std::string& text) { return problem_of(http::parse_address(text)); }

void add_push_options(CLI::App& command, PushOptions& options) {
  constexpr const char* kGroup = "OpenTelemetry";
  constexpr uint64_t kShortest_ns = 1'000'000'000, kLongest_ns = 3'600'000'000'000;
  constexpr uint64_t kShortestSpan_ns = 1'000;
  auto* url =
      command
          .add_option("--otlp", options.url,
                      "Also send all of it to this collector, by OTLP/HTTP: http://127.0.0.1:4318")
          ->check(CLI::Validator(
              [](const std::string& text) { return problem_of(http::parse_url(text)); }, ""))
          ->type_name("URL")
          ->group(kGroup);
  command.add_option("--otlp-interval", options.interval_ns, "How often [10s]")
      ->transform(quantity(parse_duration, kShortest_ns, kLongest_ns))
      ->type_name("TIME")
      ->needs(url)
      ->group(kGroup);
  command
      .add_option("--otlp-slower-than", options.slower_than_ns,
                  "Also send a span of each query that took at least this long [1s]")
      ->transform(quantity(parse_duration, kShortestSpan_ns, INT64_MAX))
      ->type_name("TIME")
      ->needs(url)
      ->group(kGroup);
  command
      .add_option("--otlp-header", options.headers,
                  "Send this header, too: 'Name: value' (repeatable; secrets: in a file)")
      ->check(CLI::Validator(
          [](const std::string& text) { return problem_of(http::parse_header(text)); }, ""))
      ->type_name("HEADER")
      ->needs(url)
      ->group(kGroup);
}

}  // namespace

CLI::App* add_serve_command(CLI::App& app, ServeOptions& options) {
  HistogramOptions& counting = options.counting;
  counting.format = HistogramFormat::Prometheus;
  counting.kinds.max_kinds = kKinds;
  CLI::App* command = app.add_subcommand(
      "serve", "Stay, follow the servers, and tell Prometheus how long queries take, by kind");
  command->footer(kExamples);
  add_config_option(*command);
  add_explain_option(*command, counting.session);
  add_server_options(*command, counting.session);
  command
      ->add_option("--listen", options.listen,
                   "Address and port, in numbers; 0: any free port [" + options.listen + "]")
      ->check(CLI::Validator(check_address, ""))
      ->type_name("ADDRESS");
  add_kind_options(*command, counting.kinds, "Which kinds");
  add_query_choice(*command, counting.choice, "Which queries");
  add_budget_options(*command, counting, "Where the time goes");
  add_rows_examined_option(*command, counting.session, "Where the time goes");
  add_push_options(*command, options.push);
  add_mechanics_options(*command, counting.session);
  add_count_in_option(*command, counting.count_in, "Mechanics");
  return command;
}

}  // namespace dbtrace::commands
