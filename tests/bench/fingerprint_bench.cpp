// Megabytes a second that become fingerprints, on one core, by mode and by what
// the statements look like. A figure to look at: build the target
// `fingerprint_bench` and run it.
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>
#include <vector>

#include "src/sql/fingerprint.h"

namespace {

using dbtrace::sql::Fingerprinter;
using dbtrace::sql::FingerprintMode;

constexpr size_t kBytes = 2'000'000;  // of each load
constexpr int kRounds = 20;  // the best counts: others use the processor, too

// '#' stands for a number that differs from statement to statement.
std::string with_numbers(const char* pattern, uint32_t seed) {
  std::string text;
  for (const char* c = pattern; *c != '\0'; ++c) {
    if (*c == '#') {
      seed = seed * 1664525 + 1013904223;
      text += std::to_string(seed >> 12);
    } else {
      text += *c;
    }
  }
  return text;
}

struct Load {
  const char* name;
  std::vector<const char*> patterns;
};

const Load kLoads[] = {
    {"sysbench",
     {"SELECT c FROM sbtest1 WHERE id=#", "SELECT c FROM sbtest3 WHERE id BETWEEN # AND #",
      "SELECT SUM(k) FROM sbtest7 WHERE id BETWEEN # AND #",
      "SELECT DISTINCT c FROM sbtest2 WHERE id BETWEEN # AND # ORDER BY c",
      "UPDATE sbtest5 SET c='#-#-#-#-#-#-#-#-#-#' WHERE id=#", "DELETE FROM sbtest1 WHERE id=#",
      "INSERT INTO sbtest4 (id, k, c, pad) VALUES (#, #, '#-#-#-#-#-#-#-#-#-#', '#-#-#-#-#')",
      "BEGIN", "COMMIT"}},
    {"object-relational mapper",
     {"SELECT `users`.`id`, `users`.`email`, `users`.`created_at`, `users`.`updated_at` FROM "
      "`users` WHERE `users`.`deleted_at` IS NULL AND `users`.`id` = # LIMIT 1",
      "SELECT t0.id AS id_1, t0.title AS title_2, t0.body AS body_3, t1.name AS name_4 FROM post "
      "t0 "
      "INNER JOIN author t1 ON t0.author_id = t1.id LEFT JOIN tag t2 ON t2.post_id = t0.id WHERE "
      "(t0.published = 1 AND t1.id IN (#, #, #, #, #)) ORDER BY t0.created_at DESC LIMIT 20 OFFSET "
      "#",
      "INSERT INTO `orders` (`customer_id`, `state`, `total`, `note`, `created_at`) VALUES (#, "
      "'pending', 12.50, NULL, '2026-01-02 03:04:05')",
      "UPDATE `sessions` SET `data` = 'a:3:{s:4:\"user\";i:#;}', `last_seen` = NOW() WHERE `id` = "
      "'#'"}},
    {"reports",
     {"SELECT d.d_year, i.i_brand_id AS brand_id, SUM(ss.ss_ext_sales_price * (1 - "
      "ss.ss_discount)) AS "
      "sum_agg FROM date_dim d JOIN store_sales ss ON d.d_date_sk = ss.ss_sold_date_sk JOIN item i "
      "ON "
      "ss.ss_item_sk = i.i_item_sk WHERE i.i_manufact_id = # AND d.d_moy = 11 AND (CASE WHEN "
      "ss.ss_quantity "
      "> # THEN 'large' ELSE 'small' END) = 'large' GROUP BY d.d_year, i.i_brand, i.i_brand_id "
      "HAVING "
      "COUNT(*) > # ORDER BY d.d_year, sum_agg DESC, brand_id LIMIT 100"}},
    {"bulk inserts",
     {"INSERT INTO measurements VALUES "
      "(#,#,'abc',#.5),(#,#,'defg',#.5),(#,#,'h',#.5),(#,#,'ij',#.5),"
      "(#,#,'abc',#.5),(#,#,'defg',#.5),(#,#,'h',#.5),(#,#,'ij',#.5),(#,#,'abc',#.5),(#,#,'defg',#."
      "5)"}},
};

// Of the processor, which others may use at the same time.
double seconds_used() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double megabytes_per_second(Fingerprinter& fingerprinter, const std::vector<std::string>& texts) {
  size_t bytes = 0;
  uint64_t ids = 0;
  const double begin = seconds_used();
  for (const std::string& text : texts) {
    ids ^= fingerprinter.of(text).id;
    bytes += text.size();
  }
  const double seconds = seconds_used() - begin;
  if (ids == 1) std::puts("");  // so that they are made
  return static_cast<double>(bytes) / seconds / 1e6;
}

}  // namespace

int main() {
  const struct {
    const char* name;
    FingerprintMode mode;
  } modes[] = {{"mysql", FingerprintMode::MySql},
               {"pt", FingerprintMode::Pt},
               {"pmm", FingerprintMode::Pmm}};
  std::printf("MB/s of one core %-10s", "");
  for (const auto& mode : modes) std::printf(" %8s", mode.name);
  std::printf("  ns a statement (mysql)\n");
  for (const Load& load : kLoads) {
    std::vector<std::string> texts;
    size_t bytes = 0;
    for (uint32_t i = 0; bytes < kBytes; ++i) {
      texts.push_back(with_numbers(load.patterns[i * 7919 % load.patterns.size()], i));
      bytes += texts.back().size();
    }
    std::printf("%-27s", load.name);
    double mysql = 0;
    for (const auto& mode : modes) {
      Fingerprinter fingerprinter(mode.mode);
      double best = 0;
      for (int round = 0; round < kRounds; ++round) {
        best = std::max(best, megabytes_per_second(fingerprinter, texts));
      }
      std::printf(" %8.0f", best);
      if (mode.mode == FingerprintMode::MySql) mysql = best;
    }
    std::printf("  %.0f\n",
                static_cast<double>(bytes) / mysql * 1e3 / static_cast<double>(texts.size()));
  }
}
