// SPDX-License-Identifier: MIT
#include "driver/georef/editable_array.h"

#include <optional>
#include <utility>

#include "core/conventions/cf/band_lists.h"
#include "core/hierarchy/attribute_changes.h"
#include "core/store/keys.h"
#include "driver/base/filter_loss.h"
#include "driver/base/metadata_text.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;
namespace json = zarr::json;

namespace {

std::optional<json::Value> UnlessNull(json::Value value) {
    return value.is_null() ? std::nullopt : std::optional(std::move(value));
}

std::optional<json::Value> FindIn(const json::Value& attributes, std::string_view name) {
    const json::Value* const found = attributes.Find(name);
    return found != nullptr ? std::optional(*found) : std::nullopt;
}

void Put(json::Object& members, std::string_view name, std::optional<json::Value> value) {
    if (value)
        json::PutMember(members, name, std::move(*value));
    else
        json::EraseMember(members, name);
}

}  // namespace

std::string EditableArray::Name() const { return open_node_.address.text() + ": /" + path(); }

Status EditableArray::Reopen() {
    ZARR_ASSIGN_OR_RETURN(layout_.array, open_node_.hierarchy->OpenArray(path()));
    layout_.facts.metadata = layout_.array->metadata();
    return {};
}

Status EditableArray::Reload(const zarr::Hierarchy& hierarchy, const std::string& path) {
    ZARR_ASSIGN_OR_RETURN(zarr::ArrayFacts facts, zarr::DescribeArray(hierarchy, path));
    ZARR_ASSIGN_OR_RETURN(layout_.array, hierarchy.OpenArray(path));
    layout_.x_axis = facts.axes.x;
    layout_.y_axis = facts.axes.y;
    layout_.facts = std::move(facts);
    return {};
}

// ---------------------------------------------------------------------------------------------
// Attributes

void EditableArray::Change(const std::string& path, json::Value& attributes, std::string_view name,
                           std::optional<json::Value> value) {
    json::Object* const members = attributes.MutableObject();
    std::optional<json::Value> before = FindIn(attributes, name);
    const bool is_same = zarr::IsSameAttribute(before, value);
    if (members == nullptr || update_ == nullptr || is_same) return;
    // Only a change with a value before can be undone.
    if (stored_ == StoredChanges::kAll) before.reset();
    if (stored_ != StoredChanges::kNone)
        update_->ChangeAttribute(path, {std::string(name), std::move(before), value});
    Put(*members, name, std::move(value));
    was_changed_ = true;
}

void EditableArray::ChangeItem(const std::string& path, json::Value& attributes,
                               std::string_view name, const char* value) {
    const json::Value* const existing = attributes.Find(name);
    const bool is_same = value == nullptr ? existing == nullptr
                                          : existing != nullptr && MetadataText(*existing) == value;
    if (!is_same)
        Change(path, attributes, name,
               value != nullptr ? std::optional(MetadataValue(value)) : std::nullopt);
}

void EditableArray::SetAttribute(std::string_view name, std::optional<json::Value> value) {
    Change(path(), layout_.facts.attributes, name, std::move(value));
}

void EditableArray::ChangeAttribute(std::string_view name, json::Value value) {
    SetAttribute(name, UnlessNull(std::move(value)));
}

void EditableArray::ChangeGroupAttribute(std::string_view name, json::Value value) {
    Change(std::string(zarr::ParentPath(path())), layout_.facts.group_attributes, name,
           UnlessNull(std::move(value)));
}

void EditableArray::SetItem(std::string_view name, const char* value) {
    ChangeItem(path(), layout_.facts.attributes, name, value);
}

void EditableArray::SetGroupItem(std::string_view name, const char* value) {
    ChangeItem(std::string(zarr::ParentPath(path())), layout_.facts.group_attributes, name, value);
}

Status EditableArray::StoreAttribute(const std::string& name, const json::Value& value) {
    if (auto* const members = layout_.facts.attributes.MutableObject()) Put(*members, name, value);
    return update_->metadata().ChangeAttributes(
        path(), zarr::AttributeChanges{{name, std::nullopt, value}});
}

void EditableArray::TakeOver(const json::Value& stored, std::string_view kept) {
    json::Value& own = layout_.facts.attributes;
    if (own.as_object() == nullptr || stored.as_object() == nullptr || update_ == nullptr) return;
    json::Object taken = *stored.as_object();
    Put(taken, kept, FindIn(own, kept));
    zarr::ApplyChanges(update_->PendingAttributes(path()), {}, taken);
    own = json::Value(std::move(taken));
}

bool EditableArray::HasChanges() const { return update_ != nullptr && update_->HasPending(path()); }

bool EditableArray::IsChanged(std::string_view name) const {
    if (update_ == nullptr) return false;
    const std::optional<zarr::AttributeChange> change = update_->PendingAttribute(path(), name);
    return change &&
           !(change->before && change->after && json::Equals(*change->before, *change->after));
}

// ---------------------------------------------------------------------------------------------
// Nodata value and fill value

zarr::Nodata EditableArray::ReadNodata() const {
    if (facts().metadata.dtype.kind == zarr::DataKind::kBool) return {};
    return zarr::ReadNodata(*open_node_.hierarchy, facts(), options_.fill_value_as_nodata);
}

void EditableArray::RemoveContradictions(std::string_view name,
                                         const std::optional<std::string>& element) {
    for (const std::string& other :
         zarr::ContradictingNodata(facts().attributes, facts().metadata, name, element))
        ChangeAttribute(other, json::Value());
}

std::string EditableArray::FilterWarning(const std::string& element) const {
    return NodataFilterWarning(facts().metadata.codecs, facts().metadata.dtype, element);
}

Result<bool> EditableArray::SetNodata(const ScalarField& field, const std::string& element) {
    const zarr::ArrayMetadata& metadata = facts().metadata;
    ZARR_ASSIGN_OR_RETURN(json::Member attribute,
                          zarr::NodataAttribute(field.type, metadata.format, element));
    // The fill value is changed before the attribute, so that a failure leaves the nodata value.
    bool is_written = false;
    if (field.name.empty() && stored_ != StoredChanges::kNone) {
        ZARR_ASSIGN_OR_RETURN(const bool is_unwritten,
                              update_->AreAbsentChunksUnwritten(path(), options_.threads));
        is_written = !is_unwritten && zarr::FillValueMustFollow(metadata, element);
        if (is_unwritten || is_written) ZARR_RETURN_IF_ERROR(ReplaceFillValue(element, is_written));
    }
    RemoveContradictions(attribute.first, element);
    ChangeAttribute(attribute.first, std::move(attribute.second));
    return is_written;
}

Result<bool> EditableArray::RemoveNodata(const ScalarField& field) {
    ZARR_RETURN_IF_ERROR(zarr::CheckNodataIsWritable(field.type));
    const bool is_kept = stored_ == StoredChanges::kNone || !facts().metadata.has_fill_value ||
                         options_.fill_value_as_nodata == zarr::FillAsNodata::kNo;
    const bool is_written = !is_kept && !update_->IsUnwritten(path());
    if (!is_kept) ZARR_RETURN_IF_ERROR(ReplaceFillValue(std::nullopt, is_written));
    RemoveContradictions({}, std::nullopt);
    return is_written;
}

// Changes the fill value. Elements of absent chunks keep their values if `is_written` is true;
// otherwise they get the new value.
Status EditableArray::ReplaceFillValue(const std::optional<std::string>& element, bool is_written) {
    if (is_written) {
        ZARR_RETURN_IF_ERROR(
            update_->SetFillValue(*open_node_.hierarchy, path(), element, options_.threads));
    } else {
        ZARR_ASSIGN_OR_RETURN(const zarr::ArrayMetadata changed,
                              zarr::WithFillValue(facts().metadata, element));
        ZARR_RETURN_IF_ERROR(update_->metadata().ReplaceMetadata(path(), changed));
    }
    return Reopen();
}

// ---------------------------------------------------------------------------------------------
// Scale, offset and units

bool EditableArray::IsPacked() const {
    return facts().attributes.Find("scale_factor") != nullptr ||
           facts().attributes.Find("add_offset") != nullptr;
}

void EditableArray::SetUnits(const std::string& units) {
    ChangeAttribute(zarr::kUnitsOfBands, units.empty() ? json::Value() : json::Value(units));
}

}  // namespace zarr_driver
