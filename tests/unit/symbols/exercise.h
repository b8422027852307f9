// Asks everything there is to ask about a file that may be damaged; the answers
// do not matter. Shared by the mutation tests and the fuzzer.
#pragma once

#include <string>

#include "symbols/finder.h"

namespace dbtrace::symbols::test {

inline void exercise(const std::string& path) {
  auto file = ElfFile::open(path);
  if (!file) return;
  (void)file->debug_link();
  unsigned sum = 0;
  for (const Segment& segment : file->executable_segments()) {
    (void)file->file_offset(segment.address);
    for (const uint8_t byte : file->code(segment.address, SIZE_MAX)) sum += byte;
  }
  volatile unsigned read_for_the_sanitizer = sum;
  (void)read_for_the_sanitizer;

  FinderOptions options;
  options.debug_folders.clear();
  auto finder = Finder::open(std::move(*file), options);
  if (!finder) return;
  for (const char* name : {"dispatch_command", "THD::set_db", "operator()"}) {
    for (const Function& function : finder->functions(name)) {
      (void)function;
    }
  }
  for (const char* typed : {"*", "dispatch_command", "f@V", "/x/", "0x1150"}) {
    const auto pattern = Pattern::parse(typed);
    (void)finder->match(*pattern);
    (void)finder->inlined(*pattern);
    (void)finder->similar_names(*pattern, 5);
  }
  (void)finder->near_misses("dispatch_command");
  (void)finder->data_address("server_version");
  (void)finder->has_symbol_with_prefix("_ZN3THD");
  (void)finder->tables_summary();
}

}  // namespace dbtrace::symbols::test
