// The command line of `dbtrace symbols`.
#include <CLI/CLI.hpp>

#include "src/commands/checks.h"
#include "src/commands/symbols/symbols.h"

namespace dbtrace::commands {
namespace {

constexpr const char* kFooter = R"(Patterns:
  dispatch_command           functions of this name in any scope; never a prefix
  THD::set_db, ::main        in this scope; in the global scope only
  f(int, const char*)        with these parameters only
  'trx_*', '*::open?'        a glob on the qualified name ("(" includes parameters)
  '/open|close/'             a regular expression on the demangled name
  _ZN3THD6set_dbEi           a raw name
  memcpy@GLIBC_2.2.5         a version; f@@V is the default one
  0x8a9a30                   the function at this link-time address
Template arguments, ABI tags and anonymous namespaces may be left out; .part.0 and
.cold are only found when they are typed.

Examples:
  dbtrace symbols mysqld dispatch_command
  dbtrace symbols 1234 'row_*' --format json
  dbtrace symbols /usr/sbin/mysqld THD::set_db --where

Exit status: 0 found, 1 failed or nothing found, 2 wrong usage.)";

}  // namespace

CLI::App* add_symbols_command(CLI::App& app, SymbolsOptions& options) {
  CLI::App* command =
      app.add_subcommand("symbols", "Show what functions a name means and where probes go");
  command->footer(kFooter);
  command->add_option("TARGET", options.target, "A process id, a file, or a running program's name")
      ->required()
      ->type_name("");
  command->add_option("PATTERN", options.pattern, "What to look for")->required()->type_name("");
  command->add_flag("--where", options.where,
                    "Also show where debug files were looked for, and why each was not taken");
  command->add_option("--format", options.format, "text or json (one object a line)")
      ->transform(
          one_of<SymbolsFormat>({{"text", SymbolsFormat::Text}, {"json", SymbolsFormat::Json}}))
      ->type_name("FORMAT");
  add_debug_options(*command, options.debug);
  return command;
}

}  // namespace dbtrace::commands
