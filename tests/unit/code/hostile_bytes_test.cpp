// A binary may hold anything where a symbol says there is a function. Whatever
// the bytes: no crash, no endless walk, bounded answers.
#include <gtest/gtest.h>

#include <random>

#include "src/code/exits.h"
#include "src/code/members.h"
#include "src/code/placement.h"
#include "tests/unit/code/aarch64_samples.h"
#include "tests/unit/code/x86_64_samples.h"

namespace dbtrace::code {
namespace {

constexpr uint64_t kTopOfMemory = ~uint64_t{0} - 64;  // addresses wrap in the middle of the code

void survive(Arch arch, const std::vector<uint8_t>& code, uint64_t address) {
  const auto paths = trace_values(arch, code, address);
  ASSERT_GE(paths.size(), 1u);
  ASSERT_LE(paths.size(), 32u);
  for (const Path& path : paths) {
    ASSERT_LE(path.calls.size(), 400u);
    ASSERT_LE(path.stores.size(), 2 * 400u);  // a pair is two stores
    for (const Store& store : path.stores) {
      ASSERT_LE(store.address.loads.size(), 8u);
      ASSERT_NE(store.address.base, Value::Base::Stack);
    }
  }
  (void)returned_member(paths);
  (void)stored_through(paths, 1);
  (void)first_store(paths);
  (void)store_of(paths, 1);
  (void)compared_object(paths);
  (void)call_argument(paths, 0, 1, kAnyObject);
  if (const auto place = place_probe(arch, code)) {
    ASSERT_LT(place->delta, code.size());
    ASSERT_FALSE(place->instruction.empty());
  }
  const std::vector<Part> parts = {{address, code}, {address - 1000, code}};
  for (const size_t count : {1U, 2U}) {
    const auto exits = find_exits(arch, std::span(parts).first(count));
    if (!exits) {
      ASSERT_NE(exits.error().message, "");
      continue;
    }
    for (const Exit& exit : *exits) {
      const uint64_t hot = exit.address - parts[0].address, cold = exit.address - parts[1].address;
      ASSERT_TRUE(hot < code.size() || (count == 2 && cold < code.size()));
    }
  }
}

void survive_random_bytes(Arch arch) {
  std::mt19937 random(20240229);  // NOLINT: the same bytes on every run
  for (int round = 0; round < 4000; ++round) {
    std::vector<uint8_t> code(random() % 200);
    for (uint8_t& byte : code) byte = static_cast<uint8_t>(random());
    survive(arch, code, round % 2 == 0 ? 0x400000 : kTopOfMemory);
  }
}

// Real code with a few bytes changed gets further than noise does.
void survive_damage(Arch arch, const Sample& sample) {
  std::mt19937 random(42);  // NOLINT
  for (int round = 0; round < 1000; ++round) {
    std::vector<uint8_t> code = sample.code;
    for (int i = 0; i < 3; ++i) code[random() % code.size()] = static_cast<uint8_t>(random());
    code.resize(random() % code.size());
    survive(arch, code, sample.address);
  }
}

TEST(HostileBytes, RandomX86_64) { survive_random_bytes(Arch::X86_64); }
TEST(HostileBytes, RandomAArch64) { survive_random_bytes(Arch::AArch64); }

TEST(HostileBytes, DamagedX86_64) {
  survive_damage(Arch::X86_64, x86_64::mysql_set_error_status);
  survive_damage(Arch::X86_64, x86_64::mysql_set_db);
}

TEST(HostileBytes, DamagedAArch64) {
  survive_damage(Arch::AArch64, aarch64::set_db);
  survive_damage(Arch::AArch64, aarch64::stmt_execute);
}

TEST(HostileBytes, EveryBranchOfManyToItself) {
  // 2,000 conditional branches, each back to the start.
  std::vector<uint8_t> code;
  for (int i = 0; i < 2000; ++i) {
    const auto distance = static_cast<uint32_t>(-(static_cast<int>(code.size()) + 6));
    code.insert(code.end(), {0x0f, 0x84});
    for (int shift = 0; shift < 32; shift += 8) {
      code.push_back(static_cast<uint8_t>(distance >> shift));
    }
  }
  survive(Arch::X86_64, code, 0x400000);
}

}  // namespace
}  // namespace dbtrace::code
