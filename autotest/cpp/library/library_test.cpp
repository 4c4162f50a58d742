// SPDX-License-Identifier: MIT
// Tests of the core's public library. They include only its public headers.
#include <gtest/gtest.h>
#include <zarr_core/array.h>
#include <zarr_core/hierarchy.h>
#include <zarr_core/limits.h>
#include <zarr_core/store.h>
#include <zarr_core/version.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "autotest/cpp/library/own_store.h"

namespace zarr_core::test {
namespace {

testing::AssertionResult Succeeds(const Status& status) {
    if (status.ok()) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "failed: " << status.message();
}
template <class T>
testing::AssertionResult Succeeds(const Result<T>& result) {
    return Succeeds(result.status());
}
testing::AssertionResult Fails(const Status& status, StatusCode code, const std::string& part) {
    if (status.code() == code && status.message().find(part) != std::string::npos)
        return testing::AssertionSuccess();
    return testing::AssertionFailure() << "code " << static_cast<int>(status.code()) << ": "
                                       << status.message() << "\ninstead of " << part;
}
template <class T>
testing::AssertionResult Fails(const Result<T>& result, StatusCode code, const std::string& part) {
    return Fails(result.status(), code, part);
}

// Returns the value of `result`; ends the test program if `result` is an error.
template <class T>
T Value(Result<T> result) {
    if (!result.ok()) {
        ADD_FAILURE() << result.status().message();
        std::abort();
    }
    return *std::move(result);
}

DataType Type(const char* name) { return Value(DataType::Parse(name)); }

Hierarchy NewTree(Format format = Format::kV3) {
    return Value(Hierarchy::Create(Value(Store::InMemory()), format));
}

ArrayOptions Options(const char* type, std::vector<std::uint64_t> shape,
                     std::vector<std::uint64_t> chunks) {
    ArrayOptions options(Type(type));
    options.shape = std::move(shape);
    options.chunk_shape = std::move(chunks);
    return options;
}

std::vector<std::int32_t> Count(std::size_t size) {
    std::vector<std::int32_t> values(size);
    std::iota(values.begin(), values.end(), 1);
    return values;
}

// A temporary folder, removed on destruction.
class TempFolder {
  public:
    TempFolder()
        : path_(testing::TempDir() + "zarr_core_" +
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
        std::filesystem::remove_all(path_);
    }
    ~TempFolder() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;
    const std::string& path() const { return path_; }

  private:
    const std::string path_;
};

class LibraryFormats : public testing::TestWithParam<Format> {};

TEST_P(LibraryFormats, WritesAFolderAndReadsItAgain) {
    const TempFolder folder;
    const std::vector<std::int32_t> values = Count(35);
    {
        Hierarchy tree =
            Value(Hierarchy::Create(Value(Store::CreateFolder(folder.path())), GetParam()));
        EXPECT_EQ(tree.format(), GetParam());
        ArrayOptions options = Options("<i4", {5, 7}, {2, 3});
        options.dimension_names = {"y", "x"};
        options.fill_value = "-9";
        options.attributes = R"({"units":"m"})";
        Array array = Value(tree.CreateArray("a/b", options));
        EXPECT_EQ(array.path(), "a/b");
        ASSERT_TRUE(Succeeds(array.Write(Region::All({5, 7}), values)));
        ASSERT_TRUE(Succeeds(array.Flush()));
        ASSERT_TRUE(Succeeds(tree.CreateGroup("empty")));
        ASSERT_TRUE(Succeeds(tree.SetAttributes("a", R"({"title":"t"})")));
        ASSERT_TRUE(Succeeds(tree.Flush()));
    }
    const Hierarchy tree = Value(Hierarchy::Open(Value(Store::OpenFolder(folder.path()))));
    EXPECT_EQ(tree.format(), GetParam());
    const std::vector<Member> members = Value(tree.Members());
    ASSERT_EQ(members.size(), 2U);
    EXPECT_EQ(members[0].path, "a");
    EXPECT_EQ(members[0].kind, NodeKind::kGroup);
    EXPECT_EQ(Value(tree.Members("/a/"))[0].path, "a/b");
    EXPECT_EQ(Value(tree.KindOf("a/b")), NodeKind::kArray);
    EXPECT_EQ(Value(tree.KindOf("a/c")), NodeKind::kNone);
    EXPECT_EQ(Value(tree.Attributes("a")), R"({"title": "t"})");
    EXPECT_EQ(Value(tree.Attributes("a/b")), R"({"units": "m"})");

    const Array array = Value(tree.OpenArray("a/b"));
    EXPECT_EQ(array.shape(), (std::vector<std::uint64_t>{5, 7}));
    EXPECT_EQ(array.chunk_shape(), (std::vector<std::uint64_t>{2, 3}));
    EXPECT_TRUE(array.shard_shape().empty());
    EXPECT_EQ(array.dimension_names(), (std::vector<std::string>{"y", "x"}));
    EXPECT_EQ(array.fill_value(), "-9");
    EXPECT_NE(array.codecs().find("zstd"), std::string::npos);
    EXPECT_TRUE(array.warnings().empty());
    EXPECT_EQ(array.data_type().kind(), DataKind::kInt);
    EXPECT_EQ(array.data_type().memory_type(), MemoryType::kInt32);
    EXPECT_EQ(Value(array.Read<std::int32_t>(Region::All({5, 7}))), values);
}

TEST_P(LibraryFormats, MakesAnArrayLikeAnother) {
    Hierarchy tree = NewTree(GetParam());
    ArrayOptions options = Options("<f4", {8}, {4});
    options.codecs = GetParam() == Format::kV3
                         ? R"([{"name":"bytes","configuration":{"endian":"little"}},
                               {"name":"gzip","configuration":{"level":1}}])"
                         : R"({"filters":[{"id":"shuffle","elementsize":4}],
                               "compressor":{"id":"gzip","level":1}})";
    const Array first = Value(tree.CreateArray("first", options));
    EXPECT_NE(first.codecs().find("gzip"), std::string::npos) << first.codecs();
    options.codecs = first.codecs();
    const Array second = Value(tree.CreateArray("second", options));
    EXPECT_EQ(second.codecs(), first.codecs());
}

TEST_P(LibraryFormats, KeepsDimensionNamesWhenAttributesAreReplaced) {
    Hierarchy tree = NewTree(GetParam());
    ArrayOptions options = Options("|u1", {2}, {2});
    options.dimension_names = {"t"};
    ASSERT_TRUE(Succeeds(tree.CreateArray("a", options)));
    ASSERT_TRUE(Succeeds(tree.SetAttributes("a", R"({"x":1})")));
    EXPECT_EQ(Value(tree.Attributes("a")), R"({"x": 1})");
    EXPECT_EQ(Value(tree.OpenArray("a")).dimension_names(), std::vector<std::string>{"t"});
    ASSERT_TRUE(Succeeds(tree.SetAttributes("a", R"({"_ARRAY_DIMENSIONS":["u"]})")));
    EXPECT_EQ(Value(tree.OpenArray("a")).dimension_names(), std::vector<std::string>{"u"});
}

TEST_P(LibraryFormats, ReadsAndWritesStrings) {
    Hierarchy tree = NewTree(GetParam());
    Array array = Value(tree.CreateArray("names", Options("string", {3}, {2})));
    EXPECT_EQ(array.data_type().kind(), DataKind::kVariable);
    EXPECT_EQ(array.data_type().size(), 0U);
    const std::vector<std::string> texts = {"", "z\xc3\xa4hler", std::string(1000, 'x')};
    ASSERT_TRUE(Succeeds(array.WriteStrings(Region::All({3}), texts)));
    ASSERT_TRUE(Succeeds(array.Flush()));
    EXPECT_EQ(Value(array.ReadStrings(Region::All({3}))), texts);
    EXPECT_TRUE(
        Fails(array.Read<float>(Region::All({3})), StatusCode::kInvalidArgument, "ReadStrings()"));
    EXPECT_TRUE(Fails(array.WriteStrings(Region::All({3}), {"a"}), StatusCode::kInvalidArgument,
                      "3 elements, but the vector has 1"));
}

TEST_P(LibraryFormats, DeletesNodes) {
    Hierarchy tree = NewTree(GetParam());
    Array array = Value(tree.CreateArray("g/a", Options("<i4", {4}, {4})));
    // Only half of the chunk is written, so the chunk stays pending in memory.
    ASSERT_TRUE(Succeeds(array.Write(Region{{0}, {2}, {}}, Count(2))));
    ASSERT_TRUE(Succeeds(tree.Delete("g")));
    EXPECT_EQ(Value(tree.KindOf("g/a")), NodeKind::kNone);
    EXPECT_TRUE(Fails(array.Flush(), StatusCode::kNotFound, "g/a: the array was deleted"));
    EXPECT_TRUE(Fails(array.Read<int>(Region::All({4})), StatusCode::kNotFound, "deleted"));
    EXPECT_TRUE(Fails(tree.Delete("g"), StatusCode::kNotFound, "g"));
    EXPECT_TRUE(Fails(tree.OpenArray("g/a"), StatusCode::kNotFound, "there is no array"));
    array = Value(tree.CreateArray("g/a", Options("<i4", {4}, {4})));
    EXPECT_EQ(Value(array.Read<int>(Region::All({4}))), std::vector<int>(4));
}

INSTANTIATE_TEST_SUITE_P(Library, LibraryFormats, testing::Values(Format::kV2, Format::kV3));

TEST(Library, WritesShards) {
    Hierarchy tree = NewTree();
    ArrayOptions options = Options("int32", {10, 10}, {2, 2});
    options.shard_shape = {4, 6};
    Array array = Value(tree.CreateArray("a", options));
    EXPECT_EQ(array.chunk_shape(), (std::vector<std::uint64_t>{2, 2}));
    EXPECT_EQ(array.shard_shape(), (std::vector<std::uint64_t>{4, 6}));
    ASSERT_TRUE(Succeeds(array.Write(Region::All({10, 10}), Count(100))));
    ASSERT_TRUE(Succeeds(array.Flush()));
    const std::vector<std::int32_t> column =
        Value(array.Read<std::int32_t>({{9, 3}, {4, 1}, {-3, 1}}));
    EXPECT_EQ(column, (std::vector<std::int32_t>{94, 64, 34, 4}));
    options.shard_shape = {3, 6};
    EXPECT_TRUE(Fails(tree.CreateArray("b", options), StatusCode::kInvalidArgument, "3"));
    EXPECT_EQ(Value(tree.KindOf("b")), NodeKind::kNone);
}

TEST(Library, ReadsIntoStridedMemory) {
    Hierarchy tree = NewTree();
    Array array = Value(tree.CreateArray("a", Options("<i4", {3, 4}, {2, 2})));
    ASSERT_TRUE(Succeeds(array.Write(Region::All({3, 4}), Count(12))));
    // Negative and permuted strides transpose the array and reverse its rows.
    std::vector<std::int32_t> values(12, -1);
    constexpr std::ptrdiff_t kSize = sizeof(std::int32_t);
    ASSERT_TRUE(Succeeds(array.Read(Region::All({3, 4}), MemoryType::kInt32, values.data() + 2,
                                    {-kSize, 3 * kSize})));
    EXPECT_EQ(values, (std::vector<std::int32_t>{9, 5, 1, 10, 6, 2, 11, 7, 3, 12, 8, 4}));
    // Strides of 0 write one value to all elements.
    const std::int32_t seven = 7;
    ASSERT_TRUE(Succeeds(array.Write(Region::All({3, 4}), MemoryType::kInt32, &seven, {0, 0})));
    EXPECT_EQ(Value(array.Read<std::int32_t>(Region::All({3, 4}))),
              std::vector<std::int32_t>(12, 7));
}

template <class To, class From>
std::vector<To> Converted(const char* type, const std::vector<From>& written) {
    Hierarchy tree = NewTree();
    const std::uint64_t size = written.size();
    Array array = Value(tree.CreateArray("a", Options(type, {size}, {size})));
    EXPECT_TRUE(Succeeds(array.Write(Region::All({size}), written)));
    return Value(array.Read<To>(Region::All({size})));
}

TEST(Library, ConvertsToTheNearestValue) {
    using Limits = std::numeric_limits<std::int64_t>;
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ((Converted<std::uint8_t, double>("<f8", {-1, 0.5, 1.5, 254.4, 255.6, 1e300, kNan})),
              (std::vector<std::uint8_t>{0, 1, 2, 254, 255, 255, 0}));
    EXPECT_EQ((Converted<std::int64_t, double>("<f8", {-1e19, -2.5, 9e18, 1e19})),
              (std::vector<std::int64_t>{Limits::min(), -3, 9000000000000000000, Limits::max()}));
    EXPECT_EQ((Converted<std::uint64_t, std::int64_t>("<i8", {Limits::min(), -1, Limits::max()})),
              (std::vector<std::uint64_t>{0, 0, 9223372036854775807U}));
    EXPECT_EQ((Converted<std::int8_t, std::uint64_t>("<u8", {0, 127, 128, UINT64_MAX})),
              (std::vector<std::int8_t>{0, 127, 127, 127}));
    // Writing converts numbers as reading does: integers are rounded and clamped.
    EXPECT_EQ((Converted<int, double>(">i2", {-4e4, -3.5, 3.4, 4e4})),
              (std::vector<int>{-32768, -4, 3, 32767}));
    EXPECT_EQ((Converted<float, double>("float16", {1.5, -2, 1e9})),
              (std::vector<float>{1.5, -2, std::numeric_limits<float>::infinity()}));
    EXPECT_EQ((Converted<double, float>("bfloat16", {1.5, -2})), (std::vector<double>{1.5, -2}));
    EXPECT_EQ((Converted<std::uint8_t, double>("|b1", {0, 0.25, -3, kNan})),
              (std::vector<std::uint8_t>{0, 1, 1, 1}));
    using Complex = std::complex<double>;
    EXPECT_EQ((Converted<Complex, float>("<c8", {1, -2})), (std::vector<Complex>{{1, 0}, {-2, 0}}));
    EXPECT_EQ((Converted<int, Complex>("<c16", {{2.6, 7}, {-1, 0}})), (std::vector<int>{3, -1}));
    EXPECT_EQ((Converted<double, std::int64_t>("<M8[s]", {86400})), std::vector<double>{86400});
}

// The row is longer than the converter's buffer, and is stored in big-endian order.
TEST(Library, ConvertsLongRows) {
    const std::vector<std::int32_t> values = Count(10007);
    const std::vector<double> read = Converted<double>(">i4", values);
    EXPECT_EQ(std::vector<std::int32_t>(read.begin(), read.end()), values);
}

TEST(Library, ReadsElementsAsTheyAreStored) {
    Hierarchy tree = NewTree(Format::kV2);
    Array array = Value(tree.CreateArray("a", Options("|S3", {2}, {2})));
    EXPECT_EQ(array.data_type().memory_type(), MemoryType::kElement);
    ASSERT_EQ(array.data_type().size(), 3U);
    ASSERT_TRUE(Succeeds(array.Write(Region::All({2}), MemoryType::kElement, "abcde")));
    std::string read(6, '?');
    ASSERT_TRUE(Succeeds(array.Read(Region::All({2}), MemoryType::kElement, read.data())));
    EXPECT_EQ(read, std::string("abcde\0", 6));
    EXPECT_TRUE(
        Fails(array.Read<int>(Region::All({2})), StatusCode::kInvalidArgument, "is not a number"));
}

TEST(Library, ParsesDataTypes) {
    EXPECT_EQ(Value(Type(">f8").ToString()), ">f8");
    EXPECT_EQ(Value(Type("float64").ToString()), "<f8");
    EXPECT_EQ(Value(Type("bfloat16").ToString()), "bfloat16");
    EXPECT_EQ(Value(Type("string").ToString()), "string");
    EXPECT_EQ(Type(R"([["a","<i2"],["b","|u1"]])").size(), 3U);
    EXPECT_EQ(Type(R"([["a","<i2"],["b","|u1"]])").kind(), DataKind::kStruct);
    EXPECT_FALSE(DataType::Parse("float99").ok());
    EXPECT_TRUE(Fails(DataType::Parse("[1]"), StatusCode::kInvalidArgument, "data type: "));
    EXPECT_FALSE(DataType::Parse("").ok());
    EXPECT_EQ(SizeOf(MemoryType::kComplex128), 16U);
    EXPECT_EQ(SizeOf(MemoryType::kElement), 0U);
}

TEST(Library, ChecksArguments) {
    Hierarchy tree = NewTree();
    Array array = Value(tree.CreateArray("a", Options("<i4", {4}, {2})));
    constexpr StatusCode kInvalid = StatusCode::kInvalidArgument;
    EXPECT_TRUE(Fails(array.CountOf({{0, 0}, {1, 1}, {}}), kInvalid, "start has 2 numbers"));
    EXPECT_TRUE(Fails(array.CountOf({{0}, {5}, {}}), kInvalid, "region"));
    EXPECT_TRUE(Fails(array.CountOf({{1}, {UINT64_MAX}, {}}), kInvalid, "region"));
    EXPECT_TRUE(Fails(array.CountOf({{0}, {2}, {0}}), kInvalid, "step[0] is 0"));
    EXPECT_EQ(Value(array.CountOf({{9}, {0}, {}})), 0U);
    EXPECT_TRUE(
        Fails(array.Read(Region::All({4}), MemoryType::kInt32, nullptr), kInvalid, "nullptr"));
    int value = 0;
    EXPECT_TRUE(
        Fails(array.Read({{0}, {1}, {}}, MemoryType::kInt32, &value, {4, 4}), kInvalid, "strides"));
    EXPECT_TRUE(Fails(array.Write(Region::All({4}), Count(3)), kInvalid,
                      "4 elements, but the vector has 3"));
    EXPECT_TRUE(Fails(tree.CreateArray("a", Options("<i4", {4}, {2})), kInvalid, "a"));
    EXPECT_TRUE(Fails(tree.CreateArray("../b", Options("<i4", {4}, {2})), kInvalid, ".."));
    EXPECT_TRUE(Fails(tree.CreateArray("b", Options("<i4", {4, 4}, {2})), kInvalid, "chunk"));
    EXPECT_TRUE(Fails(tree.SetAttributes("a", "[1]"), kInvalid, "attributes: expected an object"));
    EXPECT_TRUE(Fails(tree.SetAttributes("a", "{"), kInvalid, "attributes"));
    EXPECT_TRUE(Fails(tree.SetAttributes("c", "{}"), StatusCode::kNotFound, "/c"));
    ArrayOptions options = Options("<i4", {4}, {2});
    options.dimension_names = {"x", "y"};
    EXPECT_TRUE(Fails(tree.CreateArray("b", options), kInvalid, "dimension_names: 2 names"));
    options.dimension_names.clear();
    options.codecs = R"([{"name":"no-such-codec"}])";
    EXPECT_TRUE(Fails(tree.CreateArray("b", options), StatusCode::kUnsupported, "no-such-codec"));
    options.codecs = "{";
    EXPECT_TRUE(Fails(tree.CreateArray("b", options), kInvalid, "codecs"));
    options.codecs.clear();
    options.fill_value = "\"x\"";
    EXPECT_TRUE(Fails(tree.CreateArray("b", options), kInvalid, "fill_value"));
    EXPECT_EQ(Value(tree.Members()).size(), 1U);
}

TEST(Library, OpensOnlyWhatIsThere) {
    const TempFolder folder;
    EXPECT_TRUE(Fails(Store::OpenFolder(folder.path()), StatusCode::kNotFound, folder.path()));
    const Store store = Value(Store::CreateFolder(folder.path() + "/a/b"));
    EXPECT_EQ(Value(store.name()), folder.path() + "/a/b");
    EXPECT_TRUE(Fails(Hierarchy::Open(store), StatusCode::kNotFound, "no Zarr group or array"));
    EXPECT_TRUE(
        Fails(Hierarchy::Create(store, Format::kV1), StatusCode::kInvalidArgument, "v2 and v3"));
    ASSERT_TRUE(Succeeds(Hierarchy::Create(store, Format::kV2)));
    EXPECT_TRUE(
        Fails(Hierarchy::Create(store, Format::kV3), StatusCode::kInvalidArgument, "exists"));
    EXPECT_TRUE(Fails(Store::OpenZip(folder.path() + "/c.zip"), StatusCode::kNotFound, "c.zip"));
    EXPECT_TRUE(Fails(Store::Wrap(nullptr), StatusCode::kInvalidArgument, "nullptr"));
}

TEST(Library, ReadsZipFiles) {
    const auto map = std::make_shared<MapStore>();
    {
        Hierarchy tree = Value(Hierarchy::Create(Value(Store::Wrap(map)), Format::kV2));
        Array array = Value(tree.CreateArray("a", Options("<i4", {4}, {2})));
        ASSERT_TRUE(Succeeds(array.Write(Region::All({4}), Count(4))));
    }
    std::map<std::string, std::string> below;
    for (const auto& [key, value] : map->values) below["x.zarr/" + key] = value;
    const TempFolder folder;
    std::filesystem::create_directories(folder.path());
    const std::string path = folder.path() + "/x.zip";
    std::ofstream(path, std::ios::binary) << ZipOf(below);

    for (const std::optional<std::string>& inner :
         {std::optional<std::string>(), std::optional<std::string>("/x.zarr/")}) {
        Hierarchy tree = Value(Hierarchy::Open(Value(Store::OpenZip(path, inner))));
        Array array = Value(tree.OpenArray("a"));
        EXPECT_EQ(Value(array.Read<int>(Region::All({4}))), Count(4));
        EXPECT_TRUE(Fails(tree.CreateGroup("g"), StatusCode::kUnsupported, "read-only"));
        EXPECT_TRUE(
            Fails(array.Write(Region::All({4}), Count(4)), StatusCode::kUnsupported, "read-only"));
        EXPECT_TRUE(Succeeds(array.Flush()));
    }
    EXPECT_TRUE(
        Fails(Hierarchy::Open(Value(Store::OpenZip(path, "y"))), StatusCode::kNotFound, "x.zip"));
    std::ofstream(path, std::ios::binary) << "no zip file";
    EXPECT_TRUE(Fails(Store::OpenZip(path), StatusCode::kCorrupt, "x.zip"));
}

TEST(Library, UsesConsolidatedMetadata) {
    const auto map = std::make_shared<MapStore>();
    const Store store = Value(Store::Wrap(map));
    {
        Hierarchy tree = Value(Hierarchy::Create(store, Format::kV2));
        ASSERT_TRUE(Succeeds(tree.CreateArray("a", Options("<i4", {4}, {2}))));
    }
    map->values[".zmetadata"] = R"({"zarr_consolidated_format":1,"metadata":{
        ".zgroup":{"zarr_format":2},"a/.zarray":)" +
                                map->values["a/.zarray"] + "}}";
    map->can_list = false;
    Hierarchy tree = Value(Hierarchy::Open(store));
    EXPECT_TRUE(Value(tree.is_consolidated()));
    EXPECT_TRUE(Succeeds(tree.consolidated_error()));
    EXPECT_EQ(Value(tree.Members()).size(), 1U);
    map->can_list = true;
    ASSERT_TRUE(Succeeds(tree.CreateGroup("b")));
    EXPECT_EQ(map->values.count(".zmetadata"), 0U) << "outdated";
    EXPECT_EQ(Value(tree.Members()).size(), 2U);
    ASSERT_TRUE(Succeeds(tree.Flush()));
    EXPECT_NE(map->values[".zmetadata"].find("b/.zgroup"), std::string::npos);
    EXPECT_TRUE(Value(tree.is_consolidated()));
    HierarchyOptions options;
    options.use_consolidated = false;
    EXPECT_FALSE(Value(Value(Hierarchy::Open(store, options)).is_consolidated()));
}

class LibraryOwnStore : public testing::TestWithParam<bool> {};

TEST_P(LibraryOwnStore, ReadsAndWrites) {
    const auto map = std::make_shared<MapStore>();
    map->remote = GetParam();
    Hierarchy tree = Value(Hierarchy::Create(Value(Store::Wrap(map)), Format::kV3));
    ArrayOptions options = Options("<i4", {20, 20}, {2, 2});
    options.shard_shape = {10, 10};
    Array array = Value(tree.CreateArray("a", options));
    ASSERT_TRUE(Succeeds(array.Write(Region::All({20, 20}), Count(400))));
    ASSERT_TRUE(Succeeds(array.Flush()));
    EXPECT_EQ(map->values.count("a/c/1/1"), 1U);
    const Hierarchy again = Value(Hierarchy::Open(Value(Store::Wrap(map))));
    EXPECT_EQ(Value(Value(again.OpenArray("a")).Read<std::int32_t>(Region::All({20, 20}))),
              Count(400));
}

TEST_P(LibraryOwnStore, ReportsItsErrors) {
    const auto map = std::make_shared<MapStore>();
    map->remote = GetParam();
    Hierarchy tree = Value(Hierarchy::Create(Value(Store::Wrap(map)), Format::kV3));
    Array array = Value(tree.CreateArray("a", Options("<i4", {4}, {2})));
    ASSERT_TRUE(Succeeds(array.Write(Region::All({4}), Count(4))));
    map->fails_to_write = true;
    EXPECT_TRUE(Fails(array.Write({{0}, {2}, {}}, Count(2)), StatusCode::kPermission,
                      "a/c/0: the map is locked"));
    EXPECT_TRUE(Fails(tree.CreateGroup("b"), StatusCode::kPermission, "the map is locked"));
    map->fails_to_write = false;
    const Hierarchy other = Value(Hierarchy::Open(Value(Store::Wrap(map))));
    const Array unread = Value(other.OpenArray("a"));
    map->throws = true;
    EXPECT_TRUE(Fails(unread.Read<int>(Region::All({4})), StatusCode::kIo, "the map is gone"));
    map->throws = false;
    map->values["a/c/1"] = "damaged";
    EXPECT_TRUE(Fails(unread.Read<int>(Region::All({4})), StatusCode::kCorrupt, "a/c/1"));
    EXPECT_EQ(Value(unread.Read<int>({{0}, {2}, {}})), (std::vector<int>{1, 2}));
}

INSTANTIATE_TEST_SUITE_P(Library, LibraryOwnStore, testing::Bool());

TEST(Library, StoresOfItsOwnMayBeReadOnlyAndUnlisted) {
    const auto map = std::make_shared<MapStore>();
    ASSERT_TRUE(Succeeds(Hierarchy::Create(Value(Store::Wrap(map)), Format::kV3)));
    map->writable = map->can_list = false;
    Hierarchy tree = Value(Hierarchy::Open(Value(Store::Wrap(map))));
    EXPECT_TRUE(Fails(tree.Members(), StatusCode::kUnsupported, "does not list"));
    EXPECT_TRUE(Fails(tree.CreateGroup("b"), StatusCode::kUnsupported, "read-only"));
    EXPECT_TRUE(Fails(tree.Delete("b"), StatusCode::kUnsupported, "read-only"));
}

TEST(Library, KeepsAndFlushesPartsOfChunks) {
    const auto map = std::make_shared<MapStore>();
    Hierarchy tree = Value(Hierarchy::Create(Value(Store::Wrap(map)), Format::kV2));
    {
        Array array = Value(tree.CreateArray("a", Options("<i4", {4}, {4})));
        ASSERT_TRUE(Succeeds(array.Write({{1}, {2}, {}}, Count(2))));
        EXPECT_EQ(map->values.count("a/0"), 0U);
        EXPECT_EQ(Value(array.Read<int>(Region::All({4}))), (std::vector<int>{0, 1, 2, 0}));
        ASSERT_TRUE(Succeeds(array.Flush()));
        EXPECT_EQ(map->values.count("a/0"), 1U);
        ASSERT_TRUE(Succeeds(array.Write({{3}, {1}, {}}, Count(1))));
    }
    // Destroying the array must have stored its pending chunks.
    const Hierarchy again = Value(Hierarchy::Open(Value(Store::Wrap(map))));
    EXPECT_EQ(Value(Value(again.OpenArray("a")).Read<int>(Region::All({4}))),
              (std::vector<int>{0, 1, 2, 1}));
}

TEST(Library, IsSafeFromSeveralThreads) {
    HierarchyOptions options;
    options.threads = 2;
    Hierarchy tree = Value(Hierarchy::Create(Value(Store::InMemory()), Format::kV3, options));
    constexpr std::uint64_t kThreads = 4;
    constexpr std::uint64_t kRows = 16;
    // Different threads write the two rows of each chunk.
    Array array = Value(tree.CreateArray("a", Options("<i4", {kThreads * kRows, 32}, {2, 8})));
    std::vector<std::thread> threads;
    std::vector<Status> failures(kThreads);
    for (std::uint64_t number = 0; number < kThreads; ++number)
        threads.emplace_back([&, number] {
            const auto note = [&](const Status& status) {
                if (!status.ok()) failures[number] = status;
            };
            note(tree.CreateGroup("group" + std::to_string(number)));
            for (std::uint64_t row = 0; row < kRows; ++row) {
                const Region region{{row * kThreads + number, 0}, {1, 32}, {}};
                note(array.Write(region,
                                 std::vector<std::int32_t>(32, static_cast<int>(number + 1))));
                note(array.Read<double>(region).status());
                note(tree.Members().status());
            }
            note(tree.OpenArray("a").status());
        });
    for (std::thread& thread : threads) thread.join();
    for (const Status& failure : failures) EXPECT_TRUE(Succeeds(failure));
    ASSERT_TRUE(Succeeds(array.Flush()));
    EXPECT_EQ(Value(tree.Members()).size(), kThreads + 1);
    const std::vector<int> read =
        Value(Value(tree.OpenArray("a")).Read<int>(Region::All(array.shape())));
    for (std::size_t i = 0; i < read.size(); ++i)
        ASSERT_EQ(read[i], static_cast<int>(i / 32 % kThreads + 1)) << i;
}

TEST(Library, SetsLimits) {
    const auto map = std::make_shared<MapStore>();
    const Store store = Value(Store::Wrap(map));
    Hierarchy tree = Value(Hierarchy::Create(store, Format::kV3));
    Array array = Value(tree.CreateArray("a", Options("|u1", {4096}, {4096})));
    const Region all = Region::All({4096});
    ASSERT_TRUE(Succeeds(array.Write(all, std::vector<std::uint8_t>(4096, 1))));
    const std::uint64_t before = GetLimit(Limit::kChunkSize);
    ASSERT_TRUE(Succeeds(SetLimit(Limit::kChunkSize, 1024)));
    EXPECT_EQ(GetLimit(Limit::kChunkSize), 1024U);
    const Result<Array> small = Value(Hierarchy::Open(store)).OpenArray("a");
    const Status status = small.ok() ? small->Read<std::uint8_t>(all).status() : small.status();
    EXPECT_TRUE(Fails(status, StatusCode::kLimit, "4096"));
    ASSERT_TRUE(Succeeds(SetLimit(Limit::kChunkSize, before)));
    EXPECT_TRUE(Succeeds(Value(Value(Hierarchy::Open(store)).OpenArray("a")).Read<int>(all)));
    EXPECT_TRUE(Fails(SetLimit(Limit::kDimensions, 65), StatusCode::kInvalidArgument, "exceeds"));
}

TEST(Library, KnowsItsVersion) {
    EXPECT_EQ(std::string(Version()), std::to_string(ZARR_CORE_VERSION_MAJOR) + "." +
                                          std::to_string(ZARR_CORE_VERSION_MINOR) + "." +
                                          std::to_string(ZARR_CORE_VERSION_PATCH));
    EXPECT_TRUE(MissingCodecs().empty());
}

TEST(Library, CarriesErrorsByValue) {
    EXPECT_TRUE(Status(StatusCode::kOk, "nothing").ok());
    EXPECT_EQ(Status(StatusCode::kOk, "nothing").message(), "");
    const Status error(StatusCode::kIo, "disk");
    const Status copy = error;
    EXPECT_EQ(copy.message(), "disk");
    EXPECT_EQ(Result<int>(error).status().code(), StatusCode::kIo);
}

}  // namespace
}  // namespace zarr_core::test
