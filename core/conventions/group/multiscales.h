// SPDX-License-Identifier: MIT
// Reads the `multiscales` attribute of groups, which lists the levels of pyramids. Supports
// OME-NGFF (0.1 to 0.6), ndpyramid, zarr-conventions, and GeoZarr.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/group/level_statement.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// Name of the group with the labels of an image.
inline constexpr std::string_view kLabelsGroup = "labels";

// A level that the attribute `multiscales` of a group lists. The pointers are valid as long as the
// attributes.
struct MultiscaleLevel {
    const json::Value* multiscale = nullptr;
    const json::Value* dataset = nullptr;  // JSON entry of the level; nullptr for a tile matrix
    // Path of the array or group, relative to the group; empty for the group itself. For overviews
    // it is the array, even if the entry lists the array's group.
    std::string path;
    // Position such as "multiscales[0].datasets[1]", for messages.
    std::string origin;
    // Statements of a `layout` entry, with paths relative to the group. Overviews in one group
    // share the statements of its entry.
    std::shared_ptr<const LevelStatement> statement;
};

// A pyramid that the `multiscales` of a group describe. Levels keep the order of the attribute.
struct Multiscale {
    enum class Kind {
        kDatasets,      // OME-NGFF and ndpyramid: `datasets` with `path`
        kLayout,        // zarr-conventions: `layout` with `asset`, or `group` in older drafts
        kTileMatrices,  // GeoZarr 0.4: a tile matrix set
    };
    Kind kind = Kind::kDatasets;
    // True if the levels are overviews of an existing array; see overviews.h.
    bool is_overviews = false;
    std::string origin;  // position such as "multiscales[0]", for messages
    std::vector<MultiscaleLevel> levels;

    // True for an OME-NGFF image, and for a pyramid described in the form of an OME-NGFF image.
    bool IsImage() const { return kind == Kind::kDatasets && !is_overviews; }
};

// Reads all pyramids that the `multiscales` of a group describe. A description of overviews gives a
// pyramid for each array. Pyramids without levels are omitted. Paths of levels are relative to the
// group, and may not exist; "." is the group. Invalid parts give a warning and are omitted. An
// unknown version gives a warning and is read like a known version.
Fact<std::vector<Multiscale>> ReadMultiscales(const json::Value& group_attributes);

// Attributes of a group, and the pyramids that their `multiscales` describe.
struct GroupMultiscales {
    json::Value attributes;  // AttributesOrEmpty() of the group
    std::vector<Multiscale> all;
    Warnings warnings;
};

// Returns ReadMultiscales() of a group, which is called once until the group changes.
std::shared_ptr<const GroupMultiscales> MultiscalesOf(const Hierarchy& hierarchy,
                                                      const std::string& group);

// Returns the entries that list `path`, an array or group below the group, in those multiscales of
// the group that have the kind `kind`. Entries of overviews are omitted, because they do not
// describe the array itself.
std::vector<MultiscaleLevel> FindLevels(const std::vector<Multiscale>& multiscales,
                                        std::string_view path,
                                        Multiscale::Kind kind = Multiscale::Kind::kDatasets);

// Entries of one group's `multiscales` that list a node as a level. The node may be deeper than a
// direct member of the group, such as "scale0/image" of ngff-zarr.
struct LevelListing {
    std::string group;  // group with the `multiscales`
    // Attributes of `group`; nullptr if no group lists the node.
    std::shared_ptr<const json::Value> attributes;
    // Entries in the order of the attribute; valid as long as `attributes`.
    std::vector<MultiscaleLevel> levels;
    // If `group` is a label image: the image to which it belongs, and the label image's path
    // relative to that image. Otherwise nullptr and an empty path.
    std::shared_ptr<const GroupMultiscales> image;
    std::string label;

    bool is_listed() const { return !levels.empty(); }
};

// Returns the entries that list a node, from the nearest ancestor group with such entries. If no
// group lists the node, `is_listed()` of the result is false. Invalid attributes count as empty.
LevelListing ListingOf(const Hierarchy& hierarchy, const std::string& path,
                       Multiscale::Kind kind = Multiscale::Kind::kDatasets);

}  // namespace zarr
