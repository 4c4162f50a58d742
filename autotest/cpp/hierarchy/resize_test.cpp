// SPDX-License-Identifier: MIT
#include <vector>

#include "autotest/cpp/hierarchy/faulty_store.h"
#include "autotest/cpp/hierarchy/trees.h"
#include "core/hierarchy/hierarchy_writer.h"

namespace zarr::test {
namespace {

using Shape = std::vector<std::uint64_t>;
using StringList = std::vector<std::string>;

constexpr char kFill = '.';

std::string Document(const std::string& shape, const std::string& separator = ".") {
    return R"({"zarr_format": 2, "compressor": null, "fill_value": 46, "order": "C", )"
           R"("filters": null, "dtype": "|u1", "chunks": [2, 2], "dimension_separator": ")" +
           separator + R"(", "shape": )" + shape + "}";
}

// A store with an array "a" of 3 x 4 characters: "abcd", "efgh", "ijkl". The methods resize and
// read the array.
struct Sample {
    explicit Sample(const std::string& separator = ".") {
        const auto key = [&](const char* row, const char* column) {
            return "a/" + std::string(row) + separator + column;
        };
        memory = StoreOf({{".zgroup", kGroupText},
                          {"a/.zarray", Document("[3, 4]", separator)},
                          {key("0", "0"), "abef"},
                          {key("0", "1"), "cdgh"},
                          {key("1", "0"), "ij.."},
                          {key("1", "1"), "kl.."}});
        store = std::make_shared<FaultyStore>(memory);
    }

    // Resizes the array. Store call number `fail_at` fails; if `all_later` is true, all later calls
    // fail, too.
    Status Resize(const Shape& shape, std::size_t fail_at = 0, bool all_later = false) {
        HierarchyWriter metadata(store);
        const auto array = Tree(store)->OpenArray("a");
        if (!array.ok()) return array.status();
        auto writer = ArrayWriter::Open(*array, store, std::size_t{1} << 20);
        if (!writer.ok()) return writer.status();
        store->FailAt(fail_at, all_later);
        const Status status = ResizeArray(metadata, *store, **writer, shape, 1);
        store->FailAt(0, false);
        // A writer that is killed loses its pending elements.
        if (!status.ok()) (*array)->pending().Clear();
        return status;
    }

    // Opens the array again and returns its rows.
    StringList Read() const {
        const auto array = Tree(memory)->OpenArray("a");
        if (!array.ok()) return {array.status().message()};
        const Shape& shape = (*array)->metadata().shape;
        StringList rows(static_cast<std::size_t>(shape[0]),
                        std::string(static_cast<std::size_t>(shape[1]), '\0'));
        for (std::size_t row = 0; row < rows.size(); ++row) {
            Region region = Region::All(shape);
            region.start[0] = row;
            region.count[0] = 1;
            const Destination destination{reinterpret_cast<std::uint8_t*>(rows[row].data()),
                                          Strides{0, 1}, CopyConverter(1)};
            EXPECT_TRUE(Succeeds((*array)->Read(region, 0, destination, {1})));
        }
        return rows;
    }

    std::shared_ptr<MemoryStore> memory;
    std::shared_ptr<FaultyStore> store;
};

TEST(Resize, GrowingChangesOnlyTheShape) {
    Sample sample;
    EXPECT_TRUE(Succeeds(sample.Resize({3, 7})));
    EXPECT_EQ(sample.store->TakeChanges(), StringList{"set a/.zarray"});
    EXPECT_EQ(sample.Read(), (StringList{"abcd...", "efgh...", "ijkl..."}));
}

TEST(Resize, ToTheSameShapeChangesNothing) {
    Sample sample;
    EXPECT_TRUE(Succeeds(sample.Resize({3, 4})));
    EXPECT_EQ(sample.store->TakeChanges(), StringList());
}

TEST(Resize, CutOffElementsDoNotComeBack) {
    for (const char* separator : {".", "/"}) {
        Sample sample(separator);
        EXPECT_TRUE(Succeeds(sample.Resize({1, 3})));
        EXPECT_EQ(sample.Read(), StringList{"abc"});
        const auto rows = sample.memory->List("a");
        ASSERT_TRUE(Succeeds(rows));
        EXPECT_EQ(rows->size(), *separator == '.' ? 3U : 2U) << "no chunk of the second row";
        EXPECT_TRUE(Succeeds(sample.Resize({4, 4})));
        EXPECT_EQ(sample.Read(), (StringList{"abc.", "....", "....", "...."}));
    }
}

TEST(Resize, EmptiesAndFillsAgain) {
    Sample sample;
    EXPECT_TRUE(Succeeds(sample.Resize({0, 4})));
    EXPECT_EQ(sample.Read(), StringList());
    EXPECT_TRUE(Succeeds(sample.Resize({2, 2})));
    EXPECT_EQ(sample.Read(), (StringList{"..", ".."}));
}

TEST(Resize, ErasesChunksThatWereOutsideBefore) {
    Sample sample;
    EXPECT_TRUE(Succeeds(sample.memory->Set("a/0.2", ByteSpan(std::string_view("XXXX")))));
    EXPECT_TRUE(Succeeds(sample.memory->Set("a/00.2", ByteSpan(std::string_view("no chunk")))));
    EXPECT_TRUE(Succeeds(sample.Resize({3, 6})));
    EXPECT_EQ(sample.Read(), (StringList{"abcd..", "efgh..", "ijkl.."}));
    EXPECT_EQ(sample.store->TakeChanges(), (StringList{"erase a/0.2", "set a/.zarray"}));
}

TEST(Resize, RefusesInvalidShapes) {
    Sample sample;
    constexpr std::uint64_t kHuge = std::uint64_t{1} << 40;
    for (const Shape& shape : {Shape{3}, Shape{3, 4, 5}, Shape{kHuge, kHuge}}) {
        const Status status = sample.Resize(shape);
        EXPECT_FALSE(status.ok());
        EXPECT_NE(status.code(), StatusCode::kCorrupt);
        EXPECT_EQ(status.message().find("a/.zarray"), 0U) << status.message();
    }
    EXPECT_EQ(sample.store->TakeChanges(), StringList());
}

// Every store call fails once. Elements inside of the old and the new shape must not change;
// elements outside may become the fill value. Resizing again must succeed.
TEST(Resize, SurvivesAFaultAtEveryCall) {
    const StringList old = {"abcd", "efgh", "ijkl"};
    for (const Shape& shape : {Shape{1, 3}, Shape{2, 1}, Shape{5, 3}, Shape{2, 7}}) {
        for (const bool all_later : {false, true}) {
            bool is_done = false;
            for (std::size_t call = 1; !is_done; ++call) {
                ASSERT_LT(call, 200U);
                Sample sample;
                is_done = sample.Resize(shape, call, all_later).ok();
                const StringList rows = sample.Read();
                const bool is_new = rows.size() == shape[0] && rows[0].size() == shape[1];
                ASSERT_TRUE(is_new || (rows.size() == 3 && rows[0].size() == 4)) << rows[0];
                for (std::size_t i = 0; i < rows.size(); ++i) {
                    for (std::size_t k = 0; k < rows[i].size(); ++k) {
                        const bool is_old = i < 3 && k < 4;
                        const char was = is_old ? old[i][k] : kFill;
                        const bool may_be_gone = i >= shape[0] || k >= shape[1];
                        ASSERT_TRUE(rows[i][k] == was || (may_be_gone && rows[i][k] == kFill))
                            << "call " << call << ": " << rows[i];
                    }
                }
                ASSERT_TRUE(Succeeds(sample.Resize(shape)));
                ASSERT_TRUE(Succeeds(sample.Resize({5, 7})));
                const StringList grown = sample.Read();
                for (std::size_t i = 0; i < 5; ++i)
                    for (std::size_t k = 0; k < 7; ++k) {
                        const bool is_left = i < 3 && k < 4 && i < shape[0] && k < shape[1];
                        ASSERT_EQ(grown[i][k], is_left ? old[i][k] : kFill) << "call " << call;
                    }
            }
        }
    }
}

// An array of 6 characters in chunks of 1, 3 and 2 characters. A new shape may end within any
// chunk.
TEST(Resize, CutsChunksWhereTheyEnd) {
    const auto memory = StoreOf(
        {{"a/.zarray", R"({"zarr_format": 2, "compressor": null, "fill_value": 46, "order": "C", )"
                       R"("filters": null, "dtype": "|u1", "chunks": [3], "shape": [6]})"},
         {"a/0", "a"},
         {"a/1", "bcd"},
         {"a/2", "ef"}});
    ArrayMetadata uneven = Tree(memory)->Metadata("a").Take();
    uneven.edges = {{1, 4, 6}};
    for (const std::uint64_t length : {3U, 6U}) {
        HierarchyWriter metadata(memory);
        const auto context = std::make_shared<ArrayContext>(0);
        const auto array = Array::Open(memory, "a", uneven, context).Take();
        const auto writer = ArrayWriter::Open(array, memory, 0).Take();
        EXPECT_TRUE(Succeeds(ResizeArray(metadata, *memory, *writer, {length}, 1)));
        uneven.shape = {length};
        EXPECT_EQ(memory->List("a")->size(), 3U) << "the document and two chunks";
        Buffer chunk;
        EXPECT_TRUE(*memory->Get("a/1", chunk, kNoLimit));
        EXPECT_EQ(TextOf(chunk), "bc.") << "what lies beyond the edge is filled";
    }
}

// An array of 7 characters in shards of 2, 4 and 2 characters. Chunks inside of the shards have 2
// characters.
TEST(Resize, CutsAndAddsShardsOfSeveralSizes) {
    const std::string document =
        R"({"zarr_format": 3, "node_type": "array", "shape": [7], "data_type": "uint8", )"
        R"("fill_value": 46, "chunk_key_encoding": {"name": "default"}, "chunk_grid": )"
        R"({"name": "rectilinear", "configuration": {"kind": "inline", )"
        R"("chunk_shapes": [[2, 4, 2]]}}, "codecs": [{"name": "sharding_indexed", )"
        R"("configuration": {"chunk_shape": [2], "codecs": ["bytes"], )"
        R"("index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}}]})";
    const auto memory = StoreOf(
        {{"zarr.json", R"({"zarr_format": 3, "node_type": "group"})"}, {"a/zarr.json", document}});
    const auto array = [&] { return Tree(memory)->OpenArray("a").Take(); };
    const auto all = [&] {
        const auto opened = array();
        std::string letters(static_cast<std::size_t>(opened->metadata().shape[0]), '\0');
        const Destination destination{reinterpret_cast<std::uint8_t*>(letters.data()), Strides{1},
                                      CopyConverter(1)};
        EXPECT_TRUE(
            Succeeds(opened->Read(Region::All(opened->metadata().shape), 0, destination, {1})));
        return letters;
    };
    const auto resize = [&](std::uint64_t length) {
        HierarchyWriter metadata(memory);
        const auto writer = ArrayWriter::Open(array(), memory, 1000).Take();
        EXPECT_TRUE(Succeeds(ResizeArray(metadata, *memory, *writer, {length}, 1)));
    };
    const std::string letters = "abcdefg";
    {
        const auto writer = ArrayWriter::Open(array(), memory, 1000).Take();
        const Source source{reinterpret_cast<const std::uint8_t*>(letters.data()), Strides{1},
                            CopyConverter(1)};
        ASSERT_TRUE(Succeeds(writer->Write(Region::All({7}), 0, source, 1)));
        ASSERT_TRUE(Succeeds(writer->Flush(1)));
    }
    resize(5);
    EXPECT_EQ(all(), "abcde");
    EXPECT_EQ(memory->List("a/c")->size(), 2U);
    resize(12);  // the shards end at index 8, so another shard of the largest size, 4, is added
    EXPECT_EQ(all(), "abcde.......");
    EXPECT_EQ(array()->metadata().edges, (std::vector<Shape>{{2, 6, 8, 12}}));
    resize(3);
    EXPECT_EQ(all(), "abc");
    resize(4);
    EXPECT_EQ(all(), "abc.");
}

}  // namespace
}  // namespace zarr::test
