#include "src/output/perfetto/sessions.h"

#include <fmt/format.h>

#include "src/output/digits.h"
#include "src/output/escape.h"
#include "src/output/shown.h"

namespace dbtrace::output::perfetto {

size_t Sessions::add(const model::Query& query) {
  key_.clear();
  append_number(key_, query.pid);
  // Without a number a session is a thread.
  key_ += query.connection_id ? '#' : '/';
  append_number(key_, query.connection_id.value_or(query.tid));
  key_ += ' ';
  if (query.user) key_ += *query.user;
  key_ += '\0';
  if (const auto& host = shown_host(query)) key_ += *host;
  const auto [found, is_new] = numbers_.try_emplace(key_, sessions_.size());
  if (is_new)
    sessions_.push_back({.flavor = std::string(query.flavor),
                         .pid = query.pid,
                         .tid = query.tid,
                         .connection = query.connection_id,
                         .user = query.user,
                         .database = {}});
  Session& session = sessions_[found->second];
  if (query.database && !query.database->empty() && session.database != *query.database) {
    session.several_databases |= !session.database.empty();
    session.database = *query.database;
  }
  return found->second;
}

std::string Sessions::name(size_t number) const {
  const Session& session = sessions_[number];
  std::string name;
  if (session.user) append_visible(name, *session.user);
  if (!session.database.empty() && !session.several_databases) {
    name += '/';
    append_visible(name, session.database);
  }
  if (!name.empty()) name += ' ';
  return session.connection ? fmt::format("{}#{}", name, *session.connection)
                            : fmt::format("{}thread {}", name, session.tid);
}

}  // namespace dbtrace::output::perfetto
