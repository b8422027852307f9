#include "src/commands/replay/replay.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "profiles/profile.h"
#include "src/commands/messages.h"
#include "src/commands/tracing/options.h"
#include "src/output/clock_text.h"
#include "src/output/counted.h"

namespace dbtrace::commands {
namespace {

// A statement inside a command is one, whatever the command is.
bool is_background(const model::Query& query) {
  if (query.command == model::kStatement) return false;
  for (const profiles::Profile& profile : profiles::all()) {
    if (profile.flavor != query.flavor) continue;
    const profiles::Command* command = profiles::find_command(profile, query.command_id);
    return command && command->background;
  }
  return false;
}

}  // namespace

void add_from_option(CLI::App& command, std::string& path,
                     const std::vector<std::string_view>& others) {
  auto* from =
      command.add_option("--from", path, "Of this recording (dbtrace record), not of a server")
          ->type_name("FILE")
          ->check([](const std::string& file) { return file.empty() ? "needs a file name" : ""; });
  // They are too many for the help to name.
  command.final_callback([&command, from, others] {
    if (from->count() == 0) return;
    for (const CLI::Option* option : command.get_options()) {
      const bool fits = std::ranges::find(others, option->get_name()) != others.end();
      if (option->count() > 0 && option != from && !fits)
        throw CLI::ExcludesError(from->get_name(), option->get_name());
    }
  });
}

Result<output::Writer> open_output(const std::string& path, const std::string& recording) {
  std::error_code ignored;
  if (std::filesystem::equivalent(recording, path, ignored))
    return fail(path + " is the recording itself", "-o FILE is another file");
  return open_output(path, -1);
}

Result<Replay> Replay::open(const std::string& path) {
  auto reader = recording::Reader::open(path);
  if (!reader) return tl::unexpected(reader.error());
  Replay replay(std::move(*reader));
  auto servers = replay.reader_.servers();
  const auto summed_up = replay.reader_.summed_up();
  const auto counters = replay.reader_.counters();
  if (!servers) return tl::unexpected(servers.error());
  if (!summed_up) return tl::unexpected(summed_up.error());
  if (!counters) return tl::unexpected(counters.error());
  replay.servers_ = std::move(*servers);
  replay.summed_up_ = *summed_up;
  for (const auto& [name, value] : *counters) {
    if (name.starts_with("lost_")) replay.lost_ += value;
    if (name == "budgets_lost") replay.without_budget_ = value;
    if (name == "texts_unreadable") replay.without_text_ = value;
  }
  return replay;
}

void Replay::choose(const QueryChoice& choice, bool counts) {
  only_with_text_ = !choice.all_commands && choice.filter.commands.empty();
  without_background_ = counts && choice.filter.commands.empty();
}

bool Replay::is_asked_for(const model::Query& query) {
  if (only_with_text_ && query.text_state == model::TextState::None) return false;
  if (!without_background_) return true;
  if (query.flavor != flavor_ || query.command_id != command_id_) {
    flavor_ = query.flavor;
    command_id_ = query.command_id;
    is_background_ = is_background(query);
  }
  return !is_background_;
}

Result<void> Replay::each(const std::function<bool(const model::Query&)>& take) {
  while (true) {
    const auto query = reader_.next();
    if (!query) return tl::unexpected(query.error());
    if (!*query) return {};
    if (is_asked_for(**query) && !take(**query)) return {};
  }
}

Result<void> Replay::each_of(const recording::Ids& ids,
                             const std::function<bool(const model::Query&)>& take) {
  reader_.seek(ids);
  return each(take);
}

std::string Replay::account(const Tally& tally) const {
  output::ClockText clock(output::Zone::Local, "%Y-%m-%d %H:%M:%S");
  const auto at = [&clock](uint64_t ns) {
    return std::string(clock.at(ns / output::kNanosecondsPerSecond));
  };
  std::string text = fmt::format("recorded from {}", at(reader_.begin_ns()));
  text += fmt::format(" to {}: {} {}, {} filtered\n", at(reader_.end_ns()), tally.shown,
                      tally.shown_as, tally.filtered);
  if (!reader_.is_finished())
    text += "  it was cut off, or is still being written: later ones are not in it\n";
  if (summed_up_)
    text += fmt::format("  of {} more there is only what all of their kind came to (--max-rate)\n",
                        output::counted(summed_up_, "query", "queries"));
  if (lost_)
    text += fmt::format("  {} were lost while it was recorded: nothing else is known of them\n",
                        output::counted(lost_, "command"));
  return text;
}

int Replay::conclude(const Tally& tally, const Result<void>& ran) const {
  std::fputs(account(tally).c_str(), stderr);
  return ran ? kDone : complain(ran.error(), kFailed);
}

}  // namespace dbtrace::commands
