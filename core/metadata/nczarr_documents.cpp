// SPDX-License-Identifier: MIT
#include "core/metadata/nczarr_documents.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/json/value.h"
#include "core/metadata/dialects.h"
#include "core/metadata/documents.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

constexpr std::string_view kOldStoreKey = ".nczarr";
constexpr std::string_view kOldGroupKey = ".nczgroup";
constexpr std::string_view kOldArrayKey = ".nczarray";
constexpr std::string_view kNames = "_ARRAY_DIMENSIONS";

// Returns the strings of a JSON array, without items of other types.
std::vector<std::string> Texts(const json::Value* list) {
    std::vector<std::string> texts;
    const json::Array* const items = list != nullptr ? list->as_array() : nullptr;
    for (std::size_t i = 0; items != nullptr && i < items->size(); ++i)
        if (const std::string* text = (*items)[i].as_string()) texts.push_back(*text);
    return texts;
}

json::Value ListOf(const std::vector<std::string>& texts) {
    json::Array list;
    for (const std::string& text : texts) list.emplace_back(text);
    return json::Value(std::move(list));
}

std::vector<std::uint64_t> ShapeOf(const json::Value& document) {
    std::vector<std::uint64_t> shape;
    const json::Value* const sizes = document.Find("shape");
    const json::Array* const items = sizes != nullptr ? sizes->as_array() : nullptr;
    for (std::size_t i = 0; items != nullptr && i < items->size(); ++i) {
        std::uint64_t size = 0;
        if ((*items)[i].GetUint64(size)) shape.push_back(size);
    }
    return shape;
}

// Returns the size in the JSON declaration of a dimension: a number, or an object with the member
// "size". Returns nullptr if that member is absent.
json::Value* SizeOf(json::Value& declared) {
    if (json::Object* const members = declared.MutableObject())
        return json::FindMember(*members, "size");
    return &declared;
}

bool HasSize(const json::Value& declared, std::uint64_t size) {
    const json::Value* const existing =
        declared.as_object() != nullptr ? declared.Find("size") : &declared;
    std::uint64_t number = 0;
    if (existing == nullptr) return false;
    const std::string* const text = existing->as_string();
    return text != nullptr ? *text == std::to_string(size)
                           : existing->GetUint64(number) && number == size;
}

// Returns the declaration of the dimension `name`; nullptr if there is none. `dimensions` is an
// object with a member for each name, or a list of objects with a member "name".
json::Value* FindDimension(json::Value* dimensions, std::string_view name) {
    if (dimensions == nullptr) return nullptr;
    if (json::Object* const by_name = dimensions->MutableObject())
        return json::FindMember(*by_name, name);
    json::Array* const list = dimensions->MutableArray();
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        const json::Value* const own = (*list)[i].Find("name");
        if (own != nullptr && own->as_string() != nullptr && *own->as_string() == name)
            return &(*list)[i];
    }
    return nullptr;
}

void AddDimension(json::Value& dimensions, const std::string& name, std::uint64_t size) {
    if (json::Array* const list = dimensions.MutableArray()) {
        list->emplace_back(json::Object{{"name", json::Value(name)}, {"size", json::Value(size)}});
        return;
    }
    if (dimensions.as_object() == nullptr) dimensions = json::Value(json::Object{});
    dimensions.MutableObject()->emplace_back(name, json::Value(size));
}

void RemoveDimension(json::Value* dimensions, std::string_view name) {
    if (dimensions == nullptr) return;
    if (json::Object* const by_name = dimensions->MutableObject())
        by_name->erase(std::remove_if(by_name->begin(), by_name->end(),
                                      [&](const auto& member) { return member.first == name; }),
                       by_name->end());
    if (json::Array* const list = dimensions->MutableArray())
        list->erase(std::remove_if(list->begin(), list->end(),
                                   [&](const json::Value& item) {
                                       const json::Value* const own = item.Find("name");
                                       return own != nullptr && own->as_string() != nullptr &&
                                              *own->as_string() == name;
                                   }),
                    list->end());
}

std::string FullName(const std::string& group, const std::string& name) {
    return "/" + JoinKey(group, name);
}

// Removes `_ARRAY_DIMENSIONS` from an array that uses a dimension of a group below the root, as
// netCDF-C does since 4.9.3. When netCDF-C reads a store as plain Zarr, it declares all dimension
// names at the root, and rejects the store if one name has different sizes.
void DropNamesOfGroups(const std::vector<std::string>& references, json::Object& attributes) {
    const auto is_of_root = [](const std::string& reference) { return reference.rfind('/') == 0; };
    if (!std::all_of(references.begin(), references.end(), is_of_root))
        attributes.erase(std::remove_if(attributes.begin(), attributes.end(),
                                        [](const auto& member) { return member.first == kNames; }),
                         attributes.end());
}

bool IsSame(const json::Object& a, const json::Object& b) {
    return json::Dump(json::Value(a)) == json::Dump(json::Value(b));
}

}  // namespace

Result<json::Object> NczarrDocuments::Read(const MemberLocation& location) const {
    Buffer text;
    ZARR_ASSIGN_OR_RETURN(const bool found, GetDocument(*store_, location.key, text));
    if (!found) return json::Object();
    auto parsed = json::Parse(std::as_const(text).span().text());
    if (!parsed.ok()) return parsed.status().WithContext(location.key);
    const json::Value* const value =
        location.member.empty() ? &*parsed : parsed->Find(location.member);
    const json::Object* const members = value != nullptr ? value->as_object() : nullptr;
    return members != nullptr ? *members : json::Object();
}

Status NczarrDocuments::Change(const MemberLocation& location,
                               const std::function<void(json::Object&)>& change) {
    ZARR_ASSIGN_OR_RETURN(const auto held, AcquireIfAny(locks_, location.key));
    ZARR_ASSIGN_OR_RETURN(json::Object document, Read({location.key, {}}));
    const json::Object before = document;
    if (document.empty() && IsDocument(LastName(location.key), Document::kGroup))
        document.emplace_back("zarr_format", json::Value(std::int64_t{2}));
    if (location.member.empty()) {
        change(document);
    } else {
        json::Value* const value = json::FindMember(document, location.member);
        json::Object members = value != nullptr && value->as_object() != nullptr
                                   ? *value->as_object()
                                   : json::Object();
        change(members);
        json::PutMember(document, location.member, json::Value(std::move(members)));
    }
    if (IsSame(before, document)) return {};
    const std::string text = json::DumpIndented(json::Value(std::move(document)));
    return store_->Set(location.key, ByteSpan(std::string_view(text)));
}

// ---------------------------------------------------------------------------------------------
// Detection of stores that netCDF-C wrote

void NczarrDocuments::ReadSpelling(const json::Value& root) {
    const bool is_lower =
        root.Find("_NCZARR_GROUP") == nullptr && root.Find("_NCZARR_SUPERBLOCK") == nullptr &&
        (root.Find("_nczarr_group") != nullptr || root.Find("_nczarr_superblock") != nullptr);
    if (is_lower) {
        spelling_.group = "_nczarr_group";
        spelling_.array = "_nczarr_array";
        spelling_.attributes = "_nczarr_attr";
    }
    const json::Value* const group = root.Find(spelling_.group);
    // Releases of netCDF-C differ in the names of these members. If the root group has neither
    // name, the older name is used.
    const auto choose = [&](std::string_view older, std::string_view newer) {
        if (group == nullptr || group->Find(newer) == nullptr) return older;
        return newer;
    };
    spelling_.dimensions = choose("dims", "dimensions");
    spelling_.arrays = choose("vars", "arrays");
    if (spelling_.dimensions == "dimensions") spelling_.references = "dimension_references";
}

Result<NczarrDocuments::Layout> NczarrDocuments::FindLayout() {
    if (layout_) return *layout_;
    const auto is_root = [](const json::Value& document) {
        constexpr std::string_view kRootNames[] = {"_NCZARR_SUPERBLOCK", "_nczarr_superblock",
                                                   "_NCZARR_GROUP", "_nczarr_group"};
        return std::any_of(std::begin(kRootNames), std::end(kRootNames),
                           [&](const auto& name) { return document.Find(name) != nullptr; });
    };
    ZARR_ASSIGN_OR_RETURN(json::Object members, Read({DocumentKey("", Document::kGroup), {}}));
    // netCDF-C always writes a root group. A root without a `.zgroup` is an array, or does not
    // exist yet.
    if (members.empty()) return *(layout_ = Layout::kNone);
    const json::Value group(std::move(members));
    if (is_root(group)) {
        ReadSpelling(group);
        return *(layout_ = Layout::kMembers);
    }
    ZARR_ASSIGN_OR_RETURN(members, Read({DocumentKey("", Document::kAttributes), {}}));
    const json::Value attributes(std::move(members));
    if (is_root(attributes)) {
        ReadSpelling(attributes);
        return *(layout_ = Layout::kAttributes);
    }
    Buffer text;
    ZARR_ASSIGN_OR_RETURN(const bool is_old, GetDocument(*store_, std::string(kOldStoreKey), text));
    return *(layout_ = is_old ? Layout::kDocuments : Layout::kNone);
}

NczarrDocuments::MemberLocation NczarrDocuments::GroupLocation(const std::string& group) const {
    if (layout_ == Layout::kDocuments) return {JoinKey(group, kOldGroupKey), {}};
    return {
        DocumentKey(group, layout_ == Layout::kMembers ? Document::kGroup : Document::kAttributes),
        spelling_.group};
}

NczarrDocuments::MemberLocation NczarrDocuments::ArrayLocation(const std::string& array) const {
    if (layout_ == Layout::kDocuments) return {JoinKey(array, kOldArrayKey), {}};
    return {
        DocumentKey(array, layout_ == Layout::kMembers ? Document::kArray : Document::kAttributes),
        spelling_.array};
}

// ---------------------------------------------------------------------------------------------
// NCZarr's lists of the arrays and groups in a group

Status NczarrDocuments::ListIn(const std::string& group, std::string_view list,
                               std::string_view name) {
    return Change(GroupLocation(group), [&](json::Object& members) {
        if (json::FindMember(members, spelling_.dimensions) == nullptr)
            json::PutMember(members, spelling_.dimensions, json::Value(json::Object{}));
        for (const std::string_view each : {spelling_.arrays, spelling_.groups}) {
            std::vector<std::string> names = Texts(json::FindMember(members, each));
            if (each == list && std::find(names.begin(), names.end(), name) == names.end())
                names.emplace_back(name);
            json::PutMember(members, each, ListOf(names));
        }
    });
}

Status NczarrDocuments::List(const std::string& path) {
    ZARR_ASSIGN_OR_RETURN(const Layout layout, FindLayout());
    if (layout == Layout::kNone || path.empty()) return {};
    ZARR_ASSIGN_OR_RETURN(const json::Object array,
                          Read({DocumentKey(path, Document::kArray), {}}));
    if (!array.empty() && !HasNetcdfType(json::Value(array))) return {};
    std::string_view list = spelling_.arrays;
    if (array.empty()) {
        ZARR_RETURN_IF_ERROR(ListIn(path, {}, {}));
        list = spelling_.groups;
    }
    for (std::string node = path; !node.empty(); list = spelling_.groups) {
        std::string group(ParentPath(node));
        ZARR_RETURN_IF_ERROR(ListIn(group, list, LastName(node)));
        node = std::move(group);
    }
    return {};
}

Status NczarrDocuments::Unlist(const std::string& path) {
    ZARR_ASSIGN_OR_RETURN(const Layout layout, FindLayout());
    if (layout == Layout::kNone || path.empty()) return {};
    return Change(GroupLocation(std::string(ParentPath(path))), [&](json::Object& members) {
        for (const std::string_view each : {spelling_.arrays, spelling_.groups}) {
            std::vector<std::string> names = Texts(json::FindMember(members, each));
            const auto kept = std::remove(names.begin(), names.end(), LastName(path));
            if (kept == names.end()) continue;
            names.erase(kept, names.end());
            json::PutMember(members, each, ListOf(names));
        }
    });
}

// ---------------------------------------------------------------------------------------------
// NCZarr's declarations of dimensions

Result<std::string> NczarrDocuments::Declare(const std::string& group, const std::string& name,
                                             std::uint64_t size) {
    std::string own_name = name;
    for (std::string at = group;; at = std::string(ParentPath(at))) {
        ZARR_ASSIGN_OR_RETURN(json::Object members, Read(GroupLocation(at)));
        const json::Value* const declared =
            FindDimension(json::FindMember(members, spelling_.dimensions), own_name);
        if (declared != nullptr) {
            if (HasSize(*declared, size)) return FullName(at, own_name);
            // A dimension of another size hides dimensions of this name in the groups above, so a
            // new dimension is declared in `group`.
            if (at != group) break;
            // The group already has a dimension of this name and another size, so the size is
            // appended to the new dimension's name.
            own_name = name + "_" + std::to_string(size);
            if (FindDimension(json::FindMember(members, spelling_.dimensions), own_name) != nullptr)
                return FullName(at, own_name);
        }
        if (at.empty()) break;
    }
    ZARR_RETURN_IF_ERROR(ListIn(group, {}, {}));
    ZARR_RETURN_IF_ERROR(Change(GroupLocation(group), [&](json::Object& members) {
        AddDimension(*json::FindMember(members, spelling_.dimensions), own_name, size);
    }));
    return FullName(group, own_name);
}

Result<json::Array> NczarrDocuments::DeclareAll(const std::string& array,
                                                const std::vector<std::uint64_t>& shape,
                                                const std::vector<std::string>& names) {
    json::Array references;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        // netCDF-C names a dimension without a name after its size: "_zdim_10".
        const std::string name =
            names.size() == shape.size() ? names[i] : "_zdim_" + std::to_string(shape[i]);
        ZARR_ASSIGN_OR_RETURN(std::string reference,
                              Declare(std::string(ParentPath(array)), name, shape[i]));
        references.emplace_back(std::move(reference));
    }
    return references;
}

Result<bool> NczarrDocuments::DescribeArray(const std::string& path, NewArray& array) {
    ZARR_ASSIGN_OR_RETURN(const Layout layout, FindLayout());
    if (layout == Layout::kNone) return false;
    std::vector<std::uint64_t> shape = ShapeOf(json::Value(array.document));
    const bool is_scalar = shape.empty();
    if (is_scalar) {
        // A scalar is stored as an array of one element with the dimension `_scalar_`. netCDF-C
        // 4.9.0 crashes when it reads scalars without a dimension, although it writes them.
        shape = {1};
        const json::Value one(json::Array{json::Value(std::int64_t{1})});
        json::PutMember(array.document, "shape", one);
        json::PutMember(array.document, "chunks", one);
        json::PutMember(array.attributes, kNames, ListOf({std::string(kNczarrScalar)}));
    }
    json::Array references;
    if (!is_scalar || layout != Layout::kAttributes) {
        ZARR_ASSIGN_OR_RETURN(
            references, DeclareAll(path, shape, Texts(json::FindMember(array.attributes, kNames))));
    }
    const json::Value listed(references);
    if (layout == Layout::kAttributes) DropNamesOfGroups(Texts(&listed), array.attributes);
    json::Object extension{{std::string(spelling_.references), json::Value(std::move(references))},
                           {"storage", json::Value("chunked")}};
    if (is_scalar) extension.emplace_back("scalar", json::Value(std::int64_t{1}));
    if (layout != Layout::kAttributes)
        HideFromNetcdf(array.attributes, json::Value(json::Object{}), spelling_.attributes);
    const json::Value value(extension);
    if (layout == Layout::kDocuments)
        ZARR_RETURN_IF_ERROR(
            Change(ArrayLocation(path), [&](json::Object& members) { members = extension; }));
    // netCDF-C recognises a scalar by the member `spelling_.array` of `.zarray`, even if the
    // array's NCZarr metadata is a separate document.
    if (layout == Layout::kMembers || (layout == Layout::kDocuments && is_scalar))
        json::PutMember(array.document, spelling_.array, value);
    if (layout == Layout::kAttributes) json::PutMember(array.attributes, spelling_.array, value);
    return true;
}

Status NczarrDocuments::UpdateForShape(const std::string& path,
                                       const std::vector<std::uint64_t>& shape) {
    ZARR_ASSIGN_OR_RETURN(const Layout layout, FindLayout());
    if (layout == Layout::kNone) return {};
    ZARR_ASSIGN_OR_RETURN(json::Object extension, Read(ArrayLocation(path)));
    const std::vector<std::string> references =
        Texts(json::FindMember(extension, spelling_.references));
    for (std::size_t i = 0; i < references.size() && references.size() == shape.size(); ++i) {
        const auto reference = NormalizePath(references[i]);
        if (!reference.ok() || reference->empty()) continue;
        ZARR_RETURN_IF_ERROR(
            Change(GroupLocation(std::string(ParentPath(*reference))), [&](json::Object& members) {
                json::Value* const declared = FindDimension(
                    json::FindMember(members, spelling_.dimensions), LastName(*reference));
                if (declared == nullptr || HasSize(*declared, shape[i])) return;
                if (json::Value* const size = SizeOf(*declared)) *size = json::Value(shape[i]);
            }));
    }
    return {};
}

Status NczarrDocuments::ForEachArray(const std::string& path, std::size_t depth,
                                     const std::function<Status(const std::string&)>& visit) const {
    if (depth > kMaxGroupDepth) return {};
    ZARR_ASSIGN_OR_RETURN(const json::Object array,
                          Read({DocumentKey(path, Document::kArray), {}}));
    if (!array.empty()) return visit(path);
    ZARR_ASSIGN_OR_RETURN(const std::vector<StoreEntry> entries, store_->List(path));
    for (const StoreEntry& entry : entries)
        if (entry.is_prefix)
            ZARR_RETURN_IF_ERROR(ForEachArray(JoinKey(path, entry.name), depth + 1, visit));
    return {};
}

Status NczarrDocuments::UpdateForRename(const std::string& from, const std::string& to) {
    ZARR_ASSIGN_OR_RETURN(const Layout layout, FindLayout());
    if (layout == Layout::kNone) return {};
    return ForEachArray(to, 0, [&](const std::string& array) {
        return Change(ArrayLocation(array), [&](json::Object& members) {
            json::Value* const list = json::FindMember(members, spelling_.references);
            if (list == nullptr) return;
            std::vector<std::string> references = Texts(list);
            for (std::string& reference : references)
                if (reference.compare(0, from.size() + 2, "/" + from + "/") == 0)
                    reference.replace(1, from.size(), to);
            *list = ListOf(references);
        });
    });
}

// ---------------------------------------------------------------------------------------------
// NCZarr metadata after a change of an array's attributes

Result<json::Array> NczarrDocuments::NewReferences(const std::string& array,
                                                   const json::Object& extension,
                                                   const json::Value& attributes) {
    const std::vector<std::string> names = Texts(attributes.Find(kNames));
    if (names.empty()) return json::Array();
    ZARR_ASSIGN_OR_RETURN(const json::Object document,
                          Read({DocumentKey(array, Document::kArray), {}}));
    const std::vector<std::uint64_t> shape = ShapeOf(json::Value(document));
    const json::Value members(extension);
    const std::vector<std::string> references = Texts(members.Find(spelling_.references));
    if (names.size() != shape.size() || references.size() != shape.size()) return json::Array();
    const auto is_named = [](const std::string& reference, const std::string& name) {
        return LastName(reference) == name;
    };
    if (std::equal(references.begin(), references.end(), names.begin(), is_named))
        return json::Array();
    return DeclareAll(array, shape, names);
}

Status NczarrDocuments::RemoveUnusedDimension(const std::string& reference,
                                              const std::string& leaver) {
    const auto path = NormalizePath(reference);
    if (!path.ok() || path->empty()) return {};
    const std::string group(ParentPath(*path));
    bool is_used = false;
    ZARR_RETURN_IF_ERROR(ForEachArray(group, 0, [&](const std::string& array) -> Status {
        if (array == leaver) return {};
        ZARR_ASSIGN_OR_RETURN(json::Object extension, Read(ArrayLocation(array)));
        for (const std::string& own : Texts(json::FindMember(extension, spelling_.references)))
            is_used = is_used || own == reference;
        return {};
    }));
    if (is_used) return {};
    return Change(GroupLocation(group), [&](json::Object& members) {
        RemoveDimension(json::FindMember(members, spelling_.dimensions), LastName(*path));
    });
}

Status NczarrDocuments::RenameDimensions(const std::string& array, json::Value& attributes) {
    ZARR_ASSIGN_OR_RETURN(json::Object extension, Read(ArrayLocation(array)));
    ZARR_ASSIGN_OR_RETURN(const json::Array renamed, NewReferences(array, extension, attributes));
    if (renamed.empty()) return {};
    const std::vector<std::string> before =
        Texts(json::FindMember(extension, spelling_.references));
    json::PutMember(extension, spelling_.references, json::Value(renamed));
    // The caller stores `attributes`.
    if (layout_ == Layout::kAttributes) {
        json::PutMember(*attributes.MutableObject(), spelling_.array, json::Value(extension));
    } else {
        ZARR_RETURN_IF_ERROR(
            Change(ArrayLocation(array), [&](json::Object& members) { members = extension; }));
    }
    const json::Value list(renamed);
    const std::vector<std::string> after = Texts(&list);
    for (const std::string& reference : before)
        if (std::find(after.begin(), after.end(), reference) == after.end())
            ZARR_RETURN_IF_ERROR(RemoveUnusedDimension(reference, array));
    return {};
}

Result<json::Value> NczarrDocuments::ToStoredAttributes(const std::string& path,
                                                        const json::Value& attributes) {
    ZARR_ASSIGN_OR_RETURN(const Layout layout, FindLayout());
    if (layout == Layout::kNone) return attributes;
    ZARR_ASSIGN_OR_RETURN(json::Object stored,
                          Read({DocumentKey(path, Document::kAttributes), {}}));
    json::Value kept = attributes;
    json::Value* const names = json::FindMember(*kept.MutableObject(), kNames);
    const json::Value* const stored_names = json::FindMember(stored, kNames);
    if (names != nullptr && Texts(names).empty() && stored_names != nullptr) *names = *stored_names;
    for (const json::Member& member : stored)
        if (IsNczarrName(member.first) && kept.Find(member.first) == nullptr)
            kept.MutableObject()->push_back(member);
    ZARR_RETURN_IF_ERROR(RenameDimensions(path, kept));
    if (layout == Layout::kAttributes) {
        const json::Value* const extension = kept.Find(spelling_.array);
        if (extension != nullptr)
            DropNamesOfGroups(Texts(extension->Find(spelling_.references)), *kept.MutableObject());
    } else {
        HideFromNetcdf(*kept.MutableObject(), json::Value(std::move(stored)), spelling_.attributes);
    }
    return kept;
}

}  // namespace zarr
