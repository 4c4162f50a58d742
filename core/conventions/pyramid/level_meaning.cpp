// SPDX-License-Identifier: MIT
#include "core/conventions/pyramid/level_meaning.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/cf/nodata.h"
#include "core/conventions/crs/crs_sources.h"
#include "core/conventions/crs/grid_mapping.h"
#include "core/conventions/group/multiscales.h"
#include "core/conventions/ome/ome_axes.h"
#include "core/dtype/element_text.h"

namespace zarr {

namespace {

std::string Differs(const std::string& name, const std::string& own, const std::string& other) {
    const auto shown = [](const std::string& text) { return text.empty() ? "none" : text; };
    return "has " + name + " " + shown(own) + ", not " + shown(other);
}

// True if `a` and `b` are equal up to rounding to float32.
bool IsSameNumber(double a, double b) {
    constexpr double kRounding = 1e-6;
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b || std::abs(a - b) <= kRounding * std::max(std::abs(a), std::abs(b));
}

std::string PackingMismatch(const ArrayFacts& level, const ArrayFacts& base,
                            LevelMeaning compared) {
    const Packing own = ReadPacking(level.attributes).value;
    const Packing other = ReadPacking(base.attributes).value;
    struct Number {
        const char* name;
        std::optional<double> own, other;
        double absent;
    };
    for (const Number& number : {Number{"scale_factor", own.scale, other.scale, 1},
                                 Number{"add_offset", own.offset, other.offset, 0}}) {
        if (!number.own && compared == LevelMeaning::kStated) continue;
        const double a = number.own.value_or(number.absent);
        const double b = number.other.value_or(number.absent);
        if (!IsSameNumber(a, b)) return Differs(number.name, DoubleText(a), DoubleText(b));
    }
    const std::string units = UnitsOf(level.metadata.dtype, own);
    const std::string base_units = UnitsOf(base.metadata.dtype, other);
    const bool are_stated = !units.empty() && !base_units.empty();
    return are_stated && units != base_units ? Differs("units", units, base_units) : std::string();
}

std::string TextOf(const std::optional<FillValue>& element, const DataType& type) {
    if (!element) return {};
    const std::string bytes = element->Bytes();
    return ElementText(type, reinterpret_cast<const std::uint8_t*>(bytes.data()));
}

std::optional<FillValue> NodataOf(const ArrayFacts& facts) {
    return ReadNodata(facts.attributes, facts.metadata, FillAsNodata::kAuto).value;
}

std::string NodataMismatch(const Hierarchy& hierarchy, const ArrayFacts& level,
                           const ArrayFacts& base, LevelMeaning compared) {
    const DataType type = level.metadata.dtype.Native();
    if (!type.is_numeric() && !type.is_time()) return {};
    if (compared == LevelMeaning::kStated &&
        !StatedNodataOfData(level.attributes, level.metadata).value)
        return {};
    std::string own = TextOf(NodataOf(level), type);
    std::string other = TextOf(NodataOf(base), type);
    if (own == other) return {};
    const std::size_t rank = base.metadata.rank();
    if (IsOmeImage(ListingOf(hierarchy, base.path), rank)) {
        own = TextOf(ReadImageNodata(level).value, type);
        other = TextOf(ReadImageNodata(base).value, type);
    }
    const auto is_zero = [](const std::string& text) { return text == "0" || text == "-0"; };
    const bool are_same = own == other || (is_zero(own) && is_zero(other));
    return are_same ? std::string() : Differs("nodata value", own, other);
}

// Returns the EPSG code in `text`: "EPSG:32632", or at the end of WKT, ID["EPSG",32632]] or
// AUTHORITY["EPSG","32632"]]. Empty if `text` has no code for the whole CRS.
std::string EpsgCodeIn(const std::string& text) {
    constexpr std::string_view kAuthority = "EPSG";
    const std::size_t last = text.find_last_of("0123456789");
    if (last == std::string::npos) return {};
    const auto brackets =
        std::count(text.begin() + static_cast<std::ptrdiff_t>(last), text.end(), ']');
    // A code before any other number of brackets is the code of a part of the CRS, such as a unit.
    if (brackets != 0 && brackets != 2) return {};
    const std::size_t before = text.find_last_not_of("0123456789", last);
    const std::size_t end = text.find_last_not_of("\",: ", before) + 1;
    if (before == std::string::npos || end < kAuthority.size() ||
        text.compare(end - kAuthority.size(), kAuthority.size(), kAuthority) != 0)
        return {};
    return "EPSG:" + text.substr(before + 1, last - before);
}

}  // namespace

std::string MeaningMismatch(const Hierarchy& hierarchy, const ArrayFacts& level,
                            const ArrayFacts& base, LevelMeaning compared) {
    if (level.metadata.dtype.kind == DataKind::kBool) return {};
    std::string other = PackingMismatch(level, base, compared);
    return other.empty() ? NodataMismatch(hierarchy, level, base, compared) : other;
}

std::string StatedEpsgCode(const Hierarchy& hierarchy, const ArrayFacts& facts) {
    if (!StatesCrs(facts.attributes)) return {};
    for (const CrsSource& source : FindCrsSources(hierarchy, facts, AssumeLonglat::kNo)) {
        std::string code = source.code.empty() ? EpsgCodeIn(source.text) : source.code;
        if (!code.empty()) return code;
    }
    return {};
}

}  // namespace zarr
