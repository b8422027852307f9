// Symbol tables from debuginfod servers. For the files of this room only.
#pragma once

#include <string>

#include "symbols/result.h"
#include "symbols/symbol_table.h"

namespace dbtrace::symbols {

// The servers that would be asked: DEBUGINFOD_URLS; "" when there are none.
[[nodiscard]] std::string debuginfod_servers();

// The .symtab of the debug file with this build-id. Asks for its two sections
// only, where the server can give those, so that megabytes come and not
// gigabytes. Blocks as long as the servers take: elfutils' client does the work
// and honours its environment variables (DEBUGINFOD_CACHE_PATH, _TIMEOUT,
// _MAXTIME, _MAXSIZE, _HEADERS_FILE; debuginfod-client-config(7)). That client is
// loaded here and not linked: it brings a whole HTTP library, which nobody needs
// who does not ask. Errors fit behind a colon: "no server has it".
[[nodiscard]] Result<SymbolTable> fetch_symbol_table(const std::string& build_id);

}  // namespace dbtrace::symbols
