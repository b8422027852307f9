// libfmt.a: see static.cmake.
#define FMT_HEADER_ONLY
#include <fmt/format.h>
