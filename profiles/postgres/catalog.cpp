#include "profiles/postgres/catalog.h"

#include <charconv>
#include <utility>

namespace dbtrace::profiles::postgres {
namespace {

// Columns that all rows of the catalog begin with: oid, then a name of NAMEDATALEN bytes.
constexpr size_t kOid = 0, kName = 4, kNameSize = 64;
// pg_class: those that did not move from 12 to 18.
constexpr size_t kSchema = 68, kFile = 88;
constexpr uint32_t kLeastColumns = 18;  // up to relkind; 18 has one more
constexpr uint32_t kToastSchema = 99;   // PG_TOAST_NAMESPACE (pg_namespace.dat)

// struct RelMapFile: magic, count, pairs of numbers.
constexpr uint32_t kMapMagic = 0x592717;
constexpr size_t kMapCount = 4, kMapPairs = 8, kMapPairsMax = 64;

// Up to its NUL; empty: it has none, or is empty.
std::string name_at(std::span<const std::byte> columns) {
  if (columns.size() < kName + kNameSize) return {};
  const std::string_view bytes(reinterpret_cast<const char*>(columns.data()) + kName, kNameSize);
  const size_t end = bytes.find('\0');
  return end == std::string_view::npos ? std::string() : std::string(bytes.substr(0, end));
}

RowVersion without_bytes(RowVersion version) {
  version.columns = {};
  return version;
}

// pg_toast_OID and pg_toast_OID_index are what the server calls what belongs to a table
// (src/backend/catalog/toasting.c, also after a rewrite: cluster.c).
uint32_t owner_by_name(std::string_view name) {
  constexpr std::string_view kPrefix = "pg_toast_";
  uint32_t owner = 0;
  if (!name.starts_with(kPrefix)) return 0;
  name.remove_prefix(kPrefix.size());
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), owner);
  const std::string_view rest = name.substr(static_cast<size_t>(end - name.data()));
  return error == std::errc() && rest == "_index" ? owner : 0;
}

}  // namespace

std::optional<ClassColumns> class_columns(int major) {
  if (major < 13 || major > 18) return std::nullopt;
  // 18 has relallfrozen before reltoastrelid.
  const size_t more = major >= 18 ? 4 : 0;
  return ClassColumns{.toast = 108 + more, .shared = 113 + more, .kind = 115 + more};
}

std::optional<Relation> relation_of(const RowVersion& row, const ClassColumns& columns) {
  if (row.column_count < kLeastColumns || row.columns.size() <= columns.kind) return std::nullopt;
  Relation relation;
  relation.oid = number_at<uint32_t>(row.columns, kOid);
  relation.schema = number_at<uint32_t>(row.columns, kSchema);
  relation.file = number_at<uint32_t>(row.columns, kFile);
  relation.toast = number_at<uint32_t>(row.columns, columns.toast);
  relation.shared = number_at<uint8_t>(row.columns, columns.shared) != 0;
  relation.kind = static_cast<char>(row.columns[columns.kind]);
  relation.name = name_at(row.columns);
  constexpr std::string_view kKinds = "rivSmtcfpI";
  if (relation.oid == 0 || relation.name.empty() ||
      kKinds.find(relation.kind) == std::string_view::npos)
    return std::nullopt;
  return relation;
}

FileMap file_map_of(std::span<const std::byte> bytes) {
  FileMap map;
  const auto count = number_at<uint32_t>(bytes, kMapCount);
  if (number_at<uint32_t>(bytes, 0) != kMapMagic || count > kMapPairsMax) return map;
  for (size_t at = kMapPairs; at < kMapPairs + 8 * count; at += 8)
    if (const auto file = number_at<uint32_t>(bytes, at + 4))
      map.emplace(number_at<uint32_t>(bytes, at), file);
  return map;
}

void NamedObjects::add(const RowVersion& row) {
  add(number_at<uint32_t>(row.columns, kOid), name_at(row.columns), row);
}

void NamedObjects::add(uint32_t oid, std::string name, const RowVersion& version) {
  if (objects_.size() >= kMax || name.empty()) return;
  const auto [known, is_new] = objects_.try_emplace(oid);
  if (is_new || is_newer(version, known->second.version))
    known->second = {std::move(name), without_bytes(version)};
}

const std::string& NamedObjects::name(uint32_t oid) const {
  static const std::string kNone;
  const auto found = objects_.find(oid);
  return found == objects_.end() ? kNone : found->second.name;
}

void Catalog::add(Relation relation, const RowVersion& version) {
  if (relations_.size() >= kRelationsMax) return;
  const Key key{relation.oid, relation.file};
  if (const auto [latest, is_new] = newest_.try_emplace(key.oid, key);
      !is_new && is_newer(version, relations_.at(latest->second).version))
    latest->second = key;
  const auto [known, is_new] = relations_.try_emplace(key);
  if (is_new || is_newer(version, known->second.version))
    known->second = {std::move(relation), without_bytes(version)};
}

const Relation* Catalog::newest(uint32_t oid) const {
  const auto found = newest_.find(oid);
  return found == newest_.end() ? nullptr : &relations_.at(found->second).relation;
}

uint32_t Catalog::file_of(uint32_t oid) const {
  const Relation* relation = newest(oid);
  return relation ? relation->file : 0;
}

// Without a schema there is no name: half of one would be another table's.
std::string Catalog::name_of(const Relation& relation,
                             const std::unordered_map<uint32_t, uint32_t>& owners) const {
  const Relation* shown = &relation;
  std::string_view part;
  if (const auto owner = owners.find(relation.oid); owner != owners.end()) {
    shown = newest(owner->second);
    part = " (toast)";
  } else if (relation.schema == kToastSchema && relation.kind == 'i') {
    if (const Relation* table = newest(owner_by_name(relation.name))) {
      shown = table;
      part = " (toast index)";
    }
  }
  const std::string& schema = schemas_.name(shown->schema);
  if (schema.empty()) return {};
  return schema + '.' + shown->name + std::string(part);
}

NamesByFile Catalog::names(const FileMap& map, bool shared) const {
  std::unordered_map<uint32_t, uint32_t> owners;  // of TOAST tables
  for (const auto& [oid, key] : newest_)
    if (const uint32_t toast = relations_.at(key).relation.toast) owners.emplace(toast, oid);
  // A number may have been another relation's before.
  std::unordered_map<uint32_t, const Versioned*> by_file;
  for (const auto& [key, relation] : relations_) {
    if (relation.relation.shared != shared) continue;
    uint32_t file = key.file;
    if (const auto mapped = map.find(key.oid); file == 0 && mapped != map.end())
      file = mapped->second;
    if (file == 0) continue;
    const auto [known, is_new] = by_file.try_emplace(file, &relation);
    if (!is_new && is_newer(relation.version, known->second->version)) known->second = &relation;
  }
  NamesByFile names;
  for (const auto& [file, relation] : by_file)
    if (std::string name = name_of(relation->relation, owners); !name.empty())
      names.emplace(file, std::move(name));
  return names;
}

}  // namespace dbtrace::profiles::postgres
