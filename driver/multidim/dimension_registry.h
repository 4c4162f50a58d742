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

// A dimension that was created and that may be in no array yet.
struct NewDimension {
    std::string group;  // path in the store
    std::string name;
    std::string type;
    std::string direction;
    std::uint64_t size = 0;
};

// Dimensions of a session: those of arrays that are in use, and those that were created. Does not
// change the store. Thread-safe, except Rename(), Resize() and Move(): they need exclusive use of
// the dimensions.
class DimensionRegistry {
  public:
    // `session` outlives this object.
    explicit DimensionRegistry(SharedResource& session) : session_(session) {}

    // Returns the dimension `index` of an array. Arrays of a group share the dimensions to which
    // the store gives the same name and size. If dimensions of a group have the same name and
    // different sizes, the name is given to the one with a coordinate array, else to the first.
    std::shared_ptr<ZarrDimension> Of(const zarr::ArrayFacts& facts, std::size_t index);
    // Creates a dimension; its group has no other with this name.
    std::shared_ptr<ZarrDimension> Create(const NewDimension& dimension);
    std::vector<NewDimension> Created() const;
    std::vector<std::shared_ptr<ZarrDimension>> CreatedIn(const std::string& group);
    // Returns a dimension that a group declares and that is in no array.
    std::shared_ptr<ZarrDimension> Declared(const NewDimension& dimension);
    // Returns a dimension of this session for an array in `group`: `dimension` itself, or one with
    // its name and size if `dimension` is of another dataset.
    zarr::Result<std::shared_ptr<ZarrDimension>> Adopt(const std::string& group,
                                                       const GDALDimension& dimension);

    void Rename(ZarrDimension& dimension, const std::string& new_name);
    void Resize(const std::map<ZarrDimension*, std::uint64_t>& sizes);
    // Drops the dimensions that were created in a group or below it.
    void Delete(const std::string& group);
    // Gives the dimensions of a node and of the nodes below it the node's new path `target`.
    void Move(const std::string& path, const std::string& target);

  private:
    // The owner of a full name.
    struct NameClaim {
        std::string key;  // ZarrDimension::Key()
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
    std::map<std::string, std::weak_ptr<ZarrDimension>> dimensions_;  // by ZarrDimension::Key()
    std::map<std::string, NameClaim> claims_;                         // by full name
    std::vector<NewDimension> created_;
};

}  // namespace zarr_driver
