// Pages and catalog files as PostgreSQL writes them, for tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dbtrace::profiles::postgres {

using Bytes = std::vector<std::byte>;

template <typename Number>
void put(Bytes& bytes, size_t offset, Number number) {
  if (bytes.size() < offset + sizeof(number)) bytes.resize(offset + sizeof(number));
  std::memcpy(bytes.data() + offset, &number, sizeof(number));
}

inline void put_name(Bytes& bytes, std::string_view name) {
  bytes.resize(std::max<size_t>(bytes.size(), 4 + 64));
  std::memcpy(bytes.data() + 4, name.data(), std::min<size_t>(name.size(), 64));
}

struct ClassRow {
  uint32_t oid = 16400;
  std::string name = "t";
  uint32_t schema = 2200;
  uint32_t file = 16400;
  uint32_t toast = 0;
  char kind = 'r';
  bool shared = false;
};

// The columns of a row of pg_class.
inline Bytes class_columns_of(const ClassRow& row, int major = 15) {
  const size_t more = major >= 18 ? 4 : 0;
  Bytes bytes(140 + more);
  put(bytes, 0, row.oid);
  put_name(bytes, row.name);
  put(bytes, 68, row.schema);
  put(bytes, 88, row.file);
  put(bytes, 108 + more, row.toast);
  put(bytes, 113 + more, static_cast<uint8_t>(row.shared));
  put(bytes, 115 + more, row.kind);
  return bytes;
}

// … of pg_namespace.
inline Bytes schema_columns_of(uint32_t oid, std::string_view name) {
  Bytes bytes(72);
  put(bytes, 0, oid);
  put_name(bytes, name);
  return bytes;
}

// Bits of t_infomask (src/include/access/htup_details.h).
inline constexpr uint16_t kXminCommitted = 0x0100, kXminInvalid = 0x0200, kXminFrozen = 0x0300,
                          kXmaxCommitted = 0x0400, kXmaxInvalid = 0x0800, kXmaxLockOnly = 0x0080,
                          kXmaxIsMulti = 0x1000;

struct RowHeader {
  uint32_t xmin = 700;
  uint32_t xmax = 0;
  uint16_t mask = kXminCommitted | kXmaxInvalid;
  uint16_t columns = 33;
};

class Page {
 public:
  explicit Page(size_t size = 8192) : bytes_(size), upper_(size) {
    put(bytes_, 18, static_cast<uint16_t>(size | 4));
    finish();
  }
  Page& add(const Bytes& columns, const RowHeader& header = {}) {
    constexpr size_t kHeader = 24;
    Bytes row(kHeader);
    put(row, 0, header.xmin);
    put(row, 4, header.xmax);
    put(row, 18, header.columns);
    put(row, 20, header.mask);
    put(row, 22, static_cast<uint8_t>(kHeader));
    row.insert(row.end(), columns.begin(), columns.end());
    upper_ = (upper_ - row.size()) & ~size_t{7};
    std::memcpy(bytes_.data() + upper_, row.data(), row.size());
    return line(static_cast<uint32_t>(upper_ | 1U << 15 | row.size() << 17));
  }
  // A line pointer, whatever it says.
  Page& line(uint32_t pointer) {
    put(bytes_, lower_, pointer);
    lower_ += 4;
    finish();
    return *this;
  }
  [[nodiscard]] Bytes& bytes() { return bytes_; }

 private:
  void finish() {
    put(bytes_, 12, static_cast<uint16_t>(lower_));
    put(bytes_, 14, static_cast<uint16_t>(upper_));
    put(bytes_, 16, static_cast<uint16_t>(bytes_.size()));
  }
  Bytes bytes_;
  size_t lower_ = 24;
  size_t upper_;
};

// A file of pg_xact: how transactions ended (1: committed, 2: aborted, 3: part of another).
inline Bytes status_file(const std::vector<std::pair<uint32_t, uint8_t>>& transactions) {
  Bytes bytes(8192);
  for (const auto& [transaction, status] : transactions) {
    const size_t at = transaction / 4;
    if (at >= bytes.size()) bytes.resize((at / 8192 + 1) * 8192);
    bytes[at] |= static_cast<std::byte>(status << 2 * (transaction % 4));
  }
  return bytes;
}

inline Bytes map_file(const std::vector<std::pair<uint32_t, uint32_t>>& pairs) {
  Bytes bytes(512);
  put(bytes, 0, uint32_t{0x592717});
  put(bytes, 4, static_cast<uint32_t>(pairs.size()));
  for (size_t i = 0; i < pairs.size(); ++i) {
    put(bytes, 8 + 8 * i, pairs[i].first);
    put(bytes, 12 + 8 * i, pairs[i].second);
  }
  return bytes;
}

}  // namespace dbtrace::profiles::postgres
