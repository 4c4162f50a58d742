// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace zarr_driver {

class ZarrAttribute;

// Registry of the objects that represent writable attributes and are in use. Thread-safe.
class AttributeRegistry {
  public:
    void Add(const std::shared_ptr<ZarrAttribute>& attribute);
    // Returns the attribute objects in use that belong to the array or group at `path`.
    std::vector<std::shared_ptr<ZarrAttribute>> Of(const std::string& path) const;
    // Returns the object of the attribute `name` of the array or group at `path`; nullptr if the
    // object is not in use.
    std::shared_ptr<ZarrAttribute> Find(const std::string& path, const std::string& name) const;
    // Marks the attribute objects of the array or group at `path`, and of all nodes below a group,
    // as deleted.
    void Delete(const std::string& path) const;
    // Updates the attribute objects of an array or group, and of all nodes below a group, after a
    // move from `path` to `target`.
    void Move(const std::string& path, const std::string& target) const;

  private:
    template <class Visit>
    void ForEach(const Visit& visit) const;

    mutable std::mutex mutex_;
    std::vector<std::weak_ptr<ZarrAttribute>> attributes_;
    std::size_t max_attributes_ = 0;  // size of attributes_ at which expired entries are removed
};

}  // namespace zarr_driver
