// enum enum_server_command: include/my_command.h of MySQL 5.7 and later,
// include/mysql_com.h of MySQL 5.6 and MariaDB.
//
// Row counters: those commands whose execution sets them to zero first
// (reset_for_next_command) and then may send rows. After any other command
// they still hold an earlier one's.
#include "profiles/mysql/family.h"

namespace dbtrace::profiles::mysql {
namespace {

using enum TextRule;

std::vector<Command> common() {
  return {
      {0, "Sleep", None, None, false},
      {1, "Quit", None, None, false},
      {2, "InitDb", Packet, Data64, false},
      {3, "Query", Packet, Data32, true},
      {4, "FieldList", PacketToNul, Data32, false},  // table, NUL, wildcard
      {5, "CreateDb", None, None, false},
      {6, "DropDb", None, None, false},
      {7, "Refresh", None, None, false},
      {8, "Shutdown", None, None, false},
      {9, "Statistics", None, None, false},
      {10, "ProcessInfo", None, None, false},
      {11, "Connect", None, None, false},
      {12, "ProcessKill", None, None, false},
      {13, "Debug", None, None, false},
      {14, "Ping", None, None, false},
      {15, "Time", None, None, false},
      {16, "DelayedInsert", None, None, false},
      {17, "ChangeUser", None, None, false, true},
      {18, "BinlogDump", None, None, false},
      {19, "TableDump", None, None, false},
      {20, "ConnectOut", None, None, false},
      {21, "RegisterSlave", None, None, false},
      {22, "Prepare", Packet, Data32, false},
      {23, "Execute", Statement, Statement, true, false, true},
      {24, "SendLongData", None, None, false},
      {25, "Close", None, None, false},
      {26, "Reset", None, None, false},
      {27, "SetOption", None, None, false},
      {28, "Fetch", None, None, true},
      {29, "Daemon", None, None, false},
      {31, "ResetConnection", None, None, false},
  };
}

std::vector<Command> common_and(const std::vector<Command>& own) {
  std::vector<Command> commands = common();
  commands.insert(commands.end(), own.begin(), own.end());
  return commands;
}

}  // namespace

std::vector<Command> commands_of_mysql() {
  return common_and({
      {30, "BinlogDumpGtid", None, None, false},
      {32, "Clone", None, None, false},
      {33, "SubscribeGroupReplicationStream", None, None, false},
  });
}

std::vector<Command> commands_of_mariadb() {
  return common_and({
      {250, "BulkExecute", Statement, Statement, true},
      // Replication threads show these as what they do; they are not sent.
      {251, "SlaveWorker", None, None, false},
      {252, "SlaveIo", None, None, false},
      {253, "SlaveSql", None, None, false},
      {254, "Multi", None, None, false},  // up to MariaDB 10.5
  });
}

}  // namespace dbtrace::profiles::mysql
