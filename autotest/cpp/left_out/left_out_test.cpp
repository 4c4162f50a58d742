// SPDX-License-Identifier: MIT
// Tests of a build without the rare codecs. This program compiles its own codec registry without
// them.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "autotest/cpp/support/checks.h"
#include "core/codec/codec_not_built.h"
#include "core/codec/registry.h"

namespace zarr {
namespace {

using test::Fails;
using test::Succeeds;

CodecSpec Named(std::string name, CodecNames names) {
    return {std::move(name), test::Json("{}"), "codecs[0]", names};
}

CodecContext Context() {
    CodecContext context;
    context.dtype = *ParseTypestr("<f4");
    context.chunk_shape = {4};
    return context;
}

TEST(LeftOut, CodecsNameTheirLibraryAndTheOption) {
    const struct {
        const char* name;
        CodecNames names;
        const char* message;
    } cases[] = {
        {"zfpy", CodecNames::kNumcodecs,
         "codec zfpy: this build has no libzfp (ZARR_WITH_ZFP=OFF)"},
        {"numcodecs.zfpy", CodecNames::kV3,
         "codec zfpy: this build has no libzfp (ZARR_WITH_ZFP=OFF)"},
        {"zfp", CodecNames::kV3, "codec zfp: this build has no libzfp (ZARR_WITH_ZFP=OFF)"},
        {"imagecodecs_tiff", CodecNames::kNumcodecs,
         "codec imagecodecs_tiff: this build has no libtiff (ZARR_WITH_TIFF=OFF)"},
        {"imagecodecs_lerc", CodecNames::kNumcodecs,
         "codec imagecodecs_lerc: this build has no liblerc (ZARR_WITH_LERC=OFF)"},
        {"lzma", CodecNames::kNumcodecs,
         "codec lzma: this build has no liblzma (ZARR_WITH_LZMA=OFF)"},
        {"numcodecs.bz2", CodecNames::kV3,
         "codec bz2: this build has no libbz2 (ZARR_WITH_BZ2=OFF)"},
    };
    for (const auto& c : cases) {
        const auto codec = MakeCodec(Named(c.name, c.names), Context());
        EXPECT_TRUE(Fails(codec, StatusCode::kUnsupported, c.message));
        EXPECT_EQ(codec.status().message(), c.message);
    }
}

// A build without a codec must read the metadata of arrays with this codec, and must work for other
// arrays.
TEST(LeftOut, CodecsStayInTheRegistry) {
    EXPECT_TRUE(IsCompressor(Named("bz2", CodecNames::kNumcodecs)));
    const auto kind = ClassOf(Named("zfp", CodecNames::kV3));
    ASSERT_TRUE(Succeeds(kind));
    EXPECT_EQ(*kind, CodecClass::kArrayToBytes);
    EXPECT_TRUE(Succeeds(MakeCodec(Named("zlib", CodecNames::kNumcodecs), Context())));
    EXPECT_TRUE(Fails(MakeCodec(Named("bz3", CodecNames::kNumcodecs), Context()),
                      StatusCode::kUnsupported, "unknown codec"));
}

TEST(LeftOut, CodecsAreListed) {
    EXPECT_EQ(LeftOutCodecs().size(), 6U);
    EXPECT_TRUE(IsLeftOut("lzma"));
    EXPECT_FALSE(IsLeftOut("zstd"));
}

}  // namespace
}  // namespace zarr
