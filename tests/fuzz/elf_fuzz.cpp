// Arbitrary files: everything that is asked of the ELF files of strangers.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "symbols/function_ranges.h"
#include "symbols/usdt_notes.h"
#include "tests/fuzz/memory_file.h"
#include "tests/unit/symbols/exercise.h"

namespace {

using namespace dbtrace::symbols;

void exercise_addresses(const std::string& path) {
  auto file = ElfFile::open(path);
  if (!file) return;
  (void)read_usdt_probes(*file);
  const auto segments = file->executable_segments();
  const std::vector<Segment> code(segments.begin(), segments.end());
  FinderOptions options;
  options.debug_folders.clear();
  auto functions = functions_by_address(std::move(*file), &options);
  if (!functions) return;
  for (const Segment& segment : code) {
    for (uint64_t i = 0; i < 64; ++i) {
      const uint64_t address = segment.address + i * 16;
      const auto hit = functions->find(address);
      if (!hit) continue;
      if (hit->start > address || hit->raw.empty()) std::abort();
      (void)functions->short_name(hit->id);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static dbtrace::test::MemoryFile file;
  file.write({data, size});
  test::exercise(file.path());
  exercise_addresses(file.path());
  return 0;
}
