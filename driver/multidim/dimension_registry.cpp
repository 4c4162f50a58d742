// SPDX-License-Identifier: MIT
#include "driver/multidim/dimension_registry.h"

#include <algorithm>

#include "core/store/keys.h"
#include "driver/multidim/mdim_dimension.h"
#include "driver/multidim/mdim_session.h"

namespace zarr_driver {

// True if the dimension may have the full name "/group/name". False if a coordinate array of this
// name has another length, because then the name belongs to that array's dimension.
bool DimensionRegistry::MayOwnName(const zarr::Dimension& dimension) const {
    if (!dimension.coordinate_path.empty()) return true;
    const std::string path = zarr::JoinKey(dimension.group, dimension.name);
    if (path.empty() || !zarr::IsValidKey(path)) return true;
    const auto metadata = session_.stored_hierarchy().Metadata(path);
    return !metadata.ok() || metadata->rank() != 1 || metadata->shape[0] == dimension.size;
}

std::shared_ptr<ZarrDimension> DimensionRegistry::Of(const zarr::ArrayFacts& facts,
                                                     std::size_t index) {
    const zarr::Dimension& dimension = facts.dimensions[index];
    auto made = std::make_shared<ZarrDimension>(session_.shared_from_this(), facts, index);
    const std::string key = made->Key();
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const NewDimension* created =
            dimension.is_named ? FindCreated(dimension.group, dimension.name, dimension.size)
                               : nullptr;
        if (created != nullptr) return Share(*created);
        if (auto shared = dimensions_[key].lock()) return shared;
    }
    // Called before the mutex is locked, because MayOwnName() may read metadata from the store.
    const bool may_own_name = !dimension.is_named || MayOwnName(dimension);
    const std::lock_guard<std::mutex> lock(mutex_);
    std::weak_ptr<ZarrDimension>& known = dimensions_[key];
    if (auto shared = known.lock()) return shared;
    if (may_own_name)
        ClaimName(made);
    else
        made->AvoidNameClash();
    known = made;
    return made;
}

// Reserves the full name for `dimension`, or renames `dimension` if another dimension has the name.
// The name stays reserved until the dataset is closed or, in update mode, its owner is destroyed.
void DimensionRegistry::ClaimName(const std::shared_ptr<ZarrDimension>& dimension) {
    if (!dimension->is_groups()) return;
    NameClaim& claim = claims_[dimension->GetFullName()];
    const std::string key = dimension->Key();
    const bool is_free = claim.key.empty() || claim.key == key ||
                         (session_.update() != nullptr && claim.owner.expired());
    if (is_free)
        claim = {key, dimension};
    else
        dimension->AvoidNameClash();
}

std::shared_ptr<ZarrDimension> DimensionRegistry::Share(const NewDimension& created) {
    auto made = std::make_shared<ZarrDimension>(session_.shared_from_this(), created);
    std::weak_ptr<ZarrDimension>& known = dimensions_[made->Key()];
    if (auto shared = known.lock()) return shared;
    ClaimName(made);
    known = made;
    return made;
}

const NewDimension* DimensionRegistry::FindCreated(const std::string& group,
                                                   const std::string& name,
                                                   std::uint64_t size) const {
    for (std::string path = group;; path = std::string(zarr::ParentPath(path))) {
        for (const NewDimension& created : created_)
            if (created.group == path && created.name == name && created.size == size)
                return &created;
        if (path.empty()) return nullptr;
    }
}

std::shared_ptr<ZarrDimension> DimensionRegistry::Create(const NewDimension& dimension) {
    const std::lock_guard<std::mutex> lock(mutex_);
    created_.push_back(dimension);
    return Share(dimension);
}

std::vector<NewDimension> DimensionRegistry::Created() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return created_;
}

std::vector<std::shared_ptr<ZarrDimension>> DimensionRegistry::CreatedIn(const std::string& group) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::shared_ptr<ZarrDimension>> found;
    for (const NewDimension& created : created_)
        if (created.group == group) found.push_back(Share(created));
    return found;
}

std::shared_ptr<ZarrDimension> DimensionRegistry::Declared(const NewDimension& dimension) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return Share(dimension);
}

zarr::Result<std::shared_ptr<ZarrDimension>> DimensionRegistry::Adopt(
    const std::string& group, const GDALDimension& dimension) {
    for (const auto& own : Live())
        if (own.get() == &dimension && own->is_named()) return own;
    ZARR_RETURN_IF_ERROR(MdimSession::CheckName(dimension.GetName()));
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const NewDimension* created = FindCreated(group, dimension.GetName(), dimension.GetSize());
        if (created != nullptr) return Share(*created);
    }
    return Create({group, dimension.GetName(), dimension.GetType(), dimension.GetDirection(),
                   dimension.GetSize()});
}

std::vector<std::shared_ptr<ZarrDimension>> DimensionRegistry::Live() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::shared_ptr<ZarrDimension>> live;
    for (const auto& [key, known] : dimensions_)
        if (auto dimension = known.lock()) live.push_back(std::move(dimension));
    return live;
}

void DimensionRegistry::Rekey() {
    const auto live = Live();
    const std::lock_guard<std::mutex> lock(mutex_);
    dimensions_.clear();
    claims_.clear();
    for (const auto& dimension : live) {
        dimensions_[dimension->Key()] = dimension;
        ClaimName(dimension);
    }
}

template <class Change>
void DimensionRegistry::ChangeCreated(const ZarrDimension& dimension, const Change& change) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (NewDimension& created : created_)
        if (created.group == dimension.group() && created.name == dimension.GetName() &&
            created.size == dimension.GetSize())
            change(created);
}

void DimensionRegistry::Rename(ZarrDimension& dimension, const std::string& new_name) {
    ChangeCreated(dimension, [&](NewDimension& created) { created.name = new_name; });
    dimension.Renamed(new_name);
    Rekey();
}

void DimensionRegistry::Resize(const std::map<ZarrDimension*, std::uint64_t>& sizes) {
    for (const auto& [dimension, size] : sizes) {
        ChangeCreated(*dimension, [size = size](NewDimension& created) { created.size = size; });
        dimension->Resized(size);
    }
    Rekey();
}

void DimensionRegistry::Delete(const std::string& group) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto is_below = [&](const NewDimension& created) {
        return zarr::IsAtOrBelow(created.group, group);
    };
    created_.erase(std::remove_if(created_.begin(), created_.end(), is_below), created_.end());
}

void DimensionRegistry::Move(const std::string& path, const std::string& target) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (NewDimension& created : created_)
            if (zarr::IsAtOrBelow(created.group, path))
                created.group = target + created.group.substr(path.size());
    }
    for (const auto& dimension : Live()) dimension->Moved(path, target);
    Rekey();
}

}  // namespace zarr_driver
