// SPDX-License-Identifier: MIT
// The `multiscales` attribute of groups: OME-NGFF's (0.1 to 0.6), ndpyramid's, the multiscales of
// zarr-conventions, and GeoZarr's where it stands on a group.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/conventions/attributes.h"
#include "core/conventions/level_statement.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// Most levels of one pyramid, and of all in a group, that are looked at. A list that is longer is
// passed over with a warning. Likewise most `multiscales`, of which the others are passed over.
inline constexpr std::size_t kMaxPyramidLevels = 256;
inline constexpr std::size_t kMaxLevelsInGroup = 1024;
inline constexpr std::size_t kMaxMultiscales = 64;

// A level as `multiscales` list it. The pointers borrow from the attributes.
struct MultiscaleLevel {
    const json::Value* multiscale = nullptr;
    const json::Value* dataset = nullptr;  // its entry; nullptr for a tile matrix
    std::string path;                      // from the group; empty for the group itself
    std::string origin;                    // "multiscales[0].datasets[1]", for messages
    LevelStatement statement;              // of a layout; with paths from the group
};

// One of the `multiscales`, with its levels in the order of the attribute.
struct Multiscale {
    enum class Kind {
        kDatasets,      // OME-NGFF and ndpyramid: `datasets` with `path`
        kLayout,        // zarr-conventions: `layout` with `asset`, in older drafts `group`
        kTileMatrices,  // GeoZarr 0.4
    };
    Kind kind = Kind::kDatasets;
    bool is_overviews = false;  // of an array that is there without them; see overviews.h
    std::string origin;         // "multiscales[0]"
    std::vector<MultiscaleLevel> levels;

    // An image of OME-NGFF, or what is described like one.
    bool IsImage() const { return kind == Kind::kDatasets && !is_overviews; }
};

// Every multiscale that a group's attributes describe and that lists a level. Paths are keys, or
// "." for the group; whether something lies there is not looked at. What is broken gives a warning
// and is left out; an unknown version gives a warning and is tried.
std::vector<Multiscale> ReadMultiscales(const json::Value& group_attributes, Warnings& warnings);

// The listings by multiscales of a kind of the level `path`, an array or group below the group.
// Those of overviews do not count, as they say nothing of the array.
std::vector<MultiscaleLevel> FindLevels(const json::Value& group_attributes, std::string_view path,
                                        Multiscale::Kind kind = Multiscale::Kind::kDatasets);

// The group that lists a node as a level of a pyramid. What an image or a pyramid says of all its
// levels stands in the attributes of the group that has the `multiscales`, however deep the level
// lies below it: "0", or "scale0/image" as ngff-zarr writes it.

// A node as the levels of one group list it.
struct LevelListing {
    std::string group;                              // that has the `multiscales`
    std::shared_ptr<const json::Value> attributes;  // of that group; nullptr where there is none
    std::vector<MultiscaleLevel> levels;            // in the order of the attribute; they borrow
    // Attributes of the image whose label the group is, and the label's path from the image;
    // nullptr for what is no label.
    std::shared_ptr<const json::Value> image;
    std::string label;

    bool is_listed() const { return !levels.empty(); }
};

// The listing of an array or group, by FindLevels(), of the nearest group above it that has one;
// not listed where none has. Broken attributes of groups list nothing.
LevelListing ListingOf(const Hierarchy& hierarchy, const std::string& path,
                       Multiscale::Kind kind = Multiscale::Kind::kDatasets);

// The attributes of a group; an empty object where they are broken, which is reported where the
// group is opened.
json::Value AttributesOfGroup(const Hierarchy& hierarchy, const std::string& group);

}  // namespace zarr
