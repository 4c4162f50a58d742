// SPDX-License-Identifier: MIT
#include "driver/overviews/overview_levels.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "core/conventions/attributes/fingerprint.h"
#include "core/conventions/attributes/nczarr.h"
#include "core/conventions/catalog/delete_cascade.h"
#include "core/conventions/cf/coordinates.h"
#include "core/conventions/crs/geotransform.h"
#include "core/conventions/group/overviews.h"
#include "core/hierarchy/tree.h"
#include "core/metadata/fill_meaning.h"
#include "core/store/keys.h"
#include "driver/base/metadata_text.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::NodeKind;
using zarr::Result;
using zarr::Status;

namespace {

// Maximum number of names that are tried to find a free name for a group.
constexpr int kMaxNames = 1000;

constexpr const char* kShape = "spatial:shape";
constexpr const char* kTransform = "spatial:transform";

// Returns the size of the raster itself, as a LevelPaths without paths.
LevelPaths WholeRaster(const RasterLayout& array) {
    LevelPaths whole;
    whole.width = static_cast<std::uint64_t>(array.Width());
    whole.height = static_cast<std::uint64_t>(array.Height());
    return whole;
}

json::Value ShapeOf(const LevelPaths& level) {
    return json::Value(json::Array{json::Value(level.height), json::Value(level.width)});
}

// Returns the state of the base that is recorded for the overview at `path`; empty if none is.
std::string StateIn(const zarr::Hierarchy& hierarchy, const std::string& path) {
    const std::string group(zarr::ParentPath(path));
    return zarr::StatedBase(zarr::AttributesOrEmpty(hierarchy, group), zarr::LastName(path));
}

// Says whether an array's fill value means nodata or data, if no attribute states a nodata value.
zarr::FillMeaning FillMeaningOf(const zarr::ArrayFacts& facts) {
    return zarr::FillMeansMissing(facts.metadata, facts.attributes) ? zarr::FillMeaning::kNodata
                                                                    : zarr::FillMeaning::kData;
}

// True for an attribute that states georeferencing or the names of other arrays. An overview needs
// its own value for such an attribute, so the value is not copied.
bool IsLocationAttribute(std::string_view name) {
    for (const std::string_view own :
         {"coordinates", "multiscales", "proj:transform", "proj:shape", "proj:bbox",
          "ancillary_variables", "GeoTransform", zarr::kPlainTransform})
        if (name == own) return true;
    // The attributes for PAM and for the mask belong to the pixels of the raster, so an overview
    // must not copy them.
    if (name == kPamAttribute || name == zarr::kMaskAttribute) return true;
    return name.substr(0, 8) == "spatial:" || zarr::IsNczarrAttribute(name);
}

json::Object KeptAttributes(const json::Value& attributes) {
    json::Object kept;
    if (const json::Object* members = attributes.as_object())
        std::copy_if(members->begin(), members->end(), std::back_inserter(kept),
                     [](const json::Member& member) { return !IsLocationAttribute(member.first); });
    return kept;
}

// Returns the georeferencing convention that the attributes of an array follow. Returns `fallback`
// if they follow no convention.
GeoreferencingForm ConventionOf(const json::Value& attributes, GeoreferencingForm fallback) {
    const bool gdal = attributes.Find("_CRS") != nullptr;
    const bool cf = attributes.Find("grid_mapping") != nullptr;
    if (gdal) return cf ? GeoreferencingForm::kEveryReader : GeoreferencingForm::kGdal;
    const std::string* const mapping = zarr::StringAttribute(attributes, "grid_mapping");
    const auto coordinates = zarr::WordsAttribute(attributes, "coordinates");
    const bool is_coordinate =
        mapping != nullptr &&
        std::find(coordinates.begin(), coordinates.end(), *mapping) != coordinates.end();
    const bool spatial = attributes.Find("proj:code") != nullptr ||
                         attributes.Find("proj:projjson") != nullptr ||
                         attributes.Find("proj:wkt2") != nullptr;
    if (cf && spatial) return GeoreferencingForm::kAll;
    if (cf) return is_coordinate ? GeoreferencingForm::kEveryReader : GeoreferencingForm::kCf;
    return spatial || attributes.Find("spatial:transform") != nullptr
               ? GeoreferencingForm::kSpatialProj
               : fallback;
}

// Returns the geotransform of an overview. The overview has the extent of the raster, and its
// pixels are larger.
zarr::GeoTransform Scaled(const zarr::GeoTransform& t, const RasterLayout& base,
                          const LevelPaths& level) {
    const double x = static_cast<double>(base.Width()) / static_cast<double>(level.width);
    const double y = static_cast<double>(base.Height()) / static_cast<double>(level.height);
    return {t[0], t[1] * x, t[2] * y, t[3], t[4] * x, t[5] * y};
}

// Returns the centres of `size` pixels that cover the same extent as the pixels with the centres
// `centres`.
std::vector<double> Between(const std::vector<double>& centres, std::uint64_t size) {
    const double scale = static_cast<double>(centres.size()) / static_cast<double>(size);
    const auto last = static_cast<double>(centres.size() - 1);
    std::vector<double> between;
    between.reserve(static_cast<std::size_t>(size));
    for (std::uint64_t i = 0; i < size; ++i) {
        const double place = std::clamp((static_cast<double>(i) + 0.5) * scale - 0.5, 0.0, last);
        const double before = std::floor(place);
        const double left = centres[static_cast<std::size_t>(before)];
        const double right = centres[static_cast<std::size_t>(std::min(before + 1, last))];
        between.push_back(left + (place - before) * (right - left));
    }
    return between;
}

}  // namespace

std::string MaskOf(const RasterLayout& array, std::string_view path) {
    const std::string* const name =
        zarr::StringAttribute(array.facts.attributes, zarr::kMaskAttribute);
    if (name == nullptr || !zarr::IsValidKey(*name) || name->find('/') != std::string::npos)
        return {};
    return zarr::JoinKey(zarr::ParentPath(path), *name);
}

RasterLayout LayoutOfLevel(const RasterLayout& array, const std::string& path,
                           const LevelPaths& level) {
    RasterLayout scaled = array;
    scaled.facts.path = path;
    // The overview's array is in another group, so the raster's group attributes do not apply to
    // it.
    scaled.facts.group_attributes = {};
    scaled.facts.metadata.edges.clear();  // an overview has a regular chunk grid
    const auto set = [&](const std::optional<std::size_t>& axis, std::uint64_t size) {
        if (!axis) return;
        scaled.facts.metadata.shape[*axis] = size;
        scaled.facts.dimensions[*axis].size = size;
        std::uint64_t& chunk = scaled.facts.metadata.chunks[*axis];
        if (!zarr::NeedsChunkSize(array.facts.metadata))
            chunk = std::clamp<std::uint64_t>(chunk, 1, size);
    };
    set(array.x_axis, level.width);
    set(array.y_axis, level.height);
    return scaled;
}

OverviewLevels::OverviewLevels(StoreUpdate& update, const zarr::Hierarchy& hierarchy,
                               LevelSource source)
    : update_(update),
      hierarchy_(hierarchy),
      source_(std::move(source)),
      listing_(zarr::ListingOfOverviews(hierarchy, source_.arrays[0]->facts.path)),
      samples_(SamplesOfLevels()) {}

// ---------------------------------------------------------------------------------------------
// Existing overviews

std::string OverviewLevels::Group() const {
    return std::string(zarr::ParentPath(source_.arrays[0]->facts.path));
}

std::string OverviewLevels::FromGroup(const std::string& path) const {
    if (listing_.group.empty()) return path;
    // Levels that another program describes may lie outside of the group.
    return zarr::IsAtOrBelow(path, listing_.group) && path != listing_.group
               ? path.substr(listing_.group.size() + 1)
               : "/" + path;
}

Result<json::Object> OverviewLevels::GroupAttributes() const {
    ZARR_ASSIGN_OR_RETURN(const json::Value attributes, hierarchy_.Attributes(listing_.group));
    return attributes.as_object() != nullptr ? *attributes.as_object() : json::Object{};
}

Status OverviewLevels::Check() const {
    for (const RasterLayout* array : source_.arrays) {
        const std::string& path = array->facts.path;
        if (path.empty())
            return Status::Unsupported(
                "the array is the whole store, so no overviews can be stored beside it");
        if (zarr::ParentPath(path) != Group())
            return Status::Unsupported("/" + path + " and /" + source_.arrays[0]->facts.path +
                                       " are in different groups");
        if (!array->x_axis || !array->y_axis)
            return Status::Unsupported("/" + path + ": has no X and Y dimensions to reduce");
    }
    return {};
}

bool OverviewLevels::IsListedOf(const RasterLayout& array, const std::string& path) const {
    const auto levels = zarr::OverviewsOf(zarr::AttributesOrEmpty(hierarchy_, listing_.group),
                                          FromGroup(array.facts.path));
    const std::string from_group = FromGroup(path);
    return std::any_of(levels.begin(), levels.end(),
                       [&](const auto& level) { return level.path == from_group; });
}

bool OverviewLevels::AreListed(const std::vector<std::string>& paths) const {
    if (paths.size() != source_.arrays.size()) return false;
    for (std::size_t i = 0; i < paths.size(); ++i)
        if (!IsListedOf(*source_.arrays[i], paths[i])) return false;
    return true;
}

std::vector<zarr::OverviewLevel> OverviewLevels::Listed() const {
    std::vector<zarr::OverviewLevel> all;
    const json::Value attributes = zarr::AttributesOrEmpty(hierarchy_, listing_.group);
    for (const RasterLayout* array : source_.arrays)
        for (zarr::OverviewLevel& level :
             zarr::OverviewsOf(attributes, FromGroup(array->facts.path))) {
            level.path = zarr::JoinKey(listing_.group, level.path);
            all.push_back(std::move(level));
        }
    return all;
}

std::string OverviewLevels::MethodOf(const std::string& path) const {
    for (zarr::OverviewLevel& level : Listed())
        if (level.path == path) return std::move(level.method);
    return {};
}

// ---------------------------------------------------------------------------------------------
// Making overviews

// Creates the group of an overview under a free name. An existing group of that name is deleted if
// it is left over from a process that died. Such a group is marked as a group for overviews by its
// attributes, and the metadata does not list it.
Result<std::string> OverviewLevels::MakeGroup(int factor) const {
    const auto name_of = HasLevelGroups() ? zarr::LevelGroupName : zarr::OverviewGroupName;
    for (int number = 1; number <= kMaxNames; ++number) {
        std::string path = zarr::JoinKey(listing_.group, name_of(factor, number));
        if (zarr::ListsOverviewsIn(hierarchy_, listing_, path)) continue;
        ZARR_ASSIGN_OR_RETURN(const NodeKind kind, hierarchy_.KindOf(path));
        const bool is_left = kind == NodeKind::kGroup &&
                             zarr::IsOverviewsGroup(zarr::AttributesOrEmpty(hierarchy_, path));
        if (kind != NodeKind::kNone && !is_left) continue;
        if (is_left) ZARR_RETURN_IF_ERROR(update_.metadata().DeleteNode(path));
        ZARR_RETURN_IF_ERROR(update_.metadata().CreateGroup(path));
        ZARR_RETURN_IF_ERROR(
            update_.metadata().SetAttributes(path, json::Value(zarr::OverviewsGroupAttributes())));
        return path;
    }
    return Status::Limit("no name is left for an overview in /" + listing_.group);
}

Status OverviewLevels::Make(int factor, LevelPaths& level) const {
    ZARR_ASSIGN_OR_RETURN(const std::string group, MakeGroup(factor));
    for (const RasterLayout* array : source_.arrays)
        level.paths.push_back(zarr::JoinKey(group, zarr::LastName(array->facts.path)));
    Status status = MakeArrays(level);
    if (status.ok()) status = MakeMasks(level).status();
    if (status.ok()) status = UpdateDescription(level);
    if (!status.ok()) {
        // If the removal fails, too, the caller gets only the first error.
        static_cast<void>(Remove(level));
        level.paths.clear();
    }
    return status;
}

Status OverviewLevels::MakeArrays(const LevelPaths& level) const {
    for (std::size_t i = 0; i < level.paths.size(); ++i) {
        const RasterLayout scaled = LayoutOfLevel(*source_.arrays[i], level.paths[i], level);
        // The overview uses the raster's chunk key separator, even if the raster's metadata does
        // not state the separator.
        ZARR_ASSIGN_OR_RETURN(const char separator,
                              source_.arrays[i]->array->chunks().DetermineSeparator());
        ZARR_ASSIGN_OR_RETURN(
            zarr::ArrayMetadata metadata,
            zarr::WithGrid(source_.arrays[i]->facts.metadata, scaled.facts.metadata.shape,
                           scaled.facts.metadata.chunks, separator));
        metadata.fill_meaning = FillMeaningOf(source_.arrays[i]->facts);
        json::Object attributes;
        AddDimensionNames(scaled.facts, attributes);
        ZARR_RETURN_IF_ERROR(update_.metadata().CreateArray(level.paths[i], metadata, attributes));
        update_.RecordIncomplete(level.paths[i]);
    }
    return {};
}

namespace {

// Returns the axes X and Y of a mask that has `rank` dimensions. In a mask of two dimensions, X and
// Y have the order that they have in the array.
std::pair<std::size_t, std::size_t> AxesOfMask(const RasterLayout& array, std::size_t rank) {
    if (rank == array.facts.metadata.rank()) return {*array.x_axis, *array.y_axis};
    const std::size_t x = *array.x_axis > *array.y_axis ? 1 : 0;
    return {x, 1 - x};
}

}  // namespace

Result<bool> OverviewLevels::MakeMasks(const LevelPaths& level) const {
    bool any = false;
    for (std::size_t i = 0; i < level.paths.size(); ++i) {
        const RasterLayout& array = *source_.arrays[i];
        const std::string from = MaskOf(array, array.facts.path);
        if (from.empty()) continue;
        ZARR_ASSIGN_OR_RETURN(const NodeKind source, hierarchy_.KindOf(from));
        const std::string to = MaskOf(array, level.paths[i]);
        ZARR_ASSIGN_OR_RETURN(const NodeKind kind, hierarchy_.KindOf(to));
        if (source != NodeKind::kArray || kind != NodeKind::kNone) continue;
        ZARR_ASSIGN_OR_RETURN(const auto mask, hierarchy_.OpenArray(from));
        ZARR_ASSIGN_OR_RETURN(const char separator, mask->chunks().DetermineSeparator());
        std::vector<std::uint64_t> shape = mask->metadata().shape;
        std::vector<std::uint64_t> chunks = mask->metadata().chunks;
        const auto [x, y] = AxesOfMask(array, shape.size());
        if (shape.size() <= std::max(x, y)) continue;
        shape[x] = level.width;
        shape[y] = level.height;
        for (const std::size_t axis : {x, y})
            chunks[axis] = std::clamp<std::uint64_t>(chunks[axis], 1, shape[axis]);
        ZARR_ASSIGN_OR_RETURN(const zarr::ArrayMetadata metadata,
                              zarr::WithGrid(mask->metadata(), shape, chunks, separator));
        ZARR_RETURN_IF_ERROR(update_.metadata().CreateArray(to, metadata));
        update_.RecordIncomplete(to);
        any = true;
    }
    return any;
}

// ---------------------------------------------------------------------------------------------
// Describing and removing overviews

// Returns the members `spatial:shape` and `spatial:transform` of a level's entry in the list of
// level groups. Returns an empty object if the levels are not listed as groups, or if the raster
// has no geotransform.
json::Object OverviewLevels::PlacementOfLevel(const RasterLayout& scaled,
                                              const LevelPaths& level) const {
    json::Object place;
    if (!HasLevelGroups() || !source_.placement.transform) return place;
    SetMember(place, kShape, ShapeOf(level));
    const zarr::GeoTransform transform =
        Scaled(*source_.placement.transform, *source_.arrays[0], level);
    json::Object stated;
    SetGeoreferencingAttributes(scaled, {nullptr, transform, {}}, GeoreferencingForm::kSpatialProj,
                                {}, stated);
    if (const json::Value* const value = json::FindMember(stated, kTransform))
        SetMember(place, kTransform, *value);
    return place;
}

// Describes `levels` in `attributes`, those of the group.
Status OverviewLevels::DescribeIn(json::Object& attributes,
                                  const std::vector<LevelPaths>& levels) const {
    for (std::size_t i = 0; i < source_.arrays.size(); ++i) {
        const RasterLayout& array = *source_.arrays[i];
        std::vector<zarr::OverviewLevel> described{{FromGroup(array.facts.path),
                                                    array.facts.metadata.shape, "",
                                                    PlacementOfLevel(array, WholeRaster(array))}};
        for (const LevelPaths& level : levels) {
            const RasterLayout scaled = LayoutOfLevel(array, level.paths[i], level);
            described.push_back({FromGroup(level.paths[i]), scaled.facts.metadata.shape,
                                 level.method, PlacementOfLevel(scaled, level)});
        }
        ZARR_RETURN_IF_ERROR(zarr::DescribeOverviewsIn(attributes, described));
    }
    return {};
}

Status OverviewLevels::CheckDescription(std::vector<LevelPaths> levels,
                                        const std::vector<int>& factors) const {
    ZARR_ASSIGN_OR_RETURN(json::Object attributes, GroupAttributes());
    const auto name_of = HasLevelGroups() ? zarr::LevelGroupName : zarr::OverviewGroupName;
    for (const int factor : factors) {
        // The last name that MakeGroup() tries, so that the level is a new entry.
        const std::string group = zarr::JoinKey(listing_.group, name_of(factor, kMaxNames));
        LevelPaths level = WholeRaster(*source_.arrays[0]);
        for (const RasterLayout* array : source_.arrays)
            level.paths.push_back(zarr::JoinKey(group, zarr::LastName(array->facts.path)));
        levels.push_back(std::move(level));
    }
    return DescribeIn(attributes, levels);
}

Status OverviewLevels::Describe(const std::vector<LevelPaths>& levels) const {
    ZARR_ASSIGN_OR_RETURN(json::Object attributes, GroupAttributes());
    const json::Value before(attributes);
    ZARR_RETURN_IF_ERROR(DescribeIn(attributes, levels));
    if (HasLevelGroups()) {
        // kAll states the CRS by its code alone, if the CRS has a code. kSpatialProj would add WKT.
        const RasterLayout& first = *source_.arrays[0];
        SetGeoreferencingAttributes(first, source_.placement, GeoreferencingForm::kAll, {},
                                    attributes);
        const bool is_placed = json::FindMember(attributes, kTransform) != nullptr;
        SetMember(attributes, kShape, is_placed ? ShapeOf(WholeRaster(first)) : json::Value());
    }
    return update_.metadata().ChangeAttributes(listing_.group, before, json::Value(attributes));
}

Status OverviewLevels::Remove(const LevelPaths& level) const {
    for (const std::string& path : level.paths) {
        if (!zarr::IsInOverviewGroup(hierarchy_, listing_, path)) continue;
        const std::string group(zarr::ParentPath(path));
        if (zarr::ListsOverviewsIn(hierarchy_, listing_, group) ||
            !zarr::HoldsOnlyOverviews(hierarchy_, listing_, group)) {
            const auto removed =
                zarr::DeleteWithCompanions(update_.metadata(), hierarchy_, path, {group});
            if (!removed.ok() && removed.status().code() != zarr::StatusCode::kNotFound)
                return removed.status();
        }
        ZARR_RETURN_IF_ERROR(
            zarr::RemoveOverviewGroup(update_.metadata(), hierarchy_, listing_, group));
    }
    return {};
}

Status OverviewLevels::RemoveLeftovers() const {
    const auto entries = hierarchy_.List(listing_.group);
    if (!entries.ok() && entries.status().code() == zarr::StatusCode::kUnsupported) return {};
    if (!entries.ok()) return entries.status();
    for (const zarr::StoreEntry& entry : *entries) {
        if (!entry.is_prefix) continue;
        const std::string path = zarr::JoinKey(listing_.group, entry.name);
        if (zarr::IsOverviewGroupName(entry.name) ||
            (HasLevelGroups() && zarr::IsLevelGroupName(entry.name)))
            ZARR_RETURN_IF_ERROR(RemoveLeftover(path, false));
        else if (zarr::IsOverviewContainerName(entry.name))
            ZARR_RETURN_IF_ERROR(RemoveLeftoversIn(path));
    }
    return {};
}

// Removes the groups of unlisted levels in a group "overviews" of an earlier release, and that
// group if it becomes empty.
Status OverviewLevels::RemoveLeftoversIn(const std::string& container) const {
    const auto attributes = hierarchy_.Attributes(container);
    // Without its mark, a group is left over if only chunks that no document describes are in it.
    if (!attributes.ok() || !zarr::IsOverviewsGroup(*attributes))
        return RemoveLeftover(container, false);
    ZARR_ASSIGN_OR_RETURN(const auto entries, hierarchy_.List(container));
    for (const zarr::StoreEntry& entry : entries)
        if (entry.is_prefix && zarr::IsLevelGroupName(entry.name))
            ZARR_RETURN_IF_ERROR(RemoveLeftover(zarr::JoinKey(container, entry.name), true));
    ZARR_ASSIGN_OR_RETURN(const auto members, hierarchy_.Members(container));
    return members.empty() ? update_.metadata().DeleteNode(container) : Status();
}

// Removes `group` unless the metadata lists it. If it is not contained in a group for overviews, it
// must have the mark of such a group, or hold only chunks that no document describes.
Status OverviewLevels::RemoveLeftover(const std::string& group, bool is_contained) const {
    if (zarr::ListsOverviewsIn(hierarchy_, listing_, group)) return {};
    ZARR_ASSIGN_OR_RETURN(const NodeKind kind, hierarchy_.KindOf(group));
    if (kind == NodeKind::kArray) return {};
    const auto attributes = hierarchy_.Attributes(group);
    bool is_left = is_contained || (attributes.ok() && zarr::IsOverviewsGroup(*attributes));
    if (!is_left) {
        ZARR_ASSIGN_OR_RETURN(is_left, zarr::HasOnlyStrayChunks(*update_.store(), group));
    }
    if (!is_left) return {};
    const Status deleted = update_.metadata().DeleteNode(group);
    return deleted.code() == zarr::StatusCode::kNotFound ? Status() : deleted;
}

// ---------------------------------------------------------------------------------------------
// Metadata that overviews take from the raster

void OverviewLevels::AddDimensionNames(const zarr::ArrayFacts& facts, json::Object& attributes) {
    json::Array names;
    for (const zarr::Dimension& dimension : facts.dimensions)
        if (dimension.is_named) names.emplace_back(dimension.name);
    if (names.size() == facts.metadata.rank())
        SetMember(attributes, "_ARRAY_DIMENSIONS", json::Value(std::move(names)));
}

// Gives the overview's mask the attributes of the raster's mask. Adds the name of the overview's
// mask to `attributes`. Does nothing if the overview has no mask.
Status OverviewLevels::DescribeMask(const RasterLayout& array, const std::string& level_path,
                                    json::Object& attributes) const {
    const std::string from = MaskOf(array, array.facts.path);
    if (from.empty()) return {};
    const std::string to = MaskOf(array, level_path);
    ZARR_ASSIGN_OR_RETURN(const NodeKind kind, hierarchy_.KindOf(to));
    if (kind != NodeKind::kArray) return {};
    SetMember(attributes, zarr::kMaskAttribute, json::Value(std::string(zarr::LastName(to))));
    ZARR_ASSIGN_OR_RETURN(const json::Value mask, hierarchy_.Attributes(from));
    return update_.metadata().SetAttributes(to, json::Value(KeptAttributes(mask)));
}

namespace {

// Removes the grid mapping array to which the stored attributes of `level` refer. Needed if the CRS
// of the raster was removed.
Status RemoveGridMapping(const CoordinateArrays& coordinates, const zarr::Hierarchy& hierarchy,
                         RasterLayout level) {
    ZARR_ASSIGN_OR_RETURN(level.facts.attributes, hierarchy.Attributes(level.facts.path));
    return RemoveReplacedGridMapping(coordinates, level, "");
}

}  // namespace

zarr::BaseSamples OverviewLevels::SamplesOfLevels() const {
    for (const zarr::OverviewLevel& level : Listed()) {
        const std::string state = StateIn(hierarchy_, level.path);
        if (state.empty() || state == zarr::kIncompleteState) continue;
        return zarr::HasSamples(state) ? zarr::BaseSamples::kSome : zarr::BaseSamples::kNone;
    }
    return source_.samples;
}

std::string OverviewLevels::StateFor(const RasterLayout& array, const std::string& path,
                                     Fill fill) const {
    return fill == Fill::kIncomplete ? std::string(zarr::kIncompleteState)
                                     : zarr::Fingerprint(array.array).Text(samples_, path);
}

json::Object OverviewLevels::WithStates(const json::Value& stored, const LevelPaths& level,
                                        Fill fill) const {
    json::Object stated = stored.as_object() != nullptr ? *stored.as_object() : json::Object{};
    for (std::size_t i = 0; i < level.paths.size(); ++i)
        zarr::StateBase(stated, zarr::LastName(level.paths[i]),
                        StateFor(*source_.arrays[i], level.paths[i], fill));
    return stated;
}

Status OverviewLevels::RecordFill(const std::vector<std::string>& paths, Fill fill) const {
    for (const std::string& path : paths) {
        const std::string group(zarr::ParentPath(path));
        const std::string_view name = zarr::LastName(path);
        ZARR_ASSIGN_OR_RETURN(const json::Value stored, hierarchy_.Attributes(group));
        json::Object attributes =
            stored.as_object() != nullptr ? *stored.as_object() : json::Object{};
        std::string state;
        if (fill == Fill::kIncomplete) state = zarr::kIncompleteState;
        for (const RasterLayout* const array : source_.arrays)
            if (fill == Fill::kComplete && IsListedOf(*array, path))
                state = StateFor(*array, path, fill);
        zarr::StateBase(attributes, name, std::move(state));
        Status status =
            update_.metadata().ChangeAttributes(group, stored, json::Value(std::move(attributes)));
        // A level of another program may be in a group without a document, which has no attributes.
        if (!status.ok() && status.code() != zarr::StatusCode::kNotFound) return status;
    }
    return {};
}

bool OverviewLevels::IsIncomplete(const std::vector<std::string>& paths) const {
    return std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
        return StateIn(hierarchy_, path) == zarr::kIncompleteState;
    });
}

Status OverviewLevels::UpdateDescription(const LevelPaths& level, Fill fill) const {
    const CoordinateArrays coordinates(
        update_, std::set<std::string>(level.paths.begin(), level.paths.end()));
    const RasterLayout& first = *source_.arrays[0];
    RasterPosition placement = source_.placement;
    if (placement.transform) placement.transform = Scaled(*placement.transform, first, level);
    const GeoreferencingForm convention = ConventionOf(first.facts.attributes, source_.convention);
    const RasterLayout scaled = LayoutOfLevel(first, level.paths[0], level);
    zarr::Warnings ignored;  // they are about users of coordinates, and the group has only levels
    ZARR_ASSIGN_OR_RETURN(
        const GeoreferencingArrays written_arrays,
        WriteGeoreferencingArrays(coordinates, scaled, placement, convention, ignored));
    if (placement.srs == nullptr)
        ZARR_RETURN_IF_ERROR(RemoveGridMapping(coordinates, hierarchy_, scaled));
    ZARR_RETURN_IF_ERROR(UpdateCoordinates(coordinates, first, scaled));
    for (std::size_t i = 0; i < level.paths.size(); ++i) {
        const RasterLayout array = LayoutOfLevel(*source_.arrays[i], level.paths[i], level);
        json::Object attributes = KeptAttributes(array.facts.attributes);
        AddDimensionNames(array.facts, attributes);
        SetGeoreferencingAttributes(array, placement, convention, written_arrays, attributes);
        ZARR_RETURN_IF_ERROR(DescribeMask(*source_.arrays[i], level.paths[i], attributes));
        ZARR_RETURN_IF_ERROR(
            update_.metadata().SetAttributes(level.paths[i], json::Value(std::move(attributes))));
        ZARR_RETURN_IF_ERROR(FollowFillValue(source_.arrays[i]->facts, level.paths[i]));
    }
    // The states come last, because they contain the times of the level's documents.
    const std::string group(zarr::ParentPath(level.paths[0]));
    ZARR_ASSIGN_OR_RETURN(const json::Value of_group, hierarchy_.Attributes(group));
    return update_.metadata().SetAttributes(group, json::Value(WithStates(of_group, level, fill)));
}

// Gives a level the fill value of the raster. If the raster's fill value means data, the level's
// fill value means data, too.
Status OverviewLevels::FollowFillValue(const zarr::ArrayFacts& base,
                                       const std::string& path) const {
    ZARR_ASSIGN_OR_RETURN(const zarr::ArrayMetadata metadata, hierarchy_.Metadata(path));
    if (FillMeaningOf(base) != zarr::FillMeaning::kData) {
        const std::string fill = base.metadata.fill_value.Bytes();
        return base.metadata.has_fill_value && zarr::FillValueMustFollow(metadata, fill)
                   ? update_.SetFillValue(hierarchy_, path, fill, source_.threads)
                   : Status();
    }
    ZARR_ASSIGN_OR_RETURN(const json::Value attributes, hierarchy_.Attributes(path));
    return zarr::FillMeansMissing(metadata, attributes)
               ? update_.SetFillValue(hierarchy_, path, std::nullopt, source_.threads)
               : Status();
}

// Copies the coordinate arrays of dimensions other than X and Y. Interpolates the coordinates of X
// and Y if no geotransform states them.
Status OverviewLevels::UpdateCoordinates(const CoordinateArrays& coordinates,
                                         const RasterLayout& array,
                                         const RasterLayout& level) const {
    const std::string group(zarr::ParentPath(level.facts.path));
    for (std::size_t i = 0; i < array.facts.dimensions.size(); ++i) {
        const zarr::Dimension& from = array.facts.dimensions[i];
        if (!from.is_named) continue;
        // The coordinate array may have been written after the raster's array was opened, so its
        // path is looked up again.
        const std::string path =
            zarr::FindCoordinateArray(hierarchy_, Group(), from.name, from.size);
        const std::string to = zarr::JoinKey(group, from.name);
        if (path.empty() || path == array.facts.path || to == level.facts.path) continue;
        if (array.x_axis != i && array.y_axis != i)
            ZARR_RETURN_IF_ERROR(CopyCoordinates(path, to));
        else if (!source_.placement.transform)
            ZARR_RETURN_IF_ERROR(
                WriteInterpolated(coordinates, from, level.facts.dimensions[i].size, to));
    }
    return {};
}

Status OverviewLevels::CopyCoordinates(const std::string& from, const std::string& to) const {
    ZARR_ASSIGN_OR_RETURN(const NodeKind kind, hierarchy_.KindOf(to));
    if (kind != NodeKind::kNone) {
        // Coordinates that have not changed are not deleted, because a kill would leave a level
        // without them.
        const zarr::Store& store = *update_.store();
        ZARR_ASSIGN_OR_RETURN(const bool is_done, zarr::AreTreesEqual({store, from}, {store, to}));
        if (is_done) return {};
        ZARR_RETURN_IF_ERROR(update_.metadata().DeleteNode(to));
    }
    return update_.metadata().CopyNode(*update_.store(), from, to);
}

Status OverviewLevels::WriteInterpolated(const CoordinateArrays& coordinates,
                                         const zarr::Dimension& from, std::uint64_t size,
                                         const std::string& path) const {
    if (from.coordinate_path.empty()) return {};
    const auto read = zarr::ReadCoordinates(hierarchy_, from.coordinate_path,
                                            from.coordinate_attributes, source_.threads);
    // Coordinates that are text are not interpolated. Invalid numbers are reported when the raster
    // is read.
    if (!read.ok()) return {};
    json::Object attributes;
    if (const json::Object* members = from.coordinate_attributes.as_object()) attributes = *members;
    // The interpolated coordinates need no scale and offset, and get no bounds. Attributes about
    // scale, offset and bounds are therefore removed.
    for (const char* name : {"scale_factor", "add_offset", "bounds"})
        SetMember(attributes, name, json::Value());
    for (const std::string_view name : zarr::kNodataAttributes)
        SetMember(attributes, name, json::Value());
    const std::vector<double> between = Between(read->values, size);
    const NumberSeries numbers{
        between.size(), [&](std::uint64_t i) { return between[static_cast<std::size_t>(i)]; }};
    return coordinates.WriteNumbers(path, numbers, attributes).status();
}

}  // namespace zarr_driver
