#include "src/stream/decoder.h"

#include <cstring>
#include <functional>

namespace dbtrace::stream {
namespace {

// The part of a command event before its data: the data is of varying length.
constexpr size_t kCommandHead = offsetof(dbt_command_event, data);
constexpr size_t kTailHead = offsetof(dbt_tail_event, data);

// Copies the first `size` bytes of `bytes` into a zeroed T.
template <typename T>
T copy_head(std::span<const std::byte> bytes, size_t size) {
  T value;
  std::memset(&value, 0, size);
  std::memcpy(&value, bytes.data(), size);
  return value;
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <typename T>
std::optional<T> present(const dbt_command_event& event, uint16_t flag, T value) {
  return event.flags & flag ? std::optional<T>(value) : std::nullopt;
}

// Assigns in place, so that a string's memory is used again.
void assign(std::optional<std::string>& to, std::string_view from) {
  if (to)
    to->assign(from);
  else
    to.emplace(from);
}

std::optional<std::string> name(bool present, const uint8_t* bytes, uint16_t size) {
  if (!present) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(bytes), size);
}

}  // namespace

size_t Decoder::SessionHash::operator()(const SessionKey& key) const {
  return std::hash<uint64_t>()(key.session ^ (uint64_t{key.tgid} << 48));
}

Decoder::Decoder(std::vector<EventSource> sources) : sources_(std::move(sources)) {}

void Decoder::set_clock_offset(uint64_t nanoseconds) {
  constexpr int64_t kInexact_ns = 1'000'000;
  const auto change = static_cast<int64_t>(nanoseconds - clock_offset_);
  if (change > kInexact_ns || change < -kInexact_ns) clock_offset_ = nanoseconds;
}

const model::Query* Decoder::feed(std::span<const std::byte> event) {
  if (event.size() >= sizeof(dbt_event_header)) {
    const auto header = copy_head<dbt_event_header>(event, sizeof(dbt_event_header));
    if (header.size == event.size() && header.plan < sources_.size()) {
      switch (header.kind) {
        case DBT_EVENT_COMMAND:
          if (feed_command(event)) return &query_;
          break;
        case DBT_EVENT_SESSION:
          if (feed_session(event)) return nullptr;
          break;
        case DBT_EVENT_TAIL:
          if (feed_tail(event)) return nullptr;
          break;
        default:
          break;
      }
    }
  }
  ++malformed_;
  return nullptr;
}

bool Decoder::feed_session(std::span<const std::byte> bytes) {
  if (bytes.size() != sizeof(dbt_session_event)) return false;
  const auto event = copy_head<dbt_session_event>(bytes, sizeof(dbt_session_event));
  if (event.user_size > sizeof(event.user) || event.host_size > sizeof(event.host) ||
      event.ip_size > sizeof(event.ip))
    return false;
  // Sessions end without a sign; when far too many have gathered, those alive
  // lose their names until their server's kernel side tells them again.
  if (sessions_.size() >= kSessionsMax) sessions_.clear();
  Session& session = sessions_[{event.session, event.tgid}];
  session.connection_id = event.connection_id;
  session.user = name(event.has_user, event.user, event.user_size);
  session.host = name(event.has_host, event.host, event.host_size);
  session.ip = name(event.has_ip, event.ip, event.ip_size);
  return true;
}

bool Decoder::feed_tail(std::span<const std::byte> bytes) {
  if (bytes.size() < kTailHead) return false;
  const auto event = copy_head<dbt_tail_event>(bytes, kTailHead);
  if (event.size != bytes.size() - kTailHead || event.size > DBT_TAIL_MAX) return false;
  // A tail's command follows at once, unless it is lost: then tails gather.
  if (tails_.size() >= kTailsMax) tails_.clear();
  tails_[event.tid] = {event.start_ns, std::string(as_text(bytes.subspan(kTailHead)))};
  return true;
}

bool Decoder::feed_command(std::span<const std::byte> bytes) {
  if (bytes.size() < kCommandHead || bytes.size() > sizeof(dbt_command_event)) return false;
  const auto event = copy_head<dbt_command_event>(bytes, kCommandHead);
  const std::span<const std::byte> data = bytes.subspan(kCommandHead);
  if (size_t{event.database_size} + event.text_size != data.size() ||
      event.database_size > DBT_NAME_MAX || event.text_size > event.text_length)
    return false;

  const EventSource& source = sources_[event.header.plan];
  const profiles::Command* command = profiles::find_command(*source.profile, event.command);
  query_.start_ns = event.start_ns + clock_offset_;
  query_.duration_ns = event.duration_ns;
  query_.pid = event.tgid;
  query_.tid = event.tid;
  query_.flavor = source.profile->flavor;
  query_.command_id = event.command;
  query_.running = event.flags & DBT_IS_RUNNING;
  query_.start_known = !(event.flags & DBT_BEGAN_EARLIER) || event.start_ns != 0;
  query_.command = event.flags & DBT_BEGAN_EARLIER  ? ""
                   : event.flags & DBT_IS_STATEMENT ? model::kStatement
                   : command                        ? command->name
                                                    : "Unknown";
  query_.statement_id = event.id;
  query_.parent_id = event.parent_id;
  query_.children_ns = event.children_ns;
  query_.depth = event.depth;
  query_.connection_id = present(event, DBT_HAS_CONNECTION, event.connection_id);
  query_.rows_sent = present(event, DBT_HAS_ROWS_SENT, event.rows_sent);
  query_.rows_examined = present(event, DBT_HAS_ROWS_EXAMINED, event.rows_examined);
  query_.error = present(event, DBT_HAS_ERROR, event.error);
  if (event.flags & DBT_HAS_DATABASE)
    assign(query_.database, as_text(data.first(event.database_size)));
  else
    query_.database.reset();
  set_session(event);
  set_text(event, source, command, as_text(data.subspan(event.database_size)));
  return true;
}

void Decoder::set_session(const dbt_command_event& event) {
  const auto found = sessions_.find({event.session, event.tgid});
  // An address may be used again by another session: the id must agree.
  if (found == sessions_.end() || found->second.connection_id != event.connection_id) {
    query_.user.reset();
    query_.host.reset();
    query_.ip.reset();
    return;
  }
  query_.user = found->second.user;
  query_.host = found->second.host;
  query_.ip = found->second.ip;
}

void Decoder::set_text(const dbt_command_event& event, const EventSource& source,
                       const profiles::Command* command, std::string_view text) {
  query_.text.assign(text);
  query_.text_length = event.text_length;
  query_.text_state = event.flags & DBT_HAS_TEXT          ? model::TextState::Present
                      : event.flags & DBT_TEXT_UNREADABLE ? model::TextState::Unreadable
                                                          : model::TextState::None;
  if (event.flags & DBT_HAS_TAIL) {
    const auto tail = tails_.find(event.tid);
    if (tail != tails_.end()) {
      if (tail->second.start_ns == event.start_ns) query_.text += tail->second.text;
      tails_.erase(tail);
    }
  }
  const bool ends_at_nul = command && source.layout == profiles::PacketLayout::RawPacket &&
                           command->raw_packet == profiles::TextRule::PacketToNul;
  if (ends_at_nul && query_.text.find('\0') != std::string::npos) {
    query_.text.resize(query_.text.find('\0'));
    query_.text_length = query_.text.size();
  }
}

}  // namespace dbtrace::stream
