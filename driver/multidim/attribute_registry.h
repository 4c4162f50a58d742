// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace zarr_driver {

class ZarrAttribute;

// Attribute objects in use that can be written to. Thread-safe.
class AttributeRegistry {
  public:
    void Add(const std::shared_ptr<ZarrAttribute>& attribute);
    // Returns the attributes of the node at `path`.
    std::vector<std::shared_ptr<ZarrAttribute>> Of(const std::string& path) const;
    // nullptr if the attribute is not in use.
    std::shared_ptr<ZarrAttribute> Find(const std::string& path, const std::string& name) const;
    // Marks the attributes of a node and of the nodes below it as deleted.
    void Delete(const std::string& path) const;
    // Gives the attributes of a node and of the nodes below it the node's new path `target`.
    void Move(const std::string& path, const std::string& target) const;

  private:
    template <class Visit>
    void ForEach(const Visit& visit) const;

    mutable std::mutex mutex_;
    std::vector<std::weak_ptr<ZarrAttribute>> attributes_;
    std::size_t max_attributes_ = 0;  // more cause the removal of those no longer in use
};

}  // namespace zarr_driver
