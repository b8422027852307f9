#include "tests/soak/tracer.h"

#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "tests/runtime/built_files.h"

namespace dbtrace::testing {
namespace {

std::vector<std::string> command(const std::vector<std::string>& arguments) {
  const char* program = std::getenv("DBTRACE_SOAK_PROGRAM");
  std::vector<std::string> all = {program != nullptr ? program : kDbtrace};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

}  // namespace

Tracer::Tracer(const std::vector<std::string>& arguments,
               std::function<void(std::string_view)> on_line)
    : process_({.arguments = command(arguments),
                .errors = folder_.path() / "errors",
                .output_fd = pipe_.write_end()}),
      growth_(process_.pid()) {
  pipe_.close_write_end();
  reader_ = std::thread([this, on_line = std::move(on_line)] { read_lines(on_line); });
  const auto attached = [this] {
    return ("\n" + errors()).find("\nattached") != std::string::npos;
  };
  if (wait_until([&] { return attached() || !running(); }, std::chrono::minutes(2)) && running())
    return;
  process_.signal(SIGKILL);
  reader_.join();
  throw std::runtime_error("dbtrace did not attach:\n" + errors());
}

Tracer::~Tracer() {
  if (!reader_.joinable()) return;
  process_.signal(SIGKILL);
  reader_.join();
}

int Tracer::stop() {
  process_.signal(SIGINT);
  const auto code = process_.wait(std::chrono::minutes(2));
  if (!code) throw std::runtime_error("dbtrace does not end:\n" + errors());
  reader_.join();
  return *code;
}

void Tracer::read_lines(const std::function<void(std::string_view)>& on_line) const {
  std::string pending;
  while (pipe_.read_some(pending)) {
    size_t begin = 0;
    for (size_t end = 0; (end = pending.find('\n', begin)) != std::string::npos; begin = end + 1)
      on_line(std::string_view(pending).substr(begin, end - begin));
    pending.erase(0, begin);
  }
}

}  // namespace dbtrace::testing
