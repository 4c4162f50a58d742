// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace zarr_driver {

class SharedResource;

// Names the arrays of a session, and finds arrays outside the node that was opened to which arrays
// of that node refer. Thread-safe.
class OutsideArrays {
  public:
    // `session` outlives this object.
    explicit OutsideArrays(const SharedResource& session) : session_(session) {}

    // The name of an array in its group. An array outside the node that was opened is shown in the
    // root group, with a number if nearer groups have arrays of that name.
    std::string NameOf(const std::string& path) const;
    // Returns the path of the outside array with this name; empty if there is none. Lists only if
    // no group above the node that was opened has the array.
    std::string Find(const std::string& name) const;
    // Returns the sorted paths of the outside arrays: coordinates of dimensions, and arrays in the
    // attribute `coordinates`. Reads the metadata of all arrays of the node that was opened, except
    // if that is the store's root.
    std::vector<std::string> List() const;

  private:
    bool IsOpened(const std::string& path) const;
    bool RootHolds(const std::string& name) const;
    std::vector<std::string> OpenedArrays() const;
    std::vector<std::string> ReferencesOf(const std::string& path) const;

    const SharedResource& session_;
};

}  // namespace zarr_driver
