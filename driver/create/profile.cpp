// SPDX-License-Identifier: MIT
#include "driver/create/profile.h"

#include <cpl_conv.h>

#include <algorithm>
#include <utility>

#include "core/base/checked.h"
#include "core/conventions/ome_write.h"
#include "driver/base/array_options.h"
#include "driver/base/codec_options.h"
#include "driver/base/option_values.h"
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

constexpr const char* kOnlyOfProfiles[] = {"LEVEL",      "PREDICTOR", "RESAMPLING",
                                           "STATISTICS", "BITROUND",  "OME_VERSION"};

bool IsGiven(CSLConstList options, const char* name) {
    return CSLFetchNameValue(options, name) != nullptr;
}

void SetDefault(CPLStringList& options, const char* name, const std::string& value) {
    if (!IsGiven(options.List(), name)) options.SetNameValue(name, value.c_str());
}

std::string SizesText(const std::vector<std::uint64_t>& sizes) {
    std::string text;
    for (const std::uint64_t size : sizes) text += (text.empty() ? "" : ",") + std::to_string(size);
    return text;
}

// Values of the creation option PREDICTOR, with the names that GDAL's COG driver has.
enum class Predictor : std::uint8_t {
    kBySamples,
    kNone,
    kDelta,
    kShuffle,
};

Result<Predictor> ParsePredictor(CSLConstList options) {
    const char* const text = CSLFetchNameValueDef(options, "PREDICTOR", "YES");
    if (EQUAL(text, "YES") || EQUAL(text, "AUTO")) return Predictor::kBySamples;
    if (EQUAL(text, "NO") || EQUAL(text, "1")) return Predictor::kNone;
    if (EQUAL(text, "STANDARD") || EQUAL(text, "2")) return Predictor::kDelta;
    if (EQUAL(text, "FLOATING_POINT") || EQUAL(text, "3")) return Predictor::kShuffle;
    return RefuseOption("PREDICTOR", "YES, NO, STANDARD or FLOATING_POINT", text);
}

Result<std::optional<int>> ParseLevel(CSLConstList options) {
    const char* const text = CSLFetchNameValue(options, "LEVEL");
    if (text == nullptr) return std::optional<int>();
    const int level = std::atoi(text);
    if (CPLGetValueType(text) != CPL_VALUE_INTEGER || level < 1 || level > 22)
        return RefuseOption("LEVEL", "a number from 1 to 22", text);
    return std::optional(level);
}

// Chooses the chunks, shards and codecs of a raster for PROFILE=CLOUD.
class CloudProfile {
  public:
    CloudProfile(CSLConstList given, const ProfiledRaster& raster)
        : raster_(raster), options_(CSLDuplicate(given)) {}

    Result<ProfileOptions> Run() {
        ZARR_ASSIGN_OR_RETURN(is_v3_, ChooseFormat());
        ZARR_RETURN_IF_ERROR(ChooseChunk());
        ZARR_RETURN_IF_ERROR(ChooseCodecs());
        ChooseShard();
        ChooseOverviews();
        // Zarr v2 keeps the default of GEOREFERENCING_CONVENTION, because ALL writes attributes
        // with which netCDF-C rejects a Zarr v2 store.
        if (is_v3_) SetDefault(options_, "GEOREFERENCING_CONVENTION", "ALL");
        ProfileOptions result;
        result.wants_statistics = CPLFetchBool(options_.List(), "STATISTICS", true);
        result.samples = zarr::BaseSamples::kNone;
        for (const char* const name : kOnlyOfProfiles) options_.SetNameValue(name, nullptr);
        result.options = std::move(options_);
        result.warnings = std::move(warnings_);
        return result;
    }

  private:
    // Returns true if the profile makes Zarr v3.
    Result<bool> ChooseFormat() {
        if (raster_.store_format) return *raster_.store_format == zarr::Format::kV3;
        SetDefault(options_, "FORMAT", "ZARR_V3");
        ZARR_ASSIGN_OR_RETURN(const auto format, ParseFormat(options_.List()));
        return format == zarr::Format::kV3;
    }

    bool IsInterleavedByPixel() const {
        return EQUAL(CSLFetchNameValueDef(options_.List(), "INTERLEAVE", "BAND"), "PIXEL");
    }

    // Sets the size of a chunk from the creation options. BLOCKSIZE is the size of a chunk, unless
    // SHARD_CHUNK_SHAPE is also given: then it is the size of a shard.
    Status ChooseChunk() {
        chunk_.width = chunk_.height = is_v3_ ? kSide : kSideWithoutShards;
        has_own_layout_ =
            IsGiven(options_.List(), "SHARD_CHUNK_SHAPE") || IsGiven(options_.List(), "BLOCKXSIZE");
        const char* const band_dim = CSLFetchNameValueDef(options_.List(), "BAND_DIM", "NONE");
        const bool is_one_array = raster_.bands > 1 && !raster_.are_bands_split &&
                                  !raster_.IsCube() && EQUAL(band_dim, "NONE") &&
                                  CPLFetchBool(options_.List(), "SINGLE_ARRAY", true) &&
                                  !IsInterleavedByPixel();
        if (is_one_array && raster_.bands <= kBandsViewedTogether) chunk_.bands = raster_.bands;
        ZARR_ASSIGN_OR_RETURN(std::vector<std::uint64_t> sizes,
                              ParseSizes(options_.List(), "BLOCKSIZE"));
        const bool is_shape = sizes.size() > 1;
        // a single number is both the height and the width, as in the COG driver
        if (sizes.size() == 1) sizes.push_back(sizes[0]);
        if (sizes.size() > 3 || (is_shape && IsInterleavedByPixel())) has_own_layout_ = true;
        if (sizes.size() == 3) chunk_.bands = sizes.front();
        if (!sizes.empty()) {
            chunk_.height = sizes[sizes.size() - 2];
            chunk_.width = sizes.back();
        }
        chunk_.height = std::min(chunk_.height, raster_.height);
        chunk_.width = std::min(chunk_.width, raster_.width);
        return {};
    }

    // Returns the shape of a chunk or shard of the given height and width, as the text of a
    // creation option.
    std::string ShapeText(std::uint64_t height, std::uint64_t width) const {
        return chunk_.bands > 1 ? SizesText({chunk_.bands, height, width})
                                : SizesText({height, width});
    }

    // Returns the decoded size of a chunk in bytes; UINT64_MAX if the size overflows.
    std::uint64_t ChunkBytes() const {
        return zarr::SaturatingMul(
            zarr::SaturatingMul(chunk_.bands, chunk_.height),
            zarr::SaturatingMul(chunk_.width, std::uint64_t{raster_.dtype.size}));
    }

    // Sets the shapes of chunks and shards in the creation options. Doubles the sides of a shard
    // until its encoded size is about kEncodedShardBytes.
    void ChooseShard() {
        if (has_own_layout_) return;
        const std::string chunk = ShapeText(chunk_.height, chunk_.width);
        if (!is_v3_ || !CPLFetchBool(options_.List(), "SHARD", true)) {
            options_.SetNameValue("BLOCKSIZE", chunk.c_str());
            return;
        }
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
        if (count == 1) {
            options_.SetNameValue("BLOCKSIZE", chunk.c_str());
            return;
        }
        options_.SetNameValue("BLOCKSIZE", ShapeText(height, width).c_str());
        options_.SetNameValue("SHARD_CHUNK_SHAPE", chunk.c_str());
    }

    Status ChooseCodecs() {
        const char* name = CSLFetchNameValueDef(options_.List(), "COMPRESS", "ZSTD");
        if (IsCompressorOfOthers(name)) {
            warnings_.push_back(UnknownToZarr("COMPRESS", name, "ZSTD"));
            name = "ZSTD";
        }
        const std::string compressor = CPLString(EQUAL(name, "DEFLATE") ? "ZLIB" : name).toupper();
        ZARR_ASSIGN_OR_RETURN(const auto level, ParseLevel(options_.List()));
        ZARR_ASSIGN_OR_RETURN(const Predictor predictor, ParsePredictor(options_.List()));
        options_.SetNameValue("COMPRESS", compressor.c_str());
        SetLevel(compressor, level.value_or(kDefaultLevel), level.has_value());
        const bool has_own_filter = IsGiven(options_.List(), "FILTER");
        RasterChunk sample = chunk_;
        sample.bands = std::min(sample.bands, raster_.bands);
        ChunkSamples samples;
        if (raster_.source != nullptr && !has_own_layout_)
            samples = SampleChunks(*raster_.source, raster_.dtype, sample);
        ZARR_RETURN_IF_ERROR(ChooseRounding(samples));
        if (has_own_filter) return {};
        const std::vector<CPLStringList> candidates = Candidates(compressor, predictor);
        const auto choice = ChooseEncoding(candidates, samples, raster_.dtype, sample);
        // Create() has no pixels from which to choose an encoding. The last one is best for
        // colours, and is taken for three or more bands of bytes. Otherwise the first is taken,
        // because bytes may be class numbers.
        const bool are_colours = chunk_.bands >= 3 && raster_.dtype.size == 1;
        const std::size_t fallback = are_colours ? candidates.size() - 1 : 0;
        if (choice) ratio_ = choice->ratio;
        options_ = candidates[choice ? choice->index : fallback];
        return {};
    }

    // If the creation option BITROUND asks for rounding, sets FILTER=BITROUND and the number of
    // kept bits. Keeps enough bits for the nodata values of the source.
    Status ChooseRounding(const ChunkSamples& samples) {
        const char* const text = CSLFetchNameValue(options_.List(), "BITROUND");
        if (text == nullptr || EQUAL(text, "NO")) return {};
        const int mantissa = MantissaBits(raster_.dtype);
        if (mantissa == 0)
            return RefuseOption("BITROUND",
                                "no value, because only float32 and float64 are rounded", text);
        if (IsGiven(options_.List(), "FILTER"))
            return RefuseOption("BITROUND", "no value, because FILTER is set", text);
        const bool is_automatic = EQUAL(text, "AUTO") || EQUAL(text, "YES");
        const int asked = std::atoi(text);
        if (!is_automatic && (CPLGetValueType(text) != CPL_VALUE_INTEGER || asked < 1))
            return RefuseOption("BITROUND", "AUTO, NO or a number of bits >= 1", text);
        const std::vector<double> nodata = NodataOfSource();
        const std::optional<int> informative =
            is_automatic ? InformativeBits(samples, raster_.dtype, chunk_.width, nodata)
                         : std::optional(asked);
        int bits = informative.value_or(mantissa);
        for (const double value : nodata) bits = std::max(bits, BitsOf(value, raster_.dtype));
        if (bits >= mantissa) {
            warnings_.push_back(
                std::string("creation option BITROUND: no bits are removed, because ") +
                (!informative ? "there are no samples that show which bits are needed"
                              : "the nodata value or the values need all of them"));
            return {};
        }
        options_.SetNameValue("FILTER", "BITROUND");
        options_.SetNameValue("BITROUND_KEEPBITS", std::to_string(bits).c_str());
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
    // asked for a level, only Zstandard gets `level`; other compressors keep their defaults.
    void SetLevel(const std::string& compressor, int level, bool is_asked_for) {
        if (compressor == "ZSTD" || compressor == "BLOSC") {
            SetDefault(options_, "ZSTD_LEVEL", std::to_string(level));
            SetDefault(options_, "BLOSC_CNAME", "zstd");
            // Zstandard's level 2 * n - 1 is level n inside blosc.
            SetDefault(options_, "BLOSC_CLEVEL", std::to_string(std::min((level + 2) / 2, 9)));
        } else if (is_asked_for) {
            const std::string capped = std::to_string(std::min(level, 9));
            for (const char* const name : {"ZLIB_LEVEL", "GZIP_LEVEL", "BZ2_LEVEL", "LZMA_PRESET"})
                SetDefault(options_, name, capped);
            SetDefault(options_, "BLOSC_CLEVEL", capped);
        }
    }

    // Returns the encodings to choose from, as sets of creation options. More programs can read the
    // first encoding than the others.
    std::vector<CPLStringList> Candidates(const std::string& compressor, Predictor predictor) {
        const std::size_t size = raster_.dtype.size;
        const bool is_integer = raster_.dtype.kind == zarr::DataKind::kInt ||
                                raster_.dtype.kind == zarr::DataKind::kUint;
        CPLStringList plain(options_);
        if (predictor == Predictor::kNone)
            SetDefault(plain, "BLOSC_SHUFFLE", "NONE");
        else if (size > 1)
            Shuffle(compressor, plain);
        std::vector<CPLStringList> candidates;
        if (predictor != Predictor::kDelta || !is_integer) candidates.push_back(plain);
        if (!is_integer || predictor == Predictor::kNone || predictor == Predictor::kShuffle)
            return candidates;
        CPLStringList delta(plain);
        delta.SetNameValue("FILTER", "DELTA");
        candidates.push_back(delta);
        // For bands of bytes, adds an encoding that stores differences between neighbouring pixels.
        // SHUFFLE then puts the differences of all bands at a pixel side by side, because they are
        // often similar.
        if (size == 1 && chunk_.bands > 1 && !has_own_layout_) {
            CPLStringList pixels(delta);
            pixels.SetNameValue("FILTER", "DELTA,SHUFFLE");
            pixels.SetNameValue("SHUFFLE_ELEMENTSIZE",
                                std::to_string(chunk_.height * chunk_.width).c_str());
            candidates.push_back(pixels);
        }
        return candidates;
    }

    // Makes blosc the compressor, because more readers know the byte shuffling in blosc than the
    // filter SHUFFLE. The chunk becomes a single blosc block, which compresses best. Does nothing
    // if blosc lacks `compressor`.
    void Shuffle(const std::string& compressor, CPLStringList& options) const {
        const char* inside = nullptr;
        for (const auto& [name, in_blosc] :
             {std::pair("ZSTD", "zstd"), {"ZLIB", "zlib"}, {"LZ4", "lz4"}, {"BLOSC", ""}})
            if (compressor == name) inside = in_blosc;
        if (inside == nullptr) return;
        options.SetNameValue("COMPRESS", "BLOSC");
        if (inside[0] != '\0') options.SetNameValue("BLOSC_CNAME", inside);
        constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
        if (!has_own_layout_ && ChunkBytes() < kMostBytes)
            SetDefault(options, "BLOSC_BLOCKSIZE", std::to_string(ChunkBytes()));
    }

    // Returns the factors of the overviews, separated by commas: "2,4,8" and so on, until an
    // overview fits into a chunk.
    std::string Factors() const {
        std::string text;
        std::uint64_t factor = 1;
        while (zarr::CeilDiv(raster_.width, factor) > chunk_.width ||
               zarr::CeilDiv(raster_.height, factor) > chunk_.height) {
            factor *= 2;
            text += (text.empty() ? "" : ",") + std::to_string(factor);
        }
        return text.empty() ? "NONE" : text;
    }

    void ChooseOverviews() {
        const char* const text = CSLFetchNameValueDef(options_.List(), "OVERVIEWS", "AUTO");
        // Overviews are always computed from the pixels, so these values of GDAL's COG driver mean
        // AUTO.
        if (EQUAL(text, "IGNORE_EXISTING") || EQUAL(text, "FORCE_USE_EXISTING"))
            options_.SetNameValue("OVERVIEWS", "AUTO");
        if (EQUAL(CSLFetchNameValueDef(options_.List(), "OVERVIEWS", "AUTO"), "AUTO"))
            options_.SetNameValue("OVERVIEWS", Factors().c_str());
        if (const char* const method = CSLFetchNameValue(options_.List(), "RESAMPLING"))
            SetDefault(options_, "OVERVIEW_RESAMPLING", method);
        SetDefault(options_, "OVERVIEW_RESAMPLING", raster_.is_categorical ? "NEAREST" : "AVERAGE");
    }

    const ProfiledRaster& raster_;
    CPLStringList options_;
    std::vector<std::string> warnings_;
    RasterChunk chunk_;
    bool is_v3_ = true;
    // True if the creation options state the shapes of chunks and shards.
    bool has_own_layout_ = false;
    double ratio_ = kUsualRatio;
};

// Returns the version of OME-Zarr to write. Fails if the store's Zarr format does not allow that
// version.
Result<std::string> ParseOmeVersion(CSLConstList options, zarr::Format format) {
    const std::vector<std::string> known = zarr::SupportedOmeVersions(format);
    const char* const text = CSLFetchNameValue(options, "OME_VERSION");
    if (text == nullptr) return known.front();
    for (const std::string& version : known)
        if (version == text) return version;
    return RefuseOption("OME_VERSION",
                        format == zarr::Format::kV3 ? "0.5 or 0.6 in Zarr v3" : "0.4 in Zarr v2",
                        text);
}

// Applies PROFILE=OME: PROFILE=CLOUD with a single array, whose last dimensions are Y and X.
Result<ProfileOptions> ApplyOmeProfile(CSLConstList given, ProfiledRaster raster) {
    CPLStringList options(CSLDuplicate(given));
    const bool is_old = EQUAL(CSLFetchNameValueDef(given, "OME_VERSION", ""), "0.4");
    if (!raster.store_format) SetDefault(options, "FORMAT", is_old ? "ZARR_V2" : "ZARR_V3");
    ZARR_ASSIGN_OR_RETURN(const auto format, ParseFormat(options.List()));
    const zarr::Format of_store = raster.store_format.value_or(format.value_or(zarr::Format::kV3));
    ZARR_ASSIGN_OR_RETURN(const std::string version, ParseOmeVersion(given, of_store));
    if (EQUAL(CSLFetchNameValueDef(given, "INTERLEAVE", "BAND"), "PIXEL"))
        return RefuseOption("INTERLEAVE", "BAND with PROFILE=OME", "PIXEL");
    if (!CPLFetchBool(given, "SINGLE_ARRAY", true))
        return RefuseOption("SINGLE_ARRAY", "YES with PROFILE=OME", "NO");
    ZARR_ASSIGN_OR_RETURN(const bool has_level_groups, WantsLevelGroups(given));
    if (has_level_groups)
        return RefuseOption("OVERVIEW_LAYOUT", "PARENT with PROFILE=OME", "GROUPS");
    raster.are_bands_split = false;
    options.SetNameValue("SINGLE_ARRAY", "YES");
    SetDefault(options, "ARRAY_NAME", "0");
    // FLOATING_POINT selects byte shuffling in blosc. Other predictors may select the filter DELTA,
    // which viewers of OME-Zarr cannot decode.
    SetDefault(options, "PREDICTOR", "FLOATING_POINT");
    ZARR_ASSIGN_OR_RETURN(ProfileOptions result, CloudProfile(options.List(), raster).Run());
    result.ome_version = version;
    return result;
}

}  // namespace

// clang-format off
const char* ProfileOptionList() {
    return
    "  <Option name='PROFILE' type='string-select' description='Set of options for a purpose. CLOUD: shards, overviews, statistics and the smallest encoding, for stores that are read over a network. OME: the same, as an OME-Zarr image for microscopy programs' default='NONE'>"
    "    <Value>NONE</Value><Value>CLOUD</Value><Value>OME</Value>"
    "  </Option>"
    "  <Option name='LEVEL' type='int' min='1' max='22' description='With PROFILE: level of the compressor, as in GDAL`s COG driver' default='6'/>"
    "  <Option name='PREDICTOR' type='string' description='With PROFILE: YES chooses shuffling or differences by samples of the source, NO uses neither, STANDARD uses differences, FLOATING_POINT shuffling' default='YES'/>"
    "  <Option name='BITROUND' type='string' description='With PROFILE: number of mantissa bits that are kept of real numbers. AUTO keeps the bits that hold 99 % of the information. Pixel values change' default='NO'/>"
    "  <Option name='RESAMPLING' type='string' description='With PROFILE: resampling method of overviews, if OVERVIEW_RESAMPLING is not given'/>"
    "  <Option name='STATISTICS' type='boolean' description='With PROFILE: whether to store statistics of the bands' default='YES'/>"
    "  <Option name='OME_VERSION' type='string-select' description='With PROFILE=OME: version of OME-Zarr, 0.5 or 0.6. In Zarr v2 the version is 0.4' default='0.5'>"
    "    <Value>0.4</Value><Value>0.5</Value><Value>0.6</Value>"
    "  </Option>";
}
// clang-format on

namespace {

const char* ProfileName(CSLConstList options) {
    const char* const name = CSLFetchNameValue(options, "PROFILE");
    return name != nullptr ? name : CPLGetConfigOption("ZARR_DEFAULT_PROFILE", "NONE");
}

// Returns the warning for a creation option that PROFILE does not use.
std::string OnlyWith(const char* option) {
    const bool is_of_ome = EQUAL(option, "OME_VERSION");
    return std::string("creation option ") + option + ": is used only with " +
           (is_of_ome ? "PROFILE=OME" : "PROFILE=CLOUD or OME");
}

}  // namespace

bool WantsProfile(CSLConstList options) { return !EQUAL(ProfileName(options), "NONE"); }

Result<ProfileOptions> WithProfile(CSLConstList options, const ProfiledRaster& raster) {
    const char* const profile = ProfileName(options);
    const bool is_by_configuration = !IsGiven(options, "PROFILE");
    if (EQUAL(profile, "OME")) return ApplyOmeProfile(options, raster);
    if (EQUAL(profile, "CLOUD")) {
        ZARR_ASSIGN_OR_RETURN(ProfileOptions result, CloudProfile(options, raster).Run());
        if (IsGiven(options, "OME_VERSION")) result.warnings.push_back(OnlyWith("OME_VERSION"));
        return result;
    }
    if (!EQUAL(profile, "NONE"))
        return is_by_configuration
                   ? Status::Invalid(
                         "configuration option ZARR_DEFAULT_PROFILE: expected NONE, "
                         "CLOUD or OME, got " +
                         zarr::Quoted(profile))
                   : RefuseOption("PROFILE", "NONE, CLOUD or OME", profile);
    ProfileOptions result;
    result.options = CPLStringList(CSLDuplicate(options));
    for (const char* const name : kOnlyOfProfiles)
        if (IsGiven(options, name)) result.warnings.push_back(OnlyWith(name));
    return result;
}

}  // namespace zarr_driver
