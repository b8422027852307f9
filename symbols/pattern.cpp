#include "symbols/pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <vector>

#include "symbols/demangle.h"
#include "symbols/glob.h"
#include "symbols/name_outline.h"
#include "symbols/pattern_text.h"
#include "symbols/type_text.h"

namespace dbtrace::symbols {
namespace {

constexpr size_t kNone = std::string_view::npos;

std::optional<std::string> demangle(std::string_view raw, size_t& cost) {
  auto demangled = symbols::demangle(raw);
  if (demangled) cost += demangled->size();
  return demangled;
}

// Parts of a scope that nobody types: they need not be matched.
bool is_silent(std::string_view part) {
  return part == "(anonymous namespace)" || part == "__cxx11" || part == "__1";
}

// Whether plain() could leave something out.
bool has_silent_text(std::string_view qualified) {
  return qualified.find_first_of("<[(") != kNone || qualified.find("__cxx11::") != kNone ||
         qualified.find("__1::") != kNone;
}

bool is_same_type(const std::string& typed, std::string_view text) {
  return typed.empty() || typed == canonical_types(text);
}

bool is_same_part(const TypedName::Part& typed, const ScopePart& part) {
  return typed.name == part.name && is_same_type(typed.arguments, part.arguments) &&
         (typed.tags.empty() || typed.tags == part.tags) &&
         is_same_type(typed.parameters, part.parameters);
}

// Whether the typed scope is the end of `scope` (all of it, when global).
bool is_in_scope(const TypedName& typed, std::string_view scope) {
  const std::vector<std::string_view> parts = split_scope(scope);
  auto part = parts.rbegin();
  for (auto wanted = typed.scope.rbegin(); wanted != typed.scope.rend(); ++part) {
    if (part == parts.rend()) return false;
    if (is_same_part(*wanted, take_apart(*part)))
      ++wanted;
    else if (!is_silent(*part))
      return false;
  }
  return !typed.is_global || std::all_of(part, parts.rend(), is_silent);
}

// `name` without template arguments, tags and what nobody types.
std::string plain(const NameOutline& name) {
  std::string result;
  for (const std::string_view part : split_scope(name.scope)) {
    if (!is_silent(part)) result.append(take_apart(part).name).append("::");
  }
  return result.append(name.base);
}

}  // namespace

struct Pattern::Impl {
  PatternText text;
  std::string spelled;  // `16dispatch_command`, as mangled names write it; "" for none
  std::unique_ptr<const RE2> regex;

  bool matches_name(std::string_view raw, size_t& cost) const;
  bool matches_glob(std::string_view raw, size_t& cost) const;
  bool matches_regex(std::string_view raw, size_t& cost) const;
  bool is_plain_name() const {
    const TypedName& parts = text.parts;
    return parts.scope.empty() && parts.last.arguments.empty() && parts.last.tags.empty() &&
           parts.last.parameters.empty();
  }
};

bool Pattern::Impl::matches_name(std::string_view raw, size_t& cost) const {
  const std::string_view suffix = clone_suffix(raw);
  if (!text.suffix.empty() && text.suffix != suffix) return false;
  raw.remove_suffix(suffix.size());
  if (!raw.starts_with("_Z")) return is_plain_name() && raw == text.parts.last.name;
  if (!spelled.empty() && raw.find(spelled) == kNone) return false;
  const auto demangled = demangle(raw, cost);
  if (!demangled) return false;
  if (*demangled == text.name) return true;
  const NameOutline name = outline(*demangled);
  const TypedName& typed = text.parts;
  const bool same_base = typed.last.name == name.base ||
                         (spelled.empty() && typed.last.name == canonical_types(name.base));
  if (!same_base) return false;
  // What is inside another function is meant only by those who name the function.
  if (name.is_local && typed.scope.empty()) return false;
  const ScopePart rest = take_apart(name.arguments);
  return is_in_scope(typed, name.scope) && is_same_type(typed.last.arguments, rest.arguments) &&
         (typed.last.tags.empty() || typed.last.tags == rest.tags) &&
         is_same_type(typed.last.parameters, name.parameters) &&
         (typed.qualifiers.empty() || typed.qualifiers == name.qualifiers);
}

bool Pattern::Impl::matches_glob(std::string_view raw, size_t& cost) const {
  const std::string& glob = text.name;
  if (glob.starts_with("_Z")) return glob_matches(glob, raw);
  if (!text.needle.empty() && raw.find(text.needle) == kNone) return false;
  // A "." can only mean a clone's suffix.
  const bool with_suffix = glob.find('.') != kNone;
  const std::string_view suffix = with_suffix ? clone_suffix(raw) : std::string_view{};
  const auto demangled = demangle(raw, cost);
  if (!demangled)
    return glob_matches(glob,
                        with_suffix ? raw : raw.substr(0, raw.size() - clone_suffix(raw).size()));
  const NameOutline name = outline(*demangled);
  if (glob.find('(') != kNone) {
    const size_t start = static_cast<size_t>(name.qualified.data() - demangled->data());
    return glob_matches(glob, demangled->substr(start).append(suffix));
  }
  const auto matches = [&](std::string_view candidate) {
    return suffix.empty() ? glob_matches(glob, candidate)
                          : glob_matches(glob, std::string(candidate).append(suffix));
  };
  if (matches(name.qualified)) return true;
  return has_silent_text(name.qualified) && matches(plain(name));
}

bool Pattern::Impl::matches_regex(std::string_view raw, size_t& cost) const {
  const auto demangled = demangle(raw, cost);
  const std::string_view name = demangled ? std::string_view(*demangled)
                                          : raw.substr(0, raw.size() - clone_suffix(raw).size());
  return RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), *regex);
}

Pattern::Pattern(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Result<Pattern> Pattern::parse(std::string_view typed) {
  auto text = read_pattern(typed);
  if (!text) return tl::unexpected(std::move(text.error()));
  auto impl = std::make_shared<Impl>();
  impl->text = std::move(*text);
  if (impl->text.form == Form::Name && !impl->text.needle.empty())
    impl->spelled = fmt::format("{}{}", impl->text.needle.size(), impl->text.needle);
  if (impl->text.form == Form::Regex) {
    RE2::Options options;
    options.set_log_errors(false);
    impl->regex = std::make_unique<const RE2>(impl->text.name, options);
    if (!impl->regex->ok())
      return fail(fmt::format("{} is not a regular expression: {}", impl->text.typed,
                              impl->regex->error()));
  }
  return Pattern(std::move(impl));
}

const std::string& Pattern::typed() const { return impl_->text.typed; }
Pattern::Form Pattern::form() const { return impl_->text.form; }
std::optional<uint64_t> Pattern::address() const { return impl_->text.address; }
const std::string& Pattern::name() const { return impl_->text.name; }
std::string_view Pattern::needle() const { return impl_->text.needle; }

bool Pattern::matches(std::string_view raw, size_t& cost) const {
  switch (form()) {
    case Form::Name:
      return impl_->matches_name(raw, cost);
    case Form::Glob:
      return impl_->matches_glob(raw, cost);
    case Form::Regex:
      return impl_->matches_regex(raw, cost);
    case Form::Raw:
      return raw == impl_->text.name;
    case Form::Address:
      return false;
  }
  return false;
}

bool Pattern::accepts_version(std::string_view version, bool is_default) const {
  const auto& wanted = impl_->text.version;
  if (!wanted) return true;
  return wanted->name == version && (is_default || !wanted->must_be_default);
}

bool Pattern::asks_for_suffix(std::string_view suffix) const {
  switch (form()) {
    case Form::Name:
      return impl_->text.suffix == suffix;
    case Form::Glob:
      return impl_->text.name.find('.') != kNone;
    case Form::Raw:
      return true;
    case Form::Regex:
    case Form::Address:
      return false;
  }
  return false;
}

}  // namespace dbtrace::symbols
