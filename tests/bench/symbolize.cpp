// Addresses that are symbolized per second of CPU time in a large binary, once its
// tables are read. A figure to look at: build the target `symbolize` and run
//   symbolize [FILE]      (default: /usr/sbin/mariadbd)
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "symbols/elf_file.h"
#include "symbols/symbolizer.h"

namespace {

using dbtrace::symbols::ElfFile;
using dbtrace::symbols::Segment;
using dbtrace::symbols::Symbolized;
using dbtrace::symbols::Symbolizer;

constexpr int kRounds = 5;

// CPU time of this process, which other load does not change much.
double now() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// Maps the code of `file` as a process that runs it would, so that this process
// can stand for one.
uint64_t map_code(const ElfFile& file, const Segment& segment) {
  const uint64_t slack = segment.offset % 4096;
  void* code = ::mmap(nullptr, segment.file_size + slack, PROT_READ | PROT_EXEC, MAP_PRIVATE,
                      file.duplicate_fd().get(), static_cast<off_t>(segment.offset - slack));
  return code == MAP_FAILED ? 0 : reinterpret_cast<uint64_t>(code) + slack;
}

struct Answers {
  size_t named = 0;
  size_t characters = 0;  // so that the names are not for nothing
};

Answers symbolize(Symbolizer& symbolizer, const std::vector<uint64_t>& addresses) {
  const auto pid = static_cast<uint32_t>(::getpid());
  Answers answers;
  for (const uint64_t address : addresses) {
    const Symbolized answer = symbolizer.user(pid, address);
    answers.named += answer.kind == Symbolized::Kind::Function;
    answers.characters += answer.function.size();
  }
  return answers;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : "/usr/sbin/mariadbd";
  const auto file = ElfFile::open(path);
  if (!file || file->executable_segments().empty()) {
    fmt::print(stderr, "{}\n", file ? path + " holds no code" : file.error().message);
    return 1;
  }
  const Segment& segment = file->executable_segments().front();
  const uint64_t start = map_code(*file, segment);
  if (start == 0) return 1;

  Symbolizer symbolizer;
  double begin = now();
  if (!symbolizer.observe(static_cast<uint32_t>(::getpid()))) return 1;
  fmt::print("first sight of the process  {:10.2f} ms\n", (now() - begin) * 1000);
  begin = now();
  (void)symbolizer.user(static_cast<uint32_t>(::getpid()), start);
  fmt::print("first address               {:10.2f} ms\n", (now() - begin) * 1000);

  std::mt19937_64 random(1);
  for (const size_t different : {100U, 10'000U, 1'000'000U}) {
    std::vector<uint64_t> addresses;
    for (size_t i = 0; i < different; ++i) {
      addresses.push_back(start + random() % segment.file_size);
    }
    while (addresses.size() < 1'000'000) addresses.push_back(addresses[random() % different]);
    Answers answers = symbolize(symbolizer, addresses);
    double best = 1e9;
    for (int round = 0; round < kRounds; ++round) {
      begin = now();
      answers = symbolize(symbolizer, addresses);
      best = std::min(best, now() - begin);
    }
    fmt::print("{:9} different addresses {:10.0f} a second, {:.1f} % in a function\n", different,
               static_cast<double>(addresses.size()) / best,
               100.0 * static_cast<double>(answers.named) / static_cast<double>(addresses.size()));
  }
  fmt::print("memory of the tables        {:10.1f} MB\n",
             static_cast<double>(symbolizer.memory()) / 1e6);
}
