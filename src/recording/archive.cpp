#include "src/recording/archive.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "src/recording/database.h"

namespace dbtrace::recording {
namespace {

// The file that PATH was, so many files ago.
std::string past_name(const std::string& path, size_t ago) {
  return ago == 0 ? path : fmt::format("{}.{}", path, ago);
}

}  // namespace

Result<void> Archive::can_create(const ArchiveOptions& options) {
  for (size_t ago = 1; ago < options.keep; ++ago) {
    std::error_code none;
    const auto status = std::filesystem::symlink_status(past_name(options.path, ago), none);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
      return fail(fmt::format("cannot record to {}: {} is no regular file", options.path,
                              past_name(options.path, ago)));
  }
  return Database::can_create(options.path);
}

Result<std::unique_ptr<Archive>> Archive::create(const ArchiveOptions& options, uint64_t now_ns) {
  auto writer = Writer::create(options.path, options.writer, now_ns);
  if (!writer) return tl::unexpected(writer.error());
  return std::unique_ptr<Archive>(new Archive(options, std::move(*writer)));
}

void Archive::add(const ServerNote& server) {
  servers_.push_back(server);
  writer_.add(server);
}

Result<void> Archive::commit(uint64_t now_ns) {
  if (writer_.is_full() && options_.keep > 0) return rotate(now_ns);
  return writer_.commit(now_ns);
}

Result<void> Archive::rotate(uint64_t now_ns) {
  if (auto finished = writer_.finish(now_ns); !finished) return finished;
  // The last of them goes: it is written over.
  for (size_t ago = options_.keep - 1; ago > 0; --ago) {
    const std::string from = past_name(options_.path, ago - 1);
    const std::string to = past_name(options_.path, ago);
    if (std::rename(from.c_str(), to.c_str()) != 0 && errno != ENOENT)
      return fail(fmt::format("cannot rename {} to {}: {}", from, to, std::strerror(errno)));
  }
  auto next = Writer::create(options_.path, options_.writer, now_ns);
  if (!next) return tl::unexpected(next.error());
  past_summed_up_ += writer_.summed_up();
  writer_ = std::move(*next);
  for (const ServerNote& server : servers_) writer_.add(server);
  return {};
}

}  // namespace dbtrace::recording
