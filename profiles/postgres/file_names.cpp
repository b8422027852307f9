#include "profiles/postgres/file_names.h"

#include <linux/capability.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>
#include <vector>

#include "profiles/postgres/data_files.h"
#include "src/sandbox/capabilities.h"

namespace dbtrace::profiles::postgres {
namespace {

// Databases whose names are known before the first operation is seen.
constexpr size_t kFirstDatabases = 64;

// From here on nobody waits for this thread, and a busy server must not either.
void step_back() {
  constexpr int kLeastNice = 19;
  constexpr int kOfThread = 1, kIdle = 3 << 13;  // linux/ioprio.h: IOPRIO_WHO_PROCESS, class
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kLeastNice);
  ::syscall(SYS_ioprio_set, kOfThread, 0, kIdle);
}

// The thread reads the server's files, and asks it at a socket that may be others'.
void keep_to_reading(bool connects) {
  sandbox::CapabilitySet kept = sandbox::set_of({CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH});
  if (connects) kept |= sandbox::set_of({CAP_DAC_OVERRIDE});
  (void)sandbox::keep_capabilities(kept);
}

// Signals are for the thread that waits for them.
template <typename Function>
std::jthread start_without_signals(Function function) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::jthread thread(std::move(function));
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

FileNames::FileNames(std::function<std::optional<DataFolder>()> data,
                     std::unique_ptr<ServerCatalog> server)
    : data_(std::move(data)), server_(std::move(server)) {
  thread_ = start_without_signals([this](const std::stop_token& stop) {
    ::pthread_setname_np(::pthread_self(), "dbtrace-names");
    keep_to_reading(server_ != nullptr);
    begin(stop);
    step_back();
    run(stop);
  });
}

FileNames::~FileNames() = default;

std::string FileNames::content(std::string_view folder, std::string_view name) {
  if (const auto file = relation_file(folder, name)) {
    const std::lock_guard lock(mutex_);
    const auto known = databases_.find(file->database);
    if (known == databases_.end() && databases_.size() >= kDatabasesMax)
      return content_of_file(folder, name);
    Database& database = databases_[file->database];
    // Names that were unique may need their database from now on.
    if (!std::exchange(database.in_use, true)) ++edition_;
    if (const auto found = database.names.find(file->number); found != database.names.end())
      return with_fork(name_of(file->database, database, found->second), file->fork);
    if (database.unknown.size() < kUnknownMax && database.unknown.insert(file->number).second) {
      database.has_new = is_asked_ = true;
      changed_.notify_all();
    }
  }
  return content_of_file(folder, name);
}

std::string FileNames::name_of(uint32_t number, const Database& database,
                               const std::string& name) const {
  const bool is_unique = std::ranges::none_of(databases_, [&](const auto& other) {
    return other.first != number && other.second.in_use && other.second.all_names.contains(name);
  });
  if (is_unique || number == 0) return name;
  return (database.name.empty() ? std::to_string(number) : database.name) + '.' + name;
}

Result<void> FileNames::wait_until_ready(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [this] { return ready_.has_value(); });
  return ready_.value_or(Result<void>());
}

// Another server's names would be lies.
Result<void> FileNames::check_server(const std::optional<DataFolder>& data,
                                     const std::stop_token& stop) {
  const auto theirs = server_->identify(stop);
  if (!theirs) return tl::unexpected(theirs.error());
  if (!data || data->system_identifier() != *theirs)
    return fail("--dsn leads to another server than the one that is traced");
  return {};
}

void FileNames::begin(const std::stop_token& stop) {
  const auto data = data_();
  Result<void> ready = server_ ? check_server(data, stop) : Result<void>();
  if (data && ready) {
    std::vector<uint32_t> numbers = data->databases(kFirstDatabases);
    numbers.push_back(0);
    for (const uint32_t number : numbers) look_at(number, data, stop);
    learn_databases(data, stop);
  }
  const std::lock_guard lock(mutex_);
  ready_ = std::move(ready);
  changed_.notify_all();
}

void FileNames::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::vector<uint32_t> numbers;
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, stop, kPause, [this] { return is_asked_; });
      is_asked_ = false;
      for (const auto& [number, database] : databases_)
        if (database.in_use) numbers.push_back(number);
    }
    const auto data = data_();
    for (const uint32_t number : numbers) look_at(number, data, stop);
    learn_databases(data, stop);
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, kLeastPause, [] { return false; });
  }
}

// A catalog that takes long to read is read less often: a twentieth of the time at most.
void FileNames::read_files(uint32_t number, Database& database, const DataFolder& data,
                           const std::stop_token& stop) {
  constexpr int kShare = 20;
  const auto start = Clock::now();
  if (start < database.next_reading) return;
  if (database.read && !has_changed(data, number, *database.read)) return;
  database.read.reset();
  if (auto catalog = read_catalog(data, number, stop)) {
    database.read = std::move(catalog->read);
    learn(database, std::move(catalog->names));
  }
  database.next_reading = start + kShare * (Clock::now() - start);
}

void FileNames::look_at(uint32_t number, const std::optional<DataFolder>& data,
                        const std::stop_token& stop) {
  if (stop.stop_requested()) return;
  std::unique_lock lock(mutex_);
  Database& database = databases_[number];
  lock.unlock();
  if (data) read_files(number, database, *data, stop);
  if (server_) ask_server(number, database, stop);
}

// A new file is asked for at once; one that the server does not know, or does not know yet, as a
// table of a transaction at work, less and less often.
void FileNames::ask_server(uint32_t number, Database& database, const std::stop_token& stop) {
  constexpr std::chrono::seconds kFirstPause{1}, kLongestPause{60};
  std::unique_lock lock(mutex_);
  const bool has_new = std::exchange(database.has_new, false);
  const bool has_unknown = !database.unknown.empty();
  lock.unlock();
  if (!has_unknown || (!has_new && Clock::now() < database.next_question)) return;
  database.pause = has_new ? kFirstPause : std::min(2 * database.pause, kLongestPause);
  if (auto names = server_->names(number, stop)) learn(database, std::move(*names));
  database.next_question = Clock::now() + database.pause;
}

// No other thread changes `names`: they are read without the lock, which is held for a moment.
void FileNames::learn(Database& database, NamesByFile names) {
  if (database.names.size() + names.size() <= kNamesMax)
    names.insert(database.names.begin(), database.names.end());  // what is new stays
  if (names == database.names) return;
  std::unordered_set<std::string_view> all;
  all.reserve(names.size());
  for (const auto& [file, name] : names) all.insert(name);
  const std::lock_guard lock(mutex_);
  std::erase_if(database.unknown, [&](uint32_t file) { return names.contains(file); });
  database.names.swap(names);
  database.all_names.swap(all);
  ++edition_;
}

// Databases are renamed, and a new one may have the number of one that is gone.
void FileNames::learn_databases(const std::optional<DataFolder>& data,
                                const std::stop_token& stop) {
  if (!data) return;
  if (!database_names_ || has_changed(*data, 0, database_names_->read))
    database_names_ = read_databases(*data, stop);
  if (!database_names_) return;
  const std::lock_guard lock(mutex_);
  for (auto& [number, database] : databases_) {
    const std::string& name = database_names_->names.name(number);
    if (name.empty() || name == database.name) continue;
    database.name = name;
    ++edition_;
  }
}

Result<std::shared_ptr<FileNamer>> file_namer(uint32_t pid, const std::string& connection) {
  std::unique_ptr<ServerCatalog> server;
  if (!connection.empty()) {
    auto parsed = server_catalog(connection);
    if (!parsed) return tl::unexpected(parsed.error());
    server = std::move(*parsed);
  }
  // It is opened whenever it is looked at: an open folder would hold its file system.
  return std::make_shared<FileNames>([pid] { return DataFolder::of_process(pid); },
                                     std::move(server));
}

}  // namespace dbtrace::profiles::postgres
