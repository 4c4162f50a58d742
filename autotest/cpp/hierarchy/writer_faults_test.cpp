// SPDX-License-Identifier: MIT
// Tests every operation of HierarchyWriter with store faults. Each call to the store fails once.
#include <functional>
#include <map>

#include "autotest/cpp/hierarchy/faulty_store.h"
#include "autotest/cpp/hierarchy/trees.h"
#include "core/hierarchy/hierarchy_writer.h"
#include "core/hierarchy/tree.h"
#include "core/metadata/v2_metadata.h"
#include "core/store/keys.h"

namespace zarr::test {
namespace {

using Operation = std::function<Status(HierarchyWriter&)>;
using Contents = std::map<std::string, std::string>;

// Returns attributes that name the chunks of an array, so that a test notices a lost chunk.
json::Object Naming(const std::string& chunks) { return {{"chunks", Json(chunks)}}; }

std::shared_ptr<MemoryStore> Sample() {
    const auto naming = [](const char* chunks) { return json::Dump(json::Value(Naming(chunks))); };
    auto store = StoreOf({{".zgroup", kGroupText},
                          {"a/.zgroup", kGroupText},
                          {"a/x/.zarray", ArrayText("[2, 2]")},
                          {"a/x/.zattrs", naming(R"(["0.0", "0.1"])")},
                          {"a/x/0.0", "chunk"},
                          {"a/x/0.1", "chunk"},
                          {"a/b/.zgroup", kGroupText},
                          {"a/b/y/.zarray", ArrayText("[2, 2]")},
                          {"a/b/y/.zattrs", naming(R"(["0/0"])")},
                          {"a/b/y/0/0", "chunk"}});
    for (const char* group : {"", "a"}) {
        const auto text = ConsolidatedText(*store, group);
        EXPECT_TRUE(Succeeds(text));
        EXPECT_TRUE(Succeeds(store->Set(JoinKey(group, ".zmetadata"), ByteSpan(*text))));
    }
    return store;
}

void Collect(const Store& store, const std::string& prefix, Contents& contents) {
    const auto entries = store.List(prefix);
    ASSERT_TRUE(Succeeds(entries));
    for (const StoreEntry& entry : *entries) {
        const std::string key = JoinKey(prefix, entry.name);
        if (entry.is_prefix) {
            Collect(store, key, contents);
        } else {
            Buffer value;
            ASSERT_TRUE(*store.Get(key, value, kNoLimit));
            contents[key] = TextOf(value);
        }
    }
}

Contents All(const Store& store) {
    Contents contents;
    Collect(store, "", contents);
    return contents;
}

void ExpectChunks(const Contents& contents, const std::string& path) {
    const auto attributes = contents.find(JoinKey(path, ".zattrs"));
    ASSERT_NE(attributes, contents.end()) << path;
    const json::Value names = Json(attributes->second);
    ASSERT_NE(names.Find("chunks"), nullptr) << path;
    for (const json::Value& chunk : *names.Find("chunks")->as_array())
        EXPECT_EQ(contents.count(JoinKey(path, *chunk.as_string())), 1U) << path;
}

// Every array must have its document and all its chunks. Consolidated metadata must match the
// store.
void ExpectWhole(const std::shared_ptr<MemoryStore>& store) {
    ASSERT_NE(Tree(store), nullptr);
    const Contents contents = All(*store);
    for (const auto& [key, text] : contents) {
        const std::string path(ParentPath(key));
        if (LastName(key) == ".zmetadata") {
            EXPECT_EQ(text, *ConsolidatedText(*store, path));
        } else if (LastName(key) == ".zarray") {
            EXPECT_TRUE(Succeeds(ParseArrayMetadata(text))) << key;
            ExpectChunks(contents, path);
        }
    }
}

void ExpectGood(const Status& status) { EXPECT_TRUE(Succeeds(status)); }

struct Case {
    const char* name;
    Operation run;
    // Completes the operation after a failure.
    std::function<Status(HierarchyWriter&, const Store&)> repeat;
};

// Runs the operation `tried`; store call number `n` fails. Returns false if the operation makes
// fewer calls.
bool FailsAt(std::size_t n, bool all_later, const Case& tried, const Contents& expected) {
    SCOPED_TRACE(std::string(tried.name) + ", call " + std::to_string(n));
    const auto base = Sample();
    const auto store = std::make_shared<FaultyStore>(base);
    HierarchyWriter writer(store);
    store->FailAt(n, all_later);
    Status status = tried.run(writer);
    if (status.ok()) status = writer.Finish();
    store->FailAt(0, false);
    ExpectWhole(base);
    if (status.ok()) return false;
    EXPECT_TRUE(Fails(status, StatusCode::kIo, "injected fault"));
    ExpectGood(tried.repeat(writer, *base));
    ExpectWhole(base);
    ExpectGood(writer.Finish());
    ExpectWhole(base);
    EXPECT_EQ(All(*base), expected);
    return true;
}

std::function<Status(HierarchyWriter&, const Store&)> Again(Operation run) {
    return [run = std::move(run)](HierarchyWriter& w, const Store&) { return run(w); };
}

Status UnlessGone(const Status& status) {
    return status.code() == StatusCode::kNotFound ? Status() : status;
}

void TryEveryFault(const Case& tried) {
    const auto base = Sample();
    HierarchyWriter writer(base);
    ExpectGood(tried.run(writer));
    ExpectGood(writer.Finish());
    const Contents expected = All(*base);
    EXPECT_EQ(expected.count(".zmetadata"), 1U);
    for (const bool all_later : {false, true}) {
        std::size_t n = 1;
        while (FailsAt(n, all_later, tried, expected) && !testing::Test::HasFailure()) ++n;
        EXPECT_GT(n, 3U) << "there were calls to fail";
    }
}

TEST(HierarchyWriterFaults, CreateGroup) {
    const Operation run = [](HierarchyWriter& w) { return w.CreateGroup("c/d/e"); };
    TryEveryFault({"CreateGroup", run, Again(run)});
}

TEST(HierarchyWriterFaults, CreateArray) {
    const Operation run = [](HierarchyWriter& w) {
        return w.CreateArray("c/z", MetadataOf(ArrayText("[3]")), Naming("[]"));
    };
    TryEveryFault({"CreateArray", run, [run](HierarchyWriter& w, const Store&) {
                       // If only Finish() failed, the first CreateArray() has created the array.
                       // The second CreateArray() then reports an invalid argument.
                       const Status status = run(w);
                       return status.code() == StatusCode::kInvalidArgument ? Status() : status;
                   }});
}

TEST(HierarchyWriterFaults, ReplaceByArray) {
    for (const char* path : {"a/x", "a/b/y", "a/b"}) {
        const Operation run = [path](HierarchyWriter& w) {
            return w.CreateArray(path, MetadataOf(ArrayText("[3]")), Naming("[]"),
                                 IfExists::kReplace);
        };
        TryEveryFault({path, run, Again(run)});
    }
}

TEST(HierarchyWriterFaults, SetAttributes) {
    const Operation set = [](HierarchyWriter& w) {
        return w.SetAttributes("a/b/y", json::Value(Naming("[]")));
    };
    TryEveryFault({"SetAttributes", set, Again(set)});
}

TEST(HierarchyWriterFaults, ReplaceMetadata) {
    const Operation run = [](HierarchyWriter& w) {
        return w.ReplaceMetadata("a/x", MetadataOf(ArrayText("[5, 5]")));
    };
    TryEveryFault({"ReplaceMetadata", run, Again(run)});
}

TEST(HierarchyWriterFaults, DeleteNode) {
    for (const char* path : {"a", "a/x", "a/b", "a/b/y"}) {
        const Operation run = [path](HierarchyWriter& w) { return w.DeleteNode(path); };
        TryEveryFault(
            {path, run, [run](HierarchyWriter& w, const Store&) { return UnlessGone(run(w)); }});
    }
}

TEST(HierarchyWriterFaults, RenameNode) {
    for (const std::string path : {"a", "a/x", "a/b"}) {
        const std::string target = JoinKey(ParentPath(path), "n");
        const Operation run = [path](HierarchyWriter& w) { return w.RenameNode(path, "n"); };
        Contents original;
        Collect(*Sample(), path, original);
        // RenameNode() copies the node and then deletes the original. `repeat` deletes the rest of
        // a partly deleted original. Otherwise it deletes the incomplete copy and renames again.
        const auto repeat = [=](HierarchyWriter& w, const Store& store) -> Status {
            Contents left;
            Collect(store, path, left);
            if (left != original) return UnlessGone(w.DeleteNode(path));
            ZARR_RETURN_IF_ERROR(UnlessGone(w.DeleteNode(target)));
            return run(w);
        };
        TryEveryFault({path.c_str(), run, repeat});
    }
}

}  // namespace
}  // namespace zarr::test
