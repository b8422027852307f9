#include "tests/runtime/dbtrace_process.h"

#include <signal.h>

#include <algorithm>
#include <stdexcept>

#include "tests/runtime/built_files.h"

namespace dbtrace::testing {
namespace {

std::vector<std::string> command(const std::vector<std::string>& arguments) {
  std::vector<std::string> all = {kDbtrace};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

}  // namespace

std::vector<nlohmann::json> parse_lines(std::string_view text) {
  std::vector<nlohmann::json> parsed;
  size_t start = 0;
  for (size_t end = 0; (end = text.find('\n', start)) != std::string_view::npos; start = end + 1)
    parsed.push_back(nlohmann::json::parse(text.substr(start, end - start)));
  return parsed;
}

namespace {

// Other commands say in a number how much was lost in the time that a line is of.
bool is_gap(const nlohmann::json& line) {
  return line.contains("lost") && line["lost"].is_object();
}

}  // namespace

std::vector<nlohmann::json> queries_of(std::string_view text) {
  std::vector<nlohmann::json> lines = parse_lines(text);
  std::erase_if(lines, is_gap);
  return lines;
}

std::map<std::string, uint64_t> losses_of(std::string_view text) {
  std::map<std::string, uint64_t> all;
  for (const nlohmann::json& line : parse_lines(text)) {
    if (!is_gap(line)) continue;
    for (const auto& [name, count] : line["lost"].items()) all[name] += count.get<uint64_t>();
  }
  return all;
}

DbtraceProcess::DbtraceProcess(const std::vector<std::string>& arguments, int output_fd)
    : process_({.arguments = command(arguments),
                .output = folder_.path() / "stdout",
                .errors = folder_.path() / "stderr",
                .output_fd = output_fd}) {}

void DbtraceProcess::wait_until_attached(std::chrono::milliseconds timeout) {
  const auto attached = [this] {
    return ("\n" + errors()).find("\nattached") != std::string::npos;
  };
  wait_until([&] { return attached() || !process_.running(); }, timeout);
  if (!attached() || !process_.running())
    throw std::runtime_error("dbtrace did not attach:\n" + errors());
}

int DbtraceProcess::stop() {
  process_.signal(SIGINT);
  return wait();
}

int DbtraceProcess::wait(std::chrono::milliseconds timeout) {
  const std::optional<int> code = process_.wait(timeout);
  if (!code) throw std::runtime_error("dbtrace does not end:\n" + errors());
  return *code;
}

void DbtraceProcess::kill() {
  process_.signal(SIGKILL);
  wait();
}

std::string DbtraceProcess::output() const { return read_file(folder_.path() / "stdout"); }
std::string DbtraceProcess::errors() const { return read_file(folder_.path() / "stderr"); }

bool DbtraceProcess::wait_for_lines(size_t count, std::chrono::milliseconds timeout) {
  return wait_until(
      [&] {
        const std::string text = output();
        return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) >= count;
      },
      timeout);
}

DbtraceResult run_dbtrace(const std::vector<std::string>& arguments) {
  DbtraceProcess process(arguments);
  DbtraceResult result;
  result.exit_code = process.wait();
  result.output = process.output();
  result.errors = process.errors();
  return result;
}

}  // namespace dbtrace::testing
