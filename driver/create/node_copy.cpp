// SPDX-License-Identifier: MIT
#include "driver/create/node_copy.h"

#include <algorithm>
#include <utility>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/catalog/catalog.h"
#include "core/conventions/cf/coordinates.h"
#include "core/conventions/crs/grid_mapping.h"
#include "core/conventions/facts/array_facts.h"
#include "core/hierarchy/hierarchy_writer.h"
#include "core/hierarchy/tree.h"
#include "core/store/keys.h"
#include "driver/base/gdal_errors.h"
#include "driver/georef/georeferencing.h"
#include "driver/georef/georeferencing_write.h"
#include "driver/georef/raster_layout.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::ArrayFacts;
using zarr::Hierarchy;
using zarr::NodeKind;
using zarr::Result;
using zarr::Status;

namespace {

constexpr const char* kDimensions = "_ARRAY_DIMENSIONS";

// Returns the paths of all arrays to which an array's attributes and dimensions refer.
std::set<std::string> References(const Hierarchy& hierarchy, const ArrayFacts& facts) {
    std::set<std::string> paths;
    for (const zarr::Dimension& dimension : facts.dimensions)
        paths.insert(dimension.coordinate_path);
    const std::string group(zarr::ParentPath(facts.path));
    for (const std::string& name : zarr::ReferencedNames(facts.attributes))
        paths.insert(zarr::FindVariable(hierarchy, group, name));
    paths.insert(zarr::FindGridMapping(hierarchy, facts).value);
    paths.erase("");
    paths.erase(facts.path);
    return paths;
}

// True if two arrays are equal in attributes and values. Returns false if an array has more than
// one dimension.
bool AreAlike(const Hierarchy& hierarchy, const std::string& path, const Hierarchy& others,
              const std::string& other) {
    const auto metadata = hierarchy.Metadata(path);
    const auto other_metadata = others.Metadata(other);
    const auto attributes = hierarchy.Attributes(path);
    const auto other_attributes = others.Attributes(other);
    if (!metadata.ok() || !other_metadata.ok() || !attributes.ok() || !other_attributes.ok() ||
        metadata->shape != other_metadata->shape || metadata->rank() > 1 ||
        !json::Equals(*attributes, *other_attributes))
        return false;
    if (metadata->rank() == 0) return true;
    const std::uint64_t size = metadata->shape[0];
    const auto values = zarr::ReadCoordinates(hierarchy, path, *attributes, 0, size, 1);
    const auto other_values = zarr::ReadCoordinates(others, other, *attributes, 0, size, 1);
    return values.ok() && other_values.ok() && values->values == other_values->values;
}

// Returns `text` with new names: each word that is a key of `names` is replaced by the value of
// that key. Words end at a space or a colon.
std::string WithNames(const std::string& text, const std::map<std::string, std::string>& names) {
    std::string changed;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_of(" :", at), text.size());
        const std::string word = text.substr(at, end - at);
        const auto found = names.find(word);
        changed += found != names.end() ? found->second : word;
        if (end < text.size()) changed += text[end];
        at = end + 1;
    }
    return changed;
}

// True if the copy's geotransform, in `found`, equals the original array's geotransform, in
// `wanted`, up to a rounding error.
bool HasSameTransform(const ArrayFacts& facts, const Georeferencing& wanted,
                      const Georeferencing& found) {
    constexpr double kRounding = 1e-6;  // in pixels
    if (!found.transform) return false;
    const auto width = static_cast<double>(facts.dimensions[*facts.axes.x].size);
    const auto height = static_cast<double>(facts.dimensions[*facts.axes.y].size);
    return zarr::CornerDistance(*found.transform, width, height, *wanted.transform, width, height) <
           kRounding;
}

}  // namespace

Result<std::shared_ptr<const Hierarchy>> NodeCopy::Target() const {
    return CurrentHierarchy(update_.store());
}

Status NodeCopy::Run(const std::string& source, const std::string& target) {
    source_ = source;
    target_ = target;
    ZARR_ASSIGN_OR_RETURN(const NodeKind kind, from_.KindOf(source));
    if (kind == NodeKind::kNone) return Status::NotFound("/" + source + ": does not exist");
    is_array_ = kind == NodeKind::kArray;
    Status copied = Plan();
    if (copied.ok()) copied = CopyAll();
    if (copied.ok()) copied = PreserveGeoreferencing();
    if (copied.ok()) return copied;
    for (auto path = made_.rbegin(); path != made_.rend(); ++path)
        static_cast<void>(update_.metadata().DeleteNode(*path));
    return copied;
}

// Returns the path of the copied array. If a group is copied, returns the paths of all arrays in
// the group.
Result<std::vector<std::string>> NodeCopy::CopiedArrays() const {
    std::vector<std::string> arrays;
    if (is_array_) {
        arrays.push_back(source_);
        return arrays;
    }
    ZARR_ASSIGN_OR_RETURN(const auto groups, zarr::ListRasters(from_, source_).value);
    for (const zarr::CatalogGroup& group : groups)
        for (const zarr::CatalogArray& array : group.arrays) arrays.push_back(array.path);
    return arrays;
}

// Finds the arrays that the node refers to and that lie outside of the node. Chooses names for the
// copies of these arrays.
Status NodeCopy::Plan() {
    ZARR_ASSIGN_OR_RETURN(std::vector<std::string> arrays, CopiedArrays());
    std::set<std::string> seen(arrays.begin(), arrays.end());
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const auto facts = zarr::DescribeArray(from_, arrays[i]);
        if (!facts.ok()) continue;  // an unreadable array is copied unchanged
        for (const std::string& path : References(from_, *facts)) {
            if (zarr::IsAtOrBelow(path, source_) || !seen.insert(path).second) continue;
            arrays.push_back(path);
            const std::string* const mask =
                zarr::StringAttribute(facts->attributes, zarr::kMaskAttribute);
            const bool is_mask = mask != nullptr && *mask == zarr::LastName(path);
            ZARR_RETURN_IF_ERROR(is_array_ ? PlanCompanion(path, is_mask) : PlanForGroup(path));
        }
    }
    return is_array_ ? PlanDimensions() : from_.TakeFailure();
}

// Plans to copy the array at `path`, which is outside of the copied group, into the copy of the
// group. Does nothing if readers of the copy find the original array by its name, in a group above
// the copy.
Status NodeCopy::PlanForGroup(const std::string& path) {
    ZARR_ASSIGN_OR_RETURN(const auto to, Target());
    const std::string name(zarr::LastName(path));
    const std::string above(zarr::ParentPath(target_));
    if (is_same_store_ && zarr::FindVariable(*to, above, name) == path) return {};
    ZARR_ASSIGN_OR_RETURN(const NodeKind existing, from_.KindOf(zarr::JoinKey(source_, name)));
    if (existing == NodeKind::kNone) copies_.emplace_back(path, zarr::JoinKey(target_, name));
    return {};
}

Status NodeCopy::PlanCompanion(const std::string& path, bool is_mask) {
    ZARR_ASSIGN_OR_RETURN(const auto to, Target());
    const std::string name(zarr::LastName(path));
    const std::string found = zarr::FindVariable(*to, TargetGroup(), name);
    std::string own = name;
    if (is_mask) {
        // A mask belongs to a single array and changes together with that array, so the mask is
        // always copied.
        own = std::string(zarr::LastName(target_)) + "_mask";
        ZARR_ASSIGN_OR_RETURN(own, FreeName(*to, own));
    } else {
        const bool is_found = is_same_store_ && found == path;
        if (is_found || (!found.empty() && AreAlike(from_, path, *to, found))) return {};
        const auto metadata = from_.Metadata(path);
        if (!found.empty() && metadata.ok() && metadata->rank() == 0) {
            mapping_ = name;
            return {};
        }
        if (!found.empty() || IsDimension(*to, name)) {
            ZARR_ASSIGN_OR_RETURN(own, FreeName(*to, OwnName(name)));
        }
    }
    if (own != name) names_[name] = own;
    copies_.emplace_back(path, zarr::JoinKey(TargetGroup(), own));
    return {};
}

// Plans new names for dimensions without coordinates. A dimension gets a new name if a coordinate
// array, or a dimension of another size, has its name in the target group.
Status NodeCopy::PlanDimensions() {
    if (is_same_store_ && TargetGroup() == zarr::ParentPath(source_)) return {};
    ZARR_ASSIGN_OR_RETURN(const auto to, Target());
    ZARR_ASSIGN_OR_RETURN(const ArrayFacts facts, zarr::DescribeArray(from_, source_));
    for (const zarr::Dimension& dimension : facts.dimensions) {
        if (!dimension.is_named || !dimension.coordinate_path.empty()) continue;
        const bool finds =
            !zarr::FindCoordinateArray(*to, TargetGroup(), dimension.name, dimension.size).empty();
        if (!finds && !IsDimension(*to, dimension.name, dimension.size)) continue;
        ZARR_ASSIGN_OR_RETURN(names_[dimension.name], FreeName(*to, OwnName(dimension.name)));
    }
    return {};
}

std::string NodeCopy::TargetGroup() const { return std::string(zarr::ParentPath(target_)); }

std::string NodeCopy::OwnName(const std::string& name) const {
    return name + "_" + std::string(zarr::LastName(target_));
}

// True if an array in the target group, or in a group below, has a dimension called `name`. Ignores
// dimensions of size `size`, if `size` is given.
bool NodeCopy::IsDimension(const Hierarchy& to, const std::string& name,
                           std::optional<std::uint64_t> size) const {
    const auto groups = zarr::ListRasters(to, TargetGroup()).value;
    if (!groups.ok()) return false;
    for (const zarr::CatalogGroup& group : *groups)
        for (const zarr::CatalogArray& array : group.arrays)
            for (std::size_t i = 0; i < array.dimensions.size(); ++i)
                if (array.dimensions[i] == name && array.metadata.shape[i] != size) return true;
    return false;
}

Result<std::string> NodeCopy::FreeName(const Hierarchy& to, const std::string& name) const {
    constexpr int kMost = 1000;
    for (int i = 0; i < kMost; ++i) {
        std::string free = i == 0 ? name : name + "_" + std::to_string(i);
        ZARR_ASSIGN_OR_RETURN(const NodeKind kind, to.KindOf(zarr::JoinKey(TargetGroup(), free)));
        if (kind == NodeKind::kNone && !IsDimension(to, free)) return free;
    }
    return Status::Invalid("/" + zarr::JoinKey(TargetGroup(), name) + ": already exists");
}

Status NodeCopy::CopyAll() {
    const auto copy = [&](const std::string& path, const std::string& target) -> Status {
        ZARR_RETURN_IF_ERROR(update_.metadata().CopyNode(*from_.store(), path, target));
        made_.push_back(target);
        return {};
    };
    const bool is_into_group = !is_array_ && !target_.empty();
    if (is_into_group) ZARR_RETURN_IF_ERROR(copy(source_, target_));
    for (const auto& [path, target] : copies_) ZARR_RETURN_IF_ERROR(copy(path, target));
    if (!is_array_ && target_.empty())
        return zarr::CopyTree({*from_.store(), source_}, {*update_.store(), ""});
    if (!is_array_) return {};
    ZARR_RETURN_IF_ERROR(copy(source_, target_));
    for (const std::string& path : made_) ZARR_RETURN_IF_ERROR(WriteNames(path, names_));
    return mapping_.empty() ? Status() : WriteGridMapping();
}

// Replaces the old names of dimensions and arrays in the attributes of the array at `path`.
Status NodeCopy::WriteNames(const std::string& path,
                            const std::map<std::string, std::string>& names) const {
    if (names.empty()) return {};
    ZARR_ASSIGN_OR_RETURN(const auto to, Target());
    ZARR_ASSIGN_OR_RETURN(const json::Value before, to->Attributes(path));
    ZARR_ASSIGN_OR_RETURN(const ArrayFacts facts, zarr::DescribeArray(*to, path));
    json::Object after = *before.as_object();
    json::Array dimensions;
    bool is_named = !facts.dimensions.empty();
    for (const zarr::Dimension& dimension : facts.dimensions) {
        is_named = is_named && dimension.is_named;
        dimensions.emplace_back(WithNames(dimension.name, names));
    }
    if (is_named) SetMember(after, kDimensions, json::Value(std::move(dimensions)));
    for (json::Member& member : after) {
        const bool refers = member.first == "coordinates" || member.first == "grid_mapping" ||
                            member.first == "bounds" || member.first == "climatology" ||
                            member.first == zarr::kMaskAttribute;
        const std::string* const text = member.second.as_string();
        if (refers && text != nullptr) member.second = json::Value(WithNames(*text, names));
    }
    return update_.metadata().ChangeAttributes(path, before, json::Value(std::move(after)));
}

// Writes the grid mapping of the copy under a new name. Called if the target has a variable of the
// original name with another CRS or geotransform.
Status NodeCopy::WriteGridMapping() const {
    ZARR_ASSIGN_OR_RETURN(const ArrayFacts facts, zarr::DescribeArray(from_, source_));
    const Georeferencing placed = ReadGeoreferencing(from_, facts, update_.store()->Describe(), {});
    if (!placed.srs) return {};
    ZARR_ASSIGN_OR_RETURN(const auto to, Target());
    RasterLayout layout;
    ZARR_ASSIGN_OR_RETURN(layout.facts, zarr::DescribeArray(*to, target_));
    layout.x_axis = layout.facts.axes.x;
    layout.y_axis = layout.facts.axes.y;
    RasterPosition position;
    position.srs = &*placed.srs;
    position.transform = placed.transform;
    const CoordinateArrays arrays(update_, {target_});
    ZARR_ASSIGN_OR_RETURN(const std::string name, WriteGridMappingArray(arrays, layout, position));
    return WriteNames(target_, {{mapping_, name}});
}

// Stores CRS and geotransform in the copied rasters, which may have them from a group above the
// source. Groups above the target may state another CRS or geotransform, or none.
Status NodeCopy::PreserveGeoreferencing() const {
    if (is_array_) return PreservePosition(source_, target_);
    ZARR_ASSIGN_OR_RETURN(const auto groups, zarr::ListRasters(from_, source_).value);
    const std::size_t skipped = source_.empty() ? 0 : source_.size() + 1;
    for (const zarr::CatalogGroup& group : groups)
        for (const zarr::CatalogArray* const array : group.Rasters())
            ZARR_RETURN_IF_ERROR(
                PreservePosition(array->path, zarr::JoinKey(target_, array->path.substr(skipped))));
    return {};
}

Status NodeCopy::PreservePosition(const std::string& path, const std::string& copy) const {
    const auto facts = zarr::DescribeArray(from_, path);
    if (!facts.ok() || !zarr::IsRaster(facts->metadata)) return {};
    const std::string store = update_.store()->Describe();
    const Georeferencing wanted = ReadGeoreferencing(from_, *facts, store, {});
    ZARR_ASSIGN_OR_RETURN(const auto to, Target());
    RasterLayout layout;
    ZARR_ASSIGN_OR_RETURN(layout.facts, zarr::DescribeArray(*to, copy));
    layout.x_axis = layout.facts.axes.x;
    layout.y_axis = layout.facts.axes.y;
    const Georeferencing found = ReadGeoreferencing(*to, layout.facts, store, {});
    zarr::Warnings taken;
    if (!wanted.srs && found.srs) taken.push_back("takes the CRS of " + found.srs_origin);
    if (!wanted.transform && found.transform)
        taken.push_back("takes the geotransform of " + found.transform_origin);
    for (std::string& warning : taken) warning += ", as an array cannot state that it has none";
    EmitWarnings(store + ": /" + copy, taken);
    const bool has_srs = !wanted.srs || (found.srs && IsSameCrs(*wanted.srs, *found.srs));
    const bool has_transform = !wanted.transform || HasSameTransform(*facts, wanted, found);
    if (has_srs && has_transform) return {};
    RasterPosition position;
    position.srs = wanted.srs ? &*wanted.srs : nullptr;
    position.transform = wanted.transform;
    ZARR_ASSIGN_OR_RETURN(const json::Value before, to->Attributes(copy));
    const CoordinateArrays arrays(update_, {copy});
    GeoreferencingArrays written_arrays;
    json::Object after = before.as_object() != nullptr ? *before.as_object() : json::Object();
    if (has_transform) {
        ZARR_ASSIGN_OR_RETURN(written_arrays.grid_mapping,
                              WriteGridMappingArray(arrays, layout, position));
        SetGridMapping(after, written_arrays.grid_mapping);
    } else {
        zarr::Warnings ignored;  // they only say that attributes replace coordinate arrays
        constexpr GeoreferencingForm kConvention = GeoreferencingForm::kEveryReader;
        ZARR_ASSIGN_OR_RETURN(written_arrays, WriteGeoreferencingArrays(arrays, layout, position,
                                                                        kConvention, ignored));
        SetGeoreferencingAttributes(layout, position, kConvention, written_arrays, after);
    }
    return update_.metadata().ChangeAttributes(copy, before, json::Value(std::move(after)));
}

}  // namespace zarr_driver
