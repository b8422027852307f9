// Records of running commands, copied while their threads ran on.
#include "src/attach/running/running_records.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>

namespace dbtrace::attach {
namespace {

constexpr size_t kHead = offsetof(dbt_command_event, data);

struct Made {
  dbt_command_event event{};
  dbt_running_frame frame{};
  dbt_running_end end{};

  Made(uint64_t start_ns, std::string_view text) {
    event.start_ns = start_ns;
    event.flags = DBT_ACTIVE | DBT_COMPLETE | DBT_HAS_TEXT;
    event.text_size = event.text_length = static_cast<dbt_u32>(text.size());
    std::memcpy(event.data, text.data(), text.size());
    frame = {start_ns, static_cast<dbt_u32>(kHead + text.size()), 0};
    end = {start_ns, event.flags, 0};
  }
  [[nodiscard]] std::string bytes() const {
    return std::string(reinterpret_cast<const char*>(&frame), sizeof(frame)) +
           std::string(reinterpret_cast<const char*>(&event), frame.size) +
           std::string(reinterpret_cast<const char*>(&end), sizeof(end));
  }
};

struct Told {
  std::string text;
  uint64_t duration_ns;
  bool running;
  friend bool operator==(const Told&, const Told&) = default;
};

std::vector<Told> told(const std::string& bytes, uint64_t now_ns) {
  std::vector<Told> all;
  each_running(std::as_bytes(std::span(bytes)), now_ns, [&](std::span<const std::byte> event) {
    dbt_command_event head;
    ASSERT_GE(event.size(), kHead);
    std::memcpy(&head, event.data(), kHead);
    EXPECT_EQ(head.header.size, event.size());
    EXPECT_FALSE(head.flags & DBT_HAS_TAIL);
    all.push_back(
        {std::string(reinterpret_cast<const char*>(event.data()) + kHead, event.size() - kHead),
         head.duration_ns, (head.flags & DBT_IS_RUNNING) != 0});
  });
  return all;
}

TEST(RunningRecords, AreEventsWithTheTimeSoFar) {
  Made first(100, "SELECT 1"), second(400, "");
  first.event.flags |= DBT_HAS_TAIL;
  EXPECT_EQ(told(first.bytes() + second.bytes(), 1000),
            (std::vector<Told>{{"SELECT 1", 900, true}, {"", 600, true}}));
}

TEST(RunningRecords, ThatBeganAfterTheClockWasReadHaveTakenNothing) {
  EXPECT_EQ(told(Made(100, "x").bytes(), 99), (std::vector<Told>{{"x", 0, true}}));
}

TEST(RunningRecords, ThatChangedMeanwhileAreLeftOut) {
  Made ended(100, "ended"), next(100, "next"), torn(100, "torn"), unfinished(100, "unfinished");
  ended.end.flags = 0;
  next.end.start_ns = 101;
  torn.event.text_size = 2;
  unfinished.event.flags = DBT_ACTIVE;
  const std::string good = Made(100, "good").bytes();
  for (const Made& bad : {ended, next, torn, unfinished})
    EXPECT_EQ(told(bad.bytes() + good, 100), (std::vector<Told>{{"good", 0, true}})) << bad.bytes();
}

TEST(RunningRecords, CutShortAnywhereAreNoTrouble) {
  const std::string bytes = Made(100, "whole").bytes();
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_TRUE(told(bytes.substr(0, size), 100).empty()) << size;
}

TEST(RunningRecords, OfMapsMayBeLongerThanTheirTexts) {
  const Made made(100, "parked");
  const auto event = running_event(std::as_bytes(std::span(&made.event, 1)), 300);
  EXPECT_EQ(event.size(), kHead + 6);
}

}  // namespace
}  // namespace dbtrace::attach
