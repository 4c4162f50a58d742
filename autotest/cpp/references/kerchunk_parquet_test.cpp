// SPDX-License-Identifier: MIT
#include "core/references/kerchunk_parquet.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "autotest/cpp/references/parquet_bytes.h"
#include "autotest/cpp/support/scoped_limit.h"
#include "core/store/memory_store.h"

namespace zarr {
namespace {

using test::DataPage;
using test::Little;

// Returns a Parquet file of references. Row i is "" (no reference) or a path, with 7 bytes from
// offset i on.
std::string PartitionOf(const std::vector<std::string>& rows) {
    std::string paths;
    std::string offsets;
    std::string sizes;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        paths += Little(rows[i].size(), 4) + rows[i];
        offsets += Little(i, 8);
        sizes += Little(7, 8);
    }
    const int count = static_cast<int>(rows.size());
    return test::ParquetFile(count, {{"path", 6, 0, count, DataPage(count, 0, paths), 0},
                                     {"offset", 2, 0, count, DataPage(count, 0, offsets), 0},
                                     {"size", 2, 0, count, DataPage(count, 0, sizes), 0}});
}

// A store in memory that counts how often each key is read.
class CountingStore final : public ForwardingStore {
  public:
    explicit CountingStore(std::shared_ptr<const Store> base) : ForwardingStore(std::move(base)) {}
    StoreTraits Traits() const override {
        StoreTraits traits;
        traits.remote = is_remote;
        return traits;
    }
    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override {
        Count(key);
        auto read = base().Read(key, part, sink);
        if (read.ok()) read->version = VersionOf(key);
        return read;
    }
    Status GetMany(const std::vector<std::string>& keys, const ReadManyOptions& options,
                   const ValueTaker& take) const override {
        for (const std::string& key : keys) Count(key);
        return base().GetMany(keys, options, take);
    }
    ObjectVersion VersionOf(const std::string& key) const override {
        Buffer value;
        const auto found = base().Get(key, value, kNoLimit);
        return {true, found.ok() && *found, value.size(), 0, 0};
    }
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override {
        if (!can_list) return Status::Unsupported(prefix + ": cannot list");
        return base().List(prefix);
    }
    std::string Reads() const {
        std::string text;
        for (const auto& [key, count] : counts_) text += key + " " + std::to_string(count) + ", ";
        counts_.clear();
        return text;
    }

    bool is_remote = false;
    bool can_list = true;

  private:
    void Count(const std::string& key) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        ++counts_[key];
    }
    mutable std::mutex mutex_;
    mutable std::map<std::string, int> counts_;
};

constexpr const char* kArray =
    R"({"zarr_format": 2, "shape": [5, 6], "chunks": [2, 2], "dtype": "<i2", "compressor": null,
        "filters": null, "fill_value": 0, "order": "C"})";
constexpr const char* kScalar =
    R"({"zarr_format": 2, "shape": [], "chunks": [], "dtype": "<i2", "compressor": null,
        "filters": null, "fill_value": 0, "order": "C"})";
constexpr const char* kNested =
    R"({"zarr_format": 2, "shape": [4, 2], "chunks": [2, 2], "dtype": "<i2", "compressor": null,
        "filters": null, "fill_value": 0, "order": "C", "dimension_separator": "/"})";
constexpr const char* kV3 =
    R"({"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "int8", "fill_value": 0,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
        "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes"}]})";

class KerchunkParquetTest : public testing::Test {
  protected:
    KerchunkParquetTest() {
        Set(".zmetadata",
            std::string(R"({"metadata": {".zgroup": {"zarr_format": 2}, "a/.zarray": )") + kArray +
                R"(, "a/.zattrs": {"b": NaN}, "g/.zgroup": {"zarr_format": 2},
              "g/s/.zarray": )" +
                kScalar + R"(, "n/.zarray": )" + kNested + R"(, "v/zarr.json": )" + kV3 +
                R"(, "text": "{\"c\": 1}", "bytes": "base64:AAEC",
              "bad/.zarray": {"zarr_format": 2}, "../x": {}}, "record_size": 4})");
        // Array "a" has 3 x 3 chunks. Their references are in the files 0, 1 and 2, but file 1 is
        // absent.
        Set("a/refs.0.parq", PartitionOf({"f0", "f1", "", "f3"}));
        Set("a/refs.2.parq", PartitionOf({"f8", "beyond", "", ""}));
        Set("g/s/refs.0.parq", PartitionOf({"scalar"}));
        Set("n/refs.0.parq", PartitionOf({"n0", "n1"}));
        Set("v/refs.0.parq", PartitionOf({"", "v1"}));
    }
    void Set(const std::string& key, const std::string& value) {
        ASSERT_TRUE(files->Set(key, ByteSpan(value)).ok());
    }
    const KerchunkParquet& Map() {
        if (map == nullptr) {
            const auto opened = KerchunkParquet::Open(store);
            EXPECT_TRUE(opened.ok()) << opened.status().message();
            map = *opened;
            EXPECT_EQ(store->Reads(), ".zmetadata 1, ");
        }
        return *map;
    }
    static std::string Shown(const Reference& found) {
        if (found.kind == Reference::Kind::kInline) return "'" + found.bytes + "'";
        return found.kind == Reference::Kind::kAbsent
                   ? "absent"
                   : found.location + " " + std::to_string(found.offset);
    }
    std::string Find(const std::string& key) {
        const auto found = Map().Find(key);
        return found.ok() ? Shown(*found) : found.status().message();
    }
    std::string List(const std::string& prefix) {
        const auto listed = Map().List(prefix);
        if (!listed.ok()) return listed.status().message();
        std::string names;
        for (const StoreEntry& entry : *listed)
            names += entry.name + (entry.is_prefix ? "/ " : " ");
        return names;
    }
    std::string Keys(const std::string& prefix) {
        std::string keys;
        const Status visited =
            Map().ForEachKey(prefix, [&](std::string_view key) { keys += std::string(key) + " "; });
        return visited.ok() ? keys : visited.message();
    }

    const std::shared_ptr<MemoryStore> files = std::make_shared<MemoryStore>();
    const std::shared_ptr<CountingStore> store = std::make_shared<CountingStore>(files);
    std::shared_ptr<KerchunkParquet> map;
};

TEST_F(KerchunkParquetTest, FindsChunksByTheirNumber) {
    EXPECT_EQ(Find("a/0.0"), "f0 0");
    EXPECT_EQ(Find("a/0.1"), "f1 1");
    EXPECT_EQ(Find("a/0.2"), "absent");
    EXPECT_EQ(Find("a/1.0"), "f3 3");
    EXPECT_EQ(store->Reads(), "a/refs.0.parq 1, ");
    EXPECT_EQ(Find("a/1.1"), "absent");  // in the absent file 1
    EXPECT_EQ(Find("a/1.2"), "absent");
    EXPECT_EQ(Find("a/2.2"), "f8 0");
    EXPECT_EQ(store->Reads(), "a/refs.1.parq 1, a/refs.2.parq 1, ");
    for (const char* none : {"a/3.0", "a/0.3", "a/0", "a/0.0.0", "a/00.0", "a/0/0", "a/x",
                             "a/refs.0.parq", "0", "b/0", "g/0", "../x", ".zmetadata"})
        EXPECT_EQ(Find(none), "absent") << none;
    EXPECT_EQ(store->Reads(), "");
    EXPECT_EQ(Find("g/s/0"), "scalar 0");
    EXPECT_EQ(Find("n/1/0"), "n1 1");
    EXPECT_EQ(Find("n/1.0"), "absent");
    EXPECT_EQ(Find("v/c/1"), "v1 1");
    EXPECT_EQ(Find("v/c/0"), "absent");
    EXPECT_EQ(Find("v/1"), "absent");
}

TEST_F(KerchunkParquetTest, ReturnsDocuments) {
    EXPECT_EQ(Find(".zgroup"), R"('{"zarr_format": 2}')");
    EXPECT_EQ(Find("a/.zattrs"), R"('{"b": NaN}')");
    EXPECT_EQ(Find("text"), R"('{"c": 1}')");
    EXPECT_EQ(Find("bytes"), std::string("'\0\1\2'", 5));
    EXPECT_EQ(store->Reads(), "");
}

TEST_F(KerchunkParquetTest, ReadsEachFileOnceForManyKeys) {
    const std::vector<std::string> keys = {"a/2.2",   "a/0.0", "g/s/0", "a/0.1",
                                           ".zgroup", "a/1.1", "x/0"};
    for (const bool is_remote : {false, true}) {
        store->is_remote = is_remote;
        map = nullptr;
        const auto found = Map().FindMany(keys);
        ASSERT_TRUE(found.ok());
        std::string shown;
        for (const Reference& each : *found) shown += Shown(each) + ", ";
        EXPECT_EQ(shown, "f8 0, f0 0, scalar 0, f1 1, '{\"zarr_format\": 2}', absent, absent, ");
        EXPECT_EQ(store->Reads(),
                  "a/refs.0.parq 1, a/refs.1.parq 1, a/refs.2.parq 1, g/s/refs.0.parq 1, ");
        ASSERT_TRUE(Map().FindMany(keys).ok());
        EXPECT_EQ(store->Reads(), "");
    }
}

TEST_F(KerchunkParquetTest, ThreadsReadAFileOnce) {
    static_cast<void>(Map());
    std::atomic<int> found{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] { found += map->Find("a/0.0")->location == "f0" ? 1 : 0; });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(found, 8);
    EXPECT_EQ(store->Reads(), "a/refs.0.parq 1, ");
}

TEST_F(KerchunkParquetTest, ListsWithoutReadingFiles) {
    EXPECT_EQ(List(""), ".zgroup a/ bad/ bytes g/ n/ text v/ ");
    EXPECT_EQ(List("g"), ".zgroup s/ ");
    EXPECT_EQ(List("a"), ".zarray .zattrs 0.0 0.1 0.2 1.0 2.2 ");
    EXPECT_EQ(List("n"), ".zarray 0/ 1/ ");
    EXPECT_EQ(List("n/1"), "0 ");
    EXPECT_EQ(List("v"), "c/ zarr.json ");
    EXPECT_EQ(List("none"), "");
    EXPECT_EQ(List("bad"), "bad/.zarray: the compulsory member \"dtype\" is missing");
    EXPECT_EQ(store->Reads(), "");
    std::string first;
    ASSERT_TRUE(Map()
                    .VisitEntries("a",
                                  [&](const StoreEntry& entry) {
                                      first += entry.name + " ";
                                      return entry.name != "0.0";
                                  })
                    .ok());
    EXPECT_EQ(first, ".zarray .zattrs 0.0 ");
}

TEST_F(KerchunkParquetTest, VisitsTheKeysThatExist) {
    EXPECT_EQ(Keys("a"), ".zarray .zattrs 0.0 0.1 1.0 2.2 ");
    EXPECT_EQ(Keys("g"), ".zgroup s/.zarray s/0 ");
    EXPECT_EQ(Keys("n"), ".zarray 0/0 1/0 ");
    EXPECT_EQ(Keys("n/1"), "0 ");
    store->can_list = false;
    EXPECT_EQ(Keys("a"), ".zarray .zattrs 0.0 0.1 1.0 2.2 ");
    EXPECT_EQ(List("a"), "a: cannot list");
    EXPECT_EQ(List("g"), ".zgroup s/ ");
}

TEST_F(KerchunkParquetTest, BoundsAListing) {
    const test::ScopedLimit limit(Limit::kReferences, 4);
    EXPECT_EQ(List("a"), "a: there are too many references; ZARR_MAX_REFERENCES allows 4");
}

TEST_F(KerchunkParquetTest, NamesTheFileThatIsDamaged) {
    Set("a/refs.1.parq", "PAR1");
    EXPECT_EQ(Find("a/1.1"), "a/refs.1.parq: is not a complete Parquet file");
    EXPECT_EQ(Find("a/0.0"), "f0 0");
    Set("a/refs.1.parq", PartitionOf({"a", "b", "c", "d", "e"}));
    EXPECT_EQ(Find("a/1.1"), "a/refs.1.parq: has 5 rows, which is more than the record size 4");
    EXPECT_EQ(Map().FindMany({"a/0.0", "a/1.1"}).status().message(),
              "a/refs.1.parq: has 5 rows, which is more than the record size 4");
    EXPECT_EQ(Find("bad/0"), "bad/.zarray: the compulsory member \"dtype\" is missing");
    const test::ScopedLimit limit(Limit::kPartitionSize, 100);
    for (const bool is_remote : {false, true}) {
        store->is_remote = is_remote;
        const auto found = Map().FindMany({"a/2.2", "g/s/0"});
        EXPECT_EQ(found.status().code(), StatusCode::kLimit);
        EXPECT_NE(found.status().message().find("ZARR_MAX_PARTITION_SIZE allows 100"),
                  std::string::npos);
    }
}

TEST_F(KerchunkParquetTest, SeesThatFilesHaveChanged) {
    EXPECT_TRUE(Map().IsCurrent());
    EXPECT_EQ(Find("a/0.0"), "f0 0");
    EXPECT_EQ(Find("a/1.1"), "absent");
    EXPECT_TRUE(Map().IsCurrent());
    Set("a/refs.1.parq", PartitionOf({"new"}));
    EXPECT_FALSE(Map().IsCurrent());
    EXPECT_TRUE(files->Erase("a/refs.1.parq").ok());
    EXPECT_TRUE(Map().IsCurrent());
    Set(".zmetadata", "{}");
    EXPECT_FALSE(Map().IsCurrent());
}

TEST_F(KerchunkParquetTest, EachMapHasANameOfItsOwn) {
    const std::string name = Map().Identity();
    EXPECT_NE(name, (*KerchunkParquet::Open(store))->Identity());
}

TEST_F(KerchunkParquetTest, GivesTheLocationOfSomeTarget) {
    EXPECT_EQ(Map().SampleLocation(), "f0");
    EXPECT_EQ(store->Reads(), "a/refs.0.parq 1, ");
}

TEST_F(KerchunkParquetTest, RejectsDamagedMetadata) {
    const auto error = [&](const std::string& text) {
        Set(".zmetadata", text);
        return KerchunkParquet::Open(store).status().message();
    };
    EXPECT_EQ(error(R"({"metadata": {}})"),
              ".zmetadata: the compulsory member \"record_size\" is missing");
    EXPECT_EQ(error(R"({"record_size": 1})"),
              ".zmetadata: the compulsory member \"metadata\" is missing");
    EXPECT_EQ(error(R"({"metadata": {}, "record_size": 0})"),
              ".zmetadata: record_size: expected an integer >= 1, got 0");
    EXPECT_EQ(error(R"({"metadata": {"a": "base64:*"}, "record_size": 1})").substr(0, 14),
              ".zmetadata: a:");
    EXPECT_NE(error(R"({"metadata": [], "record_size": 1})"), "");
    EXPECT_NE(error(R"({"metadata": {"a": "\x"}, "record_size": 1})"), "");
    EXPECT_NE(error(""), "");
    EXPECT_TRUE(files->Erase(".zmetadata").ok());
    EXPECT_EQ(KerchunkParquet::Open(store).status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace zarr
