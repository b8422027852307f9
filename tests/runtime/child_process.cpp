#include "tests/runtime/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "symbols/unique.h"

namespace dbtrace::testing {
namespace {

constexpr int kCannotExecute = 127;

// Runs between fork and exec, where only async-signal-safe calls are allowed.
[[noreturn]] void become(char* const* arguments, const char* root, int output, int errors,
                         pid_t parent) {
  // The kernel ends the child when the thread that forked it ends.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kCannotExecute);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  // Nothing of whoever started the tests.
  ::syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
  // A Ctrl-C is for the test program, which then ends its children.
  ::setsid();
  ::signal(SIGPIPE, SIG_DFL);
  if (*root != '\0' && (::chroot(root) != 0 || ::chdir("/") != 0)) ::_exit(kCannotExecute);
  ::execv(arguments[0], arguments);
  ::_exit(kCannotExecute);
}

UniqueFd open_output(const std::filesystem::path& path) {
  UniqueFd fd(::open(path.empty() ? "/dev/null" : path.c_str(),
                     O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600));
  if (!fd) throw std::runtime_error("cannot write " + path.string());
  return fd;
}

}  // namespace

ChildProcess::ChildProcess(const ChildOptions& options) {
  std::vector<char*> arguments;
  for (const std::string& argument : options.arguments)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const std::string root = options.root;
  const UniqueFd output = open_output(options.output);
  const UniqueFd errors = open_output(options.errors);
  const int output_fd = options.output_fd >= 0 ? options.output_fd : output.get();
  const pid_t parent = ::getpid();

  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("cannot fork");
  if (pid_ == 0) become(arguments.data(), root.c_str(), output_fd, errors.get(), parent);
}

ChildProcess::~ChildProcess() {
  signal(SIGKILL);
  wait(std::chrono::seconds(10));
}

bool ChildProcess::running() { return !wait(std::chrono::milliseconds(0)); }

void ChildProcess::signal(int number) {
  if (running()) ::kill(pid_, number);
}

std::optional<int> ChildProcess::wait(std::chrono::milliseconds timeout) {
  wait_until(
      [this] {
        int status = 0;
        if (!exit_code_ && ::waitpid(pid_, &status, WNOHANG) == pid_)
          exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        return exit_code_.has_value();
      },
      timeout);
  return exit_code_;
}

std::optional<std::string> ChildProcess::how_it_ended(const std::filesystem::path& log) {
  if (running()) return std::nullopt;
  return "exit status " + std::to_string(*exit_code_) + "\n" + tail(read_file(log));
}

std::string tail(const std::string& text) {
  constexpr size_t kEnough = 3000;
  return text.size() > kEnough ? text.substr(text.size() - kEnough) : text;
}

bool is_emulated() {
  static const bool is = std::getenv("DBTRACE_TEST_EMULATED") != nullptr;
  return is;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace dbtrace::testing
