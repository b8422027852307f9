// The kind of a statement: its text without what differs between the statements
// of one kind (values, lengths of lists, spelling), and a number for it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "src/sql/lexer.h"

namespace dbtrace::sql {

// Whose text it is (docs/fingerprints.md says how close). PostgreSQL's statements have one text
// whatever the mode (postgres_text.h):
enum class FingerprintMode : uint8_t {
  MySql,  // DIGEST_TEXT of MySQL's performance_schema
  Pt,     // pt-query-digest, pt-fingerprint
  Pmm,    // go-mysql's query.Fingerprint(), as PMM shows it
};

struct Fingerprint {
  std::string_view text;  // good until the fingerprinter's next call
  // Equal for equal texts of one mode, and the same in every run and build.
  // MySql: XXH3 (64 bits) of the text. Pt, Pmm: the last 64 bits of its MD5.
  uint64_t id;
};

// The id as people compare it. MySql and Pmm: 16 hexadecimal digits. Pt: "0x" and
// the 32 digits of the whole MD5, as pt-query-digest 3.2 prints it; older ones print
// the last 16.
[[nodiscard]] std::string printed_id(FingerprintMode mode, std::string_view fingerprint_text);

// Makes fingerprints, in time linear in the text whatever its bytes are, and
// without allocation once its buffers are large enough. Not for use by two
// threads at once.
class Fingerprinter {
 public:
  explicit Fingerprinter(FingerprintMode mode = FingerprintMode::MySql,
                         const LexerOptions& options = {});
  ~Fingerprinter();
  Fingerprinter(Fingerprinter&&) noexcept;
  Fingerprinter& operator=(Fingerprinter&&) noexcept;

  // `cut`: the statement goes on behind `text`. The fingerprint then ends with
  // "..." behind what is sure whatever follows: without the "..." it is a
  // beginning of the whole statement's fingerprint, and a list that was cut gives
  // the same wherever the cut fell.
  Fingerprint of(std::string_view text, bool cut = false);

  [[nodiscard]] FingerprintMode mode() const { return mode_; }

 private:
  struct Implementation;
  FingerprintMode mode_;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace dbtrace::sql
