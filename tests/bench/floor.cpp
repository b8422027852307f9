// Attaches an empty entry/return pair to a server's dispatch function, where
// dbtrace would put its own (or, with --at-symbol, on the function's first
// instruction), until it is told to stop: what no tracer of commands can undercut. On a server
// without one, an empty program at each place that dbtrace would probe.
#include <bpf/libbpf.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "bpf/floor_bpf.skel.h"
#include "src/attach/plan.h"
#include "src/target/server.h"

namespace {

bool attach(bpf_program* program, const std::string& path, uint64_t offset, bool returns) {
  unsigned long offsets = offset;
  LIBBPF_OPTS(bpf_uprobe_multi_opts, options);
  options.offsets = &offsets;
  options.cnt = 1;
  options.retprobe = returns;
  return bpf_program__attach_uprobe_multi(program, -1, path.c_str(), nullptr, &options) != nullptr;
}

int fail(const std::string& message) {
  std::fprintf(stderr, "floor: %s\n", message.c_str());
  return 1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return fail("usage: floor PID [--at-symbol]");
  const bool at_symbol = count > 2 && std::strcmp(arguments[2], "--at-symbol") == 0;

  const auto server =
      dbtrace::target::server_of_process(static_cast<uint32_t>(std::atoi(arguments[1])));
  if (!server) return fail(server.error().message);
  auto finder = dbtrace::target::open_symbols(*server);
  if (!finder) return fail(finder.error().message);
  const auto plan = dbtrace::attach::make_plan(*finder, *server->profile);
  if (!plan) return fail(plan.error().message);
  const dbtrace::attach::ProbePoint& point = plan->points.front();
  const uint64_t offset = point.offset - (at_symbol ? point.placement.delta : 0);

  floor_bpf* bpf = floor_bpf__open_and_load();
  if (bpf == nullptr) return fail("cannot load the BPF programs");
  if (point.program == dbtrace::attach::ProbePoint::Program::CommandBegin) {
    if (!attach(bpf->progs.empty_begin, server->attach_path, offset, false) ||
        !attach(bpf->progs.empty_end, server->attach_path, offset, true))
      return fail("cannot attach");
  } else {
    for (const dbtrace::attach::ProbePoint& each : plan->points)
      if (!attach(bpf->progs.empty_begin, server->attach_path, each.offset, false))
        return fail("cannot attach");
  }
  std::fprintf(stderr, "attached\n");

  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGINT);
  sigaddset(&stop, SIGTERM);
  sigprocmask(SIG_BLOCK, &stop, nullptr);
  int received = 0;
  sigwait(&stop, &received);
  return 0;  // the links go with the process
}
