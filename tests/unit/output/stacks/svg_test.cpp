#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/output/stacks/sample_profile.h"

namespace dbtrace::output {
namespace {

using model::Cause;
using stacks::sample;
using ::testing::HasSubstr;
using ::testing::Not;

class Svg : public ::testing::Test {
 protected:
  std::string picture(const std::vector<model::StackProfile>& profiles) {
    return written({.format = StackFormat::Svg}, table_, profiles);
  }

  stacks::FrameTable table_;
};

size_t count(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST_F(Svg, DrawsABoxAFunction) {
  const std::string svg = picture({sample_profile(table_)});
  EXPECT_EQ(count(svg, "<g><title>"), 10);  // the query, eight functions, the wait
  // 69 of 99 ms, 1180 pixels wide in all, in the fourth row: two colours.
  EXPECT_THAT(
      svg, HasSubstr("<g><title>scan (mariadbd), 69.0ms, 69.7 %</title><g fill-opacity=\"0.5\">"
                     "<rect x=\"10.0\" y=\"104\" width=\"357.14\" height=\"19\" fill=\"#f6a55f\"/>"
                     "<rect x=\"367.1\" y=\"104\" width=\"464.28\" height=\"19\" "
                     "fill=\"#6cc1bb\"/></g><text x=\"15.0\" y=\"118\">scan</text></g>\n"));
  EXPECT_THAT(svg, HasSubstr("<g><title>sort (mariadbd), 30.0ms, 30.3 %</title>"
                             "<rect x=\"832.4\" y=\"104\" width=\"356.58\""));
  EXPECT_THAT(svg, HasSubstr("font-style=\"italic\">wait</text>"));
  EXPECT_THAT(svg, HasSubstr("<g><title>[file read], 39.0ms, 39.4 %</title>"));
}

TEST_F(Svg, HasALegendOfWhatThereIs) {
  const std::string svg = picture({sample_profile(table_)});
  EXPECT_THAT(svg, HasSubstr(">on cpu 60.0ms</text>"));
  EXPECT_THAT(svg, HasSubstr(">file read 39.0ms</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("fsync")));
}

TEST_F(Svg, QueriesStandSideBySide) {
  model::StackProfile left = sample_profile(table_);
  left.samples = {sample(table_, "main", 75)};
  model::StackProfile right = left;
  right.text = "update t";
  right.queries = 3;
  right.samples = {sample(table_, "main", 25)};
  const std::string svg = picture({left, right});
  EXPECT_THAT(svg, HasSubstr("<g><title>select 1, 75ns, 75.0 %</title><rect x=\"10.0\" y=\"44\" "
                             "width=\"884.00\""));
  EXPECT_THAT(svg, HasSubstr("<g><title>update t (3 queries), 25ns, 25.0 %</title>"
                             "<rect x=\"895.0\" y=\"44\" width=\"294.00\""));
}

TEST_F(Svg, LeavesOutWhatNobodyCouldSee) {
  model::StackProfile profile;
  profile.samples = {sample(table_, "wide", 10'000), sample(table_, "thin", 4)};
  EXPECT_THAT(picture({profile}), Not(HasSubstr("thin")));
}

TEST_F(Svg, TextsAreNoMarkup) {
  model::StackProfile profile;
  profile.text = "a<b && c>d</title><script>x</script>\x01\xff\uffff";
  profile.samples = {sample(table_, "", 1)};
  profile.samples[0].frames = {table_.intern(stacks::function("f<g>&\"\n"))};
  const std::string svg = picture({profile});
  EXPECT_THAT(svg, HasSubstr("<title>a&lt;b &amp;&amp; c&gt;d&lt;/title&gt;&lt;script&gt;x"
                             "&lt;/script&gt;\\x01\\xff\ufffd, 1ns"));
  EXPECT_THAT(svg, HasSubstr("<title>f&lt;g&gt;&amp;\" (mariadbd)"));
}

TEST_F(Svg, RefersToNothing) {
  const std::string svg = picture({sample_profile(table_)});
  EXPECT_EQ(count(svg, "http"), 1);  // the name of SVG itself
  for (const char* way : {"href", "url(", "@import", "<script", "<image", "<use", "<style"})
    EXPECT_THAT(svg, Not(HasSubstr(way)));
}

TEST_F(Svg, SaysWhenThereIsNothing) {
  EXPECT_THAT(picture({}), HasSubstr("No stacks were taken."));
  EXPECT_THAT(picture({model::StackProfile{}}), HasSubstr("No stacks were taken."));
}

TEST_F(Svg, StaysWithinItsWidthWhateverStacksWeigh) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  model::StackProfile profile;
  profile.samples = {sample(table_, "a;b", kMost), sample(table_, "a;c", kMost, Cause::Sleep),
                     sample(table_, "a", kMost, Cause::RowLock)};
  const std::string svg = picture({profile, profile});
  EXPECT_THAT(svg, HasSubstr("<title>b "));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST_F(Svg, HasNoPasswords) {
  model::StackProfile profile = sample_profile(table_);
  profile.text = "set password = 'secret'";
  EXPECT_THAT(picture({profile}), Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace dbtrace::output
