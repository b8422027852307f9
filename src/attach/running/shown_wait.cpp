#include "src/attach/running/shown_wait.h"

#include <cstring>

#include "bpf/budget_event.h"
#include "src/attach/running/server_memory.h"
#include "src/attach/tracer.h"

namespace dbtrace::attach {

uint32_t shown_wait(const Plan& plan, uint32_t pid, uint64_t image) {
  return static_cast<uint32_t>(
      ServerMemory(pid).number(image, plan.kernel.report.wait).value_or(0));
}

void tell_with_wait(std::span<const TracedBinary> binaries, std::span<const std::byte> event,
                    const EventHandler& handler) {
  dbt_event_header header;
  std::memcpy(&header, event.data(), sizeof(header));
  if (header.kind != DBT_EVENT_COMMAND) return handler(event);
  dbt_command_event command;
  std::memcpy(&command, event.data(), offsetof(dbt_command_event, data));
  const Plan& plan = binaries[command.header.plan].plan;
  dbt_named_waits_event waits{};
  // A session that is idle waits for its client; that is no wait of a query.
  if (plan.kernel.report.wait.steps != 0 && command.command != plan.kernel.report.idle)
    waits.now = shown_wait(plan, command.tgid, command.session);
  if (waits.now != 0) {
    waits.header = {offsetof(dbt_named_waits_event, waits), DBT_EVENT_NAMED_WAITS,
                    command.header.plan};
    waits.start_ns = command.start_ns;
    waits.tid = command.tid;
    handler(std::as_bytes(std::span(&waits, 1)).first(waits.header.size));
  }
  handler(event);
}

}  // namespace dbtrace::attach
