// SPDX-License-Identifier: MIT
#include "driver/multidim/outside_arrays.h"

#include <set>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/facts/array_facts.h"
#include "core/conventions/group/named_members.h"
#include "core/store/keys.h"
#include "driver/multidim/mdim_session.h"

namespace zarr_driver {

namespace {

// Maximum number of arrays that are searched for references to other arrays.
constexpr std::size_t kMaxArrays = 10'000;

// Returns `name` without a suffix such as "_2", which NameOf() may have appended. Returns an empty
// text if `name` has no such suffix.
std::string WithoutNumber(const std::string& name) {
    const std::size_t last = name.find_last_not_of("0123456789");
    const bool is_numbered = last != std::string::npos && last > 0 && last + 1 < name.size();
    return is_numbered && name[last] == '_' ? name.substr(0, last) : std::string();
}

}  // namespace

bool OutsideArrays::IsOpened(const std::string& path) const {
    const std::string* const single = session_.single_array();
    return single != nullptr ? path == *single : zarr::IsAtOrBelow(path, session_.root());
}

bool OutsideArrays::RootHasArray(const std::string& name) const {
    const std::string path = zarr::JoinKey(session_.root(), name);
    const auto is_array = session_.stored_hierarchy().HoldsArray(path);
    if (is_array.ok() && *is_array) return true;
    const auto is_group = session_.stored_hierarchy().Has(path, zarr::Document::kGroup);
    return is_group.ok() && *is_group;
}

std::string OutsideArrays::NameOf(const std::string& path) const {
    std::string base(zarr::LastName(path));
    if (IsOpened(path)) return base;
    const std::string group(zarr::ParentPath(path));
    // Counts the groups, from the root group to the group above the array's group, that have an
    // array called `base`.
    int nearer = 0;
    for (std::string at = session_.root(); at != group; at = std::string(zarr::ParentPath(at))) {
        const auto is_array = session_.stored_hierarchy().HoldsArray(zarr::JoinKey(at, base));
        const bool holds = at == session_.root() ? RootHasArray(base) : is_array.ok() && *is_array;
        nearer += holds ? 1 : 0;
        if (at.empty()) break;
    }
    if (nearer == 0) return base;
    std::string name = base + "_" + std::to_string(nearer + 1);
    while (RootHasArray(name)) name += "_2";
    return name;
}

std::string OutsideArrays::Find(const std::string& name) const {
    if (session_.open_node().node.empty() || !MdimSession::CheckName(name).ok()) return {};
    for (std::string base = name; !base.empty(); base = WithoutNumber(base)) {
        for (std::string at = session_.root();; at = std::string(zarr::ParentPath(at))) {
            std::string path = zarr::JoinKey(at, base);
            const auto is_array = IsOpened(path) ? zarr::Result<bool>(false)
                                                 : session_.stored_hierarchy().HoldsArray(path);
            if (is_array.ok() && *is_array && NameOf(path) == name) return path;
            if (at.empty()) break;
        }
    }
    // Arrays may also refer, by absolute path, to arrays in groups that are not above the opened
    // node. List() finds these arrays, but takes longer.
    for (std::string& path : List())
        if (NameOf(path) == name) return std::move(path);
    return {};
}

// Returns the paths of the arrays in the opened node. Groups that cannot be listed are skipped.
std::vector<std::string> OutsideArrays::OpenedArrays() const {
    if (session_.single_array() != nullptr) return {*session_.single_array()};
    std::vector<std::string> arrays;
    std::vector<std::string> groups{session_.root()};
    while (!groups.empty() && arrays.size() < kMaxArrays) {
        const std::string group = std::move(groups.back());
        groups.pop_back();
        const auto members = zarr::MembersOf(session_.hierarchy(), group);
        if (!members.ok()) continue;  // skipped, because listing the group reports the error
        for (const zarr::Node& node : *members)
            (node.kind == zarr::NodeKind::kGroup ? groups : arrays).push_back(node.path);
    }
    return arrays;
}

// Returns the paths of arrays to which the array at `path` refers. Empty if the array cannot be
// read.
std::vector<std::string> OutsideArrays::ReferencesOf(const std::string& path) const {
    std::vector<std::string> references;
    const auto facts = zarr::DescribeArray(session_.hierarchy(), path);
    if (!facts.ok()) return references;
    for (const zarr::Dimension& dimension : facts->dimensions)
        if (!dimension.coordinate_path.empty()) references.push_back(dimension.coordinate_path);
    const std::string group(zarr::ParentPath(path));
    for (const std::string& name : zarr::WordsAttribute(facts->attributes, "coordinates")) {
        std::string found = zarr::FindVariable(session_.hierarchy(), group, name);
        // Scalar arrays are left out, because most of them are grid mappings and not coordinates.
        const auto metadata = found.empty() ? zarr::Result<zarr::ArrayMetadata>(zarr::Status())
                                            : session_.hierarchy().Metadata(found);
        if (metadata.ok() && metadata->rank() > 0) references.push_back(std::move(found));
    }
    return references;
}

std::vector<std::string> OutsideArrays::List() const {
    if (session_.open_node().node.empty()) return {};
    std::vector<std::string> waiting = OpenedArrays();
    std::vector<std::string> keys;
    for (const std::string& path : waiting) {
        keys.push_back(session_.hierarchy().KeyOf(path, zarr::Document::kArray));
        keys.push_back(session_.hierarchy().KeyOf(path, zarr::Document::kAttributes));
    }
    session_.hierarchy().store()->Prefetch(keys, {});
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
