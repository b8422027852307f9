#include "tests/unit/stacks/capture.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "symbols/unique.h"

namespace dbtrace::stacks::test {
namespace {

namespace fs = std::filesystem;

#if defined(__x86_64__)
using Registers = user_regs_struct;
constexpr size_t kStackPointer = 7;

void by_dwarf_number(const Registers& from, std::array<uint64_t, 33>& to) {
  const std::array<uint64_t, 17> numbered = {
      from.rax, from.rdx, from.rcx, from.rbx, from.rsi, from.rdi, from.rbp, from.rsp, from.r8,
      from.r9,  from.r10, from.r11, from.r12, from.r13, from.r14, from.r15, from.rip};
  std::ranges::copy(numbered, to.begin());
}
#elif defined(__aarch64__)
using Registers = user_regs_struct;
constexpr size_t kStackPointer = 31;

void by_dwarf_number(const Registers& from, std::array<uint64_t, 33>& to) {
  std::copy(std::begin(from.regs), std::end(from.regs), to.begin());
  to[31] = from.sp;
  to[32] = from.pc;
}
#endif

// A page at a time, as a read past the end of a mapping fails whole.
std::vector<std::byte> read_stack(pid_t thread, uint64_t address, size_t most) {
  constexpr uint64_t kPage = 4096;
  const UniqueFd memory(
      ::open(("/proc/" + std::to_string(thread) + "/mem").c_str(), O_RDONLY | O_CLOEXEC));
  std::vector<std::byte> bytes(most);
  size_t got = 0;
  while (got < most) {
    const size_t wanted = std::min<uint64_t>(most - got, kPage - (address + got) % kPage);
    const ssize_t more =
        ::pread(memory.get(), bytes.data() + got, wanted, static_cast<off_t>(address + got));
    if (more != static_cast<ssize_t>(wanted)) break;
    got += wanted;
  }
  bytes.resize(got);
  return bytes;
}

}  // namespace

std::optional<Captured> capture_stopped(pid_t thread, size_t most) {
  Registers registers{};
  iovec place{&registers, sizeof(registers)};
  if (::ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &place) != 0) return std::nullopt;
  Captured captured;
  by_dwarf_number(registers, captured.registers);
  captured.bytes = read_stack(thread, captured.registers[kStackPointer], most);
  return captured;
}

std::optional<Captured> capture(pid_t thread, size_t most) {
  const Stopped stopped(thread);
  return stopped.is_stopped() ? capture_stopped(thread, most) : std::nullopt;
}

Stopped::Stopped(pid_t thread) : thread_(thread) {
  is_stopped_ = ::ptrace(PTRACE_SEIZE, thread, nullptr, PTRACE_O_TRACESYSGOOD) == 0 &&
                ::ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr) == 0 && is_waited_for();
}

Stopped::~Stopped() { ::ptrace(PTRACE_DETACH, thread_, nullptr, nullptr); }

bool Stopped::go_on(int way) {
  return ::ptrace(static_cast<__ptrace_request>(way), thread_, nullptr, nullptr) == 0 &&
         is_waited_for();
}

long Stopped::system_call() const {
  __ptrace_syscall_info info{};
  if (::ptrace(PTRACE_GET_SYSCALL_INFO, thread_, sizeof(info), &info) <= 0) return -1;
  return info.op == PTRACE_SYSCALL_INFO_ENTRY ? static_cast<long>(info.entry.nr) : -1;
}

bool Stopped::is_waited_for() const {
  int status = 0;
  return ::waitpid(thread_, &status, __WALL) == thread_ && WIFSTOPPED(status);
}

std::vector<pid_t> threads_of(pid_t process) {
  std::vector<pid_t> threads;
  std::error_code error;
  for (const auto& entry :
       fs::directory_iterator("/proc/" + std::to_string(process) + "/task", error)) {
    threads.push_back(std::stoi(entry.path().filename()));
  }
  std::ranges::sort(threads);
  return threads;
}

}  // namespace dbtrace::stacks::test
