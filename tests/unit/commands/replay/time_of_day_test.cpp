#include "src/commands/replay/time_of_day.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <stdexcept>

#include "src/recording/writer.h"
#include "tests/runtime/temporary_folder.h"

namespace dbtrace::commands {
namespace {

// From 2026-11-30 23:59:50.5 on, for a minute.
constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kBegin = 1'796'083'190 * kSecond + kSecond / 2;

class TimeOfDay : public ::testing::Test {
 protected:
  TimeOfDay() {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
    const std::string path = folder_.path() / "recording";
    auto writer = recording::Writer::create(path, {.program = "dbtrace"}, kBegin);
    if (!writer || !writer->finish(kBegin + 60 * kSecond)) throw std::runtime_error("no recording");
    auto reader = recording::Reader::open(path);
    if (!reader) throw std::runtime_error(reader.error().message);
    reader_.emplace(std::move(*reader));
  }
  // Milliseconds since the begin; the error.
  std::string time(const std::string& text) {
    const auto time = time_within(*reader_, text);
    return time ? std::to_string((*time - kBegin) / 1'000'000) : time.error().message;
  }

  dbtrace::testing::TemporaryFolder folder_;
  std::optional<recording::Reader> reader_;
};

TEST_F(TimeOfDay, IsTheFirstSinceTheBegin) {
  EXPECT_EQ(time("23:59:50"), "0");
  EXPECT_EQ(time("23:59:52"), "1500");
  EXPECT_EQ(time("00:00:10"), "19500");
  EXPECT_EQ(time("00:00"), "9500");
}

TEST_F(TimeOfDay, MayHaveItsDate) {
  EXPECT_EQ(time("2026-12-01 00:00:10"), "19500");
  EXPECT_EQ(time("2026-12-01 00:00"), "9500");
}

TEST_F(TimeOfDay, MayCountFromTheBegin) {
  EXPECT_EQ(time("0s"), "0");
  EXPECT_EQ(time("1m"), "60000");
  EXPECT_EQ(time("1500ms"), "1500");
}

TEST_F(TimeOfDay, IsWithinTheRecording) {
  const std::string outside =
      " is not within the recording, which is from 2026-11-30 23:59:50 to 2026-12-01 00:00:50";
  for (const std::string text : {"23:59:49", "00:00:51", "2026-11-30 23:59:49", "61s"})
    EXPECT_EQ(time(text), text + outside);
}

TEST_F(TimeOfDay, IsATime) {
  for (const std::string text : {"", "x", "5", "25:00", "00:00:10x", "2026-13-01 00:00", "-5s"})
    EXPECT_EQ(time(text), "'" + text + "' is no time");
}

}  // namespace
}  // namespace dbtrace::commands
