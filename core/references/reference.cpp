// SPDX-License-Identifier: MIT
#include "core/references/reference.h"

#include <algorithm>

namespace zarr {

Result<std::vector<Reference>> ReferenceMap::FindMany(const std::vector<std::string>& keys) const {
    std::vector<Reference> references;
    references.reserve(keys.size());
    for (const std::string& key : keys) {
        ZARR_ASSIGN_OR_RETURN(Reference reference, Find(key));
        references.push_back(std::move(reference));
    }
    return references;
}

Status ReferenceMap::VisitEntries(const std::string& prefix, const EntryVisitor& visit) const {
    ZARR_ASSIGN_OR_RETURN(const std::vector<StoreEntry> entries, List(prefix));
    static_cast<void>(std::all_of(entries.begin(), entries.end(), visit));
    return {};
}

}  // namespace zarr
