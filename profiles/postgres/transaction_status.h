// How transactions ended, from the files of pg_xact (src/backend/access/transam/clog.c, slru.h):
// as far as the server has written it, which it does with every checkpoint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "profiles/postgres/data_folder.h"

namespace dbtrace::profiles::postgres {

// What it has read once it does not read again, so that a transaction has one answer. Memory is
// bounded by kPagesMax: what is on further pages is not known to be committed.
class TransactionStatus {
 public:
  static constexpr size_t kPagesMax = 1024;  // some 30 million transactions

  explicit TransactionStatus(const DataFolder& data) : folder_(data.transactions()) {}

  // False: it failed, is at work, or nothing can be read of it. `page_size`: the server's.
  [[nodiscard]] bool is_committed(uint32_t transaction, size_t page_size);
  // The files that may soon say more of the transactions that were asked for.
  [[nodiscard]] const FileStamps& undecided() const { return undecided_; }

 private:
  struct Page {
    std::string file;
    std::vector<std::byte> bytes;
  };
  [[nodiscard]] const Page* page(uint32_t number, size_t size);

  std::optional<Folder> folder_;
  std::unordered_map<uint32_t, Page> pages_;
  FileStamps stamps_;  // from before the files were read
  FileStamps undecided_;
};

}  // namespace dbtrace::profiles::postgres
