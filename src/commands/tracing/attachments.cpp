#include "src/commands/tracing/attachments.h"

#include <sys/epoll.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace dbtrace::commands {
namespace {

void add_to(attach::Counters& sum, const attach::Counters& counters) {
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += counters[i];
}

}  // namespace

Attachments::Attachments(const attach::TracerOptions& options, size_t remembered)
    : options_(options), remembered_(remembered), rings_(::epoll_create1(EPOLL_CLOEXEC)) {}

Result<void> Attachments::add(std::vector<attach::TracedBinary> binaries,
                              std::vector<stream::EventSource> sources) {
  auto tracer = attach::Tracer::attach(binaries, options_);
  if (!tracer) return tl::unexpected(tracer.error());
  mechanism_ = tracer->mechanism();
  for (const attach::Feature feature : shed_) tracer->shed(feature);
  epoll_event event{};
  event.events = EPOLLIN;
  // Without it much data waits for the next look.
  (void)::epoll_ctl(rings_.get(), EPOLL_CTL_ADD, tracer->ring_fd(), &event);
  for (const attach::TracedBinary& binary : binaries)
    if (binary.pid) processes_.insert(binary.pid);
  attachments_.push_back(
      {std::move(binaries), stream::Decoder(std::move(sources), remembered_), std::move(*tracer)});
  attachments_.back().decoder.set_clock_offset(clock_offset_);
  return {};
}

bool Attachments::is_over(const Attachment& attachment) const {
  return std::ranges::none_of(attachment.binaries, [this](const attach::TracedBinary& binary) {
    return !binary.pid || processes_.contains(binary.pid);
  });
}

void Attachments::close(Attachment& attachment, const Handler& handler) {
  if (options_.waits) {
    if (auto waits = attachment.wait_sums()) {
      waits->nobody_waits();
      past_waits_.add(*waits);
    } else {
      past_told_ = tl::unexpected(waits.error());
    }
  }
  attachment.tracer.detach();
  if (auto kept = keep_sums(attachment.tracer); !kept) past_told_ = kept;
  while (drain(attachment, handler)) {
  }
  past_malformed_ += attachment.decoder.malformed();
}

Result<void> Attachments::keep_sums(const attach::Tracer& tracer) {
  if (options_.kinds) {
    auto kinds = tracer.kind_sums();
    if (!kinds) return tl::unexpected(kinds.error());
    for (auto& [key, sums] : *kinds) past_kinds_[key].merge(sums);
  }
  const auto counters = tracer.counters();
  if (!counters) return tl::unexpected(counters.error());
  add_to(past_, *counters);
  const auto cost = tracer.run_cost();
  if (!cost) return tl::unexpected(cost.error());
  past_cost_ += *cost;
  return {};
}

void Attachments::ended(uint32_t pid, const Handler& handler) {
  processes_.erase(pid);
  std::erase_if(attachments_, [&](Attachment& attachment) {
    if (!is_over(attachment)) return false;
    close(attachment, handler);
    return true;
  });
}

void Attachments::drain_stacks(Attachment& attachment) {
  if (!options_.stacks || !stack_handler_) return;
  while (attachment.tracer.drain_stacks(stack_handler_)) {
  }
}

// When a command's event has come, its stacks have come, too.
bool Attachments::drain(Attachment& attachment, const Handler& handler) {
  const bool more = attachment.tracer.drain([&](std::span<const std::byte> event) {
    drain_stacks(attachment);
    handler(attachment.decoder, event);
  });
  drain_stacks(attachment);
  return more;
}

bool Attachments::drain(const Handler& handler) {
  bool more = false;
  for (Attachment& attachment : attachments_) more |= drain(attachment, handler);
  return more;
}

Result<void> Attachments::look_at_waits() {
  for (Attachment& attachment : attachments_) {
    if (auto looked = attachment.tracer.look_at_waits(stack_handler_); !looked) return looked;
    // What ended meanwhile is known before anybody asks.
    drain_stacks(attachment);
  }
  return {};
}

Result<void> Attachments::running(const Handler& handler) {
  for (Attachment& attachment : attachments_) {
    auto told = attachment.tracer.running(
        [&](std::span<const std::byte> event) { handler(attachment.decoder, event); });
    if (!told) return told;
  }
  return {};
}

Result<model::WaitSums> Attachments::Attachment::wait_sums() const {
  return tracer.wait_sums([this](uint32_t binary, uint32_t number) {
    return decoder.source(binary).wait_event(number);
  });
}

Result<model::WaitSums> Attachments::wait_sums() const {
  if (!past_told_) return tl::unexpected(past_told_.error());
  model::WaitSums sums = past_waits_;
  for (const Attachment& attachment : attachments_) {
    const auto part = attachment.wait_sums();
    if (!part) return tl::unexpected(part.error());
    sums.add(*part);
  }
  return sums;
}

Result<attach::KindSums> Attachments::kind_sums() const {
  if (!past_told_) return tl::unexpected(past_told_.error());
  attach::KindSums sums(past_kinds_.begin(), past_kinds_.end());
  for (const Attachment& attachment : attachments_) {
    auto part = attachment.tracer.kind_sums();
    if (!part) return tl::unexpected(part.error());
    std::ranges::move(*part, std::back_inserter(sums));
  }
  return sums;
}

void Attachments::set_clock_offset(int64_t nanoseconds) {
  clock_offset_ = nanoseconds;
  for (Attachment& attachment : attachments_) attachment.decoder.set_clock_offset(nanoseconds);
}

stream::Files::Renamed Attachments::take_renamed_files() {
  stream::Files::Renamed all;
  for (Attachment& attachment : attachments_)
    std::ranges::move(attachment.decoder.take_renamed_files(), std::back_inserter(all));
  return all;
}

void Attachments::detach(const Handler& handler) {
  for (Attachment& attachment : attachments_) close(attachment, handler);
  attachments_.clear();
}

Result<attach::Counters> Attachments::counters() const {
  if (!past_told_) return tl::unexpected(past_told_.error());
  attach::Counters sum = past_;
  for (const Attachment& attachment : attachments_) {
    const auto part = attachment.tracer.counters();
    if (!part) return part;
    add_to(sum, *part);
  }
  return sum;
}

Result<attach::RunCost> Attachments::run_cost() const {
  if (!past_told_) return tl::unexpected(past_told_.error());
  attach::RunCost sum = past_cost_;
  for (const Attachment& attachment : attachments_) {
    const auto part = attachment.tracer.run_cost();
    if (!part) return part;
    sum += *part;
  }
  return sum;
}

void Attachments::shed(attach::Feature feature) {
  shed_.push_back(feature);
  for (Attachment& attachment : attachments_) attachment.tracer.shed(feature);
}

uint64_t Attachments::malformed() const {
  uint64_t sum = past_malformed_;
  for (const Attachment& attachment : attachments_) sum += attachment.decoder.malformed();
  return sum;
}

}  // namespace dbtrace::commands
