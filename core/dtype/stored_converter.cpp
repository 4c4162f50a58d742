// SPDX-License-Identifier: MIT
#include "core/dtype/stored_converter.h"

#include <algorithm>
#include <cstring>

#include "core/base/endian.h"
#include "core/base/row_converter.h"
#include "core/dtype/narrow_types.h"
#include "core/dtype/time_types.h"

namespace zarr {

namespace {

void StructRow(const Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
               const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    const auto& type = *static_cast<const DataType*>(op.context);
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride) {
        std::memcpy(dst, src, op.dst_size);
        SwapElements(type, dst, 1);
    }
}

void Int8Row(const Converter& /*op*/, std::uint8_t* dst, std::ptrdiff_t dst_stride,
             const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride)
        StoreNative(dst, static_cast<std::int16_t>(static_cast<std::int8_t>(*src)));
}

// Row function of a converter: float16 to float32. kParts is 1 for real and 2 for complex numbers.
template <int kParts>
void HalfRow(const Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
             const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    const bool swap = op.unit != 1;
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride) {
        for (int part = 0; part < kParts; ++part) {
            std::uint8_t bytes[2] = {src[2 * part], src[2 * part + 1]};
            if (swap) SwapUnits(bytes, 2, 1);
            StoreNative(dst + 4 * part, HalfToFloat(LoadNative<std::uint16_t>(bytes)));
        }
    }
}

void NarrowInt8Row(const Converter& /*op*/, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                   const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride) {
        const auto value = std::clamp<std::int16_t>(LoadNative<std::int16_t>(src), -128, 127);
        *dst = static_cast<std::uint8_t>(value);
    }
}

template <int kParts>
void NarrowHalfRow(const Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                   const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    const bool swap = op.unit != 1;
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride) {
        for (int part = 0; part < kParts; ++part)
            StoreNative(dst + 2 * part, FloatToHalf(LoadNative<float>(src + 4 * part)));
        if (swap) SwapUnits(dst, 2, kParts);
    }
}

// Row function of a converter for booleans: any byte except 0 becomes 1, because NumPy reads such a
// byte as true.
void BoolRow(const Converter& /*op*/, std::uint8_t* dst, std::ptrdiff_t dst_stride,
             const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride)
        *dst = *src != 0 ? 1 : 0;
}

// True if the types are equal, or differ only in byte order.
bool DiffersOnlyInByteOrder(const DataType& a, const DataType& b) {
    if (a.kind != b.kind || a.size != b.size) return false;
    return (!a.is_time() && a.kind != DataKind::kStruct) ||
           a.Native().ToString() == b.Native().ToString();
}

// True if both types are of `kind`, and `stored` has float16 parts where `memory` has float32
// parts. A complex number has two parts, a real number has one.
bool AreHalves(const DataType& stored, const DataType& memory, DataKind kind) {
    const std::size_t parts = kind == DataKind::kComplex ? 2 : 1;
    return stored.kind == kind && stored.size == 2 * parts && memory.kind == kind &&
           memory.size == 4 * parts;
}

// True if `memory` is the type in which times of the type `stored` are shown.
bool AreShownTimes(const DataType& stored, const DataType& memory) {
    return stored.is_time() && DiffersOnlyInByteOrder(PlainTimeType(stored), memory);
}

Status NoConversion(const DataType& from, const DataType& to) {
    return Status::Invalid("no conversion from dtype " + from.ToString() + " to " + to.ToString());
}

Converter Widen(Converter::Row row, const DataType& stored, const DataType& target) {
    Converter op;
    op.row = row;
    op.src_size = stored.size;
    op.dst_size = target.size;
    op.unit = stored.NeedsSwap() ? stored.size : 1;
    return op;
}

}  // namespace

Result<Converter> ReadConverter(const DataType& stored, const DataType& target) {
    if (stored.narrow != NarrowType::kNone || target.narrow != NarrowType::kNone) {
        const auto op = NarrowReadConverter(stored, target);
        return op ? Result<Converter>(*op) : NoConversion(stored, target);
    }
    if (DiffersOnlyInByteOrder(stored, target)) {
        if (stored.kind == DataKind::kBool) return Widen(BoolRow, stored, target);
        if (!stored.NeedsSwap()) return CopyConverter(stored.size);
        if (stored.kind == DataKind::kStruct) {
            Converter op = CopyConverter(stored.size);
            op.row = StructRow;
            op.context = &stored;
            op.is_copy = false;
            return op;
        }
        const std::size_t unit = stored.kind == DataKind::kUnicode   ? 4
                                 : stored.kind == DataKind::kComplex ? stored.size / 2
                                                                     : stored.size;
        return SwapConverter(stored.size, unit);
    }
    if (stored.kind == DataKind::kInt && stored.size == 1 && target.kind == DataKind::kInt &&
        target.size == 2)
        return Widen(Int8Row, stored, target);
    if (AreShownTimes(stored, target)) return PlainTimeReadConverter(stored);
    if (AreHalves(stored, target, DataKind::kFloat)) return Widen(HalfRow<1>, stored, target);
    if (AreHalves(stored, target, DataKind::kComplex)) return Widen(HalfRow<2>, stored, target);
    return NoConversion(stored, target);
}

Result<Converter> WriteConverter(const DataType& source, const DataType& stored) {
    if (source.narrow != NarrowType::kNone || stored.narrow != NarrowType::kNone) {
        const auto op = NarrowWriteConverter(source, stored);
        return op ? Result<Converter>(*op) : NoConversion(source, stored);
    }
    // The converter for reading is also right for writing if only the byte order differs. Swapping
    // bytes is its own inverse, and booleans become 0 or 1 in both directions.
    if (DiffersOnlyInByteOrder(source, stored)) return ReadConverter(stored, source);
    const auto narrow = [&](Converter::Row row) {
        Converter op;
        op.row = row;
        op.src_size = source.size;
        op.dst_size = stored.size;
        op.unit = stored.NeedsSwap() ? stored.size : 1;
        return op;
    };
    if (stored.kind == DataKind::kInt && stored.size == 1 && source.kind == DataKind::kInt &&
        source.size == 2)
        return narrow(NarrowInt8Row);
    if (AreShownTimes(stored, source)) return PlainTimeWriteConverter(stored);
    if (AreHalves(stored, source, DataKind::kFloat)) return narrow(NarrowHalfRow<1>);
    if (AreHalves(stored, source, DataKind::kComplex)) return narrow(NarrowHalfRow<2>);
    return NoConversion(source, stored);
}

}  // namespace zarr
