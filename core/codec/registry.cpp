// SPDX-License-Identifier: MIT
#include "core/codec/registry.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/codec/factories.h"
#include "core/json/value.h"

namespace zarr {

namespace {

struct Entry {
    std::string_view id;
    CodecResult (*make)(const json::Value&, const CodecContext&);
    ObjectCodecResult (*make_objects)(const json::Value&, const CodecContext&);
};

constexpr Entry kCodecs[] = {
    {"blosc", MakeBlosc, nullptr},
    {"zlib", MakeZlib, nullptr},
    {"gzip", MakeGzip, nullptr},
    {"bz2", MakeBz2, nullptr},
    {"lzma", MakeLzma, nullptr},
    {"zstd", MakeZstd, nullptr},
    {"lz4", MakeLz4, nullptr},
    {"delta", MakeDelta, nullptr},
    {"fixedscaleoffset", MakeFixedScaleOffset, nullptr},
    {"quantize", MakeQuantize, nullptr},
    {"bitround", MakeBitRound, nullptr},
    {"astype", MakeAsType, nullptr},
    {"packbits", MakePackBits, nullptr},
    {"categorize", MakeCategorize, MakeCategorizeObjects},
    {"shuffle", MakeShuffle, nullptr},
    {"base64", MakeBase64, nullptr},
    {"crc32", MakeCrc32, nullptr},
    {"crc32c", MakeCrc32c, nullptr},
    {"adler32", MakeAdler32, nullptr},
    {"fletcher32", MakeFletcher32, nullptr},
    {"json2", MakeJson2, MakeJson2Objects},
    {"vlen-utf8", nullptr, MakeVlenUtf8},
    {"vlen-bytes", nullptr, MakeVlenBytes},
};

struct Refusal {
    std::string_view id;
    std::string_view why;
};

constexpr Refusal kRefused[] = {
    {"pickle", "reading it would run code from the store"},
    {"msgpack", "it is not supported"},
    {"msgpack2", "it is not supported"},
    {"json", "it is numcodecs' withdrawn first version; write with json2"},
    {"vlen-array", "ragged arrays have no counterpart in GDAL"},
    {"n5_wrapper", "N5 stores are not supported"},
    {"jenkins_lookup3", "it is not supported"},
    {"zfpy", "it is not supported"},
    {"pcodec", "it is not supported"},
};

Result<const Entry*> FindEntry(const json::Value& config) {
    ZARR_ASSIGN_OR_RETURN(const json::Value* id_member, json::Require(config, "id"));
    const std::string* id = id_member->as_string();
    if (id == nullptr) return json::Expected("id", "a string", *id_member);
    const auto* const entry = std::find_if(std::begin(kCodecs), std::end(kCodecs),
                                           [&](const Entry& e) { return e.id == *id; });
    if (entry != std::end(kCodecs)) return entry;
    const auto* const refusal = std::find_if(std::begin(kRefused), std::end(kRefused),
                                             [&](const Refusal& r) { return r.id == *id; });
    if (refusal != std::end(kRefused))
        return Status::Unsupported("codec \"" + *id +
                                   "\" is refused: " + std::string(refusal->why));
    return Status::Unsupported("unknown codec " + Quoted(*id));
}

}  // namespace

Result<std::unique_ptr<Codec>> MakeCodec(const json::Value& config, const CodecContext& context) {
    ZARR_ASSIGN_OR_RETURN(const Entry* entry, FindEntry(config));
    if (entry->make == nullptr)
        return Status::Corrupt("codec \"" + std::string(entry->id) +
                               "\" needs dtype |O and the first place in the filters");
    return entry->make(config, context).WithContext(entry->id);
}

Result<std::unique_ptr<ObjectCodec>> MakeObjectCodec(const json::Value& config,
                                                     const CodecContext& context) {
    ZARR_ASSIGN_OR_RETURN(const Entry* entry, FindEntry(config));
    if (entry->make_objects == nullptr) return std::unique_ptr<ObjectCodec>();
    return entry->make_objects(config, context).WithContext(entry->id);
}

std::vector<std::string_view> CodecIds() {
    std::vector<std::string_view> ids;
    for (const Entry& entry : kCodecs) ids.push_back(entry.id);
    return ids;
}

}  // namespace zarr
