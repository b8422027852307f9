#include "profiles/postgres/heap_page.h"

#include <bit>

namespace dbtrace::profiles::postgres {
namespace {

// struct PageHeaderData: pd_lower, pd_pagesize_version, and the line pointers behind it.
constexpr size_t kLower = 12, kSizeAndVersion = 18, kLinePointers = 24;
constexpr uint16_t kVersion = 4, kVersionMask = 0xff;
constexpr size_t kLeastPage = 1024, kGreatestPage = 32'768;

// struct ItemIdData: 15 bits of offset, 2 of flags, 15 of length.
constexpr size_t kLinePointer = 4;
constexpr uint32_t kLineMask = 0x7fff, kNormal = 1;

// struct HeapTupleHeaderData.
constexpr size_t kMin = 0, kMax = 4, kMask2 = 18, kMask = 20, kDataOffset = 22, kHeader = 23;
constexpr uint16_t kColumns = 0x07ff;  // HEAP_NATTS_MASK
constexpr uint16_t kLockOnly = 0x0080, kMinCommitted = 0x0100, kMinInvalid = 0x0200,
                   kFrozen = kMinCommitted | kMinInvalid, kMaxCommitted = 0x0400,
                   kMaxInvalid = 0x0800;
// Several transactions have locked the row; if one of them has replaced it, there is a later
// version to tell.
constexpr uint16_t kMaxIsMulti = 0x1000;

}  // namespace

bool is_newer(const RowVersion& left, const RowVersion& right) {
  if (left.replaced != right.replaced) return right.replaced;
  if (left.transaction == 0 || right.transaction == 0) return left.transaction > right.transaction;
  // Numbers of transactions go round.
  return static_cast<int32_t>(left.transaction - right.transaction) > 0;
}

size_t page_size(std::span<const std::byte> first_page) {
  const auto word = number_at<uint16_t>(first_page, kSizeAndVersion);
  const size_t size = word & ~size_t{kVersionMask};
  const bool is_sound = (word & kVersionMask) == kVersion && std::has_single_bit(size) &&
                        size >= kLeastPage && size <= kGreatestPage;
  return is_sound ? size : 0;
}

void each_row(std::span<const std::byte> page, const IsCommitted& is_committed,
              const std::function<void(const RowVersion&)>& handler) {
  if (page_size(page) != page.size()) return;
  const size_t end = std::min<size_t>(number_at<uint16_t>(page, kLower), page.size());
  for (size_t at = kLinePointers; at + kLinePointer <= end; at += kLinePointer) {
    const auto line = number_at<uint32_t>(page, at);
    const size_t offset = line & kLineMask, length = line >> 17;
    if ((line >> 15 & 3) != kNormal || offset > page.size() || length > page.size() - offset ||
        length < kHeader)
      continue;
    const auto row = page.subspan(offset, length);
    const auto mask = number_at<uint16_t>(row, kMask);
    const size_t data = number_at<uint8_t>(row, kDataOffset);
    const bool is_frozen = (mask & kFrozen) == kFrozen;
    if (data < kHeader || data > length || (!is_frozen && (mask & kMinInvalid))) continue;
    const auto made_by = is_frozen ? 0 : number_at<uint32_t>(row, kMin);
    if (!(mask & kMinCommitted) && !is_committed(made_by)) continue;
    const bool is_kept = mask & (kMaxInvalid | kLockOnly | kMaxIsMulti);
    const auto replaced_by = is_kept ? 0 : number_at<uint32_t>(row, kMax);
    if (made_by != 0 && made_by == replaced_by) continue;
    handler(
        {.columns = row.subspan(data),
         .column_count = number_at<uint16_t>(row, kMask2) & uint32_t{kColumns},
         .transaction = made_by,
         .replaced = replaced_by != 0 && ((mask & kMaxCommitted) || is_committed(replaced_by))});
  }
}

}  // namespace dbtrace::profiles::postgres
