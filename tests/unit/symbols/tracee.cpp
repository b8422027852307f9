#include "tests/unit/symbols/tracee.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

namespace dbtrace::symbols::test {

Tracee::Tracee(const std::string& program, const std::function<bool()>& prepare) {
  int commands[2];
  int answers[2];
  if (::pipe2(commands, O_CLOEXEC) != 0 || ::pipe2(answers, O_CLOEXEC) != 0) return;
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // Or a copy of it that forks further would never see the end of its input.
    ::close(commands[1]);
    ::close(answers[0]);
    ::dup2(commands[0], STDIN_FILENO);
    ::dup2(answers[1], STDOUT_FILENO);
    if (!prepare || prepare()) ::execl(program.c_str(), program.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(commands[0]);
  ::close(answers[1]);
  commands_ = ::fdopen(commands[1], "w");
  answers_ = ::fdopen(answers[0], "r");
  read_answer();
  if (addresses_.empty()) end();
}

Tracee::~Tracee() {
  end();
  if (answers_ != nullptr) std::fclose(answers_);
}

uint64_t Tracee::address(const std::string& name) const {
  const auto found = addresses_.find(name);
  return found == addresses_.end() ? 0 : found->second;
}

void Tracee::ask(const std::string& command, const std::string& argument) {
  std::fprintf(commands_, "%s %s\n", command.c_str(), argument.c_str());
  std::fflush(commands_);
  read_answer();
}

void Tracee::end() {
  if (commands_ != nullptr) std::fclose(std::exchange(commands_, nullptr));
  if (pid_ > 0) ::waitpid(std::exchange(pid_, 0), nullptr, 0);
}

void Tracee::read_answer() {
  char line[256];
  while (std::fgets(line, sizeof(line), answers_) != nullptr && line[0] != '\n') {
    char name[64];
    unsigned long address = 0;
    if (std::sscanf(line, "%63s %lx", name, &address) >= 1) addresses_[name] = address;
  }
}

}  // namespace dbtrace::symbols::test
