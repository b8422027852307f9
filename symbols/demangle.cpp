#include "symbols/demangle.h"

// The only file that includes LLVM: the signature of itaniumDemangle changed
// between releases, and that shall matter nowhere else.
#include <llvm/Demangle/Demangle.h>

#include <algorithm>
#include <cstdlib>

namespace dbtrace::symbols {
namespace {

// LLVM's demangler recurses once per nesting level and expands every back
// reference, so a crafted name could exhaust the stack or, doubling with each
// reference, the memory. Real names stay far below these limits: the longest
// of MySQL 9 has 1,200 characters, and 1 in 130 has more than 32 references.
constexpr size_t kMaxLength = 4096;
constexpr size_t kMaxReferences = 32;

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
  if (count_references(raw) > kMaxReferences) return std::nullopt;

  char* text = call_llvm(std::string(raw));
  if (text == nullptr) return std::nullopt;
  std::string result(text);
  std::free(text);
  return result;
}

}  // namespace dbtrace::symbols
