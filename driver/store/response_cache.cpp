// SPDX-License-Identifier: MIT
#include "driver/store/response_cache.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "core/base/load_once_cache.h"
#include "driver/store/store_path.h"

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

// Part of a remote value: the name of the value, and is_from_end, offset and length of a
// ByteExtent.
struct AnswerKey {
    std::string value;
    std::tuple<bool, std::uint64_t, std::size_t> part;

    bool operator==(const AnswerKey& other) const {
        return value == other.value && part == other.part;
    }
};
struct AnswerKeyHash {
    std::size_t operator()(const AnswerKey& key) const {
        return std::hash<std::string>()(key.value) ^
               std::hash<std::uint64_t>()(std::get<1>(key.part));
    }
};

struct Answer {
    std::string content;
    ValueInfo info;
    std::size_t name_bytes = 0;

    // Returns the memory of this answer in bytes, including an estimate for the cache's containers.
    std::size_t bytes() const {
        constexpr std::size_t kOverhead = 256;
        return content.size() + 2 * name_bytes + info.version.size() + kOverhead;
    }
};
using AnswerCache = zarr::LoadOnceCache<AnswerKey, Answer, AnswerKeyHash>;
using AnswerPtr = std::shared_ptr<const Answer>;

// Never destroyed, because threads may use the cache while the process exits. Unloading the driver
// empties the cache.
auto& answers = *new AnswerCache(0);

// Removes all cached ranges of a value if they are of another version.
void ForgetOtherVersion(const std::string& value, const std::string& version) {
    const auto is_of_value = [&](const AnswerKey& key) { return key.value == value; };
    const auto known = answers.Values(is_of_value);
    if (!known.empty() && known.front().value->info.version != version) answers.DropIf(is_of_value);
}

}  // namespace

Result<bool> FetchCached(const RemoteValue& value, zarr::Buffer& bytes, std::size_t limit,
                         std::optional<ByteExtent> extent, ValueInfo* info) {
    const std::size_t most_bytes = MostBytes(value.path);
    if (most_bytes == 0) return Fetch(value, bytes, limit, extent, info);
    // The key has the path instead of the URL, because each signed URL is different.
    const std::string name = value.path + "\n" + value.key + StorePath(value.path).AccountOptions();
    const ByteExtent all{0, 0};
    const ByteExtent& asked = extent ? *extent : all;
    const AnswerKey key{name, {asked.is_from_end, asked.offset, asked.length}};
    answers.SetMaxBytes(most_bytes);
    const AnswerPtr known = answers.Find(key);
    if (known != nullptr && known->content.size() <= limit) {
        if (info != nullptr) *info = known->info;
        ZARR_RETURN_IF_ERROR(bytes.Assign(zarr::ByteSpan(known->content)));
        return true;
    }
    // Another thread that fetches the same range may have another limit, so its answer is not
    // waited for.
    AnswerCache::Claim claim = answers.TryClaim(key);
    if (!claim) return Fetch(value, bytes, limit, extent, info);
    ValueInfo own;
    ValueInfo& received = info != nullptr ? *info : own;
    bool is_found = false;
    ZARR_RETURN_IF_ERROR(
        answers
            .LoadClaimed(claim,
                         [&]() -> Result<AnswerPtr> {
                             ZARR_ASSIGN_OR_RETURN(is_found,
                                                   Fetch(value, bytes, limit, extent, &received));
                             if (!is_found) return AnswerPtr();
                             ForgetOtherVersion(name, received.version);
                             constexpr std::size_t kShare =
                                 4;  // one answer may fill at most a quarter of the cache
                             const zarr::ByteSpan content = std::as_const(bytes).span();
                             if (content.size > most_bytes / kShare) return AnswerPtr();
                             return std::make_shared<const Answer>(
                                 Answer{std::string(content.text()), received, name.size()});
                         })
            .status());
    return is_found;
}

void ClearResponseCache() {
    const auto is_any = [](const AnswerKey&) { return true; };
    answers.DisownLoads(is_any);
    answers.DropIf(is_any);
}

}  // namespace zarr_driver
