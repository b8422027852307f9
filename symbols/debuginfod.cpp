#include "symbols/debuginfod.h"

#include <elf.h>
#include <elfutils/debuginfod.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "symbols/decompress.h"
#include "symbols/elf_file.h"
#include "symbols/library.h"
#include "symbols/unique.h"

namespace dbtrace::symbols {
namespace {

// The functions of libdebuginfod, by their own names.
struct Client {
  decltype(&::debuginfod_begin) begin = nullptr;
  decltype(&::debuginfod_end) end = nullptr;
  decltype(&::debuginfod_find_debuginfo) find_debuginfo = nullptr;
  decltype(&::debuginfod_find_section) find_section = nullptr;  // since elfutils 0.188
};

// Loaded once; never unloaded, as its HTTP library does not like that.
const Result<Client>& client() {
  static const Result<Client> loaded = []() -> Result<Client> {
    const auto library = Library::load("libdebuginfod.so.1", "libdebuginfod1");
    if (!library) return tl::unexpected(library.error());
    Client functions;
    if (!library->find("debuginfod_begin", functions.begin) ||
        !library->find("debuginfod_end", functions.end) ||
        !library->find("debuginfod_find_debuginfo", functions.find_debuginfo))
      return fail("libdebuginfod.so.1 lacks functions that a client needs");
    (void)library->find("debuginfod_find_section", functions.find_section);
    return functions;
  }();
  return loaded;
}

std::string reason(int error) {
  if (error == -ENOENT) return "no server has it";
  if (error == -ENOSYS) return "no server is named in DEBUGINFOD_URLS";
  return std::strerror(-error);
}

using Session = std::unique_ptr<debuginfod_client, decltype(&::debuginfod_end)>;

Result<std::vector<uint8_t>> read_file(int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0) return fail(std::strerror(errno));
  const auto size = static_cast<size_t>(status.st_size);
  if (size > kMaxDecompressed) return fail("is too large");
  std::vector<uint8_t> bytes(size);
  size_t got = 0;
  while (got < size) {
    const ssize_t more = ::pread(file, bytes.data() + got, size - got, static_cast<off_t>(got));
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return fail("cannot be read");
    got += static_cast<size_t>(more);
  }
  return bytes;
}

Result<std::vector<uint8_t>> fetch_section(const Client& functions, const Session& session,
                                           const std::string& build_id, const char* section) {
  // A length of 0 says that the build-id is text.
  const auto* id = reinterpret_cast<const unsigned char*>(build_id.c_str());
  const UniqueFd file(functions.find_section(session.get(), id, 0, section, nullptr));
  if (file.get() < 0) return fail(fmt::format("{}: {}", section, reason(file.get())));
  return read_file(file.get());
}

Result<SymbolTable> fetch_sections(const Client& functions, const Session& session,
                                   const std::string& build_id) {
  auto symbols = fetch_section(functions, session, build_id, ".symtab");
  if (!symbols) return tl::unexpected(std::move(symbols.error()));
  auto strings = fetch_section(functions, session, build_id, ".strtab");
  if (!strings) return tl::unexpected(std::move(strings.error()));
  using Both = std::pair<std::vector<uint8_t>, std::vector<uint8_t>>;
  auto both = std::make_shared<const Both>(std::move(*symbols), std::move(*strings));
  return SymbolTable::of_bytes(both->first, both->second, both);
}

// From clients that know no sections.
Result<SymbolTable> fetch_file(const Client& functions, const Session& session,
                               const std::string& build_id) {
  const auto* id = reinterpret_cast<const unsigned char*>(build_id.c_str());
  UniqueFd descriptor(functions.find_debuginfo(session.get(), id, 0, nullptr));
  if (descriptor.get() < 0) return fail(reason(descriptor.get()));
  auto file = ElfFile::open(std::move(descriptor), "its answer");
  if (!file) return tl::unexpected(std::move(file.error()));
  if (file->build_id() != build_id) return fail("its answer has another build-id");
  auto owner = std::make_shared<const ElfFile>(std::move(*file));
  return SymbolTable::read(*owner, SHT_SYMTAB).map([&](SymbolTable table) {
    return table.kept_by(owner);
  });
}

}  // namespace

std::string debuginfod_servers() {
  const char* urls = std::getenv(DEBUGINFOD_URLS_ENV_VAR);
  return urls == nullptr ? "" : urls;
}

Result<SymbolTable> fetch_symbol_table(const std::string& build_id) {
  if (build_id.empty()) return fail("the binary has no build-id to ask for");
  if (debuginfod_servers().empty()) return fail(reason(-ENOSYS));
  const Result<Client>& functions = client();
  if (!functions) return tl::unexpected(functions.error());
  const Session session(functions->begin(), functions->end);
  if (!session) return fail("cannot start a debuginfod client");
  return functions->find_section != nullptr ? fetch_sections(*functions, session, build_id)
                                            : fetch_file(*functions, session, build_id);
}

}  // namespace dbtrace::symbols
