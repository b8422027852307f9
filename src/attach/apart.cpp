#include "src/attach/apart.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <memory>

namespace dbtrace::attach {
namespace {

// libbpf formats its complaints in buffers on the stack.
constexpr size_t kStack = size_t{256} * 1024;

// As vfork does: the caller waits, and its thread-local storage (errno, the allocator's cache) is
// that of the new process meanwhile. Sandbox and call filter know these flags.
constexpr int kApart = CLONE_VM | CLONE_VFORK | CLONE_FILES;

// `killall dbtrace` goes by the other name. It is the thread's own.
constexpr const char* kName = "db-attach";

// A thread of ours that is killed may hold a lock, the allocator's for one, that the work waits
// for. Its end then has to come by itself: it takes the probes away, too.
constexpr itimerval kLongest = {.it_interval = {}, .it_value = {.tv_sec = 120, .tv_usec = 0}};

int work_apart(void* work) {
  ::prctl(PR_SET_NAME, kName);
  sigset_t alarm;
  ::sigemptyset(&alarm);
  ::sigaddset(&alarm, SIGALRM);
  ::signal(SIGALRM, SIG_DFL);
  ::setitimer(ITIMER_REAL, &kLongest, nullptr);
  ::sigprocmask(SIG_UNBLOCK, &alarm, nullptr);
  (*static_cast<const std::function<void()>*>(work))();
  return 0;
}

// No signal is handled there; one that comes to both is handled here, afterwards.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

void run_apart(const std::function<void()>& work) {
  const auto stack = std::make_unique_for_overwrite<std::byte[]>(kStack);
  const SignalsHeld held;
  const pid_t child =
      ::clone(work_apart, stack.get() + kStack, kApart, const_cast<std::function<void()>*>(&work));
  if (child < 0) {
    work();
    return;
  }
  int status = 0;
  pid_t ended = -1;
  do ended = ::waitpid(child, &status, __WALL);
  while (ended < 0 && errno == EINTR);
  // It alone was killed, with our locks in its hands perhaps: whoever did that meant dbtrace.
  if (ended == child && WIFSIGNALED(status)) ::kill(::getpid(), SIGKILL);
}

}  // namespace dbtrace::attach
