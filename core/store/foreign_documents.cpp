// SPDX-License-Identifier: MIT
#include "core/store/foreign_documents.h"

#include <algorithm>

#include "core/json/slices.h"

namespace zarr {

bool AreReferences(std::string_view text) {
    // Of large consolidated metadata this is much less than looking at the members.
    if (text.find("\"record_size\"") == std::string_view::npos) return false;
    const auto members = json::MemberSlices(text);
    if (!members.ok()) return false;
    const auto has = [&](std::string_view name) {
        return std::any_of(members->begin(), members->end(),
                           [&](const json::Slice& member) { return member.first == name; });
    };
    return has("record_size") && !has("zarr_consolidated_format");
}

}  // namespace zarr
