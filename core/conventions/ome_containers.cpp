// SPDX-License-Identifier: MIT
#include "core/conventions/ome_containers.h"

#include <set>

#include "core/base/text.h"
#include "core/conventions/lookup.h"
#include "core/json/members.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

constexpr std::string_view kSeriesLayout = "bioformats2raw.layout";

class Reader {
  public:
    Reader(const Hierarchy& hierarchy, const std::string& group, Warnings& warnings)
        : hierarchy_(hierarchy), group_(group), warnings_(warnings) {}

    OmeContainer Read() {
        Warnings ignored;  // reported where the group is opened
        const json::Value attributes = LenientAttributes(hierarchy_, group_, ignored);
        using Kind = OmeContainer::Kind;
        const json::Value* plate = attributes.Find("plate");
        const json::Value* well = attributes.Find("well");
        const json::Value* layout = attributes.Find(kSeriesLayout);
        const json::Value* labels = attributes.Find("labels");
        // Other stores have words like these for attributes of their own.
        if (plate != nullptr && plate->as_object() != nullptr) {
            container_.kind = Kind::kPlate;
            for (const std::string& name : Listed(*plate, "wells", "plate")) AddWell(name);
        } else if (well != nullptr && well->as_object() != nullptr) {
            container_.kind = Kind::kWell;
            AddImages(group_, Listed(*well, "images", "well"), "well.images");
        } else if (layout != nullptr) {
            container_.kind = Kind::kSeries;
            AddSeries(*layout);
        } else if (labels != nullptr && labels->as_array() != nullptr &&
                   (group_.empty() || LastName(group_) == "labels")) {
            container_.kind = Kind::kLabels;
            AddImages(group_, Names(*labels, "labels"), "labels");
        }
        return std::move(container_);
    }

  private:
    void Warn(const Status& status) { warnings_.push_back(status.message()); }

    // The items of an array, as texts or as objects with `path`.
    std::vector<std::string> Names(const json::Value& list, const std::string& origin) {
        std::vector<std::string> names;
        const json::Array* items = list.as_array();
        if (items == nullptr) {
            Warn(json::Expected(origin, "an array", list));
            return names;
        }
        for (std::size_t i = 0; i < items->size(); ++i) {
            const std::string* name = (*items)[i].as_string();
            if (name == nullptr) name = StringAttribute((*items)[i], "path");
            if (name == nullptr)
                Warn(json::Expected(origin + "[" + std::to_string(i) + "]", "a path", (*items)[i]));
            else
                names.push_back(*name);
        }
        return names;
    }

    std::vector<std::string> Listed(const json::Value& owner, const char* member,
                                    const std::string& origin) {
        const json::Value* list = owner.Find(member);
        if (list != nullptr) return Names(*list, origin + "." + member);
        Warn(json::Expected(origin, std::string("an object with \"") + member + "\"", owner));
        return {};
    }

    bool IsGroup(const std::string& path) {
        const auto quick = hierarchy_.Has(JoinKey(path, kGroupKey));
        if (quick.ok() && *quick) return true;
        const auto kind = hierarchy_.KindOf(path);
        return kind.ok() && *kind == NodeKind::kGroup;
    }

    // The path of a group listed in `parent`; empty, and a warning, where there is none.
    std::string PathOf(const std::string& parent, const std::string& name,
                       const std::string& origin) {
        std::string path = JoinKey(parent, name);
        if (!IsValidKey(name) || !IsValidKey(path))
            warnings_.push_back(origin + ": " + Quoted(name) + " is no path inside the group");
        else if (!IsGroup(path))
            warnings_.push_back(origin + ": there is no group /" + path);
        else
            return path;
        return {};
    }

    bool IsFull() {
        if (container_.images.size() < kMaxOmeImages) return false;
        if (!warned_full_)
            warnings_.push_back("more than " + std::to_string(kMaxOmeImages) +
                                " images; the others are left out");
        warned_full_ = true;
        return true;
    }

    void AddImages(const std::string& parent, const std::vector<std::string>& names,
                   const std::string& origin) {
        for (const std::string& name : names) {
            if (IsFull()) return;
            std::string path = PathOf(parent, name, origin);
            if (!path.empty() && seen_.insert(path).second)
                container_.images.push_back(std::move(path));
        }
    }

    void AddWell(const std::string& name) {
        if (IsFull()) return;
        const std::string path = PathOf(group_, name, "plate.wells");
        if (path.empty()) return;
        const json::Value attributes = LenientAttributes(hierarchy_, path, warnings_);
        const std::string origin = "/" + path + ": well";
        if (const json::Value* well = attributes.Find("well"))
            AddImages(path, Listed(*well, "images", origin), origin + ".images");
        else
            warnings_.push_back("plate.wells: /" + path + " has no attribute well");
    }

    void AddSeries(const json::Value& layout) {
        std::int64_t number = 0;
        if (!layout.GetInt64(number) || number != 3)
            warnings_.push_back(std::string(kSeriesLayout) + ": " + json::Brief(layout) +
                                " is unknown; it is read like 3");
        const json::Value attributes =
            LenientAttributes(hierarchy_, JoinKey(group_, "OME"), warnings_);
        if (const json::Value* series = attributes.Find("series"))
            return AddImages(group_, Names(*series, "OME: series"), "OME: series");
        for (std::size_t i = 0; !IsFull(); ++i) {
            std::string path = JoinKey(group_, std::to_string(i));
            if (!IsGroup(path)) return;
            container_.images.push_back(std::move(path));
        }
    }

    const Hierarchy& hierarchy_;
    const std::string& group_;
    Warnings& warnings_;
    OmeContainer container_;
    std::set<std::string> seen_;
    bool warned_full_ = false;
};

}  // namespace

OmeContainer ReadOmeContainer(const Hierarchy& hierarchy, const std::string& group,
                              Warnings& warnings) {
    return Reader(hierarchy, group, warnings).Read();
}

}  // namespace zarr
