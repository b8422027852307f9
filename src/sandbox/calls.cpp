#include "src/sandbox/calls.h"

#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace dbtrace::sandbox {
namespace {

constexpr uint64_t kInt = UINT32_MAX;  // the kernel looks at these bits of an int

constexpr int kAlways[] = {
    // Bytes of what is open.
    SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(write), SCMP_SYS(writev),
    SCMP_SYS(lseek), SCMP_SYS(close), SCMP_SYS(dup), SCMP_SYS(fcntl), SCMP_SYS(fadvise64),
    // What files and folders are.
    SCMP_SYS(fstat), SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(newfstatat), SCMP_SYS(statx),
    SCMP_SYS(fstatfs), SCMP_SYS(statfs), SCMP_SYS(access), SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2), SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(getdents64),
    SCMP_SYS(getcwd),
    // Memory.
    SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(mprotect), SCMP_SYS(madvise),
    SCMP_SYS(brk),
    // Waiting.
    SCMP_SYS(epoll_create1), SCMP_SYS(epoll_ctl), SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait),
    SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(pidfd_open), SCMP_SYS(timerfd_create),
    SCMP_SYS(timerfd_settime), SCMP_SYS(nanosleep), SCMP_SYS(clock_nanosleep),
    SCMP_SYS(restart_syscall), SCMP_SYS(futex), SCMP_SYS(sched_yield),
    // Signals that come.
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack),
    // Threads and their ends. A thread that reads names steps back behind all others.
    SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(exit), SCMP_SYS(exit_group),
    SCMP_SYS(setpriority), SCMP_SYS(ioprio_set), SCMP_SYS(wait4), SCMP_SYS(setitimer),
    // What time it is, where and who we are.
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(gettimeofday), SCMP_SYS(time),
    SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid),
    SCMP_SYS(getegid), SCMP_SYS(getrusage), SCMP_SYS(sched_getaffinity), SCMP_SYS(sysinfo),
    SCMP_SYS(uname), SCMP_SYS(getrandom), SCMP_SYS(getcpu)};

constexpr int kMemory[] = {SCMP_SYS(process_vm_readv)};

// Within the server's own root. A filter does not see openat2's flags: only here files that exist
// could be opened for writing, if they belong to dbtrace's own user.
constexpr int kFiles[] = {SCMP_SYS(openat2)};

// What was compressed is unpacked into a file that has no name.
constexpr int kCode[] = {SCMP_SYS(openat2), SCMP_SYS(memfd_create), SCMP_SYS(process_vm_readv)};

// Who writes one has it locked.
constexpr int kNewFiles[] = {SCMP_SYS(openat),    SCMP_SYS(rename), SCMP_SYS(renameat),
                             SCMP_SYS(renameat2), SCMP_SYS(unlink), SCMP_SYS(unlinkat),
                             SCMP_SYS(flock)};

// Of files that are open for writing: pages anywhere in them, and that they are on the disk.
constexpr int kDatabase[] = {SCMP_SYS(pwrite64), SCMP_SYS(fsync), SCMP_SYS(fdatasync),
                             SCMP_SYS(ftruncate), SCMP_SYS(fchmod)};

constexpr int kConnections[] = {SCMP_SYS(socket),      SCMP_SYS(connect),     SCMP_SYS(bind),
                                SCMP_SYS(sendto),      SCMP_SYS(sendmsg),     SCMP_SYS(sendmmsg),
                                SCMP_SYS(recvfrom),    SCMP_SYS(recvmsg),     SCMP_SYS(shutdown),
                                SCMP_SYS(getsockname), SCMP_SYS(getpeername), SCMP_SYS(getsockopt),
                                SCMP_SYS(setsockopt)};

// Who comes is answered; nobody is called on.
constexpr int kClients[] = {SCMP_SYS(accept4),   SCMP_SYS(recvfrom), SCMP_SYS(sendto),
                            SCMP_SYS(sendmsg),   SCMP_SYS(shutdown), SCMP_SYS(getsockopt),
                            SCMP_SYS(setsockopt)};

// Besides sockets of IP.
constexpr int kCollector[] = {SCMP_SYS(connect), SCMP_SYS(sendto), SCMP_SYS(recvfrom),
                              SCMP_SYS(getsockopt)};

// Threads that are started then give up capabilities of their own.
constexpr int kProbes[] = {
    SCMP_SYS(dup3),         SCMP_SYS(openat2),          SCMP_SYS(bpf),    SCMP_SYS(perf_event_open),
    SCMP_SYS(memfd_create), SCMP_SYS(process_vm_readv), SCMP_SYS(capget), SCMP_SYS(capset),
    SCMP_SYS(prlimit64)};

template <size_t Count>
void add(std::vector<AllowedCall>& calls, const int (&numbers)[Count]) {
  for (const int number : numbers) calls.push_back({number, {}});
}

// `number` where its argument, as an int, is one of these.
void add(std::vector<AllowedCall>& calls, int number, unsigned index,
         std::initializer_list<uint64_t> values) {
  for (const uint64_t value : values) calls.push_back({number, {{index, kInt, value & kInt}}});
}

// Calls that may do harm with other arguments than these.
void add_careful(std::vector<AllowedCall>& calls) {
  // Reading only.
  calls.push_back({SCMP_SYS(openat), {{2, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY}}});
  // Threads, and what finishes the removal of probes (src/attach/apart.h): a process under the same
  // filter. A filter does not see what clone3 is asked for: call_filter has it unknown.
  calls.push_back({SCMP_SYS(clone), {{0, CLONE_THREAD, CLONE_THREAD}}});
  calls.push_back({SCMP_SYS(clone), {{0, UINT64_MAX, CLONE_VM | CLONE_VFORK | CLONE_FILES}}});
  // Terminals and probes that go; not, for one, typing into a terminal (TIOCSTI).
  add(calls, SCMP_SYS(ioctl), 1,
      {TCGETS, TCSETS, TCSETSW, TCSETSF, TCGETS2, TCSETS2, TCSETSW2, TCSETSF2, TIOCGWINSZ, FIONREAD,
       PERF_EVENT_IOC_DISABLE});
  // Maps that are there are read, and what programs have cost.
  add(calls, SCMP_SYS(bpf), 0,
      {BPF_MAP_LOOKUP_ELEM, BPF_MAP_LOOKUP_BATCH, BPF_MAP_GET_NEXT_KEY, BPF_ITER_CREATE,
       BPF_OBJ_GET_INFO_BY_FD});
  add(calls, SCMP_SYS(prctl), 0, {PR_SET_NAME, PR_CAPBSET_READ, PR_CAPBSET_DROP, PR_CAP_AMBIENT});
  // Nobody but dbtrace itself: a crash, and Ctrl-Z for its whole job.
  add(calls, SCMP_SYS(tgkill), 0, {static_cast<uint64_t>(::getpid())});
  add(calls, SCMP_SYS(kill), 0, {0, static_cast<uint64_t>(::getpid())});
  // Limits are asked for only.
  calls.push_back({SCMP_SYS(prlimit64), {{2, UINT64_MAX, 0}}});
}

}  // namespace

std::vector<AllowedCall> allowed_calls(const Needs& needs) {
  std::vector<AllowedCall> calls;
  add(calls, kAlways);
  add_careful(calls);
  if (needs.memory) add(calls, kMemory);
  if (needs.files) add(calls, kFiles);
  if (needs.code) add(calls, kCode);
  if (needs.new_files) add(calls, kNewFiles);
  if (needs.database) add(calls, kDatabase);
  if (needs.connections) add(calls, kConnections);
  if (needs.clients) add(calls, kClients);
  if (needs.collector) {
    add(calls, kCollector);
    add(calls, SCMP_SYS(socket), 0, {AF_INET, AF_INET6});
  }
  if (needs.probes) {
    add(calls, kProbes);
    add(calls, SCMP_SYS(ioctl), 1, {PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_SET_BPF});
  }
  return calls;
}

}  // namespace dbtrace::sandbox
