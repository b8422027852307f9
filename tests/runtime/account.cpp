#include "tests/runtime/account.h"

#include <regex>
#include <stdexcept>

namespace dbtrace::testing {

Account Account::of(const std::string& errors) {
  static const std::regex kLine(
      R"((\d+) commands? seen: (\d+) (?:shown|recorded|watched), (\d+) filtered, (\d+) of kinds not asked for, (\d+) lost)"
      R"((?:, (\d+) after the end)?)");
  std::smatch match;
  if (!std::regex_search(errors, match, kLine))
    throw std::runtime_error("no summary in:\n" + errors);
  const auto number = [&](size_t group) {
    return match[group].matched ? std::stoull(match[group]) : 0;
  };
  Account account;
  account.seen = number(1);
  account.shown = number(2);
  account.filtered = number(3);
  account.hidden = number(4);
  account.lost = number(5);
  account.surplus = number(6);
  static const std::regex kClass(R"(\n  (\d+) ([a-z ]+))");
  for (auto each = std::sregex_iterator(errors.begin(), errors.end(), kClass);
       each != std::sregex_iterator(); ++each)
    account.classes[(*each)[2]] = std::stoull((*each)[1]);
  return account;
}

}  // namespace dbtrace::testing
