// SPDX-License-Identifier: MIT
#include "core/array/array_context.h"

#include <algorithm>
#include <iterator>
#include <mutex>

#include "core/array/array.h"
#include "core/base/fork.h"
#include "core/base/status.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

void ArrayContext::ForgetParentsLocked() {
    if (generation_ == ForkGeneration()) return;
    shared_.clear();
    instances_.clear();
    generation_ = ForkGeneration();
}

std::shared_ptr<const Array> ArrayContext::FindShared(const std::string& name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ForgetParentsLocked();
    const auto found = shared_.find(name);
    return found == shared_.end() ? nullptr : found->second.lock();
}

std::shared_ptr<const Array> ArrayContext::Share(const std::string& name,
                                                 const std::shared_ptr<const Array>& array) {
    // `known` may be the last reference to an array, whose destructor may lock mutexes. `known` is
    // declared before `lock`, so that the array is destroyed after `mutex_` is unlocked.
    std::shared_ptr<const Array> known;
    const std::lock_guard<std::mutex> lock(mutex_);
    ForgetParentsLocked();
    std::weak_ptr<const Array>& named = shared_[name];
    known = named.lock();
    if (known != nullptr && SameMetadata(known->metadata(), array->metadata())) return known;
    named = array;
    PruneLocked();
    return array;
}

std::shared_ptr<ArrayInstances> ArrayContext::InstancesOf(const std::string& name,
                                                          const ArrayMetadata& metadata) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ForgetParentsLocked();
    std::weak_ptr<ArrayInstances>& named = instances_[name];
    auto instances = named.lock();
    if (instances != nullptr && StoreEqualChunks(instances->metadata(), metadata)) return instances;
    instances = std::make_shared<ArrayInstances>(metadata);
    named = instances;
    PruneLocked();
    return instances;
}

void ArrayContext::PruneLocked() {
    if (shared_.size() + instances_.size() < prune_at_) return;
    const auto prune = [](auto& names) {
        for (auto it = names.begin(); it != names.end();)
            it = it->second.expired() ? names.erase(it) : std::next(it);
    };
    prune(shared_);
    prune(instances_);
    prune_at_ = std::max(tuning::kMinPrunedNames, 2 * (shared_.size() + instances_.size()));
}

bool ArrayContext::IsFirstPartialRead(const ChunkId& id) {
    constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15U;
    std::uint64_t hash = (id.array * kMix + id.chunk + 1) * kMix;
    hash ^= hash >> 32U;
    auto* const set = &parts_[hash % tuning::kPartSets * tuning::kPartWays];
    for (std::size_t i = 0; i < tuning::kPartWays; ++i) {
        std::uint64_t known = 0;  // 0 marks a table entry as unused
        if (set[i].compare_exchange_strong(known, hash, std::memory_order_relaxed)) return true;
        if (known == hash) return false;
    }
    const std::size_t any = next_part_.fetch_add(1, std::memory_order_relaxed) % tuning::kPartWays;
    set[any].store(hash, std::memory_order_relaxed);
    return true;
}

ArrayContext::ScratchBuffer::ScratchBuffer(ArrayContext& context) : context_(context) {
    {
        const std::lock_guard<std::mutex> lock(context.mutex_);
        if (!context.idle_.empty()) {
            scratch_ = std::move(context.idle_.back());
            context.idle_.pop_back();
        }
    }
    if (scratch_ == nullptr) scratch_ = std::make_unique<Scratch>();
}

ArrayContext::ScratchBuffer::~ScratchBuffer() {
    NoThrow([&] {
        const PipelineScratch& pipeline = scratch_->pipeline;
        const std::size_t allocated = scratch_->chunk.capacity() + pipeline.encoded.capacity() +
                                      pipeline.stages[0].capacity() + pipeline.stages[1].capacity();
        if (allocated > tuning::kMaxIdleScratchBytes) return;
        const std::lock_guard<std::mutex> lock(context_.mutex_);
        if (context_.idle_.size() < tuning::kMaxIdleScratches)
            context_.idle_.push_back(std::move(scratch_));
    });
}

}  // namespace zarr
