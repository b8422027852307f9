#include "tests/unit/recording/queries.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace dbtrace::recording {
namespace {

using model::Query;

template <typename Value>
std::string told(const std::optional<Value>& value) {
  return value ? fmt::format("[{}]", *value) : "absent";
}

std::string told(const model::IoCounts& counts) {
  std::string text;
  for (const model::IoCount& count : counts)
    text += fmt::format(" {}/{}/{}/{}/{}", count.count, count.blocked, count.bytes, count.ns,
                        count.max_ns);
  return text;
}

std::string told(const model::File& file) { return file.name + ":" + file.content; }

void describe_samples(const Query& query, std::string& text) {
  if (!query.samples) return;
  text += "samples\n";
  for (const model::Sample& sample : query.samples->samples) {
    text += fmt::format("{} {} {} {} {}:", sample.time_ns, sample.ns, sample.count,
                        static_cast<int>(sample.cause), sample.whole);
    for (const model::FrameId id : sample.frames) {
      const model::Frame& frame = query.samples->frames.at(id);
      text += fmt::format(" {} {} {} {} {};", static_cast<int>(frame.kind), frame.name,
                          frame.module, frame.offset, frame.source);
    }
    text += '\n';
  }
}

void describe_budget(const Query& query, std::string& text) {
  if (const auto& budget = query.budget)
    text += fmt::format("budget {} {} {} {}\n", budget->by_cause_ns, budget->unexplained_ns,
                        budget->voluntary_switches, budget->involuntary_switches);
  if (const auto& io = query.io) {
    text += "io" + told(io->operations);
    for (const model::File& file : io->slowest) text += " slowest " + told(file);
    for (const model::FileIo& file : io->files)
      text += " file " + told(file.file) + told(file.operations);
    text += '\n';
  }
  if (const auto& blocker = query.blocker)
    text += fmt::format("blocker {} {} {} {} {} {} {} {} {} {}\n", blocker->waited_ns,
                        static_cast<int>(blocker->cause), blocker->pid, blocker->tid,
                        blocker->thread, blocker->title, blocker->idle,
                        told(blocker->connection_id), told(blocker->query), blocker->query_length);
  if (const auto& waits = query.named_waits) {
    text += fmt::format("waits {}", waits->others_ns);
    for (const model::NamedWait& wait : waits->waits)
      text += fmt::format(" {}:{} {} {}", wait.event.type, wait.event.event, wait.ns, wait.waits);
    text += '\n';
  }
  if (query.waits_for)
    text += fmt::format("waits for {}:{}\n", query.waits_for->type, query.waits_for->event);
  if (query.stacks)
    for (const model::NamedStack& stack : *query.stacks)
      text += fmt::format("stack {} {} {} {} {}\n", stack.ns, stack.count,
                          static_cast<int>(stack.cause), stack.whole, stack.frames);
  text += query.stacks ? "stacks\n" : "no stacks\n";
  describe_samples(query, text);
}

}  // namespace

std::string described(const Query& query) {
  std::string text = fmt::format(
      "start {} duration {} running {} known {} pid {} tid {} flavor {} kind {} command {} {}\n",
      query.start_ns, query.duration_ns, query.running, query.start_known, query.pid, query.tid,
      query.flavor, query.kind, query.command_id, query.command);
  text += fmt::format("statement {} parent {} children {} depth {}\n", query.statement_id,
                      query.parent_id, query.children_ns, query.depth);
  text +=
      fmt::format("session {} {} {} {} {} {}\n", told(query.connection_id), told(query.user),
                  told(query.host), told(query.ip), told(query.application), told(query.database));
  text += fmt::format("text {} [{}] {} {}\n", static_cast<int>(query.text_state), query.text,
                      query.text_length, query.is_fingerprint);
  text += fmt::format("error {} [{}] id {} ended {} rows {} {}\n", told(query.error),
                      query.sqlstate, told(query.query_id), query.process_ended,
                      told(query.rows_sent), told(query.rows_examined));
  describe_budget(query, text);
  return text;
}

Query query_of(const std::string& text, uint64_t duration_ns) {
  Query query;
  query.start_ns = kBegin + 1'000'000;
  query.duration_ns = duration_ns;
  query.pid = 7;
  query.tid = 8;
  query.flavor = "mariadb";
  query.command_id = 3;
  query.command = "Query";
  query.connection_id = 5;
  query.user = "app";
  query.text_state = model::TextState::Present;
  query.text = text;
  query.text_length = text.size();
  query.error = 0;
  query.rows_sent = 1;
  return query;
}

Query full_query() {
  Query query = query_of("select secret from t where id = 4711", 123'456'789);
  query.running = true;
  query.start_known = false;
  query.kind = 0xfedcba9876543210;
  query.statement_id = 3;
  query.parent_id = 2;
  query.children_ns = 99;
  query.depth = 4;
  query.host = "client.example";
  query.ip = "192.0.2.1";
  query.application = "psql";
  query.database = "shop";
  query.text_length = query.text.size() + 1000;
  query.error = 1205;
  query.sqlstate = "40001";
  query.query_id = -42;
  query.process_ended = true;
  query.rows_sent = UINT64_MAX;
  query.rows_examined = 1ULL << 40;
  query.budget.emplace();
  for (size_t i = 0; i < model::kCauses; ++i) query.budget->by_cause_ns[i] = 1000 + i;
  query.budget->unexplained_ns = 17;
  query.budget->voluntary_switches = 18;
  query.budget->involuntary_switches = 19;
  query.io.emplace();
  query.io->operations[0] = {1, 2, 3, 4, 5};
  query.io->operations[2] = {6, 7, 8, 9, 10};
  query.io->slowest[0] = {"t.ibd", "shop.t"};
  query.io->files = {{{"t.ibd", "shop.t"}, {{{1, 2, 3, 4, 5}, {}, {1, 1, 0, 1, 1}}}},
                     {{"ib_logfile0", "redo"}, {{{}, {2, 0, 512, 3, 2}, {}}}},
                     {{"nothing", ""}, {}}};
  query.blocker = model::Blocker{.waited_ns = 55,
                                 .cause = model::Cause::RowLock,
                                 .pid = 7,
                                 .tid = 9,
                                 .thread = "one_connection",
                                 .title = "postgres: app",
                                 .idle = true,
                                 .connection_id = 6,
                                 .query = "update t set a = 'secret'",
                                 .query_length = 25};
  query.named_waits = model::NamedWaits{
      .waits = {{{"Lock", "tuple"}, 100, 2}, {{"IO", "DataFileRead"}, 50, 1}}, .others_ns = 11};
  query.waits_for = model::WaitEvent{"Client", "ClientRead"};
  query.stacks = {{.ns = 10,
                   .count = 2,
                   .cause = model::Cause::Sleep,
                   .whole = false,
                   .frames = {"start_thread", "a<b;c>::d(int, char)"}},
                  {.ns = 1, .count = 1, .cause = model::Cause::OnCpu, .whole = true, .frames = {}}};
  return query;
}

Query sampled_query() {
  using model::Frame;
  Query query = full_query();
  model::SampledStacks stacks;
  stacks.frames = {
      {.name = "start_thread", .module = "libc.so.6", .source = {}},
      {.name = "a<b;c>::d(int, char)",
       .module = "mariadbd",
       .offset = 0xfedcba9876543210,
       .source = "a.cc:7"},
      {.kind = Frame::Kind::Inlined, .name = "e", .module = "mariadbd", .source = {}},
      {.kind = Frame::Kind::Kernel, .name = "read", .module = "[kernel]", .source = {}},
      {.kind = Frame::Kind::Marker, .name = "[\xff\n]", .module = "", .source = {}}};
  stacks.samples = {{.time_ns = 1, .ns = 2, .frames = {0, 1, 2}},
                    {.time_ns = 5, .ns = 10'000'000, .frames = {0, 1, 2}},
                    {.time_ns = 6,
                     .ns = 7,
                     .count = 9,
                     .cause = model::Cause::FileRead,
                     .whole = false,
                     .frames = {0, 1, 1, 1, 3}},
                    {.time_ns = 1ULL << 40, .frames = {4}},
                    {.frames = {}}};
  query.samples = std::make_shared<const model::SampledStacks>(std::move(stacks));
  return query;
}

model::Spending full_second(uint64_t n) {
  constexpr uint64_t kSecond_ns = 1'000'000'000;
  model::Spending second{
      .end_ns = kBegin + n * kSecond_ns, .length_ns = kSecond_ns, .queries = 100 + n, .sums = {}};
  for (size_t cause = 0; cause < model::kCauses; ++cause) {
    second.sums.ns[cause] = 1000 * (cause + 1) + n;
    second.sums.now[cause] = cause + n % 3;
    if (cause == 0) continue;  // time on a core has no waits
    second.sums.lengths[cause].add(cause * 1000 + n, 3);
    second.sums.lengths[cause].add(uint64_t{1} << (10 + cause), n);
  }
  second.sums.events[{"Lock", "relation"}] = {.ns = 7000 + n, .waits = 3, .now = 1};
  second.sums.events[{"IO", n % 2 ? "WALSync" : "WALWrite"}] = {.ns = 10, .waits = n, .now = 0};
  return second;
}

std::string described(const model::Spending& second) {
  std::string text = fmt::format("end {} length {} queries {}\nns {}\nnow {}\n", second.end_ns,
                                 second.length_ns, second.queries, second.sums.ns, second.sums.now);
  for (const model::Histogram& lengths : second.sums.lengths)
    text += fmt::format("waits {}\n", lengths.counts());
  for (const auto& [event, sums] : second.sums.events)
    text += fmt::format("{}:{} {} {} {}\n", event.type, event.event, sums.ns, sums.waits, sums.now);
  return text;
}

std::vector<model::Spending> read_seconds(Reader& reader) {
  std::vector<model::Spending> all;
  while (true) {
    const auto second = reader.next_second();
    if (!second) throw std::runtime_error(second.error().message);
    if (!*second) return all;
    all.push_back(**second);
  }
}

void must(const Result<void>& result) {
  if (!result) throw std::runtime_error(result.error().message);
}

Writer writer_of(const std::string& path, const WriterOptions& options) {
  auto writer = Writer::create(path, options, kBegin);
  if (!writer) throw std::runtime_error(writer.error().message);
  return std::move(*writer);
}

void record(const std::string& path, const std::vector<Query>& queries,
            const WriterOptions& options) {
  Writer writer = writer_of(path, options);
  for (const Query& query : queries) writer.add(query);
  must(writer.finish(kBegin + 1'000'000'000));
}

Reader reader_of(const std::string& path) {
  auto reader = Reader::open(path);
  if (!reader) throw std::runtime_error(reader.error().message);
  return std::move(*reader);
}

std::vector<Query> read_all(Reader& reader) {
  std::vector<Query> queries;
  while (true) {
    const auto query = reader.next();
    if (!query) throw std::runtime_error(query.error().message);
    if (!*query) return queries;
    queries.push_back(**query);
  }
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace dbtrace::recording
