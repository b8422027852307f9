// The unwinder where things are not as they should be: processes and files that are gone,
// libraries that come later, return probes, stacks that are no stacks.
#include "src/stacks/unwinder.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "symbols/elf_file.h"
#include "symbols/process_maps.h"
#include "symbols/symbolizer.h"
#include "tests/unit/stacks/capture.h"
#include "tests/unit/stacks/chain.h"
#include "tests/unit/symbols/fixture.h"

namespace dbtrace::stacks {
namespace {

using test::Captured;
using test::Chain;
using Names = std::vector<std::string>;
namespace fs = std::filesystem;

const Names kStop = {"[libc]", "chain::stop", "chain::run", "(anonymous namespace)::thread",
                     "[libc]"};

uint32_t own_pid() { return static_cast<uint32_t>(::getpid()); }

TEST(Unwinder, RemembersAProcessThatHasEnded) {
  Chain chain(test::fixture("chains"), "stop");
  ASSERT_NE(chain.thread(), 0);
  const uint32_t pid = chain.pid();
  const auto captured = test::capture(chain.thread());
  ASSERT_TRUE(captured);
  Unwinder unwinder;
  symbols::Symbolizer symbolizer;
  unwinder.observe(pid);
  ASSERT_TRUE(symbolizer.observe(pid));
  chain.end();
  unwinder.observe(pid);  // there is nothing to observe any more
  const Unwound unwound = unwinder.unwind(pid, captured->stack());
  EXPECT_TRUE(unwound.whole);
  EXPECT_EQ(test::names(symbolizer, pid, unwound), kStop);
  unwinder.forget(pid);
  const Unwound forgotten = unwinder.unwind(pid, captured->stack());
  EXPECT_FALSE(forgotten.whole);
  EXPECT_THAT(forgotten.addresses, ::testing::SizeIs(1));
}

TEST(Unwinder, ReadsADeletedFile) {
  symbols::test::TemporaryFolder folder;
  const std::string path = (folder / "program").string();
  symbols::test::copy_to(test::fixture("chains"), path);
  fs::permissions(path, fs::perms::owner_all);
  const Chain chain(path, "stop");
  ASSERT_NE(chain.thread(), 0);
  fs::remove(path);
  symbols::test::copy_to(test::fixture("chains.static"), path);  // another takes its place
  const auto captured = test::capture(chain.thread());
  ASSERT_TRUE(captured);
  Unwinder unwinder;
  symbols::Symbolizer symbolizer;
  const Unwound unwound = unwinder.unwind(chain.pid(), captured->stack());
  EXPECT_TRUE(unwound.whole);
  EXPECT_EQ(test::names(symbolizer, chain.pid(), unwound), kStop);
}

TEST(Unwinder, NoticesALibraryThatIsLoadedLater) {
  Chain chain(test::fixture("chains"), "loads");
  ASSERT_NE(chain.thread(), 0);
  Unwinder unwinder;
  unwinder.observe(chain.pid());
  ASSERT_TRUE(chain.go_on());
  const auto captured = test::capture(chain.thread());
  ASSERT_TRUE(captured);
  symbols::Symbolizer symbolizer;
  const Unwound unwound = unwinder.unwind(chain.pid(), captured->stack());
  EXPECT_TRUE(unwound.whole);
  EXPECT_EQ(test::names(symbolizer, chain.pid(), unwound),
            (Names{"[libc]", "chain::stop", "loaded_function", "loaded_entry",
                   "chain::with_loaded_library", "chain::loads", "chain::run",
                   "(anonymous namespace)::thread", "[libc]"}));
}

TEST(Unwinder, SaysWhereTheCopyEnds) {
  const Chain chain(test::fixture("chains"), "deep");
  ASSERT_NE(chain.thread(), 0);
  const auto whole = test::capture(chain.thread());
  ASSERT_TRUE(whole);
  Unwinder unwinder;
  const Unwound expected = unwinder.unwind(chain.pid(), whole->stack());
  for (size_t size = 0; size < 1024; ++size) {
    UserStack stack = whole->stack();
    stack.bytes = stack.bytes.first(size);
    const Unwound unwound = unwinder.unwind(chain.pid(), stack);
    ASSERT_FALSE(unwound.whole) << size;
    ASSERT_GE(unwound.addresses.size(), 1U);
    ASSERT_LT(unwound.addresses.size(), expected.addresses.size());
    ASSERT_TRUE(
        std::equal(unwound.addresses.begin(), unwound.addresses.end(), expected.addresses.begin()))
        << size;
  }
}

// A probe on the return of `function` in the fixture, only of that process.
UniqueFd probe_return(const std::string& program, const std::string& function, uint32_t pid) {
  uint32_t type = 0;
  if (!(std::ifstream("/sys/bus/event_source/devices/uprobe/type") >> type)) return UniqueFd();
  const auto offset = symbols::test::open_file(program).file_offset(
      symbols::test::nm_address("", program, function));
  if (!offset) return UniqueFd();
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = type;
  attributes.config = 1;  // format/retprobe: config:0
  attributes.uprobe_path = reinterpret_cast<uint64_t>(program.c_str());
  attributes.probe_offset = *offset;
  return UniqueFd(static_cast<int>(
      ::syscall(SYS_perf_event_open, &attributes, pid, -1, -1, PERF_FLAG_FD_CLOEXEC)));
}

// Where the kernel makes probed functions return to.
uint64_t trampoline_of(uint32_t pid) {
  for (const auto& mapping : *symbols::read_maps(pid))
    if (mapping.is_return_probe()) return mapping.start;
  return 0;
}

// Where that stands on a stack, the latest first.
std::vector<uint64_t> places_of(uint64_t trampoline, const Captured& captured) {
  std::vector<uint64_t> places;
  for (size_t at = 0; at + 8 <= captured.bytes.size(); at += 8) {
    uint64_t value = 0;
    std::memcpy(&value, captured.bytes.data() + at, sizeof(value));
    if (value == trampoline) places.push_back(captured.registers[7] + at);
  }
  return places;
}

#if defined(__x86_64__)
class ReturnProbes : public ::testing::Test {
 protected:
  // Stops a first time without probes, and again with probes on two of the callers' returns.
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "return probes need root";
    ASSERT_NE(chain_.thread(), 0);
    const auto before = test::capture(chain_.thread());
    ASSERT_TRUE(before);
    plain_ = unwinder_.unwind(chain_.pid(), before->stack());
    ASSERT_TRUE(plain_.whole);
    // One jumps to the other: both return to the same place.
    for (const char* function :
         {"_ZN5chain6probedEi", "_ZN5chain12jumps_probedEi", "_ZN5chain13around_probedEi"}) {
      probes_.push_back(probe_return(program_, function, chain_.pid()));
      if (!probes_.back()) GTEST_SKIP() << "no return probes: " << std::strerror(errno);
    }
    ASSERT_TRUE(chain_.go_on());
    const auto after = test::capture(chain_.thread());
    ASSERT_TRUE(after);
    captured_ = *after;
    trampoline_ = trampoline_of(chain_.pid());
    places_ = places_of(trampoline_, captured_);
    ASSERT_EQ(places_.size(), 2U);
  }

  Unwound unwind(const std::vector<PendingReturn>& pending) {
    UserStack stack = captured_.stack();
    stack.pending_returns = pending;
    return unwinder_.unwind(chain_.pid(), stack);
  }

  // Where it returned to before it was probed.
  [[nodiscard]] uint64_t return_of(const char* function) {
    for (size_t i = 0; i < plain_.addresses.size(); ++i) {
      if (symbolizer_.user(chain_.pid(), plain_.addresses[i]).function == function)
        return plain_.addresses.at(i + 1) + 1;
    }
    return 0;
  }

  const std::string program_ = test::fixture("chains");
  Chain chain_{program_, "probes"};
  Unwinder unwinder_;
  symbols::Symbolizer symbolizer_;
  Unwound plain_;
  std::vector<UniqueFd> probes_;
  Captured captured_;
  uint64_t trampoline_ = 0;
  std::vector<uint64_t> places_;
};

TEST_F(ReturnProbes, AreSeenThrough) {
  const std::vector<PendingReturn> pending = {
      // As the programs in the kernel see it: the second finds the trampoline of the first.
      {.stack = places_[0], .address = trampoline_},
      {.stack = places_[0], .address = return_of("chain::probed")},
      {.stack = places_[1], .address = return_of("chain::around_probed")}};
  const Unwound unwound = unwind(pending);
  EXPECT_TRUE(unwound.whole);
  EXPECT_EQ(unwound.addresses, plain_.addresses);
}

TEST_F(ReturnProbes, ThatNobodyExplainsEndAStack) {
  const Unwound unwound = unwind({});
  EXPECT_FALSE(unwound.whole);
  EXPECT_EQ(test::names(symbolizer_, chain_.pid(), unwound),
            (Names{"[libc]", "chain::stop", "chain::probed"}));
  const Unwound half = unwind({{.stack = places_[0], .address = return_of("chain::probed")}});
  EXPECT_FALSE(half.whole);
  EXPECT_EQ(test::names(symbolizer_, chain_.pid(), half),
            (Names{"[libc]", "chain::stop", "chain::probed", "chain::around_probed"}));
}

// A thread that is in the trampoline itself is about to return.
TEST_F(ReturnProbes, AreWhereAThreadMayBe) {
  captured_.registers[16] = trampoline_;
  const auto gone = static_cast<ptrdiff_t>(places_[0] + 8 - captured_.registers[7]);
  captured_.bytes.erase(captured_.bytes.begin(), captured_.bytes.begin() + gone);
  captured_.registers[7] = places_[0] + 8;
  const std::vector<PendingReturn> pending = {
      {.stack = places_[0], .address = return_of("chain::probed")},
      {.stack = places_[1], .address = return_of("chain::around_probed")}};
  const Unwound unwound = unwind(pending);
  EXPECT_TRUE(unwound.whole);
  EXPECT_EQ(test::names(symbolizer_, chain_.pid(), unwound).at(1), "chain::around_probed");
}
#endif

// Whatever a thread's registers and stack hold, the walk ends.
TEST(Unwinder, EndsOnGarbage) {
  std::mt19937_64 random(1);
  Unwinder unwinder;
  symbols::Symbolizer symbolizer;
  std::vector<uint64_t> code;
  for (const char* name : {"getenv", "printf", "qsort", "pthread_cond_wait", "dlopen"})
    code.push_back(reinterpret_cast<uint64_t>(::dlsym(RTLD_DEFAULT, name)));
  std::vector<uint64_t> words(4096);
  for (int round = 0; round < 3000; ++round) {
    Captured captured;
    const uint64_t stack = 0x7fff'0000'0000;
    // Addresses of code, of the stack itself, and anything.
    const auto any = [&]() -> uint64_t {
      switch (random() % 4) {
        case 0:
          return code[random() % code.size()] + random() % 64;
        case 1:
          return stack + random() % (words.size() * 8);
        case 2:
          return stack + random() % words.size() * 8;
        default:
          return random() >> random() % 64;
      }
    };
    for (uint64_t& word : words) word = any();
    for (uint64_t& value : captured.registers) value = any();
    captured.registers[7] = captured.registers[31] = random() % 8 == 0 ? any() : stack;
    captured.registers[16] = captured.registers[32] = any();
    const std::vector<PendingReturn> pending = {{any(), any()}, {any(), any()}};
    UserStack user = captured.stack();
    user.bytes = std::as_bytes(std::span(words));
    user.pending_returns = pending;
    const Unwound unwound = unwinder.unwind(own_pid(), user);
    ASSERT_GE(unwound.addresses.size(), 1U);
    ASSERT_LE(unwound.addresses.size(), Unwinder::kFramesMax);
  }
}

// Frame pointers that lead back, or nowhere on.
TEST(Unwinder, EndsOnStacksInACircle) {
  const Chain chain(test::fixture("chains"), "compiled");
  ASSERT_NE(chain.thread(), 0);
  auto captured = test::capture(chain.thread());
  ASSERT_TRUE(captured);
  Unwinder unwinder;
  symbols::Symbolizer symbolizer;
  const Unwound before = unwinder.unwind(chain.pid(), captured->stack());
  uint64_t compiled = 0;
  for (const uint64_t address : before.addresses)
    if (symbolizer.user(chain.pid(), address).function == "compiled query") compiled = address + 1;
  ASSERT_NE(compiled, 0U);
  // All frame records on this stack: the one 0 to 15 words further on, and in the same code.
  std::vector<uint64_t> words(512);
  const uint64_t stack = 0x7fff'0000'0000;
  for (uint64_t ahead = 0; ahead < 16; ++ahead) {
    for (size_t i = 0; i < words.size(); ++i)
      words[i] = i % 2 == 0 ? stack + (i - i % 16 + ahead) * 8 : compiled;
    UserStack user;
    user.registers[7] = user.registers[6] = user.registers[31] = user.registers[29] = stack;
    user.registers[16] = user.registers[32] = compiled;
    user.bytes = std::as_bytes(std::span(words));
    const Unwound unwound = unwinder.unwind(chain.pid(), user);
    EXPECT_FALSE(unwound.whole);
    EXPECT_LE(unwound.addresses.size(), words.size() / 2 + 1);
  }
  // A record of zeros is where such code's threads begin.
  std::ranges::fill(words, 0);
  UserStack user;
  user.registers[7] = user.registers[6] = user.registers[31] = user.registers[29] = stack;
  user.registers[16] = user.registers[32] = compiled;
  user.bytes = std::as_bytes(std::span(words));
  const Unwound unwound = unwinder.unwind(chain.pid(), user);
  EXPECT_TRUE(unwound.whole);
  EXPECT_THAT(unwound.addresses, ::testing::ElementsAre(compiled));
}

TEST(Unwinder, KnowsNothingOfProcessesThatAreNot) {
  Unwinder unwinder;
  UserStack stack;
  stack.registers[16] = stack.registers[32] = 0x1234;
  const Unwound unwound = unwinder.unwind(UINT32_MAX, stack);
  EXPECT_FALSE(unwound.whole);
  EXPECT_THAT(unwound.addresses, ::testing::ElementsAre(0x1234));
  for (uint32_t pid = 1'000'000'000; pid < 1'000'001'000; ++pid) unwinder.observe(pid);
}

}  // namespace
}  // namespace dbtrace::stacks
