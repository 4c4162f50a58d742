// SPDX-License-Identifier: MIT
#include "driver/georef/editable_array.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "autotest/cpp/support/checks.h"
#include "autotest/cpp/support/temp_folder.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {
namespace {

// Writes the names of the three dimensions of the array "a".
void WriteNames(zarr::Store& store, const std::string& names) {
    const std::string text = R"({"_ARRAY_DIMENSIONS": [)" + names + "]}";
    ASSERT_TRUE(zarr::test::Succeeds(store.Set("a/.zattrs", zarr::ByteSpan(text))));
}

TEST(EditableArrayTest, ARenamedDimensionChangesTheAxes) {
    const zarr::test::TempFolder folder;
    const StorePath path(folder.path().string());
    VsiStore store{path};
    ASSERT_TRUE(
        zarr::test::Succeeds(store.Set(".zgroup", zarr::ByteSpan(R"({"zarr_format": 2})"))));
    ASSERT_TRUE(zarr::test::Succeeds(store.Set(
        "a/.zarray", zarr::ByteSpan(R"({"zarr_format": 2, "shape": [2, 3, 4], "chunks": [2, 3, 4],
            "dtype": "<i2", "order": "C", "fill_value": 0, "filters": null, "compressor": null})"))));
    WriteNames(store, R"("p", "q", "r")");
    const OpenOptions options;
    const auto open_node = OpenNodeAt(StoreAddress(path).At("a"), options);
    ASSERT_TRUE(zarr::test::Succeeds(open_node));
    auto layout = MakeRasterLayout(*open_node->hierarchy, "a", options, {});
    ASSERT_TRUE(zarr::test::Succeeds(layout));
    EditableArray array(*open_node, options, std::move(*layout));
    EXPECT_EQ(array.layout().x_axis, std::optional<std::size_t>(2));
    EXPECT_EQ(array.layout().y_axis, std::optional<std::size_t>(1));
    WriteNames(store, R"("x", "y", "r")");
    open_node->hierarchy->Reload();
    ASSERT_TRUE(zarr::test::Succeeds(array.Reload(*open_node->hierarchy, "a")));
    EXPECT_EQ(array.layout().x_axis, std::optional<std::size_t>(0));
    EXPECT_EQ(array.layout().y_axis, std::optional<std::size_t>(1));
}

}  // namespace
}  // namespace zarr_driver
