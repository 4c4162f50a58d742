// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace zarr_driver {

class SharedResource;

// Names the arrays of a session. Also finds outside arrays: arrays that are not in the opened node,
// but to which arrays of the opened node refer. Thread-safe.
class OutsideArrays {
  public:
    // `session` must outlive this object.
    explicit OutsideArrays(const SharedResource& session) : session_(session) {}

    // Returns the name of an array in its group. An array outside of the opened node is shown in
    // the root group. A number is appended to its name if nearer groups have arrays of that name.
    std::string NameOf(const std::string& path) const;
    // Returns the path of the outside array called `name`. Empty if there is no such array. Looks
    // in the groups above the opened node first, and calls List() only if they lack the array.
    std::string Find(const std::string& name) const;
    // Returns the sorted paths of all outside arrays. These are coordinate arrays of dimensions,
    // and arrays that the attribute `coordinates` names. Reads the metadata of all arrays of the
    // opened node. If the root of the store was opened, there are no outside arrays.
    std::vector<std::string> List() const;

  private:
    bool IsOpened(const std::string& path) const;
    bool RootHolds(const std::string& name) const;
    std::vector<std::string> OpenedArrays() const;
    std::vector<std::string> ReferencesOf(const std::string& path) const;

    const SharedResource& session_;
};

}  // namespace zarr_driver
