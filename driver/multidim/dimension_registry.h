// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/conventions/array_facts.h"

namespace zarr_driver {

class SharedResource;
class ZarrDimension;

// A dimension that a caller has created. No array need have the dimension yet.
struct NewDimension {
    std::string group;  // path in the store
    std::string name;
    std::string type;
    std::string direction;
    std::uint64_t size = 0;
};

// Registry of the dimensions of a session: dimensions of arrays in use, and dimensions that callers
// created. Does not change the store. Thread-safe, except Rename(), Resize() and Move(), which need
// exclusive use of the dimensions.
class DimensionRegistry {
  public:
    // `session` must outlive this object.
    explicit DimensionRegistry(SharedResource& session) : session_(session) {}

    // Returns the dimension object for dimension `index` of an array. Arrays of a group share a
    // dimension object if their dimensions have equal names and sizes. If dimensions of one name
    // have different sizes, only one of them gets the full name "/group/name". It is the one with a
    // coordinate array, or else the first.
    std::shared_ptr<ZarrDimension> Of(const zarr::ArrayFacts& facts, std::size_t index);
    // Creates a dimension. No other dimension of its group may have the name.
    std::shared_ptr<ZarrDimension> Create(const NewDimension& dimension);
    std::vector<NewDimension> Created() const;
    std::vector<std::shared_ptr<ZarrDimension>> CreatedIn(const std::string& group);
    // Returns the object of a dimension that a group's metadata declares although no array has it.
    std::shared_ptr<ZarrDimension> Declared(const NewDimension& dimension);
    // Returns the dimension object that a new array in `group` uses for the caller's `dimension`:
    // `dimension` itself if it belongs to this session, else a dimension of equal name and size.
    zarr::Result<std::shared_ptr<ZarrDimension>> Adopt(const std::string& group,
                                                       const GDALDimension& dimension);

    void Rename(ZarrDimension& dimension, const std::string& new_name);
    void Resize(const std::map<ZarrDimension*, std::uint64_t>& sizes);
    // Forgets the dimensions that callers have created in the deleted group `group`, or in a group
    // below.
    void Delete(const std::string& group);
    // Updates the dimensions of a node, and of all nodes below that node, after the node moved to
    // the path `target`.
    void Move(const std::string& path, const std::string& target);

  private:
    // Says which dimension owns a full name "/group/name" in GDAL's API.
    struct NameClaim {
        std::string key;  // ZarrDimension::Key() of the owner
        std::weak_ptr<ZarrDimension> owner;
    };

    bool MayOwnName(const zarr::Dimension& dimension) const;
    void ClaimName(const std::shared_ptr<ZarrDimension>& dimension);
    std::shared_ptr<ZarrDimension> Share(const NewDimension& created);
    const NewDimension* FindCreated(const std::string& group, const std::string& name,
                                    std::uint64_t size) const;
    template <class Change>
    void ChangeCreated(const ZarrDimension& dimension, const Change& change);
    std::vector<std::shared_ptr<ZarrDimension>> Live() const;
    void Rekey();

    SharedResource& session_;
    mutable std::mutex mutex_;
    // dimension objects by ZarrDimension::Key()
    std::map<std::string, std::weak_ptr<ZarrDimension>> dimensions_;
    std::map<std::string, NameClaim> claims_;  // owners by full name in GDAL's API
    std::vector<NewDimension> created_;
};

}  // namespace zarr_driver
