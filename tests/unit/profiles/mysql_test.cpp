// The profiles are data; these are the rules that the data keeps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "profiles/profile.h"

namespace dbtrace::profiles {
namespace {

using ::testing::ElementsAre;

const Profile& profile(std::string_view flavor) {
  for (const Profile& each : all()) {
    if (each.flavor == flavor) return each;
  }
  throw std::runtime_error("no such profile");
}

// The profiles of this family.
std::vector<Profile> family() {
  std::vector<Profile> profiles;
  for (const Profile& each : all())
    if (each.dispatch == "dispatch_command") profiles.push_back(each);
  return profiles;
}

const DispatchShape* shape(const Profile& of, const std::vector<std::string_view>& parameters) {
  for (const DispatchShape& each : of.shapes) {
    if (each.parameters == parameters) return &each;
  }
  return nullptr;
}

TEST(Profiles, MariaDbIsAskedFirst) {
  // Its binaries have MySQL's marker as well.
  ASSERT_EQ(family().size(), 2u);
  EXPECT_EQ(all()[0].flavor, "mariadb");
  EXPECT_EQ(all()[1].flavor, "mysql");
}

TEST(Profiles, FieldsHaveNames) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < kFieldCount; ++i) names.insert(field_name(static_cast<Field>(i)));
  EXPECT_EQ(names.size(), kFieldCount);
  EXPECT_FALSE(names.contains(""));
}

TEST(Profiles, ComDataShape) {
  const DispatchShape* found =
      shape(profile("mysql"), {"THD*", "COM_DATA const*", "enum_server_command"});
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->layout, PacketLayout::ComData);
  EXPECT_EQ(found->session, 0);
  EXPECT_EQ(found->packet, 1);
  EXPECT_EQ(found->command, 2);
  EXPECT_EQ(found->length, -1);
  EXPECT_EQ(found->suspended_result, -1);
}

TEST(Profiles, RawPacketShapes) {
  std::vector<std::string_view> parameters = {"enum_server_command", "THD*", "char*",
                                              "unsigned int"};
  // MySQL 5.6; MariaDB from 10.6 on; MariaDB up to 10.5.
  for (const int suspended : {-1, 2, -1}) {
    const DispatchShape* found = shape(profile("mariadb"), parameters);
    ASSERT_NE(found, nullptr) << parameters.size() << " parameters";
    EXPECT_EQ(found->layout, PacketLayout::RawPacket);
    EXPECT_EQ(found->command, 0);
    EXPECT_EQ(found->session, 1);
    EXPECT_EQ(found->packet, 2);
    EXPECT_EQ(found->length, 3);
    EXPECT_EQ(found->suspended_result, suspended);
    parameters.push_back("bool");
  }
  EXPECT_EQ(shape(profile("mariadb"), parameters), nullptr);
}

TEST(Profiles, EveryFlavourAcceptsEveryShape) {
  for (const Profile& each : family()) EXPECT_EQ(each.shapes.size(), 4u) << each.flavor;
}

TEST(Profiles, ArgumentPositionsAreOfTheShapesOwnParameters) {
  for (const Profile& each : family()) {
    for (const DispatchShape& of : each.shapes) {
      const int count = static_cast<int>(of.parameters.size());
      for (const int position : {of.command, of.session, of.packet, of.length}) {
        EXPECT_LT(position, count);
      }
      EXPECT_EQ(of.parameters.at(of.session), "THD*");
      EXPECT_EQ(of.parameters.at(of.command), "enum_server_command");
    }
  }
}

TEST(Profiles, CommandsOfTheProtocol) {
  struct Expected {
    uint8_t id;
    std::string_view name;
    TextRule raw, com_data;
    bool rows;
  };
  for (const Profile& each : family()) {
    for (const Expected& expected :
         {Expected{2, "InitDb", TextRule::Packet, TextRule::Data64, false},
          Expected{3, "Query", TextRule::Packet, TextRule::Data32, true},
          Expected{4, "FieldList", TextRule::PacketToNul, TextRule::Data32, false},
          Expected{14, "Ping", TextRule::None, TextRule::None, false},
          Expected{17, "ChangeUser", TextRule::None, TextRule::None, false},
          Expected{22, "Prepare", TextRule::Packet, TextRule::Data32, false},
          Expected{23, "Execute", TextRule::Statement, TextRule::Statement, true},
          Expected{28, "Fetch", TextRule::None, TextRule::None, true},
          Expected{31, "ResetConnection", TextRule::None, TextRule::None, false}}) {
      const Command* command = find_command(each, expected.id);
      ASSERT_NE(command, nullptr) << each.flavor << " " << int{expected.id};
      EXPECT_EQ(command->name, expected.name);
      EXPECT_EQ(command->raw_packet, expected.raw) << command->name;
      EXPECT_EQ(command->com_data, expected.com_data) << command->name;
      EXPECT_EQ(command->has_rows, expected.rows) << command->name;
    }
  }
}

TEST(Profiles, CommandsOfOneServerOnly) {
  ASSERT_NE(find_command(profile("mariadb"), 250), nullptr);
  EXPECT_EQ(find_command(profile("mariadb"), 250)->name, "BulkExecute");
  EXPECT_EQ(find_command(profile("mariadb"), 250)->raw_packet, TextRule::Statement);
  EXPECT_EQ(find_command(profile("mysql"), 250), nullptr);
  ASSERT_NE(find_command(profile("mysql"), 32), nullptr);
  EXPECT_EQ(find_command(profile("mysql"), 32)->name, "Clone");
  EXPECT_EQ(find_command(profile("mariadb"), 32), nullptr);
  EXPECT_EQ(find_command(profile("mysql"), 99), nullptr);
}

TEST(Profiles, OnlyChangeUserChangesTheUser) {
  for (const Profile& each : family()) {
    for (const Command& command : each.commands) {
      EXPECT_EQ(command.changes_user, command.name == "ChangeUser") << command.name;
    }
  }
}

TEST(Profiles, CommandNumbersAndNamesAreUnique) {
  for (const Profile& each : family()) {
    std::set<uint8_t> ids;
    std::set<std::string_view> names;
    for (const Command& command : each.commands) {
      EXPECT_TRUE(ids.insert(command.id).second) << command.name;
      EXPECT_TRUE(names.insert(command.name).second) << command.name;
    }
  }
}

TEST(Profiles, EveryFieldHasARule) {
  for (const Profile& each : family()) {
    std::set<Field> fields;
    for (const FieldRule& rule : each.fields) fields.insert(rule.field);
    // MySQL keeps the start in one number.
    if (each.flavor == "mysql") {
      EXPECT_TRUE(fields.insert(Field::StartSeconds).second);
    }
    // Servers that report have these.
    for (const Field other : {Field::Application, Field::QueryId, Field::CompletedRows,
                              Field::TransactionState, Field::WaitEvent})
      EXPECT_TRUE(fields.insert(other).second) << field_name(other);
    EXPECT_EQ(fields.size(), kFieldCount) << each.flavor;
  }
}

TEST(Profiles, RulesSayWhatTheyNeed) {
  for (const Profile& each : family()) {
    for (const FieldRule& rule : each.fields) {
      std::vector<Step> steps = rule.steps;
      steps.insert(steps.end(), rule.minus.begin(), rule.minus.end());
      ASSERT_FALSE(rule.steps.empty()) << field_name(rule.field);
      for (const Step& step : steps) {
        EXPECT_FALSE(step.function.empty());
        EXPECT_EQ(step.callee.empty(), step.take != Take::CallArgument) << step.function;
        EXPECT_GE(step.argument, 0) << step.function;
      }
    }
  }
}

TEST(Profiles, PreparedStatementsAreEnteredHere) {
  EXPECT_THAT(profile("mysql").statement_execution,
              ElementsAre("Prepared_statement::execute_loop"));
  EXPECT_THAT(
      profile("mariadb").statement_execution,
      ElementsAre("Prepared_statement::execute_loop", "Prepared_statement::execute_bulk_loop"));
}

}  // namespace
}  // namespace dbtrace::profiles
