// SPDX-License-Identifier: MIT
#include "driver/transport/response_cache.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include "driver/transport/store_path.h"

namespace zarr_driver {

using zarr::Result;

namespace {

// Parses a size as GDAL's options do: a number of bytes, or a number with KB, MB or GB.
std::size_t BytesIn(const char* text) {
    constexpr std::pair<const char*, double> kUnits[] = {
        {"KB", 1 << 10}, {"MB", 1 << 20}, {"GB", 1 << 30}};
    constexpr double kMost = 1e15;
    double number = CPLAtof(text);
    for (const auto& [unit, bytes] : kUnits)
        if (CPLString(text).ifind(unit) != std::string::npos) number *= bytes;
    return number > 0 ? static_cast<std::size_t>(std::min(number, kMost)) : 0;
}

// Returns the cache's maximum size in bytes by GDAL's options for `path`; 0 if caching is off.
std::size_t MostBytes(const std::string& path) {
    if (!CPLTestBool(VSIGetPathSpecificOption(path.c_str(), "VSI_CACHE", "NO"))) return 0;
    return BytesIn(VSIGetPathSpecificOption(path.c_str(), "CPL_VSIL_CURL_CACHE_SIZE", "16777216"));
}

class ResponseCache {
  public:
    // Byte range of a cached value: the members is_from_end, offset and length of a ByteExtent.
    using Part = std::tuple<bool, std::uint64_t, std::size_t>;

    // Copies a cached byte range into `bytes`. Returns false if the range is not cached or exceeds
    // `limit` bytes.
    Result<bool> Find(const std::string& value, const Part& part, std::size_t limit,
                      zarr::Buffer& bytes, ValueInfo* info) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto of_value = values_.find(value);
        if (of_value == values_.end()) return false;
        const auto found = of_value->second.find(part);
        if (found == of_value->second.end() || found->second->bytes.size() > limit) return false;
        entries_.splice(entries_.begin(), entries_, found->second);
        if (info != nullptr) *info = found->second->info;
        ZARR_RETURN_IF_ERROR(bytes.Assign(zarr::ByteSpan(found->second->bytes)));
        return true;
    }

    // Returns how often the cache was emptied. Read before a request, for the call of Add() after
    // it.
    std::uint64_t generation() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return generation_;
    }

    // Caches an answer. `asked` is generation() before the request. If the cache was emptied since
    // then by a write, the answer may be outdated and is not cached.
    void Add(const std::string& value, const Part& part, zarr::ByteSpan bytes,
             const ValueInfo& info, std::size_t most_bytes, std::uint64_t asked) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (asked != generation_) return;
        const auto known = values_.find(value);
        if (known != values_.end() && known->second.begin()->second->info.version != info.version)
            Forget(value);
        constexpr std::size_t kShare = 4;  // one answer may fill at most a quarter of the cache
        if (bytes.size > most_bytes / kShare) return;
        if (values_[value].count(part) != 0) return;
        entries_.push_front({value, part, std::string(bytes.text()), info});
        values_[value][part] = entries_.begin();
        bytes_ += entries_.front().size();
        while (bytes_ > most_bytes && !entries_.empty()) Drop(std::prev(entries_.end()));
    }

    void Forget() {
        const std::lock_guard<std::mutex> lock(mutex_);
        values_.clear();
        entries_.clear();
        bytes_ = 0;
        ++generation_;
    }

  private:
    struct Entry {
        std::string value;
        Part part;
        std::string bytes;
        ValueInfo info;

        // Returns the memory of this cache entry in bytes, including an estimate for the cache's
        // containers.
        std::size_t size() const {
            constexpr std::size_t kOverhead = 256;
            return bytes.size() + 2 * value.size() + info.version.size() + kOverhead;
        }
    };
    using Position = std::list<Entry>::iterator;

    void Drop(Position position) {
        bytes_ -= position->size();
        const auto of_value = values_.find(position->value);
        of_value->second.erase(position->part);
        if (of_value->second.empty()) values_.erase(of_value);
        entries_.erase(position);
    }
    void Forget(const std::string& value) {
        while (true) {
            const auto of_value = values_.find(value);
            if (of_value == values_.end()) return;
            Drop(of_value->second.begin()->second);
        }
    }

    std::mutex mutex_;
    std::list<Entry> entries_;  // cached answers, most recently used first
    // For each value, its cached byte ranges.
    std::map<std::string, std::map<Part, Position>> values_;
    std::size_t bytes_ = 0;
    std::uint64_t generation_ = 0;
};

// Never destroyed, because threads may use the cache while the process exits. Unloading the driver
// empties the cache.
auto& cache = *new ResponseCache();

}  // namespace

Result<bool> FetchCached(const RemoteValue& value, zarr::Buffer& bytes, std::size_t limit,
                         std::optional<ByteExtent> extent, ValueInfo* info) {
    const std::size_t most_bytes = MostBytes(value.path);
    if (most_bytes == 0) return Fetch(value, bytes, limit, extent, info);
    // The key has the path instead of the URL, because each signed URL is different.
    const std::string name = value.path + "\n" + value.key + StorePath(value.path).AccountOptions();
    const ByteExtent all{0, 0};
    const ByteExtent& asked = extent ? *extent : all;
    const ResponseCache::Part part{asked.is_from_end, asked.offset, asked.length};
    ZARR_ASSIGN_OR_RETURN(const bool is_cached, cache.Find(name, part, limit, bytes, info));
    if (is_cached) return true;
    const std::uint64_t generation = cache.generation();
    ValueInfo own;
    ValueInfo& received = info != nullptr ? *info : own;
    ZARR_ASSIGN_OR_RETURN(const bool found, Fetch(value, bytes, limit, extent, &received));
    if (found) cache.Add(name, part, std::as_const(bytes).span(), received, most_bytes, generation);
    return found;
}

void ClearResponseCache() { cache.Forget(); }

}  // namespace zarr_driver
