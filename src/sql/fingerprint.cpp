#include "src/sql/fingerprint.h"

#include <md5.h>

#include <array>
#include <cstdio>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "src/sql/digest_text.h"
#include "src/sql/pmm_text.h"
#include "src/sql/postgres_text.h"
#include "src/sql/pt_text.h"

namespace dbtrace::sql {
namespace {

using Md5 = std::array<uint8_t, MD5_DIGEST_LENGTH>;

Md5 md5_of(std::string_view text) {
  MD5_CTX state;
  MD5Init(&state);
  MD5Update(&state, reinterpret_cast<const uint8_t*>(text.data()), text.size());
  Md5 digest;
  MD5Final(digest.data(), &state);
  return digest;
}

// `half` 0: the first 64 bits, 1: the last.
uint64_t half_of(const Md5& digest, size_t half) {
  uint64_t value = 0;
  for (size_t i = 0; i < 8; ++i) value = value << 8 | digest[8 * half + i];
  return value;
}

uint64_t id_of(FingerprintMode mode, std::string_view text) {
  if (mode == FingerprintMode::MySql) return XXH3_64bits(text.data(), text.size());
  return half_of(md5_of(text), 1);
}

std::string hexadecimal(uint64_t value) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llX", static_cast<unsigned long long>(value));
  return digits;
}

}  // namespace

// The one that is used has buffers; the others cost nothing.
struct Fingerprinter::Implementation {
  explicit Implementation(const LexerOptions& options)
      : dialect(options.dialect), digest(options), pt(options), pmm(options) {}

  std::string_view text_of(FingerprintMode mode, std::string_view text, bool cut) {
    if (dialect == Dialect::PostgreSql) return postgres.of(text, cut);
    switch (mode) {
      case FingerprintMode::MySql:
        return digest.of(text, cut);
      case FingerprintMode::Pt:
        return pt.of(text, cut);
      case FingerprintMode::Pmm:
        return pmm.of(text, cut);
    }
    return {};
  }

  Dialect dialect;
  DigestText digest;
  PostgresText postgres;
  PtText pt;
  PmmText pmm;
};

Fingerprinter::Fingerprinter(FingerprintMode mode, const LexerOptions& options)
    : mode_(mode), implementation_(std::make_unique<Implementation>(options)) {}
Fingerprinter::~Fingerprinter() = default;
Fingerprinter::Fingerprinter(Fingerprinter&&) noexcept = default;
Fingerprinter& Fingerprinter::operator=(Fingerprinter&&) noexcept = default;

Fingerprint Fingerprinter::of(std::string_view text, bool cut) {
  const std::string_view fingerprint = implementation_->text_of(mode_, text, cut);
  return {fingerprint, id_of(mode_, fingerprint)};
}

std::string printed_id(FingerprintMode mode, std::string_view fingerprint_text) {
  const std::string last = hexadecimal(id_of(mode, fingerprint_text));
  if (mode != FingerprintMode::Pt) return last;
  return "0x" + hexadecimal(half_of(md5_of(fingerprint_text), 0)) + last;
}

}  // namespace dbtrace::sql
