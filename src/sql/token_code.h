// What a digest is made of: a number for each character, keyword and what stands
// for values.
#pragma once

#include <cstdint>

namespace dbtrace::sql {

// Below kName: an operator, as the lexer numbers it.
using TokenCode = uint16_t;

namespace code {
enum : TokenCode {
  kName = 280,
  kHintName,  // of an optimizer hint or in one
  kHintKeyword,
  kCharacterSet,  // _utf8mb4 before a literal
  kHintBegin,
  kHintEnd,
  kValue,
  kValues,   // several, with commas
  kRow,      // ( value )
  kRows,     // several, with commas
  kLongRow,  // ( values )
  kLongRows,
  kInValues,  // IN ( values )
  kFirstKeyword = 320,
};
}  // namespace code

}  // namespace dbtrace::sql
