#include "symbols/usdt_notes.h"

#include <elf.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/mman.h>

#include "tests/unit/symbols/fixture.h"
#include "tests/unit/symbols/small_elf.h"

namespace dbtrace::symbols {
namespace {

using test::Bytes;
using test::fixture;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// "provider:name location base semaphore arguments", as binutils reads them.
std::vector<std::string> probes_of_readelf(const std::string& path) {
  std::vector<std::string> probes;
  std::string provider;
  std::string name;
  std::string addresses;
  for (const std::string& line : test::output_of("readelf -nW '" + path + "'")) {
    const auto value = [&](std::string_view key) {
      const size_t at = line.find(key);
      return at == std::string::npos ? "" : line.substr(at + key.size());
    };
    if (line.find("Provider: ") != std::string::npos) provider = value("Provider: ");
    if (line.find("Name: ") != std::string::npos) name = value("Name: ");
    if (line.find("Location: ") != std::string::npos) addresses = value("Location: ");
    if (line.find("Arguments: ") != std::string::npos) {
      probes.push_back(fmt::format("{}:{} {} {}", provider, name, addresses, value("Arguments: ")));
    }
  }
  return probes;
}

std::string as_readelf(const UsdtProbe& probe) {
  return fmt::format("{}:{} {:#018x}, Base: {:#018x}, Semaphore: {:#018x} {}", probe.provider,
                     probe.name, probe.location, probe.base, probe.semaphore, probe.arguments);
}

class UsdtProbes : public ::testing::TestWithParam<const char*> {};

TEST_P(UsdtProbes, AreThoseOfReadelf) {
  const std::string path = GetParam();
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not installed";
  const auto expected = probes_of_readelf(path);
  ASSERT_GE(expected.size(), 2U);
  std::vector<std::string> found;
  for (const UsdtProbe& probe : read_usdt_probes(test::open_file(path)))
    found.push_back(as_readelf(probe));
  EXPECT_EQ(found, expected);
}

INSTANTIATE_TEST_SUITE_P(Files, UsdtProbes,
                         ::testing::Values(SYMBOLS_FIXTURES "/probes",
                                           "/lib/x86_64-linux-gnu/libstdc++.so.6"));

TEST(UsdtProbe, SaysWhereInTheFile) {
  const std::string path = fixture("probes");
  const auto probes = read_usdt_probes(test::open_file(path));
  ASSERT_THAT(probes, SizeIs(2));
  EXPECT_EQ(probes[0].provider, "fixture");
  EXPECT_EQ(probes[0].name, "query__start");
  EXPECT_EQ(probes[0].arguments, "8@%rdi -4@$5");
  EXPECT_EQ(probes[0].location, test::nm_address("", path, "probe_start"));
  EXPECT_EQ(probes[0].semaphore, 0U);
  EXPECT_FALSE(probes[0].semaphore_offset);
  const Bytes bytes = test::read_bytes(path);
  ASSERT_TRUE(probes[0].offset);
  EXPECT_EQ(bytes.at(*probes[0].offset), 0x90);  // nop

  EXPECT_EQ(probes[1].arguments, "");
  EXPECT_EQ(probes[1].semaphore, test::nm_address("", path, "fixture_done_semaphore"));
  uint64_t section_address = 0;
  uint64_t section_offset = 0;
  for (const std::string& line : test::output_of("readelf -SW '" + path + "'")) {
    const size_t at = line.find(".probes");
    if (at == std::string::npos) continue;
    std::sscanf(line.c_str() + at, ".probes PROGBITS %lx %lx", &section_address, &section_offset);
  }
  ASSERT_NE(section_offset, 0U);
  EXPECT_EQ(probes[1].semaphore_offset, probes[1].semaphore - section_address + section_offset);
}

// A description: three addresses, three strings, of which `texts` has the NULs.
Bytes note(uint64_t location, uint64_t base, uint64_t semaphore, std::string_view texts,
           uint32_t type = 3, std::string_view owner = {"stapsdt\0", 8}) {
  Bytes bytes;
  const auto append = [&bytes](const void* data, size_t size) {
    const auto* start = static_cast<const uint8_t*>(data);
    bytes.insert(bytes.end(), start, start + size);
    bytes.resize((bytes.size() + 3) / 4 * 4);
  };
  const Elf64_Nhdr header{static_cast<uint32_t>(owner.size()),
                          static_cast<uint32_t>(24 + texts.size()), type};
  const uint64_t addresses[] = {location, base, semaphore};
  append(&header, sizeof(header));
  append(owner.data(), owner.size());
  append(addresses, sizeof(addresses));
  append(texts.data(), texts.size());
  return bytes;
}

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

constexpr std::string_view kTexts{"p\0n\0-4@%eax\0", 12};

// A file that prelink moved has the old addresses in its notes.
TEST(UsdtProbe, AddressesFollowTheirBase) {
  const UniqueFd file(::memfd_create("small", MFD_CLOEXEC));
  const std::string path = fmt::format("/proc/self/fd/{}", file.get());
  const Bytes notes = note(0x1010, 0x500, 0x2004, kTexts) + note(0x11010, 0, 0, kTexts);
  test::write_bytes(path,
                    test::SmallElf()
                        .code(".text", 0x11000, 0x100)
                        .section(".stapsdt.base", SHT_PROGBITS, SHF_ALLOC, 0x10500, Bytes(1))
                        .section(".probes", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x12000, Bytes(8))
                        .section(".note.stapsdt", SHT_NOTE, 0, 0, notes)
                        .bytes());
  const ElfFile elf = test::open_file(path);
  const auto probes = read_usdt_probes(elf);
  ASSERT_THAT(probes, SizeIs(2));
  EXPECT_EQ(probes[0].location, 0x11010U);
  EXPECT_EQ(probes[0].semaphore, 0x12004U);
  EXPECT_EQ(probes[0].offset, elf.file_offset(0x11010));
  EXPECT_TRUE(probes[0].semaphore_offset);
  EXPECT_EQ(probes[1].location, 0x11010U);  // no base: not corrected
}

TEST(ParseUsdtNotes, SkipsOtherNotes) {
  const Bytes bytes = note(1, 0, 0, kTexts, 4) + note(2, 0, 0, kTexts, 3, {"GNU\0", 4}) +
                      note(3, 0, 0, kTexts) + note(4, 0, 0, kTexts, 3, {"stapsd\0\0", 8});
  const auto probes = parse_usdt_notes(bytes);
  ASSERT_THAT(probes, SizeIs(1));
  EXPECT_EQ(probes[0].location, 3U);
}

TEST(ParseUsdtNotes, KeepsWhatStandsBeforeDamage) {
  const Bytes good = note(1, 2, 3, kTexts);
  for (const std::string_view texts :
       {std::string_view(), std::string_view("p"), std::string_view("p\0n", 3),
        std::string_view("p\0n\0a", 5), std::string_view("\0n\0a\0", 5),
        std::string_view("p\0\0a\0", 5)}) {
    EXPECT_THAT(parse_usdt_notes(good + note(4, 5, 6, texts) + good), SizeIs(1));
  }
  const std::string endless(100'000, 'x');
  EXPECT_THAT(parse_usdt_notes(good + note(4, 5, 6, endless)), SizeIs(1));
  const Bytes two = good + good;
  for (size_t size = 0; size < two.size(); ++size) {
    EXPECT_LE(parse_usdt_notes(std::span(two).first(size)).size(), 1U);
  }
  EXPECT_THAT(parse_usdt_notes(two), SizeIs(2));
}

TEST(ParseUsdtNotes, SizesMayNotReachBeyondTheSection) {
  for (const uint32_t huge : {0xffffffffU, 0xfffffffdU, 0x80000000U}) {
    Bytes bytes = note(1, 2, 3, kTexts);
    std::memcpy(bytes.data(), &huge, sizeof(huge));
    EXPECT_THAT(parse_usdt_notes(bytes), IsEmpty());
    bytes = note(1, 2, 3, kTexts);
    std::memcpy(bytes.data() + 4, &huge, sizeof(huge));
    EXPECT_THAT(parse_usdt_notes(bytes), IsEmpty());
  }
}

TEST(ParseUsdtNotes, AreBounded) {
  Bytes bytes;
  const Bytes one = note(1, 2, 3, {"p\0n\0\0", 5});
  for (int i = 0; i < 70'000; ++i) bytes.insert(bytes.end(), one.begin(), one.end());
  EXPECT_THAT(parse_usdt_notes(bytes), SizeIs(65'536));
}

}  // namespace
}  // namespace dbtrace::symbols
