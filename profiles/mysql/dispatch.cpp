#include "profiles/mysql/family.h"

namespace dbtrace::profiles::mysql {
namespace {

// sql/sql_parse.h of MariaDB 10.6 and later: enum dispatch_command_return.
constexpr int8_t kWouldBlock = 2;
constexpr int8_t kNone = -1;

}  // namespace

std::vector<DispatchShape> dispatch_shapes() {
  return {
      // MySQL, Percona Server 5.7 and later.
      {.parameters = {"THD*", "COM_DATA const*", "enum_server_command"},
       .layout = PacketLayout::ComData,
       .command = 2,
       .session = 0,
       .packet = 1,
       .length = kNone,
       .suspended_result = kNone},
      // MariaDB 10.6 and later; the last parameter is `blocking`.
      {.parameters = {"enum_server_command", "THD*", "char*", "unsigned int", "bool"},
       .layout = PacketLayout::RawPacket,
       .command = 0,
       .session = 1,
       .packet = 2,
       .length = 3,
       .suspended_result = kWouldBlock},
      // MariaDB 10.2 to 10.5.
      {.parameters = {"enum_server_command", "THD*", "char*", "unsigned int", "bool", "bool"},
       .layout = PacketLayout::RawPacket,
       .command = 0,
       .session = 1,
       .packet = 2,
       .length = 3,
       .suspended_result = kNone},
      // MySQL 5.6, MariaDB up to 10.1.
      {.parameters = {"enum_server_command", "THD*", "char*", "unsigned int"},
       .layout = PacketLayout::RawPacket,
       .command = 0,
       .session = 1,
       .packet = 2,
       .length = 3,
       .suspended_result = kNone},
  };
}

}  // namespace dbtrace::profiles::mysql
