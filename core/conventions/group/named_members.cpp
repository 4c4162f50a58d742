// SPDX-License-Identifier: MIT
#include "core/conventions/group/named_members.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/conventions/attributes/attributes.h"
#include "core/conventions/attributes/nczarr.h"
#include "core/conventions/group/multiscales.h"
#include "core/json/value.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

constexpr std::string_view kOmeGroup = "OME";
constexpr std::string_view kSeriesLayout = "bioformats2raw.layout";

class MembersReader {
  public:
    MembersReader(const Hierarchy& hierarchy, const std::string& group, Faults& faults)
        : hierarchy_(hierarchy), group_(group), faults_(faults) {}

    NamedMembers Read() {
        using As = NamedMember::As;
        const auto read = MultiscalesOf(hierarchy_, group_);
        const json::Value& attributes = read->attributes;
        const std::vector<Multiscale>& multiscales = read->all;
        const json::Value* plate = Container(attributes, "plate");
        const json::Value* well = Container(attributes, "well");
        const json::Value* labels = OmeMember(attributes, "labels");
        // The attribute `labels` has a different meaning in other stores. It is accepted only if it
        // is a JSON array, in the root or in a group called `labels`.
        const bool is_labels = labels != nullptr && labels->as_array() != nullptr &&
                               (group_.empty() || LastName(group_) == kLabelsGroup);
        named_.is_container = true;
        if (!multiscales.empty()) {
            named_.is_container = false;
            named_.is_image = std::any_of(multiscales.begin(), multiscales.end(),
                                          [](const Multiscale& item) { return item.IsImage(); });
            for (const Multiscale& multiscale : multiscales)
                for (const MultiscaleLevel& level : multiscale.levels)
                    if (!level.path.empty()) Add(level.path, As::kLevel, level.origin);
        } else if (plate != nullptr) {
            AddListed(*plate, "wells", "plate", As::kWell);
        } else if (well != nullptr) {
            AddListed(*well, "images", "well", As::kImage);
        } else if (const json::Value* layout = OmeMember(attributes, kSeriesLayout)) {
            AddSeries(*layout);
        } else if (is_labels) {
            AddAll(*labels, Where("labels"), As::kLabel);
        } else {
            named_.is_container = false;
        }
        return std::move(named_);
    }

    std::vector<std::string> ReadSeries(const json::Value& layout) {
        AddSeries(layout);
        std::vector<std::string> paths;
        for (NamedMember& member : named_.members) paths.push_back(std::move(member.path));
        return paths;
    }

  private:
    static const json::Value* Container(const json::Value& attributes, std::string_view name) {
        const json::Value* value = OmeMember(attributes, name);
        return value != nullptr && value->as_object() != nullptr ? value : nullptr;
    }

    // Returns `what`, a part of the group's attributes, preceded by the group's path, for messages.
    std::string Where(const std::string& what) const {
        return group_.empty() ? what : "/" + group_ + ": " + what;
    }

    void Add(const std::string& name, NamedMember::As as, const std::string& origin) {
        std::string path = JoinKey(group_, name);
        if (!IsValidKey(name) || !IsValidKey(path))
            faults_.Add(origin + ": " + Quoted(name) + " is not a path inside the group");
        else if (DepthOf(path) > kMaxGroupDepth)
            faults_.Add(origin + ": " + Quoted(name) + " is nested too deep");
        else if (seen_.insert(path).second)
            named_.members.push_back({std::move(path), as});
    }

    // Adds the nodes that a JSON array in the attributes names, by strings or by objects with the
    // member `path`.
    void AddAll(const json::Value& list, const std::string& origin, NamedMember::As as) {
        const json::Array* items = list.as_array();
        if (items == nullptr)
            return faults_.Add(json::Expected(origin, "an array", list).message());
        if (items->size() > kMaxNamedMembers)
            faults_.Add(origin + ": only the first " + std::to_string(kMaxNamedMembers) + " of " +
                        std::to_string(items->size()) + " entries are read");
        for (std::size_t i = 0; i < std::min(items->size(), kMaxNamedMembers); ++i) {
            const std::string* name = (*items)[i].as_string();
            if (name == nullptr) name = StringAttribute((*items)[i], "path");
            // A number is accepted as a name, because some writers store the names of labels as
            // numbers.
            std::int64_t number = 0;
            const std::string digits =
                (*items)[i].GetInt64(number) ? std::to_string(number) : std::string();
            if (name == nullptr && as == NamedMember::As::kLabel && !digits.empty()) name = &digits;
            const std::string place = origin + "[" + std::to_string(i) + "]";
            if (name == nullptr)
                faults_.Add(json::Expected(place, "a path", (*items)[i]).message());
            else
                Add(*name, as, place);
        }
    }

    void AddListed(const json::Value& owner, const std::string& member, const std::string& origin,
                   NamedMember::As as) {
        const std::string place = Where(origin);
        if (const json::Value* list = owner.Find(member))
            return AddAll(*list, place + "." + member, as);
        faults_.Add(json::Expected(place, "an object with \"" + member + "\"", owner).message());
    }

    void AddSeries(const json::Value& layout) {
        std::int64_t number = 0;
        if (!layout.GetInt64(number) || number != 3)
            faults_.Add(Where(std::string(kSeriesLayout)) + ": " + json::Brief(layout) +
                        " is unknown; it is read like 3");
        Warnings broken;
        const std::string ome = JoinKey(group_, kOmeGroup);
        const json::Value attributes = LenientAttributes(hierarchy_, ome, broken);
        for (const std::string& warning : broken) faults_.Add(warning);
        if (const json::Value* series = OmeMember(attributes, "series")) {
            AddAll(*series, "/" + ome + ": series", NamedMember::As::kImage);
            if (series->as_array() != nullptr) return;
        }
        for (std::size_t i = 0; i < kMaxNamedMembers; ++i) {
            const std::string name = std::to_string(i);
            const auto found = hierarchy_.Has(JoinKey(group_, name), Document::kGroup);
            if (!found.ok() || !*found) return;
            Add(name, NamedMember::As::kImage, name);
        }
    }

    const Hierarchy& hierarchy_;
    const std::string& group_;
    Faults& faults_;
    NamedMembers named_;
    std::set<std::string> seen_;
};

// Returns the nodes below `group` that its own attributes name, and sets `is_own` to true. If they
// name none, the attributes of the nearest ancestor that names such nodes are used.
NamedMembers NamedBelow(const Hierarchy& hierarchy, const std::string& group, bool& is_own) {
    Faults ignored;  // faults in attributes are reported when the group is opened as rasters
    for (std::string_view at = group;; at = ParentPath(at)) {
        NamedMembers named = ReadNamedMembers(hierarchy, std::string(at), ignored);
        auto& members = named.members;
        members.erase(std::remove_if(members.begin(), members.end(),
                                     [&](const NamedMember& member) {
                                         return member.path == group ||
                                                !IsAtOrBelow(member.path, group);
                                     }),
                      members.end());
        is_own = at.size() == group.size();
        if (!members.empty() || at.empty()) return named;
    }
}

}  // namespace

NamedMembers ReadNamedMembers(const Hierarchy& hierarchy, const std::string& group,
                              Faults& faults) {
    return MembersReader(hierarchy, group, faults).Read();
}

std::string OmeGroupOf(const json::Value& group_attributes, const std::string& group) {
    if (OmeMember(group_attributes, kSeriesLayout) == nullptr) return {};
    return JoinKey(group, kOmeGroup);
}

std::vector<std::string> SeriesOf(const Hierarchy& hierarchy, const std::string& group,
                                  Faults& faults) {
    const json::Value attributes = AttributesOrEmpty(hierarchy, group);
    const json::Value* layout = OmeMember(attributes, kSeriesLayout);
    if (layout == nullptr) return {};
    return MembersReader(hierarchy, group, faults).ReadSeries(*layout);
}

namespace {

// Prefetches the documents that tell arrays from groups, for the direct members of a group.
// Prefetches attributes of up to kFew members, too, because these may be levels of an image.
void PrefetchMembers(const Hierarchy& hierarchy, const std::string& group,
                     const std::map<std::string, bool>& is_deeper) {
    constexpr std::size_t kFew = 64;
    std::vector<std::string> keys;
    for (const auto& [name, deeper] : is_deeper) {
        const std::string path = JoinKey(group, name);
        if (deeper) continue;
        keys.push_back(hierarchy.KeyOf(path, Document::kArray));
        if (is_deeper.size() <= kFew) keys.push_back(hierarchy.KeyOf(path, Document::kAttributes));
        if (name != kLabelsGroup) continue;
        keys.push_back(hierarchy.KeyOf(path, Document::kGroup));
        if (hierarchy.format() == Format::kV2)
            keys.push_back(DocumentKey(path, Document::kArray, Format::kV1));
    }
    hierarchy.store()->Prefetch(keys, {});
}

}  // namespace

std::vector<Node> NamedNodes(const Hierarchy& hierarchy, const std::string& group) {
    bool is_own = false;
    const NamedMembers named = NamedBelow(hierarchy, group, is_own);
    // Collects the direct members of the group. A named node in a deeper group is replaced by the
    // direct subgroup that contains the node; `is_deeper` is then true.
    const std::size_t skipped = group.empty() ? 0 : group.size() + 1;
    std::map<std::string, bool> is_deeper;
    for (const NamedMember& member : named.members) {
        const std::size_t end = member.path.find('/', skipped);
        const bool deeper = end != std::string::npos;
        is_deeper[member.path.substr(skipped, deeper ? end - skipped : end)] |= deeper;
    }
    const bool may_have_labels = !named.members.empty() && named.is_image && is_own &&
                                 is_deeper.emplace(kLabelsGroup, false).second;
    // NCZarr's extension is read only if attributes name no members, because reading the extension
    // costs a request. A store with NCZarr's extension has no attributes that name members.
    if (named.members.empty())
        for (std::string& name : NczarrGroupMembers(hierarchy, group))
            if (is_deeper.size() < kMaxNamedMembers) is_deeper.emplace(std::move(name), false);
    PrefetchMembers(hierarchy, group, is_deeper);
    std::vector<Node> members;
    for (const auto& [name, deeper] : is_deeper) {
        Node node{name, JoinKey(group, name), NodeKind::kGroup};
        if (!deeper) {
            const auto kind = hierarchy.KindOf(node.path);
            // An unreadable node counts as an array, as in Hierarchy::Members().
            node.kind = kind.ok() ? *kind : NodeKind::kArray;
            // The group `labels` need not exist. Some servers refuse access to absent keys, so a
            // refused key counts as absent.
            if (may_have_labels && name == kLabelsGroup && !kind.ok() &&
                kind.status().code() == StatusCode::kPermission)
                node.kind = NodeKind::kNone;
        }
        if (node.kind != NodeKind::kNone) members.push_back(std::move(node));
    }
    return members;
}

Result<std::vector<Node>> MembersOf(const Hierarchy& hierarchy, const std::string& group) {
    auto listed = hierarchy.Members(group);
    if (!listed.ok() && listed.status().code() != StatusCode::kUnsupported) return listed;
    if (listed.ok() && !listed->empty()) return listed;
    // An empty listing is not trusted, because object stores that do not support listing may return
    // one. Nodes that attributes name are then members if they have documents.
    auto named = NamedNodes(hierarchy, group);
    const auto is_missing = [&](const Node& node) {
        const auto kind = hierarchy.KindOf(node.path);
        return kind.ok() && *kind == NodeKind::kNone;
    };
    if (listed.ok())
        named.erase(std::remove_if(named.begin(), named.end(), is_missing), named.end());
    return named.empty() ? std::move(listed) : std::move(named);
}

}  // namespace zarr
