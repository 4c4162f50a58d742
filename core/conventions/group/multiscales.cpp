// SPDX-License-Identifier: MIT
#include "core/conventions/group/multiscales.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/conventions/attributes/attributes.h"
#include "core/conventions/group/overviews.h"
#include "core/conventions/group/tile_matrix_ids.h"
#include "core/json/value.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

constexpr std::string_view kOmeVersions[] = {"0.1", "0.2", "0.3", "0.4", "0.5", "0.6"};
constexpr std::string_view kLayoutVersions[] = {"0.1", "0.1.0", "1", "1.0", "1.0.0"};

// True if `version` is in `known`, or is a development version or release candidate of one of them,
// such as "0.5-dev-spatialdata", "0.6.dev3" or "0.6rc0".
template <std::size_t kSize>
bool Contains(const std::string_view (&known)[kSize], const std::string& version) {
    std::string_view release = version;
    for (const std::string_view suffix : {"-dev", ".dev", "rc"})
        release = release.substr(0, release.find(suffix));
    return std::find(std::begin(known), std::end(known), release) != std::end(known);
}

// Returns the path of the image to which the label image `group` belongs; nullopt if `group` is not
// below a group "labels".
std::optional<std::string> ImageOfLabel(const std::string& group) {
    for (std::string_view at = ParentPath(group); !at.empty(); at = ParentPath(at))
        if (LastName(at) == kLabelsGroup) return std::string(ParentPath(at));
    return std::nullopt;
}

class MultiscalesReader {
  public:
    Fact<std::vector<Multiscale>> Read(const json::Value& attributes) {
        // Since version 0.5, OME-Zarr stores `multiscales` in the attribute `ome`. Earlier versions
        // and other conventions store `multiscales` as a separate attribute. Both are read.
        if (const json::Value* ome = attributes.Find("ome")) {
            CheckVersion(*ome, "ome", kOmeVersions);
            ReadAll(ome->Find("multiscales"), "ome.multiscales");
        }
        ReadAll(attributes.Find("multiscales"), "multiscales");
        faults_.Report(warnings_);
        return {std::move(multiscales_), std::move(warnings_)};
    }

  private:
    void ReadAll(const json::Value* value, const std::string& origin) {
        if (value == nullptr || value->is_null()) return;
        const json::Array* items = value->as_array();
        if (items == nullptr && value->as_object() == nullptr)
            return Warn(json::Expected(origin, "an array or an object", *value));
        if (items == nullptr) ReadOne(*value, origin);
        for (std::size_t i = 0; items != nullptr && i < items->size(); ++i) {
            if (i == kMaxMultiscales) {
                warnings_.push_back(origin + ": only the first " + std::to_string(kMaxMultiscales) +
                                    " of " + std::to_string(items->size()) + " entries are read");
                break;
            }
            ReadOne((*items)[i], origin + "[" + std::to_string(i) + "]");
        }
    }

    void Warn(const Status& status) { warnings_.push_back(status.message()); }

    void ReadOne(const json::Value& value, const std::string& origin) {
        if (value.as_object() == nullptr) return Warn(json::Expected(origin, "an object", value));
        if (const auto overviews = ListOverviews(value); !overviews.empty()) {
            ReadOverviews(value, overviews, origin);
            if (IsOverviews(value)) return;
        }
        Multiscale multiscale;
        multiscale.origin = origin;
        multiscale.is_overviews = IsOverviews(value);
        if (const json::Value* datasets = value.Find("datasets")) {
            CheckVersion(value, origin, kOmeVersions);
            ReadList(value, *datasets, origin + ".datasets", multiscale);
        } else if (const json::Value* layout = value.Find("layout")) {
            multiscale.kind = Multiscale::Kind::kLayout;
            CheckVersion(value, origin, kLayoutVersions);
            ReadList(value, *layout, origin + ".layout", multiscale);
        } else if (IsTileMatrixPyramid(value)) {
            multiscale.kind = Multiscale::Kind::kTileMatrices;
            for (const std::string& id : TileMatrixIds(value, origin, warnings_))
                AddLevel({&value, nullptr, id, origin + ": tile matrix " + Quoted(id), {}},
                         multiscale);
        } else {
            faults_.Add(origin + ": has no datasets, layout or tile_matrix_set");
        }
        if (IsAccepted(multiscale)) multiscales_.push_back(std::move(multiscale));
    }

    // False if a pyramid has no levels, or if the group has too many.
    bool IsAccepted(const Multiscale& multiscale) {
        listed_ += multiscale.levels.size();
        if (listed_ > kMaxLevelsInGroup)
            faults_.Add(multiscale.origin + ": is ignored, because the group lists more than " +
                        std::to_string(kMaxLevelsInGroup) + " levels");
        return !multiscale.levels.empty() && listed_ <= kMaxLevelsInGroup;
    }

    // Adds a pyramid for each array in `arrays`, whose overviews the `layout` of `value` lists.
    void ReadOverviews(const json::Value& value,
                       const std::map<std::string, std::vector<ListedOverview>>& arrays,
                       const std::string& origin) {
        for (const auto& [array, overviews] : arrays) overviews_ += overviews.size();
        if (overviews_ > kMaxOverviewsInGroup)
            return faults_.Add(origin + ": is ignored, because the group lists more than " +
                               std::to_string(kMaxOverviewsInGroup) + " overviews");
        Multiscale listed{Multiscale::Kind::kLayout, true, origin, {}};
        const json::Array& items = *value.Find("layout")->as_array();
        ReadLevels(value, items, origin + ".layout", listed);
        if (listed.levels.size() != items.size()) return;
        for (const auto& [array, overviews] : arrays) {
            if (overviews.size() >= kMaxPyramidLevels) {
                faults_.Add(origin +
                            ": an array is ignored, because its levels exceed the maximum "
                            "of " +
                            std::to_string(kMaxPyramidLevels));
                continue;
            }
            Multiscale own{listed.kind, listed.is_overviews, listed.origin, {listed.levels[0]}};
            own.levels[0].path = array;
            for (const ListedOverview& overview : overviews) {
                own.levels.push_back(listed.levels[overview.entry]);
                own.levels.back().path = overview.path;
            }
            multiscales_.push_back(std::move(own));
        }
    }

    template <std::size_t kSize>
    void CheckVersion(const json::Value& value, const std::string& origin,
                      const std::string_view (&known)[kSize]) {
        const json::Value* version = value.Find("version");
        if (version == nullptr || version->is_null()) return;
        if (version->as_string() == nullptr || !Contains(known, *version->as_string()))
            warnings_.push_back(origin + ".version: " + json::Brief(*version) +
                                " is unknown; it is read like the known ones");
    }

    void ReadList(const json::Value& value, const json::Value& list, const std::string& origin,
                  Multiscale& multiscale) {
        const json::Array* items = list.as_array();
        if (items == nullptr) return Warn(json::Expected(origin, "an array", list));
        if (items->empty()) warnings_.push_back(origin + ": is empty");
        if (items->size() > kMaxPyramidLevels) {
            faults_.Add(origin + ": is ignored, because its " + std::to_string(items->size()) +
                        " levels exceed the maximum of " + std::to_string(kMaxPyramidLevels));
            return;
        }
        ReadLevels(value, *items, origin, multiscale);
    }

    void ReadLevels(const json::Value& value, const json::Array& items, const std::string& origin,
                    Multiscale& multiscale) {
        for (std::size_t i = 0; i < items.size(); ++i)
            ReadLevel(value, items[i], origin + "[" + std::to_string(i) + "]", multiscale);
    }

    void ReadLevel(const json::Value& value, const json::Value& entry, const std::string& origin,
                   Multiscale& multiscale) {
        const bool is_layout = multiscale.kind == Multiscale::Kind::kLayout;
        const json::Value* path = entry.Find(is_layout ? "asset" : "path");
        if (path == nullptr && is_layout) path = entry.Find("group");
        if (path == nullptr || path->as_string() == nullptr) {
            const std::string member = is_layout ? "asset" : "path";
            return Warn(path == nullptr
                            ? json::Expected(origin, "an object with \"" + member + "\"", entry)
                            : json::Expected(origin + "." + member, "a string", *path));
        }
        LevelStatement statement;
        if (is_layout) statement = ReadLevelStatement(entry, origin, *path->as_string(), warnings_);
        statement.method = MethodOf(value, entry);
        statement.methods = MethodsOfArrays(entry);
        AddLevel({&value, &entry, *path->as_string(), origin, {}}, multiscale,
                 std::move(statement));
    }

    // Returns the resampling method of a level, which its entry of `layout` states, or the whole
    // attribute for all levels.
    static std::string MethodOf(const json::Value& value, const json::Value& entry) {
        for (const json::Value* const owner : {&entry, &value})
            if (const std::string* const method = StringAttribute(*owner, "resampling_method"))
                return *method;
        return {};
    }

    void AddLevel(MultiscaleLevel level, Multiscale& multiscale, LevelStatement statement = {}) {
        if (level.path == ".") {
            level.path.clear();
        } else if (!IsValidKey(level.path)) {
            warnings_.push_back(level.origin + ": " + Quoted(level.path) +
                                " is not a path inside the group; the level is left out");
            return;
        }
        statement.level = level.path;
        level.statement = std::make_shared<const LevelStatement>(std::move(statement));
        multiscale.levels.push_back(std::move(level));
    }

    Warnings warnings_;
    Faults faults_;  // errors that concern a multiscale as a whole, not one of its levels
    std::vector<Multiscale> multiscales_;
    std::size_t listed_ = 0;     // levels of pyramids that are not overviews
    std::size_t overviews_ = 0;  // overviews of all arrays
};

}  // namespace

Fact<std::vector<Multiscale>> ReadMultiscales(const json::Value& group_attributes) {
    return MultiscalesReader().Read(group_attributes);
}

std::shared_ptr<const GroupMultiscales> MultiscalesOf(const Hierarchy& hierarchy,
                                                      const std::string& group) {
    return *hierarchy.Derived<GroupMultiscales>(group, [&]() -> Result<GroupMultiscales> {
        GroupMultiscales read{AttributesOrEmpty(hierarchy, group), {}, {}};
        read.all = ReadMultiscales(read.attributes).Report(read.warnings);
        return read;
    });
}

std::vector<MultiscaleLevel> FindLevels(const std::vector<Multiscale>& multiscales,
                                        std::string_view path, Multiscale::Kind kind) {
    std::vector<MultiscaleLevel> found;
    for (const Multiscale& multiscale : multiscales)
        for (const MultiscaleLevel& level : multiscale.levels)
            if (multiscale.kind == kind && !multiscale.is_overviews && level.path == path)
                found.push_back(level);
    return found;
}

LevelListing ListingOf(const Hierarchy& hierarchy, const std::string& path, Multiscale::Kind kind) {
    for (std::string_view at = path; !at.empty();) {
        at = ParentPath(at);
        LevelListing listing;
        listing.group = std::string(at);
        const auto read = MultiscalesOf(hierarchy, listing.group);
        const std::string_view name = std::string_view(path).substr(at.empty() ? 0 : at.size() + 1);
        listing.levels = FindLevels(read->all, name, kind);
        if (!listing.is_listed()) continue;
        listing.attributes = {read, &read->attributes};
        const auto image = ImageOfLabel(listing.group);
        if (image && kind == Multiscale::Kind::kDatasets) {
            listing.image = MultiscalesOf(hierarchy, *image);
            listing.label = listing.group.substr(image->empty() ? 0 : image->size() + 1);
        }
        return listing;
    }
    return {};
}

}  // namespace zarr
