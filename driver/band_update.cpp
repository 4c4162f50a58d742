// SPDX-License-Identifier: MIT
// The part of ZarrRasterBand that changes a store.
#include <cpl_string.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <new>
#include <optional>

#include "core/dtype/fill_value.h"
#include "driver/band.h"
#include "driver/guard.h"
#include "driver/report.h"

namespace zarr_driver {

using zarr::Status;
namespace json = zarr::json;

Status ZarrRasterBand::Store(const Window& window, const void* data, GDALDataType buffer_type,
                             GSpacing pixel_space, GSpacing line_space, GSpacing band_space) {
    const Selection selection = Select(window, pixel_space, line_space, band_space);
    try {
        ZARR_ASSIGN_OR_RETURN(zarr::ArrayWriter* const writer,
                              dataset()->update()->WriterOf(array_.layout.array));
        zarr::DataType stored = field_.type;
        if (bytes_are_signed_ && buffer_type == GDT_Byte) stored.kind = zarr::DataKind::kUint;
        const BufferWriteOp op(stored, buffer_type);
        const zarr::Source source{static_cast<const std::uint8_t*>(data), selection.strides,
                                  op.op()};
        return writer->Write(selection.region, field_.offset, source, dataset()->options().threads,
                             window.whole_chunks);
    } catch (const std::bad_alloc&) {
        return Status::OutOfMemory("out of memory");
    }
}

CPLErr ZarrRasterBand::WriteWindow(const Window& window, const void* data, GDALDataType buffer_type,
                                   GSpacing pixel_space, GSpacing line_space, GSpacing band_space) {
    if (dataset()->update() == nullptr) return dataset()->RefuseToWrite();
    dataset()->WarnOfOverviews();
    dataset()->PixelsChange();
    const Status status = Store(window, data, buffer_type, pixel_space, line_space, band_space);
    return status.ok() ? CE_None : EmitError(dataset()->store_path(), status);
}

CPLErr ZarrRasterBand::IWriteBlock(int nBlockXOff, int nBlockYOff, void* pData) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        const int size = GDALGetDataTypeSizeBytes(eDataType);
        Window window = BlockWindow(nBlockXOff, nBlockYOff);
        // After one failure GDAL forgets all of its blocks, so that nothing should fail here. Many
        // that are pending are also encoded in parallel.
        window.whole_chunks = zarr::WholeChunks::kPending;
        return WriteWindow(window, pData, eDataType, size, GSpacing{size} * nBlockXSize, 0);
    });
}

namespace {

template <class T>
constexpr GDALDataType kTypeOf = std::is_same_v<T, double>         ? GDT_Float64
                                 : std::is_same_v<T, std::int64_t> ? GDT_Int64
                                                                   : GDT_UInt64;

// The largest float where its text, such as 3.4028235e+38, has been rounded up; else the value.
double WithinFloats(double value) {
    constexpr double kLargest = FLT_MAX;
    const double half_a_step = std::ldexp(1.0, FLT_MAX_EXP - FLT_MANT_DIG - 1);
    const double size = std::abs(value);
    return size > kLargest && size < kLargest + half_a_step ? std::copysign(kLargest, value)
                                                            : value;
}

// The element of `type`, in the host's byte order, that is the value; none where `type` has no such
// value. Of a float it is the nearest.
template <class T>
std::optional<std::string> ElementOf(T value, const zarr::DataType& type) {
    const bool is_float =
        type.kind == zarr::DataKind::kFloat || type.kind == zarr::DataKind::kComplex;
    if constexpr (std::is_same_v<T, double>) {
        const GDALDataType real = GDALGetNonComplexDataType(GdalTypeOf(type));
        if (is_float && real == GDT_Float32) value = WithinFloats(value);
    }
    std::string element(type.size, '\0');
    auto* const bytes = reinterpret_cast<std::uint8_t*>(element.data());
    const BufferWriteOp write(type, kTypeOf<T>);
    write.op().row(write.op(), bytes, 0, reinterpret_cast<const std::uint8_t*>(&value), 0, 1);
    T held{};
    const BufferOp read(type, kTypeOf<T>);
    read.op().row(read.op(), reinterpret_cast<std::uint8_t*>(&held), 0, bytes, 0, 1);
    if (held == value) return element;
    if constexpr (std::is_same_v<T, double>) {
        if (is_float && (std::isnan(held) ? std::isnan(value) : std::isfinite(held)))
            return element;
    }
    return std::nullopt;
}

std::string TextOf(double value) { return CPLSPrintf("%.17g", value); }
template <class T>
std::string TextOf(T value) {
    return std::to_string(value);
}

}  // namespace

template <class T>
CPLErr ZarrRasterBand::StoreNodata(T value) {
    const auto element = ElementOf(value, field_.type.Native());
    if (!element) return RefuseNodata(TextOf(value));
    auto text = zarr::FillValueToJson(field_.type, *element);
    if (!text.ok()) return EmitError(dataset()->store_path(), text.status());
    nodata_ = element;
    dataset()->ChangeAttribute(array_, "_FillValue", text.Take());
    const bool is_whole = field_.name.empty();
    const Status status = is_whole ? dataset()->SetFillValue(array_, *element) : Status();
    return status.ok() ? CE_None : EmitError(dataset()->store_path(), status);
}

// No pixel is what the type cannot hold, so that nothing is nodata: not even what was before.
CPLErr ZarrRasterBand::RefuseNodata(const std::string& value) {
    dataset()->WarnOfNodata(value, field_.type);
    return nodata_ ? DeleteNoDataValue() : CE_None;
}

void ZarrRasterBand::SetDescription(const char* pszDescription) {
    Guarded(dataset()->store_path(), [&] {
        if (dataset()->update() == nullptr || !dataset()->NamesBands())
            return GDALPamRasterBand::SetDescription(pszDescription);
        description_ = pszDescription;
        has_description_ = true;
        dataset()->BandNamesChanged();
    });
}

CPLErr ZarrRasterBand::SetNoDataValue(double dfNoData) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        if (dataset()->update() == nullptr) return GDALPamRasterBand::SetNoDataValue(dfNoData);
        return StoreNodata(dfNoData);
    });
}

CPLErr ZarrRasterBand::SetNoDataValueAsInt64(int64_t nNoData) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        if (dataset()->update() == nullptr)
            return GDALPamRasterBand::SetNoDataValueAsInt64(nNoData);
        return StoreNodata(static_cast<std::int64_t>(nNoData));
    });
}

CPLErr ZarrRasterBand::SetNoDataValueAsUInt64(uint64_t nNoData) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        if (dataset()->update() == nullptr)
            return GDALPamRasterBand::SetNoDataValueAsUInt64(nNoData);
        return StoreNodata(static_cast<std::uint64_t>(nNoData));
    });
}

CPLErr ZarrRasterBand::DeleteNoDataValue() {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        if (dataset()->update() == nullptr) return GDALPamRasterBand::DeleteNoDataValue();
        const Status status = dataset()->RemoveFillValue(array_);
        if (!status.ok()) return EmitError(dataset()->store_path(), status);
        nodata_.reset();
        dataset()->ChangeAttribute(array_, "_FillValue", json::Value());
        return CE_None;
    });
}

CPLErr ZarrRasterBand::SetScale(double dfNewScale) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        if (dataset()->update() == nullptr) return GDALPamRasterBand::SetScale(dfNewScale);
        scale_ = dfNewScale;
        dataset()->ChangeAttribute(array_, "scale_factor", json::Value(dfNewScale));
        return CE_None;
    });
}

CPLErr ZarrRasterBand::SetOffset(double dfNewOffset) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        if (dataset()->update() == nullptr) return GDALPamRasterBand::SetOffset(dfNewOffset);
        offset_ = dfNewOffset;
        dataset()->ChangeAttribute(array_, "add_offset", json::Value(dfNewOffset));
        return CE_None;
    });
}

CPLErr ZarrRasterBand::SetUnitType(const char* pszNewValue) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        if (dataset()->update() == nullptr) return GDALPamRasterBand::SetUnitType(pszNewValue);
        units_ = pszNewValue != nullptr ? pszNewValue : "";
        dataset()->ChangeAttribute(array_, "units",
                                   units_.empty() ? json::Value() : json::Value(units_));
        return CE_None;
    });
}

}  // namespace zarr_driver
