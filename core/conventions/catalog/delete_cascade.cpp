// SPDX-License-Identifier: MIT
#include "core/conventions/catalog/delete_cascade.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/conventions/attributes/attributes.h"
#include "core/conventions/attributes/fingerprint.h"
#include "core/conventions/catalog/catalog.h"
#include "core/conventions/facts/array_facts.h"
#include "core/conventions/group/overviews.h"
#include "core/json/value.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

using Paths = std::vector<std::string>;

std::string GroupOf(const std::string& path) { return std::string(ParentPath(path)); }

std::string NameIn(const std::string& group, const std::string& path) {
    return group.empty() ? path : path.substr(group.size() + 1);
}

// Returns the paths of all arrays to which the attributes of the array at `path` refer.
std::set<std::string> ReferencesOf(const Hierarchy& hierarchy, const std::string& path) {
    std::set<std::string> references;
    const auto facts = DescribeArray(hierarchy, path);
    if (!facts.ok()) return references;
    for (const std::string& name : ReferencedNames(facts->attributes))
        references.insert(FindVariable(hierarchy, GroupOf(path), name));
    for (const Dimension& dimension : facts->dimensions)
        references.insert(dimension.coordinate_path);
    references.erase("");
    references.erase(path);
    return references;
}

// If `text` starts with `old_name` and "_", or ends with "_" and `old_name`, returns `text` with
// `new_name` instead. Empty otherwise.
std::string WithName(const std::string& text, const std::string& old_name,
                     const std::string& new_name) {
    const std::string start = old_name + "_";
    const std::string end = "_" + old_name;
    if (text.compare(0, start.size(), start) == 0) return new_name + text.substr(old_name.size());
    return EndsWith(text, end) ? text.substr(0, text.size() - old_name.size()) + new_name
                               : std::string();
}

// Returns the paths of the coordinate arrays of an array's dimensions. Omits dimensions whose names
// contain the array's name, such as x_NAME.
std::set<std::string> SharedDimensions(const Hierarchy& hierarchy, const std::string& path) {
    std::set<std::string> shared;
    const auto facts = DescribeArray(hierarchy, path);
    for (std::size_t i = 0; facts.ok() && i < facts->dimensions.size(); ++i)
        if (WithName(facts->dimensions[i].name, std::string(LastName(path)), "").empty())
            shared.insert(facts->dimensions[i].coordinate_path);
    return shared;
}

// All references of arrays to other arrays, such as to their coordinates and masks.
class References {
  public:
    // Reads the references of each array in and below the group `scope`.
    static Result<References> Read(const Hierarchy& hierarchy, const std::string& scope) {
        References all;
        Warnings warnings;
        ZARR_ASSIGN_OR_RETURN(const auto groups, ListRasters(hierarchy, scope).Report(warnings));
        for (const CatalogGroup& group : groups)
            for (const CatalogArray& array : group.arrays)
                all.of_[array.path] = ReferencesOf(hierarchy, array.path);
        // Fails if an array could not be read, because its references are unknown.
        ZARR_RETURN_IF_ERROR(hierarchy.TakeFailure());
        if (!warnings.empty()) return Status::Corrupt(warnings.front());
        return all;
    }

    // Returns the arrays in the group of `path` to which `path` refers, directly or indirectly, and
    // which only `owners` need. Omits arrays in `kept`, and arrays to which any other array refers.
    std::set<std::string> OwnedBy(const std::string& path, const Paths& owners,
                                  const std::set<std::string>& kept = {}) const {
        std::set<std::string> owned = Reached(path);
        for (const std::string& other : kept) owned.erase(other);
        for (bool is_stable = false; !is_stable;) {
            is_stable = true;
            for (auto it = owned.begin(); it != owned.end();) {
                const bool is_shared = IsReferred(*it, owners, owned);
                it = is_shared ? owned.erase(it) : std::next(it);
                is_stable = is_stable && !is_shared;
            }
        }
        return owned;
    }

  private:
    std::set<std::string> Reached(const std::string& path) const {
        std::set<std::string> reached;
        std::vector<std::string> next{path};
        while (!next.empty()) {
            const auto found = of_.find(next.back());
            next.pop_back();
            if (found == of_.end()) continue;
            for (const std::string& other : found->second)
                if (other != path && ParentPath(other) == ParentPath(path) &&
                    reached.insert(other).second)
                    next.push_back(other);
        }
        return reached;
    }

    // True if an array that is neither in `owners` nor in `owned` refers to `path`.
    bool IsReferred(const std::string& path, const Paths& owners,
                    const std::set<std::string>& owned) const {
        return std::any_of(of_.begin(), of_.end(), [&](const auto& item) {
            const auto& [other, references] = item;
            return references.count(path) != 0 && owned.count(other) == 0 &&
                   std::find(owners.begin(), owners.end(), other) == owners.end();
        });
    }

    // For each array, the paths of the arrays to which its attributes refer.
    std::map<std::string, std::set<std::string>> of_;
};

// The overviews of an array that the attributes of a group list.
class DescribedOverviews {
  public:
    static Result<DescribedOverviews> Read(const Hierarchy& hierarchy, const std::string& path) {
        DescribedOverviews overviews(hierarchy, path);
        const std::string& group = overviews.listing_.group;
        ZARR_ASSIGN_OR_RETURN(json::Value attributes, hierarchy.Attributes(group));
        for (const OverviewLevel& level : OverviewsOf(attributes, NameIn(group, path))) {
            std::string of_level = JoinKey(group, level.path);
            if (IsInOverviewGroup(hierarchy, overviews.listing_, of_level))
                overviews.paths_.push_back(std::move(of_level));
        }
        if (attributes.as_object() != nullptr) overviews.attributes_ = *attributes.as_object();
        return overviews;
    }

    bool HasLevelGroups() const { return listing_.has_level_groups; }
    // Returns the paths of the overviews, from the root of the store.
    const Paths& paths() const { return paths_; }

    // Removes the overviews of the array from the description in the group's attributes.
    Status Undescribe(HierarchyWriter& writer) const { return Rename(writer, ""); }

    // Describes the overviews as those of the array `new_name`, also after Undescribe().
    Status DescribeAs(HierarchyWriter& writer, const std::string& new_name) const {
        for (const std::string& level : paths())
            ZARR_RETURN_IF_ERROR(MoveStatement(writer, GroupOf(level), new_name));
        return Rename(writer, new_name);
    }

    // Removes the groups of the array's overviews, unless they also contain overviews of other
    // arrays.
    Status RemoveEmptyGroups(HierarchyWriter& writer) const {
        std::set<std::string> groups;
        for (const std::string& path : paths()) groups.insert(GroupOf(path));
        for (const std::string& group : groups)
            ZARR_RETURN_IF_ERROR(RemoveOverviewGroup(writer, *hierarchy_, listing_, group));
        return {};
    }

  private:
    DescribedOverviews(const Hierarchy& hierarchy, std::string path)
        : hierarchy_(&hierarchy),
          path_(std::move(path)),
          listing_(ListingOfOverviews(hierarchy, path_)) {}

    // Renames the array to `new_name` in the attribute kBaseStateAttribute of the overview group
    // `group`.
    Status MoveStatement(HierarchyWriter& writer, const std::string& group,
                         const std::string& new_name) const {
        ZARR_ASSIGN_OR_RETURN(const json::Value stored, hierarchy_->Attributes(group));
        std::string state = StatedBase(stored, LastName(path_));
        if (state.empty()) return {};
        json::Object attributes = *stored.as_object();
        StateBase(attributes, LastName(path_), "");
        StateBase(attributes, new_name, std::move(state));
        return writer.ChangeAttributes(group, stored, json::Value(std::move(attributes)));
    }

    Status Rename(HierarchyWriter& writer, std::string_view new_name) const {
        ZARR_ASSIGN_OR_RETURN(const json::Value stored, hierarchy_->Attributes(listing_.group));
        json::Object described = attributes_;
        RenameInDescription(described, NameIn(listing_.group, path_), new_name);
        if (json::Dump(json::Value(described)) == json::Dump(json::Value(attributes_))) return {};
        // Other members may have changed since they were read.
        json::Object attributes = *stored.as_object();
        for (const std::string_view name : {"multiscales", "zarr_conventions"}) {
            const json::Value* value = json::FindMember(described, name);
            if (value != nullptr)
                json::PutMember(attributes, name, *value);
            else
                json::EraseMember(attributes, name);
        }
        return writer.ChangeAttributes(listing_.group, stored, json::Value(std::move(attributes)));
    }

    const Hierarchy* hierarchy_;
    std::string path_;
    OverviewListing listing_;
    json::Object attributes_;  // of the group that describes the overviews, before any change
    Paths paths_;
};

// Removes the overviews that are described for `path` if no array is there, because another program
// has removed it. Otherwise they would be overviews of an array that gets this name.
Status RemoveOverviewsOfMissing(HierarchyWriter& writer, const Hierarchy& hierarchy,
                                const std::string& path) {
    ZARR_ASSIGN_OR_RETURN(const NodeKind kind, hierarchy.KindOf(path));
    if (kind != NodeKind::kNone) return {};
    ZARR_ASSIGN_OR_RETURN(const DescribedOverviews overviews,
                          DescribedOverviews::Read(hierarchy, path));
    ZARR_RETURN_IF_ERROR(overviews.Undescribe(writer));
    for (const std::string& level : overviews.paths())
        if (Status removed = writer.DeleteNode(level);
            !removed.ok() && removed.code() != StatusCode::kNotFound)
            return removed;
    return overviews.RemoveEmptyGroups(writer);
}

Result<bool> IsArrayAt(const Hierarchy& hierarchy, const std::string& path) {
    ZARR_ASSIGN_OR_RETURN(const NodeKind kind, hierarchy.KindOf(path));
    return kind == NodeKind::kArray;
}

std::string ReplaceWord(const std::string& words, const std::string& from, const std::string& to) {
    std::string text;
    for (const std::string& word :
         WordsAttribute(json::Value(json::Object{{"words", json::Value(words)}}), "words"))
        text += (text.empty() ? "" : " ") + (word == from ? to : word);
    return text;
}

// Renames an array, and its mask and grid mapping if they are in `owned` and named after the array.
Status RenameArray(HierarchyWriter& writer, const Hierarchy& hierarchy, const std::string& path,
                   const std::string& new_name, const std::set<std::string>& owned,
                   Renamed& renamed) {
    const std::string group = GroupOf(path);
    const std::string old_name(LastName(path));
    ZARR_ASSIGN_OR_RETURN(const json::Value before, hierarchy.Attributes(path));
    json::Value attributes = before;
    const auto rename = [&](const std::string& from, const std::string& name) {
        ZARR_RETURN_IF_ERROR(writer.RenameNode(from, name));
        renamed.emplace_back(from, JoinKey(group, name));
        return Status();
    };
    ZARR_RETURN_IF_ERROR(rename(path, new_name));
    for (const std::string_view attribute : {std::string_view("grid_mapping"), kMaskAttribute}) {
        const std::string* const stored = StringAttribute(attributes, attribute);
        if (stored == nullptr || owned.count(JoinKey(group, *stored)) == 0) continue;
        const std::string from = *stored;
        const std::string to = WithName(from, old_name, new_name);
        if (to.empty()) continue;
        ZARR_ASSIGN_OR_RETURN(const NodeKind taken, hierarchy.KindOf(JoinKey(group, to)));
        if (taken != NodeKind::kNone) continue;
        ZARR_RETURN_IF_ERROR(rename(JoinKey(group, from), to));
        json::Object& members = *attributes.MutableObject();
        json::PutMember(members, attribute, json::Value(to));
        if (const std::string* const words = StringAttribute(attributes, "coordinates")) {
            std::string text = ReplaceWord(*words, from, to);
            json::PutMember(members, "coordinates", json::Value(std::move(text)));
        }
    }
    return writer.ChangeAttributes(JoinKey(group, new_name), before, attributes);
}

}  // namespace

Result<Paths> DeleteWithCompanions(HierarchyWriter& writer, const Hierarchy& hierarchy,
                                   const std::string& path, const DeletionScope& scope) {
    ZARR_ASSIGN_OR_RETURN(const bool is_array, IsArrayAt(hierarchy, path));
    Paths all{path};
    if (!is_array || path.empty()) {
        ZARR_RETURN_IF_ERROR(writer.DeleteNode(path));
        return all;
    }
    ZARR_ASSIGN_OR_RETURN(const DescribedOverviews overviews,
                          DescribedOverviews::Read(hierarchy, path));
    const auto references = References::Read(hierarchy, scope.group);
    // An array that cannot be read may refer to any other array. In this case only the array at
    // `path` and its overviews are deleted.
    for (const std::string& array : overviews.paths()) all.push_back(array);
    const Paths owners = all;
    const std::set<std::string> kept =
        scope.keeps_dimensions ? SharedDimensions(hierarchy, path) : std::set<std::string>();
    for (const std::string& owner : owners)
        if (references.ok())
            for (const std::string& owned : references->OwnedBy(owner, owners, kept))
                all.push_back(owned);
    ZARR_RETURN_IF_ERROR(overviews.Undescribe(writer));
    ZARR_RETURN_IF_ERROR(writer.DeleteNodes(all));
    ZARR_RETURN_IF_ERROR(overviews.RemoveEmptyGroups(writer));
    return all;
}

Result<Renamed> RenameWithCompanions(HierarchyWriter& writer, const Hierarchy& hierarchy,
                                     const std::string& path, const std::string& new_name) {
    Renamed renamed;
    ZARR_ASSIGN_OR_RETURN(const bool is_array, IsArrayAt(hierarchy, path));
    const std::string target = JoinKey(ParentPath(path), new_name);
    if (!is_array || path.empty() || target == path) {
        ZARR_RETURN_IF_ERROR(writer.RenameNode(path, new_name));
        renamed.emplace_back(path, target);
        return renamed;
    }
    ZARR_RETURN_IF_ERROR(RemoveOverviewsOfMissing(writer, hierarchy, target));
    ZARR_ASSIGN_OR_RETURN(const DescribedOverviews overviews,
                          DescribedOverviews::Read(hierarchy, path));
    const auto references = References::Read(hierarchy, "");
    Paths owners = overviews.paths();
    owners.push_back(path);
    const auto owned_by = [&](const std::string& owner) {
        return references.ok() ? references->OwnedBy(owner, owners) : std::set<std::string>();
    };
    ZARR_RETURN_IF_ERROR(RenameArray(writer, hierarchy, path, new_name, owned_by(path), renamed));
    if (!overviews.HasLevelGroups()) ZARR_RETURN_IF_ERROR(overviews.Undescribe(writer));
    for (const std::string& level : overviews.paths())
        ZARR_RETURN_IF_ERROR(
            RenameArray(writer, hierarchy, level, new_name, owned_by(level), renamed));
    ZARR_RETURN_IF_ERROR(overviews.DescribeAs(writer, new_name));
    return renamed;
}

}  // namespace zarr
