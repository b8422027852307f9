// Files that lie. Built with sanitizers (DBTRACE_SANITIZE) these tests prove
// most; without, they still catch crashes, endless loops and thrown exceptions.
#include <elf.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/mman.h>

#include <cstring>
#include <random>

#include "tests/unit/symbols/exercise.h"
#include "tests/unit/symbols/fixture.h"

namespace dbtrace::symbols {
namespace {

using test::Bytes;
using test::fixture;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Each test has one file in memory, thousands of times rewritten.
class Hostile : public ::testing::Test {
 protected:
  std::string path() const { return fmt::format("/proc/self/fd/{}", file_.get()); }

  void exercise(const Bytes& bytes) {
    test::write_bytes(path(), bytes);
    test::exercise(path());
  }

 private:
  UniqueFd file_{::memfd_create("hostile", MFD_CLOEXEC)};
};

template <typename T>
T get(const Bytes& bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

template <typename T>
void put(Bytes& bytes, size_t at, const T& value) {
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

// Applies `change` to the section header of the given type.
template <typename Change>
void change_section(Bytes& bytes, uint32_t type, Change change) {
  const auto header = get<Elf64_Ehdr>(bytes, 0);
  for (size_t i = 0; i < header.e_shnum; ++i) {
    const size_t at = header.e_shoff + i * sizeof(Elf64_Shdr);
    auto section = get<Elf64_Shdr>(bytes, at);
    if (section.sh_type != type) continue;
    change(section);
    put(bytes, at, section);
  }
}

TEST_F(Hostile, EveryTruncationIsSurvived) {
  const Bytes whole = test::read_bytes(fixture("no-id.stripped"));
  for (size_t size = 0; size < 512; ++size) exercise({whole.begin(), whole.begin() + size});
  for (size_t size = 512; size < whole.size(); size += 97) {
    exercise({whole.begin(), whole.begin() + size});
  }
}

// Headers and tables are where a wrong byte hurts.
TEST_F(Hostile, EveryHeaderByteMayBeWrong) {
  const Bytes whole = test::read_bytes(fixture("pie.exported"));
  const auto header = get<Elf64_Ehdr>(whole, 0);
  std::vector<size_t> places;
  for (size_t i = 0; i < sizeof(header); ++i) places.push_back(i);
  for (size_t i = 0; i < header.e_phnum * sizeof(Elf64_Phdr); ++i)
    places.push_back(header.e_phoff + i);
  for (size_t i = 0; i < header.e_shnum * sizeof(Elf64_Shdr); ++i)
    places.push_back(header.e_shoff + i);
  for (const size_t place : places) {
    for (const uint8_t value : Bytes{0x00, 0x7f, 0xff}) {
      Bytes changed = whole;
      changed[place] = value;
      exercise(changed);
    }
  }
}

TEST_F(Hostile, RandomMutationsAreSurvived) {
  std::mt19937 random(20240229);
  for (const char* name : {"pie", "exec", "stripped", "server.debug"}) {
    const Bytes whole = test::read_bytes(fixture(name));
    for (int round = 0; round < 300; ++round) {
      Bytes changed = whole;
      for (int i = 0; i < 200; ++i)
        changed[random() % changed.size()] = static_cast<uint8_t>(random());
      std::memcpy(changed.data(), whole.data(), EI_NIDENT);  // still called an ELF file
      exercise(changed);
    }
  }
}

TEST_F(Hostile, TablesBeyondTheFileAreRefused) {
  for (const uint32_t type : {SHT_DYNSYM, SHT_STRTAB}) {
    for (const uint64_t huge : {uint64_t{1} << 40, UINT64_MAX, UINT64_MAX - 0x1000}) {
      Bytes bytes = test::read_bytes(fixture("pie.exported"));
      change_section(bytes, type, [&](Elf64_Shdr& section) { section.sh_size = huge; });
      exercise(bytes);
      EXPECT_THAT(test::open_finder(path()).functions("dispatch_command"), IsEmpty());
    }
  }
  Bytes bytes = test::read_bytes(fixture("pie.exported"));
  change_section(bytes, SHT_DYNSYM, [](Elf64_Shdr& section) { section.sh_link = 0xffff; });
  test::write_bytes(path(), bytes);
  EXPECT_THAT(test::open_finder(path()).tables_summary(),
              ::testing::HasSubstr(".dynsym is damaged"));
}

TEST_F(Hostile, CompressedTablesAreRefusedByName) {
  Bytes bytes = test::read_bytes(fixture("exec"));
  change_section(bytes, SHT_SYMTAB,
                 [](Elf64_Shdr& section) { section.sh_flags |= SHF_COMPRESSED; });
  test::write_bytes(path(), bytes);
  EXPECT_THAT(test::open_finder(path()).tables_summary(),
              ::testing::HasSubstr(".symtab is compressed"));
}

// p_memsz may reach far beyond the file: there is nothing to probe.
TEST_F(Hostile, SegmentsEndWithTheFile) {
  Bytes bytes = test::read_bytes(fixture("pie"));
  const auto header = get<Elf64_Ehdr>(bytes, 0);
  for (size_t i = 0; i < header.e_phnum; ++i) {
    const size_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
    auto segment = get<Elf64_Phdr>(bytes, at);
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    segment.p_filesz = segment.p_memsz = UINT64_MAX;
    put(bytes, at, segment);
  }
  test::write_bytes(path(), bytes);
  const ElfFile file = test::open_file(path());
  ASSERT_THAT(file.executable_segments(), SizeIs(1));
  const Segment& segment = file.executable_segments()[0];
  EXPECT_EQ(segment.offset + segment.file_size, bytes.size());
  EXPECT_THAT(file.code(segment.address, SIZE_MAX), SizeIs(segment.file_size));
  EXPECT_EQ(file.file_offset(segment.address + segment.file_size), std::nullopt);
}

// 500,000 symbols that share one long name: the answers must stay few and the
// time short, though the file is well-formed.
TEST_F(Hostile, ManySymbolsOfOneNameStayBounded) {
  Bytes bytes = test::read_bytes(fixture("pie.exported"));
  Elf64_Sym dispatch{};
  change_section(bytes, SHT_DYNSYM, [&](Elf64_Shdr& section) {
    const uint64_t address =
        test::open_finder(fixture("pie")).functions("dispatch_command").at(0).address;
    for (size_t at = section.sh_offset; at < section.sh_offset + section.sh_size;
         at += sizeof(dispatch)) {
      const auto symbol = get<Elf64_Sym>(bytes, at);
      if (symbol.st_value == address) dispatch = symbol;
    }
    constexpr size_t kCount = 500'000;
    section.sh_offset = bytes.size();
    section.sh_size = kCount * sizeof(dispatch);
    bytes.resize(bytes.size() + section.sh_size);
    for (size_t i = 0; i < kCount; ++i)
      put(bytes, section.sh_offset + i * sizeof(dispatch), dispatch);
  });
  ASSERT_NE(dispatch.st_name, 0U);
  test::write_bytes(path(), bytes);
  Finder finder = test::open_finder(path());
  EXPECT_THAT(finder.functions("dispatch_command"), SizeIs(1));
  EXPECT_THAT(finder.near_misses("dispatch_command"), IsEmpty());
}

}  // namespace
}  // namespace dbtrace::symbols
