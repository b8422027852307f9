#include "src/commands/report/gather.h"

namespace dbtrace::commands {
namespace {

// Buckets end by the time of the queries, and get what stretches of that time came to.
Result<void> end_bucket(recording::Reader& reader, report::Collector& collector) {
  if (reader.is_sampled()) {
    const report::Timeline& timeline = collector.timeline();
    const size_t bucket = collector.bucket();
    const uint64_t begin_ns = bucket ? timeline.end_of(bucket - 1) : 0;
    const auto sums = reader.sums(begin_ns, std::min<uint64_t>(timeline.end_of(bucket), INT64_MAX));
    if (!sums) return tl::unexpected(sums.error());
    collector.add(*sums);
  }
  collector.end_bucket();
  return {};
}

}  // namespace

Result<report::About> about(Replay& replay) {
  recording::Reader& reader = replay.reader();
  auto incidents = reader.incidents();
  if (!incidents) return tl::unexpected(incidents.error());
  auto counters = reader.counters();
  if (!counters) return tl::unexpected(counters.error());
  const auto summed_up = reader.summed_up();
  if (!summed_up) return tl::unexpected(summed_up.error());
  return report::About{.path = reader.path(),
                       .program = reader.program(),
                       .begin_ns = reader.begin_ns(),
                       .end_ns = reader.end_ns(),
                       .finished = reader.is_finished(),
                       .sampled = reader.is_sampled(),
                       .summed_up = *summed_up,
                       .servers = replay.servers(),
                       .incidents = std::move(*incidents),
                       .counters = std::move(*counters)};
}

Result<void> gather(Replay& replay, report::Collector& collector) {
  replay.choose({}, true);
  recording::Reader& reader = replay.reader();
  const auto examples = reader.examples();
  if (!examples) return tl::unexpected(examples.error());
  for (const model::Query& example : *examples) collector.example(example);

  Result<void> ended;
  const auto read = replay.each([&](const model::Query& query) {
    const uint64_t end_ns = query.start_ns + query.duration_ns;
    // The last one has no end, whatever a file says.
    while (ended && collector.bucket() + 1 < collector.timeline().buckets &&
           end_ns >= collector.bucket_end_ns())
      ended = end_bucket(reader, collector);
    if (ended) collector.take(query);
    return ended.has_value();
  });
  if (!read) return read;
  while (ended && collector.bucket() < collector.timeline().buckets)
    ended = end_bucket(reader, collector);
  return ended;
}

}  // namespace dbtrace::commands
