// Names and statements made safe for a slow log: a parser that goes by lines
// and by ";\n#" finds the events that dbtrace wrote and no others. Characters
// that are unsafe on a terminal, and bytes that are not valid UTF-8, appear as
// in escape.h.
#pragma once

#include <string>
#include <string_view>

namespace dbtrace::output {

// A user or host: no white space and no brackets.
void append_token(std::string& out, std::string_view name);

// The value of a "Name: value" pair: no ':' either.
void append_attribute(std::string& out, std::string_view value);

// The name of a database behind `use`; in backticks unless it is a plain word.
void append_identifier(std::string& out, std::string_view name);

// A statement without its closing semicolons. Lines stay lines, with a space
// before what a parser could take for a header, `use`, `SET timestamp` or a
// server's banner, and one between ';' and the line's end. False when there is
// nothing but white space, and nothing was appended.
bool append_statement(std::string& out, std::string_view text);

}  // namespace dbtrace::output
