#include "profiles/profile.h"

#include <algorithm>
#include <utility>

#include "profiles/mysql/family.h"
#include "profiles/postgres/postgres.h"
#include "profiles/user_profile.h"

namespace dbtrace::profiles {

std::string_view field_name(Field field) {
  switch (field) {
    case Field::ConnectionId:
      return "connection id";
    case Field::User:
      return "user";
    case Field::Host:
      return "host";
    case Field::Ip:
      return "ip";
    case Field::Database:
      return "database";
    case Field::RowsSent:
      return "rows sent";
    case Field::RowsExamined:
      return "rows examined";
    case Field::ErrorNumber:
      return "error number";
    case Field::StatementText:
      return "statement text";
    case Field::QueryText:
      return "query text";
    case Field::StartSeconds:
      return "start, seconds";
    case Field::StartMicroseconds:
      return "start, microsec.";
    case Field::Application:
      return "application";
    case Field::QueryId:
      return "query id";
    case Field::CompletedRows:
      return "rows completed";
    case Field::TransactionState:
      return "transaction";
    case Field::WaitEvent:
      return "wait event";
  }
  return "";
}

std::span<const Profile> built_in() {
  // MariaDB's binaries contain MySQL's marker too.
  static const std::vector<Profile> profiles = {mysql::mariadb(), mysql::mysql(),
                                                postgres::postgres()};
  return profiles;
}

namespace {

std::vector<Profile>& known() {
  static std::vector<Profile> profiles(built_in().begin(), built_in().end());
  return profiles;
}

}  // namespace

std::span<const Profile> all() { return known(); }

void add(Profile profile) { known().insert(known().begin(), std::move(profile)); }

const Command* find_command(const Profile& profile, uint8_t id) {
  const auto command = std::ranges::find(profile.commands, id, &Command::id);
  return command == profile.commands.end() ? nullptr : &*command;
}

}  // namespace dbtrace::profiles
