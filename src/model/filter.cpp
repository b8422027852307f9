#include "src/model/filter.h"

#include <re2/re2.h>

#include <algorithm>

namespace dbtrace::model {
namespace {

// RE2 falls back to a slower, still linear, way of matching beyond this.
constexpr int64_t kRegexMemory = 8 << 20;

// "COM_STMT_EXECUTE", "Stmt execute" and "execute" are all "execute".
std::string canonical_command(std::string_view name) {
  std::string canonical;
  for (char c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) canonical += c;
  }
  for (std::string_view prefix : {"com", "stmt"}) {
    if (canonical.size() > prefix.size() && canonical.starts_with(prefix)) {
      canonical.erase(0, prefix.size());
    }
  }
  return canonical;
}

std::string list_of(std::vector<std::string_view> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string list;
  for (std::string_view name : names) {
    if (!list.empty()) list += ", ";
    list += name;
  }
  return list;
}

Result<std::vector<std::string>> find_commands(const FilterOptions& options) {
  std::vector<std::string> found;
  for (const std::string& wanted : options.commands) {
    const std::string canonical = canonical_command(wanted);
    const size_t before = found.size();
    for (std::string_view known : options.known_commands) {
      if (canonical_command(known) == canonical) found.emplace_back(known);
    }
    if (found.size() == before) {
      return fail("unknown command '" + wanted + "'",
                  "known commands: " + list_of(options.known_commands));
    }
  }
  return found;
}

Result<std::unique_ptr<re2::RE2>> compile(const std::string& expression) {
  re2::RE2::Options options;
  options.set_encoding(re2::RE2::Options::EncodingLatin1);
  options.set_case_sensitive(false);
  options.set_dot_nl(true);
  options.set_never_capture(true);
  options.set_log_errors(false);
  options.set_max_mem(kRegexMemory);
  auto regex = std::make_unique<re2::RE2>(expression, options);
  if (!regex->ok()) {
    return fail("invalid regular expression '" + expression + "': " + regex->error(),
                "the syntax is RE2's; quote the expression for the shell");
  }
  return regex;
}

template <typename Value>
bool is_any_of(const std::optional<Value>& value, const std::vector<Value>& wanted) {
  return value && std::find(wanted.begin(), wanted.end(), *value) != wanted.end();
}

}  // namespace

struct Filter::Impl {
  FilterOptions options;
  std::vector<std::string> commands;
  std::unique_ptr<re2::RE2> regex;
};

Filter::Filter() : impl_(std::make_unique<Impl>()) {}
Filter::Filter(Filter&&) noexcept = default;
Filter& Filter::operator=(Filter&&) noexcept = default;
Filter::~Filter() = default;

Result<Filter> Filter::create(const FilterOptions& options) {
  Filter filter;
  filter.impl_->options = options;

  Result<std::vector<std::string>> commands = find_commands(options);
  if (!commands) return tl::unexpected(std::move(commands.error()));
  filter.impl_->commands = std::move(*commands);

  if (!options.match.empty()) {
    Result<std::unique_ptr<re2::RE2>> regex = compile(options.match);
    if (!regex) return tl::unexpected(std::move(regex.error()));
    filter.impl_->regex = std::move(*regex);
  }
  return filter;
}

bool Filter::accepts(const Query& query) const {
  const FilterOptions& wanted = impl_->options;
  if (wanted.slower_than_ns && query.duration_ns < *wanted.slower_than_ns) return false;
  if (wanted.errors_only && query.error.value_or(0) == 0) return false;
  if (!wanted.connections.empty() && !is_any_of(query.connection_id, wanted.connections)) {
    return false;
  }
  if (!wanted.users.empty() && !is_any_of(query.user, wanted.users)) return false;
  if (!wanted.hosts.empty() && !is_any_of(query.host, wanted.hosts) &&
      !is_any_of(query.ip, wanted.hosts)) {
    return false;
  }
  if (!wanted.databases.empty() && !is_any_of(query.database, wanted.databases)) return false;
  if (!accepts_command(query.command)) return false;
  // Last, because it alone costs time that grows with the text.
  if (impl_->regex) {
    return query.text_state == TextState::Present &&
           re2::RE2::PartialMatch(re2::StringPiece(query.text), *impl_->regex);
  }
  return true;
}

bool Filter::accepts_command(std::string_view name) const {
  const std::vector<std::string>& commands = impl_->commands;
  return commands.empty() || std::find(commands.begin(), commands.end(), name) != commands.end();
}

}  // namespace dbtrace::model
