#include "src/commands/serve/push.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <ctime>
#include <utility>

#include "src/commands/wall_clock.h"
#include "src/otlp/metrics_message.h"
#include "src/output/redact.h"

namespace dbtrace::commands {
namespace {

using otlp::Signal;
using output::Metric;
using output::MetricType;

constexpr Metric kSent = {"dbtrace_otlp_sent_total", "dbtrace.otlp.sent", "{item}",
                          MetricType::Counter,
                          "Points of metrics and spans that the collector has taken."};
constexpr Metric kDropped = {
    "dbtrace_otlp_dropped_total", "dbtrace.otlp.dropped", "{item}", MetricType::Counter,
    "Points of metrics and spans that found no room while the collector took none, or that it "
    "refused."};
constexpr std::array kSignals = {Signal::Metrics, Signal::Traces};

// Of spans, in one message.
constexpr size_t kMostBytes = 256 * 1024;

// Whoever ends a service waits for it.
constexpr std::chrono::milliseconds kLastPatience{1'000};

std::string host_name() {
  std::array<char, 256> name{};
  (void)::gethostname(name.data(), name.size() - 1);
  return name.data();
}

// A UUID of version 4 (RFC 9562).
std::string random_uuid() {
  std::array<uint8_t, 16> bytes{};
  (void)::getrandom(bytes.data(), bytes.size(), 0);
  bytes[6] = static_cast<uint8_t>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<uint8_t>((bytes[8] & 0x3f) | 0x80);
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", bytes[i]);
  }
  return text;
}

// By the semantic conventions: of figures, who tells them, as they may be of several servers…
otlp::Attributes own_resource() {
  return {{"service.name", "dbtrace"},
          {"service.version", DBTRACE_VERSION},
          {"service.instance.id", random_uuid()},
          {"host.name", host_name()},
          {"process.pid", int64_t{::getpid()}}};
}

// …and of spans, where they were.
otlp::Attributes host() { return {{"host.name", host_name()}}; }

}  // namespace

Push::Push(const PushOptions& options, otlp::Collector collector)
    : start_ns_(nanoseconds_of(CLOCK_REALTIME)),
      slower_than_ns_(options.slower_than_ns),
      resource_(own_resource()),
      pace_(Pace::after_each(std::chrono::nanoseconds(options.interval_ns))),
      spans_(host(), output::redact),
      sender_(std::move(collector), "dbtrace/" DBTRACE_VERSION) {}

void Push::take(const model::Query& query) {
  if (query.duration_ns < slower_than_ns_) return;
  spans_.add(query);
  if (spans_.bytes() >= kMostBytes) send_spans();
}

void Push::send_spans() {
  if (const uint64_t count = spans_.count())
    sender_.add({.signal = Signal::Traces, .items = count, .body = spans_.take(DBTRACE_VERSION)});
}

Result<void> Push::send(const Tell& tell) {
  send_spans();
  otlp::MetricsMessage message(start_ns_, nanoseconds_of(CLOCK_REALTIME));
  if (auto told = tell(message); !told) return told;
  sender_.add({.signal = Signal::Metrics,
               .items = message.points(),
               .body = message.finish(resource_, DBTRACE_VERSION)});
  return {};
}

Result<void> Push::tick(const Tell& tell) {
  if (!pace_.due()) return {};
  return send(tell);
}

Result<void> Push::finish(const Tell& tell) {
  auto sent = send(tell);
  sender_.finish(kLastPatience);
  return sent;
}

void Push::tell(output::Metrics& out) const {
  out.metric(kSent);
  for (const Signal signal : kSignals)
    out.sample({{"signal", otlp::name_of(signal)}}, sender_.counts(signal).sent);
  out.metric(kDropped);
  for (const Signal signal : kSignals)
    out.sample({{"signal", otlp::name_of(signal)}}, sender_.counts(signal).dropped);
}

Result<otlp::Collector> collector_of(const PushOptions& options) {
  auto url = http::parse_url(options.url);
  if (!url) return tl::unexpected(url.error());
  otlp::Collector collector{.url = std::move(*url), .headers = {}};
  for (const std::string& each : options.headers) {
    auto header = http::parse_header(each);
    if (!header) return tl::unexpected(header.error());
    collector.headers.push_back(std::move(*header));
  }
  return collector;
}

}  // namespace dbtrace::commands
