// SPDX-License-Identifier: MIT
// Tests that the creation options for codecs match the codecs that the registry supports.
#include "driver/base/codec_options.h"

#include <cpl_minixml.h>
#include <cpl_string.h>
#include <gtest/gtest.h>

#include <set>

#include "core/codec/registry.h"
#include "driver/base/array_options.h"

namespace zarr_driver {
namespace {

using Names = std::vector<std::string>;

Names Split(const std::string& text) {
    const CPLStringList parts(CSLTokenizeString2(text.c_str(), ",", 0));
    return {parts.List(), parts.List() + parts.size()};
}

// Returns the values that GDAL lists for a creation option.
Names ValuesOf(const std::string& option) {
    Names values;
    CPLXMLNode* const root = CPLParseXMLString(("<List>" + CodecOptionList() + "</List>").c_str());
    EXPECT_NE(root, nullptr);
    for (const CPLXMLNode* node = root->psChild; node != nullptr; node = node->psNext)
        if (CPLGetXMLValue(node, "name", "") == option)
            for (const CPLXMLNode* value = node->psChild; value != nullptr; value = value->psNext)
                if (EQUAL(value->pszValue, "Value"))
                    values.push_back(CPLGetXMLValue(value, "", ""));
    CPLDestroyXMLNode(root);
    return values;
}

// Image formats, whose codecs the registry has only in the plugin.
const std::set<std::string> kImages = {"jpeg", "png", "webp"};

// Returns true if an array of floats can be created with `option`, such as "COMPRESS=ZSTD".
bool IsWritable(const std::string& option) {
    CPLStringList options;
    options.AddString(option.c_str());
    zarr::ArraySpec spec;
    spec.shape = spec.chunks = {4, 4};
    spec.dtype = *zarr::ParseTypestr("<f4");
    auto parsed = ArrayCreationOptions::Parse(options.List());
    return parsed.ok() && parsed->Complete(spec.dtype).ok() && NewArrayMetadata(spec, *parsed).ok();
}

TEST(CodecOptions, NameEachCodecOfTheRegistryButThese) {
    std::set<std::string> unnamed;
    for (const std::string_view id : zarr::CodecIds()) unnamed.emplace(id);
    for (const std::string& id : Split(CompressorNames() + "," + FilterIds()))
        EXPECT_EQ(unnamed.erase(id) + kImages.count(id), 1U) << id;
    const std::set<std::string> known = {"imagecodecs_lzw",
                                         "imagecodecs_lerc",
                                         "imagecodecs_packbits",
                                         "imagecodecs_zstd",
                                         "imagecodecs_zlib",
                                         "imagecodecs_deflate",
                                         "imagecodecs_delta",
                                         "imagecodecs_floatpred",
                                         "zfpy",
                                         "pcodec",
                                         "imagecodecs_tiff",
                                         "base64",
                                         "crc32",
                                         "crc32c",
                                         "adler32",
                                         "json2",
                                         "fletcher32",
                                         "jenkins_lookup3",
                                         "msgpack2",
                                         "vlen-utf8",
                                         "vlen-bytes"};
    EXPECT_EQ(unnamed, known) << "give a new codec its options, or list it here";
}

TEST(CodecOptions, ListTheValuesThatTheyTake) {
    Names compressors = Split("none," + CompressorNames());
    for (std::string& name : compressors) name = CPLString(name).toupper();
    EXPECT_EQ(ValuesOf("COMPRESS"), compressors);
    for (const std::string& name : compressors)
        EXPECT_EQ(IsWritable("COMPRESS=" + name), kImages.count(CPLString(name).tolower()) == 0)
            << name;
    EXPECT_FALSE(IsWritable("COMPRESS=ZFPY"));
    EXPECT_FALSE(IsWritable("COMPRESS=SHUFFLE"));
    EXPECT_EQ(ValuesOf("BLOSC_CNAME"), Split(zarr::BloscCompressors()));
    for (const std::string& name : ValuesOf("BLOSC_CNAME"))
        EXPECT_TRUE(IsWritable("BLOSC_CNAME=" + name)) << name;
    EXPECT_FALSE(IsWritable("BLOSC_CNAME=none"));
    for (const std::string& name : ValuesOf("BLOSC_SHUFFLE"))
        EXPECT_TRUE(IsWritable("BLOSC_SHUFFLE=" + name)) << name;
}

TEST(CodecOptions, MakeEachFilter) {
    for (const std::string& id : Split(FilterIds())) {
        CPLStringList options;
        options.SetNameValue("FILTER", CPLString(id).toupper());
        for (const char* const needed : {"FIXEDSCALEOFFSET_SCALE", "QUANTIZE_DIGITS",
                                         "BITROUND_KEEPBITS", "CATEGORIZE_LABELS"})
            options.SetNameValue(needed, "1");
        const auto choice = CodecChoice::Parse(options.List());
        ASSERT_TRUE(choice.ok()) << choice.status().message();
        const auto specs = MakeCodecSpecs(*choice, *zarr::ParseTypestr("<f4"));
        ASSERT_TRUE(specs.ok()) << specs.status().message();
        ASSERT_EQ(specs->size(), 2U);
        EXPECT_EQ(specs->at(0).name, id);
        EXPECT_EQ(specs->at(1).name, "blosc");
    }
}

}  // namespace
}  // namespace zarr_driver
