#include "profiles/postgres/catalog_files.h"

#include <algorithm>
#include <string>
#include <utility>

#include "profiles/postgres/transaction_status.h"

namespace dbtrace::profiles::postgres {
namespace {

// Of whole pages. What is no catalog must end somewhere, too: a table of 4 GB has some 20 million
// rows, of which far fewer are kept.
constexpr size_t kPiece = 1 << 20;
constexpr size_t kTableMax = size_t{4} << 30;
constexpr size_t kMapMax = 4096;
constexpr const char* kFileMap = "pg_filenode.map";

using RowHandler = std::function<void(const RowVersion&)>;

// Reads tables of one folder, and notes the files.
class TableReader {
 public:
  TableReader(const Folder& folder, FileStamps& stamps, TransactionStatus& transactions,
              const std::stop_token& stop)
      : folder_(folder), stamps_(stamps), transactions_(transactions), stop_(stop) {}

  [[nodiscard]] FileMap map() {
    note(kFileMap);
    return file_map_of(folder_.read(kFileMap, kMapMax));
  }

  // A table that is greater than the server lets a file be has several: 1259, 1259.1, …
  void each_row_of(uint32_t file, const RowHandler& handler) {
    size_t size = 0, left = kTableMax;
    for (uint32_t segment = 0; left > 0; ++segment) {
      const std::string name = std::to_string(file);
      const size_t before = left;
      left -= read(segment == 0 ? name : name + '.' + std::to_string(segment), left, size, handler);
      if (left == before || size == 0) return;
    }
  }

 private:
  // What is written while it is read makes another stamp.
  void note(const std::string& name) { stamps_.try_emplace(name, folder_.stamp(name)); }

  // The bytes that it has read. `size`: of a page; 0: not known yet.
  size_t read(const std::string& name, size_t most, size_t& size, const RowHandler& handler) {
    note(name);
    size_t offset = 0;
    while (offset < most && !stop_.stop_requested()) {
      const std::vector<std::byte> bytes = folder_.read(name, kPiece, offset);
      const std::span<const std::byte> piece(bytes);
      if (size == 0) size = page_size(piece);
      if (size == 0 || piece.size() < size) break;
      const auto is_committed = [&](uint32_t transaction) {
        return transactions_.is_committed(transaction, size);
      };
      for (size_t at = 0; piece.size() - at >= size; at += size)
        each_row(piece.subspan(at, size), is_committed, handler);
      offset += piece.size();
      if (piece.size() < kPiece) break;
    }
    return std::min(offset, most);
  }

  const Folder& folder_;
  FileStamps& stamps_;
  TransactionStatus& transactions_;
  const std::stop_token& stop_;
};

// What all databases share is in the catalog of each of them.
std::optional<Folder> folder_with_catalog(const DataFolder& data, uint32_t database) {
  constexpr size_t kSome = 1000;
  if (database != 0) return data.database(database);
  for (const uint32_t number : data.databases(kSome))
    if (auto folder = data.database(number)) return folder;
  return std::nullopt;
}

bool is_another(const std::optional<Folder>& folder, const FileStamps& known) {
  return folder && std::ranges::any_of(known, [&](const auto& file) {
           return folder->stamp(file.first) != file.second;
         });
}

}  // namespace

bool has_changed(const DataFolder& data, uint32_t database, const ReadFiles& known) {
  return is_another(folder_with_catalog(data, database), known.own) ||
         is_another(data.database(0), known.shared) ||
         is_another(data.transactions(), known.transactions);
}

std::optional<DatabaseNames> read_databases(const DataFolder& data, const std::stop_token& stop) {
  const auto shared = data.database(0);
  if (!shared) return std::nullopt;
  DatabaseNames result;
  TransactionStatus transactions(data);
  TableReader reader(*shared, result.read.shared, transactions, stop);
  const FileMap map = reader.map();
  if (const auto file = map.find(kDatabaseOid); file != map.end())
    reader.each_row_of(file->second, [&](const RowVersion& row) { result.names.add(row); });
  if (stop.stop_requested()) return std::nullopt;
  result.read.transactions = transactions.undecided();
  return result;
}

std::optional<CatalogFiles> read_catalog(const DataFolder& data, uint32_t database,
                                         const std::stop_token& stop) {
  const auto columns = class_columns(data.major());
  const auto folder = folder_with_catalog(data, database);
  if (!columns || !folder) return std::nullopt;
  CatalogFiles result;
  TransactionStatus transactions(data);
  TableReader reader(*folder, result.read.own, transactions, stop);
  FileMap map = reader.map();
  const auto classes = map.find(kClassOid);
  if (classes == map.end()) return std::nullopt;
  Catalog catalog;
  reader.each_row_of(classes->second, [&](const RowVersion& row) {
    if (auto relation = relation_of(row, *columns)) catalog.add(std::move(*relation), row);
  });
  reader.each_row_of(catalog.file_of(kNamespaceOid),
                     [&](const RowVersion& row) { catalog.schemas().add(row); });
  if (database == 0) {
    const auto shared = data.database(0);
    if (!shared) return std::nullopt;
    map = TableReader(*shared, result.read.shared, transactions, stop).map();
  }
  if (stop.stop_requested()) return std::nullopt;
  result.read.transactions = transactions.undecided();
  result.names = catalog.names(map, database == 0);
  return result;
}

}  // namespace dbtrace::profiles::postgres
