#include "src/stream/stack_events.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "bpf/budget_event.h"
#include "bpf/stack_event.h"

namespace dbtrace::stream {
namespace {

constexpr size_t kHead = offsetof(dbt_stack_event, data);

class StackEvents : public ::testing::Test {
 protected:
  void SetUp() override {
    std::memset(static_cast<void*>(&event_), 0, sizeof(event_));
    event_.header.kind = DBT_EVENT_STACK;
    event_.command_start_ns = 11;
    event_.time_ns = 22;
    event_.wait_since_ns = 33;
    event_.tgid = 44;
    event_.tid = 55;
    event_.cause = DBT_CAUSE_FSYNC;
    event_.kernel_frames = 2;
    event_.kernel[0] = 0xffff1;
    event_.kernel[1] = 0xffff2;
    event_.pending_returns = 1;
    event_.returns[0] = {.stack = 66, .address = 77};
    for (uint64_t i = 0; i < DBT_REGISTERS_MAX; ++i) event_.registers[i] = 1000 + i;
  }

  std::optional<StackEvent> decode(size_t size) const {
    // A copy of exactly that size, so that a sanitizer sees what is read beyond.
    const auto* begin = reinterpret_cast<const std::byte*>(&event_);
    const std::vector<std::byte> bytes(begin, begin + size);
    return decode_stack_event(bytes);
  }

  dbt_stack_event event_;
};

TEST_F(StackEvents, HaveAllThatWasCaptured) {
  event_.stack_size = 3;
  std::memcpy(event_.data, "abc", 3);
  const auto decoded = decode(kHead + 100);  // the room was larger than the stack
  ASSERT_TRUE(decoded);
  const auto& capture = std::get<stacks::Capture>(*decoded);
  EXPECT_EQ(capture.command, (stacks::CommandKey{44, 11}));
  EXPECT_EQ(capture.tid, 55);
  EXPECT_EQ(capture.time_ns, 22);
  EXPECT_EQ(capture.wait_since_ns, 33);
  EXPECT_EQ(capture.cause, model::Cause::Fsync);
  EXPECT_EQ(capture.kernel, (std::vector<uint64_t>{0xffff1, 0xffff2}));
  ASSERT_EQ(capture.pending_returns.size(), 1);
  EXPECT_EQ(capture.pending_returns[0].stack, 66);
  EXPECT_EQ(capture.pending_returns[0].address, 77);
  ASSERT_EQ(capture.bytes.size(), 3);
  EXPECT_EQ(std::memcmp(capture.bytes.data(), "abc", 3), 0);
}

#if defined(__x86_64__)
// struct pt_regs begins with r15 and ends with rip, cs, flags, rsp, ss.
TEST_F(StackEvents, HaveRegistersByDwarfNumber) {
  const auto capture = std::get<stacks::Capture>(*decode(kHead));
  EXPECT_EQ(capture.registers[0], 1010);   // rax
  EXPECT_EQ(capture.registers[3], 1005);   // rbx
  EXPECT_EQ(capture.registers[6], 1004);   // rbp
  EXPECT_EQ(capture.registers[7], 1019);   // rsp
  EXPECT_EQ(capture.registers[15], 1000);  // r15
  EXPECT_EQ(capture.registers[16], 1016);  // rip
}
#endif

TEST_F(StackEvents, ThatAreMalformedAreNone) {
  EXPECT_FALSE(decode(0));
  EXPECT_FALSE(decode(sizeof(dbt_event_header)));
  EXPECT_FALSE(decode(kHead - 1));
  event_.stack_size = 1;
  EXPECT_FALSE(decode(kHead));
  event_.stack_size = 0;
  event_.kernel_frames = DBT_KERNEL_FRAMES_MAX + 1;
  EXPECT_FALSE(decode(kHead));
  event_.kernel_frames = 0;
  event_.pending_returns = DBT_PENDING_RETURNS_MAX + 1;
  EXPECT_FALSE(decode(kHead));
  event_.pending_returns = 0;
  event_.cause = DBT_CAUSES;
  EXPECT_FALSE(decode(kHead));
  event_.cause = 0;
  event_.header.kind = DBT_EVENT_COMMAND;
  EXPECT_FALSE(decode(kHead));
}

TEST_F(StackEvents, EndWaits) {
  const dbt_wait_event event{
      .header = {.size = sizeof(dbt_wait_event), .kind = DBT_EVENT_WAIT, .plan = 0},
      .command_start_ns = 1,
      .wait_since_ns = 2,
      .end_ns = 3,
      .tgid = 4,
      .tid = 5};
  const auto bytes = std::as_bytes(std::span(&event, 1));
  const auto decoded = decode_stack_event(bytes);
  ASSERT_TRUE(decoded);
  const auto& end = std::get<stacks::WaitEnd>(*decoded);
  EXPECT_EQ(end.command, (stacks::CommandKey{4, 1}));
  EXPECT_EQ(end.wait_since_ns, 2);
  EXPECT_EQ(end.end_ns, 3);
  EXPECT_FALSE(decode_stack_event(bytes.first(bytes.size() - 1)));
}

}  // namespace
}  // namespace dbtrace::stream
