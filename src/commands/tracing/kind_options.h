// The command-line options that say what kinds of queries are, and in which order they
// stand: the same for all commands that tell queries by kind.
#pragma once

#include <string>

#include "src/kinds/kinds.h"
#include "src/kinds/order.h"

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace dbtrace::commands {

// For ->transform(): what tells kinds.
[[nodiscard]] CLI::Validator kinds_by();
// --by, --fingerprint, --max-kinds. What `options` holds is the default.
void add_kind_options(CLI::App& command, kinds::KindOptions& options, const std::string& group);
// --sort.
void add_sort_option(CLI::App& command, kinds::SortKey& key, const std::string& group);

}  // namespace dbtrace::commands
