#include "symbols/decompress.h"

#include <elf.h>
#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "symbols/elf_image.h"

namespace dbtrace::symbols {
namespace {

constexpr uint32_t kZstd = 2;  // ELFCOMPRESS_ZSTD; older elf.h lack it
constexpr size_t kChunk = 1U << 20;
// What xz may use for itself: its strongest preset wants 65 MiB.
constexpr uint64_t kXzMemory = 128U << 20;

// One library's stream: takes from `in`, appends to `out`.
enum class Step { More, Done, Damaged };

class ZlibStream {
 public:
  explicit ZlibStream(std::span<const uint8_t> in) {
    stream_.next_in = const_cast<Bytef*>(in.data());
    stream_.avail_in = static_cast<uInt>(std::min<size_t>(in.size(), UINT32_MAX));
    ready_ = ::inflateInit(&stream_) == Z_OK;
  }
  ZlibStream(const ZlibStream&) = delete;
  ZlibStream& operator=(const ZlibStream&) = delete;
  ~ZlibStream() {
    if (ready_) ::inflateEnd(&stream_);
  }

  Step step(std::span<uint8_t> out, size_t& written) {
    if (!ready_) return Step::Damaged;
    stream_.next_out = out.data();
    stream_.avail_out = static_cast<uInt>(out.size());
    const int result = ::inflate(&stream_, Z_NO_FLUSH);
    written = out.size() - stream_.avail_out;
    if (result == Z_STREAM_END) return Step::Done;
    return result == Z_OK ? Step::More : Step::Damaged;
  }

 private:
  z_stream stream_{};
  bool ready_ = false;
};

class ZstdStream {
 public:
  explicit ZstdStream(std::span<const uint8_t> in)
      : stream_(::ZSTD_createDStream(), &::ZSTD_freeDStream), in_{in.data(), in.size(), 0} {}

  Step step(std::span<uint8_t> out, size_t& written) {
    if (!stream_) return Step::Damaged;
    ZSTD_outBuffer buffer{out.data(), out.size(), 0};
    const size_t left = ::ZSTD_decompressStream(stream_.get(), &buffer, &in_);
    written = buffer.pos;
    if (::ZSTD_isError(left) != 0) return Step::Damaged;
    if (left == 0) return Step::Done;
    return in_.pos == in_.size && written == 0 ? Step::Damaged : Step::More;
  }

 private:
  std::unique_ptr<ZSTD_DStream, decltype(&::ZSTD_freeDStream)> stream_;
  ZSTD_inBuffer in_;
};

class XzStream {
 public:
  explicit XzStream(std::span<const uint8_t> in) {
    stream_.next_in = in.data();
    stream_.avail_in = in.size();
    ready_ = ::lzma_stream_decoder(&stream_, kXzMemory, 0) == LZMA_OK;
  }
  XzStream(const XzStream&) = delete;
  XzStream& operator=(const XzStream&) = delete;
  ~XzStream() { ::lzma_end(&stream_); }

  Step step(std::span<uint8_t> out, size_t& written) {
    if (!ready_) return Step::Damaged;
    stream_.next_out = out.data();
    stream_.avail_out = out.size();
    const lzma_ret result = ::lzma_code(&stream_, LZMA_RUN);
    written = out.size() - stream_.avail_out;
    if (result == LZMA_STREAM_END) return Step::Done;
    return result == LZMA_OK ? Step::More : Step::Damaged;
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool ready_ = false;
};

template <typename Stream>
Result<std::vector<uint8_t>> run(Stream stream, size_t most) {
  std::vector<uint8_t> out;
  for (;;) {
    const size_t before = out.size();
    if (before >= most) return fail(fmt::format("is larger than {} MiB", most >> 20));
    // Doubling keeps the copies few; `most` keeps the doubling in bounds.
    out.resize(std::min(most, before + std::max(kChunk, before)));
    size_t written = 0;
    const Step step = stream.step(std::span(out).subspan(before), written);
    out.resize(before + written);
    if (step == Step::Done) return out;
    if (step == Step::Damaged) return fail("is damaged");
  }
}

}  // namespace

Result<std::vector<uint8_t>> decompress(Compression compression, std::span<const uint8_t> bytes,
                                        size_t most) {
  switch (compression) {
    case Compression::Zlib:
      return run<ZlibStream>(ZlibStream(bytes), most);
    case Compression::Zstd:
      return run<ZstdStream>(ZstdStream(bytes), most);
    case Compression::Xz:
      return run<XzStream>(XzStream(bytes), most);
  }
  return fail("is compressed in an unknown way");
}

Result<std::vector<uint8_t>> decompress_section(std::span<const uint8_t> section, size_t limit) {
  const auto header = load<Elf64_Chdr>(section, 0);
  if (!header) return fail("is damaged");
  const auto bytes = section.subspan(sizeof(*header));
  const size_t most = std::min<uint64_t>(header->ch_size + 1, limit);
  if (header->ch_size >= limit) return fail(fmt::format("is larger than {} MiB", limit >> 20));
  Result<std::vector<uint8_t>> out = fail("is compressed in an unknown way");
  if (header->ch_type == ELFCOMPRESS_ZLIB) out = decompress(Compression::Zlib, bytes, most);
  if (header->ch_type == kZstd) out = decompress(Compression::Zstd, bytes, most);
  if (out && out->size() != header->ch_size) return fail("is damaged");
  return out;
}

}  // namespace dbtrace::symbols
