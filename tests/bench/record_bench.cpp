// What recordings cost, without a server: processor time and bytes a query, and the time to count
// them by kind again. Figures to look at, not a test. Argument: how many queries.
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "src/kinds/kind_table.h"
#include "src/recording/reader.h"
#include "src/recording/writer.h"

namespace {

using namespace dbtrace;

constexpr uint64_t kBegin = 1'790'000'000'000'000'000;
constexpr uint64_t kGap_ns = 20'000;       // 50,000 a second
constexpr uint64_t kCommitEvery = 25'000;  // queries: half a second

uint64_t cpu_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

void must(const Result<void>& result) {
  if (result) return;
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(1);
}

// As sysbench's point selects are, with a budget.
void set(model::Query& query, uint64_t number) {
  query.start_ns = kBegin + number * kGap_ns;
  query.duration_ns = 30'000 + number * 7919 % 60'000;
  query.connection_id = 5 + number % 16;
  query.tid = static_cast<uint32_t>(100 + number % 16);
  query.text = "SELECT c FROM sbtest1 WHERE id=" + std::to_string(number % 10'000);
  query.text_length = query.text.size();
  query.budget.emplace().by_cause_ns[0] = query.duration_ns;
  if (number % 20 == 0) {
    query.budget->by_cause_ns[1] = 5'000;
    query.budget->by_cause_ns[0] -= 5'000;
    query.budget->involuntary_switches = 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  const std::string path = "record_bench.dbt";
  model::Query query;
  query.pid = 99;
  query.flavor = "mysql";
  query.command_id = 3;
  query.command = "Query";
  query.user = "sbtest";
  query.host = "localhost";
  query.database = "bench";
  query.text_state = model::TextState::Present;
  query.error = 0;
  query.rows_sent = query.rows_examined = 1;
  query.io.emplace();

  const uint64_t begin = cpu_ns();
  for (uint64_t i = 0; i < count; ++i) set(query, i);
  const uint64_t making = cpu_ns() - begin;

  auto writer = recording::Writer::create(path, {.literals = false, .program = "bench"}, kBegin);
  if (!writer) return 1;
  const uint64_t write_begin = cpu_ns();
  for (uint64_t i = 0; i < count; ++i) {
    set(query, i);
    writer->add(query);
    if (i % kCommitEvery == 0) must(writer->commit(query.start_ns));
  }
  must(writer->finish(query.start_ns));
  const uint64_t writing = cpu_ns() - write_begin - making;
  struct stat status {};
  (void)::stat(path.c_str(), &status);

  auto reader = recording::Reader::open(path);
  if (!reader) return 1;
  const uint64_t read_begin = cpu_ns();
  kinds::KindTable table{kinds::KindOptions{}};
  uint64_t read = 0;
  while (true) {
    const auto next = reader->next();
    if (!next || !*next) break;
    table.add(**next);
    ++read;
  }
  const uint64_t reading = cpu_ns() - read_begin;
  const auto of = [count](uint64_t sum) {
    return static_cast<double>(sum) / static_cast<double>(count);
  };
  std::printf(
      "%llu queries: %.2f µs of CPU each to write, %.1f bytes each, %.2f s of CPU to read "
      "and count all by kind\n",
      static_cast<unsigned long long>(read), of(writing) / 1000,
      of(static_cast<uint64_t>(status.st_size)), static_cast<double>(reading) / 1e9);
  std::remove(path.c_str());
  return read == count ? 0 : 1;
}
