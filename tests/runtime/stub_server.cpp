#include "tests/runtime/stub_server.h"

#include <signal.h>

#include <sstream>
#include <stdexcept>

#include "tests/runtime/built_files.h"

namespace dbtrace::testing {

using std::chrono::seconds;

std::filesystem::path stub_program(const std::string& name) {
  return std::filesystem::path(kStubServers) / name;
}

namespace {

std::vector<std::string> command_line(const std::string& program,
                                      const std::vector<std::string>& arguments) {
  std::vector<std::string> line = {stub_program(program)};
  line.insert(line.end(), arguments.begin(), arguments.end());
  return line;
}

}  // namespace

StubServer::StubServer(const std::string& program, const std::filesystem::path& root,
                       const std::vector<std::string>& arguments)
    : process_({.arguments = command_line(program, arguments),
                .output = folder_.path() / "stdout",
                .errors = folder_.path() / "stderr",
                .root = root}) {
  if (!wait_until([this] { return lines("ready") == 1; }, seconds(20)))
    throw std::runtime_error("the stub server " + program + " did not start");
}

size_t StubServer::lines(const std::string& line) const {
  std::istringstream output(read_file(folder_.path() / "stdout"));
  size_t count = 0;
  for (std::string each; std::getline(output, each);) count += each == line;
  return count;
}

size_t StubServer::finished() const { return lines("done"); }

void StubServer::work(int signal) {
  const size_t before = finished();
  process_.signal(signal);
  if (!wait_until([&] { return finished() > before; }, seconds(60)))
    throw std::runtime_error("the stub server does not finish");
}

}  // namespace dbtrace::testing
