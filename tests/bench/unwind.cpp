// Stacks that are unwound and named per second of CPU time, of the threads that a server
// has now. A figure to look at: build the target `unwind` and run, as root,
//   unwind PID [--print]
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "src/stacks/unwinder.h"
#include "symbols/symbolizer.h"
#include "tests/unit/stacks/capture.h"

namespace {

using dbtrace::stacks::Unwinder;
using dbtrace::stacks::Unwound;
using dbtrace::stacks::test::Captured;
using dbtrace::symbols::Symbolized;
using dbtrace::symbols::Symbolizer;

constexpr size_t kStacks = 20'000;

// CPU time of this process, which other load does not change much.
double now() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double peak_megabytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

std::string name_of(const Symbolized& place, uint64_t address) {
  if (place.kind == Symbolized::Kind::Function) return std::string(place.function);
  return fmt::format("{}+{:#x} ({:#x})", place.module, place.module_offset, address);
}

void print(Symbolizer& symbolizer, uint32_t pid, int thread, const Unwound& unwound) {
  fmt::print("thread {}{}\n", thread, unwound.whole ? "" : " BROKEN OFF");
  for (const uint64_t address : unwound.addresses) {
    fmt::print("  {}\n", name_of(symbolizer.user(pid, address), address));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const auto pid = static_cast<uint32_t>(std::stoul(argv[1]));
  const bool prints = argc > 2 && std::string_view(argv[2]) == "--print";
  Unwinder unwinder;
  Symbolizer symbolizer;
  if (!symbolizer.observe(pid)) return 1;
  unwinder.observe(pid);

  std::vector<Captured> stacks;
  size_t whole = 0;
  size_t frames = 0;
  double first_time = 0;
  for (const int thread : dbtrace::stacks::test::threads_of(static_cast<int>(pid))) {
    auto captured = dbtrace::stacks::test::capture(thread, 32 << 10);
    if (!captured) continue;
    const double begin = now();
    const Unwound unwound = unwinder.unwind(pid, captured->stack());
    first_time += now() - begin;
    whole += unwound.whole;
    frames += unwound.addresses.size();
    if (prints || !unwound.whole) print(symbolizer, pid, thread, unwound);
    stacks.push_back(std::move(*captured));
  }
  if (stacks.empty()) return 1;
  fmt::print("{} threads, {:.1f} frames each, {} whole; first time {:.1f} ms\n", stacks.size(),
             static_cast<double>(frames) / static_cast<double>(stacks.size()), whole,
             first_time * 1000);

  // Each stack costs what its depth costs: the deepest ones tell most.
  std::ranges::sort(stacks, {}, [&](const Captured& captured) {
    return unwinder.unwind(pid, captured.stack()).addresses.size();
  });
  const Captured& deepest = stacks.back();
  const size_t depth = unwinder.unwind(pid, deepest.stack()).addresses.size();
  for (const bool with_names : {false, true}) {
    size_t characters = 0;
    const double start = now();
    for (size_t i = 0; i < kStacks; ++i) {
      const Unwound unwound = unwinder.unwind(pid, deepest.stack());
      for (const uint64_t address : unwound.addresses) {
        if (with_names) characters += symbolizer.user(pid, address).function.size();
      }
    }
    const double seconds = now() - start;
    fmt::print("{} frames{}: {:.1f} us a stack, {:.0f} a second\n", depth,
               with_names ? ", named" : "", seconds / kStacks * 1e6, kStacks / seconds);
    if (with_names && characters == 0) fmt::print("(no names)\n");
  }
  fmt::print("peak resident {:.0f} MB\n", peak_megabytes());
}
