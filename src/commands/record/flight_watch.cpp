#include "src/commands/record/flight_watch.h"

#include <fmt/format.h>

#include "src/commands/wall_clock.h"

namespace dbtrace::commands {

Result<std::vector<recording::Incident>> FlightWatch::tick(Attachments& attachments,
                                                           std::string& say) {
  if (!pace_.due()) return {};
  if (conditions_.look_at_running())
    if (auto looked = look_at_running(attachments); !looked) return tl::unexpected(looked.error());
  bool too_many = false;
  auto incidents = conditions_.look(recently_, nanoseconds_of(CLOCK_REALTIME), too_many);
  recently_.begin_second();
  for (const recording::Incident& incident : incidents)
    say += fmt::format("{}: {}\n", incident.condition, incident.value);
  if (too_many) say = "it happened again; nothing is kept, as --most-an-hour says\n";
  return incidents;
}

Result<void> FlightWatch::look_at_running(Attachments& attachments) {
  return attachments.running([this](stream::Decoder& decoder, std::span<const std::byte> event) {
    const model::Query* query = decoder.feed(event);
    if (query && query->running && query->start_known && filter_.accepts(*query))
      recently_.add_running(query->duration_ns);
  });
}

}  // namespace dbtrace::commands
