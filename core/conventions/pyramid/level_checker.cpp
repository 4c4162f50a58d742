// SPDX-License-Identifier: MIT
#include "core/conventions/pyramid/level_checker.h"

#include <algorithm>
#include <utility>

#include "core/conventions/attributes/axis_roles.h"
#include "core/conventions/cf/coordinates.h"
#include "core/conventions/crs/affine.h"
#include "core/conventions/crs/grid_mapping.h"
#include "core/conventions/facts/array_facts.h"
#include "core/conventions/facts/prefetch.h"
#include "core/conventions/pyramid/level_meaning.h"
#include "core/conventions/pyramid/statement_errors.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// Maximum distance between corresponding corners of two levels, in pixels of the smaller level.
// Includes a tolerance for rounding.
constexpr double kMaxCornerDistance = 1 + 1e-6;

std::string SizeText(std::uint64_t width, std::uint64_t height) {
    return std::to_string(width) + " x " + std::to_string(height);
}

// Returns how the dimensions other than X and Y differ between a level and the base, as a predicate
// for a warning. Empty if the dimensions match.
std::string DimensionMismatch(const ArrayFacts& level, const ArrayFacts& base) {
    for (std::size_t i = 0; i < level.dimensions.size(); ++i) {
        if (i == *base.axes.x || i == *base.axes.y) continue;
        const Dimension& a = level.dimensions[i];
        const Dimension& b = base.dimensions[i];
        // A smaller size along Z is accepted, because smaller levels of a volume may have fewer
        // slices.
        const bool is_thinner = b.role == AxisRole::kZ && a.size >= 1 && a.size < b.size;
        if (a.size != b.size && !is_thinner)
            return "has " + std::to_string(a.size) + " elements along " + a.name + ", not " +
                   std::to_string(b.size);
        if (a.name != b.name && a.is_named && b.is_named)
            return "has the dimension " + a.name + " in place of " + b.name;
    }
    return {};
}

GeoTransform HalfPixelOn(GeoTransform t) {
    t[0] += 0.5 * (t[1] + t[2]);
    t[3] += 0.5 * (t[4] + t[5]);
    return t;
}

// Returns a cache key of all properties that determine the geotransform from coordinate arrays.
// Empty if X or Y has no coordinate array.
std::string CoordinatesKey(const ArrayFacts& facts) {
    const std::string& x = facts.dimensions[*facts.axes.x].coordinate_path;
    const std::string& y = facts.dimensions[*facts.axes.y].coordinate_path;
    if (x.empty() || y.empty()) return {};
    std::string key = std::string(ParentPath(facts.path)) + '\0' + x + '\0' + y;
    for (const char* name :
         {"spatial:transform", "spatial:registration", "proj:transform", "grid_mapping"}) {
        const json::Value* value = facts.attributes.Find(name);
        key += '\0' + (value != nullptr ? json::Dump(*value) : std::string());
    }
    return key;
}

}  // namespace

bool AreAxesDeclared(const ArrayFacts& facts) {
    const auto& [x, y] = facts.axes;
    if (!x || !y) return false;
    const auto is_declared = [&](std::size_t axis, AxisRole role) {
        return !facts.dimensions[axis].is_named && facts.dimensions[axis].role == role;
    };
    return is_declared(*x, AxisRole::kX) && is_declared(*y, AxisRole::kY);
}

void LevelChecker::LeaveOut(const ListedLevel& level, const std::string& why) {
    warnings_.push_back(LevelWarning(level, why));
}

void LevelChecker::Prefetch(const std::vector<ListedLevel>& arrays) const {
    std::vector<std::string> paths;
    paths.reserve(arrays.size());
    for (const ListedLevel& level : arrays) paths.push_back(level.path);
    PrefetchArrays(hierarchy_, paths);
}

std::vector<LevelChecker::Level> LevelChecker::Describe(const std::vector<ListedLevel>& arrays,
                                                        Ranks ranks) {
    Prefetch(arrays);
    std::vector<Level> levels;
    for (const ListedLevel& listed : arrays) {
        auto facts = DescribeArray(hierarchy_, listed.path);
        const Status status =
            facts.ok() ? Array::CheckCodecs(facts->metadata) : Status(facts.status());
        if (!status.ok()) {
            LeaveOut(listed, "cannot be read: " + status.message());
            continue;
        }
        const bool is_line = ranks == Ranks::kAny && facts->metadata.rank() == 1;
        if (!is_line && !IsRaster(facts->metadata)) {
            LeaveOut(listed, "is not a raster");
            continue;
        }
        Level level;
        level.listed = listed;
        level.width = is_line ? facts->metadata.shape[0] : facts->dimensions[*facts->axes.x].size;
        level.height = is_line ? 1 : facts->dimensions[*facts->axes.y].size;
        level.facts = facts.Take();
        levels.push_back(std::move(level));
    }
    std::vector<const Dimension*> axes;
    for (const Level& level : levels) {
        if (StatesTransform(level.facts.attributes) ||
            StatesTransform(level.facts.group_attributes))
            continue;
        for (const auto& axis : {level.facts.axes.x, level.facts.axes.y})
            if (axis) axes.push_back(&level.facts.dimensions[*axis]);
    }
    PrefetchAxes(hierarchy_, axes);
    return levels;
}

// Gives a small level without dimension names the axes of the base. Such a level may be too small
// to be recognised as a colour image.
void LevelChecker::UseAxesOfBase(std::vector<Level>& levels) {
    const ArrayFacts& base = levels[0].facts;
    if (!AreAxesDeclared(base)) return;
    for (Level& level : levels) {
        ArrayFacts& facts = level.facts;
        const auto& dimensions = facts.dimensions;
        if (dimensions.size() != base.dimensions.size() ||
            std::any_of(dimensions.begin(), dimensions.end(),
                        [](const Dimension& dimension) { return dimension.is_named; }))
            continue;
        facts.axes = base.axes;
        facts.colour_axis = base.colour_axis;
        level.width = dimensions[*facts.axes.x].size;
        level.height = dimensions[*facts.axes.y].size;
    }
    SortBySize(levels);
}

void LevelChecker::SortBySize(std::vector<Level>& levels) {
    // The product of width and height cannot overflow, because the number of elements of an array
    // fits 63 bits.
    std::stable_sort(levels.begin(), levels.end(), [](const Level& a, const Level& b) {
        return a.width * a.height > b.width * b.height;
    });
}

std::string LevelChecker::LevelMismatch(const Level& level, const Level& previous,
                                        const Level& base) const {
    const ArrayFacts& facts = level.facts;
    const DataType type = ApplyUnsigned(facts.metadata.dtype, facts.attributes);
    const DataType base_type = ApplyUnsigned(base.facts.metadata.dtype, base.facts.attributes);
    const std::string as_base = " as /" + base.listed.path;
    if (type.Native().ToString() != base_type.Native().ToString())
        return "has dtype " + type.ToString() + ", not " + base_type.ToString() + as_base;
    if (facts.metadata.rank() != base.facts.metadata.rank())
        return "has " + std::to_string(facts.metadata.rank()) + " dimensions, not " +
               std::to_string(base.facts.metadata.rank()) + as_base;
    if (facts.metadata.rank() == 1) return {};
    const bool has_mask = facts.attributes.Find(kMaskAttribute) != nullptr;
    if (has_mask != (base.facts.attributes.Find(kMaskAttribute) != nullptr))
        return std::string(has_mask ? "has a mask" : "has no mask") + ", unlike /" +
               base.listed.path;
    if (facts.axes.x != base.facts.axes.x || facts.axes.y != base.facts.axes.y)
        return "has its X and Y among other dimensions than /" + base.listed.path;
    const std::string other = DimensionMismatch(facts, base.facts);
    if (!other.empty()) return other + as_base;
    const bool is_smaller = level.width <= previous.width && level.height <= previous.height;
    if (level.width == previous.width && level.height == previous.height)
        return "is of the size of /" + previous.listed.path + ", " +
               SizeText(level.width, level.height);
    if (!is_smaller)
        return "of " + SizeText(level.width, level.height) + " is not smaller than /" +
               previous.listed.path + " of " + SizeText(previous.width, previous.height) +
               " along both X and Y";
    return {};
}

// Returns a predicate for a warning about an overview that is incomplete, or that was made from
// another state of its base. Empty if the recorded state is right, or none is recorded.
std::string LevelChecker::StateMismatch(const Level& level, const Level& base) {
    const std::string state = StatedBase(level.facts.group_attributes, LastName(level.listed.path));
    if (state.empty()) return {};
    if (state == kIncompleteState)
        return incomplete_ == IncompleteLevels::kIncluded
                   ? std::string()
                   : "is incomplete, because building it was interrupted; build the overviews anew";
    auto known = states_.find(base.listed.path);
    if (known == states_.end()) {
        auto array = hierarchy_.OpenArray(base.listed.path);
        std::optional<Fingerprint> current;
        if (array.ok()) current.emplace(array.Take());
        known = states_.emplace(base.listed.path, std::move(current)).first;
    }
    const bool is_same = !known->second || known->second->Is(state, level.listed.path);
    return is_same ? std::string()
                   : "was made from other values than /" + base.listed.path +
                         " holds now; build the overviews anew";
}

std::optional<AffineSource> LevelChecker::GeoTransformOf(const ArrayFacts& facts,
                                                         const std::string& where) {
    const std::string key = CoordinatesKey(facts);
    if (const auto known = transforms_.find(key); !key.empty() && known != transforms_.end())
        return known->second;
    Warnings found;
    auto source = FindGeoTransform(hierarchy_, facts, 1, found);
    for (const std::string& warning : found)
        if (reported_.insert(warning).second && !where.empty())
            warnings_.push_back(std::string(where).append(": ").append(warning));
    if (!key.empty()) transforms_.emplace(key, source);
    return source;
}

bool LevelChecker::HasExtentOf(const Level& base, const Level& level) {
    if (base.facts.metadata.rank() == 1) return true;
    const auto a = GeoTransformOf(base.facts, "");
    if (!a) return true;
    const auto b = GeoTransformOf(level.facts, level.listed.origin);
    if (!b || a->is_ome != b->is_ome) return true;
    const auto distance = [&](const GeoTransform& a_transform, const GeoTransform& b_transform) {
        return CornerDistance(a_transform, static_cast<double>(base.width),
                              static_cast<double>(base.height), b_transform,
                              static_cast<double>(level.width), static_cast<double>(level.height));
    };
    if (distance(a->transform, b->transform) <= kMaxCornerDistance) return true;
    // OME's translation may refer to the corner or to the centre of the first pixel. The
    // specification says the centre, but many writers omit the translation or use the corner.
    return a->is_ome &&
           distance(HalfPixelOn(a->transform), HalfPixelOn(b->transform)) <= kMaxCornerDistance;
}

// Returns what is wrong with the `derived_from` path of a level, as text for a message; empty if
// nothing is wrong.
std::string LevelChecker::WrongSource(const std::string& source, const Level& level) const {
    const std::string place = "derived_from: /" + source + " ";
    const auto kind = hierarchy_.KindOf(source);
    if (kind.ok() && *kind == NodeKind::kNone) return place + "does not exist; it is ignored";
    if (!kind.ok() || *kind != NodeKind::kArray) return {};
    const auto metadata = hierarchy_.Metadata(source);
    if (!metadata.ok() || metadata->rank() == level.facts.metadata.rank()) return {};
    return place + "has " + std::to_string(metadata->rank()) +
           " dimensions, unlike the level; it is ignored";
}

// Warns if the entry of a level in the pyramid's description disagrees with the level. One warning
// covers all variables of the level.
void LevelChecker::CheckStatement(const Level& level, const std::vector<Level>& levels) {
    const LevelStatement* statement = level.listed.statement.get();
    if (statement == nullptr || level.facts.metadata.rank() < 2) return;
    std::vector<std::string> wrong;
    std::vector<const ArrayFacts*> sources;
    for (const Level& other : levels)
        if (statement->source && other.listed.statement != nullptr &&
            other.listed.statement->level == *statement->source)
            sources.push_back(&other.facts);
    if (!sources.empty())
        sources.push_back(&levels[0].facts);  // some writers state all scales relative to the base
    else if (statement->source && !statement->is_source_listed)
        wrong.push_back(WrongSource(*statement->source, level));
    for (std::string& text : StatementErrors(*statement, level.facts, sources))
        wrong.push_back(std::move(text));
    for (const std::string& text : wrong) {
        std::string warning = level.listed.origin + ": " + text;
        if (!text.empty() && reported_.insert(warning).second)
            warnings_.push_back(std::move(warning));
    }
}

// Returns the difference between the EPSG codes of a level and of the base, as words for a warning:
// "has CRS EPSG:32632, not EPSG:32633". Empty if the codes are equal or unknown.
std::string LevelChecker::CrsMismatch(const Level& level, const Level& base) {
    const auto code_of = [&](const ArrayFacts& facts) {
        std::string key(ParentPath(facts.path));
        for (const char* name : kCrsNames)
            if (const json::Value* value = facts.attributes.Find(name))
                key += '\0' + json::Dump(*value);
        const auto [code, is_new] = crs_codes_.try_emplace(key);
        if (is_new) code->second = StatedEpsgCode(hierarchy_, facts);
        return code->second;
    };
    const std::string own = code_of(level.facts);
    const std::string other = own.empty() ? own : code_of(base.facts);
    return other.empty() || own == other ? std::string() : "has CRS " + own + ", not " + other;
}

// Returns how a level differs from the base in more than its shape, as a predicate for a warning:
// "covers another extent than /0". Empty if there is no difference.
std::string LevelChecker::ContentMismatch(const Level& level, const Level& base, bool is_overview) {
    if (!HasExtentOf(base, level)) return "covers another extent than /" + base.listed.path;
    if (std::string outdated = StateMismatch(level, base); !outdated.empty()) return outdated;
    if (base.facts.metadata.rank() == 1) return {};
    std::string other = MeaningMismatch(hierarchy_, level.facts, base.facts,
                                        is_overview ? LevelMeaning::kStated : LevelMeaning::kAll);
    if (other.empty()) other = CrsMismatch(level, base);
    return other.empty() ? other : other + " as /" + base.listed.path;
}

namespace {

// Returns the resampling method that the description of a pyramid states for a level.
std::string MethodOf(const ListedLevel& level) {
    if (level.statement == nullptr) return {};
    const auto own = level.statement->methods.find(std::string(LastName(level.path)));
    return own != level.statement->methods.end() ? own->second : level.statement->method;
}

}  // namespace

std::optional<Pyramid> LevelChecker::Check(const ListedPyramid& listed,
                                           const std::vector<ListedLevel>& arrays, Ranks ranks) {
    std::vector<Level> levels = Describe(arrays, ranks);
    if (levels.empty()) return std::nullopt;
    SortBySize(levels);
    UseAxesOfBase(levels);
    Pyramid pyramid;
    pyramid.origin = listed.origin;
    pyramid.is_overviews = listed.is_overviews;
    const Level& base = levels[0];
    const Level* previous = &base;
    bool has_misfit = false;
    for (const Level& level : levels) {
        // A 1-D level of unchanged size is skipped without a warning. If a dimension does not
        // shrink, the levels of a raster may share the coordinate array of that dimension.
        const bool is_same = base.facts.metadata.rank() == 1 && level.width == previous->width;
        if (is_same && &level != &base) continue;
        if (&level != &base) {
            std::string why = LevelMismatch(level, *previous, base);
            const bool is_misfit = !why.empty();
            if (why.empty()) why = ContentMismatch(level, base, listed.is_overviews);
            if (!why.empty()) {
                // A program that reduces other axes than the base's X and Y does so in all
                // overviews.
                if (!is_misfit || !has_misfit) LeaveOut(level.listed, why);
                has_misfit = has_misfit || (is_misfit && listed.is_overviews);
                if (listed.is_overviews) pyramid.left_out.push_back(level.listed.path);
                continue;
            }
        }
        CheckStatement(level, levels);
        pyramid.levels.push_back(
            {level.listed.path, level.width, level.height, MethodOf(level.listed)});
        previous = &level;
    }
    return pyramid;
}

}  // namespace zarr
