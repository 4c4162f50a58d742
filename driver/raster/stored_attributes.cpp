// SPDX-License-Identifier: MIT
#include "driver/raster/stored_attributes.h"

#include <cpl_port.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/conventions/attributes.h"
#include "core/store/keys.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/metadata_text.h"
#include "driver/georef/georeferencing_write.h"
#include "driver/raster/pam_merge.h"
#include "driver/raster/stored_pam.h"

namespace zarr_driver {

using zarr::Status;
namespace json = zarr::json;

namespace {

// Sets an attribute, or removes it if `value` is nullptr. Returns false if nothing changes.
bool ChangeItem(json::Object& attributes, const char* name, const char* value) {
    const auto existing =
        std::find_if(attributes.begin(), attributes.end(),
                     [&](const json::Member& member) { return member.first == name; });
    if (value != nullptr && existing != attributes.end() && MetadataText(existing->second) == value)
        return false;
    if (value == nullptr && existing == attributes.end()) return false;
    SetMember(attributes, name, value != nullptr ? MetadataValue(value) : json::Value());
    return true;
}

}  // namespace

bool MayBeAttribute(const std::string& store_path, const char* name) {
    if (STARTS_WITH_CI(name, "STATISTICS_")) return false;
    if (!IsInterpretedAttribute(name)) return true;
    EmitWarning(
        store_path,
        std::string("metadata item ") + name +
            " is not stored, because the attribute of that name has another meaning in Zarr");
    return false;
}

void StoredAttributes::Change(BandArray& array, const char* name, json::Value value) {
    auto* members = array.layout.facts.attributes.MutableObject();
    if (members == nullptr) return;
    SetMember(*members, name, std::move(value));
    array.attributes_changed = true;
}

void StoredAttributes::TakeOver(BandArray& array, const json::Value& stored) {
    json::Value& own = array.layout.facts.attributes;
    if (own.as_object() == nullptr || stored.as_object() == nullptr) return;
    std::vector<std::string> kept{kPamAttribute};
    for (const zarr::AttributeChange& change : zarr::DifferenceOf(array.attributes_before, own))
        kept.push_back(change.name);
    for (json::Value* const attributes : {&own, &array.attributes_before}) {
        json::Object taken = *stored.as_object();
        for (const std::string& name : kept) {
            const json::Value* const value = attributes->Find(name);
            SetMember(taken, name, value != nullptr ? *value : json::Value());
        }
        *attributes = json::Value(std::move(taken));
    }
}

Status StoredAttributes::Store(BandArray& array, const std::string& name, const json::Value& value,
                               StoreUpdate& update) {
    for (json::Value* attributes : {&array.layout.facts.attributes, &array.attributes_before})
        if (auto* const members = attributes->MutableObject()) SetMember(*members, name, value);
    return update.metadata().ChangeAttributes(array.layout.facts.path,
                                              zarr::AttributeChanges{{name, std::nullopt, value}});
}

void StoredAttributes::SetItem(BandArray& array, const char* name, const char* value) {
    auto* members = array.layout.facts.attributes.MutableObject();
    if (members != nullptr && ChangeItem(*members, name, value)) array.attributes_changed = true;
}

json::Object StoredAttributes::OfGroup() const {
    const auto* existing = arrays_[0]->layout.facts.group_attributes.as_object();
    return existing != nullptr ? *existing : json::Object();
}

void StoredAttributes::ChangeGroup(const char* name, json::Value value) {
    json::Object attributes = OfGroup();
    SetMember(attributes, name, std::move(value));
    SetOfGroup(std::move(attributes));
}

void StoredAttributes::SetOfGroup(json::Object attributes) {
    if (!group_before_) group_before_ = OfGroup();
    arrays_[0]->layout.facts.group_attributes = json::Value(std::move(attributes));
}

void StoredAttributes::SetGroupItem(const char* name, const char* value) {
    json::Object attributes = OfGroup();
    if (ChangeItem(attributes, name, value)) SetOfGroup(std::move(attributes));
}

bool StoredAttributes::AreOfArraysChanged() const {
    return std::any_of(arrays_.begin(), arrays_.end(),
                       [](const auto& array) { return array->attributes_changed; });
}

Status StoredAttributes::Flush(StoreUpdate& update) {
    if (group_before_) {
        const RasterLayout& layout = arrays_[0]->layout;
        ZARR_RETURN_IF_ERROR(update.metadata().ChangeAttributes(
            std::string(zarr::ParentPath(layout.facts.path)), json::Value(*group_before_),
            layout.facts.group_attributes, MergeAttribute));
    }
    group_before_.reset();
    for (const auto& array : arrays_) {
        if (!array->attributes_changed) continue;
        ZARR_RETURN_IF_ERROR(
            update.metadata().ChangeAttributes(array->layout.facts.path, array->attributes_before,
                                               array->layout.facts.attributes, MergeAttribute));
        array->attributes_before = array->layout.facts.attributes;
        array->attributes_changed = false;
    }
    return {};
}

}  // namespace zarr_driver
