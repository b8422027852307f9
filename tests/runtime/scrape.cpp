#include "tests/runtime/scrape.h"

#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace dbtrace::testing {
namespace {

std::vector<std::string> with_free_port(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "serve");
  arguments.insert(arguments.end(), {"--listen", "127.0.0.1:0"});
  return arguments;
}

}  // namespace

Scrape::Scrape(const std::string& page) {
  static const std::regex sample(
      R"re(([a-z_]+)(\{(?:[^"]|"(?:[^"\\]|\\.)*")*\})? ([-+0-9.eInf]+))re");
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    std::smatch match;
    if (!std::regex_match(line, match, sample)) throw std::runtime_error("no sample: " + line);
    samples_.emplace(match[1], Sample{match[2], std::stod(match[3])});
  }
}

double Scrape::sum(const std::string& name, const std::string& label) const {
  double sum = 0;
  const auto [begin, end] = samples_.equal_range(name);
  for (auto each = begin; each != end; ++each)
    if (each->second.labels.find(label) != std::string::npos) sum += each->second.value;
  return sum;
}

bool Scrape::has(const std::string& name) const { return samples_.contains(name); }

std::string Scrape::kind_of(const std::string& text) const {
  static const std::regex kind("kind=\"([^\"]*)\"");
  std::string found;
  const auto [begin, end] = samples_.equal_range("dbtrace_kind_info");
  for (auto each = begin; each != end; ++each) {
    std::smatch match;
    if (each->second.labels.find(text) == std::string::npos ||
        !std::regex_search(each->second.labels, match, kind))
      continue;
    if (!found.empty()) throw std::runtime_error("two kinds of " + text);
    found = match[1];
  }
  if (found.empty()) throw std::runtime_error("no kind of " + text);
  return found;
}

Serving::Serving(std::vector<std::string> arguments)
    : process_(with_free_port(std::move(arguments))) {
  const auto listens = [&] {
    static const std::regex line("metrics at http://127\\.0\\.0\\.1:([0-9]+)/metrics\n");
    const std::string errors = process_.errors();
    std::smatch match;
    if (!std::regex_search(errors, match, line)) return false;
    port_ = static_cast<uint16_t>(std::stoi(match[1]));
    return true;
  };
  if (!wait_until(listens, std::chrono::seconds(60)))
    throw std::runtime_error("does not listen: " + process_.errors());
}

std::string Serving::page() const {
  HttpAnswer answer = http_get(port_, "/metrics");
  if (answer.status != 200)
    throw std::runtime_error("status " + std::to_string(answer.status) + ": " + process_.errors());
  return std::move(answer.body);
}

int Serving::end() {
  process_.process().signal(SIGTERM);
  return process_.wait();
}

size_t Serving::resident() const {
  std::ifstream file(
      "/proc/" + std::to_string(const_cast<DbtraceProcess&>(process_).process().pid()) + "/statm");
  size_t pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace dbtrace::testing
