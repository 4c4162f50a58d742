// SPDX-License-Identifier: MIT
#include "autotest/fuzz/codec_kinds.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace zarr::fuzz {

namespace {

bool Uses(const std::vector<CodecSpec>& codecs, const std::set<std::string>& ids) {
    return std::any_of(codecs.begin(), codecs.end(),
                       [&ids](const CodecSpec& codec) { return ids.count(codec.name) != 0; });
}

// True if the codecs of the chunks, or of a level of shards, include one of `ids`.
bool Uses(const ArrayMetadata& metadata, const std::set<std::string>& ids) {
    return Uses(metadata.codecs, ids) ||
           std::any_of(metadata.shards.begin(), metadata.shards.end(),
                       [&ids](const Sharding& shard) { return Uses(shard.codecs, ids); });
}

// Filters that may change numbers by rounding or by an overflow.
const std::set<std::string> kLossyFilters = {"fixedscaleoffset",
                                             "quantize",
                                             "bitround",
                                             "astype",
                                             "delta",
                                             "scale_offset",
                                             "cast_value",
                                             "numcodecs.fixedscaleoffset",
                                             "numcodecs.quantize",
                                             "numcodecs.bitround",
                                             "numcodecs.astype",
                                             "numcodecs.delta"};
const std::set<std::string> kOtherLossy = {"categorize", "packbits",           "zfpy",
                                           "msgpack2",   "numcodecs.packbits", "numcodecs.zfpy",
                                           "zfp",        "n5_default"};

// True if a lossy codec follows a codec whose output is not numbers. Rounding a zlib stream, for
// example, damages the stream.
bool ChangesWhatIsEncoded(const ArrayMetadata& metadata) {
    const auto is_lossy_filter = [](const CodecSpec& codec) {
        return kLossyFilters.count(codec.name) != 0;
    };
    const auto& codecs = metadata.codecs;
    const auto first = std::find_if_not(codecs.begin(), codecs.end(), is_lossy_filter);
    return first != codecs.end() &&
           std::any_of(std::next(first), codecs.end(), [&](const CodecSpec& codec) {
               return is_lossy_filter(codec) || kOtherLossy.count(codec.name) != 0;
           });
}

}  // namespace

// Excludes lzma, because its encoder allocates the dictionary of its preset even for a small chunk.
// Excludes json2, because its separators may be any text, so that encoded text may not be
// decodable.
bool CanBeEncoded(const ArrayMetadata& metadata) {
    return !Uses(metadata, {"lzma", "json2", "numcodecs.lzma", "numcodecs.json2"}) &&
           !ChangesWhatIsEncoded(metadata);
}

// True if decoding restores every bit.
bool IsLossless(const ArrayMetadata& metadata) {
    return !Uses(metadata, kLossyFilters) && !Uses(metadata, kOtherLossy);
}

}  // namespace zarr::fuzz
