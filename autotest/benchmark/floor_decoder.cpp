// SPDX-License-Identifier: MIT
#include "autotest/benchmark/floor_decoder.h"

#include <blosc.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

namespace {

class Blosc final : public FloorDecoder {
  public:
    bool Decode(const FloorBuffer& encoded, std::uint8_t* decoded, std::size_t size) override {
        return blosc_decompress_ctx(encoded.data(), decoded, size, 1) == static_cast<int>(size);
    }
};

class Zstd final : public FloorDecoder {
  public:
    bool Decode(const FloorBuffer& encoded, std::uint8_t* decoded, std::size_t size) override {
        return ZSTD_decompressDCtx(context_.get(), decoded, size, encoded.data(), encoded.size()) ==
               size;
    }

  private:
    struct Free {
        void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
    };
    std::unique_ptr<ZSTD_DCtx, Free> context_{ZSTD_createDCtx()};
};

class Zlib final : public FloorDecoder {
  public:
    Zlib() : decompressor_(libdeflate_alloc_decompressor()) {}
    ~Zlib() override { libdeflate_free_decompressor(decompressor_); }
    Zlib(const Zlib&) = delete;
    Zlib& operator=(const Zlib&) = delete;

    bool Decode(const FloorBuffer& encoded, std::uint8_t* decoded, std::size_t size) override {
        return decompressor_ != nullptr &&
               libdeflate_zlib_decompress(decompressor_, encoded.data(), encoded.size(), decoded,
                                          size, nullptr) == LIBDEFLATE_SUCCESS;
    }

  private:
    libdeflate_decompressor* decompressor_;
};

}  // namespace

std::unique_ptr<FloorDecoder> MakeFloorDecoder(const std::string& codec) {
    if (codec == "blosc") return std::make_unique<Blosc>();
    if (codec == "zstd") return std::make_unique<Zstd>();
    if (codec == "zlib") return std::make_unique<Zlib>();
    return nullptr;
}

bool ReadWholeFile(const std::string& path, FloorBuffer& bytes) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    struct stat facts {};
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
