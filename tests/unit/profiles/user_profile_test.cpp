#include "profiles/user_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace dbtrace::profiles {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kGood = R"(
# a comment
base = mysql
flavor = acmesql
title = AcmeSQL
executable = acmed
  executable   =  acmed-debug
dispatch = acme::run
shape = Session*, COM_DATA const*, enum_server_command, bool : session data command -
shape = int, Session*, char*, unsigned int : command session packet length
execution = Acme_statement::run
statement = acme_execute
rename THD::set_sent_row_count = Session::set_sent
field connection id = acme_id
field user = acme_user
)";

TEST(UserProfile, ChangesItsBase) {
  const auto profile = parse_profile(kGood, "acme.profile");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->flavor, "acmesql");
  EXPECT_EQ(profile->title, "AcmeSQL");
  EXPECT_EQ(profile->dispatch, "acme::run");
  EXPECT_EQ(profile->statement, "acme_execute");
  EXPECT_EQ(profile->version_symbol, "server_version");
  EXPECT_THAT(profile->executables, ElementsAre("acmed", "acmed-debug"));
  EXPECT_THAT(profile->statement_execution, ElementsAre("Acme_statement::run"));
  EXPECT_EQ(profile->commands.size(), built_in()[1].commands.size());

  ASSERT_EQ(profile->shapes.size(), built_in()[1].shapes.size() + 2);
  const DispatchShape& data = *(profile->shapes.end() - 2);
  EXPECT_THAT(data.parameters,
              ElementsAre("Session*", "COM_DATA const*", "enum_server_command", "bool"));
  EXPECT_EQ(data.layout, PacketLayout::ComData);
  EXPECT_EQ(data.session, 0);
  EXPECT_EQ(data.packet, 1);
  EXPECT_EQ(data.command, 2);
  EXPECT_EQ(data.length, -1);
  const DispatchShape& raw = profile->shapes.back();
  EXPECT_EQ(raw.layout, PacketLayout::RawPacket);
  EXPECT_EQ(raw.command, 0);
  EXPECT_EQ(raw.session, 1);
  EXPECT_EQ(raw.packet, 2);
  EXPECT_EQ(raw.length, 3);

  for (const FieldRule& rule : profile->fields) {
    EXPECT_NE(rule.steps.front().function, "THD::set_sent_row_count");
    if (rule.field == Field::ConnectionId) {
      EXPECT_EQ(rule.steps.front().function, "acme_id");
      EXPECT_EQ(rule.form, Form::Number);
    }
    if (rule.field == Field::User) {
      EXPECT_EQ(rule.steps.front().function, "acme_user");
      EXPECT_EQ(rule.form, Form::Text);
    }
  }
}

struct Wrong {
  std::string text;
  std::string message;
};

TEST(UserProfile, IsRefusedWithLineAndReason) {
  const std::string start = "base = mysql\nflavor = acme\ndispatch = run\n";
  for (const Wrong& wrong : std::vector<Wrong>{
           {"", "x: it has no base"},
           {"flavor = acme", "x:1: the first line must be base"},
           {"# no\nbase = postgres", "x:2: base 'postgres' is neither"},
           {"base = mysql\nbase = mysql", "x:2: base is said twice"},
           {"base = mysql\ndispatch = run", "x: it has no flavor of its own"},
           {"base = mysql\nflavor = acme", "x: it has neither a marker nor"},
           {"base = mysql\nflavor = Acme SQL", "x:2: a flavor is of small letters"},
           {"base = mysql\nflavor = mariadb", "x:2: there is a flavor mariadb already"},
           {start + "hello", "x:4: this is no NAME = VALUE"},
           {start + "title =", "x:4: title has no value"},
           {start + "titel = x", "x:4: 'titel' is none of base, flavor"},
           {start + "rename nosuch = other", "x:4: the profile looks at no function nosuch"},
           {start + "field colour = f", "x:4: field 'colour' is none of connection id, user"},
           {start + "shape = int, THD*", "x:4: a shape is PARAMETERS : ROLES"},
           {start + "shape = int, THD* : command", "x:4: 2 parameters and 1 roles"},
           {start + "shape = int : verb", "x:4: role 'verb' is none of command"},
           {start + "shape = int, int : command command", "x:4: role command is said twice"},
           {start + "shape = int, THD* : command session", "x:4: a shape has either data, or"},
           {start + "shape = D* : data", "x:4: a shape needs command and session"},
           {start + "shape = a, b, c, d, e, f, int : - - - - - - command",
            "x:4: only the first 6 arguments"}}) {
    const auto profile = parse_profile(wrong.text, "x");
    ASSERT_FALSE(profile) << wrong.text;
    EXPECT_THAT(profile.error().message, HasSubstr(wrong.message)) << wrong.text;
  }
}

// What a file says is for a person, but nothing in it may end the program.
TEST(UserProfile, MayBeAnything) {
  std::string text = kGood;
  for (size_t i = 0; i < text.size(); ++i) {
    (void)parse_profile(text.substr(0, i), "x");
    std::string other = text;
    other[i] = static_cast<char>(i * 37);
    (void)parse_profile(other, "x");
  }
}

TEST(UserProfile, FilesAreReadWithinBounds) {
  EXPECT_THAT(add_profile_file("/no/such/file").error().message,
              HasSubstr("cannot read the profile /no/such/file: No such file"));
  EXPECT_THAT(add_profile_file("/dev/zero").error().message, HasSubstr("larger than 64 KB"));
  EXPECT_FALSE(add_profile_file("/dev/null"));
  EXPECT_EQ(all().size(), built_in().size());
}

}  // namespace
}  // namespace dbtrace::profiles
