#include "src/commands/report/report.h"

#include "src/commands/messages.h"
#include "src/commands/report/gather.h"
#include "src/output/whole_file.h"
#include "src/output/writer.h"
#include "src/report/html.h"
#include "src/report/text.h"

namespace dbtrace::commands {
namespace {

Result<void> put(const std::string& path, std::string_view bytes) {
  if (!path.empty()) return output::replace_file(path, bytes);
  output::Writer writer = output::Writer::standard_output(-1);
  if (writer.write(bytes) == output::WriteStatus::Failed) return fail(writer.error());
  return {};
}

}  // namespace

int run_report(const ReportOptions& options) {
  if (options.html && !report::has_page())
    return complain({"this build has no page: it was made with -DDBTRACE_HTML_REPORT=OFF",
                     "without --html it is text"},
                    kFailed);
  if (!options.output_file.empty())
    if (auto can = output::can_replace(options.output_file); !can)
      return complain(can.error(), kFailed);
  auto replay = Replay::open(options.file);
  if (!replay) return complain(replay.error(), kFailed);
  const recording::Reader& reader = replay->reader();
  const auto known = about(*replay);
  if (!known) return complain(known.error(), kFailed);
  report::Collector collector({.timeline = report::Timeline::of(reader.begin_ns(), reader.end_ns()),
                               .several_servers = replay->has_several_servers(),
                               .literals = reader.has_literals()});
  if (auto gathered = gather(*replay, collector); !gathered)
    return complain(gathered.error(), kFailed);

  std::string out;
  if (options.html)
    report::append_page(*known, collector, out);
  else
    report::append_text(*known, collector, out);
  if (auto written = put(options.output_file, out); !written)
    return complain(written.error(), kFailed);
  return kDone;
}

}  // namespace dbtrace::commands
