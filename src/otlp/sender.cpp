#include "src/otlp/sender.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <utility>

#include "src/sandbox/capabilities.h"

namespace dbtrace::otlp {
namespace {

constexpr std::string_view kType = "application/x-protobuf";
// Lines that are told once: a collector may not have a new one each time.
constexpr size_t kMostSaid = 16;

struct SignalName {
  std::string_view name, path;
};
constexpr std::array<SignalName, kSignals> kSignalNames = {
    {{"metrics", "/v1/metrics"}, {"traces", "/v1/traces"}}};

const SignalName& names_of(Signal signal) { return kSignalNames[static_cast<size_t>(signal)]; }

// 0 to 1.
double chance() {
  uint32_t number = 0;
  (void)::getrandom(&number, sizeof(number), 0);
  return number / static_cast<double>(UINT32_MAX);
}

}  // namespace

std::string_view name_of(Signal signal) { return names_of(signal).name; }

Sender::Sender(Collector collector, std::string agent)
    : collector_(std::move(collector)), agent_(std::move(agent)), thread_([this] { work(); }) {}

void Sender::add(Message message) {
  const Lock lock(mutex_);
  if (finish_until_) return drop(message);
  bytes_ += message.body.size();
  waiting_.push_back(std::move(message));
  make_room();
  changed_.notify_one();
}

Sender::Counts Sender::counts(Signal signal) const {
  const Lock lock(mutex_);
  return counts_[static_cast<size_t>(signal)];
}

std::vector<std::string> Sender::take_news() {
  const Lock lock(mutex_);
  return std::exchange(news_, {});
}

void Sender::finish(std::chrono::milliseconds patience) {
  if (!thread_.joinable()) return;
  {
    const Lock lock(mutex_);
    finish_until_ = Clock::now() + patience;
    changed_.notify_one();
  }
  thread_.join();
  if (waiting_.empty()) return;
  std::array<uint64_t, kSignals> left{};
  for (const Message& message : waiting_) {
    drop(message);
    left[static_cast<size_t>(message.signal)] += message.items;
  }
  waiting_.clear();
  news_.push_back(fmt::format("OTLP: {} points and {} spans could not be sent to {} any more\n",
                              left[0], left[1], collector_.url.host));
}

void Sender::work() {
  (void)sandbox::keep_capabilities(0);
  while (auto message = next()) send(std::move(*message));
}

// None: it is to end.
std::optional<Message> Sender::next() {
  Lock lock(mutex_);
  while (true) {
    const auto now = Clock::now();
    if (finish_until_ && (waiting_.empty() || now >= *finish_until_)) return std::nullopt;
    if (finish_until_ || (!waiting_.empty() && now >= not_before_)) break;
    if (waiting_.empty())
      changed_.wait(lock);
    else
      changed_.wait_until(lock, not_before_);
  }
  Message message = std::move(waiting_.front());
  waiting_.pop_front();
  bytes_ -= message.body.size();
  return message;
}

void Sender::send(Message message) {
  const auto patient_until = Clock::now() + kPatience;
  const auto deadline = [&] {
    const Lock lock(mutex_);
    return std::min(patient_until, finish_until_.value_or(patient_until));
  };
  const auto answer = http::post({.to = collector_.url,
                                  .path = names_of(message.signal).path,
                                  .type = kType,
                                  .agent = agent_,
                                  .headers = collector_.headers,
                                  .body = message.body},
                                 deadline);
  const Lock lock(mutex_);
  if (!answer) return put_back(std::move(message), answer.error().message, {});
  const Outcome outcome = outcome_of(*answer);
  switch (outcome.verdict) {
    case Verdict::Taken:
      return take(message, outcome);
    case Verdict::Refused:
      return refuse(message, answer->status);
    case Verdict::TryAgain:
      return put_back(std::move(message),
                      fmt::format("{} answers with status {}", collector_.url.host, answer->status),
                      answer->retry_after);
  }
}

void Sender::take(const Message& message, const Outcome& outcome) {
  backoff_.reset();
  Counts& counts = counts_[static_cast<size_t>(message.signal)];
  const uint64_t rejected = std::min(outcome.rejected, message.items);
  counts.sent += message.items - rejected;
  counts.dropped += rejected;
  if (rejected || !outcome.message.empty())
    say_once(fmt::format("OTLP: {} does not take all {}: {}\n", collector_.url.host,
                         name_of(message.signal), outcome.message));
  if (std::exchange(failing_, false))
    news_.push_back(
        fmt::format("OTLP: {} takes again what it is sent; {} points and {} spans "
                    "were dropped so far\n",
                    collector_.url.host, counts_[0].dropped, counts_[1].dropped));
}

void Sender::refuse(const Message& message, int status) {
  drop(message);
  say_once(fmt::format("OTLP: {} refuses {} with status {}; they are dropped\n",
                       collector_.url.host, name_of(message.signal), status));
}

void Sender::put_back(Message message, const std::string& why,
                      std::optional<std::chrono::seconds> asked_for) {
  not_before_ = Clock::now() + backoff_.next(asked_for, chance());
  bytes_ += message.body.size();
  waiting_.push_front(std::move(message));
  make_room();
  if (finish_until_)
    finish_until_ = Clock::now();  // the rest would not get there, either
  else if (!std::exchange(failing_, true))
    news_.push_back(fmt::format("OTLP: {}; trying again, while up to {} MB wait\n", why,
                                kMostBytes / (1024 * 1024)));
}

void Sender::drop(const Message& message) {
  counts_[static_cast<size_t>(message.signal)].dropped += message.items;
}

void Sender::make_room() {
  while (bytes_ > kMostBytes) {
    drop(waiting_.front());
    bytes_ -= waiting_.front().body.size();
    waiting_.pop_front();
  }
}

void Sender::say_once(std::string line) {
  if (said_.size() >= kMostSaid || std::ranges::find(said_, line) != said_.end()) return;
  said_.push_back(line);
  news_.push_back(std::move(line));
}

}  // namespace dbtrace::otlp
