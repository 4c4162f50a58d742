// SPDX-License-Identifier: MIT
#include "driver/mdim_attribute.h"

#include <cpl_vsi.h>

#include <algorithm>
#include <climits>
#include <cstring>

#include "core/base/text.h"
#include "core/dtype/marked_text.h"
#include "driver/guard.h"
#include "driver/mdim_session.h"
#include "driver/report.h"

namespace zarr_driver {

namespace json = zarr::json;

namespace {

using Items = std::vector<const json::Value*>;

// Text with NUL is marked. What looks like a mark is left: who writes an attribute means its text.
std::string AttributeText(const std::string& text) {
    return text.find('\0') == std::string::npos ? zarr::ReplaceInvalidUtf8(text)
                                                : zarr::MarkedBytes(text);
}

bool IsString(const json::Value* value) { return value->as_string() != nullptr; }
bool IsNumber(const json::Value* value) { return value->is_number(); }

// Exact as a double: integers up to 2^53, and what is a double anyhow.
bool IsExactDouble(const json::Value* value) {
    constexpr std::int64_t kMax = std::int64_t{1} << 53;
    if (!value->is_integer()) return value->is_number();
    std::int64_t number = 0;
    return value->GetInt64(number) && number >= -kMax && number <= kMax;
}

// The first type that holds all of the numbers exactly; GDT_Unknown where none does.
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
        const json::Value text(json::Dump(value));
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

// Nothing changes where integers do not fit. A float may have been written with fewer digits than a
// double has.
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
        struct Types {
            const GDALExtendedDataType& from;
            const GDALExtendedDataType& to;
            bool ok = true;
        } types{type_, bufferDataType};
        zarr::ElementOp op;
        op.src_size = type_.GetSize();
        op.dst_size = bufferDataType.GetSize();
        op.context = &types;
        op.row = [](const zarr::ElementOp& self, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                    const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t n) {
            auto& both = *static_cast<Types*>(const_cast<void*>(self.context));
            for (std::size_t i = 0; i < n; ++i, dst += dst_stride, src += src_stride)
                both.ok = GDALExtendedDataType::CopyValue(src, both.from, dst, both.to) && both.ok;
        };
        const Window window =
            WindowOf(arrayStartIdx, count, arrayStep, bufferStride, bufferDataType);
        zarr::CopyBlock(window.count, static_cast<std::uint8_t*>(pDstBuffer), window.buffer,
                        elements_.data() + window.first, window.own, op);
        return types.ok;
    });
}

}  // namespace zarr_driver
