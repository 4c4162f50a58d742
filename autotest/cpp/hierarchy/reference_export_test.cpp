// SPDX-License-Identifier: MIT
#include "core/hierarchy/reference_export.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "autotest/cpp/support/scoped_limit.h"
#include "core/base/limits.h"
#include "core/store/memory_store.h"

namespace zarr {
namespace {

constexpr const char* kArray =
    R"({"zarr_format": 2, "shape": [4, 6], "chunks": [2, 2], "dtype": "|u1", "compressor": null,
        "fill_value": 0, "filters": null, "order": "C"})";

// Records each call of a ReferenceWriter as a line of text.
class Lines final : public ReferenceWriter {
  public:
    Status Begin(std::uint64_t most_chunks) override {
        lines.push_back("begin " + std::to_string(most_chunks));
        return {};
    }
    Status AddDocument(const std::string& key, std::string_view text) override {
        lines.push_back(key + " = " + std::string(text.substr(0, 28)));
        return {};
    }
    Status AddChunk(const ReferenceChunk& chunk, const Reference& reference) override {
        lines.push_back(chunk.array + " " + std::to_string(chunk.number) + " " + chunk.key +
                        " -> " + reference.location);
        return {};
    }
    Status Finish() override {
        lines.emplace_back("finish");
        return {};
    }
    std::vector<std::string> lines;
};

// A store that cannot list keys, like a web server.
class Unlisted final : public ForwardingStore {
  public:
    using ForwardingStore::ForwardingStore;
    StoreTraits Traits() const override {
        StoreTraits traits;
        traits.remote = true;
        traits.concurrent_reads = 4;
        return traits;
    }
    Result<std::vector<StoreEntry>> List(const std::string& /*prefix*/) const override {
        return Status::Unsupported("cannot list");
    }
    Status VisitEntries(const std::string& /*prefix*/,
                        const EntryVisitor& /*visit*/) const override {
        return Status::Unsupported("cannot list");
    }
    Status ForEachKey(const std::string& /*prefix*/, const KeyVisitor& /*visit*/,
                      const PrefixVisitor& /*visit_prefix*/) const override {
        return Status::Unsupported("cannot list");
    }
};

class ReferenceExportTest : public ::testing::Test {
  protected:
    void Put(const std::string& key, std::string_view text) {
        ASSERT_TRUE(store_->Set(key, ByteSpan(text)).ok());
    }

    // Exports references to `part` of the store. Returns the recorded calls, and the error if there
    // is one.
    std::vector<std::string> Export(const ReferenceExport& part, bool lists = true) {
        std::shared_ptr<const Store> store = store_;
        if (!lists) store = std::make_shared<Unlisted>(store_);
        const auto hierarchy =
            Hierarchy::Open(store, UseConsolidated::kIfPresent, std::make_shared<ArrayContext>(0));
        EXPECT_TRUE(hierarchy.ok());
        const ReferenceFinder find = [&](const std::string& key,
                                         bool is_known) -> Result<Reference> {
            EXPECT_EQ(is_known, lists);
            ZARR_ASSIGN_OR_RETURN(const bool found, store_->Exists(key));
            return found ? Reference::Target("at/" + key, 0, {}) : Reference::Absent();
        };
        Lines lines;
        const ExportProgress progress = [&](double complete) {
            EXPECT_GE(complete, last_);
            last_ = complete;
            return ++calls_ != cancelled_at_;
        };
        status_ = ExportReferences(**hierarchy, part, find, lines, progress);
        return lines.lines;
    }

    const std::shared_ptr<MemoryStore> store_ = std::make_shared<MemoryStore>();
    Status status_;
    double last_ = 0;
    int calls_ = 0;
    int cancelled_at_ = 0;
};

using Calls = std::vector<std::string>;

TEST_F(ReferenceExportTest, WritesDocumentsThenChunksInOrder) {
    Put(".zgroup", "{\"zarr_format\": 2}");
    Put("g/x/.zarray", kArray);
    Put("g/x/.zattrs", "{}");
    Put("g/x/.nczarray", "{\"other\": 1}");
    Put("g/x/1.2", "d");
    Put("g/x/0.1", "b");
    Put("g/x/2.0", "outside of the grid");
    Put("g/x/notes", "no chunk");
    const Calls expected = {
        "begin 6",
        ".zgroup = {\"zarr_format\": 2}",
        "g/.zgroup = {\n    \"zarr_format\": 2\n}",
        "g/x/.zarray = {\"zarr_format\": 2, \"shape\": ",
        "g/x/.zattrs = {}",
        "g/x/.nczarray = {\"other\": 1}",
        "g/x 1 g/x/0.1 -> at/g/x/0.1",
        "g/x 5 g/x/1.2 -> at/g/x/1.2",
        "finish",
    };
    EXPECT_EQ(Export({}), expected);
    EXPECT_TRUE(status_.ok()) << status_.message();
    EXPECT_EQ(last_, 1.0);
}

TEST_F(ReferenceExportTest, KeysStartAtTheExportedGroup) {
    Put(".zgroup", "{\"zarr_format\": 2}");
    Put("g/.zgroup", "{\"zarr_format\":2}");
    Put("g/x/.zarray", kArray);
    Put("g/x/0.0", "a");
    Put("g/y/.zarray", kArray);
    const Calls expected = {
        "begin 6",
        ".zgroup = {\"zarr_format\":2}",
        "x/.zarray = {\"zarr_format\": 2, \"shape\": ",
        "x 0 x/0.0 -> at/g/x/0.0",
        "finish",
    };
    EXPECT_EQ(Export({"g", "g/x"}), expected);
}

TEST_F(ReferenceExportTest, TheRootMayBeAnArray) {
    Put(".zarray", kArray);
    Put("1.1", "a");
    const Calls expected = {
        "begin 6",
        ".zarray = {\"zarr_format\": 2, \"shape\": ",
        " 4 1.1 -> at/1.1",
        "finish",
    };
    EXPECT_EQ(Export({"", ""}), expected);
}

// `.zarray` has no separator, so exported keys must have the default ".", although stored keys have
// "/".
TEST_F(ReferenceExportTest, KeysHaveTheSeparatorOfTheDocument) {
    Put(".zgroup", "{\"zarr_format\": 2}");
    Put("x/.zarray", kArray);
    Put("x/0/1", "a");
    EXPECT_EQ(Export({})[3], "x 1 x/0.1 -> at/x/0/1");
}

TEST_F(ReferenceExportTest, SearchesEachChunkOfAStoreThatCannotList) {
    Put(".zmetadata", std::string(R"({"zarr_consolidated_format": 1, "metadata": {".zgroup":
        {"zarr_format": 2}, "x/.zarray": )") +
                          kArray + "}}");
    Put("x/1.0", "a");
    Put("x/0.2", "b");
    const Calls expected = {
        "begin 6",
        ".zgroup = {\"zarr_format\": 2}",
        "x/.zarray = {\"zarr_format\": 2, \"shape\": ",
        "x 2 x/0.2 -> at/x/0.2",
        "x 3 x/1.0 -> at/x/1.0",
        "finish",
    };
    EXPECT_EQ(Export({}, false), expected);
    EXPECT_TRUE(status_.ok()) << status_.message();
}

TEST_F(ReferenceExportTest, CancelsAtEachCallOfTheProgress) {
    Put(".zgroup", "{\"zarr_format\": 2}");
    Put("x/.zarray", kArray);
    Put("x/0.0", "a");
    Export({});
    const int calls = calls_;
    ASSERT_GE(calls, 3);
    for (int i = 1; i <= calls; ++i) {
        last_ = calls_ = 0;
        cancelled_at_ = i;
        const Calls made = Export({});
        EXPECT_EQ(status_.code(), StatusCode::kCancelled);
        EXPECT_TRUE(made.empty() || made.back() != "finish");
    }
}

TEST_F(ReferenceExportTest, RefusesArraysOfVersion1AndTooManyChunks) {
    Put(".zgroup", "{\"zarr_format\": 2}");
    Put("x/meta", R"({"zarr_format": 1, "shape": [2], "chunks": [2], "dtype": "|u1",
        "compression": null, "compression_opts": null, "fill_value": 0, "order": "C"})");
    Export({});
    EXPECT_EQ(status_.code(), StatusCode::kUnsupported);
    EXPECT_EQ(status_.message().substr(0, 33), "/x: references to arrays of Zarr ");

    ASSERT_TRUE(store_->Erase("x/meta").ok());
    Put("y/.zarray", kArray);
    const test::ScopedLimit limit(Limit::kReferences, 5);
    Export({"", "y"}, false);
    EXPECT_EQ(status_.code(), StatusCode::kLimit);
}

}  // namespace
}  // namespace zarr
