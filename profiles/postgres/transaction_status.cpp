#include "profiles/postgres/transaction_status.h"

#include <fmt/format.h>

#include <utility>

#include "profiles/postgres/heap_page.h"

namespace dbtrace::profiles::postgres {
namespace {

constexpr uint32_t kFirst = 3;  // FirstNormalTransactionId: those below are the server's own
// Two bits for each.
constexpr uint32_t kInByte = 4, kBits = 2, kMask = 3;
constexpr uint32_t kCommitted = 1, kAborted = 2;
constexpr uint32_t kPagesOfFile = 32;  // SLRU_PAGES_PER_SEGMENT

}  // namespace

const TransactionStatus::Page* TransactionStatus::page(uint32_t number, size_t size) {
  if (const auto known = pages_.find(number); known != pages_.end()) return &known->second;
  if (!folder_ || pages_.size() >= kPagesMax) return nullptr;
  std::string file = fmt::format("{:04X}", number / kPagesOfFile);
  stamps_.try_emplace(file, folder_->stamp(file));
  std::vector<std::byte> bytes = folder_->read(file, size, number % kPagesOfFile * size);
  return &pages_.emplace(number, Page{std::move(file), std::move(bytes)}).first->second;
}

bool TransactionStatus::is_committed(uint32_t transaction, size_t page_size) {
  if (transaction < kFirst) return transaction != 0;
  if (page_size == 0) return false;
  const size_t byte = transaction / kInByte;
  const Page* page = this->page(static_cast<uint32_t>(byte / page_size), page_size);
  if (!page) return false;
  const uint32_t four = number_at<uint8_t>(page->bytes, byte % page_size);
  const uint32_t status = four >> transaction % kInByte * kBits & kMask;
  if (status != kCommitted && status != kAborted) undecided_.insert(*stamps_.find(page->file));
  return status == kCommitted;
}

}  // namespace dbtrace::profiles::postgres
