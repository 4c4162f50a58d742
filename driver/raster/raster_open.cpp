// SPDX-License-Identifier: MIT
#include "driver/raster/raster_open.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/conventions/catalog/catalog.h"
#include "core/conventions/facts/array_facts.h"
#include "core/conventions/facts/eopf.h"
#include "core/conventions/group/overviews.h"
#include "core/conventions/pyramid/pyramid.h"
#include "core/store/keys.h"
#include "driver/base/gdal_errors.h"
#include "driver/raster/band.h"
#include "driver/raster/band_colours.h"
#include "driver/raster/ome_channels.h"
#include "driver/raster/subdatasets.h"
#include "driver/store/store_address.h"

namespace zarr_driver {

using zarr::CatalogArray;
using zarr::CatalogGroup;
using zarr::Pyramid;
using zarr::PyramidLevel;
using zarr::Result;
using zarr::Status;

namespace {

using DatasetPtr = std::unique_ptr<ZarrDataset>;
using Indices = std::vector<std::uint64_t>;
using Pyramids = std::vector<Pyramid>;

// Arguments that all functions for opening a raster need.
struct Request {
    const std::string& name;
    const OpenNode& open_node;
    const OpenOptions& options;
};

OpenNode At(const OpenNode& open_node, const std::string& path) {
    OpenNode array = open_node;
    array.node = path;
    array.kind = zarr::NodeKind::kArray;
    return array;
}

// True if `name` names a node in a store, as the names of subdatasets do.
bool IsNameOfNode(const std::string& name) {
    const auto parsed = ParseConnectionString(name);
    return parsed.ok() && parsed->has_prefix && parsed->has_node;
}

bool SameSize(const PyramidLevel& a, const PyramidLevel& b) {
    return a.width == b.width && a.height == b.height;
}

// Adds the arrays at `paths`, a level of `pyramid`, as an overview. If `of` is given, the overview
// belongs only to array number `of` of the dataset, else to all arrays.
void AddLevel(const Pyramid& pyramid, const std::vector<std::string>& paths,
              std::optional<std::size_t> of, ZarrDataset& dataset) {
    auto level = dataset.OpenLevel(paths, of.value_or(0));
    for (const PyramidLevel& listed : pyramid.levels)
        if (level.ok() && listed.path == paths[0]) SetResampling(**level, listed.method);
    if (level.ok())
        dataset.overviews().Add(level.Take(), of ? &dataset.arrays()[*of]->layout() : nullptr);
    else
        EmitWarning(dataset.store_path(), pyramid.origin + ": /" + paths[0] +
                                              " is left out: " + level.status().message());
}

// Adds overviews for the levels that exist in all pyramids. `pyramids` has the order of the
// dataset's arrays.
void AddLevels(const std::vector<Pyramid>& pyramids, ZarrDataset& dataset) {
    for (const std::vector<std::string>& paths : zarr::CommonLevels(pyramids))
        AddLevel(pyramids[0], paths, std::nullopt, dataset);
}

// True if all pyramids have levels of equal sizes.
bool HaveSameLevels(const std::vector<Pyramid>& pyramids) {
    return std::all_of(pyramids.begin(), pyramids.end(), [&](const Pyramid& pyramid) {
        return std::equal(pyramid.levels.begin(), pyramid.levels.end(), pyramids[0].levels.begin(),
                          pyramids[0].levels.end(), SameSize);
    });
}

// Gives each array of the dataset the levels of its own pyramid as overviews.
void AddLevelsOfArrays(const std::vector<Pyramid>& pyramids, ZarrDataset& dataset) {
    for (std::size_t k = 0; k < pyramids.size(); ++k)
        for (std::size_t i = 1; i < pyramids[k].levels.size(); ++i)
            AddLevel(pyramids[k], {pyramids[k].levels[i].path}, k, dataset);
}

// Calls `add`, which adds the overviews of a dataset. The call is deferred until overviews are
// first needed if the overviews of all arrays are in separate groups.
void AddLevelsBy(const std::function<void()>& add, ZarrDataset& dataset) {
    const OpenNode& open_node = dataset.open_node();
    const std::vector<const RasterLayout*> layouts = dataset.Layouts();
    const auto are_apart = [&](const RasterLayout* layout) {
        return zarr::HasOverviewsApart(*open_node.hierarchy, layout->facts.path);
    };
    if (!std::all_of(layouts.begin(), layouts.end(), are_apart)) return add();
    dataset.overviews().LoadLater([&open_node, add] {
        add();
        WarnOfFailure(*open_node.hierarchy, open_node.address);
    });
}

// Returns a list with the pyramid whose largest level is the array at `path`. Returns an empty list
// if there is no such pyramid.
std::vector<Pyramid> PyramidOver(ZarrDataset& dataset, const std::string& path) {
    auto [pyramid, warnings] = zarr::FindPyramidOf(*dataset.open_node().hierarchy, path);
    dataset.overviews().Warn(warnings);
    std::vector<Pyramid> pyramids;
    if (pyramid && pyramid->levels[0].path == path) pyramids.push_back(std::move(*pyramid));
    return pyramids;
}

// Returns the pyramid of overviews that were built for the array at `path`, or an empty list.
// Called if the opened group describes a pyramid with this array as its only level. Warnings about
// that pyramid were emitted before.
Pyramids OverviewsOver(const Request& request, const std::string& path) {
    auto [pyramid, warnings] = zarr::FindPyramidOf(*request.open_node.hierarchy, path);
    if (!pyramid || !pyramid->is_overviews || pyramid->levels[0].path != path) return {};
    EmitWarnings(request.open_node.address, warnings);
    return {std::move(*pyramid)};
}

// Opens an array with the levels of `pyramids` as overviews. If `pyramids` is nullopt, the
// overviews are the levels of the array's own pyramid.
Result<DatasetPtr> OpenArray(const Request& request, const std::string& path,
                             const std::optional<Pyramids>& pyramids, const Indices& indices) {
    const OpenNode open_node = At(request.open_node, path);
    ZARR_ASSIGN_OR_RETURN(RasterLayout layout,
                          MakeRasterLayout(*open_node.hierarchy, path, request.options, indices));
    auto dataset = std::make_unique<ZarrDataset>(request.name, open_node, request.options);
    if (!request.options.multiband && layout.slices > 1) {
        ListSlices(layout, open_node, *dataset);
        return dataset;
    }
    dataset->AddArray(std::move(layout), false);
    if (pyramids)
        AddLevels(*pyramids, *dataset);
    else
        AddLevelsBy([&raster = *dataset, path] { AddLevels(PyramidOver(raster, path), raster); },
                    *dataset);
    return dataset;
}

// Sorts arrays by band number, which an attribute of each array states. Returns false if no array
// has a number.
bool SortByNumber(std::vector<RasterLayout>& layouts) {
    const auto number = [](const RasterLayout& layout) {
        return zarr::NumberAttribute(layout.facts.attributes, kBandNumber).value.value_or(0);
    };
    std::stable_sort(
        layouts.begin(), layouts.end(),
        [&](const RasterLayout& a, const RasterLayout& b) { return number(a) < number(b); });
    return std::any_of(layouts.begin(), layouts.end(),
                       [&](const RasterLayout& layout) { return number(layout) != 0; });
}

// Returns, for each array of a dataset, a pyramid whose largest level is that array. A pyramid in
// `pyramids`, which the opened group describes, is preferred to a pyramid that another node
// describes.
std::vector<Pyramid> PyramidsFrom(ZarrDataset& dataset, const std::vector<Pyramid>& pyramids) {
    const std::vector<const RasterLayout*> layouts = dataset.Layouts();
    std::vector<Pyramid> ordered(layouts.size());
    std::vector<std::string> others;
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        const std::string& path = layouts[i]->facts.path;
        for (const Pyramid& pyramid : pyramids)
            if (pyramid.levels[0].path == path && ordered[i].levels.size() < 2)
                ordered[i] = pyramid;
        if (ordered[i].levels.empty()) others.push_back(path);
    }
    auto [found, warnings] = zarr::FindPyramidsFrom(*dataset.open_node().hierarchy, others);
    dataset.overviews().Warn(warnings);
    auto next = found.begin();
    for (Pyramid& pyramid : ordered)
        if (pyramid.levels.empty()) pyramid = std::move(*next++);
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        ordered[i].levels[0].width = static_cast<std::uint64_t>(layouts[i]->Width());
        ordered[i].levels[0].height = static_cast<std::uint64_t>(layouts[i]->Height());
    }
    return ordered;
}

// Puts red, green and blue first if the group has one array of each, because QGIS shows the first
// three bands in colours. GDAL's driver SENTINEL2 uses this order, too.
void PutColoursFirst(bool is_of_eopf, std::vector<RasterLayout>& layouts) {
    const auto rank = [is_of_eopf](const RasterLayout& layout) {
        const std::string name(zarr::LastName(layout.facts.path));
        const GDALColorInterp colour =
            is_of_eopf ? ColourOfSentinel2(name) : ColourByName(name.c_str());
        return std::find(std::begin(kRedGreenBlue), std::end(kRedGreenBlue), colour) -
               std::begin(kRedGreenBlue);
    };
    for (std::ptrdiff_t colour = 0; colour < 3; ++colour)
        if (std::count_if(layouts.begin(), layouts.end(),
                          [&](const RasterLayout& layout) { return rank(layout) == colour; }) != 1)
            return;
    std::stable_sort(
        layouts.begin(), layouts.end(),
        [&](const RasterLayout& a, const RasterLayout& b) { return rank(a) < rank(b); });
}

// Warns about rasters of a group that do not become bands, because their CRS or geotransform
// differs from that of the bands.
void WarnOfOtherLocations(const std::vector<const CatalogArray*>& rasters,
                          const std::vector<const CatalogArray*>& bands,
                          const std::string& store_path) {
    std::vector<std::string> others;
    for (const CatalogArray* array : rasters)
        if (std::find(bands.begin(), bands.end(), array) == bands.end())
            others.push_back("/" + array->path);
    if (others.empty()) return;
    EmitWarning(store_path, "arrays whose CRS or geotransform differs from that of /" +
                                bands[0]->path + " are not among the bands: " +
                                FirstFew(others, ", ") + " (open each by its name)");
}

// Adds a band for each array in `bands`, with the smaller levels of its pyramid as overviews. Adds
// nothing if the axes of the arrays differ.
Status AddGroupBands(const Request& request, const std::vector<const CatalogArray*>& bands,
                     const std::vector<Pyramid>& pyramids, ZarrDataset& dataset) {
    std::vector<RasterLayout> layouts;
    OpenOptions options = request.options;
    // Arrays that become bands have only the dimensions X and Y, so there is no slice to select.
    options.select.clear();
    for (const CatalogArray* array : bands) {
        ZARR_ASSIGN_OR_RETURN(RasterLayout layout, MakeRasterLayout(*request.open_node.hierarchy,
                                                                    array->path, options, {}));
        if (!layouts.empty() &&
            (layouts[0].Width() != layout.Width() || layouts[0].Height() != layout.Height()))
            return {};
        layouts.push_back(std::move(layout));
    }
    dataset.colours().SetOfEopf(zarr::IsEopfProduct(*request.open_node.hierarchy));
    if (!SortByNumber(layouts)) PutColoursFirst(dataset.colours().is_of_eopf(), layouts);
    for (RasterLayout& layout : layouts) dataset.AddArray(std::move(layout), true);
    const auto add = [&dataset, pyramids] {
        const std::vector<Pyramid> ordered = PyramidsFrom(dataset, pyramids);
        if (HaveSameLevels(ordered))
            AddLevels(ordered, dataset);
        else
            AddLevelsOfArrays(ordered, dataset);
    };
    AddLevelsBy(add, dataset);
    return {};
}

// Groups and arrays at and below the opened group, and the pyramids that these arrays form. The
// smaller levels of pyramids are not among the arrays.
struct Contents {
    std::vector<CatalogGroup> groups;  // the opened group is the first
    // The pyramid of an image, or one pyramid for each variable. They come from the first
    // description of pyramids in the attributes of the opened group. If their largest levels differ
    // in size, only the pyramids with the largest of these levels are kept.
    std::vector<Pyramid> pyramids;
    // Pyramids that the opened group describes and that consist of an array and its overviews.
    std::vector<Pyramid> overviews;

    std::vector<const CatalogArray*> Rasters() const {
        std::vector<const CatalogArray*> rasters;
        for (const CatalogGroup& group : groups)
            for (const CatalogArray* array : group.Rasters()) rasters.push_back(array);
        return rasters;
    }
    // If the opened group is a container of OME images, returns its only image. Labels are not
    // counted. Returns nullptr if the container has several images.
    const CatalogGroup* OnlyImage() const {
        const CatalogGroup* only = nullptr;
        if (groups[0].kind != CatalogGroup::Kind::kContainer) return nullptr;
        for (const CatalogGroup& group : groups) {
            if (group.kind == CatalogGroup::Kind::kLabel || group.Rasters().empty()) continue;
            if (only != nullptr || group.kind != CatalogGroup::Kind::kImage) return nullptr;
            only = &group;
        }
        return only;
    }
    // Returns the array if the contents have a single array of any kind. Returns nullptr if there
    // are several arrays.
    const CatalogArray* OnlyArray() const {
        const CatalogArray* only = nullptr;
        for (const CatalogGroup& group : groups)
            for (const CatalogArray& array : group.arrays) {
                if (only != nullptr) return nullptr;
                only = &array;
            }
        return only;
    }
    const CatalogArray* FirstBad() const {
        for (const CatalogGroup& group : groups)
            for (const CatalogArray& array : group.arrays)
                if (!array.status.ok()) return &array;
        return nullptr;
    }
    // Returns a group that contains the largest levels of all pyramids.
    CatalogGroup Bases() const {
        CatalogGroup bases;
        for (const Pyramid& pyramid : pyramids)
            for (const CatalogGroup& group : groups)
                for (const CatalogArray& array : group.arrays)
                    if (array.path == pyramid.levels[0].path) bases.arrays.push_back(array);
        return bases;
    }
};

void RemoveArrays(CatalogGroup& group, const std::set<std::string>& paths) {
    auto& arrays = group.arrays;
    arrays.erase(
        std::remove_if(arrays.begin(), arrays.end(),
                       [&](const CatalogArray& array) { return paths.count(array.path) != 0; }),
        arrays.end());
}

// Returns the pyramids with the largest first level. Considers only pyramids that come from the
// same description as the first pyramid.
std::vector<Pyramid> Largest(const std::vector<Pyramid>& pyramids) {
    const auto pixels = [](const Pyramid& pyramid) {
        return static_cast<double>(pyramid.levels[0].width) *
               static_cast<double>(pyramid.levels[0].height);
    };
    double most = 0;
    for (const Pyramid& pyramid : pyramids)
        if (pyramid.origin == pyramids[0].origin) most = std::max(most, pixels(pyramid));
    std::vector<Pyramid> largest;
    for (const Pyramid& pyramid : pyramids)
        if (pyramid.origin == pyramids[0].origin && pixels(pyramid) == most)
            largest.push_back(pyramid);
    return largest;
}

Result<Contents> List(const OpenNode& open_node, const OpenOptions& options,
                      zarr::Warnings& warnings) {
    Contents contents;
    ZARR_ASSIGN_OR_RETURN(contents.groups, zarr::ListRasters(*open_node.hierarchy, open_node.node,
                                                             zarr::OverviewGroups::kSkipped)
                                               .Report(warnings));
    NameImages(*open_node.hierarchy, open_node.node, contents.groups, warnings);
    std::set<std::string> smaller;
    // Paths of the smaller levels of pyramids, by the group whose metadata describes the pyramid.
    std::map<std::string, std::set<std::string>> own;
    zarr::PyramidFaults faults;
    for (const CatalogGroup& group : contents.groups) {
        // Groups of other kinds than kPlain belong to OME images, and contain only the largest
        // level of an image.
        if (group.kind != CatalogGroup::Kind::kPlain) continue;
        std::vector<Pyramid> pyramids = zarr::FindPyramids(*open_node.hierarchy, group.path, faults,
                                                           zarr::OverviewGroups::kSkipped);
        for (const Pyramid& pyramid : pyramids)
            for (std::size_t i = 1; i < pyramid.levels.size(); ++i)
                own[group.path].insert(pyramid.levels[i].path);
        for (const Pyramid& pyramid : pyramids)
            own[group.path].insert(pyramid.left_out.begin(), pyramid.left_out.end());
        smaller.insert(own[group.path].begin(), own[group.path].end());
        if (group.path != open_node.node || pyramids.empty()) continue;
        const auto others =
            std::stable_partition(pyramids.begin(), pyramids.end(),
                                  [](const Pyramid& pyramid) { return pyramid.is_overviews; });
        contents.overviews.assign(pyramids.begin(), others);
        pyramids.erase(pyramids.begin(), others);
        if (!pyramids.empty()) contents.pyramids = Largest(pyramids);
    }
    faults.Report(warnings);
    for (CatalogGroup& group : contents.groups) {
        // Arrays that become bands if the group itself is opened. They include levels of pyramids
        // that only an ancestor group describes.
        CatalogGroup opened = group;
        RemoveArrays(opened, own[group.path]);
        RemoveArrays(group, smaller);
        if (opened.arrays.size() > group.arrays.size() && group.Rasters().size() > 1)
            group.band_count = BandsOf(opened, open_node, options).size();
    }
    return contents;
}

// Returns nodes that exist in the listed groups but are missing in the consolidated metadata.
std::vector<zarr::Node> Unconsolidated(const OpenNode& open_node, const Contents& contents) {
    std::vector<zarr::Node> all;
    for (const CatalogGroup& group : contents.groups)
        for (zarr::Node& node : open_node.hierarchy->Unconsolidated(group.path))
            all.push_back(std::move(node));
    return all;
}

// Opens the array at `path`, which is in `contents`.
Result<DatasetPtr> OpenMember(const Request& request, const Contents& contents,
                              const std::string& path) {
    for (const Pyramid& pyramid : contents.overviews)
        if (pyramid.levels[0].path == path) return OpenArray(request, path, Pyramids{pyramid}, {});
    for (const Pyramid& pyramid : contents.pyramids)
        if (pyramid.levels[0].path == path)
            return OpenArray(
                request, path,
                pyramid.levels.size() > 1 ? Pyramids{pyramid} : OverviewsOver(request, path), {});
    return OpenArray(request, path, std::nullopt, {});
}

// Opens the bands and overviews of a group, without a list of subdatasets.
Result<DatasetPtr> OpenBands(const Request& request, const Contents& contents) {
    if (contents.pyramids.size() == 1)
        return OpenMember(request, contents, contents.pyramids[0].levels[0].path);
    if (const CatalogGroup* image = contents.OnlyImage())
        return OpenMember(request, contents, image->arrays[0].path);
    const OpenNode& open_node = request.open_node;
    auto dataset = std::make_unique<ZarrDataset>(request.name, open_node, request.options);
    if (!request.options.multiband || contents.groups.empty()) return dataset;
    const CatalogGroup bases = contents.Bases();
    const bool are_bases = bases.IsOneGrid();
    const CatalogGroup& group = are_bases ? bases : contents.groups[0];
    const std::vector<const CatalogArray*> bands = BandsOf(group, open_node, request.options);
    if (bands.empty()) return dataset;
    Pyramids pyramids = contents.overviews;
    if (are_bases)
        pyramids.insert(pyramids.end(), contents.pyramids.begin(), contents.pyramids.end());
    ZARR_RETURN_IF_ERROR(AddGroupBands(request, bands, pyramids, *dataset));
    WarnOfOtherLocations(group.Rasters(), bands, open_node.address);
    return dataset;
}

Result<DatasetPtr> OpenGroup(const Request& request) {
    const OpenNode& open_node = request.open_node;
    zarr::Warnings warnings;
    const Status group_status = open_node.hierarchy->CheckGroup(open_node.node);
    if (!group_status.ok()) warnings.push_back(group_status.message());
    ZARR_ASSIGN_OR_RETURN(const Contents contents, List(open_node, request.options, warnings));
    EmitWarnings(open_node.address, warnings);
    const std::vector<const CatalogArray*> rasters = contents.Rasters();
    const bool list_all = request.options.list_all_arrays;
    if (rasters.empty() && !list_all)
        if (const CatalogArray* bad = contents.FirstBad()) return bad->status;
    WarnOfBadArrays(contents.groups, open_node.address);
    WarnOfUnusedMasks(contents.groups, open_node.address);
    WarnOfUnconsolidated(Unconsolidated(open_node, contents), open_node.address);
    if (rasters.size() == 1 && !list_all) return OpenMember(request, contents, rasters[0]->path);
    // If the only array has one dimension, it is opened as a raster with a single row.
    const CatalogArray* const only = contents.OnlyArray();
    if (rasters.empty() && !list_all && only != nullptr && zarr::HasNumbers(only->metadata.dtype))
        return OpenArray(request, only->path, Pyramids(), {});
    ZARR_ASSIGN_OR_RETURN(DatasetPtr dataset, OpenBands(request, contents));
    // A subdataset with bands does not list subdatasets itself: a program that opens every listed
    // subdataset would take it for another store.
    const bool is_listed_itself = IsNameOfNode(request.name) && dataset->GetRasterCount() > 0;
    if (!is_listed_itself || list_all)
        ListSubdatasets(contents.groups, open_node, request.options, *dataset);
    if (dataset->GetRasterCount() == 0 && !dataset->HasSubdatasets())
        return Status::NotFound(
            "holds no array of two or more dimensions with numbers (open option "
            "LIST_ALL_ARRAYS=YES lists the others)");
    return dataset;
}

}  // namespace

Result<DatasetPtr> OpenRaster(const std::string& name, const OpenNode& open_node,
                              const Indices& indices, const OpenOptions& options) {
    const Request request{name, open_node, options};
    if (open_node.kind == zarr::NodeKind::kArray)
        return OpenArray(request, open_node.node, std::nullopt, indices);
    if (!indices.empty())
        return Status::Invalid("/" + open_node.node + " is a group, which has no slices");
    return OpenGroup(request);
}

}  // namespace zarr_driver
