// Events as the kernel sends them, for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "bpf/budget_event.h"
#include "profiles/profile.h"

namespace dbtrace::stream {

// A stand-in for a server: one command of each kind that the decoder treats
// differently, one kind of file that it knows.
inline const profiles::Profile& profile() {
  static const profiles::Profile profile = [] {
    profiles::Profile result{};
    result.flavor = "mariadb";
    result.commands = {
        {3, "Query", profiles::TextRule::Packet, profiles::TextRule::Data32, true},
        {4, "FieldList", profiles::TextRule::PacketToNul, profiles::TextRule::Data32, false},
    };
    result.file_content = [](std::string_view folder, std::string_view name) {
      return name.ends_with(".ibd") ? std::string(folder) + "." + std::string(name) : std::string();
    };
    result.wait_event = [](std::string_view version, uint32_t number) {
      return profiles::WaitEventName{
          std::to_string(number >> 24),
          std::string(version) + "/" + std::to_string(number & 0xffffff)};
    };
    return result;
  }();
  return profile;
}

inline constexpr uint64_t kSession = 0x7f0000001000;
inline constexpr int64_t kClockOffset = 1'700'000'000'000'000'000;

struct CommandSpec {
  std::string database = "shop";
  std::string text = "select 1";
  uint16_t flags = DBT_HAS_CONNECTION | DBT_HAS_DATABASE | DBT_HAS_TEXT | DBT_HAS_ERROR;
  uint64_t connection = 7;
  uint8_t command = 3;
  uint32_t text_length = UINT32_MAX;  // UINT32_MAX: the text's own
  uint64_t start = 1000;
  uint64_t duration = 2500;
  uint32_t tid = 43;
};

inline std::vector<std::byte> bytes_of(const void* data, size_t size) {
  const auto* begin = static_cast<const std::byte*>(data);
  return {begin, begin + size};
}

inline std::vector<std::byte> command(const CommandSpec& spec = {}) {
  dbt_command_event event{};
  const size_t size = offsetof(dbt_command_event, data) + spec.database.size() + spec.text.size();
  event.header = {static_cast<uint32_t>(size), DBT_EVENT_COMMAND, 0};
  event.session = kSession;
  event.connection_id = spec.connection;
  event.start_ns = spec.start;
  event.duration_ns = spec.duration;
  event.rows_sent = 11;
  event.rows_examined = 12;
  event.tgid = 42;
  event.tid = spec.tid;
  event.error = 1146;
  event.text_length =
      spec.text_length == UINT32_MAX ? static_cast<uint32_t>(spec.text.size()) : spec.text_length;
  event.text_size = static_cast<uint32_t>(spec.text.size());
  event.flags = spec.flags;
  event.database_size = static_cast<uint8_t>(spec.database.size());
  event.command = spec.command;
  std::memcpy(event.data, spec.database.data(), spec.database.size());
  std::memcpy(event.data + spec.database.size(), spec.text.data(), spec.text.size());
  return bytes_of(&event, size);
}

inline std::vector<std::byte> session(std::string_view user, uint64_t connection = 7) {
  dbt_session_event event{};
  event.header = {sizeof(event), DBT_EVENT_SESSION, 0};
  event.session = kSession;
  event.connection_id = connection;
  event.tgid = 42;
  event.has_user = 1;
  event.user_size = static_cast<uint16_t>(user.size());
  std::memcpy(event.user, user.data(), user.size());
  event.has_host = 1;
  event.host_size = 0;
  return bytes_of(&event, sizeof(event));
}

inline std::vector<std::byte> tail(std::string_view text, uint64_t start = 1000,
                                   uint32_t tid = 43) {
  static dbt_tail_event event;
  event.header = {static_cast<uint32_t>(offsetof(dbt_tail_event, data) + text.size()),
                  DBT_EVENT_TAIL, 0};
  event.start_ns = start;
  event.tid = tid;
  event.size = static_cast<uint32_t>(text.size());
  std::memcpy(event.data, text.data(), text.size());
  return bytes_of(&event, event.header.size);
}

// A sound event without files; of the same command as command().
inline dbt_budget_event budget() {
  dbt_budget_event event{};
  event.sees_files = 1;
  event.header = {sizeof(event), DBT_EVENT_BUDGET, 0};
  event.start_ns = 1000;
  event.tid = 43;
  return event;
}

inline dbt_blocker_event blocker(std::string_view text = "update t set a = 1") {
  dbt_blocker_event event{};
  event.header = {sizeof(event), DBT_EVENT_BLOCKER, 0};
  event.start_ns = 1000;
  event.tid = 43;
  event.waited_ns = 700;
  event.cause = DBT_CAUSE_ROW_LOCK;
  event.blocker_tgid = 42;
  event.blocker_tid = 99;
  event.blocker_start_ns = 500;
  event.has_connection = 1;
  event.connection_id = 8;
  event.has_text = 1;
  event.text_length = event.text_size = static_cast<uint32_t>(text.size());
  std::memcpy(event.text, text.data(), text.size());
  std::memcpy(event.thread, "connection", 11);
  return event;
}

// Two waits, the lighter one first, of events 0x0a000001 and 0x03000000.
inline dbt_named_waits_event named_waits() {
  dbt_named_waits_event event{};
  event.header = {sizeof(event), DBT_EVENT_NAMED_WAITS, 0};
  event.start_ns = 1000;
  event.tid = 43;
  event.count = 2;
  event.waits[0] = {.ns = 100, .event = 0x0a000001, .waits = 3};
  event.waits[1] = {.ns = 600, .event = 0x03000000, .waits = 1};
  event.others_ns = 7;
  return event;
}

inline dbt_file_event file(uint32_t number, std::string_view folder, std::string_view name) {
  dbt_file_event event{};
  event.header = {sizeof(event), DBT_EVENT_FILE, 0};
  event.number = number;
  std::memcpy(event.folder, folder.data(), folder.size());
  std::memcpy(event.name, name.data(), name.size());
  return event;
}

inline dbt_io_event operation() {
  dbt_io_event event{};
  event.header = {sizeof(event), DBT_EVENT_IO, 0};
  event.start_ns = 1100;
  event.duration_ns = 30;
  event.offset = 16384;
  event.bytes = 512;
  event.command_start_ns = 1000;
  event.file = 5;
  event.tgid = 42;
  event.tid = 43;
  event.operation = DBT_FILE_WRITE;
  event.blocked = 1;
  std::memcpy(event.thread, "connection", 11);
  return event;
}

template <typename Event>
std::vector<std::byte> bytes_of(const Event& event) {
  return bytes_of(&event, sizeof(event));
}

}  // namespace dbtrace::stream
