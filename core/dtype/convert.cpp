// SPDX-License-Identifier: MIT
#include "core/dtype/convert.h"

#include <algorithm>
#include <cstring>

#include "core/base/converter.h"
#include "core/base/endian.h"

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

void HalfRow(const Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
             const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    const bool swap = op.unit != 1;
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride) {
        std::uint8_t bytes[2] = {src[0], src[1]};
        if (swap) SwapUnits(bytes, 2, 1);
        StoreNative(dst, HalfToFloat(LoadNative<std::uint16_t>(bytes)));
    }
}

void NarrowInt8Row(const Converter& /*op*/, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                   const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride) {
        const auto value = std::clamp<std::int16_t>(LoadNative<std::int16_t>(src), -128, 127);
        *dst = static_cast<std::uint8_t>(value);
    }
}

void NarrowHalfRow(const Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                   const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    const bool swap = op.unit != 1;
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride) {
        StoreNative(dst, FloatToHalf(LoadNative<float>(src)));
        if (swap) SwapUnits(dst, 2, 1);
    }
}

// NumPy reads any byte but 0 as true.
void BoolRow(const Converter& /*op*/, std::uint8_t* dst, std::ptrdiff_t dst_stride,
             const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride)
        *dst = *src != 0 ? 1 : 0;
}

// True where the types differ in byte order alone.
bool IsSameButForOrder(const DataType& a, const DataType& b) {
    if (a.kind != b.kind || a.size != b.size) return false;
    return (!a.is_time() && a.kind != DataKind::kStruct) ||
           a.Native().ToString() == b.Native().ToString();
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
    if (IsSameButForOrder(stored, target)) {
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
    if (stored.kind == DataKind::kFloat && stored.size == 2 && target.kind == DataKind::kFloat &&
        target.size == 4)
        return Widen(HalfRow, stored, target);
    return Status::Invalid("no conversion from dtype " + stored.ToString() + " to " +
                           target.ToString());
}

Result<Converter> WriteConverter(const DataType& source, const DataType& stored) {
    // Swapping and normalising undo themselves.
    if (IsSameButForOrder(source, stored)) return ReadConverter(stored, source);
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
    if (stored.kind == DataKind::kFloat && stored.size == 2 && source.kind == DataKind::kFloat &&
        source.size == 4)
        return narrow(NarrowHalfRow);
    return Status::Invalid("no conversion from dtype " + source.ToString() + " to " +
                           stored.ToString());
}

}  // namespace zarr
