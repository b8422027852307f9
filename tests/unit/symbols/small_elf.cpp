#include "tests/unit/symbols/small_elf.h"

#include <cstring>
#include <utility>

namespace dbtrace::symbols::test {
namespace {

using Bytes = std::vector<uint8_t>;

template <typename T>
void append(Bytes& bytes, const T& value) {
  const auto* data = reinterpret_cast<const uint8_t*>(&value);
  bytes.insert(bytes.end(), data, data + sizeof(T));
}

// Appends the string and its NUL; returns where it begins.
uint32_t append_string(Bytes& strings, const std::string& text) {
  const auto at = static_cast<uint32_t>(strings.size());
  strings.insert(strings.end(), text.begin(), text.end());
  strings.push_back(0);
  return at;
}

}  // namespace

SmallElf& SmallElf::section(std::string name, uint32_t type, uint64_t flags, uint64_t address,
                            std::vector<uint8_t> content) {
  Elf64_Shdr header{};
  header.sh_type = type;
  header.sh_flags = flags;
  header.sh_addr = address;
  header.sh_size = content.size();
  header.sh_addralign = 4;
  sections_.push_back({std::move(name), header, std::move(content)});
  return *this;
}

SmallElf& SmallElf::code(std::string name, uint64_t address, uint64_t size) {
  return section(std::move(name), SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, address,
                 Bytes(size, 0x90));
}

SmallElf& SmallElf::symbols(uint32_t type, const std::vector<Symbol>& symbols) {
  const bool is_dynamic = type == SHT_DYNSYM;
  Bytes strings(1);
  Bytes table(sizeof(Elf64_Sym));
  for (const Symbol& symbol : symbols) {
    Elf64_Sym entry{};
    entry.st_name = append_string(strings, symbol.name);
    entry.st_info = ELF64_ST_INFO(STB_GLOBAL, symbol.type);
    entry.st_shndx = symbol.section;
    entry.st_value = symbol.address;
    entry.st_size = symbol.size;
    append(table, entry);
  }
  section(is_dynamic ? ".dynsym" : ".symtab", type, 0, 0, std::move(table));
  sections_.back().header.sh_entsize = sizeof(Elf64_Sym);
  // The strings come next; section 0 is the one that every file begins with.
  sections_.back().header.sh_link = static_cast<uint32_t>(sections_.size() + 1);
  return section(is_dynamic ? ".dynstr" : ".strtab", SHT_STRTAB, 0, 0, std::move(strings));
}

std::vector<uint8_t> SmallElf::bytes() const {
  std::vector<Section> sections = sections_;
  sections.insert(sections.begin(), Section{});
  sections.push_back({".shstrtab", {}, Bytes(1)});
  sections.back().header.sh_type = SHT_STRTAB;
  for (size_t i = 1; i < sections.size(); ++i) {
    sections[i].header.sh_name = append_string(sections.back().content, sections[i].name);
  }
  sections.back().header.sh_size = sections.back().content.size();

  std::vector<Elf64_Phdr> segments;
  Bytes contents;
  size_t code_sections = 0;
  for (const Section& section : sections)
    code_sections += (section.header.sh_flags & SHF_EXECINSTR) != 0;
  const uint64_t contents_at = sizeof(Elf64_Ehdr) + code_sections * sizeof(Elf64_Phdr);
  for (Section& section : sections) {
    if (section.header.sh_type == SHT_NULL) continue;
    contents.resize((contents.size() + 7) / 8 * 8);
    section.header.sh_offset = contents_at + contents.size();
    if (section.header.sh_type != SHT_NOBITS)
      contents.insert(contents.end(), section.content.begin(), section.content.end());
    if ((section.header.sh_flags & SHF_EXECINSTR) == 0) continue;
    Elf64_Phdr segment{};
    segment.p_type = PT_LOAD;
    segment.p_flags = PF_R | PF_X;
    segment.p_offset = section.header.sh_offset;
    segment.p_vaddr = section.header.sh_addr;
    segment.p_filesz = segment.p_memsz = section.header.sh_size;
    segments.push_back(segment);
  }
  contents.resize((contents.size() + 7) / 8 * 8);

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof(header);
  header.e_shoff = contents_at + contents.size();
  header.e_ehsize = sizeof(header);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = static_cast<uint16_t>(segments.size());
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<uint16_t>(sections.size());
  header.e_shstrndx = static_cast<uint16_t>(sections.size() - 1);

  Bytes file;
  append(file, header);
  for (const Elf64_Phdr& segment : segments) append(file, segment);
  file.insert(file.end(), contents.begin(), contents.end());
  for (const Section& section : sections) append(file, section.header);
  return file;
}

}  // namespace dbtrace::symbols::test
