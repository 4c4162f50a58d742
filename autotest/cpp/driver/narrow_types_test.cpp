// SPDX-License-Identifier: MIT
// Tests of narrow data types of Zarr v3, such as bfloat16, in GDAL.
#include "core/dtype/narrow_types.h"

#include <gdal.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/dtype/v3_types.h"
#include "driver/base/gdal_compat.h"
#include "driver/base/gdal_types.h"
#include "driver/multidim/extended_type.h"
#include "driver/raster/nodata_element.h"

namespace zarr_driver {
namespace {

zarr::DataType TypeOf(const char* name) {
    auto type = zarr::ParseV3DataType(zarr::json::Value(name));
    EXPECT_TRUE(type.ok()) << name;
    return type.ok() ? type.Take() : zarr::DataType();
}

TEST(NarrowTypesInGdal, BecomeTheNextLargerType) {
    const GDALDataType signed_byte = kGdalInt8 != GDT_Unknown ? kGdalInt8 : GDT_Int16;
    const std::pair<const char*, GDALDataType> pairs[] = {
        {"bfloat16", GDT_Float32},
        {"float8_e4m3", GDT_Float32},
        {"float8_e8m0fnu", GDT_Float32},
        {"float6_e2m3fn", GDT_Float32},
        {"float4_e2m1fn", GDT_Float32},
        {"int2", signed_byte},
        {"int4", signed_byte},
        {"uint2", GDT_Byte},
        {"uint4", GDT_Byte},
        {"complex_bfloat16", GDT_CFloat32},
        {"complex_float8_e5m2", GDT_CFloat32},
        {"complex_float4_e2m1fn", GDT_CFloat32},
        {"complex_float16", GDT_CFloat32},
        {"complex64", GDT_CFloat32},
        {"complex128", GDT_CFloat64},
    };
    for (const auto& [name, gdal] : pairs) {
        const zarr::DataType type = TypeOf(name);
        EXPECT_EQ(GdalTypeOf(type), gdal) << name;
        const zarr::DataType memory = MemoryTypeOf(type);
        EXPECT_EQ(memory.narrow, zarr::NarrowType::kNone) << name;
        EXPECT_EQ(memory.kind, type.kind) << name;
        EXPECT_EQ(memory.size, static_cast<std::size_t>(GDALGetDataTypeSizeBytes(gdal))) << name;
        const auto extended = ExtendedTypeOf(type, "name");
        ASSERT_TRUE(extended.ok()) << name;
        EXPECT_EQ(extended->GetNumericDataType(), gdal) << name;
    }
}

TEST(NarrowTypesInGdal, ComeBackThroughEveryBuffer) {
    for (int i = 1; i <= static_cast<int>(zarr::NarrowType::kFloat8E8m0fnu); ++i) {
        const auto narrow = static_cast<zarr::NarrowType>(i);
        const zarr::NarrowFormat& format = zarr::FormatOf(narrow);
        for (const zarr::ByteOrder order : {zarr::ByteOrder::kLittle, zarr::ByteOrder::kBig}) {
            const zarr::DataType type =
                zarr::WithByteOrder(zarr::MakeNarrowType(narrow, false), order);
            std::vector<std::uint8_t> stored;
            for (std::uint32_t code = 0; code < 1U << format.bits; ++code) {
                const auto low = static_cast<std::uint8_t>(code);
                const auto high = static_cast<std::uint8_t>(code >> 8);
                if (std::isnan(zarr::NarrowToDouble(narrow, static_cast<std::uint16_t>(code))))
                    continue;
                const bool is_big = order == zarr::ByteOrder::kBig;
                if (type.size == 2 && is_big) stored.push_back(high);
                stored.push_back(low);
                if (type.size == 2 && !is_big) stored.push_back(high);
            }
            const std::size_t count = stored.size() / type.size;
            for (const GDALDataType buffer_type : {GdalTypeOf(type), GDT_Float32, GDT_Float64}) {
                const auto size = static_cast<std::size_t>(GDALGetDataTypeSizeBytes(buffer_type));
                std::vector<std::uint8_t> buffer(count * size);
                std::vector<std::uint8_t> back(stored.size());
                const BufferConverter read(type, buffer_type);
                const BufferWriteConverter write(type, buffer_type);
                const auto own = static_cast<std::ptrdiff_t>(type.size);
                const auto step = static_cast<std::ptrdiff_t>(size);
                read.op().row(read.op(), buffer.data(), step, stored.data(), own, count);
                write.op().row(write.op(), back.data(), own, buffer.data(), step, count);
                EXPECT_EQ(back, stored) << format.name << " " << GDALGetDataTypeName(buffer_type);
            }
        }
    }
}

TEST(NarrowTypesInGdal, AcceptRepresentableNodataValues) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    const auto has = [](const char* name, double value) {
        return ElementOf(value, TypeOf(name)).has_value();
    };
    EXPECT_TRUE(has("int4", -8));
    EXPECT_FALSE(has("int4", 8));
    EXPECT_FALSE(has("int4", 1.5));
    EXPECT_TRUE(has("uint2", 3));
    EXPECT_FALSE(has("uint2", 255));
    EXPECT_TRUE(has("bfloat16", kNan));
    EXPECT_TRUE(has("bfloat16", -9999));
    EXPECT_TRUE(has("float8_e4m3fnuz", 240));
    EXPECT_FALSE(has("float8_e4m3fnuz", -9999));
    EXPECT_FALSE(has("float4_e2m1fn", kNan));
    EXPECT_FALSE(has("float4_e2m1fn", 255));
    EXPECT_TRUE(has("float4_e2m1fn", 0.6));
    EXPECT_FALSE(has("float8_e8m0fnu", 0));
    EXPECT_EQ(ElementOf<std::int64_t>(-1, TypeOf("int4")), "\x0f");
    EXPECT_EQ(NodataOutOfRange("9", TypeOf("int4")),
              "nodata value 9 does not fit int4; no nodata value is set");
}

}  // namespace
}  // namespace zarr_driver
