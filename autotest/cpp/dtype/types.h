// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "autotest/cpp/support/checks.h"
#include "core/dtype/data_type.h"

namespace zarr::test {

// Parses a typestr, for example "<f4", or the JSON of a data type.
inline DataType Type(std::string_view text) {
    const bool is_json = text[0] == '[' || text[0] == '"';
    auto type = is_json ? ParseDataType(Json(text)) : ParseTypestr(text);
    EXPECT_TRUE(Succeeds(type)) << text;
    return type.ok() ? type.Take() : DataType();
}

}  // namespace zarr::test
