#include "tests/unit/stacks/chain.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <thread>
#include <utility>

namespace dbtrace::stacks::test {
namespace {

// As in /proc/PID/task/TID/stat; the fixture's name has no ')'.
char state_of(pid_t pid, pid_t thread) {
  std::ifstream file(fmt::format("/proc/{}/task/{}/stat", pid, thread));
  std::string text;
  std::getline(file, text);
  const size_t end = text.find(") ");
  return end == std::string::npos ? '?' : text[end + 2];
}

// Those functions of libc that a static program here may be in.
bool is_linked_in(std::string_view function) {
  constexpr std::array<std::string_view, 5> kFunctions = {"read", "start_thread", "clone3", "clone",
                                                          "__restore_rt"};
  return std::ranges::find(kFunctions, function) != kFunctions.end();
}

}  // namespace

std::string fixture(const std::string& name) { return STACKS_FIXTURES "/" + name; }

Chain::Chain(const std::string& program, const std::string& name) {
  int input[2];
  int output[2];
  if (::pipe2(input, O_CLOEXEC) != 0 || ::pipe2(output, O_CLOEXEC) != 0) return;
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(input[0], STDIN_FILENO);
    ::dup2(output[1], STDOUT_FILENO);
    ::execl(program.c_str(), program.c_str(), name.c_str(), fixture("libloaded.so").c_str(),
            nullptr);
    ::_exit(127);
  }
  ::close(input[0]);
  ::close(output[1]);
  input_ = ::fdopen(input[1], "w");
  output_ = ::fdopen(output[0], "r");
  wait_until_waiting();
}

Chain::~Chain() { end(); }

void Chain::wait_until_waiting() {
  thread_ = 0;
  int thread = 0;
  if (std::fscanf(output_, "%d", &thread) != 1) return;
  for (int tries = 0; tries < 10'000; ++tries) {
    const char state = state_of(pid_, thread);
    // 'D': a disk is slow.
    if (state == 'S' || state == 'D') {
      thread_ = thread;
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void Chain::feed() {
  std::fputc('x', input_);
  std::fflush(input_);
}

bool Chain::go_on() {
  feed();
  wait_until_waiting();
  return thread_ != 0;
}

void Chain::end() {
  if (input_ != nullptr) std::fclose(std::exchange(input_, nullptr));
  if (pid_ > 0) ::waitpid(std::exchange(pid_, 0), nullptr, 0);
  if (output_ != nullptr) std::fclose(std::exchange(output_, nullptr));
}

std::vector<std::string> names(symbols::Symbolizer& symbolizer, uint32_t pid,
                               const Unwound& unwound) {
  using Kind = symbols::Symbolized::Kind;
  std::vector<std::string> result;
  for (const uint64_t address : unwound.addresses) {
    const symbols::Symbolized place = symbolizer.user(pid, address);
    const std::string_view file = place.module.substr(place.module.rfind('/') + 1);
    std::string name;
    if (file.starts_with("libc.so") || is_linked_in(place.function)) {
      name = "[libc]";
      if (!result.empty() && result.back() == name) continue;
    } else if (place.kind == Kind::Function) {
      name = place.function;
    } else {
      name = fmt::format("{}+{:#x}", file, place.module_offset);
    }
    result.push_back(std::move(name));
  }
  return result;
}

}  // namespace dbtrace::stacks::test
