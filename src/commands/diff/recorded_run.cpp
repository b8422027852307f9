#include "src/commands/diff/recorded_run.h"

#include <fstream>

#include "src/commands/histogram/recorded.h"
#include "src/commands/replay/replay.h"

namespace dbtrace::commands {

bool looks_recorded(const std::string& path) {
  constexpr std::string_view kBeginning = "SQLite format 3";
  std::string beginning(kBeginning.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(beginning.data(), static_cast<std::streamsize>(beginning.size())) &&
         beginning == kBeginning;
}

Result<SavedRun> run_of_recording(const std::string& path) {
  auto replay = Replay::open(path);
  if (!replay) return tl::unexpected(replay.error());
  HistogramOptions options;
  options.format = HistogramFormat::Json;
  options.keep_slices = true;
  auto filter = make_filter(options.choice, false);
  if (!filter) return tl::unexpected(filter.error());
  output::Writer unused = output::Writer::standard_output(-1);
  KindView view(options, *filter, replay->has_several_servers(), unused);
  if (auto counted = count(*replay, options, view); !counted)
    return tl::unexpected(counted.error());
  view.close();
  return parse_run(view.saved(replay->span(), losses_of(*replay)), path);
}

}  // namespace dbtrace::commands
