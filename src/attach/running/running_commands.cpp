#include "src/attach/running/running_commands.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <cstring>
#include <ctime>
#include <set>
#include <utility>

#include "bpf/query_bpf.skel.h"
#include "src/attach/clock.h"
#include "src/attach/running/running_records.h"
#include "src/attach/running/shown_wait.h"
#include "src/attach/tracer.h"

namespace dbtrace::attach {
namespace {

// As bpf/state.bpf.h has them.
struct SessionKey {
  dbt_u64 session;
  dbt_u32 tgid;
  dbt_u32 pad;
};

}  // namespace

void RunningCommands::prepare(query_bpf& bpf, bool wanted, uint64_t least_ns, bool adopt) {
  bpf.rodata->running_for_ns = least_ns;
  bpf.rodata->running_wanted = wanted;
  for (bpf_program* program : {bpf.progs.running_commands, bpf.progs.thread_pointers})
    bpf_program__set_autoload(program, wanted);
  bpf_program__set_autoload(bpf.progs.adopt_commands, wanted && adopt);
}

Result<RunningCommands> RunningCommands::open(query_bpf& bpf) {
  RunningCommands running;
  running.bpf_ = &bpf;
  auto commands = TaskIterator::open(bpf.progs.running_commands);
  if (!commands) return tl::unexpected(commands.error());
  auto threads = TaskIterator::open(bpf.progs.thread_pointers);
  if (!threads) return tl::unexpected(threads.error());
  running.commands_ = std::move(*commands);
  running.threads_ = std::move(*threads);
  return running;
}

Result<void> RunningCommands::find_earlier(const std::vector<TracedBinary>& binaries,
                                           uint32_t max_text) {
  const auto bytes = threads_.read();
  if (!bytes) return tl::unexpected(bytes.error());
  binaries_ = binaries;
  std::vector<dbt_thread> threads(bytes->size() / sizeof(dbt_thread));
  if (!threads.empty())
    std::memcpy(threads.data(), bytes->data(), threads.size() * sizeof(dbt_thread));
  earlier_ = EarlierCommands(binaries, threads, max_text);
  return bpf_program__autoload(bpf_->progs.adopt_commands) ? adopt() : Result<void>();
}

Result<void> RunningCommands::adopt() const {
  for (const auto& [tid, command] : earlier_.threads())
    // What has no room is not watched.
    (void)bpf_map__update_elem(bpf_->maps.adopted, &tid, sizeof(tid), &command, sizeof(command),
                               BPF_ANY);
  const auto iterator = TaskIterator::open(bpf_->progs.adopt_commands);
  if (!iterator) return tl::unexpected(iterator.error());
  const auto walked = iterator->read();
  if (!walked) return tl::unexpected(walked.error());
  return {};
}

Result<void> RunningCommands::tell(const EventHandler& handler) {
  const auto bytes = commands_.read();
  if (!bytes) return tl::unexpected(bytes.error());
  const uint64_t now_ns = nanoseconds_of(CLOCK_MONOTONIC);
  const EventHandler with_wait = [&](std::span<const std::byte> event) {
    tell_with_wait(binaries_, event, handler);
  };
  std::set<SessionOfProcess> recorded;
  const EventHandler hand_on = [&](std::span<const std::byte> event) {
    dbt_command_event head;
    std::memcpy(&head, event.data(), offsetof(dbt_command_event, data));
    recorded.emplace(head.tgid, head.session);
    with_wait(event);
  };
  const EventHandler& record = earlier_.empty() ? with_wait : hand_on;
  each_running(*bytes, now_ns, record);
  if (bpf_->bss->parked_commands) tell_parked(now_ns, record);
  earlier_.tell(now_ns, bpf_->rodata->running_for_ns, recorded, with_wait);
  return {};
}

// Commands that no thread is at work on. One that is taken up or put aside while
// we look may be missed this once.
void RunningCommands::tell_parked(uint64_t now_ns, const EventHandler& handler) const {
  const int map = bpf_map__fd(bpf_->maps.parked);
  // Keys that go while they are walked over lead back to the first.
  uint32_t left = bpf_map__max_entries(bpf_->maps.parked);
  SessionKey key{}, next{};
  dbt_command_event record;
  for (bool first = true; left > 0 && bpf_map_get_next_key(map, first ? nullptr : &key, &next) == 0;
       first = false, --left) {
    key = next;
    if (bpf_map_lookup_elem(map, &key, &record) != 0) continue;
    const auto event = running_event(std::as_bytes(std::span(&record, 1)), now_ns);
    if (event.empty() || now_ns - record.start_ns < bpf_->rodata->running_for_ns) continue;
    handler(event);
  }
}

}  // namespace dbtrace::attach
