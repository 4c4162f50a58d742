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
#include "core/conventions/facts/array_facts.h"

namespace zarr_driver {

class MdimSession;
class ZarrDimension;

// A dimension that a caller has created, and that arrays may not use yet.
struct NewDimension {
    std::string group;  // path of the group in the store
    std::string name;
    std::string type;
    std::string direction;
    std::uint64_t size = 0;
};

// All dimensions of a session: those of arrays in use, and those that callers created. Does not
// change the store. Thread-safe, but Rename(), Resize() and Move() need exclusive use of the
// dimensions.
class DimensionRegistry {
  public:
    // `session`, to which the dimensions belong, must outlive this object.
    explicit DimensionRegistry(MdimSession& session) : session_(session) {}

    // Returns the object for dimension `index` of an array. Arrays of a group share the object of a
    // dimension with equal name and size.
    //
    // If sizes differ, only the dimension with a coordinate array, or else the first one, has the
    // full name "/group/name".
    std::shared_ptr<ZarrDimension> Of(const zarr::ArrayFacts& facts, std::size_t index);
    // Creates a dimension, whose name must be new in its group.
    std::shared_ptr<ZarrDimension> Create(const NewDimension& dimension);
    std::vector<NewDimension> Created() const;
    std::vector<std::shared_ptr<ZarrDimension>> CreatedIn(const std::string& group);
    // Returns the object of a dimension that a group's metadata declares but no array has.
    std::shared_ptr<ZarrDimension> Declared(const NewDimension& dimension);
    // Returns the dimension object for a new array in `group`: the caller's `dimension` itself if
    // it belongs to this session, else a dimension of equal name and size.
    zarr::Result<std::shared_ptr<ZarrDimension>> Adopt(const std::string& group,
                                                       const GDALDimension& dimension);

    void Rename(ZarrDimension& dimension, const std::string& new_name);
    void Resize(const std::map<ZarrDimension*, std::uint64_t>& sizes);
    // Forgets the dimensions that callers created in the deleted group `group` and in its
    // subgroups.
    void Delete(const std::string& group);
    // Changes the paths of all dimensions at or below a group or array that has moved from `path`
    // to `target`.
    void Move(const std::string& path, const std::string& target);

  private:
    // The dimension that has a full name "/group/name" in GDAL's API.
    struct NameClaim {
        std::string key;  // ZarrDimension::Key() of the dimension that has the name
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

    MdimSession& session_;
    mutable std::mutex mutex_;
    // dimension objects, by ZarrDimension::Key()
    std::map<std::string, std::weak_ptr<ZarrDimension>> dimensions_;
    // For each full name in GDAL's API, the dimension that has it.
    std::map<std::string, NameClaim> claims_;
    std::vector<NewDimension> created_;
};

}  // namespace zarr_driver
