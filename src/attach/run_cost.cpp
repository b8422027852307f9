#include "src/attach/run_cost.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <cerrno>
#include <string_view>

#include "src/attach/preflight.h"
#include "src/attach/program_runs.h"

namespace dbtrace::attach {

RunCost& RunCost::operator+=(const RunCost& other) {
  ns += other.ns;
  entries += other.entries;
  stepped += other.stepped;
  returns += other.returns;
  return *this;
}

RunCost& RunCost::operator-=(const RunCost& earlier) {
  ns -= earlier.ns;
  entries -= earlier.entries;
  stepped -= earlier.stepped;
  returns -= earlier.returns;
  return *this;
}

Result<RunCounting> RunCounting::begin() {
  RunCounting counting;
  const int fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
  if (fd < 0) return tl::unexpected(explain_failure("cannot have the kernel count", errno));
  counting.counting_ = UniqueFd(fd);
  return counting;
}

Result<RunCost> runs_of(const bpf_object* object) {
  RunCost cost;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object) {
    const std::string_view section = bpf_program__section_name(program);
    if (!bpf_program__autoload(program) || section.starts_with("iter/")) continue;
    bpf_prog_info info{};
    uint32_t size = sizeof(info);
    if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) != 0)
      return tl::unexpected(explain_failure("cannot ask the kernel what its programs cost", errno));
    cost.ns += info.run_time_ns;
    if (section.starts_with("uprobe")) cost.entries += info.run_cnt;
    if (section.starts_with("uretprobe")) cost.returns += info.run_cnt;
  }
  return cost;
}

}  // namespace dbtrace::attach
