#include "symbols/demangle.h"

// The signature of itaniumDemangle changed between releases, which shall matter
// nowhere else.
#include <llvm/Demangle/Demangle.h>

#include <cstdlib>

#include "symbols/demangled_size.h"

namespace dbtrace::symbols {
namespace {

// LLVM's demangler recurses once per nesting level, so a long crafted name
// could exhaust the stack. Real names are far shorter (1,200 in MySQL 9).
constexpr size_t kMaxLength = 4096;

// It also writes out every back reference, of which two (`F S1_ S1_`) can
// double what came before: a crafted name of 200 characters could fill the
// memory. Names that might exceed this size stay mangled.
constexpr size_t kMaxDemangled = 4U << 20;

// Demangled names may be far longer than mangled ones; nobody reads these.
constexpr size_t kMaxShortName = 2048;

bool is_sequence_character(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); }

// Counts what looks like a substitution (S_, S1A_), a template parameter (T_)
// or a pack expansion (Dp). Letters inside identifiers may look the same: an
// overestimate is fine for a limit.
size_t count_references(std::string_view raw) {
  size_t count = 0;
  for (size_t i = 0; i + 1 < raw.size(); ++i) {
    if (raw[i] == 'D' && raw[i + 1] == 'p') ++count;
    if (raw[i] != 'S' && raw[i] != 'T') continue;
    size_t end = i + 1;
    while (end < raw.size() && is_sequence_character(raw[end])) ++end;
    if (end == raw.size() || raw[end] != '_') continue;
    ++count;
    i = end;
  }
  return count;
}

bool may_explode(std::string_view raw) {
  // Nearly all names are cleared by counting; the few others are parsed.
  const size_t doublings = count_references(raw) / 2;
  const bool is_small = doublings < 16 && raw.size() << doublings <= kMaxDemangled;
  return !is_small && demangled_size_limit(raw) > kMaxDemangled;
}

// A template, so that the form which this LLVM does not have is never looked up.
template <typename String>
char* call_llvm(const String& raw) {
  if constexpr (requires { llvm::itaniumDemangle(raw.c_str(), nullptr, nullptr, nullptr); }) {
    return llvm::itaniumDemangle(raw.c_str(), nullptr, nullptr, nullptr);  // LLVM ≤ 16
  } else {
    return llvm::itaniumDemangle(raw);  // LLVM ≥ 17
  }
}

std::string_view without_version(std::string_view raw) { return raw.substr(0, raw.find('@')); }

}  // namespace

std::string_view clone_suffix(std::string_view raw) {
  raw = without_version(raw);
  const size_t dot = raw.find('.', 1);  // a leading dot belongs to the name
  return dot == std::string_view::npos ? std::string_view{} : raw.substr(dot);
}

std::optional<std::string> demangle(std::string_view raw) {
  raw = without_version(raw);
  raw.remove_suffix(clone_suffix(raw).size());
  if (!raw.starts_with("_Z") || raw.size() > kMaxLength) return std::nullopt;
  if (may_explode(raw)) return std::nullopt;

  char* text = call_llvm(std::string(raw));
  if (text == nullptr) return std::nullopt;
  std::string result(text);
  std::free(text);
  return result;
}

std::string short_form(std::string_view demangled) {
  const FunctionName name = parse_function_name(demangled);
  std::string text = name.scope.empty() ? name.base : name.scope + "::" + name.base;
  const bool is_readable = !text.empty() && text.size() <= kMaxShortName;
  return is_readable ? text : std::string();
}

std::string short_name(std::string_view raw) {
  const auto demangled = demangle(raw);
  std::string text = demangled ? short_form(*demangled) : std::string();
  if (!text.empty()) return text;
  return std::string(raw.substr(0, raw.size() - clone_suffix(raw).size()));
}

}  // namespace dbtrace::symbols
