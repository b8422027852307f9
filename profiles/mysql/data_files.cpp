#include "profiles/mysql/data_files.h"

#include <algorithm>
#include <span>

#include "profiles/mysql/file_name_charset.h"

namespace dbtrace::profiles::mysql {
namespace {

// Of the engines' files, one or several a table.
constexpr std::string_view kTableExtensions[] = {
    ".ibd", ".frm", ".par", ".sdi", ".TRG",  // InnoDB; definitions
    ".MYD", ".MYI", ".MAD", ".MAI",          // MyISAM, Aria
    ".CSV", ".CSM", ".ARZ", ".MRG",          // CSV, Archive, Merge
};

struct Known {
  std::string_view begin;
  std::string_view end;
  std::string_view content;
};

// Looked at in order, before tables…
constexpr Known kBeforeTables[] = {
    {"#sql", "", "temporary table"},
    {"mysql.ibd", "", "data dictionary"},
};
// …and after them.
constexpr Known kServerFiles[] = {
    {"ib_logfile", "", "redo"},
    {"#ib_redo", "", "redo"},
    {"undo", "", "undo"},
    {"", ".ibu", "undo"},
    {"", "dblwr", "doublewrite"},  // Percona's .bdblwr is one, too
    {"ibdata", "", "system tablespace"},
    {"ibtmp", "", "temporary tablespace"},
    {"", ".ibt", "temporary tablespace"},
    {"mysql_temptable.", "", "temporary table"},  // of the TempTable engine
    {"ib_buffer_pool", "", "buffer pool dump"},
    {"aria_log", "", "aria log"},
    {"ddl_recovery", ".log", "ddl log"},
    {"ddl_log", ".log", "ddl log"},
    {"tc.log", "", "transaction coordinator log"},
    {"", ".err", "error log"},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hexadecimal(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) { return lower(c); });
  return result;
}

bool contains(std::string_view text, std::string_view what) {
  return text.find(what) != std::string_view::npos;
}

std::string_view find(std::span<const Known> table, std::string_view name) {
  for (const Known& known : table) {
    if (name.size() >= known.begin.size() + known.end.size() && name.starts_with(known.begin) &&
        name.ends_with(known.end))
      return known.content;
  }
  return {};
}

// Where the first such mark begins; servers write them in either case.
size_t find_mark(std::string_view name, std::string_view mark) { return lower(name).find(mark); }

// Parts of "t#p#p0#sp#p0sp0"; the server encodes '#' in names.
std::string table_and_partition(std::string_view base) {
  // While the partition is being altered.
  for (const std::string_view mark : {"#tmp", "#ren"}) base = base.substr(0, find_mark(base, mark));
  const size_t partition = find_mark(base, "#p#");
  std::string result = identifier_of(base.substr(0, partition));
  if (partition == std::string_view::npos) return result;
  std::string_view names = base.substr(partition + 3);
  const size_t sub = find_mark(names, "#sp#");
  result += " (partition " + identifier_of(names.substr(0, sub));
  if (sub != std::string_view::npos) result += ", " + identifier_of(names.substr(sub + 4));
  return result + ")";
}

// "fts_<table's id>_…", an id being 16 digits.
bool is_full_text(std::string_view base) {
  constexpr size_t kPrefix = 4;
  constexpr size_t kId = 16;
  if (base.size() <= kPrefix + kId || base[kPrefix + kId] != '_') return false;
  const std::string start = lower(base.substr(0, kPrefix + kId));
  return start.starts_with("fts_") &&
         std::all_of(start.begin() + kPrefix, start.end(), is_hexadecimal);
}

std::string content_of_table(std::string_view folder, std::string_view base,
                             std::string_view extension) {
  const std::string schema = identifier_of(folder);
  if (is_full_text(base)) return schema + " (full-text index)";
  if (extension == ".sdi") {  // "t_390.sdi"
    const size_t id = base.find_last_not_of("0123456789");
    if (id != std::string_view::npos && base[id] == '_') base = base.substr(0, id);
  }
  return schema + "." + table_and_partition(base);
}

// Binary and relay logs are called what the administrator likes, then numbered: six digits
// or more.
std::string_view content_of_numbered(std::string_view name) {
  constexpr size_t kDigits = 6;
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return {};
  const std::string_view end = name.substr(dot + 1);
  const bool numbered = end.size() >= kDigits && std::all_of(end.begin(), end.end(), is_digit);
  if (!numbered && end != "index") return {};
  return contains(name.substr(0, dot), "relay") ? "relay log" : "binlog";
}

// General, slow and error log: the name is the administrator's, too.
std::string_view content_of_log(std::string_view name) {
  const size_t end = name.find(".log");
  if (end == std::string_view::npos) return {};
  const std::string base = lower(name.substr(0, end));
  if (contains(base, "slow")) return "slow log";
  if (contains(base, "err") || base == "mysqld" || base == "mariadbd") return "error log";
  if (contains(base, "general") || contains(base, "query")) return "general log";
  return "log";
}

// Files that mysys creates and deletes at once: with a prefix and six random characters, or
// without a name, which the kernel shows as the inode's number.
bool is_temporary_file(std::string_view name) {
  if (name.size() > 1 && name[0] == '#') return std::all_of(name.begin() + 1, name.end(), is_digit);
  return name.size() == 8 &&
         (name.starts_with("MY") || name.starts_with("ML") || name.starts_with("ib")) &&
         std::all_of(name.begin() + 2, name.end(),
                     [](char c) { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z'); });
}

}  // namespace

std::string content_of_file(std::string_view folder, std::string_view name) {
  if (const auto content = find(kBeforeTables, name); !content.empty()) return std::string(content);
  for (const std::string_view extension : kTableExtensions) {
    if (name.size() > extension.size() && name.ends_with(extension))
      return content_of_table(folder, name.substr(0, name.size() - extension.size()), extension);
  }
  if (folder == "#rocksdb" || folder == ".rocksdb") return "rocksdb";
  if (const auto content = find(kServerFiles, name); !content.empty()) return std::string(content);
  if (const auto content = content_of_numbered(name); !content.empty()) return std::string(content);
  if (const auto content = content_of_log(name); !content.empty()) return std::string(content);
  return is_temporary_file(name) ? "temporary file" : "";
}

}  // namespace dbtrace::profiles::mysql
