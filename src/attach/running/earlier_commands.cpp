#include "src/attach/running/earlier_commands.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <map>
#include <optional>

#include "src/attach/clock.h"
#include "src/attach/running/server_memory.h"
#include "src/attach/tracer.h"

namespace dbtrace::attach {
namespace {

using profiles::Field;

const dbt_path& path_of(const Plan& plan, Field field) {
  return plan.fields.at(static_cast<size_t>(field)).path;
}

bool runs(uint32_t pid, const TracedBinary& binary) {
  if (binary.pid) return binary.pid == pid;
  struct stat ours {};
  struct stat theirs {};
  return ::fstat(binary.binary.get(), &ours) == 0 &&
         ::stat(("/proc/" + std::to_string(pid) + "/exe").c_str(), &theirs) == 0 &&
         ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

template <typename Size>
dbt_u8 put(const std::optional<std::string>& name, dbt_u8* to, Size& size) {
  size = static_cast<Size>(name ? name->size() : 0);
  if (name) std::ranges::copy(*name, to);
  return name.has_value();
}

template <typename Event>
std::span<const std::byte> as_event(const Event& event) {
  return std::as_bytes(std::span(&event, 1)).first(event.header.size);
}

}  // namespace

EarlierCommands::EarlierCommands(const std::vector<TracedBinary>& binaries,
                                 std::span<const dbt_thread> threads, uint32_t max_text)
    : attached_ns_(now_of(CLOCK_MONOTONIC)), wall_offset_(now_of(CLOCK_REALTIME) - attached_ns_) {
  std::map<uint32_t, std::optional<size_t>> binary_of;
  for (const dbt_thread& thread : threads) {
    const auto [entry, is_new] = binary_of.try_emplace(thread.tgid);
    if (is_new)
      for (size_t i = 0; i < binaries.size() && !entry->second; ++i)
        if (runs(thread.tgid, binaries[i])) entry->second = i;
    if (!entry->second) continue;
    const Plan& plan = binaries[*entry->second].plan;
    if (!plan.thread_session.offset) continue;
    const Identity identity = look(thread, plan);
    if (identity.text == 0) continue;
    Command command = read(thread, plan, static_cast<uint16_t>(*entry->second), identity, max_text);
    // What was read meanwhile belongs together when it is still the same command.
    if (look(thread, plan) == identity) commands_.push_back(command);
  }
}

std::map<uint32_t, dbt_adopted> EarlierCommands::threads() const {
  std::map<uint32_t, dbt_adopted> threads;
  for (const Command& command : commands_)
    threads[command.thread.tid] = {
        .start_ns = command.event.start_ns ? command.event.start_ns : DBT_ADOPTED_LONG_AGO,
        .tgid = command.thread.tgid,
        .plan = command.event.header.plan,
        .pad = 0};
  return threads;
}

// A session has a text while it executes one, and at no other time.
EarlierCommands::Identity EarlierCommands::look(const dbt_thread& thread, const Plan& plan) {
  Identity identity;
  const ServerMemory memory(thread.tgid);
  const auto session =
      memory.pointer(thread.pointer + static_cast<uint64_t>(*plan.thread_session.offset));
  if (!session) return identity;
  const auto text = memory.text(*session, path_of(plan, Field::QueryText));
  if (!text) return identity;
  const uint64_t seconds = memory.number(*session, path_of(plan, Field::StartSeconds)).value_or(0);
  const auto fraction = memory.number(*session, path_of(plan, Field::StartMicroseconds));
  identity.session = *session;
  identity.text = text->address;
  identity.length = text->length;
  identity.start_us = fraction ? seconds * 1'000'000 + *fraction : 0;
  return identity;
}

// 0 when it cannot be: what was decoded is not the time, or the session has been
// told another one.
uint64_t EarlierCommands::monotonic_start(uint64_t start_us) const {
  const uint64_t now_us = (attached_ns_ + wall_offset_) / 1000;
  const uint64_t booted_us = wall_offset_ / 1000;
  if (start_us <= booted_us || start_us > now_us) return 0;
  return start_us * 1000 - wall_offset_;
}

EarlierCommands::Command EarlierCommands::read(const dbt_thread& thread, const Plan& plan,
                                               uint16_t index, const Identity& identity,
                                               uint32_t max_text) const {
  const ServerMemory memory(thread.tgid);
  const uint64_t session = identity.session;
  const auto name = [&](Field field, size_t most) {
    return memory.name(session, path_of(plan, field), most);
  };
  Command command{thread, &plan, identity, {}, {}};
  const auto connection = memory.number(session, path_of(plan, Field::ConnectionId));

  dbt_session_event& who = command.session;
  who.header = {sizeof(who), DBT_EVENT_SESSION, index};
  who.session = session;
  who.connection_id = connection.value_or(0);
  who.tgid = thread.tgid;
  who.has_user = put(name(Field::User, DBT_NAME_MAX), who.user, who.user_size);
  who.has_host = put(name(Field::Host, DBT_HOST_MAX), who.host, who.host_size);
  who.has_ip = put(name(Field::Ip, DBT_IP_MAX), who.ip, who.ip_size);

  dbt_command_event& event = command.event;
  event.session = session;
  event.connection_id = who.connection_id;
  event.start_ns = monotonic_start(identity.start_us);
  event.tgid = thread.tgid;
  event.tid = thread.tid;
  event.flags = DBT_IS_RUNNING | DBT_BEGAN_EARLIER;
  if (connection) event.flags |= DBT_HAS_CONNECTION;
  if (put(name(Field::Database, DBT_NAME_MAX), event.data, event.database_size))
    event.flags |= DBT_HAS_DATABASE;
  event.text_length = static_cast<dbt_u32>(std::min<uint64_t>(identity.length, UINT32_MAX));
  event.text_size = std::min({event.text_length, max_text, dbt_u32{DBT_TEXT_INLINE}});
  if (memory.read(identity.text, event.data + event.database_size, event.text_size)) {
    event.flags |= DBT_HAS_TEXT;
  } else {
    event.flags |= DBT_TEXT_UNREADABLE;
    event.text_size = 0;
  }
  event.header = {static_cast<dbt_u32>(offsetof(dbt_command_event, data)) + event.database_size +
                      event.text_size,
                  DBT_EVENT_COMMAND, index};
  return command;
}

void EarlierCommands::tell(uint64_t now_ns, uint64_t least_ns,
                           const std::set<SessionOfProcess>& recorded,
                           const EventHandler& handler) {
  std::erase_if(commands_, [&](const Command& command) {
    return recorded.contains({command.thread.tgid, command.identity.session}) ||
           look(command.thread, *command.plan) != command.identity;
  });
  for (Command& command : commands_) {
    const uint64_t start_ns = command.event.start_ns;
    if (now_ns - (start_ns ? start_ns : attached_ns_) < least_ns) continue;
    command.event.duration_ns = start_ns ? now_ns - start_ns : 0;
    handler(as_event(command.session));
    handler(as_event(command.event));
  }
}

}  // namespace dbtrace::attach
