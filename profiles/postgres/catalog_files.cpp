#include "profiles/postgres/catalog_files.h"

#include <utility>

#include "profiles/postgres/catalog.h"

namespace dbtrace::profiles::postgres {
namespace {

constexpr size_t kFileMax = 64 << 20;
constexpr size_t kMapMax = 4096;
constexpr const char* kFileMap = "pg_filenode.map";

FileMap read_map(const DatabaseFolder& folder) {
  return file_map_of(folder.read(kFileMap, kMapMax));
}

void each_row_of_file(const DatabaseFolder& folder, uint32_t file,
                      const std::function<void(const RowVersion&)>& handler) {
  const std::vector<std::byte> bytes = folder.read(std::to_string(file), kFileMax);
  const std::span<const std::byte> all(bytes);
  const size_t size = page_size(all);
  if (size == 0) return;
  for (size_t at = 0; all.size() - at >= size; at += size) each_row(all.subspan(at, size), handler);
}

// What all databases share is in the catalog of each of them.
std::optional<DatabaseFolder> folder_with_catalog(const DataFolder& data, uint32_t database) {
  constexpr size_t kSome = 1000;
  if (database != 0) return data.database(database);
  for (const uint32_t number : data.databases(kSome))
    if (auto folder = data.database(number)) return folder;
  return std::nullopt;
}

std::vector<FileStamp> stamps_of(const DataFolder& data, uint32_t database,
                                 const DatabaseFolder& folder,
                                 const std::vector<std::string>& files) {
  std::vector<FileStamp> stamps;
  for (const std::string& file : files) stamps.push_back(folder.stamp(file));
  if (database == 0)
    if (const auto shared = data.database(0)) stamps.push_back(shared->stamp(kFileMap));
  return stamps;
}

}  // namespace

bool has_changed(const DataFolder& data, uint32_t database, const CatalogFiles& known) {
  const auto folder = folder_with_catalog(data, database);
  return folder && stamps_of(data, database, *folder, known.files) != known.stamps;
}

NamedObjects read_databases(const DataFolder& data) {
  NamedObjects databases;
  if (const auto shared = data.database(0)) {
    const FileMap map = read_map(*shared);
    if (const auto file = map.find(kDatabaseOid); file != map.end())
      each_row_of_file(*shared, file->second, [&](const RowVersion& row) { databases.add(row); });
  }
  return databases;
}

std::optional<CatalogFiles> read_catalog(const DataFolder& data, uint32_t database) {
  const auto columns = class_columns(data.major());
  const auto folder = folder_with_catalog(data, database);
  if (!columns || !folder) return std::nullopt;
  FileMap map = read_map(*folder);
  const auto classes = map.find(kClassOid);
  if (classes == map.end()) return std::nullopt;
  CatalogFiles result;
  // What is written while it is read makes another stamp.
  const auto read = [&](uint32_t file, const std::function<void(const RowVersion&)>& handler) {
    result.files.push_back(std::to_string(file));
    result.stamps.push_back(folder->stamp(result.files.back()));
    each_row_of_file(*folder, file, handler);
  };
  result.files.push_back(kFileMap);
  result.stamps.push_back(folder->stamp(kFileMap));
  Catalog catalog;
  read(classes->second, [&](const RowVersion& row) {
    if (auto relation = relation_of(row, *columns)) catalog.add(std::move(*relation), row);
  });
  read(catalog.file_of(kNamespaceOid), [&](const RowVersion& row) { catalog.schemas().add(row); });
  if (database == 0) {
    const auto shared = data.database(0);
    if (!shared) return std::nullopt;
    result.stamps.push_back(shared->stamp(kFileMap));
    map = read_map(*shared);
  }
  result.names = catalog.names(map, database == 0);
  return result;
}

}  // namespace dbtrace::profiles::postgres
