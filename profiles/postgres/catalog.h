// Which relation has which file, from the rows of PostgreSQL's catalog, wherever they were read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "profiles/postgres/heap_page.h"

namespace dbtrace::profiles::postgres {

// pg_class, pg_database, pg_namespace (src/include/catalog/pg_*.h): the same numbers in all
// versions.
inline constexpr uint32_t kClassOid = 1259, kDatabaseOid = 1262, kNamespaceOid = 2615;

// A table, index, TOAST table, …: a row of pg_class.
struct Relation {
  uint32_t oid = 0;
  uint32_t schema = 0;
  uint32_t file = 0;    // pg_class.relfilenode; 0: the file map tells it, or there is no file
  uint32_t toast = 0;   // oid of its TOAST table; 0: none
  char kind = 0;        // pg_class.relkind
  bool shared = false;  // by all databases
  std::string name;
};

// Where pg_class has the columns that its versions differ in.
struct ClassColumns {
  size_t toast;
  size_t shared;
  size_t kind;
};
// Of a major version; none: it is not known.
[[nodiscard]] std::optional<ClassColumns> class_columns(int major);

// A row of pg_class; none: it cannot be one.
[[nodiscard]] std::optional<Relation> relation_of(const RowVersion& row,
                                                  const ClassColumns& columns);

// What the file map says (src/backend/utils/cache/relmapper.c) of relations whose file pg_class
// cannot tell: the number of the file, by the relation's oid. Empty: it is none.
using FileMap = std::unordered_map<uint32_t, uint32_t>;
[[nodiscard]] FileMap file_map_of(std::span<const std::byte> bytes);

// What relations are called, by the numbers of their files.
using NamesByFile = std::unordered_map<uint32_t, std::string>;

// Objects that rows tell no more of than oid and name: pg_namespace, pg_database. Memory is
// bounded: beyond kMax there are no more names.
class NamedObjects {
 public:
  static constexpr size_t kMax = 500'000;

  // Versions of rows in any order.
  void add(const RowVersion& row);
  void add(uint32_t oid, std::string name, const RowVersion& version = {});
  // Empty: there is no such object.
  [[nodiscard]] const std::string& name(uint32_t oid) const;

 private:
  struct Named {
    std::string name;
    RowVersion version;  // without its bytes
  };
  std::unordered_map<uint32_t, Named> objects_;
};

// The catalog of one database. Memory is bounded: beyond kRelationsMax there are no more names.
class Catalog {
 public:
  static constexpr size_t kRelationsMax = 500'000;

  // Versions of rows in any order.
  void add(Relation relation, const RowVersion& version = {});
  [[nodiscard]] NamedObjects& schemas() { return schemas_; }

  // The file of a relation that has been added; 0: none.
  [[nodiscard]] uint32_t file_of(uint32_t oid) const;

  // "schema.table", "schema.index", "schema.table (toast)", by the numbers of files. Of shared
  // relations, or of the others.
  [[nodiscard]] NamesByFile names(const FileMap& map, bool shared) const;

 private:
  struct Versioned {
    Relation relation;
    RowVersion version;  // without its bytes
  };
  struct Key {
    uint32_t oid, file;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      return std::hash<uint64_t>()(uint64_t{key.oid} << 32 | key.file);
    }
  };
  [[nodiscard]] const Relation* newest(uint32_t oid) const;
  [[nodiscard]] std::string name_of(const Relation& relation,
                                    const std::unordered_map<uint32_t, uint32_t>& owners) const;

  // A relation that is rewritten gets another file: old and new ones have the same name.
  std::unordered_map<Key, Versioned, KeyHash> relations_;
  std::unordered_map<uint32_t, Key> newest_;  // by oid
  NamedObjects schemas_;
};

}  // namespace dbtrace::profiles::postgres
