// SPDX-License-Identifier: MIT
#include "core/array/key_separator.h"

#include "core/grid/chunk_key.h"

namespace zarr {

void KeySeparator::Init(const ArrayMetadata& metadata) {
    rank_ = metadata.rank();
    // A single index is joined to nothing; Zarr v1 knew no other separator.
    if (metadata.has_separator || rank_ < 2 || metadata.is_v1)
        state_ = metadata.dimension_separator == '/' ? State::kSlash : State::kDot;
    else
        state_ = State::kUnknown;
}

void KeySeparator::Know(State state) const {
    for (State known : {State::kUnknown, State::kAssumedDot})
        if (state_.compare_exchange_strong(known, state)) return;
}

void KeySeparator::Confirm() const {
    if (!is_settled()) Know(State::kDot);
}

void KeySeparator::Listed(bool has_dots, bool has_slashes) const {
    if (has_dots || has_slashes) Know(has_dots ? State::kDot : State::kSlash);
}

void KeySeparator::DropAssumption() const {
    State assumed = State::kAssumedDot;
    if (!state_.compare_exchange_strong(assumed, State::kUnknown)) return;
    looked_.Reset();
}

Result<char> KeySeparator::Settle(const Store& store, const std::string& array_path,
                                  const DimVector<std::uint64_t>& chunk) const {
    if (is_settled()) return get();
    ZARR_ASSIGN_OR_RETURN(const State found,
                          looked_.TryGet([&] { return Look(store, array_path, chunk); }));
    State unknown = State::kUnknown;
    state_.compare_exchange_strong(unknown, found);
    return get();
}

Result<KeySeparator::State> KeySeparator::Look(const Store& store, const std::string& array_path,
                                               const DimVector<std::uint64_t>& chunk) const {
    bool has_dots = false;
    bool has_folders = false;
    const auto look = [&](const StoreEntry& entry) {
        if (entry.is_prefix)
            has_folders = has_folders || ParseChunkName(entry.name, 1, '/').has_value();
        else
            has_dots = ParseChunkName(entry.name, rank_, '.').has_value();
        return !has_dots;
    };
    const Status looked = store.VisitEntries(array_path, look);
    if (!looked.ok() && looked.code() != StatusCode::kUnsupported) return looked;
    if (has_dots) return State::kDot;
    if (has_folders) return State::kSlash;
    // Not every store that lists shows the folders that it has no more of than their names.
    Buffer ignored;
    ZARR_ASSIGN_OR_RETURN(const bool found,
                          store.GetRange(ChunkKey(array_path, chunk, '/'), 0, 1, ignored));
    return found ? State::kSlash : State::kAssumedDot;
}

}  // namespace zarr
