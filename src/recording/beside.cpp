#include "src/recording/beside.h"

#include <fmt/format.h>

namespace dbtrace::recording {

Beside::Beside(Database& database, std::string_view table, std::string_view columns,
               std::string_view order)
    : rows_(
          database.prepare(fmt::format("select {0}, {1} from {2} where {0} between ? and ?"
                                       " order by {3}",
                                       order.substr(0, order.find(',')), columns, table, order))) {
  seek({});
}

void Beside::seek(const Ids& ids) {
  rows_.reset();
  rows_.put(ids.first).put(ids.last);
  taken_ = true;
  ended_ = false;
}

void Beside::end() {
  rows_.reset();
  ended_ = true;
}

void Beside::advance() {
  taken_ = false;
  ended_ = !rows_.next();
  if (!ended_) rows_.get(query_);
}

Statement* Beside::row_of(int64_t query) {
  if (taken_ && !ended_) advance();
  while (!ended_ && query_ < query) advance();
  if (ended_ || query_ != query) return nullptr;
  taken_ = true;
  return &rows_;
}

}  // namespace dbtrace::recording
