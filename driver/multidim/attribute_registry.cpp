// SPDX-License-Identifier: MIT
#include "driver/multidim/attribute_registry.h"

#include <algorithm>

#include "core/store/keys.h"
#include "driver/multidim/mdim_attribute.h"

namespace zarr_driver {

using AttributePtr = std::shared_ptr<ZarrAttribute>;

void AttributeRegistry::Add(const AttributePtr& attribute) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (attributes_.size() >= max_attributes_) {
        const auto is_gone = [](const auto& known) { return known.expired(); };
        attributes_.erase(std::remove_if(attributes_.begin(), attributes_.end(), is_gone),
                          attributes_.end());
        max_attributes_ = std::max<std::size_t>(64, 2 * attributes_.size());
    }
    attributes_.push_back(attribute);
}

template <class Visit>
void AttributeRegistry::ForEach(const Visit& visit) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& known : attributes_)
        if (const AttributePtr attribute = known.lock()) visit(attribute);
}

std::vector<AttributePtr> AttributeRegistry::Of(const std::string& path) const {
    std::vector<AttributePtr> found;
    ForEach([&](const AttributePtr& attribute) {
        if (!attribute->is_deleted() && attribute->path() == path) found.push_back(attribute);
    });
    return found;
}

AttributePtr AttributeRegistry::Find(const std::string& path, const std::string& name) const {
    for (const AttributePtr& attribute : Of(path))
        if (attribute->GetName() == name) return attribute;
    return nullptr;
}

void AttributeRegistry::Delete(const std::string& path) const {
    ForEach([&](const AttributePtr& attribute) {
        if (zarr::IsAtOrBelow(attribute->path(), path)) attribute->Deleted();
    });
}

void AttributeRegistry::Move(const std::string& path, const std::string& target) const {
    ForEach([&](const AttributePtr& attribute) { attribute->Moved(path, target); });
}

}  // namespace zarr_driver
