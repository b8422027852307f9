#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/output/stacks/sample_profile.h"

namespace dbtrace::output {
namespace {

using model::Cause;
using nlohmann::json;
using stacks::sample;
using ::testing::HasSubstr;
using ::testing::Not;

class Html : public ::testing::Test {
 protected:
  std::string page(const std::vector<model::StackProfile>& profiles) {
    return written({.format = StackFormat::Html}, table_, profiles);
  }

  stacks::FrameTable table_;
};

constexpr std::string_view kDataBegin = "<script type=\"application/json\" id=\"data\">";

json data_of(std::string_view page) {
  const size_t begin = page.find(kDataBegin) + kDataBegin.size();
  return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST_F(Html, HasItsProfilesAsData) {
  const json data = data_of(page({sample_profile(table_)}));
  ASSERT_EQ(data.at("profiles").size(), 1);
  const json& profile = data["profiles"][0];
  EXPECT_EQ(profile.at("text"), "select 1");
  EXPECT_EQ(profile.at("queries"), 1);
  EXPECT_EQ(profile.at("duration_ns"), 100'000'000);
  EXPECT_EQ(profile.at("budget_ns"),
            json({60'000'000, 0, 39'000'000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1'000'000}));
  // main; execute in it; scan in that; …: parent and frame.
  EXPECT_EQ(profile.at("nodes"), json({0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 2, 7}));
  EXPECT_EQ(data.at("frames").at(2), json({"scan", "mariadbd", "", "user"}));
  EXPECT_EQ(data["frames"].at(5), json({"read", "[kernel]", "", "kernel"}));
  // node, ns, cause, time, count
  EXPECT_EQ(profile.at("samples"), json({3, 30'000'000, 0, 0, 1,           //
                                         7, 39'000'000, 2, 30'000'000, 1,  //
                                         8, 30'000'000, 0, 70'000'000, 1}));
  EXPECT_EQ(data.at("causes").size(), model::kCauses);
  EXPECT_EQ(data["causes"][2]["name"], "file read");
}

TEST_F(Html, NoTextEndsItsDataBlock) {
  model::StackProfile profile;
  profile.text = std::string("</script><!--<script>\0\xff\u202e", 26);
  profile.samples = {sample(table_, "", 1)};
  profile.samples[0].frames = {table_.intern(stacks::function("</SCRIPT >\n"))};
  const std::string html = page({profile});
  const json data = data_of(html);
  EXPECT_EQ(data["profiles"][0]["text"], "</script><!--<script>\\x00\\xff\\u202e");
  EXPECT_EQ(data["frames"][0][0], "</SCRIPT >");
  const std::string_view block =
      std::string_view(html).substr(html.find(kDataBegin) + kDataBegin.size());
  EXPECT_EQ(block.find('<'), block.find("</script>\n<script>"));
}

TEST_F(Html, RefersToNothing) {
  const std::string html = page({sample_profile(table_)});
  for (const char* way :
       {"http:", "https:", "src=", "href=", "url(", "@import", "import(", "fetch(",
        "XMLHttpRequest", "WebSocket", "sendBeacon", "innerHTML", "eval(", "{{"})
    EXPECT_THAT(html, Not(HasSubstr(way)));
  EXPECT_THAT(html, HasSubstr("content=\"default-src 'none'; style-src 'sha256-"));
}

TEST_F(Html, HasNoPasswords) {
  model::StackProfile profile = sample_profile(table_);
  profile.text = "set password = 'secret'";
  EXPECT_THAT(page({profile}), Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace dbtrace::output
