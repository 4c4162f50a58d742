// SPDX-License-Identifier: MIT
#include "autotest/cpp/store/store_contract.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "autotest/cpp/support/checks.h"
#include "autotest/cpp/support/store_reads.h"
#include "core/store/keys.h"

namespace zarr::test {
namespace {

constexpr std::string_view kGroup = R"({"zarr_format": 2})";

std::vector<std::string> KeysAgainstTheRules() {
    using namespace std::string_literals;
    return {"",       "/",   "/depth", "depth/",
            "a//b",   ".",   "..",     "../x",
            "a/../b", "a/.", "./a",    "a\\b",
            "a\0b"s,  "\0"s, "..\\x",  std::string(kMaxKeyLength + 1, 'k')};
}

// Returns the names of the entries. A "/" follows the name of a prefix.
std::vector<std::string> Names(const Result<std::vector<StoreEntry>>& entries) {
    EXPECT_TRUE(Succeeds(entries));
    std::vector<std::string> names;
    if (entries.ok())
        for (const StoreEntry& entry : *entries)
            names.push_back(entry.name + (entry.is_prefix ? "/" : ""));
    return names;
}

using StringList = std::vector<std::string>;

TEST_P(StoreContract, GetsTheWholeValue) {
    Random random(3);
    const std::string bytes = random.Bytes(70000);
    under_test_->Put("depth/0.0", bytes);
    under_test_->Put("depth/0.1", "");
    Buffer value = BufferOf("something that was there before");
    auto found = under_test_->store().Get("depth/0.0", value, kNoLimit);
    ASSERT_TRUE(Succeeds(found));
    EXPECT_TRUE(*found);
    EXPECT_EQ(TextOf(value), bytes);
    found = under_test_->store().Get("depth/0.1", value, 0);
    ASSERT_TRUE(Succeeds(found));
    EXPECT_TRUE(*found);
    EXPECT_EQ(value.size(), 0U);
    EXPECT_FALSE(under_test_->store().Describe().empty());
}

TEST_P(StoreContract, GetsValuesWithTheirVersions) {
    under_test_->Put("depth/0.0", "bytes");
    const Store& store = under_test_->store();
    for (const char* key : {"depth/0.0", "depth/0.1"}) {
        const bool is_there = key == std::string("depth/0.0");
        Buffer value;
        ObjectVersion version;
        version.size = 77;
        const auto found = GetVersioned(store, key, value, version);
        ASSERT_TRUE(Succeeds(found));
        EXPECT_EQ(*found, is_there);
        if (is_there) {
            EXPECT_EQ(TextOf(value), "bytes");
        }
        EXPECT_TRUE(EqualButForCertainty(version, store.VersionOf(key))) << key;
    }
}

TEST_P(StoreContract, ReadsMetadataInEveryWay) {
    under_test_->Put("depth/.zattrs", kGroup);
    const Store& store = under_test_->store();
    Buffer value;
    ASSERT_TRUE(*store.Get("depth/.zattrs", value, kNoLimit));
    EXPECT_EQ(TextOf(value), kGroup);
    std::string memory(kGroup.size(), '\0');
    const auto size = GetInto(store, "depth/.zattrs",
                              {reinterpret_cast<std::uint8_t*>(memory.data()), memory.size()});
    ASSERT_TRUE(Succeeds(size));
    EXPECT_EQ(*size, kGroup.size());
    EXPECT_EQ(memory, kGroup);
    ASSERT_TRUE(*GetRange(store, "depth/.zattrs", 2, 11, value));
    EXPECT_EQ(TextOf(value), "zarr_format");
}

TEST_P(StoreContract, ReportsAbsentKeys) {
    under_test_->Put("depth/0.0", "data");
    const Store& store = under_test_->store();
    for (const char* key : {"depth/0.1", "nothing/here/at/all", "depth/0.0/deeper", "depth/.zarray",
                            "depth/0", ".zgroup"}) {
        Buffer value;
        const auto got = store.Get(key, value, kNoLimit);
        ASSERT_TRUE(Succeeds(got)) << key;
        EXPECT_FALSE(*got) << key;
        std::uint8_t memory[4];
        const auto size = GetInto(store, key, {memory, 4});
        ASSERT_TRUE(Succeeds(size)) << key;
        EXPECT_EQ(*size, std::nullopt) << key;
        const auto range = GetRange(store, key, 0, 4, value);
        ASSERT_TRUE(Succeeds(range)) << key;
        EXPECT_FALSE(*range) << key;
        const auto tail = GetTail(store, key, 4, value);
        ASSERT_TRUE(Succeeds(tail)) << key;
        EXPECT_EQ(*tail, std::nullopt) << key;
    }
}

TEST_P(StoreContract, GetsManyAsOneAfterAnother) {
    Random random(5);
    const std::string bytes = random.Bytes(3000);
    under_test_->Put("depth/0.0", bytes);
    under_test_->Put("depth/0.1", "");
    under_test_->Put("depth/.zattrs", kGroup);
    const Store& store = under_test_->store();
    const std::vector<std::string> keys = {"depth/0.1", "depth/0.0", "depth/.zattrs", "depth/0.2",
                                           "depth/.zarray"};
    ReadManyOptions options;
    options.limit = bytes.size();
    options.requests = 2;
    std::vector<std::optional<std::string>> values(keys.size(), "not taken");
    const auto take = [&](std::size_t i, const std::optional<ByteSpan>& value) -> Status {
        values[i] = value ? std::optional(std::string(value->text())) : std::nullopt;
        return {};
    };
    ASSERT_TRUE(Succeeds(store.GetMany(keys, options, take)));
    const std::vector<std::optional<std::string>> expected = {"", bytes, std::string(kGroup),
                                                              std::nullopt, std::nullopt};
    EXPECT_EQ(values, expected);
    options.limit = bytes.size() - 1;
    EXPECT_TRUE(
        Fails(store.GetMany({"depth/0.0"}, options, take), StatusCode::kLimit, "depth/0.0: "));
    const auto refuse = [](std::size_t, const auto&) { return Status::Io("not wanted"); };
    EXPECT_TRUE(
        Fails(store.GetMany({"depth/0.1"}, options, refuse), StatusCode::kIo, "not wanted"));
}

TEST_P(StoreContract, GetsIntoMemoryOfTheRightSize) {
    under_test_->Put("depth/0.0", "12345678");
    under_test_->Put("depth/empty", "");
    const Store& store = under_test_->store();
    for (const std::size_t size : {0U, 1U, 7U, 8U, 9U, 100U}) {
        // The memory has exactly `size` bytes, so that a sanitizer notices a write past its end.
        std::vector<std::uint8_t> memory(size);
        const auto got = GetInto(store, "depth/0.0", {memory.data(), size});
        ASSERT_TRUE(Succeeds(got));
        EXPECT_EQ(*got, 8U);
        if (size == 8) {
            EXPECT_EQ(std::memcmp(memory.data(), "12345678", 8), 0);
        }
    }
    EXPECT_EQ(*GetInto(store, "depth/empty", {}), 0U);
}

TEST_P(StoreContract, GetsRanges) {
    under_test_->Put("depth/0.0", "0123456789");
    const Store& store = under_test_->store();
    const auto range = [&](std::uint64_t offset, std::size_t length) {
        Buffer value = BufferOf("before");
        const auto found = GetRange(store, "depth/0.0", offset, length, value);
        EXPECT_TRUE(Succeeds(found));
        EXPECT_TRUE(*found);
        return TextOf(value);
    };
    EXPECT_EQ(range(0, 10), "0123456789");
    EXPECT_EQ(range(3, 4), "3456");
    EXPECT_EQ(range(0, 0), "");
    EXPECT_EQ(range(8, 5), "89");
    EXPECT_EQ(range(10, 1), "");
    EXPECT_EQ(range(11, 1), "");
    EXPECT_EQ(range(4, SIZE_MAX), "456789");
    EXPECT_EQ(range(UINT64_MAX, 5), "");
    EXPECT_EQ(range(UINT64_MAX, SIZE_MAX), "");
}

TEST_P(StoreContract, GetsTheEndAndTheSize) {
    under_test_->Put("depth/.zattrs", kGroup);
    under_test_->Put("depth/0.0", "0123456789");
    under_test_->Put("depth/empty", "");
    const Store& store = under_test_->store();
    const auto tail = [&](const char* key, std::size_t length, std::uint64_t expected_size) {
        Buffer value = BufferOf("before");
        const auto size = GetTail(store, key, length, value);
        EXPECT_TRUE(Succeeds(size));
        EXPECT_EQ(*size, expected_size);
        return TextOf(value);
    };
    EXPECT_EQ(tail("depth/0.0", 3, 10), "789");
    EXPECT_EQ(tail("depth/0.0", 10, 10), "0123456789");
    EXPECT_EQ(tail("depth/0.0", 11, 10), "0123456789");
    EXPECT_EQ(tail("depth/0.0", SIZE_MAX, 10), "0123456789");
    EXPECT_EQ(tail("depth/0.0", 0, 10), "");
    EXPECT_EQ(tail("depth/empty", 5, 0), "");
    EXPECT_EQ(tail("depth/.zattrs", 1, kGroup.size()), kGroup.substr(kGroup.size() - 1));
}

TEST_P(StoreContract, RefusesValuesOverTheLimit) {
    under_test_->Put("depth/0.0", "12345678");
    under_test_->Put("depth/.zarray", kGroup);
    const Store& store = under_test_->store();
    Buffer value;
    EXPECT_TRUE(Succeeds(store.Get("depth/0.0", value, 8)));
    const auto got = store.Get("depth/0.0", value, 7);
    EXPECT_TRUE(Fails(got, StatusCode::kLimit, "size of 8 bytes exceeds the maximum of 7"));
    EXPECT_EQ(got.status().message().rfind("depth/0.0: ", 0), 0U) << "starts with the key";
    EXPECT_TRUE(Fails(store.Get("depth/.zarray", value, 3), StatusCode::kLimit, "depth/.zarray: "));
    EXPECT_FALSE(*store.Get("absent/0", value, 0));
}

TEST_P(StoreContract, ListsDirectChildrenByName) {
    under_test_->Put(".zgroup", kGroup);
    under_test_->Put("rivers/.zgroup", kGroup);
    under_test_->Put("rivers/depth/.zarray", kGroup);
    under_test_->Put("rivers/depth/.zattrs", kGroup);
    under_test_->Put("rivers/depth/0.0", "x");
    under_test_->Put("rivers/depth/nested/1/0", "x");
    under_test_->Put("rivers.old/.zgroup", kGroup);  // sorts between "rivers" and "rivers/"
    under_test_->Put("rivers0/.zgroup", kGroup);
    const Store& store = under_test_->store();
    EXPECT_EQ(Names(store.List("")), (StringList{".zgroup", "rivers/", "rivers.old/", "rivers0/"}));
    EXPECT_EQ(Names(store.List("rivers")), (StringList{".zgroup", "depth/"}));
    StringList in_depth{".zarray", ".zattrs"};
    if (under_test_->lists_chunks()) in_depth.insert(in_depth.end(), {"0.0", "nested/"});
    EXPECT_EQ(Names(store.List("rivers/depth")), in_depth);
    for (const char* nothing : {"river", "absent", "rivers/depth/.zarray", "rivers/absent/deeper"})
        EXPECT_EQ(Names(store.List(nothing)), StringList()) << nothing;
}

TEST_P(StoreContract, VisitsEveryKeyBelowAPrefix) {
    for (const char* key : {".zgroup", "rivers/depth/.zarray", "rivers/depth/0.0",
                            "rivers/depth/1/2/3", "rivers.old/7"})
        under_test_->Put(key, kGroup);
    const auto chunks_below = [&](const std::string& prefix) {
        StringList keys;
        const auto visit = [&](std::string_view key, const std::optional<ObjectVersion>& version) {
            // Metadata keys are left out, because some stores hold metadata in another place.
            if (LastName(key)[0] == '.') return;
            keys.emplace_back(key);
            if (!version) return;  // the store does not report the size
            Buffer value;
            const std::string whole = JoinKey(prefix, key);
            EXPECT_TRUE(Succeeds(under_test_->store().Get(whole, value, kNoLimit)));
            EXPECT_EQ(version->size, value.size()) << whole;
        };
        EXPECT_TRUE(Succeeds(under_test_->store().ForEachKey(prefix, visit, {})));
        std::sort(keys.begin(), keys.end());
        return keys;
    };
    EXPECT_EQ(chunks_below("rivers/depth"), (StringList{"0.0", "1/2/3"}));
    EXPECT_EQ(chunks_below("rivers.old"), (StringList{"7"}));
    EXPECT_EQ(chunks_below(""),
              (StringList{"rivers.old/7", "rivers/depth/0.0", "rivers/depth/1/2/3"}));
    EXPECT_EQ(chunks_below("lakes"), StringList());
}

TEST_P(StoreContract, ListsAnEmptyStore) {
    EXPECT_EQ(Names(under_test_->store().List("")), StringList());
}

TEST_P(StoreContract, GivesNoValueToAPrefix) {
    under_test_->Put("depth/0/1", "x");
    Buffer value;
    // Reading a prefix, such as a folder, must find no value. An error is also allowed.
    const auto got = under_test_->store().Get("depth/0", value, kNoLimit);
    EXPECT_FALSE(got.ok() && *got);
    const auto size = GetInto(under_test_->store(), "depth/0", {});
    EXPECT_FALSE(size.ok() && size->has_value());
    const auto range = GetRange(under_test_->store(), "depth/0", 0, 0, value);
    EXPECT_FALSE(range.ok() && *range);
}

TEST_P(StoreContract, ReadsNothingByInvalidKeys) {
    under_test_->Put("a/b", "x");
    under_test_->Put("a/.zgroup", kGroup);
    under_test_->Put("depth", "x");
    const Store& store = under_test_->store();
    for (const std::string& key : KeysAgainstTheRules()) {
        Buffer value;
        const auto got = store.Get(key, value, kNoLimit);
        EXPECT_FALSE(got.ok() && *got) << key;
        const auto size = GetInto(store, key, {});
        EXPECT_FALSE(size.ok() && size->has_value()) << key;
        const auto range = GetRange(store, key, 0, 1, value);
        EXPECT_FALSE(range.ok() && *range) << key;
        const auto entries = store.List(key);
        EXPECT_TRUE(key.empty() || !entries.ok() || entries->empty()) << key;
    }
}

TEST_P(StoreContract, WritesAndErases) {
    under_test_->Put("depth/0.0", "old");
    const Store& store = under_test_->store();
    Store* writable = under_test_->writable();
    Buffer value;
    if (writable == nullptr) {
        under_test_->Put("depth/0.1", "kept");
        Store& read_only = const_cast<Store&>(store);
        EXPECT_TRUE(Fails(read_only.Set("depth/0.0", {}), StatusCode::kUnsupported, "depth/0.0: "));
        EXPECT_TRUE(Fails(read_only.Erase("depth/0.0"), StatusCode::kUnsupported, "read-only"));
        EXPECT_TRUE(*store.Get("depth/0.0", value, kNoLimit));
        return;
    }
    const auto set = [&](const char* key, std::string_view text) {
        ASSERT_TRUE(Succeeds(writable->Set(key, ByteSpan(text)))) << key;
        ASSERT_TRUE(*store.Get(key, value, kNoLimit)) << key;
        EXPECT_EQ(TextOf(value), text);
    };
    set("depth/0.0", "a longer new value");
    set("depth/0.0", "short");
    set("depth/0.0", "");
    set("new/and/deep/.zgroup", "{}");
    set("gr\xc3\xbcn/0", "x");
    EXPECT_TRUE(Succeeds(writable->Erase("depth/0.0")));
    EXPECT_FALSE(*store.Get("depth/0.0", value, kNoLimit));
    EXPECT_TRUE(Succeeds(writable->Erase("depth/0.0"))) << "absent already";
    EXPECT_TRUE(Succeeds(writable->Erase("never/was")));
    set("depth/0.0", "back");
    EXPECT_TRUE(Succeeds(writable->Erase("depth/0.0/below/a/value")));
    static_cast<void>(writable->Erase("new/and"));
    EXPECT_TRUE(*store.Get("new/and/deep/.zgroup", value, kNoLimit)) << "no key, nothing erased";
}

TEST_P(StoreContract, WritesValuesGivenInParts) {
    Store* writable = under_test_->writable();
    if (writable == nullptr) return;  // read-only: another test checks that Set() fails
    Random random(7);
    const std::string large = random.Bytes(700000);
    const std::string small = random.Bytes(100000);
    const std::vector<StringList> values = {
        {},           {""},         {"one"},
        {"a", "b"},   {large},      {large, large},
        {large, "x"}, {"x", large}, {"", small, small, small, "", large, "x", "", "y", small, ""}};
    for (const StringList& parts : values) {
        std::vector<ByteSpan> spans;
        std::string whole;
        for (const std::string& part : parts) {
            spans.emplace_back(part);
            whole += part;
        }
        ASSERT_TRUE(Succeeds(writable->SetParts("depth/0.0", spans)));
        Buffer value;
        ASSERT_TRUE(*under_test_->store().Get("depth/0.0", value, kNoLimit));
        EXPECT_TRUE(TextOf(value) == whole) << parts.size();
    }
}

TEST_P(StoreContract, ErasesNoPrefixThatHoldsKeys) {
    Store* writable = under_test_->writable();
    if (writable == nullptr) return;  // a read-only store cannot erase
    under_test_->Put("a/b/c", "x");
    for (const char* prefix : {"a", "a/b", "a/b/c"}) {
        const auto is_gone = writable->ErasePrefix(prefix);
        EXPECT_TRUE(Succeeds(is_gone)) << prefix;
        EXPECT_FALSE(is_gone.ok() && *is_gone) << prefix;
    }
    Buffer value;
    EXPECT_TRUE(*writable->Get("a/b/c", value, kNoLimit));
    EXPECT_TRUE(Succeeds(writable->Erase("a/b/c")));
    for (const char* prefix : {"a/b", "a", "absent"})
        EXPECT_TRUE(Succeeds(writable->ErasePrefix(prefix))) << prefix;
    EXPECT_EQ(Names(writable->List("")), StringList());
}

TEST_P(StoreContract, RenamesAWholePrefixOrNothing) {
    Store* writable = under_test_->writable();
    if (writable == nullptr) return;
    under_test_->Put("a/b/c", "x");
    under_test_->Put("a/d", "y");
    under_test_->Put("ab/e", "z");
    const auto is_done = writable->RenamePrefix("a", "n/m");
    ASSERT_TRUE(Succeeds(is_done));
    const std::string now = *is_done ? "n/m" : "a";
    Buffer value;
    EXPECT_TRUE(*writable->Get(now + "/b/c", value, kNoLimit));
    EXPECT_TRUE(*writable->Get(now + "/d", value, kNoLimit));
    EXPECT_EQ(TextOf(value), "y");
    EXPECT_EQ(Names(writable->List("")),
              *is_done ? (StringList{"ab/", "n/"}) : (StringList{"a/", "ab/"}));
    if (!*is_done) return;
    EXPECT_TRUE(Fails(writable->RenamePrefix("ab", "n/m"), StatusCode::kInvalidArgument,
                      "n/m: already exists"));
    EXPECT_FALSE(writable->RenamePrefix("absent", "new").ok());
}

TEST_P(StoreContract, WritesNothingByInvalidKeys) {
    Store* writable = under_test_->writable();
    if (writable == nullptr) return;  // read-only: another test checks that keys are refused
    for (const std::string& key : KeysAgainstTheRules()) {
        EXPECT_TRUE(Fails(writable->Set(key, ByteSpan(std::string_view("x"))),
                          StatusCode::kInvalidArgument, "not a valid key"));
        EXPECT_TRUE(Fails(writable->Erase(key), StatusCode::kInvalidArgument, "not a valid key"));
    }
    EXPECT_EQ(Names(writable->List("")), StringList());
}

}  // namespace
}  // namespace zarr::test
