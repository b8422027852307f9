#include "src/attach/timer.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "symbols/unique.h"

namespace dbtrace::attach {

Link attach_timer(const bpf_program* program, int core, uint32_t frequency) {
  perf_event_attr clock{};
  clock.type = PERF_TYPE_SOFTWARE;
  clock.size = sizeof(clock);
  clock.config = PERF_COUNT_SW_CPU_CLOCK;
  clock.freq = 1;
  clock.sample_freq = frequency;
  clock.exclude_idle = 1;
  UniqueFd event(
      static_cast<int>(::syscall(SYS_perf_event_open, &clock, -1, core, -1, PERF_FLAG_FD_CLOEXEC)));
  if (!event) return {};
  Link link(bpf_program__attach_perf_event(program, event.get()));
  if (link) {
    (void)event.take();  // the link closes it
    return link;
  }
  const int error = errno;
  event.reset();
  errno = error;
  return {};
}

}  // namespace dbtrace::attach
