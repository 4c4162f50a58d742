// SPDX-License-Identifier: MIT
#include "core/conventions/opening_prefetch.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/attributes/fingerprint.h"
#include "core/conventions/attributes/nczarr.h"
#include "core/conventions/cf/coordinates.h"
#include "core/conventions/cf/nodata.h"
#include "core/conventions/crs/geolocation.h"
#include "core/conventions/crs/geotransform.h"
#include "core/conventions/crs/grid_mapping.h"
#include "core/conventions/crs/group_placement.h"
#include "core/conventions/facts/array_facts.h"
#include "core/conventions/facts/dimensions.h"
#include "core/conventions/facts/prefetch.h"
#include "core/conventions/group/multiscales.h"
#include "core/conventions/group/named_members.h"
#include "core/conventions/ome/ome_axes.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// Maximum number of prefetch steps. Pyramids need two steps; listed groups need up to three steps
// for each level of groups.
constexpr int kMaxSteps = 12;
// Maximum number of levels, labels and members to prefetch. Further ones are read one by one.
constexpr std::size_t kMost = 64;

// Repeats the reads that open a node, from the cache only, and collects the keys that are not
// cached. Sends no requests itself.
class Opening {
  public:
    Opening(const Hierarchy& hierarchy, const std::string& node)
        : hierarchy_(hierarchy), store_(*hierarchy.store()), node_(node) {}

    void Run() {
        for (int step = 0; step < kMaxSteps; ++step) {
            keys_.clear();
            prefixes_.clear();
            Collect();
            if (keys_.empty() && prefixes_.empty()) return;
            store_.Prefetch(keys_, prefixes_);
        }
    }

  private:
    enum class Level : std::uint8_t {
        kFirst,
        // A level of a pyramid, except the first. Its grid mapping is skipped if a geotransform is
        // stated.
        kNext,
        // Array outside a pyramid. Its coordinate values are not prefetched, because they are read
        // later.
        kAlone,
    };

    // Adds a key unless the key is cached or was requested before.
    void AddKey(std::string key) {
        if (!store_.IsCached(key) && IsNew(key)) keys_.push_back(std::move(key));
    }
    void AddPrefix(const std::string& prefix) {
        if (!store_.IsListingCached(prefix) && IsNew(prefix + "/")) prefixes_.push_back(prefix);
    }
    bool IsNew(const std::string& name) {
        return asked_.size() < kMaxPrefetchedKeys && asked_.insert(name).second;
    }
    void Add(const std::string& path, std::initializer_list<Document> documents) {
        if (!IsValidKey(path) && !path.empty()) return;
        for (const Document document : documents) AddKey(hierarchy_.KeyOf(path, document));
    }
    void AddNode(const std::string& path) {
        Add(path, {Document::kArray, Document::kGroup, Document::kAttributes});
    }
    void AddGroupsAbove(const std::string& path, const std::string& top) {
        for (std::string_view at = path; at.size() > top.size();) {
            at = ParentPath(at);
            if (at.size() > top.size())
                Add(std::string(at), {Document::kGroup, Document::kAttributes});
        }
    }

    bool IsCached(const std::string& path, Document document) const {
        return store_.IsCached(hierarchy_.KeyOf(path, document));
    }
    // Returns whether a node has a document; nullopt if the cache does not know.
    std::optional<bool> Has(const std::string& path, Document document) const {
        if (!IsCached(path, document)) return std::nullopt;
        const auto found = hierarchy_.Has(path, document);
        return found.ok() ? std::optional(*found) : std::nullopt;
    }
    bool IsThere(const std::string& path, Document document) const {
        return Has(path, document).value_or(false);
    }
    bool IsAbsent(const std::string& path, Document document) const {
        return !Has(path, document).value_or(true);
    }
    // Returns the attributes of a node; nullopt if the attributes are not cached.
    std::optional<json::Value> AttributesOf(const std::string& path) const {
        if (!IsCached(path, Document::kAttributes)) return std::nullopt;
        return AttributesOrEmpty(hierarchy_, path);
    }

    void Collect() {
        AddNode(node_);
        for (std::string_view at = node_; !at.empty();) {
            at = ParentPath(at);
            Add(std::string(at), {Document::kAttributes});
        }
        const auto attributes = AttributesOf(node_);
        const auto own = attributes ? MultiscalesOf(hierarchy_, node_) : nullptr;
        if (own != nullptr && !own->all.empty())
            AddPyramids(*attributes, own->all);
        else if (IsThere(node_, Document::kGroup))
            AddMembers(node_);
        else if (!node_.empty())
            AddSiblings();
    }

    // ---------------------------------------------------------------------------------------------
    // Pyramids

    void AddPyramids(const json::Value& attributes, const std::vector<Multiscale>& multiscales) {
        const bool is_image = std::any_of(multiscales.begin(), multiscales.end(),
                                          [](const Multiscale& item) { return item.IsImage(); });
        AddPrefix(node_);
        AddLevels(attributes, node_, multiscales, {});
        if (is_image) AddLabels(multiscales);
        AddMembers(node_);
    }

    // Collects the keys of all levels of the pyramid that lists the array. The group that describes
    // the pyramid is an ancestor of the array.
    void AddSiblings() {
        for (std::string_view at = node_; !at.empty();) {
            at = ParentPath(at);
            const auto attributes = AttributesOf(std::string(at));
            if (!attributes) continue;
            std::vector<Multiscale> listing = MultiscalesOf(hierarchy_, std::string(at))->all;
            const auto lists = [&](const MultiscaleLevel& level) {
                const std::string path = JoinKey(at, level.path);
                return path == node_ || path == ParentPath(node_);
            };
            listing.erase(std::remove_if(listing.begin(), listing.end(),
                                         [&](const Multiscale& item) {
                                             return std::none_of(item.levels.begin(),
                                                                 item.levels.end(), lists);
                                         }),
                          listing.end());
            if (!listing.empty()) return AddLevels(*attributes, std::string(at), listing, node_);
        }
        AddLevel(node_, {}, Level::kAlone);
    }

    static bool Lists(const Multiscale& multiscale, const std::string& group,
                      const std::string& array) {
        return std::any_of(
            multiscale.levels.begin(), multiscale.levels.end(),
            [&](const MultiscaleLevel& level) { return JoinKey(group, level.path) == array; });
    }

    // Collects the keys of the levels of pyramids. `array` is the array that is opened by name;
    // empty if the group is opened.
    void AddLevels(const json::Value& attributes, const std::string& group,
                   const std::vector<Multiscale>& multiscales, const std::string& array) {
        std::size_t count = 0;
        for (const Multiscale& multiscale : multiscales) {
            std::string base;
            if (multiscale.IsImage() && hierarchy_.format() == Format::kV2)
                AddKey(std::string(kOldNczarrKey));
            const std::vector<std::string> names = AxisNames(attributes, multiscale);
            const bool is_listed = array.empty() || Lists(multiscale, group, array);
            for (const MultiscaleLevel& level : multiscale.levels) {
                if (++count > kMost) return;
                std::string path = level.path.empty() ? group : JoinKey(group, level.path);
                if (!is_listed) path = JoinKey(path, LastName(array));
                AddGroupsAbove(path, group);
                if (base.empty()) base = path;
                if (array.empty() && MayBeGroup(path, multiscale)) AddLevelGroup(path, names, base);
                if (array.empty() && IsAbsent(path, Document::kArray)) continue;
                AddLevel(path, names, count == 1 ? Level::kFirst : Level::kNext);
                AddBaseState(path, base);
            }
        }
    }

    // True if the level at `path` is tried as a group. In v2 a wrong guess for what may be an array
    // costs more: a node has twice as many documents, and listing an array may return many chunks.
    bool MayBeGroup(const std::string& path, const Multiscale& multiscale) const {
        if (multiscale.is_overviews) return false;
        if (IsAbsent(path, Document::kArray)) return true;
        return hierarchy_.format() == Format::kV3 && multiscale.kind == Multiscale::Kind::kLayout &&
               !IsThere(path, Document::kArray);
    }

    // Returns likely names of the levels' axes, for levels whose documents state no names.
    static std::vector<std::string> AxisNames(const json::Value& attributes,
                                              const Multiscale& multiscale) {
        std::vector<std::string> names;
        if (multiscale.kind != Multiscale::Kind::kTileMatrices)
            for (OmeAxis& axis : OmeAxesOf(multiscale.levels[0]))
                if (!axis.name.empty()) names.push_back(std::move(axis.name));
        if (names.empty()) names = NamesIn(attributes, "spatial:dimensions");
        return names.empty() ? std::vector<std::string>{"y", "x"} : names;
    }

    // Returns the names of axes in an attribute: strings, or objects with `name`.
    static std::vector<std::string> NamesIn(const json::Value& attributes, const char* attribute) {
        std::vector<std::string> names;
        const json::Value* said = attributes.Find(attribute);
        const json::Array* items = said != nullptr ? said->as_array() : nullptr;
        for (std::size_t i = 0; items != nullptr && i < std::min(items->size(), kMost); ++i) {
            const std::string* name = (*items)[i].as_string();
            if (name == nullptr) name = StringAttribute((*items)[i], "name");
            if (name != nullptr) names.push_back(*name);
        }
        return names;
    }

    // Collects the keys of a level that is or may be an array. `axis_names` are guesses, for axes
    // whose names are not stated.
    void AddLevel(const std::string& path, const std::vector<std::string>& axis_names,
                  Level level) {
        Add(path, {Document::kArray, Document::kAttributes});
        for (std::string_view at = path; !at.empty();) {
            at = ParentPath(at);
            Add(std::string(at), {Document::kAttributes});
        }
        if (IsAbsent(path, Document::kArray)) return;
        if (IsThere(path, Document::kArray) && AreDocumentsCached(path))
            return AddArray(path, level);
        const auto attributes = AttributesOf(path);
        std::vector<std::string> names =
            attributes ? NamesIn(*attributes, "_ARRAY_DIMENSIONS") : std::vector<std::string>();
        if (names.empty()) names = axis_names;
        AddGuesses(std::string(ParentPath(path)), names, level != Level::kNext && !names.empty());
    }

    // Collects the keys of a level that is or may be a group of variables. `axis_names` are guesses
    // for the variables' axes. `base` is the largest level, an array or a group.
    void AddLevelGroup(const std::string& path, const std::vector<std::string>& axis_names,
                       const std::string& base) {
        AddNode(path);
        if (!hierarchy_.is_consolidated()) {
            AddGuesses(path, axis_names, true);
            AddPrefix(path);
            AddAxes(path, axis_names);
        }
        const bool is_group = IsThere(path, Document::kGroup);
        if (is_group) AddMembers(path);
        if (!is_group || !store_.IsListingCached(path)) return;
        for (const std::string& member : MembersOf(path)) {
            if (!IsThere(member, Document::kArray) || IsMask(member)) continue;
            AddArray(member, Level::kFirst);
            AddBaseState(member,
                         IsThere(base, Document::kArray) ? base : JoinKey(base, LastName(member)));
        }
    }

    // True if an array is the mask of another array. The position of a mask is not read.
    bool IsMask(const std::string& path) const {
        const auto attributes = AttributesOf(path);
        return attributes && attributes->Find(kMaskFlagsAttribute) != nullptr;
    }

    // Collects the keys of the chunks of `base` that show whether the overview `level` is outdated,
    // if the overview's group records a state of its base.
    void AddBaseState(const std::string& level, const std::string& base) {
        const auto attributes = AttributesOf(std::string(ParentPath(level)));
        if (!attributes || !HasSamples(StatedBase(*attributes, LastName(level)))) return;
        if (!IsThere(base, Document::kArray)) return;
        const auto metadata = hierarchy_.Metadata(base);
        std::vector<std::string> keys;
        if (metadata.ok()) AddStateKeys(base, *metadata, keys);
        for (std::string& key : keys) AddKey(std::move(key));
    }

    // Collects the keys of coordinate arrays with the likely names `axis_names`. If
    // `with_grid_mappings` is true, collects the keys of likely grid mappings, too.
    void AddGuesses(const std::string& group, const std::vector<std::string>& axis_names,
                    bool with_grid_mappings) {
        for (const std::string& name : axis_names)
            Add(JoinKey(group, name), {Document::kArray, Document::kAttributes});
        for (const char* name : kGridMappingNames)
            if (with_grid_mappings) Add(JoinKey(group, name), {Document::kArray});
    }

    // Collects the keys of the chunks of coordinate arrays that are known to exist.
    void AddAxes(const std::string& group, const std::vector<std::string>& names) {
        std::vector<std::string> keys;
        for (const std::string& name : names)
            if (IsThere(JoinKey(group, name), Document::kArray))
                AddAxisKeys(hierarchy_, JoinKey(group, name), keys);
        for (std::string& key : keys) AddKey(std::move(key));
    }

    // ---------------------------------------------------------------------------------------------
    // Arrays

    // True if the store is a v2 store without consolidated metadata, in which documents of v1 or of
    // old netCDF-C may exist.
    bool IsPlainV2() const {
        return hierarchy_.format() == Format::kV2 && !hierarchy_.is_consolidated();
    }

    bool AreDocumentsCached(const std::string& path) const {
        if (!IsCached(path, Document::kAttributes)) return false;
        for (std::string_view at = path; !at.empty();) {
            at = ParentPath(at);
            if (!IsCached(std::string(at), Document::kAttributes)) return false;
        }
        return true;
    }

    // Collects the keys of the coordinates and the grid mapping to which an array's documents
    // refer. If the array's documents are not cached, collects their keys first.
    void AddArray(const std::string& path, Level level) {
        Add(path, {Document::kAttributes});
        if (path.empty() || !AreDocumentsCached(path)) return;
        const json::Value attributes = AttributesOrEmpty(hierarchy_, path);
        const bool is_named = attributes.Find("_ARRAY_DIMENSIONS") != nullptr;
        if (!is_named && hierarchy_.format() == Format::kV2) {
            const std::string key(kOldNczarrKey);
            AddKey(key);
            if (!store_.IsCached(key) || hierarchy_.HasForeignKey(key)) return;
        }
        const auto metadata = hierarchy_.Metadata(path);
        if (!metadata.ok() || metadata->rank() < 2) return;
        const std::string group(ParentPath(path));
        const json::Value of_group = AttributesOrEmpty(hierarchy_, group);
        const bool is_placed = StatesTransform(attributes) || StatesTransform(of_group);
        const bool is_of_group =
            attributes.Find("grid_mapping") == nullptr && of_group.Find("grid_mapping") != nullptr;
        if (!is_placed || level != Level::kNext || StatesCrs(attributes))
            AddGridMapping(group, is_of_group ? of_group : attributes);
        if (level != Level::kNext && MayBeLocatedByNames(attributes, of_group)) AddLongLats(group);
        bool are_cached = true;
        for (const NamedDimension& dimension :
             NameDimensions(hierarchy_, path, *metadata, attributes).value)
            if (dimension.is_named && !AddVariable(dimension.group, dimension.name))
                are_cached = false;
        if (!are_cached) return;
        const auto facts = DescribeArray(hierarchy_, path);
        if (!facts.ok()) return;
        const bool needs_others = NeedsOtherArrays(*facts, FillAsNodata::kAuto) ||
                                  HasUnnamedGridMapping(group, attributes);
        if (needs_others) AddOthers(group);
        if (level == Level::kAlone && (!needs_others || path != node_)) return;
        if (!StatesSizedTransform(attributes) && !StatesSizedTransform(of_group)) AddAxes(*facts);
    }

    // Collects the keys of the chunks of an array's X and Y coordinates.
    void AddAxes(const ArrayFacts& facts) {
        std::vector<std::string> keys;
        for (const auto& axis : {facts.axes.x, facts.axes.y})
            if (axis) AddAxisKeys(hierarchy_, facts.dimensions[*axis].coordinate_path, keys);
        for (std::string& key : keys) AddKey(std::move(key));
    }

    // True if a group has a variable with a usual name of grid mappings, which `attributes` of an
    // array do not name.
    bool HasUnnamedGridMapping(const std::string& group, const json::Value& attributes) const {
        return attributes.Find("grid_mapping") == nullptr &&
               std::any_of(std::begin(kGridMappingNames), std::end(kGridMappingNames),
                           [&](const char* name) {
                               return IsThere(JoinKey(group, name), Document::kArray);
                           });
    }

    // Collects the keys from which MembersWithAttributes() reads.
    void AddOthers(const std::string& group) {
        if (hierarchy_.is_consolidated()) return;
        AddPrefix(group);
        if (!store_.IsListingCached(group)) return;
        for (const std::string& member : MembersOf(group)) {
            Add(member, {Document::kArray, Document::kAttributes});
            if (IsAbsent(member, Document::kArray)) Add(member, {Document::kGroup});
        }
    }

    // Collects the keys of arrays that may be longitudes and latitudes of each pixel.
    void AddLongLats(const std::string& group) {
        if (hierarchy_.is_consolidated()) return;
        for (const char* name : kGeolocationNames) {
            const std::string path = JoinKey(group, name);
            Add(path, {Document::kArray});
            if (IsThere(path, Document::kArray)) Add(path, {Document::kAttributes});
        }
    }

    void AddGridMapping(const std::string& group, const json::Value& attributes) {
        const bool is_guess = attributes.Find("grid_mapping") == nullptr;
        for (const std::string& name : GridMappingNames(attributes)) {
            AddVariable(group, name);
            // Collects the keys of a likely grid mapping in all ancestor groups at once. Most
            // stores have no grid mapping, and all ancestors must be checked to find that out.
            for (std::string_view at = group; is_guess && !at.empty();) {
                at = ParentPath(at);
                if (!IsThere(JoinKey(group, name), Document::kArray))
                    Add(JoinKey(at, name), {Document::kArray});
            }
        }
    }

    // Collects the keys of the metadata documents of the array `name`, in `group` or its nearest
    // ancestor group with that array. Returns true if all needed documents are cached.
    bool AddVariable(const std::string& group, const std::string& name) {
        const std::string path = JoinKey(group, name);
        // an invalid key is never looked up, so no document is missing in the cache
        if (!IsValidKey(path)) return true;
        if (!IsCached(path, Document::kArray)) {
            Add(path, {Document::kArray, Document::kAttributes});
            return false;
        }
        bool are_cached = true;
        for (std::string_view at = group;; at = ParentPath(at)) {
            const std::string found = JoinKey(at, name);
            if (IsThere(found, Document::kArray)) {
                Add(found, {Document::kAttributes});
                return are_cached && IsCached(found, Document::kAttributes);
            }
            Add(found, {Document::kArray});
            are_cached = are_cached && IsCached(found, Document::kArray);
            if (at.empty()) return are_cached;
        }
    }

    // ---------------------------------------------------------------------------------------------
    // Groups

    // Returns the members in a cached listing of a group.
    std::vector<std::string> MembersOf(const std::string& group) const {
        std::vector<std::string> members;
        const auto entries = store_.List(group);
        for (std::size_t i = 0; entries.ok() && i < entries->size(); ++i)
            if ((*entries)[i].is_prefix && members.size() < kMost)
                members.push_back(JoinKey(group, (*entries)[i].name));
        return members;
    }

    // Collects the keys of the members of a group, recursively, from its listing. Containers of
    // images are skipped, because opening a container reads little.
    void AddMembers(const std::string& group) {
        if (hierarchy_.is_consolidated() || DepthOf(group) > kMaxGroupDepth) return;
        const auto attributes = AttributesOf(group);
        if (!attributes || IsContainer(*attributes)) return;
        AddPrefix(group);
        if (!store_.IsListingCached(group)) return;
        for (const std::string& member : MembersOf(group)) {
            Add(member, {Document::kArray, Document::kAttributes});
            if (IsAbsent(member, Document::kArray)) Add(member, {Document::kGroup});
            if (IsThere(member, Document::kGroup)) AddMembers(member);
            if (IsThere(member, Document::kArray) && group == node_)
                AddArray(member, Level::kAlone);
        }
    }

    static bool IsContainer(const json::Value& attributes) {
        constexpr std::string_view kNames[] = {"plate", "well", kLabelsGroup};
        return !OmeGroupOf(attributes, "any").empty() ||
               std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view name) {
                   return OmeMember(attributes, name) != nullptr;
               });
    }

    // True if the listing of the node is cached.
    bool IsListed() const { return store_.IsListingCached(node_) && store_.List(node_).ok(); }

    void AddLabels(const std::vector<Multiscale>& of_image) {
        const std::string labels = JoinKey(node_, kLabelsGroup);
        AddNode(labels);
        if (IsPlainV2() && IsAbsent(labels, Document::kArray) && IsAbsent(labels, Document::kGroup))
            AddKey(DocumentKey(labels, Document::kArray, Format::kV1));
        const auto attributes = AttributesOf(labels);
        if (!attributes || !OmeGroupOf(*attributes, labels).empty()) return;
        Faults ignored;
        const NamedMembers named = ReadNamedMembers(hierarchy_, labels, ignored);
        if (!named.is_container) return;
        if (IsListed()) AddPrefix(labels);
        for (std::size_t i = 0; i < std::min(named.members.size(), kMost); ++i) {
            const std::string& path = named.members[i].path;
            Add(path, {Document::kAttributes});
            const auto own = AttributesOf(path);
            const auto levels = own ? MultiscalesOf(hierarchy_, path)->all : of_image;
            // The path of the label's first level is a guess: levels of a label usually have the
            // names of the levels of its image.
            if (!levels.empty() && !levels[0].levels[0].path.empty())
                Add(JoinKey(path, levels[0].levels[0].path), {Document::kArray});
            if (IsListed()) {
                AddNode(path);
                AddPrefix(path);
            } else {
                Add(JoinKey(path, kLabelsGroup), {Document::kAttributes});
            }
        }
    }

    const Hierarchy& hierarchy_;
    const Store& store_;
    const std::string& node_;
    std::vector<std::string> keys_;
    std::vector<std::string> prefixes_;
    // Keys of requested documents, and prefixes of requested listings with a '/' at the end.
    std::set<std::string> asked_;
};

}  // namespace

std::vector<std::string> FirstKeys(const std::string& node) {
    std::vector<std::string> keys = {DocumentKey("", Document::kGroup, Format::kV3)};
    if (!node.empty()) keys.push_back(DocumentKey(node, Document::kGroup, Format::kV3));
    return keys;
}

std::vector<std::string> FirstKeysOfOldStore(const std::string& node) {
    std::vector<std::string> keys = {
        DocumentKey("", Document::kConsolidated), DocumentKey("", Document::kAttributes),
        DocumentKey(node, Document::kArray), DocumentKey(node, Document::kGroup)};
    if (!node.empty()) keys.push_back(DocumentKey(node, Document::kAttributes));
    return keys;
}

void PrefetchOpening(const Hierarchy& hierarchy, const std::string& node) {
    if (CanPrefetch(hierarchy)) Opening(hierarchy, node).Run();
}

}  // namespace zarr
