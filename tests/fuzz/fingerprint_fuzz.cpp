// Arbitrary statements. The first two bytes choose the options and where the text
// is cut.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "src/sql/fingerprint.h"

namespace {

using namespace dbtrace::sql;

// The text with other values in its literals, of the same kinds and lengths.
std::string with_other_values(std::string_view text, const LexerOptions& options) {
  std::string other(text);
  Lexer lexer(text, options);
  for (Token token = lexer.next(); token.kind != TokenKind::End; token = lexer.next()) {
    if (token.kind == TokenKind::String && text[token.begin] == '\'') {
      for (uint32_t at = token.begin + 1; at < token.end; ++at) {
        if (other[at] >= 'a' && other[at] <= 'z') other[at] = 'q';
      }
    } else if (token.kind == TokenKind::Number) {
      for (uint32_t at = token.begin; at < token.end; ++at) {
        if (other[at] >= '2' && other[at] <= '9') other[at] = '7';
      }
    }
  }
  return other;
}

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const unsigned choices = data[0];
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::string_view beginning = text.substr(0, text.size() * data[1] / 256);
  LexerOptions options;
  options.dialect = (choices & 1) != 0 ? Dialect::MariaDb : Dialect::MySql;
  options.ansi_quotes = (choices & 2) != 0;
  options.backslash_escapes = (choices & 4) == 0;

  for (const auto mode : {FingerprintMode::MySql, FingerprintMode::Pt, FingerprintMode::Pmm}) {
    Fingerprinter used(mode, options);
    const Fingerprint cut = used.of(beginning, true);
    const std::string cut_text(cut.text);
    require(cut_text.size() <= 4 * beginning.size() + 32);
    const Fingerprint whole = used.of(text);
    const std::string whole_text(whole.text);
    require(whole_text.size() <= 4 * text.size() + 32);
    require(whole.id == Fingerprinter(mode, options).of(text).id);
    require(!printed_id(mode, whole_text).empty());
    if (mode != FingerprintMode::MySql) continue;
    // The lexer alone does not know where hints may stand.
    if (text.find("/*+") == text.npos) {
      require(used.of(with_other_values(text, options)).text == whole_text);
    }
    // What is sure of a beginning is a beginning of the whole.
    require(cut_text.ends_with("..."));
    std::string_view sure = std::string_view(cut_text).substr(0, cut_text.size() - 3);
    if (sure.ends_with(' ')) sure.remove_suffix(1);
    require(whole_text.starts_with(sure));
  }
  return 0;
}
