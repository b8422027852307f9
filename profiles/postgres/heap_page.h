// Pages of a table's file, as PostgreSQL 8.3 and later write them (manual: "Database Page
// Layout"; src/include/storage/bufpage.h, itemid.h, access/htup_details.h). Whatever the bytes
// are, no more is read than there is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace dbtrace::profiles::postgres {

// One version of a row. Every change of a row makes a new version; the old one lies about until
// it is vacuumed.
struct RowVersion {
  std::span<const std::byte> columns;  // their values, the first one first
  uint32_t column_count = 0;
  uint32_t transaction = 0;  // that made it; 0: so long ago that it is older than all others
  bool replaced = false;     // deleted, or another version took its place
};

// Whether `left` is more likely than `right` what counts, if they are of the same row.
[[nodiscard]] bool is_newer(const RowVersion& left, const RowVersion& right);

// The size of a table's pages, by the first of them; 0: it is no such page.
[[nodiscard]] size_t page_size(std::span<const std::byte> first_page);

// Whether a transaction is known to have been committed.
using IsCommitted = std::function<bool(uint32_t transaction)>;

// Hands out the row versions of a page that committed transactions have made, but not those that a
// transaction has both made and replaced: nobody else ever saw them. What the row itself does not
// say of its transactions, `is_committed` does. They are valid as long as the page is.
void each_row(std::span<const std::byte> page, const IsCommitted& is_committed,
              const std::function<void(const RowVersion&)>& handler);

// An unsigned number that lies in memory as the processor has it; 0 beyond the end.
template <typename Number>
[[nodiscard]] Number number_at(std::span<const std::byte> bytes, size_t offset) {
  Number number = 0;
  if (offset > bytes.size() || sizeof(Number) > bytes.size() - offset) return 0;
  std::copy_n(bytes.data() + offset, sizeof(Number), reinterpret_cast<std::byte*>(&number));
  return number;
}

}  // namespace dbtrace::profiles::postgres
