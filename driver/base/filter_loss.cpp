// SPDX-License-Identifier: MIT
#include "driver/base/filter_loss.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "core/codec/pipeline.h"
#include "core/dtype/element_text.h"
#include "core/dtype/fill_value.h"

namespace zarr_driver {

namespace json = zarr::json;

namespace {

struct LossyFilter {
    const char* name;    // name of the codec in numcodecs
    bool rounds = true;  // true if the purpose of the filter is to round numbers
};

constexpr LossyFilter kLossyFilters[] = {
    {"fixedscaleoffset"}, {"quantize"},      {"bitround"},
    {"delta", false},     {"astype", false}, {"packbits", false},
};

const LossyFilter* FindLossyFilter(const zarr::CodecSpec& codec) {
    const std::string_view name = zarr::WithoutNumcodecsPrefix(codec.name);
    const auto* const found = std::find_if(std::begin(kLossyFilters), std::end(kLossyFilters),
                                           [&](const auto& filter) { return name == filter.name; });
    return found != std::end(kLossyFilters) ? found : nullptr;
}

// The filters of an array that may change numbers. Compressors and shuffling never change numbers.
class LossyFilters {
  public:
    LossyFilters(const std::vector<zarr::CodecSpec>& codecs, zarr::DataType dtype)
        : dtype_(std::move(dtype)) {
        for (const zarr::CodecSpec& codec : codecs) {
            const LossyFilter* const filter = FindLossyFilter(codec);
            if (filter == nullptr) continue;
            names_ += (names_.empty() ? "" : ", ") + std::string(filter->name);
            rounds_ = rounds_ || filter->rounds;
            filters_.push_back(codec);
        }
    }

    bool CanChange() const {
        return !filters_.empty() && dtype_.is_numeric() && !dtype_.NeedsSwap() &&
               dtype_.narrow == zarr::NarrowType::kNone &&
               dtype_.kind != zarr::DataKind::kComplex && dtype_.kind != zarr::DataKind::kBool;
    }
    const std::string& names() const { return names_; }
    bool rounds() const { return rounds_; }

    // Returns `elements` after encoding and decoding. Returns nullopt if the filters cannot encode
    // `dtype`; the creation of the array reports that error.
    std::optional<std::string> RoundTrip(const std::string& elements) const {
        zarr::CodecContext context;
        context.dtype = dtype_;
        context.chunk_shape = {elements.size() / dtype_.size};
        const auto pipeline = zarr::Pipeline::Bind(filters_, context);
        if (!pipeline.ok() || !pipeline->writable().ok()) return std::nullopt;
        zarr::PipelineScratch encoding;
        zarr::PipelineScratch decoding;
        const auto encoded = pipeline->Encode(
            {reinterpret_cast<const std::uint8_t*>(elements.data()), elements.size()}, encoding);
        if (!encoded.ok()) return std::nullopt;
        std::string decoded(elements.size(), '\0');
        const zarr::Status status = pipeline->Decode(
            *encoded, {reinterpret_cast<std::uint8_t*>(decoded.data()), decoded.size()}, decoding);
        return status.ok() ? std::optional(std::move(decoded)) : std::nullopt;
    }

    std::string ElementOf(const json::Value& value) const {
        const auto element = zarr::ParseFillValue(dtype_, value);
        return element.ok() ? element->Bytes() : std::string();
    }
    // TextAt() and NumberAt() return the element with index `index`, as text or as double.
    std::string TextAt(const std::string& elements, std::size_t index) const {
        return zarr::ElementText(dtype_, At(elements, index));
    }
    double NumberAt(const std::string& elements, std::size_t index) const {
        return zarr::ElementDouble(dtype_, At(elements, index));
    }
    // True if an element has another value in `decoded`. Two NaNs are equal.
    bool Differs(const std::string& elements, const std::string& decoded, std::size_t index) const {
        return TextAt(elements, index) != TextAt(decoded, index) &&
               NumberAt(elements, index) != NumberAt(decoded, index);
    }

  private:
    const std::uint8_t* At(const std::string& elements, std::size_t index) const {
        return reinterpret_cast<const std::uint8_t*>(elements.data()) + index * dtype_.size;
    }

    zarr::DataType dtype_;
    std::vector<zarr::CodecSpec> filters_;
    std::string names_;
    bool rounds_ = false;
};

// Returns numbers of `dtype` to try the filters on. Filters that keep these numbers are assumed to
// keep all numbers.
std::vector<json::Value> SampleNumbers(const zarr::DataType& dtype) {
    if (dtype.kind == zarr::DataKind::kFloat) return {json::Value(1000.0), json::Value(0.1)};
    const auto bits = static_cast<unsigned>(dtype.size * 8);
    const bool is_signed = dtype.kind == zarr::DataKind::kInt;
    const std::uint64_t largest =
        std::numeric_limits<std::uint64_t>::max() >> (64 - bits + (is_signed ? 1 : 0));
    std::vector<json::Value> numbers = {json::Value(std::int64_t{2}), json::Value(largest)};
    if (is_signed) numbers.emplace_back(-static_cast<std::int64_t>(largest) - 1);
    return numbers;
}

// Returns a text such as "2 becomes 1" for the first sample number that the filters change. Returns
// an empty text if they change none.
std::string ChangedNumber(const LossyFilters& filters, const zarr::DataType& dtype) {
    std::string elements;
    for (const json::Value& number : SampleNumbers(dtype)) elements += filters.ElementOf(number);
    const auto decoded = filters.RoundTrip(elements);
    if (!decoded) return {};
    for (std::size_t i = 0; i < elements.size() / dtype.size; ++i)
        if (filters.Differs(elements, *decoded, i))
            return filters.TextAt(elements, i) + " becomes " + filters.TextAt(*decoded, i);
    return {};
}

// Returns a text that says how the filters change NaN, or a number that follows a NaN. Returns an
// empty text if they change neither.
std::string ChangedNan(const LossyFilters& filters) {
    const std::string nan = filters.ElementOf(json::Value("NaN"));
    const std::string elements = nan + filters.ElementOf(json::Value(1.0));
    const auto decoded = filters.RoundTrip(elements);
    if (!decoded) return {};
    if (!std::isnan(filters.NumberAt(*decoded, 0)))
        return "NaN becomes " + filters.TextAt(*decoded, 0);
    return std::isnan(filters.NumberAt(*decoded, 1)) ? "numbers after a NaN become NaN" : "";
}

}  // namespace

std::string FilterWarning(const std::vector<zarr::CodecSpec>& codecs, const zarr::DataType& dtype) {
    const LossyFilters filters(codecs, dtype);
    if (!filters.CanChange()) return {};
    std::string changes = filters.rounds() ? std::string() : ChangedNumber(filters, dtype);
    const std::string nan =
        dtype.kind == zarr::DataKind::kFloat ? ChangedNan(filters) : std::string();
    if (!nan.empty()) changes += (changes.empty() ? "" : ", ") + nan;
    if (changes.empty()) return {};
    return "creation option FILTER: " + filters.names() + " changes values of dtype " +
           dtype.ToString() + ": " + changes;
}

std::string NodataFilterWarning(const std::vector<zarr::CodecSpec>& codecs,
                                const zarr::DataType& dtype, const std::string& element) {
    const LossyFilters filters(codecs, dtype);
    if (!filters.CanChange() || element.size() != dtype.size) return {};
    // The filters are tried on two elements: a typical number, and the nodata value. The filter
    // "delta" stores the difference of both, and floats may lose digits in the difference.
    const bool is_float = dtype.kind == zarr::DataKind::kFloat;
    const std::string elements = filters.ElementOf(json::Value(is_float ? 0.1 : 1.0)) + element;
    const auto decoded = filters.RoundTrip(elements);
    if (!decoded || !filters.Differs(elements, *decoded, 1)) return {};
    return "filter " + filters.names() + " changes the nodata value " +
           filters.TextAt(elements, 1) + " to " + filters.TextAt(*decoded, 1) +
           "; nodata pixels become valid";
}

}  // namespace zarr_driver
