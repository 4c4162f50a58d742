// SPDX-License-Identifier: MIT
#include "core/metadata/v3_metadata.h"

#include <string>
#include <utility>
#include <vector>

#include "autotest/cpp/support/checks.h"
#include "core/json/value.h"
#include "core/metadata/fill_meaning.h"

namespace zarr {
namespace {

using test::Fails;
using test::Json;
using test::Succeeds;
using Sizes = std::vector<std::uint64_t>;

// Returns the `zarr.json` of an array of 10 x 12 uint16 in chunks of 4 x 6. `changes` are pairs of
// a member and its JSON; empty JSON removes the member.
std::string Document(const std::vector<std::pair<std::string, std::string>>& changes = {}) {
    std::vector<std::pair<std::string, std::string>> members{
        {"zarr_format", "3"},
        {"node_type", R"("array")"},
        {"shape", "[10, 12]"},
        {"data_type", R"("uint16")"},
        {"chunk_grid", R"({"name": "regular", "configuration": {"chunk_shape": [4, 6]}})"},
        {"chunk_key_encoding", R"({"name": "default"})"},
        {"fill_value", "7"},
        {"codecs", R"([{"name": "bytes", "configuration": {"endian": "little"}}])"}};
    for (const auto& [name, text] : changes) {
        bool is_known = false;
        for (auto& member : members)
            if (member.first == name) {
                member.second = text;
                is_known = true;
            }
        if (!is_known) members.emplace_back(name, text);
    }
    std::string document = "{";
    for (const auto& [name, text] : members)
        if (!text.empty()) document += (document.size() > 1 ? ", \"" : "\"") + name + "\": " + text;
    return document + "}";
}

ArrayMetadata Parsed(const std::vector<std::pair<std::string, std::string>>& changes = {}) {
    auto metadata = ParseV3Array(Document(changes));
    EXPECT_TRUE(Succeeds(metadata)) << Document(changes);
    return metadata.ok() ? metadata.Take() : ArrayMetadata();
}

TEST(V3Array, IsReadIntoTheModel) {
    const ArrayMetadata metadata = Parsed();
    EXPECT_EQ(metadata.format, Format::kV3);
    EXPECT_EQ(metadata.shape, (Sizes{10, 12}));
    EXPECT_EQ(metadata.chunks, (Sizes{4, 6}));
    EXPECT_EQ(metadata.dtype.ToString(), "<u2");
    EXPECT_EQ(metadata.fill_value.Bytes(), std::string("\7\0", 2));
    EXPECT_TRUE(metadata.has_fill_value);
    EXPECT_TRUE(metadata.axis_order.is_row_major());
    EXPECT_TRUE(metadata.codecs.empty()) << "bytes is the byte order alone";
    EXPECT_TRUE(metadata.shards.empty());
    EXPECT_EQ(ChunkKey("a", {1, 0}, metadata.key_encoding()), "a/c/1/0");
}

TEST(V3Array, HasKeysByItsEncoding) {
    const auto key = [](const char* encoding) {
        return ChunkKey("", {1, 0}, Parsed({{"chunk_key_encoding", encoding}}).key_encoding());
    };
    EXPECT_EQ(key(R"("default")"), "c/1/0");
    EXPECT_EQ(key(R"({"name": "default", "configuration": {"separator": "."}})"), "c.1.0");
    EXPECT_EQ(key(R"({"name": "v2"})"), "1.0");
    EXPECT_EQ(key(R"({"name": "v2", "configuration": {"separator": "/"}})"), "1/0");
    EXPECT_EQ(ChunkKey("", {}, {'/', true}), "c") << "of a scalar";
}

TEST(V3Array, TakesTheByteOrderFromTheCodec) {
    const char* const big = R"([{"name": "bytes", "configuration": {"endian": "big"}}])";
    EXPECT_EQ(Parsed({{"codecs", big}}).dtype.ToString(), ">u2");
    const ArrayMetadata byte = Parsed({{"data_type", R"("uint8")"}, {"codecs", R"(["bytes"])"}});
    EXPECT_EQ(byte.dtype.ToString(), "|u1");
}

TEST(V3Array, TakesTranspositionsAsTheOrderOfItsAxes) {
    const auto order = [](const std::string& codecs) {
        return Parsed({{"shape", "[2, 3, 4]"},
                       {"chunk_grid",
                        R"({"name": "regular", "configuration": {"chunk_shape": [2, 3, 4]}})"},
                       {"codecs", "[" + codecs + R"({"name": "bytes", "configuration": )" +
                                      R"({"endian": "little"}}])"}})
            .axis_order.Text();
    };
    const std::string turn = R"({"name": "transpose", "configuration": {"order": [1, 2, 0]}},)";
    EXPECT_EQ(order(""), "C");
    EXPECT_EQ(order(R"({"name": "transpose", "configuration": {"order": [2, 1, 0]}},)"), "F");
    EXPECT_EQ(order(turn), "[1, 2, 0]");
    EXPECT_EQ(order(turn + turn), "[2, 0, 1]");
    EXPECT_EQ(order(turn + turn + turn), "C");
}

TEST(V3Array, ReadsShardsLevelByLevel) {
    const ArrayMetadata metadata = Parsed(
        {{"shape", "[100, 90]"},
         {"chunk_grid", R"({"name": "regular", "configuration": {"chunk_shape": [20, 30]}})"},
         {"codecs", R"([
             {"name": "transpose", "configuration": {"order": [1, 0]}},
             {"name": "sharding_indexed", "configuration": {
                 "chunk_shape": [15, 10], "index_location": "start",
                 "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, "crc32c"],
                 "codecs": [{"name": "sharding_indexed", "configuration": {
                     "chunk_shape": [5, 2],
                     "index_codecs": [{"name": "bytes", "configuration": {"endian": "big"}}],
                     "codecs": [{"name": "bytes", "configuration": {"endian": "big"}},
                                {"name": "gzip", "configuration": {"level": 1}}]}}]}},
             "crc32c"])"}});
    EXPECT_EQ(metadata.chunks, (Sizes{2, 5}))
        << "of the array's dimensions, not of the turned ones";
    ASSERT_EQ(metadata.shards.size(), 2U);
    EXPECT_EQ(metadata.shards[0].shape, (Sizes{20, 30}));
    EXPECT_EQ(metadata.shards[1].shape, (Sizes{10, 15}));
    EXPECT_FALSE(metadata.shards[0].index_at_end);
    EXPECT_TRUE(metadata.shards[1].index_at_end);
    EXPECT_TRUE(metadata.shards[0].order.is_column_major());
    EXPECT_EQ(metadata.shards[0].codecs.size(), 1U);
    EXPECT_EQ(metadata.shards[0].index_codecs.size(), 2U);
    EXPECT_EQ(metadata.codecs.size(), 1U);
    EXPECT_EQ(metadata.dtype.ToString(), ">u2");
    EXPECT_TRUE(metadata.axis_order.is_column_major());
    EXPECT_EQ(metadata.stored_chunks(), (Sizes{20, 30}));
}

TEST(V3Array, FromGdalMayHaveNoFillValue) {
    const ArrayMetadata metadata = Parsed({{"fill_value", "null"}});
    EXPECT_EQ(metadata.fill_value.Bytes(), std::string(2, '\0'));
    EXPECT_FALSE(metadata.has_fill_value);
    const ArrayMetadata text = Parsed(
        {{"data_type", R"("string")"}, {"fill_value", "null"}, {"codecs", R"(["vlen-utf8"])"}});
    EXPECT_EQ(text.fill_value.Bytes(), "");
    EXPECT_FALSE(text.has_fill_value);
}

TEST(V3Array, FromGdalMayHaveNoCodecs) {
    EXPECT_EQ(Parsed({{"codecs", ""}}).dtype.ToString(), "<u2");
    const ArrayMetadata bytes = Parsed({{"data_type", R"("uint8")"}, {"codecs", ""}});
    EXPECT_TRUE(bytes.codecs.empty());
    EXPECT_EQ(bytes.fill_value.Bytes(), "\7");
    EXPECT_TRUE(Fails(ParseV3Array(Document(
                          {{"data_type", R"("string")"}, {"fill_value", R"("")"}, {"codecs", ""}})),
                      StatusCode::kCorrupt, "\"codecs\" is missing"));
}

TEST(V3Array, OfTextMayHaveNoByteOrder) {
    const ArrayMetadata metadata = Parsed(
        {{"data_type", R"({"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}})"},
         {"fill_value", "\"\""},
         {"codecs", R"(["bytes"])"}});
    EXPECT_EQ(metadata.dtype.ToString(), "<U2");
}

struct Bad {
    const char* member;
    const char* text;
    const char* message;
    StatusCode code = StatusCode::kCorrupt;
};

TEST(V3Array, RefusesWhatTheSpecificationDoesNotAllow) {
    const Bad kBad[] = {
        {"zarr_format", "2", "zarr_format: expected 3, got 2"},
        {"zarr_format", "3.0", "zarr_format: expected 3"},
        {"zarr_format", "", "\"zarr_format\" is missing"},
        {"node_type", "\"table\"", "node_type: expected \"array\" or \"group\""},
        {"node_type", "", "\"node_type\" is missing"},
        {"shape", "", "\"shape\" is missing"},
        {"shape", "[10, -1]", "shape[1]"},
        {"shape", "[10]", "chunk_grid"},
        {"shape", "[4611686018427387904, 4]", "shape: the product of the sizes overflows"},
        {"data_type", "", "\"data_type\" is missing"},
        {"data_type", "\"int12\"", "data_type", StatusCode::kUnsupported},
        {"chunk_grid", "", "\"chunk_grid\" is missing"},
        {"chunk_grid", R"({"name": "hexagonal"})", "hexagonal", StatusCode::kUnsupported},
        {"chunk_grid", R"({"name": "regular", "configuration": {"chunk_shape": [0, 6]}})",
         "chunk_grid"},
        {"chunk_key_encoding", "", "\"chunk_key_encoding\" is missing"},
        {"chunk_key_encoding", R"("v4")", "chunk_key_encoding: unknown encoding",
         StatusCode::kUnsupported},
        {"chunk_key_encoding", R"({"name": "v2", "configuration": {"separator": "-"}})",
         R"(chunk_key_encoding.separator: expected "/" or ".", got "-")"},
        {"chunk_key_encoding", R"({"name": "v2", "configuration": {"colour": 1}})",
         "chunk_key_encoding: unknown member \"colour\" of the configuration"},
        {"fill_value", "", "\"fill_value\" is missing"},
        {"fill_value", "-1", "fill_value"},
        {"codecs", "{}", "codecs: expected a list of codecs"},
        {"codecs", "[]", "codecs: an array-to-bytes codec such as"},
        {"codecs", R"([{"name": "gzip", "configuration": {"level": 1}}])",
         "codecs: an array-to-bytes codec"},
        {"codecs", R"(["crc32c", {"name": "bytes", "configuration": {"endian": "little"}}])",
         "codecs[0]: codec \"crc32c\" must be after array-to-bytes codec \"bytes\""},
        {"codecs", R"([{"name": "bytes", "configuration": {"endian": "little"}},
                       {"name": "transpose", "configuration": {"order": [0, 1]}}])",
         "codecs[1]: codec \"transpose\" must be before array-to-bytes codec \"bytes\""},
        {"codecs", R"([{"name": "transpose", "configuration": {"order": [0, 0]}},
                       {"name": "bytes", "configuration": {"endian": "little"}}])",
         "codecs[0].order: expected a permutation"},
        {"codecs", R"([{"name": "bytes", "configuration": {"endian": "middle"}}])", "codecs[0]"},
        {"codecs", R"(["bytes"])", "codecs[0]"},
        {"codecs", R"(["bytes", "zip9"])", "unknown codec \"zip9\"", StatusCode::kUnsupported},
        {"storage_transformers", R"([{"name": "x"}])", "storage_transformers: "},
        {"storage_transformers", "{}", "storage_transformers: expected a list"},
        {"dimension_names", R"(["x"])", "dimension_names: expected a list of 2 strings or nulls"},
        {"dimension_names", R"(["x", 1])", "dimension_names: expected a list of 2"},
        {"attributes", "[]", "attributes: expected an object"},
        {"colour", "1", "unknown member \"colour\""},
        {"colour", R"({"must_understand": true})", "unknown member \"colour\""},
    };
    for (const Bad& bad : kBad)
        EXPECT_TRUE(Fails(ParseV3Array(Document({{bad.member, bad.text}})), bad.code, bad.message))
            << bad.member << " " << bad.text;
    EXPECT_TRUE(Fails(ParseV3Array("[]"), StatusCode::kCorrupt));
    EXPECT_TRUE(Fails(ParseV3Array(""), StatusCode::kCorrupt));
}

TEST(V3Array, RefusesShardsThatDoNotFit) {
    const auto with = [](const std::string& members) {
        return ParseV3Array(Document(
            {{"codecs", R"([{"name": "sharding_indexed", "configuration": {)" + members + "}}]"}}));
    };
    const std::string codecs =
        R"("codecs": [{"name": "bytes", "configuration": {"endian": "little"}}], )";
    const std::string index =
        R"("index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}], )";
    EXPECT_TRUE(Succeeds(with(codecs + index + R"("chunk_shape": [2, 3])")));
    EXPECT_TRUE(Fails(
        with(codecs + index + R"("chunk_shape": [3, 3])"), StatusCode::kCorrupt,
        "codecs[0].chunk_shape[0]: shard size 4 is not a multiple of the inner chunk size 3"));
    EXPECT_TRUE(Fails(with(codecs + index + R"("chunk_shape": [4])"), StatusCode::kCorrupt,
                      "codecs[0].chunk_shape: expected 2 sizes"));
    EXPECT_TRUE(Fails(with(codecs + index + R"("chunk_shape": [0, 3])"), StatusCode::kCorrupt,
                      "codecs[0].chunk_shape[0]"));
    EXPECT_TRUE(Fails(with(codecs + R"("chunk_shape": [2, 3])"), StatusCode::kCorrupt,
                      "codecs[0]: the compulsory member \"index_codecs\" is missing"));
    EXPECT_TRUE(Fails(with(index + R"("chunk_shape": [2, 3])"), StatusCode::kCorrupt,
                      "codecs[0]: the compulsory member \"codecs\" is missing"));
    EXPECT_TRUE(Fails(with(codecs + index + R"("chunk_shape": [2, 3], "index_location": "middle")"),
                      StatusCode::kCorrupt,
                      R"(codecs[0].index_location: expected "start" or "end")"));
    EXPECT_TRUE(Fails(with(codecs + index + R"("chunk_shape": [2, 3], "colour": 1)"),
                      StatusCode::kCorrupt, "unknown member \"colour\""));
    std::string nested = R"({"name": "bytes", "configuration": {"endian": "little"}})";
    for (int i = 0; i < 40; ++i)
        nested = R"({"name": "sharding_indexed", "configuration": {"chunk_shape": [4, 6], )" +
                 index + R"("codecs": [)" + nested + "]}}";
    EXPECT_FALSE(ParseV3Array(Document({{"codecs", "[" + nested + "]"}})).ok());
}

TEST(V3Array, IgnoresMembersThatNeedNotBeUnderstood) {
    const ArrayMetadata metadata = Parsed({{"colour", R"({"must_understand": false, "name": "x"})"},
                                           {"storage_transformers", "[]"},
                                           {"dimension_names", R"(["y", null])"}});
    EXPECT_NE(MetadataText(metadata).find("colour"), std::string::npos) << "and keeps it";
}

TEST(V3Array, TakesNullForAbsentMembers) {
    const ArrayMetadata metadata = Parsed(
        {{"storage_transformers", "null"}, {"attributes", "null"}, {"dimension_names", "null"}});
    EXPECT_EQ(metadata.shape, Parsed({}).shape);
    const auto attributes = ParseV3Attributes(Document({{"attributes", "null"}}));
    ASSERT_TRUE(Succeeds(attributes));
    EXPECT_EQ(json::Dump(*attributes), "{}");
    const auto changed = WithV3Attributes(Document({{"attributes", "null"}}),
                                          json::Value(json::Object{{"a", json::Value("b")}}));
    ASSERT_TRUE(Succeeds(changed));
    EXPECT_EQ(json::Dump(*ParseV3Attributes(*changed)), R"({"a": "b"})");
}

TEST(V3Attributes, ShowTheNamesOfDimensions) {
    const auto shown = [](const char* names, const char* attributes) {
        const auto read =
            ParseV3Attributes(Document({{"dimension_names", names}, {"attributes", attributes}}));
        EXPECT_TRUE(Succeeds(read));
        return read.ok() ? json::Dump(*read) : "";
    };
    EXPECT_EQ(shown("", ""), "{}");
    EXPECT_EQ(shown(R"(["y", "x"])", R"({"a": 1})"),
              R"({"a": 1, "_ARRAY_DIMENSIONS": ["y", "x"]})");
    EXPECT_EQ(shown(R"(["y", null])", ""), R"({"_ARRAY_DIMENSIONS": ["y", null]})");
    EXPECT_EQ(shown("[null, null]", "{}"), "{}");
    EXPECT_EQ(shown("", R"({"gdal_has_nodata": false, "b": 2})"), R"({"b": 2})");
    EXPECT_TRUE(Fails(ParseV3Attributes(Document({{"attributes", "3"}})), StatusCode::kCorrupt,
                      "attributes"));
}

TEST(V3Attributes, AreReplacedAndNothingElse) {
    const std::string stored = Document({{"attributes", R"({"a": 1})"},
                                         {"colour", R"({"must_understand": false})"},
                                         {"dimension_names", R"(["p", "q"])"}});
    const auto changed =
        WithV3Attributes(stored, Json(R"({"b": [1, 2], "_ARRAY_DIMENSIONS": ["y", "x"]})"));
    ASSERT_TRUE(Succeeds(changed));
    const json::Value document = Json(*changed);
    EXPECT_EQ(json::Dump(*document.Find("attributes")), R"({"b": [1, 2]})");
    EXPECT_EQ(json::Dump(*document.Find("dimension_names")), R"(["y", "x"])");
    EXPECT_NE(document.Find("colour"), nullptr);
    EXPECT_EQ(MetadataText(*ParseV3Array(stored)).size(),
              MetadataText(*ParseV3Array(*changed)).size());
    const auto none = WithV3Attributes(*changed, Json("{}"));
    EXPECT_EQ(Json(*none).Find("dimension_names"), nullptr);
}

ArraySpec V3SpecOf() {
    ArraySpec spec;
    spec.format = Format::kV3;
    spec.shape = {40, 50};
    spec.chunks = {10, 20};
    spec.dtype = *ParseTypestr("<f4");
    spec.has_key_prefix = true;
    spec.dimension_separator = '/';
    return spec;
}

TEST(V3Spec, BecomesADocumentThatIsReadBack) {
    ArraySpec spec = V3SpecOf();
    spec.shard = {20, 60};
    spec.fortran_order = true;
    spec.fill_value = std::string("\0\0\x80\x3f", 4);
    spec.codecs = *ParseNumcodecs(Json("null"), Json(R"({"id": "gzip", "level": 3})"));
    const auto made = MakeArrayMetadata(spec);
    ASSERT_TRUE(Succeeds(made));
    const auto read =
        ParseV3Array(V3ArrayText(*made, Json(R"({"_ARRAY_DIMENSIONS": ["y", "x"]})")));
    ASSERT_TRUE(Succeeds(read));
    for (const ArrayMetadata* metadata : {&*made, &*read}) {
        EXPECT_EQ(metadata->chunks, (Sizes{10, 20}));
        EXPECT_EQ(metadata->stored_chunks(), (Sizes{20, 60}));
        EXPECT_TRUE(metadata->axis_order.is_column_major());
        EXPECT_EQ(metadata->codecs.size(), 1U);
        EXPECT_EQ(FillValueText(*metadata), "1.0");
        EXPECT_TRUE(metadata->has_fill_value);
    }
    EXPECT_NE(CompressorText(*made).find("\"gzip\""), std::string::npos);
    EXPECT_EQ(FiltersText(*made), "");
}

TEST(V3Spec, RefusesShardsThatAreNoMultiplesOfChunks) {
    ArraySpec spec = V3SpecOf();
    spec.shard = {15, 20};
    EXPECT_TRUE(
        Fails(MakeArrayMetadata(spec), StatusCode::kInvalidArgument,
              "shard size 15 along dimension 0 is not a multiple of the inner chunk size 10"));
}

bool IsMissing(const std::string& text) {
    const auto metadata = ParseV3Array(text);
    const auto attributes = ParseV3Attributes(text);
    EXPECT_TRUE(Succeeds(metadata) && Succeeds(attributes));
    return metadata.ok() && attributes.ok() && FillMeansMissing(*metadata, *attributes);
}

bool HasMark(const std::string& text, const char* value) {
    return text.find("\"gdal_has_nodata\": " + std::string(value)) != std::string::npos;
}

TEST(V3Array, MarksAFillValueOnlyIfItsMeaningIsAmbiguous) {
    const auto made = MakeArrayMetadata(V3SpecOf());
    ASSERT_TRUE(Succeeds(made));
    EXPECT_TRUE(made->has_fill_value);
    const std::string text = V3ArrayText(*made, Json("{}"));
    EXPECT_EQ(text.find("gdal_has_nodata"), std::string::npos) << "0 is the default";
    EXPECT_NE(text.find("\"fill_value\": 0.0"), std::string::npos);
    EXPECT_FALSE(IsMissing(text));
    // A document with _CRS looks like a document of GDAL's own driver, which never writes
    // gdal_has_nodata. This driver adds gdal_has_nodata to tell the two apart.
    const auto crs = WithV3Attributes(text, Json(R"({"_CRS": "EPSG:4326"})"));
    EXPECT_TRUE(HasMark(*crs, "0"));
    EXPECT_FALSE(IsMissing(*crs));
    const auto both = WithV3Attributes(*crs, Json(R"({"_CRS": "EPSG:4326", "grid_mapping": "m"})"));
    EXPECT_EQ(both->find("gdal_has_nodata"), std::string::npos);
    EXPECT_FALSE(IsMissing(*both));
    const auto with = WithFillValue(*ParseV3Array(text), std::string("\0\0\x80\x3f", 4));
    const auto stored = WithV3Array(text, *with);
    EXPECT_TRUE(IsMissing(*stored));
    EXPECT_EQ(stored->find("gdal_has_nodata"), std::string::npos);
    const auto without = WithFillValue(*ParseV3Array(*stored), std::nullopt);
    EXPECT_EQ(FillValueText(*without), "1.0") << "as absent chunks still have it";
    const auto data = WithV3Array(*stored, *without);
    EXPECT_TRUE(HasMark(*data, "0"));
    EXPECT_FALSE(IsMissing(*data));
    EXPECT_FALSE(IsMissing(*WithV3Attributes(*data, Json(R"({"a": 1})")))) << "whatever changes";
    const auto zero = WithFillValue(*ParseV3Array(text), std::string(4, '\0'));
    const auto of_zero = WithV3Array(text, *zero);
    EXPECT_TRUE(HasMark(*of_zero, "1"));
    EXPECT_TRUE(IsMissing(*of_zero));
    const auto named = WithV3Attributes(*of_zero, Json(R"({"_FillValue": "AAAAAAAAAAA="})"));
    EXPECT_EQ(named->find("gdal_has_nodata"), std::string::npos);
}

TEST(V3Array, ReadsTheMarksOfOlderStores) {
    for (const auto& [mark, is_missing] :
         {std::pair("false", false), std::pair("0", false), std::pair("true", true),
          std::pair("1", true), std::pair("\"x\"", true)}) {
        auto made = MakeArrayMetadata(V3SpecOf());
        std::string text = V3ArrayText(*made, Json("{}"));
        text.replace(text.find("\"fill_value\": 0.0"), 17, "\"fill_value\": 1.0");
        text.replace(text.find("\"attributes\": {}"), 16,
                     std::string("\"attributes\": {\"gdal_has_nodata\": ") + mark + "}");
        EXPECT_EQ(IsMissing(text), is_missing) << mark;
        const auto changed = WithV3Attributes(text, Json(R"({"a": 1})"));
        EXPECT_EQ(IsMissing(*changed), is_missing) << mark;
        EXPECT_EQ(HasMark(*changed, "0"), !is_missing) << "a number, where it is needed";
    }
}

TEST(V3Array, GetsAnotherShapeAndGrid) {
    ArraySpec spec = V3SpecOf();
    spec.shard = {20, 40};
    const auto made = MakeArrayMetadata(spec);
    ASSERT_TRUE(Succeeds(made));
    const auto grown = WithShape(*made, {90, 50});
    ASSERT_TRUE(Succeeds(grown));
    EXPECT_EQ(grown->shape, (Sizes{90, 50}));
    EXPECT_EQ(grown->stored_chunks(), (Sizes{20, 40}));
    const auto level = WithGrid(*made, {20, 25}, {5, 25}, '.');
    ASSERT_TRUE(Succeeds(level));
    EXPECT_EQ(level->shape, (Sizes{20, 25}));
    EXPECT_EQ(level->chunks, (Sizes{5, 25}));
    EXPECT_EQ(level->stored_chunks(), (Sizes{10, 25})) << "two chunks a shard, where there are two";
    EXPECT_EQ(ChunkKey("", {1, 0}, level->key_encoding()), "c.1.0");
}

TEST(V3Group, IsChecked) {
    EXPECT_TRUE(Succeeds(CheckV3Group(R"({"zarr_format": 3, "node_type": "group"})")));
    EXPECT_TRUE(Succeeds(CheckV3Group(V3GroupText())));
    EXPECT_TRUE(Succeeds(CheckV3Group(
        R"({"zarr_format": 3, "node_type": "group", "consolidated_metadata": null})")));
    EXPECT_TRUE(Fails(CheckV3Group(R"({"zarr_format": 3, "node_type": "group", "shape": []})"),
                      StatusCode::kCorrupt, "unknown member \"shape\""));
    EXPECT_TRUE(Fails(CheckV3Group(Document()), StatusCode::kCorrupt, "node_type"));
}

TEST(V3Consolidated, IsReadAndWritten) {
    const auto text = WithV3Consolidated(
        V3GroupText(), json::Object{{"a", Json(Document())}, {"g/b", Json(V3GroupText())}});
    ASSERT_TRUE(Succeeds(text));
    EXPECT_TRUE(HasV3Consolidated(*text));
    const auto documents = ParseV3Consolidated(SplitV3Consolidated(*text).consolidated);
    ASSERT_TRUE(Succeeds(documents));
    ASSERT_EQ(documents->size(), 2U);
    EXPECT_EQ((*documents)[0].first, "a/zarr.json");
    EXPECT_TRUE(Succeeds(ParseV3Array((*documents)[0].second)));
    const auto without = WithV3Consolidated(*text, std::nullopt);
    EXPECT_FALSE(HasV3Consolidated(*without));
    EXPECT_EQ(SplitV3Consolidated(*without).consolidated, "");
}

TEST(V3Consolidated, IsSplitFromTheDocument) {
    const std::string_view text = R"({"a": 1, "consolidated_metadata": {"b": {}} , "c": 2})";
    EXPECT_EQ(SplitV3Consolidated(text).own, R"({"a": 1, "consolidated_metadata": null , "c": 2})");
    EXPECT_EQ(SplitV3Consolidated(text).consolidated, R"({"b": {}})");
    for (const std::string other :
         {R"({"a": 1})", R"({"consolidated_metadata": {)", "3",
          R"({"consolidated_metadata": null})", "{\"consolidated_metadata\": null\n}"}) {
        EXPECT_EQ(SplitV3Consolidated(other).own, other);
        EXPECT_EQ(SplitV3Consolidated(other).consolidated, "");
    }
}

TEST(V3Consolidated, RefusesWhatCannotBeUsed) {
    const auto with = [](const std::string& consolidated) {
        return ParseV3Consolidated(consolidated);
    };
    EXPECT_TRUE(Fails(with("3"), StatusCode::kCorrupt, "consolidated_metadata"));
    EXPECT_TRUE(Fails(with(R"({"kind": "remote", "metadata": {}})"), StatusCode::kCorrupt,
                      "consolidated_metadata.kind: expected \"inline\""));
    EXPECT_TRUE(
        Fails(with(R"({"kind": "inline"})"), StatusCode::kCorrupt, "\"metadata\" is missing"));
    EXPECT_TRUE(Fails(with(R"({"kind": "inline", "metadata": {"../x": {}}})"), StatusCode::kCorrupt,
                      "is not a valid path"));
}

}  // namespace
}  // namespace zarr
