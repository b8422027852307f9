#include "tests/soak/ledger.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "tests/runtime/child_process.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;

std::string error_of(const json& line) {
  if (line.contains("sqlstate")) return line.at("sqlstate");
  return line.at("error") == 0 ? "" : line.at("error").dump();
}

std::string shown(const Deed& deed) {
  return deed.command + " \"" + deed.text.substr(0, 200) + "\" error " + deed.error.value_or("?") +
         " rows " + (deed.rows ? std::to_string(*deed.rows) : "?");
}

}  // namespace

bool Ledger::is_of(const Deed& deed, const json& line) const {
  return line.at("command") == deed.command && line.at("query").is_string() &&
         line.at("query").get_ref<const std::string&>() == deed.text.substr(0, max_text_) &&
         line.at("query_length") == deed.text.size() &&
         line.at("truncated") == (deed.text.size() > max_text_) && line.at("user") == user_ &&
         (!deed.error || error_of(line) == *deed.error) &&
         (!deed.rows || line.at("rows_sent") == *deed.rows);
}

void Ledger::did(uint64_t connection, Deed deed) {
  const std::lock_guard lock(mutex_);
  ++deeds_;
  ++untold_;
  Account& account = open_[connection];
  account.deeds.push_back(std::move(deed));
  settle(account);
  if (account.deeds.empty() && account.lines.empty()) open_.erase(connection);
}

void Ledger::told(const json& line) {
  const std::lock_guard lock(mutex_);
  const uint64_t connection = line.at("conn");
  Account& account = open_[connection];
  account.lines.push_back(line);
  settle(account);
  if (account.deeds.empty() && account.lines.empty()) open_.erase(connection);
}

// After a loss the next line is of a later deed; a line that is of none is wrong itself.
void Ledger::settle(Account& account) {
  while (!account.deeds.empty() && !account.lines.empty()) {
    const json& line = account.lines.front();
    const auto deed =
        std::ranges::find_if(account.deeds, [&](const Deed& each) { return is_of(each, line); });
    if (deed == account.deeds.end()) {
      complain("wrong: " + line.dump().substr(0, 600) +
               "\n  next done: " + shown(account.deeds.front()));
      ++wrong_;
    } else {
      for (auto skipped = account.deeds.begin(); skipped != deed; ++skipped, ++missing_)
        complain("missing: " + shown(*skipped));
      untold_ -= static_cast<size_t>(deed - account.deeds.begin()) + 1;
      account.deeds.erase(account.deeds.begin(), deed + 1);
      ++right_;
    }
    account.lines.pop_front();
  }
}

void Ledger::let_follow() const {
  constexpr size_t kFew = 20;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  wait_until(
      [&] {
        const std::lock_guard lock(mutex_);
        return untold_ <= kFew;
      },
      std::chrono::seconds(10));
}

bool Ledger::settled() const {
  const std::lock_guard lock(mutex_);
  return open_.empty();
}

void Ledger::close() {
  const std::lock_guard lock(mutex_);
  for (const auto& [connection, account] : open_) {
    for (const Deed& deed : account.deeds) complain("missing: " + shown(deed));
    for (const json& line : account.lines) complain("nobody did: " + line.dump().substr(0, 600));
    missing_ += account.deeds.size();
    wrong_ += account.lines.size();
  }
  open_.clear();
}

void Ledger::complain(const std::string& about) {
  constexpr size_t kEnough = 6000;
  if (complaints_.size() < kEnough) complaints_ += about + '\n';
}

}  // namespace dbtrace::testing
