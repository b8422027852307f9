#include "src/attach/running/earlier_commands.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <optional>

#include "src/attach/clock.h"
#include "src/attach/running/server_memory.h"
#include "src/attach/running/shown_wait.h"
#include "src/attach/tracer.h"
#include "symbols/process_maps.h"

namespace dbtrace::attach {
namespace {

using profiles::Field;

const dbt_path& path_of(const Plan& plan, Field field) {
  return plan.fields.at(static_cast<size_t>(field)).path;
}

bool runs_file(uint32_t pid, const TracedBinary& binary) {
  struct stat ours {};
  struct stat theirs {};
  return ::fstat(binary.binary.get(), &ours) == 0 &&
         ::stat(("/proc/" + std::to_string(pid) + "/exe").c_str(), &theirs) == 0 &&
         ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

bool is_child(uint32_t pid, uint32_t parent) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  const std::string wanted = "PPid:\t" + std::to_string(parent);
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("PPid:")) return line == wanted;
  return false;
}

bool runs(uint32_t pid, const TracedBinary& binary) {
  if (!binary.pid) return runs_file(pid, binary);
  return binary.pid == pid || (binary.plan.profile->forks && is_child(pid, binary.pid));
}

// How often a thread has blocked.
uint64_t voluntary_switches(uint32_t pid, uint32_t tid) {
  std::ifstream status(fmt::format("/proc/{}/task/{}/status", pid, tid));
  constexpr std::string_view kName = "voluntary_ctxt_switches:";
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(kName)) return std::strtoull(line.c_str() + kName.size(), nullptr, 10);
  return 0;
}

// How far the image of a process lies from where it was linked to.
std::optional<uint64_t> find_image(uint32_t pid, const TracedBinary& binary) {
  struct stat file {};
  const auto maps = symbols::read_maps(pid);
  if (!maps || ::fstat(binary.binary.get(), &file) != 0) return std::nullopt;
  return symbols::load_bias(*maps, file.st_ino, *binary.plan.thread_session.image);
}

// Longer texts that end at a NUL are told to be this long: REPORTED_TEXT_MAX of
// bpf/report.bpf.h, which tells those that begin later.
constexpr size_t kTextMax = 64 * DBT_TEXT_INLINE;

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
    : attached_ns_(nanoseconds_of(CLOCK_MONOTONIC)),
      wall_offset_(nanoseconds_of(CLOCK_REALTIME) - attached_ns_) {
  std::map<uint32_t, std::optional<size_t>> binary_of;
  std::map<uint32_t, std::optional<uint64_t>> image_of;
  for (const dbt_thread& thread : threads) {
    const auto [entry, is_new] = binary_of.try_emplace(thread.tgid);
    if (is_new)
      for (size_t i = 0; i < binaries.size() && !entry->second; ++i)
        if (runs(thread.tgid, binaries[i])) entry->second = i;
    if (!entry->second) continue;
    const TracedBinary& binary = binaries[*entry->second];
    Place place{thread, &binary.plan, std::nullopt};
    if (binary.plan.thread_session.image) {
      // Children have their image where their parent has it.
      const uint32_t pid = binary.pid ? binary.pid : thread.tgid;
      const auto [image, is_first] = image_of.try_emplace(pid);
      if (is_first) image->second = find_image(pid, binary);
      place.image = image->second;
      if (!place.image || thread.tid != thread.tgid) continue;
    }
    const Identity identity = look(place);
    if (identity.text == 0) continue;
    Command command = read(place, static_cast<uint16_t>(*entry->second), identity, max_text);
    // What was read meanwhile belongs together when it is still the same command.
    if (look(place) == identity) commands_.push_back(command);
  }
}

std::map<uint32_t, dbt_adopted> EarlierCommands::threads() const {
  std::map<uint32_t, dbt_adopted> threads;
  for (const Command& command : commands_) {
    const Place& place = command.place;
    dbt_adopted& thread = threads[place.thread.tid];
    thread.start_ns = command.event.start_ns ? command.event.start_ns : DBT_ADOPTED_LONG_AGO;
    thread.tgid = place.thread.tgid;
    thread.plan = command.event.header.plan;
    if (!place.image) continue;
    thread.image = *place.image;
    thread.shows_waits = 1;
    thread.switches = voluntary_switches(place.thread.tgid, place.thread.tid);
    thread.wait_event = shown_wait(*place.plan, place.thread.tgid, *place.image);
  }
  return threads;
}

// A session has a text while it executes one, and at no other time.
EarlierCommands::Identity EarlierCommands::look(const Place& place) {
  Identity identity;
  const Plan& plan = *place.plan;
  const auto session = place.session();
  if (!session) return identity;
  const ServerMemory memory(place.thread.tgid);
  const auto text = memory.text(*session, path_of(plan, Field::QueryText), kTextMax);
  if (!text) return identity;
  const uint64_t seconds = memory.number(*session, path_of(plan, Field::StartSeconds)).value_or(0);
  const auto fraction = memory.number(*session, path_of(plan, Field::StartMicroseconds));
  identity.session = *session;
  identity.text = text->address;
  identity.length = text->length;
  identity.start_us = fraction ? plan.profile->epoch_us + seconds * 1'000'000 + *fraction : 0;
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

std::optional<uint64_t> EarlierCommands::Place::session() const {
  if (image) return image;
  const auto offset = plan->thread_session.offset;
  if (!offset) return std::nullopt;
  return ServerMemory(thread.tgid).pointer(thread.pointer + static_cast<uint64_t>(*offset));
}

EarlierCommands::Command EarlierCommands::read(const Place& place, uint16_t index,
                                               const Identity& identity, uint32_t max_text) const {
  const dbt_thread& thread = place.thread;
  const Plan& plan = *place.plan;
  const ServerMemory memory(thread.tgid);
  const uint64_t session = identity.session;
  const auto name = [&](Field field, size_t most) {
    return memory.name(session, path_of(plan, field), most);
  };
  Command command{place, identity, {}, {}};
  const auto connection =
      place.image ? thread.tgid : memory.number(session, path_of(plan, Field::ConnectionId));

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
    return recorded.contains({command.place.thread.tgid, command.identity.session}) ||
           look(command.place) != command.identity;
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
