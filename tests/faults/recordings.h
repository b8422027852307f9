// What is left of recordings whose tracer or disk failed, held against the clocked load of
// fixtures/servers/com_data.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dbtrace::testing {

// The recordings in a folder, the oldest first: FILE.2, FILE.1, FILE.
[[nodiscard]] std::vector<std::string> recordings_in(const std::filesystem::path& folder);

struct Recorded {
  uint64_t queries = 0;
  uint64_t latest_ns = 0;  // when the last of them was sent, since the Unix epoch
};

// Each is readable by `dbtrace histogram` and sound, with nothing in it that was not sent and
// nothing twice; what is missing between the first and the last of all files are as many as they
// say that were lost.
[[nodiscard]] Recorded expect_sound(const std::vector<std::string>& files);

}  // namespace dbtrace::testing
