// SPDX-License-Identifier: MIT
#include "core/array/pending_chunks.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

namespace zarr {

std::shared_ptr<PendingChunk> PendingChunks::Find(std::uint64_t chunk) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = chunks_.find(chunk);
    return found == chunks_.end() ? nullptr : found->second;
}

std::shared_ptr<PendingChunk> PendingChunks::FindOrAdd(std::uint64_t chunk) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = chunks_.find(chunk);
    if (found != chunks_.end()) return found->second;
    auto pending = std::make_shared<PendingChunk>();
    chunks_.emplace(chunk, pending);
    count_.store(chunks_.size(), std::memory_order_release);
    return pending;
}

void PendingChunks::Remove(std::uint64_t chunk, const PendingChunk& pending) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = chunks_.find(chunk);
    if (found == chunks_.end() || found->second.get() != &pending) return;
    chunks_.erase(found);
    count_.store(chunks_.size(), std::memory_order_release);
}

void PendingChunks::Clear() {
    for (const auto& [index, pending] : All()) {
        const std::lock_guard<std::mutex> lock(pending->mutex);
        pending->is_gone = true;
        Remove(index, *pending);
    }
}

std::vector<std::pair<std::uint64_t, std::shared_ptr<PendingChunk>>> PendingChunks::All() const {
    std::vector<std::pair<std::uint64_t, std::shared_ptr<PendingChunk>>> all;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        all.assign(chunks_.begin(), chunks_.end());
    }
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    return all;
}

bool IsCompletelyWritten(const PendingChunk& pending) {
    const ByteSpan written = pending.written.span();
    return written.size == 0 || std::memchr(written.data, 0, written.size) == nullptr;
}

void FillUnwritten(PendingChunk& pending, PendingChunk& stored) {
    const std::uint8_t* const written = pending.written.data();
    std::uint8_t* const mine = pending.elements.data();
    const std::uint8_t* const theirs = stored.elements.data();
    for (std::size_t i = 0; i < pending.elements.size(); ++i)
        mine[i] = static_cast<std::uint8_t>((mine[i] & written[i]) | (theirs[i] & ~written[i]));
    for (std::size_t i = 0; i < pending.objects.size(); ++i)
        if (written[i] == 0) pending.objects[i] = std::move(stored.objects[i]);
}

Status MakeObjectChunk(const std::vector<std::string>& texts, ObjectChunk& chunk) {
    std::size_t bytes = 0;
    for (const std::string& text : texts) bytes += text.size();
    ZARR_RETURN_IF_ERROR(chunk.heap.Reset(bytes));
    ZARR_RETURN_IF_ERROR(chunk.refs.Reset(texts.size() * sizeof(ObjectRef)));
    chunk.count = texts.size();
    std::size_t at = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (!texts[i].empty())
            std::memcpy(chunk.heap.data() + at, texts[i].data(), texts[i].size());
        const ObjectRef ref{reinterpret_cast<const char*>(chunk.heap.data()) + at, texts[i].size()};
        std::memcpy(chunk.refs.data() + i * sizeof ref, &ref, sizeof ref);
        at += texts[i].size();
    }
    return {};
}

}  // namespace zarr
