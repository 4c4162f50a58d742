// SPDX-License-Identifier: MIT
#include "core/conventions/catalog/catalog.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/crs/geolocation.h"
#include "core/conventions/crs/group_placement.h"
#include "core/conventions/facts/array_facts.h"
#include "core/conventions/facts/dimensions.h"
#include "core/conventions/facts/eopf.h"
#include "core/conventions/group/multiscales.h"
#include "core/conventions/group/named_members.h"
#include "core/conventions/group/overviews.h"
#include "core/conventions/ome/ome_placement.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// Describes an array of a group. Adds to `references` the names of arrays that the array's
// attributes refer to, such as coordinates.
CatalogArray DescribeMember(const Hierarchy& hierarchy, const std::string& path,
                            const json::Value& group_attributes,
                            std::set<std::string>& references) {
    CatalogArray array = DescribeAlone(hierarchy, path);
    if (!array.status.ok()) return array;
    const json::Value attributes =
        WithEopf(AttributesOrEmpty(hierarchy, path), array.metadata).value;
    references.merge(ReferencedNames(attributes));
    array.is_mask = attributes.Find(kMaskFlagsAttribute) != nullptr;
    if (const std::string* name = StringAttribute(attributes, "long_name")) array.long_name = *name;
    if (const std::string* units = StringAttribute(attributes, "units")) array.units = *units;
    array.geolocation = GeolocationRole(attributes, LastName(path));
    array.may_be_located_by_names = MayBeLocatedByNames(attributes, group_attributes);
    auto dimensions = NameDimensions(hierarchy, path, array.metadata, attributes).value;
    array.has_named_dimensions =
        std::any_of(dimensions.begin(), dimensions.end(),
                    [](const NamedDimension& dimension) { return dimension.is_named; });
    if (array.is_raster)
        array.location_statements = LocationStatements(attributes, dimensions, hierarchy, path);
    for (NamedDimension& dimension : dimensions)
        array.dimensions.push_back(std::move(dimension.name));
    return array;
}

// True if FindGeolocation() takes `x` and `y` as longitudes and latitudes of the pixels of `array`,
// although no attribute names them. They are 2-D, with equal dimensions.
bool IsLocatedBy(const Hierarchy& hierarchy, const CatalogArray& array, const CatalogArray& x) {
    if (!array.is_raster || array.is_auxiliary || array.is_mask || !array.may_be_located_by_names ||
        array.geolocation != AxisRole::kNone ||
        array.has_named_dimensions != x.has_named_dimensions)
        return false;
    const std::size_t rank = array.metadata.rank();
    const auto has_axis = [&](std::size_t i) {
        const std::string& name = x.dimensions[i];
        const auto found = std::find(array.dimensions.begin(), array.dimensions.end(), name);
        const std::size_t at = x.has_named_dimensions
                                   ? static_cast<std::size_t>(found - array.dimensions.begin())
                                   : rank - 2 + i;
        if (at >= rank || array.metadata.shape[at] != x.metadata.shape[i]) return false;
        return !x.has_named_dimensions ||
               FindCoordinateArray(hierarchy, std::string(ParentPath(array.path)), name,
                                   x.metadata.shape[i])
                   .empty();
    };
    return has_axis(0) && has_axis(1);
}

// Marks longitudes and latitudes of each pixel that no attribute names as auxiliary, if an array of
// the group is located by them.
void MarkGeolocation(const Hierarchy& hierarchy, CatalogGroup& group) {
    const auto is_2d = [](const CatalogArray& array, AxisRole role) {
        return array.geolocation == role && array.is_raster && array.metadata.rank() == 2 &&
               !array.is_auxiliary;
    };
    for (CatalogArray& x : group.arrays) {
        if (!is_2d(x, AxisRole::kX)) continue;
        for (CatalogArray& y : group.arrays) {
            if (!is_2d(y, AxisRole::kY) || y.dimensions != x.dimensions ||
                y.metadata.shape != x.metadata.shape)
                continue;
            if (std::any_of(group.arrays.begin(), group.arrays.end(),
                            [&](const CatalogArray& a) { return IsLocatedBy(hierarchy, a, x); }))
                x.is_auxiliary = y.is_auxiliary = true;
        }
    }
}

// Maximum number of groups and arrays that a listing visits. A larger number indicates a loop of
// links or an attack.
constexpr std::size_t kMaxListed = 1'000'000;

std::vector<std::string> KeysOf(const Hierarchy& hierarchy,
                                const std::vector<NamedMember>& members) {
    std::vector<std::string> keys;
    keys.reserve(members.size());
    for (const NamedMember& member : members)
        keys.push_back(hierarchy.KeyOf(member.path, Document::kAttributes));
    return keys;
}

// An OME-NGFF image, as its group's attributes describe it.
struct ImageLevels {
    std::string base;              // path of the largest level
    std::set<std::string> levels;  // paths of the group's members that are levels or hold levels
    std::string title;
};

// Returns the image that a group's attributes describe. Returns nullopt unless the attributes
// describe exactly one image. The first level is taken as the largest (OME-NGFF), unless another
// level has a smaller scale.
std::optional<ImageLevels> ReadImage(const Hierarchy& hierarchy, const std::string& group) {
    const auto read = MultiscalesOf(hierarchy, group);
    std::vector<Multiscale> multiscales = read->all;
    multiscales.erase(std::remove_if(multiscales.begin(), multiscales.end(),
                                     [](const Multiscale& item) { return item.is_overviews; }),
                      multiscales.end());
    if (multiscales.size() != 1 || multiscales[0].kind != Multiscale::Kind::kDatasets)
        return std::nullopt;
    const std::vector<MultiscaleLevel>& levels = multiscales[0].levels;
    ImageLevels image;
    double best = 0;
    for (const MultiscaleLevel& level : levels) {
        if (level.path.empty()) return std::nullopt;
        const double scale = LastOmeScale(*level.dataset);
        const std::string path = JoinKey(group, level.path);
        if (image.base.empty() || (scale > 0 && scale < best)) {
            image.base = path;
            best = scale;
        }
        // A level in a deeper group is stored as the direct subgroup of `group` that contains the
        // level.
        image.levels.insert(path.substr(0, path.find('/', group.size() + 1)));
    }
    if (const std::string* name = StringAttribute(*levels[0].multiscale, "name"))
        image.title = *name;
    return image;
}

}  // namespace

std::vector<const CatalogArray*> CatalogGroup::Rasters() const {
    std::vector<const CatalogArray*> rasters;
    for (const CatalogArray& array : arrays)
        if (array.status.ok() && array.is_raster && !array.is_auxiliary) rasters.push_back(&array);
    return rasters;
}

bool CatalogGroup::IsOneGrid() const {
    const std::vector<const CatalogArray*> rasters = Rasters();
    if (rasters.size() < 2) return false;
    return std::all_of(rasters.begin(), rasters.end(), [&](const CatalogArray* array) {
        return array->metadata.rank() == 2 && array->metadata.shape == rasters[0]->metadata.shape &&
               array->dimensions == rasters[0]->dimensions;
    });
}

CatalogArray DescribeAlone(const Hierarchy& hierarchy, const std::string& path) {
    CatalogArray array;
    array.path = path;
    auto metadata = hierarchy.Metadata(path);
    if (metadata.ok())
        array.status =
            Array::CheckCodecs(*metadata).WithContext(hierarchy.NameOf(path, Document::kArray));
    else
        array.status = metadata.status();
    if (!array.status.ok()) return array;
    array.metadata = metadata.Take();
    array.is_raster = IsRaster(array.metadata);
    return array;
}

CatalogGroup DescribeMembers(const Hierarchy& hierarchy, const std::string& path,
                             const std::vector<Node>& members) {
    CatalogGroup group;
    group.path = path;
    group.arrays.reserve(members.size());
    std::set<std::string> references;
    const json::Value group_attributes = AttributesOrEmpty(hierarchy, path);
    for (const Node& node : members)
        if (node.kind == NodeKind::kArray)
            group.arrays.push_back(
                DescribeMember(hierarchy, node.path, group_attributes, references));
    for (CatalogArray& array : group.arrays)
        array.is_auxiliary = references.count(std::string(LastName(array.path))) != 0;
    MarkGeolocation(hierarchy, group);
    // A killed writer may leave a mask that no array names yet. It is no raster beside rasters.
    const std::vector<const CatalogArray*> rasters = group.Rasters();
    const bool has_others = std::any_of(rasters.begin(), rasters.end(),
                                        [](const CatalogArray* array) { return !array->is_mask; });
    for (CatalogArray& array : group.arrays) {
        array.is_unused_mask = has_others && array.is_mask && !array.is_auxiliary;
        array.is_auxiliary = array.is_auxiliary || array.is_unused_mask;
    }
    return group;
}

Result<CatalogGroup> ListGroup(const Hierarchy& hierarchy, const std::string& path) {
    ZARR_ASSIGN_OR_RETURN(const std::vector<Node> members, MembersOf(hierarchy, path));
    return DescribeMembers(hierarchy, path, members);
}

Fact<Result<std::vector<CatalogGroup>>> CatalogWalk::Take() {
    faults_.Report(warnings_);
    return {std::move(groups_), std::move(warnings_)};
}

Status CatalogWalk::Count(std::size_t nodes) {
    counted_ += nodes;
    if (counted_ <= kMaxListed) return {};
    return Status::Limit("the store has more than " + std::to_string(kMaxListed) +
                         " groups and arrays");
}

Result<std::vector<Node>> CatalogWalk::Members(const std::string& path) {
    if (!can_list()) return cannot_list_;
    auto members = hierarchy_.Members(path);
    if (!members.ok() && members.status().code() == StatusCode::kUnsupported)
        cannot_list_ = members.status();
    return members;
}

Status CatalogWalk::Visit(const std::string& path, bool is_root) {
    if (!is_root && overviews_ == OverviewGroups::kSkipped && IsForOverviews(hierarchy_, path))
        return {};
    if (!visited_.insert(path).second) return {};
    const NamedMembers named = ReadNamedMembers(hierarchy_, path, faults_);
    if (named.is_container) return VisitContainer(path, named, is_root);
    ZARR_RETURN_IF_ERROR(VisitPlain(path, is_root));
    // A store that cannot list is an error only if no arrays were found. Arrays may still be found
    // in groups that attributes name.
    const bool has_arrays =
        std::any_of(groups_.begin(), groups_.end(),
                    [](const CatalogGroup& group) { return !group.arrays.empty(); });
    return is_root && !has_arrays ? cannot_list_ : Status();
}

Status CatalogWalk::VisitPlain(const std::string& path, bool is_root) {
    auto members = Members(path);
    if (!can_list()) {
        auto named = NamedNodes(hierarchy_, path);
        if (!named.empty()) members = std::move(named);
    }
    if (!members.ok()) {
        if (is_root) return members.status();
        warnings_.push_back(members.status().message());
        return {};
    }
    ZARR_RETURN_IF_ERROR(Count(members->size()));
    groups_.push_back(DescribeMembers(hierarchy_, path, *members));
    for (const Node& node : *members)
        if (node.kind == NodeKind::kGroup) ZARR_RETURN_IF_ERROR(Visit(node.path, false));
    return {};
}

// ---------------------------------------------------------------------------------------------
// OME-NGFF's containers

Status CatalogWalk::VisitContainer(const std::string& path, const NamedMembers& named,
                                   bool is_root) {
    const auto members = Members(path);
    const bool is_listed = members.ok();
    if (!is_listed && can_list()) {
        if (is_root) return members.status();
        warnings_.push_back(members.status().message());
    }
    if (is_listed) ZARR_RETURN_IF_ERROR(Count(members->size()));
    CatalogGroup group =
        DescribeMembers(hierarchy_, path, is_listed ? *members : std::vector<Node>());
    group.kind = CatalogGroup::Kind::kContainer;
    groups_.push_back(std::move(group));
    if (expanded_.count(path) == 0) {
        const std::vector<NamedMember> images = Expand(named.members);
        PrefetchBases(images);
        for (const NamedMember& image : images) ZARR_RETURN_IF_ERROR(VisitImage(image));
    }
    if (!is_listed) return {};
    const std::string no_image = OmeGroupOf(LenientAttributes(hierarchy_, path, warnings_), path);
    for (const Node& node : *members)
        if (node.kind == NodeKind::kGroup && node.path != no_image)
            ZARR_RETURN_IF_ERROR(Visit(node.path, false));
    return {};
}

std::vector<NamedMember> CatalogWalk::Expand(const std::vector<NamedMember>& members) {
    std::vector<NamedMember> images;
    hierarchy_.store()->Prefetch(KeysOf(hierarchy_, members), {});
    for (const NamedMember& member : members) {
        if (member.as != NamedMember::As::kWell) {
            images.push_back(member);
            continue;
        }
        if (!IsThere(member.path)) continue;
        NamedMembers well = ReadNamedMembers(hierarchy_, member.path, faults_);
        if (!well.is_container) {
            faults_.Add("/" + member.path + ": is not a well of images");
            continue;
        }
        expanded_.insert(member.path);
        for (NamedMember& image : well.members)
            // A well that contains a well is not expanded further, because OME-NGFF does not allow
            // nested wells. The listing of the group still finds the nested well.
            if (image.as != NamedMember::As::kWell) images.push_back(std::move(image));
    }
    return images;
}

// True if the group exists. Looks for the group's attributes first, because they have been
// prefetched.
bool CatalogWalk::IsThere(const std::string& path) {
    const auto has_attributes = hierarchy_.Has(path, Document::kAttributes);
    if (has_attributes.ok() && *has_attributes) return true;
    const auto has_group = hierarchy_.Has(path, Document::kGroup);
    if (has_group.ok() && *has_group) return true;
    faults_.Add("/" + path + ": there is no such group");
    return false;
}

void CatalogWalk::PrefetchBases(const std::vector<NamedMember>& images) {
    hierarchy_.store()->Prefetch(KeysOf(hierarchy_, images), {});
    std::vector<std::string> keys;
    for (const NamedMember& member : images) {
        const auto image = ReadImage(hierarchy_, member.path);
        if (!image) continue;
        keys.push_back(hierarchy_.KeyOf(image->base, Document::kArray));
        if (!can_list())
            keys.push_back(
                hierarchy_.KeyOf(JoinKey(member.path, kLabelsGroup), Document::kAttributes));
    }
    hierarchy_.store()->Prefetch(keys, {});
}

Status CatalogWalk::VisitImage(const NamedMember& image) {
    using Kind = CatalogGroup::Kind;
    if (visited_.count(image.path) != 0 || !IsThere(image.path)) return {};
    ZARR_RETURN_IF_ERROR(Count(1));
    const auto read = ReadImage(hierarchy_, image.path);
    CatalogArray base;
    if (read) base = DescribeAlone(hierarchy_, read->base);
    if (!read || !base.status.ok() || !base.is_raster) {
        if (!read && !can_list()) faults_.Add("/" + image.path + ": is not an image");
        return !read && !can_list() ? Status() : Visit(image.path, false);
    }
    visited_.insert(image.path);
    CatalogGroup group;
    group.path = image.path;
    group.kind = image.as == NamedMember::As::kLabel ? Kind::kLabel : Kind::kImage;
    group.title = read->title;
    group.arrays.push_back(std::move(base));
    groups_.push_back(std::move(group));
    return VisitLabels(image.path, read->levels);
}

Status CatalogWalk::VisitLabels(const std::string& path, const std::set<std::string>& levels) {
    if (!can_list()) {
        const std::string labels = JoinKey(path, kLabelsGroup);
        const auto found = hierarchy_.Has(labels, Document::kAttributes);
        return found.ok() && *found ? Visit(labels, false) : Status();
    }
    // List() is used, because Members() would read the metadata of each level.
    const auto entries = hierarchy_.List(path);
    std::vector<Node> members;
    for (std::size_t i = 0; entries.ok() && i < entries->size(); ++i) {
        Node node{(*entries)[i].name, JoinKey(path, (*entries)[i].name), NodeKind::kNone};
        if (!(*entries)[i].is_prefix || levels.count(node.path) != 0) continue;
        const auto kind = hierarchy_.KindOf(node.path);
        node.kind = kind.ok() ? *kind : NodeKind::kNone;
        members.push_back(std::move(node));
    }
    for (CatalogArray& array : DescribeMembers(hierarchy_, path, members).arrays)
        groups_.back().arrays.push_back(std::move(array));
    for (const Node& node : members)
        if (node.kind == NodeKind::kGroup) ZARR_RETURN_IF_ERROR(Visit(node.path, false));
    return {};
}

Fact<Result<std::vector<CatalogGroup>>> ListRasters(const Hierarchy& hierarchy,
                                                    const std::string& path,
                                                    OverviewGroups overviews) {
    CatalogWalk walk(hierarchy, overviews);
    const Status status = walk.Visit(path, true);
    return status.ok() ? walk.Take() : Fact<Result<std::vector<CatalogGroup>>>{status};
}

}  // namespace zarr
