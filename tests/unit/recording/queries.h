// Queries to record, and what is in one as text, to compare.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/model/query.h"
#include "src/recording/reader.h"
#include "src/recording/writer.h"
#include "tests/runtime/recording.h"

namespace dbtrace::recording {

inline constexpr uint64_t kBegin = 1'790'000'000'000'000'000;  // in September 2026

[[nodiscard]] model::Query query_of(const std::string& text, uint64_t duration_ns = 1000);
// One with every field set.
[[nodiscard]] model::Query full_query();
// The same with all its stacks.
[[nodiscard]] model::Query sampled_query();

// Every field of it, by name.
[[nodiscard]] std::string described(const model::Query& query);

// The n-th second since kBegin, with every field set, and what is in it.
[[nodiscard]] model::Spending full_second(uint64_t n);
[[nodiscard]] std::string described(const model::Spending& second);

// Throws std::runtime_error when something fails, as all here do.
void must(const Result<void>& result);
// A finished recording of them.
void record(const std::string& path, const std::vector<model::Query>& queries,
            const WriterOptions& options);
[[nodiscard]] Writer writer_of(const std::string& path, const WriterOptions& options);
[[nodiscard]] Reader reader_of(const std::string& path);
[[nodiscard]] std::vector<model::Query> read_all(Reader& reader);
[[nodiscard]] std::vector<model::Spending> read_seconds(Reader& reader);

[[nodiscard]] std::string bytes_of(const std::string& path);
void write_bytes(const std::string& path, const std::string& bytes);

using dbtrace::testing::asked;

}  // namespace dbtrace::recording
