// SPDX-License-Identifier: MIT
#include "core/conventions/group/tile_matrix_ids.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

#include "core/conventions/group/level_statement.h"

namespace zarr {

namespace {

// Each list has the names of one JSON member: in GeoZarr, and in versions 2.0 and 1.0 of OGC's Tile
// Matrix Set standard.
constexpr std::string_view kLimitNames[] = {"tile_matrix_limits", "tile_matrix_set_limits"};
constexpr std::string_view kMatrixNames[] = {"tileMatrices", "tileMatrix"};
constexpr std::string_view kIdNames[] = {"id", "identifier", "tileMatrix"};

// Returns the identifier of a tile matrix; nullopt if absent. Some writers store a number instead
// of a string.
std::optional<std::string> MatrixId(const json::Value& item) {
    std::uint64_t number = 0;
    if (item.as_string() != nullptr) return *item.as_string();
    if (item.GetUint64(number)) return std::to_string(number);
    for (const std::string_view name : kIdNames) {
        const json::Value* id = item.Find(name);
        if (id == nullptr) continue;
        if (id->as_string() != nullptr) return *id->as_string();
        if (id->GetUint64(number)) return std::to_string(number);
    }
    return std::nullopt;
}

std::vector<std::string> IdsOf(const json::Value& list, const std::string& origin,
                               Warnings& warnings) {
    std::vector<std::string> ids;
    const json::Object* object = list.as_object();
    const json::Array* items = list.as_array();
    const std::size_t count = object != nullptr ? object->size() : items ? items->size() : 0;
    if (object == nullptr && items == nullptr) {
        warnings.push_back(
            json::Expected(origin, "an object or a list of tile matrices", list).message());
        return ids;
    }
    if (count > kMaxPyramidLevels) {
        warnings.push_back(origin + ": is ignored, because its " + std::to_string(count) +
                           " levels exceed the maximum of " + std::to_string(kMaxPyramidLevels));
        return ids;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const auto id = object != nullptr ? (*object)[i].first : MatrixId((*items)[i]);
        if (id)
            ids.push_back(*id);
        else
            warnings.push_back(json::Expected(origin + "[" + std::to_string(i) + "]",
                                              "a tile matrix with an id", (*items)[i])
                                   .message());
    }
    return ids;
}

}  // namespace

bool IsTileMatrixPyramid(const json::Value& multiscales) {
    return multiscales.Find("tile_matrix_set") != nullptr ||
           std::any_of(std::begin(kLimitNames), std::end(kLimitNames),
                       [&](std::string_view name) { return multiscales.Find(name) != nullptr; });
}

std::vector<std::string> TileMatrixIds(const json::Value& multiscales, const std::string& origin,
                                       Warnings& warnings) {
    for (const std::string_view name : kLimitNames) {
        const json::Value* limits = multiscales.Find(name);
        if (limits == nullptr || limits->is_null()) continue;
        auto ids = IdsOf(*limits, origin + "." + std::string(name), warnings);
        if (!ids.empty()) return ids;
    }
    const json::Value* set = multiscales.Find("tile_matrix_set");
    if (set == nullptr || set->is_null() || set->as_string() != nullptr) return {};
    const std::string place = origin + ".tile_matrix_set";
    for (const std::string_view name : kMatrixNames)
        if (const json::Value* matrices = set->Find(name))
            return IdsOf(*matrices, place + "." + std::string(name), warnings);
    warnings.push_back(
        json::Expected(place, "a name, or an object with tileMatrices", *set).message());
    return {};
}

}  // namespace zarr
