// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace zarr_driver {

class ZarrAttribute;

// Registry of the writable attribute objects that are in use. Thread-safe.
class AttributeRegistry {
  public:
    void Add(const std::shared_ptr<ZarrAttribute>& attribute);
    // Returns the attribute objects of the node at `path` that are in use.
    std::vector<std::shared_ptr<ZarrAttribute>> Of(const std::string& path) const;
    // Returns the object of the attribute `name` if the object is in use, else nullptr.
    std::shared_ptr<ZarrAttribute> Find(const std::string& path, const std::string& name) const;
    // Marks the attribute objects of a node, and of all nodes below that node, as deleted.
    void Delete(const std::string& path) const;
    // Updates the attribute objects of a node, and of all nodes below that node, after the node
    // moved to the path `target`.
    void Move(const std::string& path, const std::string& target) const;

  private:
    template <class Visit>
    void ForEach(const Visit& visit) const;

    mutable std::mutex mutex_;
    std::vector<std::weak_ptr<ZarrAttribute>> attributes_;
    std::size_t max_attributes_ = 0;  // number of attributes_ at which unused ones are removed
};

}  // namespace zarr_driver
