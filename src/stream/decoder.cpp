#include "src/stream/decoder.h"

#include <functional>

#include "bpf/budget_event.h"
#include "src/stream/bytes.h"

namespace dbtrace::stream {
namespace {

// The part of a command event before its data: the data is of varying length.
constexpr size_t kCommandHead = offsetof(dbt_command_event, data);

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

// profiles::ErrorForm::Sqlstate
std::string sqlstate_of(uint32_t error) {
  std::string text(5, '0');
  for (char& c : text) {
    c = static_cast<char>('0' + (error & 0x3f));
    error >>= 6;
  }
  return text;
}

}  // namespace

size_t Decoder::SessionHash::operator()(const SessionKey& key) const {
  return std::hash<uint64_t>()(key.session ^ (uint64_t{key.tgid} << 48));
}

Decoder::Decoder(std::vector<EventSource> sources, size_t most)
    : sources_(std::move(sources)), most_sessions_(most), files_(most) {}

void Decoder::set_clock_offset(uint64_t nanoseconds) {
  constexpr int64_t kInexact_ns = 1'000'000;
  const auto change = static_cast<int64_t>(nanoseconds - clock_offset_);
  if (change > kInexact_ns || change < -kInexact_ns) clock_offset_ = nanoseconds;
}

const model::Query* Decoder::feed(std::span<const std::byte> event) {
  has_query_ = has_operation_ = false;
  if (!feed_checked(event)) ++malformed_;
  return has_query_ ? &query_ : nullptr;
}

bool Decoder::feed_checked(std::span<const std::byte> event) {
  if (event.size() < sizeof(dbt_event_header)) return false;
  const auto header = copy_head<dbt_event_header>(event);
  if (header.size != event.size() || header.plan >= sources_.size()) return false;
  switch (header.kind) {
    case DBT_EVENT_COMMAND:
      return has_query_ = feed_command(event);
    case DBT_EVENT_SESSION:
      return feed_session(event);
    case DBT_EVENT_TAIL:
      return annexes_.feed_tail(event);
    case DBT_EVENT_BUDGET:
      return annexes_.feed_budget(event);
    case DBT_EVENT_BLOCKER:
      return annexes_.feed_blocker(event, sources_[header.plan]);
    case DBT_EVENT_NAMED_WAITS:
      return annexes_.feed_waits(event);
    case DBT_EVENT_FILE:
      return files_.feed(event, sources_[header.plan]);
    case DBT_EVENT_IO:
      return has_operation_ = feed_operation(event);
    default:
      return false;
  }
}

bool Decoder::feed_session(std::span<const std::byte> bytes) {
  if (bytes.size() != sizeof(dbt_session_event)) return false;
  const auto event = copy_head<dbt_session_event>(bytes);
  if (event.user_size > sizeof(event.user) || event.host_size > sizeof(event.host) ||
      event.ip_size > sizeof(event.ip) || event.application_size > sizeof(event.application))
    return false;
  // Sessions end without a sign; when far too many have gathered, those alive
  // lose their names until their server's kernel side tells them again.
  if (sessions_.size() >= most_sessions_) sessions_.clear();
  Session& session = sessions_[{event.session, event.tgid}];
  session.connection_id = event.connection_id;
  session.user = name(event.has_user, event.user, event.user_size);
  session.host = name(event.has_host, event.host, event.host_size);
  session.ip = name(event.has_ip, event.ip, event.ip_size);
  session.application = name(event.has_application, event.application, event.application_size);
  return true;
}

bool Decoder::feed_operation(std::span<const std::byte> bytes) {
  if (bytes.size() != sizeof(dbt_io_event)) return false;
  const auto event = copy_head<dbt_io_event>(bytes);
  if (event.operation >= DBT_FILE_OPERATIONS) return false;
  operation_.start_ns = event.start_ns + clock_offset_;
  operation_.duration_ns = event.duration_ns;
  operation_.operation = static_cast<model::FileOperation>(event.operation);
  operation_.file = files_.find(event.file);
  operation_.offset = event.offset == ~uint64_t{0} ? std::nullopt : std::optional(event.offset);
  operation_.bytes = event.bytes;
  operation_.error = event.error;
  operation_.blocked = event.blocked != 0;
  operation_.asynchronous = event.asynchronous != 0;
  operation_.pid = event.tgid;
  operation_.tid = event.tid;
  operation_.thread = as_name(event.thread);
  operation_.command_start_ns = event.command_start_ns == 0
                                    ? std::nullopt
                                    : std::optional(event.command_start_ns + clock_offset_);
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
  query_.kind = event.kind;
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
  query_.sqlstate.clear();
  if (source.profile->error_form == profiles::ErrorForm::Sqlstate && query_.error.value_or(0) != 0)
    query_.sqlstate = sqlstate_of(event.error);
  query_.query_id = present(event, DBT_HAS_QUERY_ID, static_cast<int64_t>(event.query_id));
  query_.process_ended = event.flags & DBT_PROCESS_ENDED;
  if (event.flags & DBT_HAS_DATABASE)
    assign(query_.database, as_text(data.first(event.database_size)));
  else
    query_.database.reset();
  set_session(event);
  set_text(event, source, command, as_text(data.subspan(event.database_size)));
  annexes_.add_budget(event, files_, query_);
  annexes_.add_waits(event, source, query_);
  return true;
}

void Decoder::set_session(const dbt_command_event& event) {
  const auto found = sessions_.find({event.session, event.tgid});
  // An address may be used again by another session: the id must agree.
  if (found == sessions_.end() || found->second.connection_id != event.connection_id) {
    query_.user.reset();
    query_.host.reset();
    query_.ip.reset();
    query_.application.reset();
    return;
  }
  query_.user = found->second.user;
  query_.host = found->second.host;
  query_.ip = found->second.ip;
  query_.application = found->second.application;
}

void Decoder::set_text(const dbt_command_event& event, const EventSource& source,
                       const profiles::Command* command, std::string_view text) {
  query_.text.assign(text);
  query_.text_length = event.text_length;
  query_.text_state = event.flags & DBT_HAS_TEXT          ? model::TextState::Present
                      : event.flags & DBT_TEXT_UNREADABLE ? model::TextState::Unreadable
                                                          : model::TextState::None;
  annexes_.add_tail(event, query_);
  const bool ends_at_nul = command && source.layout == profiles::PacketLayout::RawPacket &&
                           command->raw_packet == profiles::TextRule::PacketToNul;
  if (ends_at_nul && query_.text.find('\0') != std::string::npos) {
    query_.text.resize(query_.text.find('\0'));
    query_.text_length = query_.text.size();
  }
}

}  // namespace dbtrace::stream
