#include "src/commands/tracing/shedding.h"

#include <gtest/gtest.h>

namespace dbtrace::commands {
namespace {

using attach::Feature;
using What = Shedding::What;

constexpr uint64_t kSecond = 1'000'000'000;

// Of a server that uses four cores.
Cost cost(double of_the_server) {
  const uint64_t server = 4 * kSecond;
  return {.length_ns = kSecond,
          .programs_ns = static_cast<uint64_t>(of_the_server * static_cast<double>(server)),
          .traps_ns = 0,
          .hits = 1,
          .own_ns = 0,
          .server_ns = server};
}

TEST(Shedding, GivesUpOneAfterTheOtherAndEnds) {
  Shedding shedding(0.02, {Feature::Stacks, Feature::Files, Feature::Time});
  for (const Feature feature : {Feature::Stacks, Feature::Files, Feature::Time}) {
    EXPECT_EQ(shedding.judge(cost(0.03)).what, What::Nothing);
    const Shedding::Step step = shedding.judge(cost(0.03));
    EXPECT_EQ(step.what, What::Shed);
    EXPECT_EQ(step.feature, feature);
  }
  EXPECT_EQ(shedding.judge(cost(0.03)).what, What::Nothing);
  EXPECT_EQ(shedding.judge(cost(0.03)).what, What::End);
}

TEST(Shedding, OneStretchAloneIsNoReason) {
  Shedding shedding(0.02, {Feature::Stacks});
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(shedding.judge(cost(0.5)).what, What::Nothing);
    EXPECT_EQ(shedding.judge(cost(0.02)).what, What::Nothing);
  }
}

TEST(Shedding, WithoutALimitOnlyOneWordIsSaid) {
  Shedding shedding(std::nullopt, {Feature::Stacks});
  EXPECT_EQ(shedding.judge(cost(0.04)).what, What::Nothing);
  EXPECT_EQ(shedding.judge(cost(0.06)).what, What::Nothing);
  EXPECT_EQ(shedding.judge(cost(0.06)).what, What::Warn);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(shedding.judge(cost(0.9)).what, What::Nothing);
}

TEST(Cost, OfAnIdleServerIsAPartOfACore) {
  Cost of_idle{.length_ns = 10 * kSecond,
               .programs_ns = kSecond / 100,
               .traps_ns = kSecond / 100,
               .hits = 1,
               .own_ns = 3 * kSecond / 100,
               .server_ns = kSecond / 1000};
  EXPECT_DOUBLE_EQ(of_idle.of_servers(), 0.005);
  of_idle.server_ns = 20 * kSecond;
  EXPECT_DOUBLE_EQ(of_idle.of_servers(), 0.0025);
  EXPECT_EQ(Cost().of_servers(), 0);
}

TEST(Cost, IsReadAsAPercentage) {
  EXPECT_EQ(percent_text(0), "0.0 %");
  EXPECT_EQ(percent_text(0.0042), "0.4 %");
  EXPECT_EQ(percent_text(0.123), "12 %");
}

}  // namespace
}  // namespace dbtrace::commands
