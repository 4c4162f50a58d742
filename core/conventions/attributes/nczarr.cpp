// SPDX-License-Identifier: MIT
#include "core/conventions/attributes/nczarr.h"

#include "core/metadata/dialects.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// Keys of NCZarr's metadata that only netCDF-C 4.8.0 wrote.
constexpr std::string_view kOldArrayKey = ".nczarray";
constexpr std::string_view kOldGroupKey = ".nczgroup";

// Returns a member of `object` under its older name `upper` or its newer name `lower`; nullptr if
// both are absent.
const json::Value* FindEither(const json::Value& object, std::string_view upper,
                              std::string_view lower) {
    const json::Value* found = object.Find(upper);
    return found != nullptr ? found : object.Find(lower);
}

bool IsOldStore(const Hierarchy& hierarchy) {
    return hierarchy.format() == Format::kV2 && hierarchy.HasForeignKey(std::string(kOldNczarrKey));
}

// Returns the dimension names in "dimrefs" or "dimension_references". The latter is the name in
// newer releases of netCDF-C.
std::vector<std::string> References(const json::Value* extension) {
    std::vector<std::string> names;
    const json::Value* list =
        extension != nullptr ? FindEither(*extension, "dimrefs", "dimension_references") : nullptr;
    const json::Array* items = list != nullptr ? list->as_array() : nullptr;
    for (std::size_t i = 0; items != nullptr && i < items->size(); ++i)
        if (const std::string* text = (*items)[i].as_string())
            if (!text->empty()) names.push_back(*text);
    return names;
}

// Reads the size of a dimension: a number, or an object with "size". The number may be written as
// text. Returns false if `value` has another form.
bool ReadSize(const json::Value& value, std::uint64_t& size) {
    if (const json::Value* member = value.Find("size")) return ReadSize(*member, size);
    if (value.GetUint64(size)) return true;
    const std::string* text = value.as_string();
    if (text == nullptr || text->empty() || text->size() > 19 ||
        text->find_first_not_of("0123456789") != std::string::npos)
        return false;
    size = std::stoull(*text);
    return true;
}

std::vector<NczarrDimension> DimensionsOf(const json::Value* extension) {
    std::vector<NczarrDimension> dimensions;
    const json::Value* listed =
        extension != nullptr ? FindEither(*extension, "dims", "dimensions") : nullptr;
    if (listed == nullptr) return dimensions;
    std::uint64_t size = 0;
    if (const json::Object* by_name = listed->as_object())
        for (const auto& [name, value] : *by_name)
            if (name != kNczarrScalar && ReadSize(value, size)) dimensions.push_back({name, size});
    if (const json::Array* items = listed->as_array())
        for (const json::Value& item : *items)
            if (const std::string* name =
                    item.Find("name") ? item.Find("name")->as_string() : nullptr)
                if (ReadSize(item, size)) dimensions.push_back({*name, size});
    return dimensions;
}

std::vector<std::string> MembersIn(const json::Value* extension) {
    std::vector<std::string> names;
    for (const std::string_view list : {"vars", "arrays", "groups"}) {
        const json::Value* listed = extension != nullptr ? extension->Find(list) : nullptr;
        const json::Array* items = listed != nullptr ? listed->as_array() : nullptr;
        for (std::size_t i = 0; items != nullptr && i < items->size(); ++i) {
            const std::string* name = (*items)[i].as_string();
            if (name != nullptr && IsValidKey(*name) && name->find('/') == std::string::npos)
                names.push_back(*name);
        }
    }
    return names;
}

// Calls `read` with the NCZarr extension of a group and returns the result. The extension is in
// `.zgroup`, else in the attributes, else under the key of netCDF-C 4.8.0.
template <class Read>
auto OfGroup(const Hierarchy& hierarchy, const std::string& group, const Read& read) {
    if (hierarchy.format() != Format::kV2) return read(nullptr);  // NCZarr extends v2 only
    const json::Value document = hierarchy.MembersOfDocument(DocumentKey(group, Document::kGroup));
    auto found = read(FindEither(document, "_NCZARR_GROUP", "_nczarr_group"));
    if (!found.empty()) return found;
    const auto attributes = hierarchy.Attributes(group);
    if (attributes.ok()) found = read(FindEither(*attributes, "_NCZARR_GROUP", "_nczarr_group"));
    if (!found.empty() || !IsOldStore(hierarchy)) return found;
    const json::Value old = hierarchy.MembersOfDocument(JoinKey(group, kOldGroupKey));
    return read(&old);
}

}  // namespace

std::vector<std::string> NczarrDimensions(const Hierarchy& hierarchy, const std::string& path,
                                          const ArrayMetadata& metadata,
                                          const json::Value& attributes) {
    const json::Value* extension = NczarrExtension(metadata);
    if (extension == nullptr) extension = NczarrExtension(attributes);
    std::vector<std::string> names = References(extension);
    const bool is_named = attributes.Find("_ARRAY_DIMENSIONS") != nullptr;
    if (extension == nullptr && !is_named && !path.empty() && IsOldStore(hierarchy)) {
        const json::Value old = hierarchy.MembersOfDocument(JoinKey(path, kOldArrayKey));
        names = References(&old);
    }
    if (names.size() != metadata.rank()) names.clear();
    return names;
}

std::size_t NczarrTextLength(const ArrayMetadata& metadata) {
    if (!metadata.has_characters || metadata.rank() == 0) return 0;
    const std::uint64_t length = metadata.shape.back();
    return length <= kMaxNczarrText ? static_cast<std::size_t>(length) : 0;
}

std::unordered_map<std::string, DataType> NczarrAttributeTypes(const json::Value& attributes) {
    std::unordered_map<std::string, DataType> types;
    const json::Value* extension = FindEither(attributes, "_NCZARR_ATTR", "_nczarr_attr");
    const json::Value* stated = extension != nullptr ? extension->Find("types") : nullptr;
    const json::Object* members = stated != nullptr ? stated->as_object() : nullptr;
    if (members == nullptr) return types;
    for (const auto& [name, type] : *members) {
        auto parsed = ParseDataType(type);
        if (parsed.ok() && parsed->is_numeric()) types.emplace(name, parsed.Take());
    }
    return types;
}

std::vector<NczarrDimension> NczarrGroupDimensions(const Hierarchy& hierarchy,
                                                   const std::string& group) {
    return OfGroup(hierarchy, group, DimensionsOf);
}

std::vector<std::string> NczarrGroupMembers(const Hierarchy& hierarchy, const std::string& group) {
    return OfGroup(hierarchy, group, MembersIn);
}

bool IsNczarrAttribute(std::string_view name) { return IsNczarrName(name); }

}  // namespace zarr
