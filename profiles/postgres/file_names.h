// Names of relations by their files, looked up by a thread of its own: in the files of the
// server's catalog, and by asking the server where that is wanted.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_set>

#include "profiles/file_namer.h"
#include "profiles/postgres/catalog_files.h"
#include "profiles/postgres/server_catalog.h"

namespace dbtrace::profiles::postgres {

// Profile::file_namer. "public.t", "public.t (visibility map)", …; what content_of_file() says
// where the name is not known. Where several databases whose files were seen have such a table,
// the database stands before it: "shop.public.t". Memory is bounded by kDatabasesMax, kNamesMax and
// kUnknownMax.
class FileNames final : public FileNamer {
 public:
  static constexpr size_t kDatabasesMax = 256;
  static constexpr size_t kNamesMax = 2 * Catalog::kRelationsMax;  // of one database
  static constexpr size_t kUnknownMax = 10'000;                    // of one database
  // What is not known is looked for at once, but no more often than this.
  static constexpr std::chrono::milliseconds kLeastPause{1000};
  // Changes of what is known are looked for this often.
  static constexpr std::chrono::milliseconds kPause{2000};

  // `data`: opens the data directory. `server`: null where the server is not to be asked.
  FileNames(std::function<std::optional<DataFolder>()> data, std::unique_ptr<ServerCatalog> server);
  ~FileNames() override;

  [[nodiscard]] std::string content(std::string_view folder, std::string_view name) override;
  [[nodiscard]] uint64_t edition() const override { return edition_; }
  [[nodiscard]] Result<void> wait_until_ready(std::chrono::milliseconds patience) override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Database {
    std::string name;
    NamesByFile names;
    std::unordered_set<std::string_view> all_names;  // in `names`
    std::set<uint32_t> unknown;                      // files without a name
    bool in_use = false;                             // somebody has asked for a file of it
    bool has_new = false;  // there is an unknown file that was not looked for
    // The thread's own:
    std::optional<ReadFiles> read;
    Clock::time_point next_reading{};
    Clock::time_point next_question{};
    std::chrono::seconds pause{1};  // from one question to the next, if the first was in vain
  };

  void run(const std::stop_token& stop);
  void begin(const std::stop_token& stop);
  [[nodiscard]] Result<void> check_server(const std::optional<DataFolder>& data,
                                          const std::stop_token& stop);
  void read_files(uint32_t number, Database& database, const DataFolder& data,
                  const std::stop_token& stop);
  void look_at(uint32_t number, const std::optional<DataFolder>& data, const std::stop_token& stop);
  void ask_server(uint32_t number, Database& database, const std::stop_token& stop);
  // Takes new names; those that are gone stay: they are true of what was seen under them.
  void learn(Database& database, NamesByFile names);
  void learn_databases(const std::optional<DataFolder>& data, const std::stop_token& stop);
  [[nodiscard]] std::string name_of(uint32_t number, const Database& database,
                                    const std::string& name) const;

  const std::function<std::optional<DataFolder>()> data_;
  const std::unique_ptr<ServerCatalog> server_;
  std::mutex mutex_;  // of what follows
  std::condition_variable_any changed_;
  std::map<uint32_t, Database> databases_;       // none is ever removed
  std::optional<DatabaseNames> database_names_;  // the thread's own
  std::optional<Result<void>> ready_;
  bool is_asked_ = false;  // there is something new to look for
  std::atomic<uint64_t> edition_ = 0;
  std::jthread thread_;  // the last one: it uses all others
};

// Profile::file_namer.
[[nodiscard]] Result<std::shared_ptr<FileNamer>> file_namer(uint32_t pid,
                                                            const std::string& connection);

}  // namespace dbtrace::profiles::postgres
