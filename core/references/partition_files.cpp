// SPDX-License-Identifier: MIT
#include "core/references/partition_files.h"

#include <algorithm>
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

PartitionFiles::PartitionFiles(std::shared_ptr<const Store> store, std::uint64_t record_size)
    : store_(std::move(store)), record_size_(record_size), files_(tuning::kPartitionCacheBytes) {}

std::size_t PartitionFiles::Known::bytes() const {
    // Estimated bytes of a cache entry, without its key and its file.
    constexpr std::size_t kOverhead = 256;
    return kOverhead + key_bytes + (file != nullptr ? file->bytes() : 0);
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

Result<PartitionFiles::KnownPtr> PartitionFiles::Load(const std::string& key) {
    Buffer bytes;
    const auto read = store_->Read(key, ValuePart::Whole(MostBytes()), bytes);
    if (!read.ok()) return NameLimit(read.status());
    PartitionPtr file;
    if (read->found) {
        ZARR_ASSIGN_OR_RETURN(file, Decode(key, std::as_const(bytes).span()));
    }
    return KnownPtr(std::make_shared<const Known>(
        Known{file, read->found ? read->version : store_->VersionOf(key), key.size()}));
}

Result<PartitionFiles::PartitionPtr> PartitionFiles::Get(const std::string& key) {
    ZARR_ASSIGN_OR_RETURN(const KnownPtr known, files_.GetOrLoad(key, [&] { return Load(key); }));
    return known->file;
}

Status PartitionFiles::GetMany(const std::vector<std::string>& keys, const Taker& take) {
    std::vector<std::string> missing;
    // For each key in `missing`, its index in `keys`.
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (const KnownPtr known = files_.Find(keys[i])) {
            take(i, known->file);
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
            files_.Replace(missing[i],
                           std::make_shared<const Known>(
                               Known{file, store_->VersionOf(missing[i]), missing[i].size()}));
            const std::lock_guard<std::mutex> lock(mutex);
            take(numbers[i], file);
            return {};
        });
    return NameLimit(status);
}

bool PartitionFiles::IsCurrent() const {
    constexpr std::size_t kMostFiles = 256;
    const auto known = files_.Values([](const std::string&) { return true; });
    if (files_.has_evicted() || known.size() > kMostFiles) return false;
    return std::all_of(known.begin(), known.end(), [&](const auto& each) {
        return SameVersion(store_->VersionOf(each.key), each.value->version);
    });
}

}  // namespace zarr
