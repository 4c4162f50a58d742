// SPDX-License-Identifier: MIT
#include "core/references/icechunk_file.h"

#include <zstd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/base/limits.h"

namespace zarr {

namespace {

// Positions of fields in a file's header, and the size of the header, in bytes (Icechunk
// specification, "Binary file format").
constexpr std::size_t kVersionAt = 36;
constexpr std::size_t kTypeAt = 37;
constexpr std::size_t kCompressionAt = 38;
constexpr std::size_t kHeaderSize = 39;

Status FileTooLarge() { return OverLimit(Limit::kManifestSize, "the file has too many bytes"); }

// Resizes a payload whose bytes are counted in `memory`. While the contents move, both the old and
// the new bytes count.
Status ResizeCounted(std::size_t size, Buffer& payload, BudgetShare& memory) {
    const std::size_t before = payload.capacity();
    if (size <= before) return payload.Resize(size);
    if (!memory.Add(size).ok()) return FileTooLarge();
    ZARR_RETURN_IF_ERROR(payload.Resize(size));
    memory.Subtract(before);
    // The allocator may round the size up.
    return memory.Add(payload.capacity() - size);
}

struct FreeFrameContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// Decompresses Zstandard frames. If the first frame states its size, memory of this size is
// reserved at once.
Status DecompressFrames(ByteSpan bytes, Buffer& payload, BudgetShare& memory) {
    constexpr std::size_t kFirstBytes = std::size_t{64} << 10;
    const unsigned long long stated = ZSTD_getFrameContentSize(bytes.data, bytes.size);
    if (stated == ZSTD_CONTENTSIZE_ERROR)
        return Status::Corrupt("the payload is no Zstandard data");
    const bool is_stated = stated != ZSTD_CONTENTSIZE_UNKNOWN;
    if (is_stated && stated > memory.budget()->left()) return FileTooLarge();
    const std::unique_ptr<ZSTD_DCtx, FreeFrameContext> context(ZSTD_createDCtx());
    if (context == nullptr) return Status::OutOfMemory("cannot allocate a Zstandard context");
    // A stated size may be wrong. At first, no more than 1,000 times the compressed size, or 64
    // KiB, is reserved.
    const std::uint64_t most = std::max<std::uint64_t>(kFirstBytes, bytes.size * 1000ULL);
    const auto first = static_cast<std::size_t>(std::min<std::uint64_t>(
        is_stated ? std::max<std::uint64_t>(stated, 1) : kFirstBytes, most));
    ZARR_RETURN_IF_ERROR(ResizeCounted(first, payload, memory));
    ZSTD_inBuffer in{bytes.data, bytes.size, 0};
    std::size_t size = 0;
    std::size_t left = 1;
    while (left != 0 || in.pos < in.size) {
        if (size == payload.size()) {
            const std::uint64_t room = memory.budget()->left();
            if (size >= room) return FileTooLarge();
            const auto next = static_cast<std::size_t>(std::min<std::uint64_t>(2 * size, room));
            ZARR_RETURN_IF_ERROR(ResizeCounted(next, payload, memory));
        }
        ZSTD_outBuffer out{payload.data(), payload.size(), size};
        const std::size_t pos = in.pos;
        left = ZSTD_decompressStream(context.get(), &out, &in);
        if (ZSTD_isError(left) != 0)
            return Status::Corrupt(std::string("the payload is no Zstandard data: ") +
                                   ZSTD_getErrorName(left));
        if (left != 0 && in.pos == in.size && out.pos == size && in.pos == pos)
            return Status::Corrupt("the payload is truncated");
        size = out.pos;
    }
    return payload.Resize(size);
}

}  // namespace

Result<IcechunkFile> DecodeIcechunkFile(ByteSpan bytes, IcechunkFileType type,
                                        std::shared_ptr<MemoryBudget> budget) {
    if (bytes.text().substr(0, kIcechunkMagic.size()) != kIcechunkMagic)
        return Status::Corrupt("not a file of Icechunk");
    if (bytes.size < kHeaderSize) return Status::Corrupt("the header is truncated");
    if (budget == nullptr) budget = std::make_shared<MemoryBudget>(Limit::kManifestSize);
    IcechunkFile file;
    file.memory = BudgetShare(std::move(budget));
    file.version = bytes.data[kVersionAt];
    if (file.version != 1 && file.version != 2)
        return Status::Unsupported("version " + std::to_string(file.version) +
                                   " of Icechunk is unsupported");
    if (bytes.data[kTypeAt] != static_cast<std::uint8_t>(type))
        return Status::Corrupt("expected file type " + std::to_string(static_cast<int>(type)) +
                               ", got " + std::to_string(bytes.data[kTypeAt]));
    const ByteSpan payload = bytes.From(kHeaderSize);
    const std::uint8_t compression = bytes.data[kCompressionAt];
    if (compression == 0) {
        ZARR_RETURN_IF_ERROR(ResizeCounted(payload.size, file.payload, file.memory));
        ZARR_RETURN_IF_ERROR(file.payload.Assign(payload));
    } else if (compression == 1) {
        ZARR_RETURN_IF_ERROR(DecompressFrames(payload, file.payload, file.memory));
    } else {
        return Status::Unsupported("compression " + std::to_string(compression) +
                                   " of Icechunk is unsupported");
    }
    return file;
}

Result<IcechunkFile> ReadIcechunkFile(const Store& repository, const std::string& key,
                                      IcechunkFileType type, std::shared_ptr<MemoryBudget> budget) {
    if (budget == nullptr) budget = std::make_shared<MemoryBudget>(Limit::kManifestSize);
    Buffer bytes;
    const auto most = static_cast<std::size_t>(budget->left());
    const auto found = repository.Get(key, bytes, most);
    if (found.status().code() == StatusCode::kLimit) return FileTooLarge().WithContext(key);
    ZARR_RETURN_IF_ERROR(found.status());
    if (!*found) return Status::NotFound(key + ": the file does not exist");
    return DecodeIcechunkFile(std::as_const(bytes).span(), type, std::move(budget))
        .WithContext(key);
}

std::string IcechunkObjectName(ByteSpan id) {
    constexpr char kDigits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    std::string name;
    unsigned bits = 0;  // number of unused bits in `rest`
    unsigned rest = 0;
    for (std::size_t i = 0; i < id.size; ++i) {
        rest = (rest << 8U) | id.data[i];
        for (bits += 8; bits >= 5; bits -= 5) name += kDigits[(rest >> (bits - 5)) & 31U];
        rest &= (1U << bits) - 1;
    }
    if (bits > 0) name += kDigits[(rest << (5 - bits)) & 31U];
    return name;
}

}  // namespace zarr
