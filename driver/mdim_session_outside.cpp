// SPDX-License-Identifier: MIT
// The part of MdimSession that shows, where a node below the root of the store was opened, what its
// arrays refer to outside of it: coordinates that lie beside an array, or in groups above.
#include <algorithm>
#include <set>

#include "core/conventions/attributes.h"
#include "core/conventions/lookup.h"
#include "core/conventions/named_members.h"
#include "core/store/keys.h"
#include "driver/mdim_session.h"

namespace zarr_driver {

namespace {

// Most arrays whose references are followed.
constexpr std::size_t kMaxArrays = 10'000;

// The name without the number that OutsideName() puts behind it; empty where there is none.
std::string WithoutNumber(const std::string& name) {
    const std::size_t last = name.find_last_not_of("0123456789");
    const bool is_numbered = last != std::string::npos && last > 0 && last + 1 < name.size();
    return is_numbered && name[last] == '_' ? name.substr(0, last) : std::string();
}

}  // namespace

bool MdimSession::IsOpened(const std::string& path) const {
    if (is_array_) return path == location_.node;
    return root_.empty() || zarr::IsAtOrBelow(path, root_);
}

// Whether the root group has a node of a name.
bool MdimSession::RootHolds(const std::string& name) const {
    const std::string path = zarr::JoinKey(root_, name);
    const auto is_array = location_.hierarchy->HoldsArray(path);
    if (is_array.ok() && *is_array) return true;
    const auto is_group = location_.hierarchy->Has(zarr::JoinKey(path, zarr::kGroupKey));
    return is_group.ok() && *is_group;
}

std::string MdimSession::OutsideName(const std::string& path) const {
    std::string base(zarr::LastName(path));
    const std::string group(zarr::ParentPath(path));
    int nearer = 0;  // groups with something of that name
    for (std::string at = root_; at != group; at = std::string(zarr::ParentPath(at))) {
        const auto is_array = location_.hierarchy->HoldsArray(zarr::JoinKey(at, base));
        const bool holds = at == root_ ? RootHolds(base) : is_array.ok() && *is_array;
        nearer += holds ? 1 : 0;
        if (at.empty()) break;
    }
    if (nearer == 0) return base;
    std::string name = base + "_" + std::to_string(nearer + 1);
    while (RootHolds(name)) name += "_2";
    return name;
}

std::string MdimSession::FindOutside(const std::string& name) const {
    const bool is_store = is_array_ ? location_.node.empty() : root_.empty();
    if (is_store || !CheckName(name).ok()) return {};
    for (std::string base = name; !base.empty(); base = WithoutNumber(base)) {
        for (std::string at = root_;; at = std::string(zarr::ParentPath(at))) {
            std::string path = zarr::JoinKey(at, base);
            const auto is_array =
                IsOpened(path) ? zarr::Result<bool>(false) : location_.hierarchy->HoldsArray(path);
            if (is_array.ok() && *is_array && OutsideName(path) == name) return path;
            if (at.empty()) break;
        }
    }
    // In a group that is not above, but that an absolute path leads to.
    for (std::string& path : OutsideArrays())
        if (OutsideName(path) == name) return std::move(path);
    return {};
}

// The paths of all arrays that were opened, as far as the store lists them.
std::vector<std::string> MdimSession::OpenedArrays() const {
    if (is_array_) return {location_.node};
    std::vector<std::string> arrays;
    std::vector<std::string> groups{root_};
    while (!groups.empty() && arrays.size() < kMaxArrays) {
        const std::string group = std::move(groups.back());
        groups.pop_back();
        const auto members = zarr::MembersOf(hierarchy(), group);
        if (!members.ok()) continue;  // whoever lists it is told
        for (const zarr::Node& node : *members)
            (node.kind == zarr::NodeKind::kGroup ? groups : arrays).push_back(node.path);
    }
    return arrays;
}

// The arrays that an array refers to. What cannot be read refers to nothing.
std::vector<std::string> MdimSession::ReferencesOf(const std::string& path) const {
    std::vector<std::string> references;
    const auto facts = zarr::DescribeArray(hierarchy(), path);
    if (!facts.ok()) return references;
    for (const zarr::Dimension& dimension : facts->dimensions)
        if (!dimension.coordinate_path.empty()) references.push_back(dimension.coordinate_path);
    const std::string group(zarr::ParentPath(path));
    for (const std::string& name : zarr::WordsAttribute(facts->attributes, "coordinates")) {
        std::string found = zarr::FindVariable(hierarchy(), group, name);
        // A scalar is no coordinate of many elements, but often a grid mapping.
        const auto metadata = found.empty() ? zarr::Result<zarr::ArrayMetadata>(zarr::Status())
                                            : hierarchy().Metadata(found);
        if (metadata.ok() && metadata->rank() > 0) references.push_back(std::move(found));
    }
    return references;
}

std::vector<std::string> MdimSession::OutsideArrays() const {
    if (is_array_ ? location_.node.empty() : root_.empty()) return {};
    std::vector<std::string> waiting = OpenedArrays();
    std::vector<std::string> keys;
    for (const std::string& path : waiting) {
        keys.push_back(zarr::JoinKey(path, zarr::kArrayKey));
        keys.push_back(zarr::JoinKey(path, zarr::kAttributesKey));
    }
    zarr::Prefetch(hierarchy(), keys);
    std::set<std::string> outside;
    while (!waiting.empty()) {
        const std::string path = std::move(waiting.back());
        waiting.pop_back();
        for (std::string& reference : ReferencesOf(path))
            if (!IsOpened(reference) && outside.insert(reference).second)
                waiting.push_back(std::move(reference));
    }
    return {outside.begin(), outside.end()};
}

}  // namespace zarr_driver
