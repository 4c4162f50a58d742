// SPDX-License-Identifier: MIT
#include "core/array/unsharded_chunks.h"

#include <algorithm>
#include <utility>

#include "core/array/array_context.h"
#include "core/base/checked.h"
#include "core/base/thread_pool.h"
#include "core/base/threads.h"
#include "core/base/tuning.h"

namespace zarr {

namespace {

std::vector<GridAxis> GroupsOf(const Store& store, const ChunkStore::Index& counts) {
    std::vector<GridAxis> axes;
    if (!store.Traits().packed) return axes;
    std::uint64_t others = 1;
    for (std::size_t i = 1; i < counts.size(); ++i) others = SaturatingMul(others, counts[i]);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const std::uint64_t most =
            i == 0 ? tuning::kMaxUnshardedGroup / std::max<std::uint64_t>(others, 1) : counts[i];
        axes.emplace_back(counts[i], std::max<std::uint64_t>(most, 1));
    }
    return axes;
}

}  // namespace

UnshardedChunks::UnshardedChunks(std::shared_ptr<const Store> store, std::string path,
                                 const ArrayMetadata& metadata, const Index& counts,
                                 ArrayContext& context)
    : ChunkStore(store, std::move(path), metadata, counts, GroupsOf(*store, counts)),
      store_(std::move(store)),
      context_(context) {}

Status UnshardedChunks::Read(const std::vector<ChunkRequest>& requests,
                             const ReadRangesOptions& options, const ChunkTaker& take) const {
    if (requests.size() > 1 && !groups().empty()) return ReadTogether(requests, options, take);
    return ParallelFor(requests.size(), options.requests,
                       [&](std::size_t i) { return ReadOne(requests, i, options, take); });
}

Status UnshardedChunks::ReadOne(const std::vector<ChunkRequest>& requests, std::size_t position,
                                const ReadRangesOptions& options, const ChunkTaker& take) const {
    const ChunkRequest& request = requests[position];
    const bool has_memory = request.memory.data != nullptr;
    ArrayContext::ScratchBuffer scratch(context_);
    Buffer& buffer = scratch->pipeline.encoded;
    const auto read = [&] {
        const ThreadBudget budget(request.threads);
        return objects().Read(objects().IndexOf(request.chunk), request.part,
                              has_memory ? ReadSink(request.memory) : ReadSink(buffer));
    };
    const Result<ReadResult> result = options.on_request ? Timed(read, options.on_request) : read();
    if (!result.ok()) return take(position, result.status());
    ByteSpan bytes = std::as_const(buffer).span();
    if (has_memory) {
        bytes.size = static_cast<std::size_t>(result->size);
        bytes.data = bytes.size == request.memory.size ? request.memory.data : nullptr;
    }
    return take(position, FetchedChunk{result->found, bytes, result->version});
}

Status UnshardedChunks::ReadTogether(const std::vector<ChunkRequest>& requests,
                                     const ReadRangesOptions& options,
                                     const ChunkTaker& take) const {
    std::vector<std::size_t> parts;  // indices of requests for a part of a chunk
    std::vector<std::size_t> whole;
    std::vector<std::string> keys;  // keys of the chunks in `whole`
    ReadManyOptions many{options, 0};
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (!requests[i].part.is_whole()) {
            parts.push_back(i);
            continue;
        }
        const Index chunk = objects().IndexOf(requests[i].chunk);
        ZARR_ASSIGN_OR_RETURN(std::string key, objects().KeyOf(chunk));
        keys.push_back(std::move(key));
        whole.push_back(i);
        many.limit = std::max(many.limit, requests[i].part.length());
    }
    ZARR_RETURN_IF_ERROR(ParallelFor(parts.size(), options.requests, [&](std::size_t i) {
        return ReadOne(requests, parts[i], options, take);
    }));
    return store_->GetMany(keys, many, [&](std::size_t i, const std::optional<ByteSpan>& bytes) {
        return take(whole[i], FetchedChunk{bytes.has_value(), bytes.value_or(ByteSpan()),
                                           store_->VersionOf(keys[i])});
    });
}

Result<std::optional<ChunkLocation>> UnshardedChunks::Locate(const Index& chunk) const {
    ZARR_ASSIGN_OR_RETURN(std::string key, objects().KeyOf(chunk));
    return std::optional(ChunkLocation{std::move(key), 0, std::nullopt});
}

}  // namespace zarr
