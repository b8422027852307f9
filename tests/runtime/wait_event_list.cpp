// Preloaded into a PostgreSQL program: asks its own functions what wait events are called and
// prints "NUMBER TYPE EVENT" for each, before the program's main().
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>

namespace {

using NameOf = const char* (*)(uint32_t);

const char* text(const char* name) { return name != nullptr ? name : "?"; }

__attribute__((constructor)) void list() {
  const auto type = reinterpret_cast<NameOf>(::dlsym(RTLD_DEFAULT, "pgstat_get_wait_event_type"));
  const auto event = reinterpret_cast<NameOf>(::dlsym(RTLD_DEFAULT, "pgstat_get_wait_event"));
  if (type == nullptr || event == nullptr) return;
  // How many numbers of each kind. Names of kinds 7 and 11 are looked up in shared memory, which
  // there is none of here; up to 16 kind 4 has one name for all numbers.
  const struct {
    uint32_t kind;
    uint32_t numbers;
  } kinds[] = {{1, 120}, {3, 20}, {4, 1}, {5, 60}, {6, 60}, {8, 120}, {9, 60}, {10, 120}};
  for (const auto& [kind, numbers] : kinds)
    for (uint32_t i = 0; i < numbers; ++i) {
      const uint32_t number = kind << 24 | i;
      std::printf("%u %s %s\n", number, text(type(number)), text(event(number)));
    }
}

}  // namespace
