// SPDX-License-Identifier: MIT
#include "core/metadata/v3_codecs.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/limits.h"
#include "core/codec/registry.h"
#include "core/dtype/v3_types.h"

namespace zarr {

namespace {

constexpr std::string_view kTranspose = "transpose";
constexpr std::string_view kBytes = "bytes";
constexpr std::string_view kSharding = "sharding_indexed";
constexpr std::string_view kOptional = "zarrs.optional";
constexpr std::string_view kOldOptional = "optional";

// Maximum depth of shards inside shards. Known programs write at most three levels.
constexpr std::size_t kMaxShardLevels = 8;

struct ClassifiedCodec {
    CodecSpec spec;
    CodecClass kind = CodecClass::kBytesToBytes;
};

Result<std::vector<ClassifiedCodec>> ParseChain(const json::Value& list, const std::string& place) {
    const json::Array* const items = list.as_array();
    if (items == nullptr) return json::Expected(place, "a list of codecs", list);
    if (items->size() > LimitOf(Limit::kFilters))
        return OverLimit(Limit::kFilters,
                         place + ": has " + std::to_string(items->size()) + " codecs");
    std::vector<CodecSpec> codecs;
    for (const json::Value& item : *items) {
        ZARR_ASSIGN_OR_RETURN(
            CodecSpec codec, ParseV3Codec(item, place + "[" + std::to_string(codecs.size()) + "]"));
        codecs.push_back(std::move(codec));
    }
    ZARR_RETURN_IF_ERROR(CheckV3Order(codecs, place));
    std::vector<ClassifiedCodec> chain;
    for (CodecSpec& codec : codecs) {
        ZARR_ASSIGN_OR_RETURN(const CodecClass kind, ClassOf(codec));
        chain.push_back({std::move(codec), kind});
    }
    return chain;
}

// True if the codec changes each element independently. Such a codec may come before or after
// transpose and the splitting into chunks.
bool IsElementwise(const CodecSpec& spec) {
    constexpr std::string_view kNames[] = {"bitround",           "scale_offset",
                                           "cast_value",         "numcodecs.bitround",
                                           "numcodecs.quantize", "numcodecs.fixedscaleoffset",
                                           "numcodecs.astype"};
    return std::find(std::begin(kNames), std::end(kNames), spec.name) != std::end(kNames);
}

// Returns "order" of a transpose codec (Zarr v3 specification, "Transpose codec"). Dimension i of
// the output is dimension order[i] of the input.
Result<DimVector<std::size_t>> OrderOf(const CodecSpec& spec, std::size_t rank) {
    const std::string place = spec.place + ".order";
    ZARR_ASSIGN_OR_RETURN(const json::Value* order,
                          json::Require(spec.configuration, "order").WithContext(spec.place));
    for (const json::Member& member : *spec.configuration.as_object())
        if (member.first != "order")
            return Status::Corrupt(spec.place + ": unknown member " +
                                   json::Brief(json::Value(member.first)) + " of transpose");
    DimVector<std::size_t> axes;
    if (const std::string* text = order->as_string()) {
        // A draft of the Zarr v3 specification allowed "C" and "F" as order.
        if (*text != "C" && *text != "F")
            return json::Expected(place, "a permutation of the dimensions", *order);
        for (std::size_t i = 0; i < rank; ++i) axes.push_back(*text == "C" ? i : rank - 1 - i);
        return axes;
    }
    ZARR_ASSIGN_OR_RETURN(const auto given, json::UintsAtLeast(*order, 0, place));
    std::vector<bool> is_taken(rank, false);
    for (const std::uint64_t axis : given) {
        const bool is_new = axis < rank && !is_taken[static_cast<std::size_t>(axis)];
        if (!is_new || given.size() != rank)
            return json::Expected(
                place, "a permutation of the indices of " + std::to_string(rank) + " dimensions",
                *order);
        is_taken[static_cast<std::size_t>(axis)] = true;
        axes.push_back(static_cast<std::size_t>(axis));
    }
    if (given.size() != rank)
        return json::Expected(
            place, "a permutation of the indices of " + std::to_string(rank) + " dimensions",
            *order);
    return axes;
}

// Reads the codec lists of an array into ArrayMetadata: the array's own list, and one list for each
// level of sharding.
class ChainReader {
  public:
    explicit ChainReader(ArrayMetadata& metadata) : metadata_(metadata) {
        for (std::size_t i = 0; i < metadata.rank(); ++i) axes_.push_back(i);
    }

    Status Read(const json::Value& list, const std::string& place) {
        ZARR_ASSIGN_OR_RETURN(std::vector<ClassifiedCodec> chain, ParseChain(list, place));
        auto codec = chain.begin();
        for (; codec->kind == CodecClass::kArrayToArray; ++codec) {
            if (codec->spec.name == kTranspose && is_elementwise_) {
                ZARR_RETURN_IF_ERROR(Transpose(codec->spec));
                continue;
            }
            is_elementwise_ = is_elementwise_ && IsElementwise(codec->spec);
            metadata_.codecs.push_back(codec->spec);
        }
        const CodecSpec to_bytes = std::move(codec->spec);
        std::vector<CodecSpec> behind;
        while (++codec != chain.end()) behind.push_back(std::move(codec->spec));
        if (to_bytes.name == kSharding) return ReadSharding(to_bytes, std::move(behind));
        ZARR_RETURN_IF_ERROR(CheckOptional(to_bytes));
        metadata_.axis_order = AxisOrder::Of(axes_);
        if (to_bytes.name == kBytes && metadata_.codecs.empty()) {
            ZARR_RETURN_IF_ERROR(ReadByteOrder(to_bytes));
        } else {
            metadata_.dtype = metadata_.dtype.Native();
            metadata_.codecs.push_back(to_bytes);
        }
        std::move(behind.begin(), behind.end(), std::back_inserter(metadata_.codecs));
        return {};
    }

  private:
    // Returns an error if the data type is zarrs.optional (with missing elements), but the first
    // codec is not. No other codec supports missing elements.
    Status CheckOptional(const CodecSpec& to_bytes) const {
        if (!metadata_.dtype.missing) return {};
        const CodecSpec& first = metadata_.codecs.empty() ? to_bytes : metadata_.codecs.front();
        if (first.name == kOptional || first.name == kOldOptional) return {};
        return Status::Corrupt(first.place + ": codec \"" + first.name +
                               "\" does not support data type " + std::string(kOptional));
    }

    Status Transpose(const CodecSpec& spec) {
        ZARR_ASSIGN_OR_RETURN(const auto order, OrderOf(spec, metadata_.rank()));
        DimVector<std::size_t> axes;
        for (const std::size_t axis : order) axes.push_back(axes_[axis]);
        axes_ = axes;
        return {};
    }

    // Reads the member "endian" of the "bytes" codec (Zarr v3 specification, "Bytes codec").
    Status ReadByteOrder(const CodecSpec& spec) {
        // This codec is made only to validate its configuration.
        ZARR_RETURN_IF_ERROR(MakeCodec(spec, {metadata_.dtype, metadata_.chunks, {}})
                                 .status()
                                 .WithContext(spec.place));
        const json::Value* const endian = spec.configuration.Find("endian");
        const std::string* const text = endian != nullptr ? endian->as_string() : nullptr;
        if (text != nullptr)
            metadata_.dtype = WithByteOrder(metadata_.dtype,
                                            *text == "big" ? ByteOrder::kBig : ByteOrder::kLittle);
        return {};
    }

    // Reads one level of sharding (Zarr v3 specification, "Sharding codec", "Configuration
    // parameters").
    Status ReadSharding(const CodecSpec& spec, std::vector<CodecSpec> behind) {
        const json::Value& configuration = spec.configuration;
        if (!is_elementwise_)
            return Status::Unsupported(spec.place + ": " + std::string(kSharding) +
                                       " is unsupported after codec \"" +
                                       metadata_.codecs.back().name + "\"");
        if (metadata_.shards.size() == kMaxShardLevels)
            return Status::Limit(spec.place + ": shards nest more than " +
                                 std::to_string(kMaxShardLevels) + " levels deep");
        for (const json::Member& member : *configuration.as_object())
            if (member.first != "chunk_shape" && member.first != "codecs" &&
                member.first != "index_codecs" && member.first != "index_location")
                return Status::Corrupt(spec.place + ": unknown member " +
                                       json::Brief(json::Value(member.first)) + " of " +
                                       std::string(kSharding));
        Sharding level;
        level.shape = metadata_.chunks;
        level.order = AxisOrder::Of(axes_);
        level.codecs = std::move(behind);
        ZARR_RETURN_IF_ERROR(ReadChunkShape(spec));
        ZARR_RETURN_IF_ERROR(ReadLocation(spec, level));
        ZARR_RETURN_IF_ERROR(ReadIndexCodecs(spec, level));
        metadata_.shards.push_back(std::move(level));
        ZARR_ASSIGN_OR_RETURN(const json::Value* codecs,
                              json::Require(configuration, "codecs").WithContext(spec.place));
        return Read(*codecs, spec.place + ".codecs");
    }

    // Sets `metadata_.chunks`, which contains the shape of a shard, to the shape of the shard's
    // inner chunks.
    Status ReadChunkShape(const CodecSpec& spec) {
        const std::string place = spec.place + ".chunk_shape";
        ZARR_ASSIGN_OR_RETURN(
            const json::Value* given,
            json::Require(spec.configuration, "chunk_shape").WithContext(spec.place));
        ZARR_ASSIGN_OR_RETURN(const auto sizes, json::UintsAtLeast(*given, 1, place));
        if (sizes.size() != metadata_.rank())
            return json::Expected(place, std::to_string(metadata_.rank()) + " sizes", *given);
        std::vector<std::uint64_t> chunks(sizes.size());
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const std::uint64_t shard = metadata_.chunks[axes_[i]];
            ZARR_RETURN_IF_ERROR(CheckShardSizes(axes_[i], sizes[i])
                                     .WithContext(place + "[" + std::to_string(i) + "]"));
            if (shard % sizes[i] != 0)
                return Status::Corrupt(
                    place + "[" + std::to_string(i) + "]: shard size " + std::to_string(shard) +
                    " is not a multiple of the inner chunk size " + std::to_string(sizes[i]));
            chunks[axes_[i]] = sizes[i];
        }
        metadata_.chunks = std::move(chunks);
        return {};
    }

    // Checks that every shard of a rectilinear chunk grid consists of whole inner chunks.
    Status CheckShardSizes(std::size_t axis, std::uint64_t size) const {
        if (metadata_.edges.empty()) return {};
        std::uint64_t start = 0;
        std::size_t shard = 0;
        for (const std::uint64_t end : metadata_.edges[axis]) {
            if ((end - start) % size != 0)
                return Status::Corrupt(
                    "size " + std::to_string(end - start) + " of shard " + std::to_string(shard) +
                    " along dimension " + std::to_string(axis) +
                    " is not a multiple of the inner chunk size " + std::to_string(size));
            start = end;
            ++shard;
        }
        return {};
    }

    static Status ReadLocation(const CodecSpec& spec, Sharding& level) {
        const json::Value* const location = spec.configuration.Find("index_location");
        if (location == nullptr) return {};
        const std::string* const text = location->as_string();
        if (text == nullptr || (*text != "start" && *text != "end"))
            return json::Expected(spec.place + ".index_location", R"("start" or "end")", *location);
        level.index_at_end = *text == "end";
        return {};
    }

    static Status ReadIndexCodecs(const CodecSpec& spec, Sharding& level) {
        const std::string place = spec.place + ".index_codecs";
        ZARR_ASSIGN_OR_RETURN(
            const json::Value* codecs,
            json::Require(spec.configuration, "index_codecs").WithContext(spec.place));
        ZARR_ASSIGN_OR_RETURN(std::vector<ClassifiedCodec> chain, ParseChain(*codecs, place));
        for (ClassifiedCodec& codec : chain) {
            if (codec.spec.name == kSharding)
                return Status::Unsupported(codec.spec.place +
                                           ": sharding_indexed is unsupported in index_codecs");
            level.index_codecs.push_back(std::move(codec.spec));
        }
        return {};
    }

    ArrayMetadata& metadata_;
    // Dimensions of the array, in the order that results from the transpose codecs read so far.
    DimVector<std::size_t> axes_;
    bool is_elementwise_ = true;
};

json::Value Named(std::string_view name, json::Object configuration) {
    json::Object codec{{"name", json::Value(name)}};
    if (!configuration.empty())
        codec.emplace_back("configuration", json::Value(std::move(configuration)));
    return json::Value(std::move(codec));
}

json::Value BytesCodec(const DataType& dtype) {
    // "endian" is omitted for elements without byte order: single bytes and byte strings.
    const DataType big = WithByteOrder(dtype, ByteOrder::kBig);
    const DataType little = WithByteOrder(dtype, ByteOrder::kLittle);
    if (big.NeedsSwap() == little.NeedsSwap()) return Named(kBytes, {});
    const bool is_big = dtype.NeedsSwap() == big.NeedsSwap();
    return Named(kBytes, {{"endian", json::Value(is_big ? "big" : "little")}});
}

// Returns a codec as Zarr v3 JSON, and its class: array-to-array, array-to-bytes or bytes-to-bytes.
Result<std::pair<json::Value, CodecClass>> AsV3(const CodecSpec& spec, const DataType& dtype) {
    ZARR_ASSIGN_OR_RETURN(json::Value written, CodecToV3(spec, dtype));
    ZARR_ASSIGN_OR_RETURN(const CodecSpec named, ParseV3Codec(written, spec.place));
    ZARR_ASSIGN_OR_RETURN(const CodecClass kind, ClassOf(named));
    return std::pair(std::move(written), kind);
}

json::Array SizesOf(const std::vector<std::uint64_t>& sizes) {
    json::Array array;
    for (const std::uint64_t size : sizes) array.emplace_back(size);
    return array;
}

}  // namespace

Status ReadV3Codecs(const json::Value& codecs, ArrayMetadata& metadata) {
    return ChainReader(metadata).Read(codecs, "codecs");
}

Result<json::Value> V3CodecsOf(const ArraySpec& spec) {
    json::Array arrays;
    json::Array to_bytes;
    json::Array bytes;
    if (spec.fortran_order && spec.shape.size() > 1) {
        json::Array order;
        for (std::size_t i = spec.shape.size(); i-- > 0;)
            order.emplace_back(static_cast<std::uint64_t>(i));
        arrays.push_back(Named(kTranspose, {{"order", json::Value(std::move(order))}}));
    }
    for (const CodecSpec& codec : spec.codecs) {
        ZARR_ASSIGN_OR_RETURN(auto written, AsV3(codec, spec.dtype));
        json::Array& list = written.second == CodecClass::kArrayToArray   ? arrays
                            : written.second == CodecClass::kArrayToBytes ? to_bytes
                                                                          : bytes;
        list.push_back(std::move(written.first));
    }
    if (to_bytes.empty()) to_bytes.push_back(BytesCodec(spec.dtype));
    json::Array chain = std::move(arrays);
    std::move(to_bytes.begin(), to_bytes.end(), std::back_inserter(chain));
    std::move(bytes.begin(), bytes.end(), std::back_inserter(chain));
    if (spec.shard.empty()) return json::Value(std::move(chain));
    json::Array index{Named(kBytes, {{"endian", json::Value("little")}}), Named("crc32c", {})};
    return json::Value(
        json::Array{Named(kSharding, {{"chunk_shape", json::Value(SizesOf(spec.chunks))},
                                      {"codecs", json::Value(std::move(chain))},
                                      {"index_codecs", json::Value(std::move(index))},
                                      {"index_location", json::Value("end")}})});
}

}  // namespace zarr
