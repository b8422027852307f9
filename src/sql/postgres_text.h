// The kind of a PostgreSQL statement as text: words in lower case, one space between tokens, every
// constant as '?', and lists of constants as one.
//
// Two statements that pg_stat_statements gives one queryid have one such text, as far as that
// shows in the text: it looks at what names mean (search_path), which nobody here knows, and up to
// 17 counts lists of different lengths apart, which are one here.
#pragma once

#include <string>
#include <string_view>

namespace dbtrace::sql {

// Keeps its buffer. Not for use by two threads at once.
class PostgresText {
 public:
  // `cut`: the statement goes on behind `text`; the result then ends with "..." behind what is
  // sure whatever follows. The view is good until the next call.
  std::string_view of(std::string_view text, bool cut);

 private:
  void add(std::string_view token, bool lower);
  void add_constant();
  [[nodiscard]] bool ends_with(std::string_view end) const { return out_.ends_with(end); }

  std::string out_;
};

}  // namespace dbtrace::sql
