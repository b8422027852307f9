// Says at the end how many faults were tried and passed.
#include <gtest/gtest.h>

#include <cstdio>

namespace {

class Figures : public ::testing::Environment {
  void TearDown() override {
    const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
    const int tried = all.test_to_run_count() - all.skipped_test_count();
    std::printf("%d faults tried, %d passed\n", tried, all.successful_test_count());
  }
};

[[maybe_unused]] const auto* const kFigures = ::testing::AddGlobalTestEnvironment(new Figures);

}  // namespace
