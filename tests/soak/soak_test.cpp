// Mixed load on several servers at once for a long time, and everything that dbtrace tells of it
// held against what the clients did: nothing wrong, nothing missing, nothing lost, nothing that
// grows, nothing left behind. DBTRACE_SOAK_MINUTES says for how long; a minute is the default.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>

#include "tests/runtime/account.h"
#include "tests/runtime/probe_traces.h"
#include "tests/soak/place.h"
#include "tests/soak/tracer.h"

namespace dbtrace::testing {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr size_t kMaxText = 65'536;
constexpr unsigned kPlayers = 2;  // on each server
constexpr size_t kMostGrowth_kb = 16 * 1024;

seconds length() {
  const char* minutes = std::getenv("DBTRACE_SOAK_MINUTES");
  return minutes != nullptr ? seconds(60 * std::stoul(minutes)) : seconds(60);
}

// A server under load, a `queries` whose lines are checked, and another command beside it.
class Site {
 public:
  Site(std::unique_ptr<Place> place, const std::vector<std::string>& beside)
      : place_(std::move(place)),
        ledger_(place_->user(), kMaxText),
        beside_counts_(beside.front() == "histogram"),
        queries_({"queries", "--budget", "--format", "json", "--max-text", std::to_string(kMaxText),
                  "-p", pid()},
                 [this](std::string_view line) { tell(nlohmann::json::parse(line)); }),
        beside_(with_target(beside), [this](std::string_view line) { count(line); }),
        objects_{BpfObjects(queries_.pid()), BpfObjects(beside_.pid())} {
    EXPECT_TRUE(ProbeSites(place_->pid()).all_probed()) << place_->name();
  }

  void play() {
    for (unsigned i = 0; i < kPlayers; ++i)
      players_.emplace_back([this, i] {
        try {
          const auto player = place_->player(i, ledger_);
          while (!stop_) player->session();
        } catch (const std::runtime_error& error) {
          ADD_FAILURE() << place_->name() << ": " << error.what();
        }
      });
  }
  void look(bool settled) {
    for (Tracer* tracer : {&queries_, &beside_}) tracer->growth().look(settled);
  }
  [[nodiscard]] bool goes_on() { return queries_.running() && beside_.running(); }

  // The players first, then dbtrace, when it has had time to tell the last deeds.
  void end() {
    stop_ = true;
    for (std::thread& player : players_) player.join();
    wait_until([&] { return ledger_.settled(); }, seconds(60));
    for (Tracer* tracer : {&queries_, &beside_}) {
      EXPECT_EQ(tracer->stop(), 0) << place_->name() << ": " << tracer->errors();
      expect_no_growth(tracer->growth());
    }
    ledger_.close();
  }

  void expect_truth() const {
    SCOPED_TRACE(place_->name());
    const Account account = Account::of(queries_.errors());
    EXPECT_EQ(ledger_.wrong(), 0U) << ledger_.complaints();
    EXPECT_EQ(ledger_.missing(), account.lost) << ledger_.complaints() << queries_.errors();
    EXPECT_EQ(account.lost, 0U) << queries_.errors();
    EXPECT_EQ(ledger_.right(), account.shown);
    EXPECT_EQ(account.seen, account.shown + account.hidden);
    EXPECT_GT(ledger_.right(), 100U);
    if (beside_counts_) {
      EXPECT_EQ(counted_, ledger_.deeds()) << beside_.errors();
    }
  }
  void expect_peace() const {
    EXPECT_EQ(place_->sum_of_numbers(), "5050");
    const ProbeSites sites(place_->pid());
    EXPECT_TRUE(wait_until([&] { return sites.all_clean(); }, seconds(60))) << place_->name();
    for (const BpfObjects& each : objects_)
      EXPECT_TRUE(wait_until([&] { return each.all_gone(); }, seconds(60))) << place_->name();
  }
  void report() {
    std::printf("%s: %lu deeds, %lu told right, %lu missing, %lu wrong\n", place_->name(),
                ledger_.deeds(), ledger_.right(), ledger_.missing(), ledger_.wrong());
    for (Tracer* tracer : {&queries_, &beside_}) {
      const Growth::Most &early = tracer->growth().warming_up(), &late = tracer->growth().settled();
      std::printf("  %s: at most %zu kB and %zu files in the first third, %zu kB and %zu later\n",
                  tracer == &queries_ ? "queries" : "beside it", early.memory_kb, early.files,
                  late.memory_kb, late.files);
    }
  }

 private:
  [[nodiscard]] std::string pid() const { return std::to_string(place_->pid()); }
  [[nodiscard]] std::vector<std::string> with_target(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"-p", pid()});
    return arguments;
  }
  // The account at the end says of gaps, too.
  void tell(const nlohmann::json& line) {
    if (!line.contains("lost")) ledger_.told(line);
  }
  // What a histogram has of the whole run.
  void count(std::string_view line) {
    if (!line.starts_with('{')) return;
    const auto interval = nlohmann::json::parse(line);
    if (interval.at("span") == "total") counted_ = interval.at("count");
  }
  void expect_no_growth(const Growth& growth) const {
    EXPECT_GT(growth.warming_up().memory_kb, 0U);
    EXPECT_LE(growth.settled().memory_kb, growth.warming_up().memory_kb + kMostGrowth_kb)
        << place_->name();
    // Files of /proc come and go.
    EXPECT_LE(growth.settled().files, growth.warming_up().files + 2) << place_->name();
  }

  std::unique_ptr<Place> place_;
  Ledger ledger_;
  const bool beside_counts_;
  std::optional<uint64_t> counted_;
  Tracer queries_;
  Tracer beside_;
  std::vector<BpfObjects> objects_;
  std::atomic<bool> stop_ = false;
  std::vector<std::thread> players_;
};

TEST(Soak, EveryDeedIsToldAndNothingGrows) {
  std::vector<std::unique_ptr<Place>> places = mysql_places();
  if (auto postgres = postgres_place()) places.push_back(std::move(postgres));
  if (places.empty()) GTEST_SKIP() << "there is no server";
  const std::vector<std::string> beside[] = {
      {"histogram", "--budget", "--interval", "5s", "--format", "json"},
      {"top", "--batch", "--interval", "5s"},
      {"histogram", "--interval", "5s", "--format", "json"}};
  std::vector<std::unique_ptr<Site>> sites;
  for (size_t i = 0; i < places.size(); ++i)
    sites.push_back(std::make_unique<Site>(std::move(places[i]), beside[i]));

  const auto begin = steady_clock::now();
  for (auto& site : sites) site->play();
  const auto all_go_on = [&] {
    return std::ranges::all_of(sites, [](auto& site) { return site->goes_on(); });
  };
  while (steady_clock::now() < begin + length() && all_go_on()) {
    std::this_thread::sleep_for(seconds(1));
    for (auto& site : sites) site->look(steady_clock::now() > begin + length() / 3);
  }
  EXPECT_TRUE(all_go_on());
  for (auto& site : sites) site->end();
  for (auto& site : sites) {
    site->report();
    site->expect_truth();
    site->expect_peace();
  }
}

}  // namespace
}  // namespace dbtrace::testing
