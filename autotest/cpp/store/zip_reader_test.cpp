// SPDX-License-Identifier: MIT
#include "core/store/zip_reader.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "autotest/cpp/store/zip_builder.h"
#include "autotest/cpp/support/checks.h"
#include "autotest/cpp/support/store_reads.h"
#include "core/metadata/documents.h"

namespace zarr::test {
namespace {

constexpr const char* kGroupDocument = R"({"zarr_format": 2})";

Result<std::shared_ptr<const ZipArchive>> OpenArchive(const std::string& bytes,
                                                      bool is_remote = false,
                                                      int* reads = nullptr) {
    return ZipArchive::Open(std::make_unique<MemorySource>(bytes, is_remote, reads), "id", "a.zip");
}

// Returns a predicate that is true for prefixes at which the archive has the root document of a
// Zarr store.
ZipArchive::PrefixTest HoldsStore(const ZipArchive& archive) {
    return [&archive](const std::string& prefix) {
        return HoldsRootDocumentOfAnyFormat(
            prefix, [&](const std::string& key) { return archive.Find(key) != nullptr; });
    };
}

std::string Value(const Store& store, const std::string& key) {
    Buffer value;
    const auto found = store.Get(key, value, kNoLimit);
    EXPECT_TRUE(Succeeds(found));
    if (!found.ok() || !*found) return "(none)";
    return std::string(std::as_const(value).span().text());
}

std::string Names(const Store& store, const std::string& prefix) {
    const auto entries = store.List(prefix);
    EXPECT_TRUE(Succeeds(entries));
    std::string names;
    if (entries.ok())
        for (const StoreEntry& entry : *entries)
            names += entry.name + (entry.is_prefix ? "/ " : " ");
    return names;
}

std::vector<ZipItem> SampleItems() {
    Random random(11);
    return {{"", ""},
            {".zgroup", kGroupDocument},
            {"folder/", ""},
            {"dem/.zarray", std::string(3000, '{'), true},
            {"dem/0.0", random.Bytes(5000)},
            {"dem/0.1", "", true},
            {"dem/0.2", ""},
            {"dem.old/7", "seven"},
            {"dem0", "a file"}};
}

struct Kind {
    ZipShape shape;
    bool is_remote = false;
};

class ZipStores : public testing::TestWithParam<Kind> {};

INSTANTIATE_TEST_SUITE_P(Shapes, ZipStores,
                         testing::Values(Kind{}, Kind{{false, "", "a comment that ends PK\5\6"}},
                                         Kind{{false, "#!/bin/sh\n", ""}}, Kind{{true, "", ""}},
                                         Kind{{true, "", std::string(65535, 'c')}}, Kind{{}, true},
                                         Kind{{true, "", ""}, true}));

TEST_P(ZipStores, HoldWhatWasPutIn) {
    const std::vector<ZipItem> items = SampleItems();
    const auto archive = OpenArchive(BuildZip(items, GetParam().shape), GetParam().is_remote);
    ASSERT_TRUE(Succeeds(archive));
    EXPECT_EQ((*archive)->FindRoot(HoldsStore(**archive)), "");
    const ZipStore store(*archive, "");
    for (const ZipItem& item : items)
        if (!item.name.empty() && item.name.back() != '/') {
            EXPECT_EQ(Value(store, item.name), item.contents) << item.name;
            std::string memory(item.contents.size(), '?');
            const auto into = GetInto(
                store, item.name, {reinterpret_cast<std::uint8_t*>(memory.data()), memory.size()});
            ASSERT_TRUE(Succeeds(into));
            EXPECT_EQ(memory, item.contents);
        }
    EXPECT_EQ(Value(store, "dem/9.9"), "(none)");
    EXPECT_EQ(Value(store, "folder"), "(none)");
    EXPECT_EQ(Names(store, ""), ".zgroup dem/ dem.old/ dem0 ");
    EXPECT_EQ(Names(store, "dem"), ".zarray 0.0 0.1 0.2 ");
    EXPECT_EQ(Names(store, "de"), "");
    EXPECT_EQ(Names(store, "dem0"), "");
}

TEST_P(ZipStores, GiveParts) {
    const std::vector<ZipItem> items = SampleItems();
    const auto archive = OpenArchive(BuildZip(items, GetParam().shape), GetParam().is_remote);
    ASSERT_TRUE(Succeeds(archive));
    const ZipStore store(*archive, "");
    for (const ZipItem& item : items)
        for (const std::uint64_t offset : {0ULL, 10ULL, 4999ULL, 6000ULL, ~0ULL}) {
            if (item.name.empty() || item.name.back() == '/') continue;
            Buffer part;
            const auto found = GetRange(store, item.name, offset, 100, part);
            ASSERT_TRUE(Succeeds(found));
            const std::size_t from =
                static_cast<std::size_t>(std::min<std::uint64_t>(offset, item.contents.size()));
            EXPECT_EQ(std::as_const(part).span().text(), item.contents.substr(from, 100));
        }
}

TEST(ZipStore, ReadsOnlyValuesWithinTheLimit) {
    const auto archive = OpenArchive(BuildZip({{"a", std::string(100, 'a'), true}}));
    ASSERT_TRUE(Succeeds(archive));
    Buffer value;
    const auto refused = ZipStore(*archive, "").Get("a", value, 99);
    EXPECT_EQ(refused.status().code(), StatusCode::kLimit);
    EXPECT_TRUE(Succeeds(ZipStore(*archive, "").Get("a", value, 100)));
}

TEST(ZipStore, TakesFewReadsOfARemoteFile) {
    std::vector<ZipItem> items{{".zgroup", kGroupDocument}};
    for (int i = 0; i < 5000; ++i) items.push_back({"dem/" + std::to_string(i), "values", true});
    int reads = 0;
    const auto archive = OpenArchive(BuildZip(items), true, &reads);
    ASSERT_TRUE(Succeeds(archive));
    EXPECT_LE(reads, 3);
    const ZipStore store(*archive, "");
    reads = 0;
    EXPECT_EQ(Value(store, "dem/77"), "values");
    EXPECT_EQ(reads, 1);
    EXPECT_EQ(Value(store, "dem/5000"), "(none)");
    EXPECT_EQ(Names(store, ""), ".zgroup dem/ ");
    EXPECT_EQ(reads, 1);
    EXPECT_GT(store.Traits().concurrent_reads, 1U);
}

TEST(ZipStore, ReadsMembersThatLieTogetherInOneRead) {
    Random random(12);
    std::vector<ZipItem> items = {{".zgroup", kGroupDocument}};
    std::vector<std::string> keys;
    for (int i = 0; i < 50; ++i) {
        keys.push_back("dem/" + std::to_string(i));
        items.push_back({keys.back(), random.Bytes(static_cast<std::size_t>(37 * i)), i % 3 == 0});
    }
    keys.emplace_back("dem/none");
    int reads = 0;
    const auto archive = OpenArchive(BuildZip(items), true, &reads);
    ASSERT_TRUE(Succeeds(archive));
    const ZipStore store(*archive, "");
    ASSERT_TRUE(store.Traits().packed);
    const auto read = [&](const ReadManyOptions& options) {
        std::vector<std::string> values(keys.size(), "not taken");
        reads = 0;
        const Status status =
            store.GetMany(keys, options, [&](std::size_t i, const auto& bytes) -> Status {
                values[i] = bytes ? std::string(bytes->text()) : "absent";
                return {};
            });
        EXPECT_TRUE(Succeeds(status));
        return values;
    };
    ReadManyOptions options;
    options.limit = 37 * 50;
    const std::vector<std::string> values = read(options);
    EXPECT_EQ(reads, 1);
    for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(values[i], items[i + 1].contents) << i;
    EXPECT_EQ(values[50], "absent");
    // The gate admits less than a single member, so threads must read members one at a time.
    ByteGate gate(1);
    options.gate = &gate;
    options.requests = options.threads = 4;
    EXPECT_EQ(read(options), values);
    options.limit = 100;
    const auto ignore = [](std::size_t, const auto&) { return Status(); };
    EXPECT_TRUE(Fails(store.GetMany(keys, options, ignore), StatusCode::kLimit, "dem/3: "));
}

TEST(ZipStore, FindsContentsBehindALongerLocalHeader) {
    ZipItem item{"a", "contents"};
    item.local_extra = Little(0x5455, 2) + Little(60, 2) + std::string(60, 'x');
    for (const bool is_remote : {false, true}) {
        const auto archive = OpenArchive(BuildZip({item}), is_remote);
        ASSERT_TRUE(Succeeds(archive));
        EXPECT_EQ(Value(ZipStore(*archive, ""), "a"), "contents");
    }
}

TEST(ZipStore, UsesTheLastMemberOfAName) {
    const auto archive = OpenArchive(BuildZip({{"a", "old"}, {"b", "b"}, {"a", "new"}}));
    ASSERT_TRUE(Succeeds(archive));
    EXPECT_EQ(Value(ZipStore(*archive, ""), "a"), "new");
    EXPECT_EQ(Names(ZipStore(*archive, ""), ""), "a b ");
}

TEST(ZipStore, IgnoresNamesThatLeadOutside) {
    const auto archive = OpenArchive(BuildZip({{"../a", "1"},
                                               {"x/../b", "2"},
                                               {"/c", "3"},
                                               {"d\\e", "4"},
                                               {"./f", "5"},
                                               {".zgroup", kGroupDocument}}));
    ASSERT_TRUE(Succeeds(archive));
    const ZipStore store(*archive, "");
    EXPECT_EQ(Names(store, ""), ".zgroup c d/ ");
    EXPECT_EQ(Value(store, "d/e"), "4");
    Buffer value;
    EXPECT_FALSE(store.Get("../a", value, kNoLimit).ok());
}

TEST(ZipStore, IsAtTheRootOrInTheOnlyFolder) {
    const auto root = [](const std::vector<ZipItem>& items) {
        const auto archive = OpenArchive(BuildZip(items));
        return archive.ok() ? (*archive)->FindRoot(HoldsStore(**archive)) : "error";
    };
    EXPECT_EQ(root({{".zgroup", kGroupDocument}, {"a/.zgroup", kGroupDocument}}), "");
    EXPECT_EQ(root({{"x.zarr/.zgroup", kGroupDocument}}), "x.zarr");
    EXPECT_EQ(
        root({{"x.zarr/.zmetadata", "{}"}, {"__MACOSX/x.zarr/._.zgroup", ""}, {".DS_Store", ""}}),
        "x.zarr");
    EXPECT_EQ(root({{"a/.zgroup", kGroupDocument}, {"b/.zgroup", kGroupDocument}}), "");
    EXPECT_EQ(root({{"a/.zgroup", kGroupDocument}, {"letter.txt", "precious"}}), "");
    EXPECT_EQ(root({{"a/b/.zgroup", kGroupDocument}}), "");
    EXPECT_EQ(root({}), "");
    const auto archive =
        OpenArchive(BuildZip({{"x.zarr/.zgroup", kGroupDocument}, {"x.zarr/a/0", "0"}}));
    ASSERT_TRUE(Succeeds(archive));
    const ZipStore store(*archive, "x.zarr");
    EXPECT_EQ(Names(store, ""), ".zgroup a/ ");
    EXPECT_EQ(Names(store, "a"), "0 ");
    EXPECT_EQ(Value(store, "a/0"), "0");
}

std::string FailureOf(const ZipItem& item) {
    const auto archive = OpenArchive(BuildZip({item}));
    EXPECT_TRUE(Succeeds(archive));
    if (!archive.ok()) return "";
    Buffer value;
    const auto found = ZipStore(*archive, "").Get(item.name, value, kNoLimit);
    EXPECT_FALSE(found.ok());
    return found.status().message();
}

TEST(ZipStore, ErrorsNameTheMemberAndTheFault) {
    ZipItem item{"a/0", std::string(1000, 'a')};
    item.method = 93;
    EXPECT_EQ(FailureOf(item).substr(0, 24), "a/0: compression method ");
    item.method = 0xffff;
    item.flags = 1;
    EXPECT_NE(FailureOf(item).find("encrypted"), std::string::npos);
    item.flags = 0;
    item.claimed_size = 2000;
    EXPECT_NE(FailureOf(item).find("1000 stored bytes cannot decode to 2000"), std::string::npos);
    item.deflate = true;
    EXPECT_NE(FailureOf(item).find("does not inflate"), std::string::npos);
    item.claimed_size = std::uint64_t{1} << 31;
    EXPECT_NE(FailureOf(item).find("stored bytes cannot decode to"), std::string::npos);
}

TEST(ZipStore, NoticesChangedContents) {
    std::string bytes = BuildZip({{"a", std::string(1000, 'a')}});
    bytes[500] ^= 1;
    const auto archive = OpenArchive(bytes);
    ASSERT_TRUE(Succeeds(archive));
    Buffer value;
    const auto found = ZipStore(*archive, "").Get("a", value, kNoLimit);
    ASSERT_FALSE(found.ok());
    EXPECT_NE(found.status().message().find("checksum"), std::string::npos);
}

TEST(ZipStore, RefusesTruncatedFiles) {
    for (const bool zip64 : {false, true}) {
        const std::string bytes =
            BuildZip({{".zgroup", kGroupDocument}, {"a/0", "0"}}, {zip64, "", ""});
        for (std::size_t size = 0; size < bytes.size(); ++size)
            EXPECT_FALSE(OpenArchive(bytes.substr(0, size)).ok()) << size;
    }
}

// Opening, listing or reading a damaged archive may fail, but must not access invalid memory, which
// sanitizers would report.
TEST(ZipStore, SurvivesAnyDamagedByte) {
    Random random(7);
    for (const bool zip64 : {false, true}) {
        const std::string good = BuildZip(
            {{".zgroup", kGroupDocument}, {"a/0", std::string(300, '0'), true}, {"b", "b"}},
            {zip64, "", "c"});
        for (int i = 0; i < 4000; ++i) {
            std::string bytes = good;
            for (int change = 0; change <= i % 3; ++change)
                bytes[random.Below(bytes.size())] = random.Bytes(1)[0];
            const auto archive = OpenArchive(bytes, i % 2 == 0);
            if (!archive.ok()) continue;
            const ZipStore store(*archive, (*archive)->FindRoot(HoldsStore(**archive)));
            ASSERT_TRUE(store.List("").ok());
            Buffer value;
            for (const char* key : {".zgroup", "a/0", "b"}) {
                static_cast<void>(store.Get(key, value, 1 << 20));
                static_cast<void>(GetRange(store, key, 5, 20, value));
            }
        }
    }
}

}  // namespace
}  // namespace zarr::test
