// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace zarr_driver {

class MdimSession;

// Finds arrays outside of the opened node to which arrays of the opened node refer ("outside
// arrays"), and names all arrays of a session. Thread-safe.
class OutsideArrays {
  public:
    // `session` must outlive this object.
    explicit OutsideArrays(const MdimSession& session) : session_(session) {}

    // Returns the name of the array at `path` in GDAL's API. Outside arrays are shown in the root
    // group, with a number as in "x_2" if a group from there to the array has an array of that
    // name.
    std::string NameOf(const std::string& path) const;
    // Returns the path of the outside array called `name`; empty if there is none. Looks in the
    // groups above the opened node first, because List() reads more metadata.
    std::string Find(const std::string& name) const;
    // Returns the sorted paths of all outside arrays: coordinate arrays, and arrays that the
    // attribute `coordinates` names. Reads the metadata of all opened arrays. Empty if the store's
    // root was opened.
    std::vector<std::string> List() const;

  private:
    bool IsOpened(const std::string& path) const;
    bool RootHasArray(const std::string& name) const;
    std::vector<std::string> OpenedArrays() const;
    std::vector<std::string> ReferencesOf(const std::string& path) const;

    const MdimSession& session_;
};

}  // namespace zarr_driver
