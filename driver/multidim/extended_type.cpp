// SPDX-License-Identifier: MIT
#include "driver/multidim/extended_type.h"

#include <cpl_string.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/endian.h"
#include "core/base/text.h"
#include "core/dtype/element_text.h"
#include "core/json/value.h"
#include "driver/base/gdal_types.h"
#include "driver/base/option_table.h"

namespace zarr_driver {

using zarr::DataKind;
using zarr::Result;
using zarr::Status;
namespace json = zarr::json;

namespace {

std::size_t AlignmentOf(const GDALExtendedDataType& type) {
    switch (type.GetClass()) {
        case GEDTC_STRING:
            return alignof(char*);
        case GEDTC_NUMERIC: {
            const bool is_complex = GDALDataTypeIsComplex(type.GetNumericDataType()) != 0;
            return type.GetSize() / (is_complex ? 2 : 1);
        }
        default:
            break;
    }
    std::size_t alignment = 1;
    for (const auto& component : type.GetComponents())
        alignment = std::max(alignment, AlignmentOf(component->GetType()));
    return alignment;
}

std::size_t AlignUp(std::size_t offset, std::size_t alignment) {
    return (offset + alignment - 1) / alignment * alignment;
}

// Returns the maximum length in bytes of texts of dtype S, for GDAL's string type. Returns 0, no
// maximum, for other dtypes, because GDAL's other drivers write strings with a maximum as arrays of
// characters.
std::size_t MaxTextLength(const zarr::DataType& type) {
    return type.kind == DataKind::kBytes ? type.size : 0;
}

// Adds `times` times the number of numbers and strings in a structure to `total`. Fails if `total`
// exceeds kMaxFields, before a huge nested type is built in memory.
Status CheckFieldCount(const zarr::DataType& type, std::size_t times, std::size_t& total) {
    for (const zarr::Field& field : type.fields) {
        if (field.count > kMaxFields || times * field.count > kMaxFields)
            return Status::Limit("dtype: elements have more than " + std::to_string(kMaxFields) +
                                 " fields");
        if (field.type.kind == DataKind::kStruct)
            ZARR_RETURN_IF_ERROR(CheckFieldCount(field.type, times * field.count, total));
        else
            total += times * field.count;
        if (total > kMaxFields)
            return Status::Limit("dtype: elements have more than " + std::to_string(kMaxFields) +
                                 " fields");
    }
    return {};
}

Result<GDALExtendedDataType> CompoundOf(const zarr::DataType& type, const std::string& name) {
    ZARR_ASSIGN_OR_RETURN(const std::vector<StructMember> members, StructMembers(type));
    if (members.empty())
        return Status::Unsupported("dtype: a structure without values cannot be read by GDAL");
    std::vector<std::unique_ptr<GDALEDTComponent>> components;
    std::size_t offset = 0;
    std::size_t alignment = 1;
    for (const StructMember& member : members) {
        auto component = ExtendedTypeOf(member.type, name + "_" + member.name);
        if (!component.ok()) return component.status();
        const std::size_t own = AlignmentOf(*component);
        alignment = std::max(alignment, own);
        offset = AlignUp(offset, own);
        components.push_back(std::make_unique<GDALEDTComponent>(member.name, offset, *component));
        offset += component->GetSize();
    }
    return GDALExtendedDataType::Create(name, AlignUp(offset, alignment), std::move(components));
}

class Pairing {
  public:
    explicit Pairing(Members members) : members_(members) {}

    Status Add(const zarr::DataType& stored, std::size_t offset, const GDALExtendedDataType& gdal,
               std::size_t gdal_offset) {
        const bool is_compound = gdal.GetClass() == GEDTC_COMPOUND;
        if (stored.kind == zarr::DataKind::kStruct) {
            if (is_compound) return AddMembers(stored, offset, gdal, gdal_offset);
            return Status::Invalid(
                "a structure has several values; use a compound data type with its members");
        }
        if (is_compound)
            return Status::Invalid(
                "dtype " + stored.ToString() +
                " has no members, so it cannot be read or written as a compound");
        leaves_.push_back({stored, gdal, offset, gdal_offset});
        return {};
    }

    std::vector<ExtendedLeaf> Take() { return std::move(leaves_); }

  private:
    Status AddMembers(const zarr::DataType& stored, std::size_t offset,
                      const GDALExtendedDataType& gdal, std::size_t gdal_offset) {
        ZARR_ASSIGN_OR_RETURN(const std::vector<StructMember> members, StructMembers(stored));
        std::vector<bool> is_given(members.size());
        // Index of the member to try first; members of both types usually have the same order.
        std::size_t next = 0;
        for (const auto& component : gdal.GetComponents()) {
            for (std::size_t i = 0; i < members.size(); ++i) {
                const std::size_t at = (next + i) % members.size();
                if (members[at].name != component->GetName()) continue;
                ZARR_RETURN_IF_ERROR(Add(members[at].type, offset + members[at].offset,
                                         component->GetType(),
                                         gdal_offset + component->GetOffset()));
                is_given[at] = true;
                next = at + 1;
                break;
            }
        }
        const auto missing = std::find(is_given.begin(), is_given.end(), false);
        if (members_ == Members::kAnyOf || missing == is_given.end()) return {};
        const auto at = static_cast<std::size_t>(missing - is_given.begin());
        return Status::Invalid("member " + zarr::Quoted(members[at].name) + " of dtype " +
                               stored.ToString() + " is missing in the compound data type");
    }

    const Members members_;
    std::vector<ExtendedLeaf> leaves_;
};

// Returns the text of a stored element that is a string, raw bytes or an object. The result is
// UTF-8 without NUL.
std::string TextOf(const zarr::DataType& type, const std::uint8_t* element) {
    if (type.kind == DataKind::kObject) {
        zarr::ObjectRef ref;
        std::memcpy(&ref, element, sizeof ref);
        return ref.data == nullptr ? std::string() : zarr::BytesToText({ref.data, ref.size});
    }
    if (!type.NeedsSwap()) return zarr::RawTextToText(zarr::ElementText(type, element));
    std::string native(reinterpret_cast<const char*>(element), type.size);
    auto* bytes = reinterpret_cast<std::uint8_t*>(native.data());
    zarr::SwapElements(type, bytes, 1);
    return zarr::RawTextToText(zarr::ElementText(type, bytes));
}

Status StoreUnicode(const zarr::DataType& type, std::string_view text, std::uint8_t* dst) {
    ZARR_ASSIGN_OR_RETURN(const std::u32string units, zarr::Utf8ToUcs4(text));
    const auto* const first = reinterpret_cast<const std::uint8_t*>(units.data());
    std::copy_n(first, units.size() * sizeof(char32_t), dst);
    if (type.NeedsSwap()) zarr::SwapElements(type, dst, 1);
    return {};
}

// Writes a text into the element `dst`. The text must fit, and all bytes of `dst` must be zero.
Status StoreText(const zarr::DataType& type, std::string_view text, std::uint8_t* dst) {
    switch (type.kind) {
        case DataKind::kBytes:
            std::copy(text.begin(), text.end(), dst);
            return {};
        case DataKind::kUnicode:
            return StoreUnicode(type, text, dst);
        case DataKind::kVoid: {
            // An empty text, the initial value of a new array, becomes bytes that are all 0.
            const auto bytes = zarr::Base64Decode(text);
            if (!bytes.ok() || (bytes->size() != type.size && !bytes->empty()))
                return Status::Invalid(zarr::Quoted(text) + ": expected base64 of " +
                                       std::to_string(type.size) + " bytes for dtype " +
                                       type.ToString());
            std::copy(bytes->begin(), bytes->end(), dst);
            return {};
        }
        default:
            break;
    }
    return Status::Invalid("dtype " + type.ToString() + " cannot store text");
}

// Returns "name" for the member "name[3]" if `index` is 3. Returns an empty text if `member` has no
// such suffix.
std::string SubarrayName(const std::string& member, std::size_t index) {
    const std::string suffix = "[" + std::to_string(index) + "]";
    const bool has_suffix =
        member.size() > suffix.size() &&
        member.compare(member.size() - suffix.size(), suffix.size(), suffix) == 0;
    return has_suffix ? member.substr(0, member.size() - suffix.size()) : std::string();
}

Result<json::Value> MemberType(const GDALExtendedDataType& type, StringFormat strings);

// Returns the dtype of a compound type as JSON, in the form of `.zarray`.
Result<json::Value> StructType(const GDALExtendedDataType& type, StringFormat strings) {
    const auto& members = type.GetComponents();
    std::set<std::string> names;
    for (const auto& member : members)
        if (member->GetName().empty() || !names.insert(member->GetName()).second)
            return Status::Invalid("member " + zarr::Quoted(member->GetName()) +
                                   ": member names must be unique and not empty");
    json::Array fields;
    for (std::size_t i = 0; i < members.size();) {
        const GDALEDTComponent& member = *members[i];
        const std::string base = SubarrayName(member.GetName(), 0);
        std::size_t count = 1;
        while (!base.empty() && i + count < members.size() &&
               SubarrayName(members[i + count]->GetName(), count) == base &&
               members[i + count]->GetType() == member.GetType())
            ++count;
        auto own = MemberType(member.GetType(), strings);
        if (!own.ok()) return own.status().WithContext("member " + zarr::Quoted(member.GetName()));
        json::Array field{json::Value(base.empty() ? member.GetName() : base), own.Take()};
        if (!base.empty())
            field.emplace_back(json::Array{json::Value(static_cast<std::uint64_t>(count))});
        fields.emplace_back(std::move(field));
        i += count;
    }
    return json::Value(std::move(fields));
}

Result<json::Value> MemberType(const GDALExtendedDataType& type, StringFormat strings) {
    if (type.GetClass() == GEDTC_COMPOUND) return StructType(type, strings);
    if (type.GetClass() == GEDTC_NUMERIC) {
        ZARR_ASSIGN_OR_RETURN(const zarr::DataType number, StoredTypeOf(type.GetNumericDataType()));
        return zarr::DataTypeToJson(number);
    }
    const std::size_t length = type.GetMaxStringLength();
    if (length == 0)
        return Status::Unsupported(
            "a string inside of a compound needs a maximum length, as structures of Zarr have a "
            "fixed size");
    const std::string unicode = zarr::HostIsLittleEndian() ? "<U" : ">U";
    return json::Value((strings == StringFormat::kUnicode ? unicode : "|S") +
                       std::to_string(length));
}

}  // namespace

Result<std::vector<StructMember>> StructMembers(const zarr::DataType& type) {
    std::size_t total = 0;
    ZARR_RETURN_IF_ERROR(CheckFieldCount(type, 1, total));
    std::vector<StructMember> members;
    for (const zarr::Field& field : type.fields) {
        for (std::size_t i = 0; i < field.count; ++i) {
            const std::string index = field.shape.empty() ? "" : "[" + std::to_string(i) + "]";
            members.push_back({field.name + index, field.type, field.offset + i * field.type.size});
        }
    }
    return members;
}

Result<GDALExtendedDataType> ExtendedTypeOf(const zarr::DataType& type, const std::string& name) {
    if (type.kind == DataKind::kStruct) return CompoundOf(type, name);
    const GDALDataType numeric = GdalTypeOf(type);
    if (numeric != GDT_Unknown) return GDALExtendedDataType::Create(numeric);
    return GDALExtendedDataType::CreateString(MaxTextLength(type));
}

Result<std::vector<ExtendedLeaf>> PairLeaves(const zarr::DataType& stored,
                                             const GDALExtendedDataType& gdal, Members members) {
    Pairing pairing(members);
    ZARR_RETURN_IF_ERROR(pairing.Add(stored, 0, gdal, 0));
    return pairing.Take();
}

Result<std::unique_ptr<const ExtendedConverter>> ExtendedConverter::Make(
    const zarr::DataType& stored, const GDALExtendedDataType& buffer) {
    std::unique_ptr<ExtendedConverter> self(new ExtendedConverter());
    ZARR_ASSIGN_OR_RETURN(const auto leaves, PairLeaves(stored, buffer, Members::kAnyOf));
    for (const ExtendedLeaf& pair : leaves) {
        auto leaf = std::make_unique<Leaf>(Leaf{pair, nullptr});
        const GDALExtendedDataType& type = leaf->gdal_type;
        if (type.GetClass() == GEDTC_NUMERIC && GdalTypeOf(leaf->type) != GDT_Unknown)
            leaf->number = std::make_unique<BufferConverter>(leaf->type, type.GetNumericDataType());
        self->leaves_.push_back(std::move(leaf));
    }
    const bool is_number = buffer.GetClass() == GEDTC_NUMERIC && self->leaves_.size() == 1 &&
                           self->leaves_[0]->number != nullptr;
    if (is_number) {
        self->op_ = self->leaves_[0]->number->op();
    } else {
        self->op_.row = ConvertRow;
        self->op_.dst_size = buffer.GetSize();
        self->op_.src_size = stored.size;
        self->op_.context = self.get();
    }
    return std::unique_ptr<const ExtendedConverter>(std::move(self));
}

void ExtendedConverter::ConvertText(const Leaf& leaf, std::uint8_t* dst,
                                    const std::uint8_t* src) const {
    if (GdalTypeOf(leaf.type) != GDT_Unknown) {  // the stored element is a number
        alignas(16) std::uint8_t number[16];
        const BufferConverter to_native(leaf.type, GdalTypeOf(leaf.type));
        to_native.op().row(to_native.op(), number, 0, src, 0, 1);
        GDALExtendedDataType::CopyValue(number, GDALExtendedDataType::Create(GdalTypeOf(leaf.type)),
                                        dst, leaf.gdal_type);
        return;
    }
    const std::string text = TextOf(leaf.type, src);
    if (leaf.gdal_type.GetClass() != GEDTC_STRING) {
        const char* pointer = text.c_str();
        GDALExtendedDataType::CopyValue(&pointer, GDALExtendedDataType::CreateString(), dst,
                                        leaf.gdal_type);
        return;
    }
    char* copy = VSIStrdup(text.c_str());
    if (copy == nullptr) is_out_of_memory_ = true;
    std::memcpy(dst, &copy, sizeof copy);
}

void ExtendedConverter::ConvertRow(const zarr::Converter& op, std::uint8_t* dst,
                                   std::ptrdiff_t dst_stride, const std::uint8_t* src,
                                   std::ptrdiff_t src_stride, std::size_t count) {
    const auto& self = *static_cast<const ExtendedConverter*>(op.context);
    for (const auto& leaf : self.leaves_) {
        std::uint8_t* to = dst + leaf->gdal_offset;
        const std::uint8_t* from = src + leaf->offset;
        if (leaf->number != nullptr) {
            const zarr::Converter& number = leaf->number->op();
            number.row(number, to, dst_stride, from, src_stride, count);
            continue;
        }
        for (std::size_t i = 0; i < count; ++i, to += dst_stride, from += src_stride)
            self.ConvertText(*leaf, to, from);
    }
}

void ClearElements(const GDALExtendedDataType& type, std::uint8_t* data,
                   const zarr::DimVector<std::uint64_t>& count, const zarr::Strides& strides) {
    const std::vector<std::uint8_t> zeros(type.GetSize());
    zarr::FillBlock(count, data, strides, zeros.data(), zarr::CopyConverter(type.GetSize()));
}

void FreeElements(const GDALExtendedDataType& type, std::uint8_t* data,
                  const zarr::DimVector<std::uint64_t>& count, const zarr::Strides& strides) {
    zarr::Converter op;
    op.dst_size = op.src_size = type.GetSize();
    op.context = &type;
    op.row = [](const zarr::Converter& self, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                const std::uint8_t*, std::ptrdiff_t, std::size_t n) {
        const auto& element_type = *static_cast<const GDALExtendedDataType*>(self.context);
        for (std::size_t i = 0; i < n; ++i, dst += dst_stride) {
            element_type.FreeDynamicMemory(dst);
            std::memset(dst, 0, self.dst_size);
        }
    };
    const std::uint8_t unused = 0;
    zarr::FillBlock(count, data, strides, &unused, op);
}

std::string TextOfElement(const GDALExtendedDataType& type, const void* element) {
    char* text = nullptr;
    if (type.GetClass() == GEDTC_STRING) {
        std::memcpy(&text, element, sizeof text);
        return text == nullptr ? std::string() : zarr::ReplaceInvalidUtf8(text);
    }
    GDALExtendedDataType::CopyValue(element, type, &text, GDALExtendedDataType::CreateString());
    std::string copy = text == nullptr ? "" : text;
    VSIFree(text);
    return copy;
}

Result<std::unique_ptr<const ExtendedWriteConverter>> ExtendedWriteConverter::Make(
    const zarr::DataType& stored, const GDALExtendedDataType& buffer) {
    std::unique_ptr<ExtendedWriteConverter> self(new ExtendedWriteConverter());
    ZARR_ASSIGN_OR_RETURN(const auto leaves, PairLeaves(stored, buffer, Members::kAllOf));
    for (const ExtendedLeaf& pair : leaves) {
        auto leaf = std::make_unique<Leaf>(Leaf{pair, nullptr});
        const GDALExtendedDataType& type = leaf->gdal_type;
        if (GdalTypeOf(leaf->type) == GDT_Unknown)
            self->can_fail_ = true;
        else if (type.GetClass() == GEDTC_NUMERIC)
            leaf->number =
                std::make_unique<BufferWriteConverter>(leaf->type, type.GetNumericDataType());
        else
            return Status::Invalid("text cannot be converted to dtype " + leaf->type.ToString());
        self->leaves_.push_back(std::move(leaf));
    }
    const bool is_number = stored.kind != DataKind::kStruct && self->leaves_[0]->number != nullptr;
    if (is_number) {
        self->op_ = self->leaves_[0]->number->op();
    } else {
        self->op_.row = ConvertRow;
        self->op_.dst_size = stored.size;
        self->op_.src_size = buffer.GetSize();
        self->op_.context = self.get();
    }
    return std::unique_ptr<const ExtendedWriteConverter>(std::move(self));
}

Status ExtendedWriteConverter::status() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return status_;
}

TruncatedTexts ExtendedWriteConverter::truncated_texts() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return cut_;
}

void TruncatedTexts::Add(const zarr::DataType& type, const std::string& text) {
    if (count_++ == 0) first_ = zarr::TooLong(type, text);
}

std::string TruncatedTexts::Message() const {
    return first_.message() + "; truncated" +
           (count_ > 1 ? " (truncated texts: " + std::to_string(count_) + ")" : "");
}

void ExtendedWriteConverter::ConvertText(const Leaf& leaf, std::uint8_t* dst,
                                         const std::uint8_t* src) const {
    std::memset(dst, 0, leaf.type.size);
    const std::string text = zarr::TextToBytes(TextOfElement(leaf.gdal_type, src));
    const std::string_view fitting =
        leaf.type.kind == DataKind::kVoid ? text : zarr::TruncatedText(leaf.type, text);
    const Status status = StoreText(leaf.type, fitting, dst);
    if (!status.ok()) std::memset(dst, 0, leaf.type.size);
    if (status.ok() && fitting.size() == text.size()) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!status.ok() && status_.ok()) status_ = status;
    if (status.ok()) cut_.Add(leaf.type, text);
}

void ExtendedWriteConverter::ConvertRow(const zarr::Converter& op, std::uint8_t* dst,
                                        std::ptrdiff_t dst_stride, const std::uint8_t* src,
                                        std::ptrdiff_t src_stride, std::size_t count) {
    const auto& self = *static_cast<const ExtendedWriteConverter*>(op.context);
    for (const auto& leaf : self.leaves_) {
        std::uint8_t* to = dst + leaf->offset;
        const std::uint8_t* from = src + leaf->gdal_offset;
        if (leaf->number != nullptr) {
            const zarr::Converter& number = leaf->number->op();
            number.row(number, to, dst_stride, from, src_stride, count);
            continue;
        }
        for (std::size_t i = 0; i < count; ++i, to += dst_stride, from += src_stride)
            self.ConvertText(*leaf, to, from);
    }
}

// clang-format off
const OptionRow<StringFormat> kStringRows[1] = {
    {{"STRING_FORMAT", "string-select", "ASCII", "How strings with a maximum length are stored. `ASCII`: as dtype S with so many bytes, in UTF-8. `UNICODE`: as dtype U with so many characters. `STRING`: as strings of any length. Strings without a maximum length are always stored as strings of any length. A text that is too long is cut at a character, with a warning", "ASCII|UNICODE|STRING"}, To<StringFormat, ReadOneOf<StringFormat::kAscii, StringFormat::kUnicode, StringFormat::kVariable>>},
};
// clang-format on

Result<zarr::DataType> NewArrayType(const GDALExtendedDataType& type, StringFormat strings) {
    if (type.GetClass() == GEDTC_STRING) {
        const std::size_t length = type.GetMaxStringLength();
        if (length == 0 || strings == StringFormat::kVariable) return zarr::ParseTypestr("|O");
    }
    ZARR_ASSIGN_OR_RETURN(const json::Value spelled, MemberType(type, strings));
    const auto parsed = zarr::ParseDataType(spelled);
    // The type comes from the caller, not from a store, so the error becomes kInvalidArgument
    // instead of kCorrupt.
    if (!parsed.ok()) return Status::Invalid(parsed.status().message());
    return *parsed;
}

}  // namespace zarr_driver
