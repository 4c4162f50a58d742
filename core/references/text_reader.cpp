// SPDX-License-Identifier: MIT
#include "core/references/text_reader.h"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <utility>

#include "core/base/limits.h"

namespace zarr {

namespace {

class ValueReader final : public TextReader {
  public:
    ValueReader(const Store& store, std::string key, std::size_t block)
        : store_(store), key_(std::move(key)), block_(block) {}

    Result<ByteSpan> Next() override {
        if (is_at_end_) return ByteSpan();
        if (offset_ >= LimitOf(Limit::kReferenceSize))
            return OverLimit(Limit::kReferenceSize, key_ + ": has too many bytes");
        ZARR_ASSIGN_OR_RETURN(const ReadResult read,
                              store_.Read(key_, ValuePart::Range(offset_, block_), bytes_));
        if (!read.found) return Status::NotFound(key_ + ": does not exist");
        offset_ += bytes_.size();
        is_at_end_ = bytes_.size() < block_;
        return std::as_const(bytes_).span();
    }

  private:
    const Store& store_;
    const std::string key_;
    const std::size_t block_;
    std::uint64_t offset_ = 0;
    bool is_at_end_ = false;
    Buffer bytes_;
};

// JSON with a reference for each chunk decompresses to 15 to 100 times its size, repeated bytes to
// 10,000 times. Small documents, below a part of the limit, may repeat as they like.
constexpr std::uint64_t kMaxRatio = 256;
constexpr std::uint64_t kPartOfLimit = 64;

struct FreeContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

class ZstdReader final : public TextReader {
  public:
    explicit ZstdReader(std::unique_ptr<TextReader> compressed)
        : compressed_(std::move(compressed)), context_(ZSTD_createDCtx()) {}

    Result<ByteSpan> Next() override {
        if (context_ == nullptr) return Status::OutOfMemory("cannot allocate a Zstandard context");
        ZARR_RETURN_IF_ERROR(bytes_.Reset(ZSTD_DStreamOutSize()));
        ZSTD_outBuffer out{bytes_.data(), bytes_.size(), 0};
        while (out.pos == 0) {
            if (in_.pos == in_.size && !is_at_end_) {
                ZARR_ASSIGN_OR_RETURN(const ByteSpan more, compressed_->Next());
                in_ = {more.data, more.size, 0};
                is_at_end_ = more.size == 0;
            }
            if (is_at_end_ && in_.pos == in_.size) {
                if (is_in_frame_) return Status::Corrupt("the compressed references are truncated");
                return ByteSpan();
            }
            const std::size_t start = in_.pos;
            const std::size_t left = ZSTD_decompressStream(context_.get(), &out, &in_);
            if (ZSTD_isError(left) != 0)
                return Status::Corrupt(std::string("the references are no Zstandard data: ") +
                                       ZSTD_getErrorName(left));
            compressed_size_ += in_.pos - start;
            is_in_frame_ = left != 0;
        }
        size_ += out.pos;
        ZARR_RETURN_IF_ERROR(CheckSize());
        return ByteSpan(bytes_.data(), out.pos);
    }

  private:
    Status CheckSize() const {
        const std::uint64_t most = LimitOf(Limit::kReferenceSize);
        if (size_ > most)
            return OverLimit(Limit::kReferenceSize, "the references have too many bytes");
        if (size_ > most / kPartOfLimit && size_ / kMaxRatio > compressed_size_)
            return OverLimit(Limit::kReferenceSize, "the references decompress to more than " +
                                                        std::to_string(kMaxRatio) +
                                                        " times their size");
        return {};
    }

    const std::unique_ptr<TextReader> compressed_;
    const std::unique_ptr<ZSTD_DCtx, FreeContext> context_;
    ZSTD_inBuffer in_{nullptr, 0, 0};
    Buffer bytes_;
    std::uint64_t compressed_size_ = 0;  // bytes that were decompressed
    std::uint64_t size_ = 0;             // bytes that came of them
    bool is_at_end_ = false;
    bool is_in_frame_ = false;
};

}  // namespace

std::unique_ptr<TextReader> ReadValue(const Store& store, std::string key, std::size_t block) {
    return std::make_unique<ValueReader>(store, std::move(key), block);
}

std::unique_ptr<TextReader> Decompress(std::unique_ptr<TextReader> compressed) {
    return std::make_unique<ZstdReader>(std::move(compressed));
}

}  // namespace zarr
