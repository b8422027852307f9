#include "symbols/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "symbols/decompress.h"
#include "symbols/elf_image.h"

namespace dbtrace::symbols {
namespace {

// Linkers write 8 to 32 bytes; more would not be a build-id.
constexpr size_t kMaxBuildId = 64;
// The largest debug files of servers have a gigabyte. A file with holes may have any size.
constexpr off_t kMostBytes = off_t{8} << 30;
// The build-id stands among the first notes; more is not looked at, however
// many sections a crafted file has.
constexpr size_t kMaxNotes = 4096;

std::string system_error() { return std::strerror(errno); }

std::string fd_path(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

uint64_t aligned(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

std::string hex(std::span<const uint8_t> bytes) {
  std::string result;
  for (uint8_t byte : bytes) fmt::format_to(std::back_inserter(result), "{:02x}", byte);
  return result;
}

// The GNU build-id among ELF notes: a header, a name and a description, each
// padded to the alignment (8 in .note.gnu.property, else 4).
std::string find_build_id(std::span<const uint8_t> notes, uint64_t section_alignment) {
  const uint64_t alignment = section_alignment == 8 ? 8 : 4;
  notes = notes.first(std::min(notes.size(), kMaxNotes));
  uint64_t at = 0;
  while (const auto header = load<Elf64_Nhdr>(notes, at)) {
    const uint64_t name_at = at + sizeof(*header);
    const uint64_t description_at = at + aligned(sizeof(*header) + header->n_namesz, alignment);
    const auto description = slice(notes, description_at, header->n_descsz);
    if (!description) return {};
    const bool is_gnu = header->n_namesz == 4 && text_at(notes, name_at) == ELF_NOTE_GNU;
    if (is_gnu && header->n_type == NT_GNU_BUILD_ID && !description->empty() &&
        description->size() <= kMaxBuildId) {
      return hex(*description);
    }
    at = description_at + aligned(header->n_descsz, alignment);
  }
  return {};
}

Machine to_machine(uint16_t e_machine) {
  switch (e_machine) {
    case EM_X86_64:
      return Machine::X86_64;
    case EM_AARCH64:
      return Machine::AArch64;
    default:
      return Machine::Other;
  }
}

void read_sections(ElfImage& image) {
  Elf* elf = image.elf.get();
  size_t names_index = 0;
  std::span<const uint8_t> names;
  GElf_Shdr header;
  if (elf_getshdrstrndx(elf, &names_index) == 0) {
    Elf_Scn* scn = elf_getscn(elf, names_index);
    if (scn != nullptr && gelf_getshdr(scn, &header) != nullptr) {
      names = slice(image.bytes, header.sh_offset, header.sh_size).value_or(names);
    }
  }
  // libelf has checked that the whole header table lies within the file.
  size_t count = 0;
  if (elf_getshdrnum(elf, &count) != 0) return;
  for (size_t i = 0; i < count; ++i) {
    Elf_Scn* scn = elf_getscn(elf, i);
    if (scn == nullptr || gelf_getshdr(scn, &header) == nullptr) return;
    image.sections.push_back({.name = text_at(names, header.sh_name),
                              .type = header.sh_type,
                              .flags = header.sh_flags,
                              .address = header.sh_addr,
                              .offset = header.sh_offset,
                              .size = header.sh_size,
                              .alignment = header.sh_addralign,
                              .link = header.sh_link});
  }
}

void read_build_id(ElfImage& image, std::span<const GElf_Phdr> headers) {
  // Sections first: in a debug file the program headers describe the binary.
  for (const Section& section : image.sections) {
    const auto notes = section.type == SHT_NOTE ? image.content(section) : std::nullopt;
    if (notes) image.build_id = find_build_id(*notes, section.alignment);
    if (!image.build_id.empty()) return;
  }
  for (const GElf_Phdr& header : headers) {
    if (header.p_type != PT_NOTE) continue;
    const auto notes = slice(image.bytes, header.p_offset, header.p_filesz);
    if (notes) image.build_id = find_build_id(*notes, header.p_align);
    if (!image.build_id.empty()) return;
  }
}

std::vector<GElf_Phdr> read_program_headers(Elf* elf) {
  std::vector<GElf_Phdr> headers;
  size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return headers;
  GElf_Phdr header;
  for (size_t i = 0; i < count && gelf_getphdr(elf, static_cast<int>(i), &header); ++i) {
    headers.push_back(header);
  }
  return headers;
}

std::vector<Segment> executable(std::span<const GElf_Phdr> headers, uint64_t file_size) {
  std::vector<Segment> segments;
  for (const GElf_Phdr& header : headers) {
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
    if (header.p_offset >= file_size) continue;
    const uint64_t size = std::min<uint64_t>(header.p_filesz, file_size - header.p_offset);
    segments.push_back({.address = header.p_vaddr, .offset = header.p_offset, .file_size = size});
  }
  return segments;
}

std::optional<ThreadLocalBlock> thread_local_block_in(std::span<const GElf_Phdr> headers) {
  for (const GElf_Phdr& header : headers)
    if (header.p_type == PT_TLS)
      return ThreadLocalBlock{header.p_vaddr, header.p_memsz,
                              std::max<uint64_t>(header.p_align, 1)};
  return std::nullopt;
}

uint64_t lowest_address(std::span<const GElf_Phdr> headers) {
  constexpr uint64_t kPage = 4096;
  uint64_t lowest = UINT64_MAX;
  for (const GElf_Phdr& header : headers) {
    if (header.p_type == PT_LOAD) lowest = std::min<uint64_t>(lowest, header.p_vaddr);
  }
  return lowest == UINT64_MAX ? 0 : lowest & ~(kPage - 1);
}

Result<void> read(ElfImage& image) {
  const std::string& name = image.name;
  if (elf_version(EV_CURRENT) == EV_NONE) return fail("this libelf is too old");
  image.elf.reset(elf_begin(image.file.get(), ELF_C_READ_MMAP, nullptr));
  Elf* elf = image.elf.get();
  if (elf == nullptr) return fail(fmt::format("cannot read {}: {}", name, elf_errmsg(-1)));
  GElf_Ehdr header;
  if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &header) == nullptr) {
    return fail(fmt::format("{} is not an ELF file", name));
  }
  constexpr bool kLittle = std::endian::native == std::endian::little;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != (kLittle ? ELFDATA2LSB : ELFDATA2MSB)) {
    return fail(fmt::format("{} is not a 64-bit ELF file of this machine's byte order", name));
  }
  size_t size = 0;
  const char* bytes = elf_rawfile(elf, &size);
  if (bytes == nullptr) return fail(fmt::format("cannot read {}: {}", name, elf_errmsg(-1)));
  image.bytes = {reinterpret_cast<const uint8_t*>(bytes), size};
  image.machine = to_machine(header.e_machine);

  const std::vector<GElf_Phdr> headers = read_program_headers(elf);
  image.executable_segments = executable(headers, size);
  image.thread_local_block = thread_local_block_in(headers);
  image.first_address = lowest_address(headers);
  read_sections(image);
  read_build_id(image, headers);
  return {};
}

const Segment* segment_at(const ElfImage& image, uint64_t address) {
  for (const Segment& segment : image.executable_segments) {
    if (address >= segment.address && address - segment.address < segment.file_size) {
      return &segment;
    }
  }
  return nullptr;
}

}  // namespace

void ElfTraits::release(::Elf* elf) { elf_end(elf); }

const ElfImage& image_of(const ElfFile& file) { return *file.image_; }

std::optional<std::span<const uint8_t>> ElfImage::content(const Section& section) const {
  if (section.type == SHT_NOBITS) return std::nullopt;
  return slice(bytes, section.offset, section.size);
}

std::optional<uint64_t> link_address(std::span<const Segment> segments, uint64_t offset) {
  for (const Segment& segment : segments) {
    if (offset >= segment.offset && offset - segment.offset < segment.file_size) {
      return segment.address + (offset - segment.offset);
    }
  }
  return std::nullopt;
}

Result<ElfFile> ElfFile::open(const std::string& path, std::string name) {
  if (name.empty()) name = path;
  // O_PATH: merely opening a device can have effects, and a FIFO would block.
  UniqueFd file(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!file) return fail(fmt::format("cannot open {}: {}", name, system_error()));
  return open(std::move(file), std::move(name));
}

Result<ElfFile> ElfFile::open(UniqueFd file, std::string name) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) {
    return fail(fmt::format("cannot open {}: {}", name, system_error()));
  }
  if (!S_ISREG(status.st_mode)) return fail(fmt::format("{} is not a regular file", name));
  if (status.st_size > kMostBytes)
    return fail(fmt::format("{} is too large: no program has {} bytes", name, status.st_size));

  auto image = std::make_unique<ElfImage>();
  image->file.reset(::open(fd_path(file.get()).c_str(), O_RDONLY | O_CLOEXEC));
  if (!image->file) return fail(fmt::format("cannot open {}: {}", name, system_error()));
  image->name = std::move(name);
  image->inode = {status.st_dev, status.st_ino};
  if (auto done = read(*image); !done) return tl::unexpected(std::move(done.error()));
  return ElfFile(std::move(image));
}

ElfFile::ElfFile(std::unique_ptr<const ElfImage> image) : image_(std::move(image)) {}
ElfFile::ElfFile(ElfFile&&) noexcept = default;
ElfFile& ElfFile::operator=(ElfFile&&) noexcept = default;
ElfFile::~ElfFile() = default;

const std::string& ElfFile::name() const { return image_->name; }
Machine ElfFile::machine() const { return image_->machine; }
const std::string& ElfFile::build_id() const { return image_->build_id; }
std::pair<uint64_t, uint64_t> ElfFile::inode() const { return image_->inode; }

std::string ElfFile::real_path() const {
  std::error_code error;
  std::string path = std::filesystem::read_symlink(fd_path(image_->file.get()), error).string();
  static constexpr std::string_view kDeleted = " (deleted)";
  if (path.ends_with(kDeleted)) path.resize(path.size() - kDeleted.size());
  return path;
}

std::optional<ElfFile::DebugLink> ElfFile::debug_link() const {
  for (const Section& section : image_->sections) {
    if (section.name != ".gnu_debuglink") continue;
    const auto content = image_->content(section);
    if (!content) continue;
    const std::string_view file = text_at(*content, 0);
    const auto crc = load<uint32_t>(*content, aligned(file.size() + 1, 4));
    if (!file.empty() && crc) return DebugLink{std::string(file), *crc};
  }
  return std::nullopt;
}

std::optional<SectionContent> ElfFile::section(std::string_view name, size_t most) const {
  const auto found = std::ranges::find(image_->sections, name, &Section::name);
  if (found == image_->sections.end()) return std::nullopt;
  const auto content = image_->content(*found);
  if (!content || content->size() > most) return std::nullopt;
  if ((found->flags & SHF_COMPRESSED) == 0) {
    return SectionContent{found->address, {content->begin(), content->end()}};
  }
  auto bytes = decompress_section(*content, most);
  if (!bytes) return std::nullopt;
  return SectionContent{found->address, std::move(*bytes)};
}

UniqueFd ElfFile::duplicate_fd() const {
  return UniqueFd(::fcntl(image_->file.get(), F_DUPFD_CLOEXEC, 0));
}

uint64_t ElfFile::first_address() const { return image_->first_address; }

std::optional<ThreadLocalBlock> ElfFile::thread_local_block() const {
  return image_->thread_local_block;
}

std::span<const Segment> ElfFile::executable_segments() const {
  return image_->executable_segments;
}

std::optional<uint64_t> ElfFile::file_offset(uint64_t address) const {
  const Segment* segment = segment_at(*image_, address);
  if (segment == nullptr) return std::nullopt;
  return segment->offset + (address - segment->address);
}

std::vector<uint8_t> ElfFile::code(uint64_t address, size_t max) const {
  const Segment* segment = segment_at(*image_, address);
  if (segment == nullptr) return {};
  const uint64_t skipped = address - segment->address;
  std::vector<uint8_t> bytes(std::min<uint64_t>(max, segment->file_size - skipped));
  size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t more = ::pread(image_->file.get(), bytes.data() + got, bytes.size() - got,
                                 static_cast<off_t>(segment->offset + skipped + got));
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) break;
    got += static_cast<size_t>(more);
  }
  bytes.resize(got);
  return bytes;
}

std::string ElfFile::string_at(uint64_t address, size_t max) const {
  for (const Section& section : image_->sections) {
    if (section.address == 0 || address < section.address ||
        address - section.address >= section.size)
      continue;
    const auto content = image_->content(section);
    if (!content) continue;
    return std::string(text_at(*content, address - section.address).substr(0, max));
  }
  return {};
}

std::string ElfFile::string_with_prefix(std::string_view prefix) const {
  for (const Section& section : image_->sections) {
    if (!section.name.starts_with(".rodata")) continue;
    const auto content = image_->content(section);
    if (!content) continue;
    const std::string_view text(reinterpret_cast<const char*>(content->data()), content->size());
    for (size_t at = text.find(prefix); at != std::string_view::npos;
         at = text.find(prefix, at + 1))
      if (at == 0 || text[at - 1] == '\0') return std::string(text_at(*content, at));
  }
  return {};
}

}  // namespace dbtrace::symbols
