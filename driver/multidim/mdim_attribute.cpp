// SPDX-License-Identifier: MIT
#include "driver/multidim/mdim_attribute.h"

#include <cpl_vsi.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <new>
#include <unordered_map>

#include "core/base/checked.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/conventions/attributes/nczarr.h"
#include "core/dtype/element_text.h"
#include "core/store/keys.h"
#include "driver/base/exception_guard.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/gdal_types.h"
#include "driver/multidim/attribute_registry.h"
#include "driver/multidim/extended_type.h"
#include "driver/multidim/mdim_session.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::Result;
using zarr::Status;

namespace {

using Items = std::vector<const json::Value*>;

// Returns the text of a string attribute for GDAL: valid UTF-8 without NUL. Text with NUL becomes
// "base64:" and its bytes in base64. Text that begins with "base64:" itself stays unchanged,
// because users must get back what they wrote.
std::string AttributeText(const std::string& text) {
    return text.find('\0') == std::string::npos ? zarr::ReplaceInvalidUtf8(text)
                                                : zarr::BytesToText(text);
}

// Element type, and strides in bytes, of a block to convert.
struct BlockLayout {
    const GDALExtendedDataType& type;
    const zarr::Strides& strides;
};

// Converts a block of elements from `src` to `dst`; returns false if an element cannot be
// converted. `frees` is true if `dst` already has strings, which must be freed.
bool ConvertBlock(const zarr::DimVector<std::uint64_t>& count, const BlockLayout& to,
                  std::uint8_t* dst, const BlockLayout& from, const std::uint8_t* src, bool frees) {
    struct Task {
        const GDALExtendedDataType& from;
        const GDALExtendedDataType& to;
        bool frees;
        bool ok = true;
    } task{from.type, to.type, frees};
    zarr::Converter op;
    op.src_size = from.type.GetSize();
    op.dst_size = to.type.GetSize();
    op.context = &task;
    op.row = [](const zarr::Converter& self, std::uint8_t* out, std::ptrdiff_t out_stride,
                const std::uint8_t* in, std::ptrdiff_t in_stride, std::size_t n) {
        auto& own = *static_cast<Task*>(const_cast<void*>(self.context));
        for (std::size_t i = 0; i < n; ++i, out += out_stride, in += in_stride) {
            if (own.frees) own.to.FreeDynamicMemory(out);
            if (own.frees) std::memset(out, 0, self.dst_size);
            own.ok = GDALExtendedDataType::CopyValue(in, own.from, out, own.to) && own.ok;
        }
    };
    zarr::CopyBlock(count, dst, to.strides, src, from.strides, op);
    return task.ok;
}

bool IsString(const json::Value* value) { return value->as_string() != nullptr; }
bool IsNumber(const json::Value* value) { return value->is_number(); }

// True if a double can represent the number exactly: any non-integer, and integers from -2^53 to
// 2^53.
bool IsExactDouble(const json::Value* value) {
    constexpr std::int64_t kMax = std::int64_t{1} << 53;
    if (!value->is_integer()) return value->is_number();
    std::int64_t number = 0;
    return value->GetInt64(number) && number >= -kMax && number <= kMax;
}

// Returns the first GDAL type, in the order of the checks below, that represents all items exactly;
// GDT_Unknown if no type does.
GDALDataType NumberType(const Items& items) {
    bool all_integers = true;
    bool all_int32 = true;
    bool all_int64 = true;
    bool all_uint64 = true;
    for (const json::Value* item : items) {
        std::int64_t number = 0;
        std::uint64_t unsigned_number = 0;
        all_integers = all_integers && item->is_integer();
        const bool is_int64 = item->GetInt64(number);
        all_int64 = all_int64 && is_int64;
        all_int32 = all_int32 && is_int64 && number >= INT_MIN && number <= INT_MAX;
        all_uint64 = all_uint64 && item->GetUint64(unsigned_number);
    }
    if (all_integers && all_int32) return GDT_Int32;
    if (all_integers && all_int64) return GDT_Int64;
    if (all_integers && all_uint64) return GDT_UInt64;
    return std::all_of(items.begin(), items.end(), IsExactDouble) ? GDT_Float64 : GDT_Unknown;
}

template <class T>
void Append(std::vector<std::uint8_t>& elements, T value) {
    const std::size_t at = elements.size();
    elements.resize(at + sizeof value);
    std::memcpy(elements.data() + at, &value, sizeof value);
}

template <class T>
T NumberAs(GDALDataType type, const std::uint8_t* element, GDALDataType wanted) {
    T number{};
    GDALCopyWords64(element, type, 0, &number, wanted, 0, 1);
    return number;
}

json::Value NumberJson(GDALDataType type, const std::uint8_t* element) {
    if (GDALDataTypeIsComplex(type)) {
        double parts[2] = {};
        GDALCopyWords64(element, type, 0, parts, GDT_CFloat64, 0, 1);
        return json::Value(json::Array{json::Value(parts[0]), json::Value(parts[1])});
    }
    if (type == GDT_UInt64) return json::Value(NumberAs<std::uint64_t>(type, element, GDT_UInt64));
    if (GDALDataTypeIsInteger(type))
        return json::Value(NumberAs<std::int64_t>(type, element, GDT_Int64));
    return json::Value(NumberAs<double>(type, element, GDT_Float64));
}

Result<json::Value> ElementJson(const GDALExtendedDataType& type, const std::uint8_t* element) {
    if (type.GetClass() == GEDTC_NUMERIC) return NumberJson(type.GetNumericDataType(), element);
    if (type.GetClass() == GEDTC_STRING) {
        std::string text = TextOfElement(type, element);
        if (type.GetSubType() != GEDTST_JSON) return json::Value(std::move(text));
        auto parsed = json::Parse(text);
        if (!parsed.ok())
            return Status::Invalid(zarr::Quoted(text) +
                                   ": not valid JSON: " + parsed.status().message());
        return parsed;
    }
    json::Object members;
    for (const auto& member : type.GetComponents()) {
        ZARR_ASSIGN_OR_RETURN(json::Value value,
                              ElementJson(member->GetType(), element + member->GetOffset()));
        members.emplace_back(member->GetName(), std::move(value));
    }
    return json::Value(std::move(members));
}

// Fails if an attribute may not have this name, because the store uses it for other data.
Status CheckAttributeName(const std::string& name) {
    if (name.empty()) return Status::Invalid("the name of the attribute is empty");
    if (name == "_ARRAY_DIMENSIONS")
        return Status::Invalid(
            "_ARRAY_DIMENSIONS: reserved for the names of the dimensions; rename these");
    if (zarr::IsNczarrAttribute(name))
        return Status::Invalid(zarr::Quoted(name) + ": reserved for NCZarr");
    return {};
}

Result<bool> HasAttribute(MdimSession& session, const std::string& path, const std::string& name) {
    ZARR_ASSIGN_OR_RETURN(const json::Value attributes, session.update()->Attributes(path));
    return attributes.Find(name) != nullptr || session.attributes().Find(path, name) != nullptr;
}

Status CheckFree(MdimSession& session, const std::string& path, const std::string& name) {
    ZARR_RETURN_IF_ERROR(session.CheckUpdate());
    ZARR_RETURN_IF_ERROR(CheckAttributeName(name));
    ZARR_ASSIGN_OR_RETURN(const bool exists, HasAttribute(session, path, name));
    if (!exists) return {};
    return Status::Invalid("/" + path + ": attribute " + zarr::Quoted(name) + " already exists");
}

}  // namespace

ZarrAttribute::ZarrAttribute(const std::string& parent, const std::string& name,
                             const GDALExtendedDataType& type)
    : GDALAbstractMDArray(parent, name), GDALAttribute(parent, name), type_(type) {}

std::shared_ptr<ZarrAttribute> ZarrAttribute::Make(const std::string& parent,
                                                   const std::string& name,
                                                   const json::Value& value, GDALDataType stated) {
    const json::Array* array = value.as_array();
    Items items;
    if (array == nullptr) items.push_back(&value);
    for (std::size_t i = 0; array != nullptr && i < array->size(); ++i)
        items.push_back(&(*array)[i]);
    const bool is_some = !items.empty();
    const bool are_strings = is_some && std::all_of(items.begin(), items.end(), IsString);
    const GDALDataType number = is_some && std::all_of(items.begin(), items.end(), IsNumber)
                                    ? NumberType(items)
                                    : GDT_Unknown;
    std::shared_ptr<ZarrAttribute> attribute;
    const auto make = [&](const GDALExtendedDataType& type) {
        attribute.reset(new ZarrAttribute(parent, name, type));
    };
    if (are_strings) {
        make(GDALExtendedDataType::CreateString());
        attribute->SetStrings(items);
    } else if (number != GDT_Unknown) {
        make(GDALExtendedDataType::Create(number));
        attribute->SetNumbers(items);
        if (stated != GDT_Unknown) attribute->Retype(stated);
    } else {
        make(GDALExtendedDataType::CreateString(0, GEDTST_JSON));
        // A space is appended to "null", because GDAL's JSON parser rejects a text that ends in
        // "null".
        const json::Value text(json::Dump(value) + (value.is_null() ? " " : ""));
        attribute->SetStrings({&text});
        array = nullptr;
    }
    if (array != nullptr)
        attribute->dimensions_.push_back(std::make_shared<GDALDimension>(
            std::string(), "dim0", std::string(), std::string(), array->size()));
    return attribute;
}

void ZarrAttribute::SetNumbers(const Items& items) {
    for (const json::Value* item : items) {
        std::int64_t integer = 0;
        std::uint64_t unsigned_integer = 0;
        double number = 0;
        switch (type_.GetNumericDataType()) {
            case GDT_Int32:
                item->GetInt64(integer);
                Append(elements_, static_cast<std::int32_t>(integer));
                break;
            case GDT_Int64:
                item->GetInt64(integer);
                Append(elements_, integer);
                break;
            case GDT_UInt64:
                item->GetUint64(unsigned_integer);
                Append(elements_, unsigned_integer);
                break;
            default:
                item->GetDouble(number);
                Append(elements_, number);
                break;
        }
    }
}

// Converts the elements to the type `stated`, but not to an integer type that cannot hold them.
// Floats may change, because JSON may have fewer digits than a double.
void ZarrAttribute::Retype(GDALDataType stated) {
    const GDALDataType own = type_.GetNumericDataType();
    const int own_size = GDALGetDataTypeSizeBytes(own);
    const int size = GDALGetDataTypeSizeBytes(stated);
    const auto count = elements_.size() / static_cast<std::size_t>(own_size);
    const auto copy = [&](const std::vector<std::uint8_t>& from, GDALDataType from_type,
                          GDALDataType to_type) {
        const int from_size = GDALGetDataTypeSizeBytes(from_type);
        const int to_size = GDALGetDataTypeSizeBytes(to_type);
        std::vector<std::uint8_t> to(count * static_cast<std::size_t>(to_size));
        GDALCopyWords64(from.data(), from_type, from_size, to.data(), to_type, to_size,
                        static_cast<GPtrDiff_t>(count));
        return to;
    };
    if (size == 0 || own == stated) return;
    auto converted = copy(elements_, own, stated);
    if (GDALDataTypeIsInteger(stated) && copy(converted, stated, own) != elements_) return;
    elements_ = std::move(converted);
    type_ = GDALExtendedDataType::Create(stated);
}

void ZarrAttribute::SetStrings(const Items& items) {
    for (const json::Value* item : items)
        Append(elements_, VSIStrdup(AttributeText(*item->as_string()).c_str()));
}

ZarrAttribute::~ZarrAttribute() {
    Guarded(store_path(), [&] {
        if (!type_.NeedsFreeDynamicMemory()) return;
        for (std::size_t at = 0; at < elements_.size(); at += type_.GetSize())
            type_.FreeDynamicMemory(elements_.data() + at);
    });
}

ZarrAttribute::Window ZarrAttribute::WindowOf(const GUInt64* start, const size_t* count,
                                              const GInt64* step, const GPtrDiff_t* stride,
                                              const GDALExtendedDataType& buffer_type) const {
    Window window;
    const auto buffer_size = static_cast<std::ptrdiff_t>(buffer_type.GetSize());
    auto own = static_cast<std::ptrdiff_t>(type_.GetSize());
    window.own = zarr::Strides(dimensions_.size());
    for (std::size_t i = dimensions_.size(); i-- > 0;) {
        window.first += static_cast<std::ptrdiff_t>(start[i]) * own;
        window.own[i] = static_cast<std::ptrdiff_t>(step[i]) * own;
        own *= static_cast<std::ptrdiff_t>(dimensions_[i]->GetSize());
    }
    for (std::size_t i = 0; i < dimensions_.size(); ++i) {
        window.count.push_back(count[i]);
        window.buffer.push_back(static_cast<std::ptrdiff_t>(stride[i]) * buffer_size);
    }
    return window;
}

bool ZarrAttribute::IRead(const GUInt64* arrayStartIdx, const size_t* count,
                          const GInt64* arrayStep, const GPtrDiff_t* bufferStride,
                          const GDALExtendedDataType& bufferDataType, void* pDstBuffer) const {
    return Guarded(store_path(), [&]() -> bool {
        const zarr::Status status = CheckThere();
        if (!status.ok()) {
            EmitError(session_->store_path(), status);
            return false;
        }
        const Window window =
            WindowOf(arrayStartIdx, count, arrayStep, bufferStride, bufferDataType);
        return ConvertBlock(window.count, {bufferDataType, window.buffer},
                            static_cast<std::uint8_t*>(pDstBuffer), {type_, window.own},
                            elements_.data() + window.first, false);
    });
}

// ---------------------------------------------------------------------------------------------
// Creating and writing attributes

Result<std::shared_ptr<ZarrAttribute>> ZarrAttribute::Create(const std::string& parent,
                                                             const std::string& name,
                                                             const std::vector<GUInt64>& dimensions,
                                                             const GDALExtendedDataType& type) {
    std::shared_ptr<ZarrAttribute> attribute(new ZarrAttribute(parent, name, type));
    std::uint64_t bytes = type.GetSize();
    for (const GUInt64 size : dimensions) {
        const auto product = zarr::CheckedMul(bytes, size);
        bytes = product ? *product : UINT64_MAX;
        attribute->dimensions_.push_back(std::make_shared<GDALDimension>(
            std::string(), "dim" + std::to_string(attribute->dimensions_.size()), std::string(),
            std::string(), size));
    }
    if (dimensions.size() > zarr::LimitOf(zarr::Limit::kDimensions) ||
        bytes > zarr::LimitOf(zarr::Limit::kMetadataSize))
        return Status::Limit("attribute " + zarr::Quoted(name) +
                             ": has too many dimensions or bytes");
    attribute->elements_.resize(static_cast<std::size_t>(bytes));
    return attribute;
}

const char* ZarrAttribute::store_path() const {
    return session_ != nullptr ? session_->store_path().c_str() : "Zarr";
}

void ZarrAttribute::Attach(std::shared_ptr<MdimSession> session, const std::string& path) {
    session_ = std::move(session);
    path_ = path;
}

Status ZarrAttribute::CheckThere() const {
    if (!is_deleted_) return {};
    return Status::Invalid(GetFullName() + ": the attribute has been deleted");
}

Result<json::Value> ZarrAttribute::ToJson(std::size_t dimension, const std::uint8_t*& next) const {
    if (dimension == dimensions_.size()) {
        const std::uint8_t* element = next;
        next += type_.GetSize();
        return ElementJson(type_, element);
    }
    json::Array items;
    for (GUInt64 i = 0; i < dimensions_[dimension]->GetSize(); ++i) {
        ZARR_ASSIGN_OR_RETURN(json::Value item, ToJson(dimension + 1, next));
        items.push_back(std::move(item));
    }
    return json::Value(std::move(items));
}

Status ZarrAttribute::Store(const Window& window, const GDALExtendedDataType& buffer_type,
                            const std::uint8_t* data) {
    ZARR_RETURN_IF_ERROR(session_->CheckUpdate().WithContext("attribute " + GetFullName()));
    ZARR_RETURN_IF_ERROR(CheckThere());
    if (!ConvertBlock(window.count, {type_, window.own}, elements_.data() + window.first,
                      {buffer_type, window.buffer}, data, true))
        return Status::Invalid("attribute " + GetFullName() +
                               ": the written value cannot be converted to the attribute's type");
    const std::uint8_t* next = elements_.data();
    auto value = ToJson(0, next);
    if (!value.ok()) return value.status().WithContext("attribute " + GetFullName());
    return session_->ChangeAttribute(path_, GetName(), value.Take());
}

Status ZarrAttribute::StoreEmpty() {
    const std::uint8_t* next = elements_.data();
    // The initial value of an attribute with JSON is null.
    const bool is_json = type_.GetClass() == GEDTC_STRING && type_.GetSubType() == GEDTST_JSON;
    json::Value value;
    if (!is_json) {
        ZARR_ASSIGN_OR_RETURN(value, ToJson(0, next));
    }
    return session_->ChangeAttribute(path_, GetName(), std::move(value));
}

bool ZarrAttribute::IWrite(const GUInt64* arrayStartIdx, const size_t* count,
                           const GInt64* arrayStep, const GPtrDiff_t* bufferStride,
                           const GDALExtendedDataType& bufferDataType, const void* pSrcBuffer) {
    return Guarded(store_path(), [&]() -> bool {
        Status status;
        try {
            status = Store(WindowOf(arrayStartIdx, count, arrayStep, bufferStride, bufferDataType),
                           bufferDataType, static_cast<const std::uint8_t*>(pSrcBuffer));
        } catch (const std::bad_alloc&) {
            status = Status::OutOfMemory("attribute " + GetFullName() + ": out of memory");
        }
        if (!status.ok()) EmitError(session_->store_path(), status);
        return status.ok();
    });
}

Status ZarrAttribute::ChangeName(const std::string& new_name) {
    ZARR_RETURN_IF_ERROR(session_->CheckUpdate().WithContext("attribute " + GetFullName()));
    ZARR_RETURN_IF_ERROR(CheckThere());
    if (new_name == GetName()) return {};
    ZARR_RETURN_IF_ERROR(CheckFree(*session_, path_, new_name));
    ZARR_ASSIGN_OR_RETURN(const json::Value attributes, session_->update()->Attributes(path_));
    if (const json::Value* value = attributes.Find(GetName())) {
        ZARR_RETURN_IF_ERROR(session_->ChangeAttribute(path_, new_name, *value));
        ZARR_RETURN_IF_ERROR(session_->ChangeAttribute(path_, GetName(), std::nullopt));
    }
    m_osFullName = m_osFullName.substr(0, m_osFullName.size() - m_osName.size()) + new_name;
    m_osName = new_name;
    return {};
}

bool ZarrAttribute::Rename(const std::string& osNewName) {
    return Guarded(store_path(), [&]() -> bool {
        const Status status = ChangeName(osNewName);
        if (!status.ok()) EmitError(session_->store_path(), status);
        return status.ok();
    });
}

void ZarrAttribute::Moved(const std::string& from, const std::string& to) {
    if (!zarr::IsAtOrBelow(path_, from)) return;
    path_ = to + path_.substr(from.size());
    const std::string global = kGlobalAttributes + ("/" + m_osName);
    const bool is_of_group =
        m_osFullName.size() >= global.size() &&
        m_osFullName.compare(m_osFullName.size() - global.size(), global.size(), global) == 0;
    m_osFullName = session_->GroupName(path_) + (is_of_group ? global : "/" + m_osName);
}

std::vector<std::shared_ptr<GDALAttribute>> ListAttributes(
    const std::shared_ptr<MdimSession>& session, const std::string& path, const std::string& parent,
    const json::Value& attributes, const std::function<bool(std::string_view)>& is_hidden) {
    auto existing = session->attributes().Of(path);
    // for each attribute name, the index in `existing`
    std::unordered_map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < existing.size(); ++i) places.emplace(existing[i]->GetName(), i);
    const auto types = zarr::NczarrAttributeTypes(attributes);
    std::vector<std::shared_ptr<GDALAttribute>> list;
    for (const auto& [name, value] : *attributes.as_object()) {
        const auto known = places.find(name);
        if (known != places.end()) {
            if (!is_hidden(name)) list.push_back(existing[known->second]);
            existing[known->second] = nullptr;
            continue;
        }
        if (is_hidden(name)) continue;
        const auto type = types.find(name);
        auto attribute = ZarrAttribute::Make(
            parent, name, value, type != types.end() ? GdalTypeOf(type->second) : GDT_Unknown);
        attribute->Attach(session, path);
        if (session->update() != nullptr) session->attributes().Add(attribute);
        list.push_back(std::move(attribute));
    }
    for (auto& attribute : existing)
        if (attribute != nullptr) list.push_back(std::move(attribute));
    return list;
}

Result<std::shared_ptr<GDALAttribute>> CreateNodeAttribute(
    const std::shared_ptr<MdimSession>& session, const std::string& path, const std::string& parent,
    const std::string& name, const std::vector<GUInt64>& dimensions,
    const GDALExtendedDataType& type, bool has_meaning) {
    ZARR_RETURN_IF_ERROR(CheckFree(*session, path, name));
    ZARR_ASSIGN_OR_RETURN(auto attribute, ZarrAttribute::Create(parent, name, dimensions, type));
    attribute->Attach(session, path);
    // The initial value is stored, so that the attribute exists even if no value is ever written.
    // Exception: a scale_factor of 0 would change the array, so such an attribute waits for its
    // first value, unless it has no elements and therefore never gets a value.
    const bool is_empty = std::find(dimensions.begin(), dimensions.end(), 0U) != dimensions.end();
    if (is_empty || !has_meaning) ZARR_RETURN_IF_ERROR(attribute->StoreEmpty());
    session->attributes().Add(attribute);
    return std::shared_ptr<GDALAttribute>(std::move(attribute));
}

Status DeleteNodeAttribute(MdimSession& session, const std::string& path, const std::string& name) {
    ZARR_RETURN_IF_ERROR(session.CheckUpdate());
    ZARR_RETURN_IF_ERROR(CheckAttributeName(name));
    ZARR_ASSIGN_OR_RETURN(const bool exists, HasAttribute(session, path, name));
    if (!exists)
        return Status::NotFound("/" + path + ": there is no attribute " + zarr::Quoted(name));
    ZARR_RETURN_IF_ERROR(session.ChangeAttribute(path, name, std::nullopt));
    if (const auto attribute = session.attributes().Find(path, name)) attribute->Deleted();
    return {};
}

}  // namespace zarr_driver
