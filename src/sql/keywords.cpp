#include "src/sql/keywords.h"

#include <array>
#include <bit>
#include <type_traits>

#include "src/sql/characters.h"

namespace dbtrace::sql {
namespace {

// Each word, and behind a '=' the one that the server prints for it where that is
// another: synonyms are one token, which is called by the last of its names.
// From information_schema.KEYWORDS and STATEMENT_DIGEST_TEXT() of MySQL 9.7.
constexpr std::string_view kWords =
    "ABSENT ACCESSIBLE ACCOUNT ACTION ACTIVE ADD ADMIN AFTER AGAINST AGGREGATE ALGORITHM ALL "
    "ALLOW_MISSING_FILES ALTER ALWAYS ANALYZE AND ANY=SOME ARRAY AS ASC ASCII ASENSITIVE "
    "ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS AT ATTRIBUTE AUTHENTICATION AUTO AUTOEXTEND_SIZE "
    "AUTO_INCREMENT AUTO_REFRESH AUTO_REFRESH_SOURCE AVG AVG_ROW_LENGTH BACKUP BEFORE BEGIN "
    "BERNOULLI BETWEEN BIGINT=INT8 BINARY BINLOG BIT BLOB BLOCK BOOL BOOLEAN BOTH BTREE BUCKETS "
    "BULK BY BYTE CACHE CALL CASCADE CASCADED CASE CATALOG_NAME CHAIN CHALLENGE_RESPONSE CHANGE "
    "CHANGED CHANNEL CHAR=CHARACTER CHARACTER CHARSET CHECK CHECKSUM CIPHER CLASS_ORIGIN CLIENT "
    "CLONE CLOSE COALESCE CODE COLLATE COLLATION COLUMN COLUMNS=FIELDS COLUMN_FORMAT "
    "COLUMN_NAME COMMENT COMMIT COMMITTED COMPACT COMPLETION COMPONENT COMPRESSED COMPRESSION "
    "CONCURRENT CONDITION CONNECTION CONSISTENT CONSTRAINT CONSTRAINT_CATALOG CONSTRAINT_NAME "
    "CONSTRAINT_SCHEMA CONTAINS CONTEXT CONTINUE CONVERT CPU CREATE CROSS CUBE CUME_DIST "
    "CURRENT CURRENT_DATE=CURDATE CURRENT_TIME=CURTIME CURRENT_TIMESTAMP=NOW CURRENT_USER "
    "CURSOR CURSOR_NAME DATA DATABASE=SCHEMA DATABASES=SCHEMAS DATAFILE DATE DATETIME "
    "DAY=SQL_TSI_DAY DAY_HOUR DAY_MICROSECOND DAY_MINUTE DAY_SECOND DEALLOCATE DEC=DECIMAL "
    "DECIMAL DECLARE DEFAULT DEFAULT_AUTH DEFINER DEFINITION DELAYED DELAY_KEY_WRITE DELETE "
    "DENSE_RANK DESC DESCRIBE=EXPLAIN DESCRIPTION DETERMINISTIC DIAGNOSTICS DIRECTORY DISABLE "
    "DISCARD DISK DISTINCT=DISTINCTROW DISTINCTROW DIV DO DOUBLE=FLOAT8 DROP DUAL DUALITY "
    "DUMPFILE DUPLICATE DYNAMIC EACH ELSE ELSEIF EMPTY ENABLE ENCLOSED ENCRYPTION END ENDS "
    "ENFORCED ENGINE ENGINES ENGINE_ATTRIBUTE ENUM ERROR ERRORS ESCAPE ESCAPED EVENT EVENTS "
    "EVERY EXCEPT EXCHANGE EXCLUDE EXECUTE EXISTS EXIT EXPANSION EXPIRE EXPLAIN EXPORT EXTENDED "
    "EXTENT_SIZE EXTERNAL EXTERNAL_FORMAT FACTOR FAILED_LOGIN_ATTEMPTS FALSE FAST FAULTS FETCH "
    "FIELDS FILE FILES FILE_BLOCK_SIZE FILE_FORMAT FILE_NAME FILE_PATTERN FILE_PREFIX FILTER "
    "FINISH FIRST FIRST_VALUE FIXED FLOAT=FLOAT4 FLOAT4 FLOAT8 FLUSH FOLLOWING FOLLOWS FOR "
    "FORCE FOREIGN FORMAT FOUND FROM FULL FULLTEXT FUNCTION GENERAL GENERATE GENERATED "
    "GEOMCOLLECTION=GEOMETRYCOLLECTION GEOMETRY GEOMETRYCOLLECTION GET GET_FORMAT "
    "GET_SOURCE_PUBLIC_KEY GLOBAL GRANT GRANTS GROUP GROUPING GROUPS GROUP_REPLICATION GTIDS "
    "GTID_ONLY GUIDED HANDLER HASH HAVING HEADER HELP HIGH_PRIORITY HISTOGRAM HISTORY HOST "
    "HOSTS HOUR=SQL_TSI_HOUR HOUR_MICROSECOND HOUR_MINUTE HOUR_SECOND IDENTIFIED IF IGNORE "
    "IGNORE_SERVER_IDS IMPORT IN INACTIVE INDEX INDEXES INFILE INITIAL INITIAL_SIZE INITIATE "
    "INNER INOUT INSENSITIVE INSERT INSERT_METHOD INSTALL INSTANCE INT=INTEGER INT1=TINYINT "
    "INT2=SMALLINT INT3=MIDDLEINT INT4=INTEGER INT8 INTEGER INTERSECT INTERVAL INTO INVISIBLE "
    "INVOKER IO IO_AFTER_GTIDS IO_BEFORE_GTIDS IO_THREAD=RELAY_THREAD IPC IS ISOLATION ISSUER "
    "ITERATE JOIN JSON JSON_TABLE JSON_VALUE KEY KEYRING KEYS KEY_BLOCK_SIZE KILL LAG LANGUAGE "
    "LAST LAST_VALUE LATERAL LEAD LEADING LEAVE LEAVES LEFT LESS LEVEL LIBRARY LIKE LIMIT "
    "LINEAR LINES LINESTRING LIST LOAD LOCAL LOCALTIME=NOW LOCALTIMESTAMP=NOW LOCK LOCKED LOCKS "
    "LOG LOGFILE LOGS LONG LONGBLOB LONGTEXT LOOP LOW_PRIORITY MANUAL MASKING MASTER MATCH "
    "MATERIALIZED MAXVALUE MAX_CONNECTIONS_PER_HOUR MAX_QUERIES_PER_HOUR MAX_ROWS MAX_SIZE "
    "MAX_UPDATES_PER_HOUR MAX_USER_CONNECTIONS MEDIUM MEDIUMBLOB MEDIUMINT=MIDDLEINT MEDIUMTEXT "
    "MEMBER MEMORY MERGE MESSAGE_TEXT MICROSECOND MIDDLEINT MIGRATE MINUTE=SQL_TSI_MINUTE "
    "MINUTE_MICROSECOND MINUTE_SECOND MIN_ROWS MOD MODE MODIFIES MODIFY MONTH=SQL_TSI_MONTH "
    "MULTILINESTRING MULTIPOINT MULTIPOLYGON MUTEX MYSQL_ERRNO NAME NAMES NATIONAL NATURAL "
    "NCHAR NDB=NDBCLUSTER NDBCLUSTER NESTED NETWORK_NAMESPACE NEVER NEW NEXT NO NODEGROUP NONE "
    "NOT NOWAIT NO_WAIT NO_WRITE_TO_BINLOG NTH_VALUE NTILE NULL NULLS NUMBER NUMERIC NVARCHAR "
    "OF OFF OFFSET OJ OLD ON ONE ONLY OPEN OPTIMIZE OPTIMIZER_COSTS OPTION OPTIONAL OPTIONALLY "
    "OPTIONS OR ORDER ORDINALITY ORGANIZATION OTHERS OUT OUTER OUTFILE OVER OWNER PACK_KEYS "
    "PAGE PARALLEL PARAMETERS PARSER PARSE_TREE PARTIAL PARTITION PARTITIONING PARTITIONS "
    "PASSWORD PASSWORD_LOCK_TIME PATH PERCENT_RANK PERSIST PERSIST_ONLY PHASE PLUGIN PLUGINS "
    "PLUGIN_DIR POINT POLICY POLYGON PORT PRECEDES PRECEDING PRECISION PREPARE PRESERVE PREV "
    "PRIMARY PRIVILEGES PRIVILEGE_CHECKS_USER PROCEDURE PROCESS PROCESSLIST PROFILE PROFILES "
    "PROXY PURGE QUALIFY QUARTER=SQL_TSI_QUARTER QUERY QUICK RANDOM RANGE RANK READ READS "
    "READ_ONLY READ_WRITE REAL REBUILD RECOVER RECURSIVE REDO_BUFFER_SIZE REDUNDANT REFERENCE "
    "REFERENCES REGEXP=RLIKE REGISTRATION RELATIONAL RELAY RELAYLOG RELAY_LOG_FILE "
    "RELAY_LOG_POS RELAY_THREAD RELEASE RELOAD REMOVE RENAME REORGANIZE REPAIR REPEAT "
    "REPEATABLE REPLACE REPLICA REPLICAS REPLICATE_DO_DB REPLICATE_DO_TABLE REPLICATE_IGNORE_DB "
    "REPLICATE_IGNORE_TABLE REPLICATE_REWRITE_DB REPLICATE_WILD_DO_TABLE "
    "REPLICATE_WILD_IGNORE_TABLE REPLICATION REQUIRE REQUIRE_ROW_FORMAT "
    "REQUIRE_TABLE_PRIMARY_KEY_CHECK RESET RESIGNAL RESOURCE RESPECT RESTART RESTORE RESTRICT "
    "RESUME RETAIN RETURN RETURNED_SQLSTATE RETURNING RETURNS REUSE REVERSE REVOKE RIGHT RLIKE "
    "ROLE ROLLBACK ROLLUP ROTATE ROUTINE ROW ROWS ROW_COUNT ROW_FORMAT ROW_NUMBER RTREE S3 "
    "SAVEPOINT SCHEDULE SCHEMA SCHEMAS SCHEMA_NAME SECOND=SQL_TSI_SECOND SECONDARY "
    "SECONDARY_ENGINE SECONDARY_ENGINE_ATTRIBUTE SECONDARY_LOAD SECONDARY_UNLOAD "
    "SECOND_MICROSECOND SECURITY SELECT SENSITIVE SEPARATOR SERIAL SERIALIZABLE SERVER SESSION "
    "SET SETS SHARE SHOW SHUTDOWN SIGNAL SIGNED SIMPLE SKIP SLAVE SLOW SMALLINT SNAPSHOT SOCKET "
    "SOME SONAME SOUNDS SOURCE SOURCE_AUTO_POSITION SOURCE_BIND SOURCE_COMPRESSION_ALGORITHMS "
    "SOURCE_CONNECTION_AUTO_FAILOVER SOURCE_CONNECT_RETRY SOURCE_DELAY SOURCE_HEARTBEAT_PERIOD "
    "SOURCE_HOST SOURCE_LOG_FILE SOURCE_LOG_POS SOURCE_PASSWORD SOURCE_PORT "
    "SOURCE_PUBLIC_KEY_PATH SOURCE_RETRY_COUNT SOURCE_SSL SOURCE_SSL_CA SOURCE_SSL_CAPATH "
    "SOURCE_SSL_CERT SOURCE_SSL_CIPHER SOURCE_SSL_CRL SOURCE_SSL_CRLPATH SOURCE_SSL_KEY "
    "SOURCE_SSL_VERIFY_SERVER_CERT SOURCE_TLS_CIPHERSUITES SOURCE_TLS_VERSION SOURCE_USER "
    "SOURCE_ZSTD_COMPRESSION_LEVEL SPATIAL SPECIFIC SQL SQLEXCEPTION SQLSTATE SQLWARNING "
    "SQL_AFTER_GTIDS SQL_AFTER_MTS_GAPS SQL_BEFORE_GTIDS SQL_BIG_RESULT SQL_BUFFER_RESULT "
    "SQL_CALC_FOUND_ROWS SQL_NO_CACHE SQL_SMALL_RESULT SQL_THREAD SQL_TSI_DAY SQL_TSI_HOUR "
    "SQL_TSI_MINUTE SQL_TSI_MONTH SQL_TSI_QUARTER SQL_TSI_SECOND SQL_TSI_WEEK=WEEK "
    "SQL_TSI_YEAR=YEAR SRID SSL STACKED START STARTING STARTS STATS_AUTO_RECALC "
    "STATS_PERSISTENT STATS_SAMPLE_PAGES STATUS STOP STORAGE STORED STRAIGHT_JOIN STREAM "
    "STRICT_LOAD STRING SUBCLASS_ORIGIN SUBJECT SUBPARTITION SUBPARTITIONS SUPER SUSPEND SWAPS "
    "SWITCHES SYSTEM TABLE TABLES TABLESAMPLE TABLESPACE TABLE_CHECKSUM TABLE_NAME TEMPORARY "
    "TEMPTABLE TERMINATED TEXT THAN THEN THREAD_PRIORITY TIES TIME TIMESTAMP TIMESTAMPADD "
    "TIMESTAMPDIFF TINYBLOB TINYINT TINYTEXT TLS TO TRAILING TRANSACTION TRIGGER TRIGGERS TRUE "
    "TRUNCATE TYPE TYPES UNBOUNDED UNCOMMITTED UNDEFINED UNDO UNDOFILE UNDO_BUFFER_SIZE UNICODE "
    "UNINSTALL UNION UNIQUE UNKNOWN UNLOCK UNREGISTER UNSIGNED UNTIL UPDATE UPGRADE URI URL "
    "USAGE USE USER=SYSTEM_USER USER_RESOURCES USE_FRM USING UTC_DATE UTC_TIME UTC_TIMESTAMP "
    "VALIDATE VALIDATION VALUE VALUES VARBINARY VARCHAR=VARCHARACTER VARCHARACTER VARIABLES "
    "VARYING VCPU VECTOR VERIFY_KEY_CONSTRAINTS VIEW VIRTUAL VISIBLE WAIT WARNINGS WEEK "
    "WEIGHT_STRING WHEN WHERE WHILE WINDOW WITH WITHOUT WORK WRAPPER WRITE X509 XA XID XML XOR "
    "YEAR YEAR_MONTH ZEROFILL ZONE "
    "                ";  // so that 16 bytes can be read of each

// Those that are keywords only when a '(' touches them (without sql_mode
// IGNORE_SPACE).
constexpr std::string_view kFunctions =
    "ADDDATE BIT_AND BIT_OR BIT_XOR CAST COUNT CURDATE CURTIME DATE_ADD DATE_SUB EXTRACT "
    "GROUP_CONCAT JSON_OBJECTAGG JSON_ARRAYAGG MAX MID=SUBSTRING MIN NOW POSITION "
    "SESSION_USER=SYSTEM_USER STD=STDDEV_POP STDDEV=STDDEV_POP STDDEV_POP STDDEV_SAMP "
    "ST_COLLECT SUBDATE SUBSTR=SUBSTRING SUBSTRING SUM SYSDATE SYSTEM_USER TRIM "
    "VARIANCE=VAR_POP VAR_POP VAR_SAMP "
    "                ";  // so that 16 bytes can be read of each

// From information_schema.CHARACTER_SETS: "_latin1" before a literal.
constexpr std::string_view kCharacterSets =
    "_ARMSCII8 _ASCII _BIG5 _BINARY _CP1250 _CP1251 _CP1256 _CP1257 _CP850 _CP852 _CP866 _CP932 "
    "_DEC8 _EUCJPMS _EUCKR _GB18030 _GB2312 _GBK _GEOSTD8 _GREEK _HEBREW _HP8 _KEYBCS2 _KOI8R "
    "_KOI8U _LATIN1 _LATIN2 _LATIN5 _LATIN7 _MACCE _MACROMAN _SJIS _SWE7 _TIS620 _UCS2 _UJIS "
    "_UTF16 _UTF16LE _UTF32 _UTF8 _UTF8MB3 _UTF8MB4 ";

// Behind these an expression may begin, so that a sign is no operator but belongs
// to the number: "= - 1" is "= ?", "a - 1" is "`a` - ?". Found by trying them.
constexpr std::string_view kBeforeExpressions =
    "EVERY AT STARTS ENDS DEFAULT RETURN IF ELSEIF ELSE CASE WHEN THEN WHILE UNTIL SELECT OR XOR "
    "AND "
    "NOT BETWEEN LIKE RLIKE INTERVAL DIV MOD ";

// Behind these "NULL" is a value, too.
constexpr std::string_view kBeforeValues =
    "WHERE HAVING ON BY DISTINCTROW ALL DO BINARY STRAIGHT_JOIN HIGH_PRIORITY SQL_SMALL_RESULT "
    "SQL_BIG_RESULT SQL_BUFFER_RESULT SQL_NO_CACHE SQL_CALC_FOUND_ROWS ";

template <typename Each>
constexpr void for_each_word(std::string_view words, Each each) {
  for (size_t begin = 0; begin < words.size();) {
    const size_t end = words.find(' ', begin);
    if (end == begin) return;  // the padding
    each(words.substr(begin, end - begin));
    begin = end + 1;
  }
}

constexpr size_t count_words(std::string_view words) {
  size_t count = 0;
  for_each_word(words, [&](std::string_view) { ++count; });
  return count;
}

constexpr size_t kKeywords = count_words(kWords) + count_words(kFunctions);
static_assert(kKeywords <= kMostKeywords);
constexpr size_t kEntries = kKeywords + count_words(kCharacterSets);
constexpr size_t kSlots = 4096;

// A word without case, as what is compared: its first eight bytes, its last eight
// if it is longer. The bit that tells cases apart is taken from every byte, which
// makes no two words of letters, digits and '_' alike.
struct Folded {
  uint64_t first = 0;
  uint64_t last = 0;
  friend constexpr bool operator==(const Folded&, const Folded&) = default;
};

constexpr uint64_t load(const char* bytes, size_t count) {
  uint64_t value = 0;
  if (!std::is_constant_evaluated() && count == 8) {
    __builtin_memcpy(&value, bytes, 8);
    if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap64(value);
    return value;
  }
  for (size_t i = 0; i < count; ++i) value |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
  return value;
}

constexpr Folded fold(std::string_view word) {
  constexpr uint64_t kCaseless = 0xdfdf'dfdf'dfdf'dfdf;
  if (word.size() <= 8) return {load(word.data(), word.size()) & kCaseless, 0};
  return {load(word.data(), 8) & kCaseless, load(word.data() + word.size() - 8, 8) & kCaseless};
}

constexpr size_t slot_of(const Folded& word, size_t length) {
  const uint64_t mixed =
      (word.first ^ (word.last * 0x9e37'79b9'7f4a'7c15 + length)) * 0xff51'afd7'ed55'8ccd;
  return (mixed >> 40) % kSlots;
}

struct Entry {
  Folded folded;
  std::string_view name;
  Keyword keyword;
};

struct Table {
  std::array<Entry, kEntries> entries{};
  std::array<std::string_view, kMostKeywords> texts{};  // by code
  std::array<uint8_t, kMostKeywords> traits{};
  std::array<uint16_t, kSlots> slots{};  // of an entry, + 1
  size_t longest_probe = 0;

  constexpr Table() {
    size_t count = 0;
    const auto add_all = [&](std::string_view words, bool function) {
      for_each_word(words, [&](std::string_view word) {
        const std::string_view name = word.substr(0, word.find('='));
        if (name.size() >= kLongestKeyword) throw "make kLongestKeyword larger";
        entries[count] = {
            fold(name), name, {static_cast<TokenCode>(code::kFirstKeyword + count), function}};
        if (count < kKeywords) texts[count] = {name.data(), name.size() + 1};
        ++count;
      });
    };
    add_all(kWords, false);
    add_all(kFunctions, true);
    add_all(kCharacterSets, false);
    for (size_t i = 0; i < kEntries; ++i) place(i);
    for (size_t i = kKeywords; i < kEntries; ++i) entries[i].keyword.code = code::kCharacterSet;
    size_t index = 0;
    const auto resolve = [&](std::string_view word) {
      const size_t equals = word.find('=');
      if (equals != word.npos) entries[index].keyword.code = find(word.substr(equals + 1))->code;
      ++index;
    };
    for_each_word(kWords, resolve);
    for_each_word(kFunctions, resolve);
    set_trait(kBeforeExpressions, kBeforeExpression | kBeforeValue);
    set_trait(kBeforeValues, kBeforeValue);
    set_trait("SELECT INSERT REPLACE UPDATE DELETE ", kBeforeHint);
  }

  constexpr void place(size_t entry) {
    size_t slot = slot_of(entries[entry].folded, entries[entry].name.size());
    size_t probe = 1;
    while (slots[slot] != 0) {
      slot = (slot + 1) % kSlots;
      ++probe;
    }
    slots[slot] = static_cast<uint16_t>(entry + 1);
    if (probe > longest_probe) longest_probe = probe;
  }

  constexpr const Keyword* find(std::string_view word) const {
    const Folded folded = fold(word);
    for (size_t slot = slot_of(folded, word.size());; slot = (slot + 1) % kSlots) {
      if (slots[slot] == 0) return nullptr;
      const Entry& entry = entries[slots[slot] - 1U];
      if (entry.folded == folded && entry.name.size() == word.size() &&
          (word.size() <= 16 || equals_word(word, entry.name))) {
        return &entry.keyword;
      }
    }
  }

  constexpr void set_trait(std::string_view words, uint8_t trait) {
    for_each_word(words, [&](std::string_view word) {
      uint8_t& traits_of_word = traits[find(word)->code - code::kFirstKeyword];
      traits_of_word = static_cast<uint8_t>(traits_of_word | trait);
    });
  }
};

constexpr Table kTable;

}  // namespace

const std::array<std::string_view, kMostKeywords> kKeywordTexts = kTable.texts;
const std::array<uint8_t, kMostKeywords> kKeywordTraits = kTable.traits;

const Keyword* find_keyword(std::string_view word) { return kTable.find(word); }

TokenCode keyword_code(std::string_view word) { return kTable.find(word)->code; }

}  // namespace dbtrace::sql
