// SPDX-License-Identifier: MIT
#include "driver/multidim/raw_block_codecs.h"

#include <gtest/gtest.h>

#include <string>

namespace zarr_driver {
namespace {

// Returns the creation options for the block information `info` ("NAME=VALUE NAME=VALUE") as one
// line, or the error.
std::string OptionsOf(const char* info, std::size_t element_size = 4) {
    const CPLStringList list(CSLTokenizeString2(info, " ", 0));
    const auto options = ArrayOptionsOf(list.List(), {2, 30}, element_size);
    if (!options.ok()) return options.status().message();
    std::string text;
    for (int i = 0; i < options->size(); ++i) text += std::string((*options)[i]) + " ";
    return text;
}

TEST(RawBlockCodecs, TranslatesTheCodecsOfBlocks) {
    EXPECT_EQ(OptionsOf(""), "COMPRESS=NONE BLOCKSIZE=2,30 ");
    EXPECT_EQ(OptionsOf("ENDIANNESS=LITTLE"), "COMPRESS=NONE BLOCKSIZE=2,30 ");
    EXPECT_EQ(OptionsOf("ENDIANNESS=BIG"), "COMPRESS=NONE ENDIAN=BIG BLOCKSIZE=2,30 ");
    EXPECT_EQ(OptionsOf("COMPRESSION=DEFLATE FILTER=SHUFFLE ENDIANNESS=LITTLE"),
              "COMPRESS=ZLIB FILTER=SHUFFLE BLOCKSIZE=2,30 ");
    EXPECT_EQ(OptionsOf("COMPRESSION=DEFLATE FILTER=SHUFFLE", 1), "COMPRESS=ZLIB BLOCKSIZE=2,30 ");
}

TEST(RawBlockCodecs, NamesWhatHasNoCodec) {
    EXPECT_EQ(OptionsOf("COMPRESSION=SZIP"),
              "its blocks are stored with \"COMPRESSION=SZIP\", which has no codec in references");
    EXPECT_EQ(OptionsOf("FILTER=FLETCHER32,SHUFFLE"),
              "its blocks are stored with \"FILTER=FLETCHER32,SHUFFLE\", which has no codec in "
              "references");
    EXPECT_EQ(OptionsOf("FILTER=SHUFFLE ENDIANNESS=BIG"),
              "its blocks are shuffled and big-endian, which references cannot express");
}

TEST(RawBlockCodecs, ArraysWithoutDimensionsHaveNoBlockSize) {
    const auto options = ArrayOptionsOf(nullptr, {}, 4);
    ASSERT_TRUE(options.ok());
    EXPECT_EQ(options->FetchNameValue("BLOCKSIZE"), nullptr);
}

}  // namespace
}  // namespace zarr_driver
