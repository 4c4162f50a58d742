// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>

#include "core/dtype/element_text.h"

namespace zarr {
namespace {

using namespace std::string_literals;

TEST(MarkedText, IsThePlainTextIfPossible) {
    for (const char* text : {"", "a", "caf\xc3\xa9", "BASE64:AA==", "base64", " base64:"}) {
        EXPECT_EQ(MarkedBytes(text), text);
        EXPECT_EQ(MarkedText(text), text);
        EXPECT_EQ(UnmarkedBytes(text), text);
    }
}

TEST(MarkedText, IsBase64IfTheBytesAreNoText) {
    const std::pair<std::string, const char*> cases[] = {
        {"\0"s, "base64:AA=="},
        {"a\0b"s, "base64:YQBi"},
        {"a\0"s, "base64:YQA="},
        {"base64:"s, "base64:YmFzZTY0Og=="},
        {"base64:AA=="s, "base64:YmFzZTY0OkFBPT0="},
    };
    for (const auto& [bytes, text] : cases) {
        EXPECT_EQ(MarkedBytes(bytes), text);
        EXPECT_EQ(MarkedText(bytes), text);
        EXPECT_EQ(UnmarkedBytes(text), bytes);
    }
    EXPECT_EQ(MarkedBytes("\xff"), "base64:/w==");
    EXPECT_EQ(UnmarkedBytes("base64:/w=="), "\xff");
    EXPECT_EQ(MarkedText("caf\xe9"), "caf\xef\xbf\xbd") << "text in another encoding is read on";
}

TEST(MarkedText, OtherMarkedTextsAreUnchanged) {
    for (const char* text : {"base64:", "base64:YWJj", "base64:AA", "base64:!", "base64:AA== "})
        EXPECT_EQ(UnmarkedBytes(text), text) << "nothing is written so";
}

}  // namespace
}  // namespace zarr
