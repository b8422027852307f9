// Symbols that lie compressed in the file.
#include <elf.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <lzma.h>
#include <zstd.h>

#include <cstring>

#include "symbols/decompress.h"
#include "tests/unit/symbols/fixture.h"

namespace dbtrace::symbols {
namespace {

using test::Bytes;
using test::fixture;
using test::open_finder;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr uint32_t kZstd = 2;  // ELFCOMPRESS_ZSTD

Bytes zstd(const Bytes& plain) {
  Bytes packed(::ZSTD_compressBound(plain.size()));
  packed.resize(::ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 3));
  return packed;
}

Bytes xz(const Bytes& plain) {
  Bytes packed(plain.size() + 4096);
  size_t size = 0;
  EXPECT_EQ(::lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, nullptr, plain.data(), plain.size(),
                                      packed.data(), &size, packed.size()),
            LZMA_OK);
  packed.resize(size);
  return packed;
}

// `section` of type SHT_SYMTAB or SHT_STRTAB, compressed and put at the file's end.
void compress_with_zstd(Bytes& file, size_t index) {
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof(header));
  const size_t at = header.e_shoff + index * sizeof(Elf64_Shdr);
  Elf64_Shdr section;
  std::memcpy(&section, file.data() + at, sizeof(section));
  const auto begin = file.begin() + static_cast<ptrdiff_t>(section.sh_offset);
  const Bytes packed = zstd({begin, begin + static_cast<ptrdiff_t>(section.sh_size)});
  const Elf64_Chdr prefix{
      .ch_type = kZstd, .ch_reserved = 0, .ch_size = section.sh_size, .ch_addralign = 8};
  section.sh_offset = file.size();
  section.sh_size = sizeof(prefix) + packed.size();
  section.sh_flags |= SHF_COMPRESSED;
  std::memcpy(file.data() + at, &section, sizeof(section));
  const auto* bytes = reinterpret_cast<const uint8_t*>(&prefix);
  file.insert(file.end(), bytes, bytes + sizeof(prefix));
  file.insert(file.end(), packed.begin(), packed.end());
}

std::pair<size_t, size_t> symtab_and_strtab(const Bytes& file) {
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof(header));
  for (size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, file.data() + header.e_shoff + i * sizeof(section), sizeof(section));
    if (section.sh_type == SHT_SYMTAB) return {i, section.sh_link};
  }
  return {};
}

void expect_static_function(const std::string& path, std::string_view table) {
  Finder finder = open_finder(path);
  const auto found = finder.functions("static_function");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].raw, "_ZL15static_functioni");
  EXPECT_EQ(found[0].table, table);
  EXPECT_EQ(found[0].offset, finder.binary().file_offset(found[0].address));
}

TEST(CompressedTables, OfZlibAreRead) {
  if (!std::filesystem::exists(fixture("exec.zlib"))) GTEST_SKIP() << "eu-elfcompress is missing";
  expect_static_function(fixture("exec.zlib"), ".symtab");
  EXPECT_EQ(open_finder(fixture("exec.zlib")).tables_summary(),
            open_finder(fixture("exec")).tables_summary());
}

TEST(CompressedTables, OfZstdAreRead) {
  Bytes bytes = test::read_bytes(fixture("exec"));
  const auto [symbols, strings] = symtab_and_strtab(bytes);
  compress_with_zstd(bytes, symbols);
  compress_with_zstd(bytes, strings);
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "exec", bytes);
  expect_static_function((folder / "exec").string(), ".symtab");
}

// llvm 105542: .gnu_debugdata was ignored.
TEST(MiniDebugInfo, AddsWhatDynsymLacks) {
  expect_static_function(fixture("mini"), ".gnu_debugdata");
  Finder finder = open_finder(fixture("mini"));
  EXPECT_EQ(finder.functions("dispatch_command").at(0).table, ".dynsym");
  const Matches matches = finder.match(*Pattern::parse("static_function"));
  ASSERT_THAT(matches.locations, SizeIs(1));
  EXPECT_EQ(matches.locations[0].address,
            test::nm_address("", fixture("pie"), "_ZL15static_functioni"));
  EXPECT_EQ(matches.locations[0].names[0].file, fixture("mini"));
  const auto& attempts = finder.debug_file_attempts();
  ASSERT_FALSE(attempts.empty());
  EXPECT_EQ(attempts[0].path, ".gnu_debugdata of " + fixture("mini"));
  EXPECT_TRUE(attempts[0].used);
}

TEST(MiniDebugInfo, ThatIsDamagedIsToldOf) {
  Bytes bytes = test::read_bytes(fixture("mini"));
  const Bytes magic = {0xfd, '7', 'z', 'X', 'Z'};
  const auto at = std::search(bytes.begin(), bytes.end(), magic.begin(), magic.end());
  ASSERT_NE(at, bytes.end());
  *(at + 1) = 'x';
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "mini", bytes);
  Finder finder = open_finder((folder / "mini").string());
  EXPECT_THAT(finder.functions("static_function"), ::testing::IsEmpty());
  ASSERT_FALSE(finder.debug_file_attempts().empty());
  EXPECT_EQ(finder.debug_file_attempts()[0].outcome, "is damaged");
  EXPECT_FALSE(finder.debug_file_attempts()[0].used);
}

TEST(Decompress, GivesBackWhatWasPacked) {
  Bytes plain(3'000'000);
  for (size_t i = 0; i < plain.size(); ++i) plain[i] = static_cast<uint8_t>(i * i >> 7);
  EXPECT_EQ(decompress(Compression::Zstd, zstd(plain)).value(), plain);
  EXPECT_EQ(decompress(Compression::Xz, xz(plain)).value(), plain);
  EXPECT_EQ(decompress(Compression::Xz, xz({})).value(), Bytes{});
}

TEST(Decompress, EndsBombs) {
  const Bytes bomb(8U << 20);
  for (const auto& [how, packed] :
       {std::pair(Compression::Zstd, zstd(bomb)), std::pair(Compression::Xz, xz(bomb))}) {
    EXPECT_THAT(packed.size(), ::testing::Lt(100'000U));
    EXPECT_EQ(decompress(how, packed, 1U << 20).error().message, "is larger than 1 MiB");
    EXPECT_TRUE(decompress(how, packed).has_value());
  }
}

TEST(Decompress, SurvivesWhatIsDamaged) {
  const Bytes plain(100'000, 'x');
  for (const auto& [how, packed] :
       {std::pair(Compression::Zstd, zstd(plain)), std::pair(Compression::Xz, xz(plain))}) {
    for (size_t size = 0; size < packed.size(); ++size)
      EXPECT_FALSE(decompress(how, std::span(packed).first(size)).has_value());
  }
  EXPECT_EQ(decompress(Compression::Zlib, Bytes{1, 2, 3}).error().message, "is damaged");
  EXPECT_EQ(decompress(Compression::Zlib, {}).error().message, "is damaged");
}

TEST(DecompressSection, ChecksWhatTheHeaderPromises) {
  const Bytes plain(1000, 'x');
  const Bytes packed = zstd(plain);
  const auto section = [&packed](uint32_t type, uint64_t size) {
    const Elf64_Chdr header{.ch_type = type, .ch_reserved = 0, .ch_size = size, .ch_addralign = 1};
    const auto* bytes = reinterpret_cast<const uint8_t*>(&header);
    Bytes result(bytes, bytes + sizeof(header));
    result.insert(result.end(), packed.begin(), packed.end());
    return result;
  };
  EXPECT_EQ(decompress_section(section(kZstd, 1000)).value(), plain);
  EXPECT_EQ(decompress_section(section(kZstd, 1001)).error().message, "is damaged");
  EXPECT_FALSE(decompress_section(section(kZstd, 999)).has_value());
  EXPECT_THAT(decompress_section(section(kZstd, UINT64_MAX)).error().message,
              HasSubstr("is larger than"));
  EXPECT_THAT(decompress_section(section(77, 1000)).error().message, HasSubstr("unknown way"));
  EXPECT_EQ(decompress_section(Bytes{1, 2}).error().message, "is damaged");
}

}  // namespace
}  // namespace dbtrace::symbols
