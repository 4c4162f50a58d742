// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>

#include "core/dtype/element_text.h"

namespace zarr {
namespace {

using namespace std::string_literals;

TEST(RawTextToText, IsThePlainTextIfPossible) {
    for (const char* text : {"", "a", "caf\xc3\xa9", "BASE64:AA==", "base64", " base64:"}) {
        EXPECT_EQ(BytesToText(text), text);
        EXPECT_EQ(RawTextToText(text), text);
        EXPECT_EQ(TextToBytes(text), text);
    }
}

TEST(RawTextToText, IsBase64IfTheBytesAreNoText) {
    const std::pair<std::string, const char*> cases[] = {
        {"\0"s, "base64:AA=="},
        {"a\0b"s, "base64:YQBi"},
        {"a\0"s, "base64:YQA="},
        {"base64:"s, "base64:YmFzZTY0Og=="},
        {"base64:AA=="s, "base64:YmFzZTY0OkFBPT0="},
    };
    for (const auto& [bytes, text] : cases) {
        EXPECT_EQ(BytesToText(bytes), text);
        EXPECT_EQ(RawTextToText(bytes), text);
        EXPECT_EQ(TextToBytes(text), bytes);
    }
    EXPECT_EQ(BytesToText("\xff"), "base64:/w==");
    EXPECT_EQ(TextToBytes("base64:/w=="), "\xff");
    EXPECT_EQ(RawTextToText("caf\xe9"), "caf\xef\xbf\xbd") << "text in another encoding is read on";
}

TEST(RawTextToText, OtherMarkedTextsAreUnchanged) {
    for (const char* text : {"base64:", "base64:YWJj", "base64:AA", "base64:!", "base64:AA== "})
        EXPECT_EQ(TextToBytes(text), text) << "nothing is written so";
}

}  // namespace
}  // namespace zarr
