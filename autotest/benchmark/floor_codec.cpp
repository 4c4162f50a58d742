// SPDX-License-Identifier: MIT
#include "autotest/benchmark/floor_codec.h"

#include <blosc.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <cstdlib>

namespace {

class Blosc final : public FloorCodec {
  public:
    bool Decode(const FloorBuffer& encoded, std::uint8_t* decoded, std::size_t size) override {
        return blosc_decompress_ctx(encoded.data(), decoded, size, 1) == static_cast<int>(size);
    }
    bool Encode(const FloorBuffer& decoded, std::size_t item_size, const std::string& variant,
                FloorBuffer& encoded) override {
        constexpr int kLevel = 5;
        encoded.Reset(decoded.size() + BLOSC_MAX_OVERHEAD);
        const int size =
            blosc_compress_ctx(kLevel, BLOSC_SHUFFLE, item_size, decoded.size(), decoded.data(),
                               encoded.data(), encoded.size(), variant.c_str(), 0, 1);
        if (size > 0) encoded.Reset(static_cast<std::size_t>(size));
        return size > 0;
    }
};

class Zstd final : public FloorCodec {
  public:
    bool Decode(const FloorBuffer& encoded, std::uint8_t* decoded, std::size_t size) override {
        return ZSTD_decompressDCtx(context_.get(), decoded, size, encoded.data(), encoded.size()) ==
               size;
    }
    bool Encode(const FloorBuffer& decoded, std::size_t /*item_size*/, const std::string& variant,
                FloorBuffer& encoded) override {
        encoded.Reset(ZSTD_compressBound(decoded.size()));
        const std::size_t size =
            ZSTD_compressCCtx(compressor_.get(), encoded.data(), encoded.size(), decoded.data(),
                              decoded.size(), std::atoi(variant.c_str()));
        if (ZSTD_isError(size) != 0U) return false;
        encoded.Reset(size);
        return true;
    }

  private:
    struct Free {
        void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
        void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
    };
    std::unique_ptr<ZSTD_DCtx, Free> context_{ZSTD_createDCtx()};
    std::unique_ptr<ZSTD_CCtx, Free> compressor_{ZSTD_createCCtx()};
};

// Functions of libdeflate for one compression format, zlib or gzip.
struct DeflateForm {
    decltype(&libdeflate_zlib_decompress) decompress;
    decltype(&libdeflate_zlib_compress_bound) bound;
    decltype(&libdeflate_zlib_compress) compress;
};
constexpr DeflateForm kZlib{libdeflate_zlib_decompress, libdeflate_zlib_compress_bound,
                            libdeflate_zlib_compress};
constexpr DeflateForm kGzip{libdeflate_gzip_decompress, libdeflate_gzip_compress_bound,
                            libdeflate_gzip_compress};

class Deflate final : public FloorCodec {
  public:
    explicit Deflate(const DeflateForm& form)
        : form_(form), decompressor_(libdeflate_alloc_decompressor()) {}
    ~Deflate() override { libdeflate_free_decompressor(decompressor_); }
    Deflate(const Deflate&) = delete;
    Deflate& operator=(const Deflate&) = delete;

    bool Decode(const FloorBuffer& encoded, std::uint8_t* decoded, std::size_t size) override {
        return decompressor_ != nullptr &&
               form_.decompress(decompressor_, encoded.data(), encoded.size(), decoded, size,
                                nullptr) == LIBDEFLATE_SUCCESS;
    }
    bool Encode(const FloorBuffer& decoded, std::size_t /*item_size*/, const std::string& variant,
                FloorBuffer& encoded) override {
        if (compressor_ == nullptr)
            compressor_.reset(libdeflate_alloc_compressor(std::atoi(variant.c_str())));
        if (compressor_ == nullptr) return false;
        encoded.Reset(form_.bound(compressor_.get(), decoded.size()));
        const std::size_t size = form_.compress(compressor_.get(), decoded.data(), decoded.size(),
                                                encoded.data(), encoded.size());
        encoded.Reset(size);
        return size != 0;
    }

  private:
    struct Free {
        void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
    };
    const DeflateForm& form_;
    libdeflate_decompressor* decompressor_;
    std::unique_ptr<libdeflate_compressor, Free> compressor_;
};

}  // namespace

std::unique_ptr<FloorCodec> MakeFloorCodec(const std::string& codec) {
    if (codec == "blosc") return std::make_unique<Blosc>();
    if (codec == "zstd") return std::make_unique<Zstd>();
    if (codec == "zlib") return std::make_unique<Deflate>(kZlib);
    if (codec == "gzip") return std::make_unique<Deflate>(kGzip);
    return nullptr;
}

bool ReadWholeFile(const std::string& path, FloorBuffer& bytes) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    struct stat facts = {};
    bool good = fstat(file, &facts) == 0;
    if (good) bytes.Reset(static_cast<std::size_t>(facts.st_size));
    for (std::size_t done = 0; good && done < bytes.size();) {
        const ssize_t n = read(file, bytes.data() + done, bytes.size() - done);
        good = n > 0;
        if (good) done += static_cast<std::size_t>(n);
    }
    close(file);
    return good;
}

bool WriteWholeFile(const std::string& path, const FloorBuffer& bytes) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0) return false;
    bool good = true;
    for (std::size_t done = 0; good && done < bytes.size();) {
        const ssize_t n = write(file, bytes.data() + done, bytes.size() - done);
        good = n > 0;
        if (good) done += static_cast<std::size_t>(n);
    }
    return close(file) == 0 && good;
}
