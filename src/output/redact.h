// Secrets in statements, taken out before any format sees the text.
//
// Redacted is what MySQL, MariaDB and PostgreSQL take as a password (or its
// hash) by their grammar:
//   CREATE/ALTER USER, GRANT, CLONE … IDENTIFIED BY/WITH/AS/VIA …, REPLACE '…'
//   SET PASSWORD [FOR user] = …; PASSWORD('…') and OLD_PASSWORD('…') anywhere
//   CHANGE MASTER / REPLICATION SOURCE TO … MASTER_PASSWORD / SOURCE_PASSWORD = …
//   START SLAVE/REPLICA/GROUP_REPLICATION … PASSWORD = …
//   CREATE/ALTER SERVER, ROLE, GROUP, USER [MAPPING] … PASSWORD '…'
//   CREATE/ALTER SUBSCRIPTION … CONNECTION '…'; CREATE/ALTER TABLE … CONNECTION = '…'
//   connection strings with a password: primary_conninfo = '…', dblink_connect('…') and the like
// also in text that was cut, within other statements and strings, in versioned
// comments and with comments between the words.
//
// Left alone, as the servers' own logs do: ordinary queries on columns that are
// called password (WHERE password = 'x', INSERT INTO users(password) …). The
// one exception is "SET password = '…'" in an UPDATE: it reads like the
// statement above.
//
// The rule for doubt: where quoting could be read in two ways (sql_mode and
// character set decide, and are not known here), everything up to the end of
// the text is redacted.
#pragma once

#include <string>
#include <string_view>

namespace dbtrace::output {

inline constexpr std::string_view kRedacted = "'<redacted>'";

// True: `text` held secrets, and `out` was set to the text without them. False:
// it held none, and `out` is unspecified. Linear in the text's length; on text
// that mentions none of the words above about as fast as reading it.
[[nodiscard]] bool redact(std::string_view text, std::string& out);

}  // namespace dbtrace::output
