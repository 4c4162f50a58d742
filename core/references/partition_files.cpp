// SPDX-License-Identifier: MIT
#include "core/references/partition_files.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "core/base/limits.h"
#include "core/base/tuning.h"

namespace zarr {

namespace {

std::size_t MostBytes() { return static_cast<std::size_t>(LimitOf(Limit::kPartitionSize)); }

// Adds the name of the option ZARR_MAX_PARTITION_SIZE to the error for a file that is too large,
// unless the message already has it.
Status NameLimit(const Status& status) {
    constexpr std::string_view kName = "ZARR_MAX_PARTITION_SIZE";
    const bool is_named = status.message().find(kName) != std::string::npos;
    return status.code() == StatusCode::kLimit && !is_named
               ? OverLimit(Limit::kPartitionSize, status.message())
               : status;
}

}  // namespace

bool PartitionFiles::Find(const std::string& key, PartitionPtr& file) {
    const auto known = entries_.find(key);
    if (known == entries_.end()) return false;
    order_.splice(order_.begin(), order_, known->second.place);
    file = known->second.file;
    return true;
}

void PartitionFiles::Put(const std::string& key, const PartitionPtr& file,
                         const ObjectVersion& version) {
    // Estimated bytes of a cache entry, without its key and its file.
    constexpr std::size_t kOverhead = 256;
    // Files that are removed from the cache. Declared before `lock`, so that they are destroyed
    // after `mutex_` is unlocked.
    std::vector<PartitionPtr> before;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (entries_.count(key) != 0) return;
    order_.push_front(key);
    const std::size_t bytes = kOverhead + key.size() + (file != nullptr ? file->bytes() : 0);
    entries_[key] = {file, version, bytes, order_.begin()};
    bytes_ += bytes;
    while (bytes_ > tuning::kPartitionCacheBytes && order_.size() > 1) {
        const auto last = entries_.find(order_.back());
        before.push_back(std::move(last->second.file));
        bytes_ -= last->second.bytes;
        entries_.erase(last);
        order_.pop_back();
        has_evicted_ = true;
    }
}

// Decodes a file. The files that threads decode at a time take at most 1 GiB together.
Result<PartitionFiles::PartitionPtr> PartitionFiles::Decode(const std::string& key,
                                                            ByteSpan bytes) {
    constexpr std::size_t kTogether = std::size_t{1} << 30;
    const std::size_t most =
        std::max<std::size_t>(kTogether / std::max<std::size_t>(MostBytes(), 1), 1);
    // Counts a file that is being decoded, until the scope ends, even by an exception.
    class Decoding {
      public:
        Decoding(PartitionFiles& owner, std::size_t limit) : files_(owner) {
            std::unique_lock<std::mutex> lock(files_.mutex_);
            files_.has_decoded_.wait(lock, [&] { return files_.decoding_ < limit; });
            ++files_.decoding_;
        }
        Decoding(const Decoding&) = delete;
        Decoding& operator=(const Decoding&) = delete;
        ~Decoding() {
            const std::lock_guard<std::mutex> lock(files_.mutex_);
            --files_.decoding_;
            files_.has_decoded_.notify_one();
        }

      private:
        PartitionFiles& files_;
    };
    const Decoding decoding(*this, most);
    ZARR_ASSIGN_OR_RETURN(ReferencePartition partition,
                          ReferencePartition::Read(bytes, record_size_).WithContext(key));
    return PartitionPtr(std::make_shared<const ReferencePartition>(std::move(partition)));
}

Result<PartitionFiles::PartitionPtr> PartitionFiles::Load(const std::string& key) {
    Buffer bytes;
    const auto read = store_->Read(key, ValuePart::Whole(MostBytes()), bytes);
    if (!read.ok()) return NameLimit(read.status());
    PartitionPtr file;
    if (read->found) {
        ZARR_ASSIGN_OR_RETURN(file, Decode(key, std::as_const(bytes).span()));
    }
    Put(key, file, read->found ? read->version : store_->VersionOf(key));
    return file;
}

Result<PartitionFiles::PartitionPtr> PartitionFiles::Get(const std::string& key) {
    {
        std::unique_lock<std::mutex> lock(mutex_);
        PartitionPtr file;
        for (;;) {
            if (Find(key, file)) return file;
            if (loading_.insert(key).second) break;
            has_loaded_.wait(lock);
        }
    }
    // Marks the file `key` as no longer being loaded when the scope ends, even by an exception.
    class Loading {
      public:
        Loading(PartitionFiles& owner, const std::string& name) : files_(owner), key_(name) {}
        Loading(const Loading&) = delete;
        Loading& operator=(const Loading&) = delete;
        ~Loading() {
            const std::lock_guard<std::mutex> lock(files_.mutex_);
            files_.loading_.erase(key_);
            files_.has_loaded_.notify_all();
        }

      private:
        PartitionFiles& files_;
        const std::string& key_;
    };
    const Loading loading(*this, key);
    return Load(key);
}

Status PartitionFiles::GetMany(const std::vector<std::string>& keys, const Taker& take) {
    std::vector<std::string> missing;
    // For each key in `missing`, its index in `keys`.
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        PartitionPtr file;
        bool is_known = false;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            is_known = Find(keys[i], file);
        }
        if (is_known) {
            take(i, file);
        } else {
            missing.push_back(keys[i]);
            numbers.push_back(i);
        }
    }
    const StoreTraits traits = store_->Traits();
    if (missing.size() < 2 || !traits.remote) {
        for (std::size_t i = 0; i < missing.size(); ++i) {
            ZARR_ASSIGN_OR_RETURN(const PartitionPtr file, Get(missing[i]));
            take(numbers[i], file);
        }
        return {};
    }
    std::mutex mutex;
    ReadManyOptions options;
    options.requests = traits.concurrent_reads;
    options.limit = MostBytes();
    const Status status = store_->GetMany(
        missing, options, [&](std::size_t i, const std::optional<ByteSpan>& bytes) -> Status {
            PartitionPtr file;
            if (bytes) {
                ZARR_ASSIGN_OR_RETURN(file, Decode(missing[i], *bytes));
            }
            Put(missing[i], file, store_->VersionOf(missing[i]));
            const std::lock_guard<std::mutex> lock(mutex);
            take(numbers[i], file);
            return {};
        });
    return NameLimit(status);
}

bool PartitionFiles::IsCurrent() const {
    constexpr std::size_t kMostFiles = 256;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (has_evicted_ || entries_.size() > kMostFiles) return false;
    return std::all_of(entries_.begin(), entries_.end(), [&](const auto& each) {
        return SameVersion(store_->VersionOf(each.first), each.second.version);
    });
}

}  // namespace zarr
