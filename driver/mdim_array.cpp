// SPDX-License-Identifier: MIT
#include "driver/mdim_array.h"

#include <algorithm>
#include <new>

#include "core/conventions/eopf.h"
#include "core/conventions/flags.h"
#include "core/conventions/nczarr.h"
#include "core/store/keys.h"
#include "driver/array_description.h"
#include "driver/extended_type.h"
#include "driver/guard.h"
#include "driver/mdim_attribute.h"
#include "driver/mdim_dimension.h"
#include "driver/mdim_session.h"
#include "driver/report.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// What the API has methods for.
constexpr std::string_view kHasMethods[] = {
    "_ARRAY_DIMENSIONS", "_CRS", "_FillValue", "units", "scale_factor", "add_offset", "_Unsigned"};

bool IsHidden(std::string_view name) {
    return std::find(std::begin(kHasMethods), std::end(kHasMethods), name) !=
               std::end(kHasMethods) ||
           zarr::IsNczarrAttribute(name);
}

zarr::DataType StoredType(const zarr::ArrayFacts& facts) {
    zarr::DataType type = zarr::ApplyUnsigned(facts.metadata.dtype, facts.attributes);
    const std::size_t text_length = zarr::NczarrTextLength(facts.metadata);
    if (text_length != 0) type.size = text_length;
    return type;
}

double Packed(const std::optional<double>& value, double neutral, bool* has_value,
              GDALDataType* storage) {
    if (has_value != nullptr) *has_value = value.has_value();
    if (storage != nullptr) *storage = value ? GDT_Float64 : GDT_Unknown;
    return value.value_or(neutral);
}

}  // namespace

Result<std::shared_ptr<ZarrMDArray>> ZarrMDArray::Open(std::shared_ptr<MdimSession> session,
                                                       const std::string& path) {
    const zarr::Hierarchy& hierarchy = session->hierarchy();
    ZARR_ASSIGN_OR_RETURN(zarr::ArrayFacts facts, zarr::DescribeArray(hierarchy, path));
    ZARR_ASSIGN_OR_RETURN(auto array, hierarchy.OpenArray(path));
    const std::string name = session->ArrayName(path);
    const auto type = ExtendedTypeOf(StoredType(facts), name);
    if (!type.ok())
        return type.status().WithContext(hierarchy.NameOf(zarr::JoinKey(path, zarr::kArrayKey)));
    const auto listing = ListChunksIfAsked(*array, session->options(), facts.warnings);
    EmitWarnings(session->store_path() + ": /" + path, facts.warnings);
    std::shared_ptr<ZarrMDArray> opened(
        new ZarrMDArray(std::move(session), std::move(facts), std::move(array), *type));
    DescribeStorage(*opened->array_, listing, opened->structural_info_);
    opened->SetSelf(opened);
    return opened;
}

ZarrMDArray::ZarrMDArray(std::shared_ptr<MdimSession> session, zarr::ArrayFacts facts,
                         std::shared_ptr<const zarr::Array> array, const GDALExtendedDataType& type)
    : GDALAbstractMDArray(session->GroupName(std::string(zarr::ParentPath(facts.path))),
                          session->ArrayName(facts.path)),
      GDALPamMDArray(session->GroupName(std::string(zarr::ParentPath(facts.path))),
                     session->ArrayName(facts.path), session->pam()),
      session_(std::move(session)),
      facts_(std::move(facts)),
      array_(std::move(array)),
      text_length_(zarr::NczarrTextLength(facts_.metadata)),
      stored_(StoredType(facts_)),
      type_(type) {
    activity_ = std::make_unique<ArrayActivity>(session_->store_path(), array_);
    OrderDimensions();
    for (const std::size_t i : shown_) dimensions_.push_back(session_->DimensionOf(facts_, i));
    DescribeCodecs(facts_.metadata, structural_info_);
    InterpretAttributes();
}

bool ZarrMDArray::HasElements() const {
    return std::all_of(dimensions_.begin(), dimensions_.end(),
                       [](const auto& dimension) { return dimension->GetSize() != 0; });
}

void ZarrMDArray::OrderDimensions() {
    const std::size_t rank = facts_.dimensions.size() - (text_length_ != 0 ? 1 : 0);
    const bool may_move = !IsWritable() && !session_->keeps_stored_order();
    bool is_empty = false;
    for (std::size_t i = 0; i < rank; ++i) {
        const bool moves = facts_.dimensions[i].size == 0 && may_move;
        if (!moves)
            shown_.push_back(i);
        else if (!is_empty)
            shown_.insert(shown_.begin(), i);
        if (moves && (is_empty || i != 0)) has_stored_order_ = false;
        is_empty = is_empty || moves;
    }
}

ZarrMDArray::~ZarrMDArray() {
    Guarded(session_->store_path(), [&] { FreeNodata(); });
}

void ZarrMDArray::FreeNodata() {
    if (!nodata_.empty()) type_.FreeDynamicMemory(nodata_.data());
    nodata_.clear();
}

Status ZarrMDArray::CheckThere() const {
    if (!is_deleted_) return {};
    return Status::Invalid("/" + facts_.path + ": the array was deleted");
}

void ZarrMDArray::InterpretAttributes() {
    zarr::Warnings warnings;
    packing_ = zarr::ReadPacking(facts_.attributes, warnings);
    EmitWarnings(session_->store_path() + ": /" + facts_.path, warnings);
    units_ = zarr::UnitsOf(stored_, packing_);
    ReadNodata();
    if (!IsWritable()) attributes_ = ListedAttributes();
}

std::vector<std::shared_ptr<GDALAttribute>> ZarrMDArray::ListedAttributes() const {
    auto list = ListAttributes(session_, facts_.path, GetFullName(), facts_.attributes, IsHidden);
    // What the numbers mean, as CF's attributes say it.
    const bool is_datetime = stored_.kind == zarr::DataKind::kDatetime;
    if (is_datetime && facts_.attributes.Find("calendar") == nullptr) {
        auto calendar = ZarrAttribute::Make(GetFullName(), "calendar",
                                            zarr::json::Value("proleptic_gregorian"));
        calendar->Attach(session_, facts_.path);
        list.push_back(std::move(calendar));
    }
    return list;
}

void ZarrMDArray::ReadNodata() {
    FreeNodata();
    if (text_length_ != 0) return;
    zarr::Warnings warnings;
    const auto element = zarr::ReadNodata(facts_.attributes, facts_.metadata,
                                          session_->options().fill_value_as_nodata, warnings);
    EmitWarnings(session_->store_path() + ": /" + facts_.path, warnings);
    // The values of a boolean are both data, and an empty string is what an array begins as.
    if (!element || stored_.kind == zarr::DataKind::kBool) return;
    const bool is_text = type_.GetClass() == GEDTC_STRING;
    if (is_text && element->is_zero()) return;
    // Nobody looks for a nodata value of so many bytes.
    constexpr std::size_t kLongest = std::size_t{1} << 20;
    if (element->size() > kLongest) return;
    const zarr::DataType native = stored_.Native();
    const auto op = ExtendedOp::Make(native, type_);
    if (!op.ok()) return;
    const std::string bytes = element->Bytes();
    zarr::ObjectRef ref{bytes.data(), bytes.size()};
    const auto* from = stored_.kind == zarr::DataKind::kObject
                           ? reinterpret_cast<const std::uint8_t*>(&ref)
                           : reinterpret_cast<const std::uint8_t*>(bytes.data());
    nodata_.resize(type_.GetSize());
    (*op)->op().row((*op)->op(), nodata_.data(), 0, from, 0, 1);
}

void ZarrMDArray::AttributeChanged(const std::string& name, zarr::json::Value attributes) {
    zarr::Warnings told;  // when it was opened
    facts_.attributes = zarr::WithEopf(std::move(attributes), facts_.metadata, told);
    if (IsHidden(name) || name == "missing_value") InterpretAttributes();
}

const std::string& ZarrMDArray::GetFilename() const noexcept { return session_->store_path(); }

std::vector<GUInt64> ZarrMDArray::GetBlockSize() const {
    return Guarded(session_->store_path(), [&]() -> std::vector<GUInt64> {
        std::vector<GUInt64> sizes;
        for (const std::size_t i : shown_) sizes.push_back(facts_.metadata.chunks[i]);
        return sizes;
    });
}

std::vector<size_t> ZarrMDArray::GetProcessingChunkSize(size_t nMaxChunkMemory) const {
    return Guarded(session_->store_path(), [&]() -> std::vector<size_t> {
        if (HasElements()) return GDALPamMDArray::GetProcessingChunkSize(nMaxChunkMemory);
        std::vector<size_t> sizes;
        for (std::size_t i = 0; i < shown_.size(); ++i)
            sizes.push_back(static_cast<size_t>(std::min<std::uint64_t>(
                dimensions_[i]->GetSize(), facts_.metadata.chunks[shown_[i]])));
        return sizes;
    });
}

std::shared_ptr<GDALAttribute> ZarrMDArray::GetAttribute(const std::string& osName) const {
    return Guarded(session_->store_path(), [&]() -> std::shared_ptr<GDALAttribute> {
        for (const auto& attribute : GetAttributes())
            if (attribute->GetName() == osName) return attribute;
        return nullptr;
    });
}

std::vector<std::shared_ptr<GDALAttribute>> ZarrMDArray::GetAttributes(
    CSLConstList /*papszOptions*/) const {
    return Guarded(session_->store_path(), [&]() -> std::vector<std::shared_ptr<GDALAttribute>> {
        if (!IsWritable()) return attributes_;
        const Status status = CheckThere();
        if (status.ok()) return ListedAttributes();
        EmitError(session_->store_path(), status);
        return {};
    });
}

const void* ZarrMDArray::GetRawNoDataValue() const {
    return Guarded(session_->store_path(),
                   [&]() -> const void* { return nodata_.empty() ? nullptr : nodata_.data(); });
}

double ZarrMDArray::GetScale(bool* pbHasScale, GDALDataType* peStorageType) const {
    return Guarded(session_->store_path(), [&]() -> double {
        return Packed(packing_.scale, 1.0, pbHasScale, peStorageType);
    });
}

double ZarrMDArray::GetOffset(bool* pbHasOffset, GDALDataType* peStorageType) const {
    return Guarded(session_->store_path(), [&]() -> double {
        return Packed(packing_.offset, 0.0, pbHasOffset, peStorageType);
    });
}

// ---------------------------------------------------------------------------------------------
// Values

// The characters of the texts, then each as one element.
Status ZarrMDArray::ReadTexts(const zarr::Region& region, const zarr::Strides& strides,
                              const GDALExtendedDataType& buffer_type, std::uint8_t* data) const {
    const std::uint64_t size = region.size();
    if (size > SIZE_MAX / text_length_) return Status::Limit("too many elements for one read");
    zarr::Buffer staged;
    ZARR_RETURN_IF_ERROR(staged.Reset(static_cast<std::size_t>(size) * text_length_));
    zarr::Region characters = region;
    characters.start.push_back(0);
    characters.count.push_back(text_length_);
    characters.step.push_back(1);
    const zarr::Strides own = zarr::ContiguousStrides(region.count, text_length_, false);
    zarr::Strides each = own;
    each.push_back(1);
    ZARR_RETURN_IF_ERROR(array_->Read(characters, 0, {staged.data(), each, zarr::CopyOp(1)},
                                      {session_->options().threads, zarr::Keep::kAllIfSmall}));
    ZARR_ASSIGN_OR_RETURN(const auto op, ExtendedOp::Make(stored_, buffer_type));
    zarr::CopyBlock(region.count, data, strides, staged.data(), own, op->op());
    return op->is_out_of_memory() ? Status::OutOfMemory(facts_.path + ": out of memory") : Status();
}

Status ZarrMDArray::ReadRegion(const zarr::Region& region, const zarr::Strides& strides,
                               const GDALExtendedDataType& buffer_type, std::uint8_t* data) const {
    for (std::size_t i = 0; i < region.count.size(); ++i) {
        if (region.step[i] != 0) continue;
        // A step of 0 repeats one element.
        zarr::Region once = region;
        once.step[i] = 1;
        once.count[i] = 1;
        for (std::uint64_t k = 0; k < region.count[i]; ++k)
            ZARR_RETURN_IF_ERROR(ReadRegion(once, strides, buffer_type,
                                            data + static_cast<std::ptrdiff_t>(k) * strides[i]));
        return {};
    }
    ZARR_RETURN_IF_ERROR(CheckThere());
    const bool has_strings = buffer_type.NeedsFreeDynamicMemory();
    if (has_strings) ClearElements(buffer_type, data, region.count, strides);
    Status status;
    if (text_length_ != 0) {
        status = ReadTexts(region, strides, buffer_type, data);
    } else {
        ZARR_ASSIGN_OR_RETURN(const auto op, ExtendedOp::Make(stored_, buffer_type));
        status = array_->Read(region, 0, {data, strides, op->op()},
                              {session_->options().threads, zarr::Keep::kAllIfSmall});
        if (status.ok() && op->is_out_of_memory())
            status = Status::OutOfMemory(facts_.path + ": out of memory");
    }
    // A caller that is told of a failure does not look for strings to free.
    if (!status.ok() && has_strings) FreeElements(buffer_type, data, region.count, strides);
    return status;
}

bool ZarrMDArray::IRead(const GUInt64* arrayStartIdx, const size_t* count, const GInt64* arrayStep,
                        const GPtrDiff_t* bufferStride, const GDALExtendedDataType& bufferDataType,
                        void* pDstBuffer) const {
    return Guarded(session_->store_path(), [&]() -> bool {
        const std::size_t rank = dimensions_.size();
        zarr::Region region;
        zarr::Strides strides;
        for (std::size_t i = 0; i < rank; ++i) {
            region.start.push_back(arrayStartIdx[i]);
            region.count.push_back(count[i]);
            // Whatever the step, one element needs none.
            region.step.push_back(count[i] == 1 ? 1 : arrayStep[i]);
            strides.push_back(static_cast<std::ptrdiff_t>(bufferStride[i]) *
                              static_cast<std::ptrdiff_t>(bufferDataType.GetSize()));
        }
        const Status status =
            ReadRegion(region, strides, bufferDataType, static_cast<std::uint8_t*>(pDstBuffer));
        if (status.ok()) return true;
        EmitError(session_->store_path(), status);
        return false;
    });
}

Status ZarrMDArray::Advise(const zarr::Region& region, CSLConstList options) const {
    ZARR_ASSIGN_OR_RETURN(
        const std::size_t threads,
        ParseThreads(CSLFetchNameValue(options, "NUM_THREADS"), session_->options().threads));
    const std::size_t limit = array_->context().cache().max_bytes();
    std::uint64_t allowed = limit;
    if (const char* text = CSLFetchNameValue(options, "CACHE_SIZE")) {
        const GIntBig bytes = CPLAtoGIntBig(text);
        if (CPLGetValueType(text) != CPL_VALUE_INTEGER || bytes < 0)
            return Status::Invalid("CACHE_SIZE: expected a number of bytes, got " +
                                   std::string(text));
        allowed = std::min<std::uint64_t>(limit, static_cast<std::uint64_t>(bytes));
    }
    const std::uint64_t needed = array_->DecodedBytes(region);
    if (needed > allowed)
        return Status::Limit(
            facts_.path + ": the chunks of the region take " + std::to_string(needed) +
            " bytes, and the cache may hold " + std::to_string(allowed) +
            (allowed < limit ? " (CACHE_SIZE)" : " (the configuration option GDAL_CACHEMAX)"));
    return array_->Preload(region, threads);
}

bool ZarrMDArray::IAdviseRead(const GUInt64* arrayStartIdx, const size_t* count,
                              CSLConstList papszOptions) const {
    return Guarded(session_->store_path(), [&]() -> bool {
        zarr::Region region;
        for (std::size_t i = 0; i < dimensions_.size(); ++i) {
            region.start.push_back(arrayStartIdx[i]);
            region.count.push_back(count[i]);
            region.step.push_back(1);
        }
        if (text_length_ != 0) {
            region.start.push_back(0);
            region.count.push_back(text_length_);
            region.step.push_back(1);
        }
        const Status status = Advise(region, papszOptions);
        if (!status.ok()) EmitError(session_->store_path(), status);
        return status.ok();
    });
}

}  // namespace zarr_driver
