// Arbitrary bytes in place of a file of pg_class and a file map, in one of the versions.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "profiles/postgres/catalog.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dbtrace::profiles::postgres;
  constexpr size_t kMap = 40;  // the file map: four pairs
  constexpr size_t kName = 63, kPart = 14;
  if (size < 1 + kMap) return 0;
  const std::span<const std::byte> all = std::as_bytes(std::span(data, size));
  const auto columns = class_columns(13 + data[0] % 6);
  const FileMap map = file_map_of(all.subspan(1, kMap));
  const auto pages = all.subspan(1 + kMap);
  const auto is_committed = [](uint32_t transaction) { return transaction % 3 != 0; };
  Catalog catalog;
  for (uint32_t schema = 0; schema < 100; ++schema) catalog.schemas().add(schema, "s");
  if (const size_t length = page_size(pages))
    for (size_t at = 0; pages.size() - at >= length; at += length)
      each_row(pages.subspan(at, length), is_committed, [&](const RowVersion& row) {
        if (auto relation = relation_of(row, *columns)) catalog.add(std::move(*relation), row);
        catalog.schemas().add(row);
      });
  (void)catalog.file_of(kNamespaceOid);
  for (const bool shared : {false, true})
    for (const auto& [file, name] : catalog.names(map, shared))
      if (file == 0 || name.size() < 3 || name.size() > 2 * kName + 1 + kPart) std::abort();
  return 0;
}
