// SPDX-License-Identifier: MIT
#include "driver/create/profile.h"

#include <algorithm>
#include <utility>

#include "core/base/checked.h"
#include "core/conventions/ome/ome_write.h"
#include "driver/create/bit_information.h"
#include "driver/create/creation_options.h"
#include "driver/create/encoding_choice.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// Number of rows and columns of a chunk in Zarr v3, as in tiles of GDAL's COG driver.
constexpr std::uint64_t kSide = 512;
// Number of rows and columns of a chunk in Zarr v2, which has no shards to join small chunks.
constexpr std::uint64_t kSideWithoutShards = 1024;
// Maximum number of bands in a chunk. A raster with more bands gets chunks of one band, because
// nobody views so many bands at once.
constexpr std::uint64_t kBandsViewedTogether = 4;
// Maximum encoded and decoded size of a shard in bytes. Larger objects are not read faster from
// object stores, and take more memory to write.
constexpr double kEncodedShardBytes = 16.0 * (1 << 20);
constexpr double kDecodedShardBytes = 64.0 * (1 << 20);
// A shard may exceed kEncodedShardBytes by this factor, because the sides of a shard grow only by
// doubling.
constexpr double kShardTolerance = 1.5;
// Assumed ratio of encoded to decoded bytes if no pixels can be sampled.
constexpr double kUsualRatio = 0.5;
// Default compression level of Zstandard. Level 6 takes about half the time of level 9 for nearly
// as small a result.
constexpr int kDefaultLevel = 6;

// Sets the option `name` of a codec if it is not given.
void SetDefault(CodecChoice& choice, const char* name, std::uint64_t value) {
    choice.settings.try_emplace(name, value);
}

// Chooses the chunks, shards and codecs of a raster for PROFILE=CLOUD.
class CloudProfile {
  public:
    CloudProfile(CreationOptions& options, const ProfiledRaster& raster)
        : raster_(raster), options_(options), codec_(options.array.codec) {}

    Status Run() {
        if (!raster_.store_format && !options_.format) options_.format = zarr::Format::kV3;
        is_v3_ = raster_.store_format.value_or(options_.format.value_or(zarr::Format::kV3)) ==
                 zarr::Format::kV3;
        ChooseChunk();
        ZARR_RETURN_IF_ERROR(ChooseCodecs());
        ChooseShard();
        ChooseOverviews();
        // Zarr v2 keeps the default of GEOREFERENCING_CONVENTION, because ALL writes attributes
        // with which netCDF-C rejects a Zarr v2 store.
        if (is_v3_ && options_.georeferenced == GeoreferencingForm::kEveryReader)
            options_.georeferenced = GeoreferencingForm::kAll;
        options_.wants_statistics = options_.of_profile.statistics;
        options_.samples = zarr::BaseSamples::kNone;
        return {};
    }

  private:
    // Sets the size of a chunk from the creation options. BLOCKSIZE is the size of a chunk, unless
    // SHARD_CHUNK_SHAPE is also given: then it is the size of a shard.
    void ChooseChunk() {
        chunk_.width = chunk_.height = is_v3_ ? kSide : kSideWithoutShards;
        has_own_layout_ = !options_.array.shard_chunks.empty() || options_.block_x != 0;
        const bool is_one_array = raster_.bands > 1 && !raster_.are_bands_split &&
                                  !raster_.IsCube() && options_.band_dim.empty() &&
                                  options_.wants_single_array.value_or(true) &&
                                  !options_.interleave_pixel;
        const bool is_image = !codec_.ImageName().empty();
        if (is_one_array && raster_.bands <= kBandsViewedTogether && !is_image)
            chunk_.bands = raster_.bands;
        chunk_.is_interleaved = is_image && options_.interleave_pixel;
        if (chunk_.is_interleaved) chunk_.bands = raster_.bands;
        std::vector<std::uint64_t> sizes = options_.array.chunks;
        const bool is_shape = sizes.size() > 1;
        // a single number is both the height and the width, as in the COG driver
        if (sizes.size() == 1) sizes.push_back(sizes[0]);
        if (sizes.size() > 3 || (is_shape && options_.interleave_pixel)) has_own_layout_ = true;
        if (sizes.size() == 3) chunk_.bands = sizes.front();
        if (!sizes.empty()) {
            chunk_.height = sizes[sizes.size() - 2];
            chunk_.width = sizes.back();
        }
        chunk_.height = std::min(chunk_.height, raster_.height);
        chunk_.width = std::min(chunk_.width, raster_.width);
    }

    // Returns the shape of a chunk or shard of the given height and width.
    std::vector<std::uint64_t> Shape(std::uint64_t height, std::uint64_t width) const {
        if (chunk_.bands > 1 && !chunk_.is_interleaved) return {chunk_.bands, height, width};
        return {height, width};
    }

    // Returns the decoded size of a chunk in bytes; UINT64_MAX if the size overflows.
    std::uint64_t ChunkBytes() const {
        return zarr::SaturatingMul(
            zarr::SaturatingMul(chunk_.bands, chunk_.height),
            zarr::SaturatingMul(chunk_.width, std::uint64_t{raster_.dtype.size}));
    }

    // Sets the shapes of chunks and shards. Doubles the sides of a shard until its encoded size is
    // about kEncodedShardBytes.
    void ChooseShard() {
        if (has_own_layout_) return;
        options_.array.chunks = Shape(chunk_.height, chunk_.width);
        if (!is_v3_ || !options_.array.shard.value_or(true)) return;
        const auto decoded = static_cast<double>(ChunkBytes());
        const double most =
            std::min(kShardTolerance * kEncodedShardBytes / std::max(ratio_ * decoded, 1.0),
                     kDecodedShardBytes / decoded);
        std::uint64_t height = chunk_.height;
        std::uint64_t width = chunk_.width;
        double count = 1;
        for (bool has_grown = true; has_grown;) {
            has_grown = false;
            for (const bool is_x : {true, false}) {
                std::uint64_t& side = is_x ? width : height;
                if (2 * count > most || side >= (is_x ? raster_.width : raster_.height)) continue;
                side *= 2;
                count *= 2;
                has_grown = true;
            }
        }
        if (count == 1) return;
        options_.array.shard_chunks = options_.array.chunks;
        options_.array.chunks = Shape(height, width);
    }

    Status ChooseCodecs() {
        options_.array.warnings.push_back(codec_.UseDefault("zstd"));
        const std::string compressor = *codec_.compressor;
        SetLevel(compressor, options_.of_profile.level);
        const bool has_own_filter = codec_.filters.has_value();
        RasterChunk sample = chunk_;
        sample.bands = std::min(sample.bands, raster_.bands);
        ChunkSamples samples;
        if (raster_.source != nullptr && !has_own_layout_)
            samples = SampleChunks(*raster_.source, raster_.dtype, sample);
        ZARR_RETURN_IF_ERROR(ChooseRounding(samples));
        if (has_own_filter) return {};
        const std::vector<CodecChoice> candidates =
            codec_.ImageName().empty()
                ? Candidates(compressor,
                             options_.of_profile.predictor.value_or(Predictor::kBySamples))
                : std::vector<CodecChoice>{codec_};
        const auto choice = ChooseEncoding(candidates, samples, raster_.dtype, sample);
        // Create() has no pixels from which to choose an encoding. The last one is best for
        // colours, and is taken for three or more bands of bytes. Otherwise the first is taken,
        // because bytes may be class numbers.
        const bool are_colours = chunk_.bands >= 3 && raster_.dtype.size == 1;
        const std::size_t fallback = are_colours ? candidates.size() - 1 : 0;
        if (choice) ratio_ = choice->ratio;
        codec_ = candidates[choice ? choice->index : fallback];
        return {};
    }

    // If the creation option BITROUND asks for rounding, sets FILTER=BITROUND and the number of
    // kept bits. Keeps enough bits for the nodata values of the source.
    Status ChooseRounding(const ChunkSamples& samples) {
        const auto& asked = options_.of_profile.bit_rounding;
        if (!asked) return {};
        const int mantissa = MantissaBits(raster_.dtype);
        if (mantissa == 0)
            return RefuseOption("BITROUND",
                                "no value, because only float32 and float64 are rounded",
                                asked->c_str());
        if (codec_.filters)
            return RefuseOption("BITROUND", "no value, because FILTER is set", asked->c_str());
        const std::vector<double> nodata = NodataOfSource();
        const std::optional<int> informative =
            *asked == "AUTO" ? InformativeBits(samples, raster_.dtype, chunk_.width, nodata)
                             : std::optional(std::atoi(asked->c_str()));
        int bits = informative.value_or(mantissa);
        for (const double value : nodata) bits = std::max(bits, BitsOf(value, raster_.dtype));
        if (bits >= mantissa) {
            options_.array.warnings.push_back(
                std::string("creation option BITROUND: no bits are removed, because ") +
                (!informative ? "there are no samples that show which bits are needed"
                              : "the nodata value or the values need all of them"));
            return {};
        }
        codec_.filters = std::vector<std::string>{"bitround"};
        codec_.settings["BITROUND_KEEPBITS"] = zarr::json::Value(std::int64_t{bits});
        return {};
    }

    // Returns the nodata values of all bands of the source that have one.
    std::vector<double> NodataOfSource() const {
        std::vector<double> values;
        const int bands = raster_.source != nullptr ? raster_.source->GetRasterCount() : 0;
        for (int i = 1; i <= bands; ++i) {
            int is_known = FALSE;
            const double nodata = raster_.source->GetRasterBand(i)->GetNoDataValue(&is_known);
            if (is_known != FALSE) values.push_back(nodata);
        }
        return values;
    }

    // Sets the compression level, unless an option such as ZSTD_LEVEL sets it. If the user has not
    // asked for a level, only Zstandard gets one; other compressors keep their defaults.
    void SetLevel(const std::string& compressor, std::optional<int> asked) {
        const auto level = static_cast<std::uint64_t>(asked.value_or(kDefaultLevel));
        constexpr std::uint64_t kMostOfOthers = 9;
        if (compressor == "zstd" || compressor == "blosc") {
            SetDefault(codec_, "ZSTD_LEVEL", level);
            codec_.settings.try_emplace("BLOSC_CNAME", "zstd");
            // Zstandard's level 2 * n - 1 is level n inside blosc.
            SetDefault(codec_, "BLOSC_CLEVEL", std::min((level + 2) / 2, kMostOfOthers));
        } else if (asked) {
            for (const char* const name :
                 {"ZLIB_LEVEL", "GZIP_LEVEL", "BZ2_LEVEL", "LZMA_PRESET", "BLOSC_CLEVEL", "ZLEVEL"})
                SetDefault(codec_, name, std::min(level, kMostOfOthers));
        }
    }

    // Returns the encodings to choose from. More programs can read the first encoding than the
    // others.
    std::vector<CodecChoice> Candidates(const std::string& compressor, Predictor predictor) const {
        const std::size_t size = raster_.dtype.size;
        const bool is_integer = raster_.dtype.kind == zarr::DataKind::kInt ||
                                raster_.dtype.kind == zarr::DataKind::kUint;
        CodecChoice plain = codec_;
        if (predictor == Predictor::kNone)
            SetDefault(plain, "BLOSC_SHUFFLE", 0);
        else if (size > 1)
            Shuffle(compressor, plain);
        std::vector<CodecChoice> candidates;
        if (predictor != Predictor::kDelta || !is_integer) candidates.push_back(plain);
        if (!is_integer || predictor == Predictor::kNone || predictor == Predictor::kShuffle)
            return candidates;
        plain.filters = std::vector<std::string>{"delta"};
        candidates.push_back(plain);
        // For bands of bytes, adds an encoding that stores differences between neighbouring pixels.
        // SHUFFLE then puts the differences of all bands at a pixel side by side, because they are
        // often similar.
        if (size == 1 && chunk_.bands > 1 && !has_own_layout_) {
            plain.filters = std::vector<std::string>{"delta", "shuffle"};
            plain.settings["SHUFFLE_ELEMENTSIZE"] = zarr::json::Value(chunk_.height * chunk_.width);
            candidates.push_back(plain);
        }
        return candidates;
    }

    // Makes blosc the compressor, because more readers know the byte shuffling in blosc than the
    // filter SHUFFLE. The chunk becomes a single blosc block, which compresses best. Does nothing
    // if blosc lacks `compressor`.
    void Shuffle(const std::string& compressor, CodecChoice& choice) const {
        if (compressor == "zstd" || compressor == "zlib" || compressor == "lz4")
            choice.settings["BLOSC_CNAME"] = zarr::json::Value(compressor);
        else if (compressor != "blosc")
            return;
        choice.compressor = "blosc";
        constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
        if (!has_own_layout_ && ChunkBytes() < kMostBytes)
            SetDefault(choice, "BLOSC_BLOCKSIZE", ChunkBytes());
    }

    // Chooses the factors 2, 4, 8 and so on, until an overview fits into a chunk.
    void ChooseOverviews() {
        if (!options_.wants_overviews || options_.wants_overviews->is_automatic) {
            OverviewPlan& plan = options_.wants_overviews.emplace();
            constexpr std::uint64_t kMostFactor = std::uint64_t{1} << 20;
            for (std::uint64_t factor = 1;
                 factor < kMostFactor && (zarr::CeilDiv(raster_.width, factor) > chunk_.width ||
                                          zarr::CeilDiv(raster_.height, factor) > chunk_.height);) {
                factor *= 2;
                plan.factors.push_back(static_cast<int>(factor));
            }
        }
        if (!options_.overview_resampling)
            options_.overview_resampling = options_.of_profile.resampling.value_or(
                raster_.is_categorical ? "NEAREST" : "AVERAGE");
    }

    const ProfiledRaster& raster_;
    CreationOptions& options_;
    CodecChoice& codec_;
    RasterChunk chunk_;
    bool is_v3_ = true;
    // True if the creation options state the shapes of chunks and shards.
    bool has_own_layout_ = false;
    double ratio_ = kUsualRatio;
};

// Returns the version of OME-Zarr to write. Fails if the store's Zarr format does not allow that
// version.
Result<std::string> OmeVersion(const std::string& asked, zarr::Format format) {
    const std::vector<std::string> known = zarr::SupportedOmeVersions(format);
    if (asked.empty()) return known.front();
    for (const std::string& version : known)
        if (version == asked) return version;
    return RefuseOption("OME_VERSION",
                        format == zarr::Format::kV3 ? "0.5 or 0.6 in Zarr v3" : "0.4 in Zarr v2",
                        asked.c_str());
}

// Applies PROFILE=OME: PROFILE=CLOUD with a single array, whose last dimensions are Y and X.
Status ApplyOmeProfile(CreationOptions& options, ProfiledRaster raster) {
    ProfileOptions& given = options.of_profile;
    if (!raster.store_format && !options.format)
        options.format = given.ome_version == "0.4" ? zarr::Format::kV2 : zarr::Format::kV3;
    const zarr::Format of_store =
        raster.store_format.value_or(options.format.value_or(zarr::Format::kV3));
    ZARR_ASSIGN_OR_RETURN(options.ome_version, OmeVersion(given.ome_version, of_store));
    if (options.interleave_pixel)
        return RefuseOption("INTERLEAVE", "BAND with PROFILE=OME", "PIXEL");
    if (!options.wants_single_array.value_or(true))
        return RefuseOption("SINGLE_ARRAY", "YES with PROFILE=OME", "NO");
    if (options.has_level_groups)
        return RefuseOption("OVERVIEW_LAYOUT", "PARENT with PROFILE=OME", "GROUPS");
    raster.are_bands_split = false;
    options.wants_single_array = true;
    if (options.array_name.empty()) options.array_name = "0";
    // This predictor is byte shuffling in blosc. Others may be the filter DELTA, which viewers of
    // OME-Zarr cannot decode.
    if (!given.predictor) given.predictor = Predictor::kShuffle;
    return CloudProfile(options, raster).Run();
}

}  // namespace

Status ApplyProfile(CreationOptions& options, const ProfiledRaster& raster) {
    for (const std::string& name : options.of_profile.given) {
        const bool is_of_ome = name == "OME_VERSION";
        if (options.profile == Profile::kOme || (options.profile == Profile::kCloud && !is_of_ome))
            continue;
        options.array.warnings.push_back("creation option " + name + ": is used only with " +
                                         (is_of_ome ? "PROFILE=OME" : "PROFILE=CLOUD or OME"));
    }
    if (options.profile == Profile::kOme) return ApplyOmeProfile(options, raster);
    return options.profile == Profile::kCloud ? CloudProfile(options, raster).Run() : Status();
}

}  // namespace zarr_driver
