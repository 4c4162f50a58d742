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

// True if the chunks, or the shards at any level, use a codec in `ids`.
bool Uses(const ArrayMetadata& metadata, const std::set<std::string>& ids) {
    return Uses(metadata.codecs, ids) ||
           std::any_of(metadata.shards.begin(), metadata.shards.end(),
                       [&ids](const Sharding& shard) { return Uses(shard.codecs, ids); });
}

// Filters that may change numbers by rounding or overflow.
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
const std::set<std::string> kOtherLossy = {"categorize",
                                           "packbits",
                                           "zfpy",
                                           "msgpack2",
                                           "numcodecs.packbits",
                                           "numcodecs.zfpy",
                                           "zfp",
                                           "n5_default",
                                           "imagecodecs_jpeg",
                                           "imagecodecs_webp",
                                           "numcodecs.imagecodecs_jpeg",
                                           "numcodecs.imagecodecs_webp"};

// True if a lossy codec follows a codec that is not a lossy filter. Rounding the output of zlib,
// for example, would damage this output.
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

// False for lzma, whose encoder allocates a large dictionary even for a small chunk. False for
// json2, whose separators may be any text, so that its output may not be decodable.
bool CanBeEncoded(const ArrayMetadata& metadata) {
    return !Uses(metadata, {"lzma", "json2", "numcodecs.lzma", "numcodecs.json2"}) &&
           !ChangesWhatIsEncoded(metadata);
}

// True if decoding restores every bit of the encoded numbers.
bool IsLossless(const ArrayMetadata& metadata) {
    return !Uses(metadata, kLossyFilters) && !Uses(metadata, kOtherLossy);
}

}  // namespace zarr::fuzz
