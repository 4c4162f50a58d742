// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <zstd.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "autotest/cpp/support/flat_writer.h"
#include "autotest/cpp/support/project_file.h"
#include "autotest/cpp/support/scoped_limit.h"
#include "core/base/limits.h"
#include "core/references/icechunk_containers.h"
#include "core/references/icechunk_file.h"
#include "core/references/icechunk_manifest.h"
#include "core/references/icechunk_map.h"
#include "core/references/icechunk_repository.h"
#include "core/references/icechunk_snapshot.h"
#include "core/store/directory_store.h"
#include "core/store/memory_store.h"

namespace zarr {
namespace {

std::string Repository(const std::string& name) {
    return test::ProjectFile("data/icechunk/" + name + ".icechunk");
}

// Returns an Icechunk file: a header with `version` and `compression`, then the unchanged
// `payload`.
std::string IcechunkBytes(IcechunkFileType type, std::string_view payload, int version = 2,
                          int compression = 0) {
    std::string file(kIcechunkMagic);
    file += std::string("test                    ");
    file += static_cast<char>(version);
    file += static_cast<char>(type);
    file += static_cast<char>(compression);
    return file.append(payload);
}

std::string Decoded(std::string_view bytes, IcechunkFileType type = IcechunkFileType::kSnapshot) {
    const auto file = DecodeIcechunkFile(ByteSpan(bytes), type);
    return file.ok() ? std::string(file->payload.span().text()) : file.status().message();
}

TEST(IcechunkFile, ReadsTheEnvelope) {
    EXPECT_EQ(Decoded(IcechunkBytes(IcechunkFileType::kSnapshot, "payload")), "payload");
    std::string packed(100, '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), "payload", 7, 1));
    EXPECT_EQ(Decoded(IcechunkBytes(IcechunkFileType::kSnapshot, packed, 1, 1)), "payload");
    // Writers may compress the payload in several Zstandard frames; here there are two.
    EXPECT_EQ(Decoded(IcechunkBytes(IcechunkFileType::kSnapshot, packed + packed, 1, 1)),
              "payloadpayload");
}

TEST(IcechunkFile, RefusesOtherEnvelopes) {
    const auto type = IcechunkFileType::kSnapshot;
    EXPECT_EQ(Decoded(""), "not a file of Icechunk");
    EXPECT_EQ(Decoded(std::string(100, 'x')), "not a file of Icechunk");
    EXPECT_EQ(Decoded(IcechunkBytes(type, "").substr(0, 38)), "the header is truncated");
    EXPECT_EQ(Decoded(IcechunkBytes(type, "x", 3)), "version 3 of Icechunk is unsupported");
    EXPECT_EQ(Decoded(IcechunkBytes(type, "x", 0)), "version 0 of Icechunk is unsupported");
    EXPECT_EQ(Decoded(IcechunkBytes(type, "x", 2, 2)), "compression 2 of Icechunk is unsupported");
    EXPECT_EQ(Decoded(IcechunkBytes(type, "x"), IcechunkFileType::kManifest),
              "expected file type 2, got 1");
    EXPECT_EQ(Decoded(IcechunkBytes(type, "no frame", 2, 1)), "the payload is no Zstandard data");
}

TEST(IcechunkFile, RefusesTruncatedAndLargePayloads) {
    const std::string text(1000, 'a');
    std::string packed(2000, '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 1));
    const auto type = IcechunkFileType::kSnapshot;
    for (std::size_t size = 5; size < packed.size(); ++size)
        EXPECT_NE(Decoded(IcechunkBytes(type, packed.substr(0, size), 2, 1)), text) << size;
    const test::ScopedLimit limit(Limit::kManifestSize, 999);
    EXPECT_EQ(Decoded(IcechunkBytes(type, packed, 2, 1)),
              "the file has too many bytes; ZARR_MAX_MANIFEST_SIZE allows 999");
    EXPECT_EQ(Decoded(IcechunkBytes(type, text)),
              "the file has too many bytes; ZARR_MAX_MANIFEST_SIZE allows 999");
}

TEST(IcechunkFile, NamesObjectsInBase32) {
    // The Icechunk specification, "Snapshot files", has this name as an example.
    EXPECT_EQ(IcechunkObjectName(
                  ByteSpan(std::string_view("\x0b\x1c\xc8\xd6\x78\x75\x80\xf0\xe3\x3a\x65\x34"))),
              "1CECHNKREP0F1RSTCMT0");
    EXPECT_EQ(IcechunkObjectName(ByteSpan(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff"))),
              "ZZZZZZZZZZZZY");
}

// ------------------------------------------------------------------------------------------------
// Icechunk manifests

struct Ref {
    std::vector<std::uint32_t> index = {};
    std::string bytes = {};     // bytes of an inline chunk; empty for other chunks
    std::string chunk_id = {};  // id of a chunk file in the repository; empty for other chunks
    std::string location = {};
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    std::string etag = {};
    std::uint32_t modified = 0;
    std::string compressed = {};
};

std::string Manifest(const std::vector<Ref>& refs, const std::string& node = "node-id8",
                     const std::string& dictionary = {}) {
    FlatWriter out;
    const std::size_t root = out.Table({12, 4, dictionary.empty() ? 0U : 4U});
    out.Put(0, root, 4);
    if (!dictionary.empty()) out.String(out.Field(root, 2), dictionary);
    const std::size_t arrays = out.Offsets(out.Field(root, 1), 1);
    const std::size_t array = out.Table({8, 4});
    out.Put(arrays, array - arrays, 4);
    out.PutBytes(out.Field(array, 0), node);
    const std::size_t list = out.Offsets(out.Field(array, 1), refs.size());
    for (std::size_t i = 0; i < refs.size(); ++i) {
        const Ref& ref = refs[i];
        const auto text = [](const std::string& each) { return each.empty() ? 0U : 4U; };
        const std::size_t table =
            out.Table({4, text(ref.bytes), 8, 8, ref.chunk_id.empty() ? 0U : 12U,
                       text(ref.location), text(ref.etag), 4, text(ref.compressed)});
        out.Put(list + 4 * i, table - (list + 4 * i), 4);
        std::string index;
        for (const std::uint32_t each : ref.index)
            for (unsigned k = 0; k < 4; ++k) index += static_cast<char>((each >> (8 * k)) & 255U);
        out.Vector(out.Field(table, 0), ref.index.size(), index);
        if (!ref.bytes.empty()) out.String(out.Field(table, 1), ref.bytes);
        out.Put(out.Field(table, 2), ref.offset, 8);
        out.Put(out.Field(table, 3), ref.length, 8);
        if (!ref.chunk_id.empty()) out.PutBytes(out.Field(table, 4), ref.chunk_id);
        if (!ref.location.empty()) out.String(out.Field(table, 5), ref.location);
        if (!ref.etag.empty()) out.String(out.Field(table, 6), ref.etag);
        out.Put(out.Field(table, 7), ref.modified, 4);
        if (!ref.compressed.empty()) out.String(out.Field(table, 8), ref.compressed);
    }
    return out.bytes();
}

Result<std::shared_ptr<const IcechunkManifest>> ReadManifest(const std::string& payload) {
    MemoryStore store;
    const std::string file = IcechunkBytes(IcechunkFileType::kManifest, payload);
    EXPECT_TRUE(store.Set("manifests/M", ByteSpan(file)).ok());
    return IcechunkManifest::Read(store, "M");
}

std::string Shown(const Result<Reference>& found) {
    if (!found.ok()) return found.status().message();
    if (found->kind == Reference::Kind::kAbsent) return "absent";
    if (found->kind == Reference::Kind::kInline) return "inline " + found->bytes;
    std::string text = found->location + " " + std::to_string(found->offset) + " " +
                       (found->size ? std::to_string(*found->size) : "whole");
    if (!found->condition.etag.empty()) text += " etag " + found->condition.etag;
    if (found->condition.not_modified_after)
        text += " until " + std::to_string(*found->condition.not_modified_after);
    return text;
}

const ByteSpan kNode(std::string_view("node-id8"));

TEST(IcechunkManifest, ReadsAllKindsOfReferences) {
    const auto manifest = ReadManifest(Manifest({
        {{0, 0}, "bytes"},
        {{0, 1}, "", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "", 5, 7},
        {{1, 0}, "", "", "s3://b/k", 1, 2, "abc"},
        {{1, 4294967295}, "", "", "file:///f", 3, 4, "", 1700000000},
    }));
    ASSERT_TRUE(manifest.ok()) << manifest.status().message();
    EXPECT_EQ(Shown((*manifest)->Find(kNode, {0, 0})), "inline bytes");
    EXPECT_EQ(Shown((*manifest)->Find(kNode, {0, 1})), "chunks/ZZZZZZZZZZZZZZZZZZZG 5 7");
    EXPECT_EQ(Shown((*manifest)->Find(kNode, {1, 0})), "s3://b/k 1 2 etag abc");
    EXPECT_EQ(Shown((*manifest)->Find(kNode, {1, 4294967295})), "file:///f 3 4 until 1700000000");
    EXPECT_EQ(Shown((*manifest)->Find(kNode, {1, 1})), "absent");
    EXPECT_EQ(Shown((*manifest)->Find(kNode, {0})), "absent");
    EXPECT_EQ(Shown((*manifest)->Find(kNode, {})), "absent");
    EXPECT_EQ(Shown((*manifest)->Find(kNode, {1, 4294967296})), "absent");
    EXPECT_EQ(Shown((*manifest)->Find(ByteSpan(std::string_view("other-id")), {0, 0})), "absent");
}

TEST(IcechunkManifest, FindsReferencesInAnyOrder) {
    std::vector<Ref> refs;
    for (std::uint32_t i = 0; i < 100; ++i) refs.push_back({{(i * 37) % 100}, std::to_string(i)});
    const auto manifest = ReadManifest(Manifest(refs));
    ASSERT_TRUE(manifest.ok());
    for (std::uint32_t i = 0; i < 100; ++i)
        EXPECT_EQ(Shown((*manifest)->Find(kNode, {(i * 37) % 100})), "inline " + std::to_string(i));
    std::set<std::uint64_t> seen;
    ASSERT_TRUE(
        (*manifest)->ForEachChunk(kNode, [&](const auto& chunk) { seen.insert(chunk[0]); }).ok());
    EXPECT_EQ(seen.size(), 100U);
}

TEST(IcechunkManifest, RefusesReferencesOfSeveralKindsOrNone) {
    const auto manifest = ReadManifest(Manifest({{{0}}, {{1}, "bytes", "", "s3://b/k"}}));
    ASSERT_TRUE(manifest.ok());
    for (const std::uint64_t chunk : {0U, 1U})
        EXPECT_EQ(Shown((*manifest)->Find(kNode, {chunk})),
                  "expected either the bytes, the object or the location of a chunk");
}

TEST(IcechunkManifest, DecompressesLocations) {
    const std::string url = "s3://bucket/folder/file-0001.nc";
    std::string packed(200, '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), url.data(), url.size(), 1));
    const std::string dictionary = "s3://bucket/folder/file-";
    std::string with_dictionary(200, '\0');
    ZSTD_CCtx* const context = ZSTD_createCCtx();
    with_dictionary.resize(ZSTD_compress_usingDict(context, with_dictionary.data(),
                                                   with_dictionary.size(), url.data(), url.size(),
                                                   dictionary.data(), dictionary.size(), 1));
    ZSTD_freeCCtx(context);
    Ref ref{{0}, "", "", "", 1, 2};
    ref.compressed = packed;
    auto manifest = ReadManifest(Manifest({ref}));
    EXPECT_EQ(Shown((*manifest)->Find(kNode, {0})), url + " 1 2");
    ref.compressed = with_dictionary;
    manifest = ReadManifest(Manifest({ref}, "node-id8", dictionary));
    EXPECT_EQ(Shown((*manifest)->Find(kNode, {0})), url + " 1 2");
    ref.compressed = "junk";
    manifest = ReadManifest(Manifest({ref}, "node-id8", dictionary));
    EXPECT_EQ(Shown((*manifest)->Find(kNode, {0})), "a location is no Zstandard data");
}

TEST(IcechunkManifest, BoundsLocationsAndReferences) {
    const std::string url(70000, 'a');
    std::string packed(1000, '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), url.data(), url.size(), 1));
    Ref ref{{0}};
    ref.compressed = packed;
    const auto manifest = ReadManifest(Manifest({ref}));
    EXPECT_EQ(Shown((*manifest)->Find(kNode, {0})),
              "a location has 70000 bytes, more than the 65536 that are allowed");
    const test::ScopedLimit limit(Limit::kReferences, 1);
    EXPECT_EQ(ReadManifest(Manifest({{{0}, "a"}, {{1}, "b"}})).status().message(),
              "manifests/M: there are too many references; ZARR_MAX_REFERENCES allows 1");
}

TEST(IcechunkManifest, ReadsWithinTheFileWhateverTheBytes) {
    const std::string good = Manifest({{{0, 0}, "bytes"},
                                       {{0, 1}, "", "0123456789ab"},
                                       {{1, 0}, "", "", "s3://b/k", 1, 2, "abc"}});
    const auto read_all = [](const std::string& payload) {
        const auto manifest = ReadManifest(payload);
        if (!manifest.ok()) return;
        for (const std::uint64_t i : {0U, 1U})
            for (const std::uint64_t k : {0U, 1U})
                static_cast<void>((*manifest)->Find(kNode, {i, k}));
        static_cast<void>((*manifest)->ForEachChunk(kNode, [](const auto&) {}));
    };
    for (std::size_t size = 0; size < good.size(); ++size) read_all(good.substr(0, size));
    for (std::size_t at = 0; at < good.size(); ++at)
        for (const int value : {0, 1, 2, 0x7f, 0x80, 0xff}) {
            std::string changed = good;
            changed[at] = static_cast<char>(value);
            read_all(changed);
        }
}

// ------------------------------------------------------------------------------------------------
// Icechunk snapshots, and IcechunkMap

constexpr const char* kGroup = R"({"zarr_format":3,"node_type":"group"})";

std::string ArrayDocument(const std::string& encoding, const std::string& shape = "[6]",
                          const std::string& grid = R"({"chunk_shape":[2]})") {
    return R"({"zarr_format":3,"node_type":"array","shape":)" + shape +
           R"(,"data_type":"uint8","chunk_grid":{"name":"regular","configuration":)" + grid +
           R"(},"chunk_key_encoding":)" + encoding +
           R"(,"fill_value":0,"codecs":[{"name":"bytes"}]})";
}

struct SnapshotNode {
    std::string path;
    std::string document;
    std::string id;  // Icechunk id of an array; "" for a group
    // The only manifest has the chunks of the box from `from` to `to`, in chunk indices.
    std::vector<std::uint32_t> from = {0};
    std::vector<std::uint32_t> to = {9};
};

std::string Snapshot(const std::vector<SnapshotNode>& nodes) {
    FlatWriter out;
    const std::size_t root = out.Table({12, 0, 4});
    out.Put(0, root, 4);
    const std::size_t list = out.Offsets(out.Field(root, 2), nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const SnapshotNode& node = nodes[i];
        const std::size_t table = out.Table({8, 4, 4, 1, 4});
        out.Put(list + 4 * i, table - (list + 4 * i), 4);
        out.PutBytes(out.Field(table, 0), node.id.empty() ? "group-id" : node.id);
        out.String(out.Field(table, 1), node.path);
        out.String(out.Field(table, 2), node.document);
        out.Put(out.Field(table, 3), node.id.empty() ? 2 : 1, 1);
        const std::size_t data = out.Table({0, 0, 4});
        out.Put(out.Field(table, 4), data - out.Field(table, 4), 4);
        const std::size_t refs = out.Offsets(out.Field(data, 2), node.id.empty() ? 0 : 1);
        if (node.id.empty()) continue;
        const std::size_t ref = out.Table({12, 4});
        out.Put(refs, ref - refs, 4);
        std::string box;
        for (std::size_t k = 0; k < node.from.size(); ++k)
            for (const std::uint32_t each : {node.from[k], node.to[k]})
                for (unsigned b = 0; b < 4; ++b) box += static_cast<char>((each >> (8 * b)) & 255U);
        out.Vector(out.Field(ref, 1), node.from.size(), box);
    }
    return out.bytes();
}

// Returns the IcechunkMap of a repository with the snapshot "S" and a single manifest, whose id is
// twelve zero bytes.
std::shared_ptr<const IcechunkMap> MapOf(const std::string& snapshot, const std::string& manifest) {
    auto store = std::make_shared<MemoryStore>();
    const std::string first = IcechunkBytes(IcechunkFileType::kSnapshot, snapshot);
    const std::string second = IcechunkBytes(IcechunkFileType::kManifest, manifest);
    EXPECT_TRUE(store->Set("snapshots/S", ByteSpan(first)).ok());
    EXPECT_TRUE(store->Set("manifests/00000000000000000000", ByteSpan(second)).ok());
    const auto read = IcechunkSnapshot::Read(*store, "S");
    EXPECT_TRUE(read.ok()) << read.status().message();
    return read.ok() ? std::make_shared<const IcechunkMap>(store, *read, true, "identity")
                     : nullptr;
}

std::string Names(const Result<std::vector<StoreEntry>>& entries) {
    if (!entries.ok()) return entries.status().message();
    std::string names;
    for (const StoreEntry& entry : *entries) names += entry.name + (entry.is_prefix ? "/ " : " ");
    return names;
}

std::vector<SnapshotNode> Nodes(const std::string& encoding) {
    // Nodes that are not sorted by path.
    return {{"/g/a", ArrayDocument(encoding), "node-id8"},
            {"/", kGroup, ""},
            {"/g-2", kGroup, ""},
            {"/g", kGroup, ""}};
}

TEST(IcechunkMap, ListsNodesInAnyOrder) {
    const auto map = MapOf(Snapshot(Nodes(R"({"name":"default"})")),
                           Manifest({{{0}, "aa"}, {{2}, "cc"}, {{5}, "out of the grid"}}));
    ASSERT_NE(map, nullptr);
    EXPECT_EQ(Names(map->List("")), "g/ g-2/ zarr.json ");
    EXPECT_EQ(Names(map->List("g")), "a/ zarr.json ");
    EXPECT_EQ(Names(map->List("g-2")), "zarr.json ");
    EXPECT_EQ(Names(map->List("g/a")), "c/ zarr.json ");
    EXPECT_EQ(Names(map->List("g/a/c")), "0 2 ");
    EXPECT_EQ(Names(map->List("none")), "");
    EXPECT_EQ(Shown(map->Find("zarr.json")), std::string("inline ") + kGroup);
    EXPECT_EQ(Shown(map->Find("g/a/c/2")), "inline cc");
    EXPECT_EQ(Shown(map->Find("g/a/c/1")), "absent");
    EXPECT_EQ(Shown(map->Find("g/a/c/5")), "absent");
    EXPECT_EQ(Shown(map->Find("g/a/c/00")), "absent");
    EXPECT_EQ(Shown(map->Find("g/a/0")), "absent");
    EXPECT_EQ(Shown(map->Find("g/c/0")), "absent");
    EXPECT_EQ(Shown(map->Find("none/zarr.json")), "absent");
    std::set<std::string> keys;
    ASSERT_TRUE(map->ForEachKey("g", [&](std::string_view key) { keys.emplace(key); }).ok());
    EXPECT_EQ(keys, (std::set<std::string>{"zarr.json", "a/zarr.json", "a/c/0", "a/c/2"}));
}

TEST(IcechunkMap, KnowsEveryEncodingOfChunkKeys) {
    const std::string manifest = Manifest({{{1}, "bb"}});
    const auto find = [&](const std::string& encoding, const std::string& key) {
        return Shown(MapOf(Snapshot(Nodes(encoding)), manifest)->Find("g/a/" + key));
    };
    EXPECT_EQ(find(R"({"name":"default"})", "c/1"), "inline bb");
    EXPECT_EQ(find(R"({"name":"default","configuration":{"separator":"."}})", "c.1"), "inline bb");
    EXPECT_EQ(find(R"({"name":"v2"})", "1"), "inline bb");
    EXPECT_EQ(find(R"({"name":"v2"})", "c/1"), "absent");
}

TEST(IcechunkMap, ReadsArraysOfAllRanks) {
    const std::string encoding = R"({"name":"default"})";
    const auto scalar = MapOf(
        Snapshot(
            {{"/", ArrayDocument(encoding, "[]", R"({"chunk_shape":[]})"), "node-id8", {}, {}}}),
        Manifest({{{}, "s"}}));
    EXPECT_EQ(Shown(scalar->Find("c")), "inline s");
    EXPECT_EQ(Names(scalar->List("")), "c zarr.json ");
    const auto cube =
        MapOf(Snapshot({{"/",
                         ArrayDocument(encoding, "[4,4,4]", R"({"chunk_shape":[2,2,2]})"),
                         "node-id8",
                         {0, 0, 0},
                         {1, 2, 2}}}),
              Manifest({{{0, 1, 1}, "in"}, {{1, 0, 0}, "out of the box"}}));
    EXPECT_EQ(Shown(cube->Find("c/0/1/1")), "inline in");
    EXPECT_EQ(Shown(cube->Find("c/1/0/0")), "absent");
}

TEST(IcechunkMap, NamesTheKeyAndTheManifestOfAFault) {
    auto nodes = Nodes(R"({"name":"default"})");
    const auto damaged = MapOf(Snapshot(nodes), "no flatbuffer");
    EXPECT_EQ(Shown(damaged->Find("g/a/c/0")),
              "g/a/c/0: manifests/00000000000000000000: byte 4 of the flatbuffer: the buffer has "
              "another identifier");
    nodes[0].document = "{";
    EXPECT_EQ(Shown(MapOf(Snapshot(nodes), "")->Find("g/a/c/0")).substr(0, 14), "g/a/zarr.json:");
    nodes[0].path = "/g";
    MemoryStore store;
    const std::string file = IcechunkBytes(IcechunkFileType::kSnapshot, Snapshot(nodes));
    ASSERT_TRUE(store.Set("snapshots/S", ByteSpan(file)).ok());
    EXPECT_EQ(IcechunkSnapshot::Read(store, "S").status().message(),
              "snapshots/S: two nodes have the path /g");
}

TEST(IcechunkMap, LeavesOutPathsThatNoKeyHas) {
    const auto map = MapOf(
        Snapshot(
            {{"/", kGroup, ""}, {"/../x", kGroup, ""}, {"//y", kGroup, ""}, {"/z", kGroup, ""}}),
        Manifest({}));
    EXPECT_EQ(Names(map->List("")), "z/ zarr.json ");
}

// ------------------------------------------------------------------------------------------------
// Containers of virtual chunks in Icechunk

std::string Resolved(const IcechunkContainers& containers, const std::string& location) {
    const auto resolved = containers.Resolve(location);
    if (!resolved.ok()) return resolved.status().message();
    return resolved->url + " in " +
           (resolved->container != nullptr ? resolved->container->url_prefix : "none");
}

TEST(IcechunkContainers, FindsTheLongestPrefix) {
    const auto config = json::Parse(R"({"virtual_chunk_containers": {
        "a": {"name": "n", "url_prefix": "s3://b/p/", "store": {"s3": {"region": "r",
              "endpoint_url": null, "anonymous": true, "force_path_style": true}}},
        "b": {"url_prefix": "s3://b/p/q/", "store": {"azure": {"account": "acc",
              "azure_skip_signature": "true"}}},
        "c": {"url_prefix": "gs", "store": "gcs"}}})");
    const auto containers = IcechunkContainers::FromConfig(*config);
    ASSERT_TRUE(containers.ok()) << containers.status().message();
    EXPECT_EQ(Resolved(*containers, "s3://b/p/x"), "s3://b/p/x in s3://b/p/");
    EXPECT_EQ(Resolved(*containers, "s3://b/p/q/x"), "s3://b/p/q/x in s3://b/p/q/");
    EXPECT_EQ(Resolved(*containers, "s3://b/pq"), "s3://b/pq in none");
    EXPECT_EQ(Resolved(*containers, "gs://x/y"), "gs://x/y in gs");
    EXPECT_EQ(Resolved(*containers, "vcc://n/x/y"), "s3://b/p/x/y in s3://b/p/");
    EXPECT_EQ(Resolved(*containers, "vcc://no/x"),
              "\"vcc://no/x\": the repository has no virtual chunk container called \"no\"");
    EXPECT_EQ(Resolved(*containers, "chunks/../x"),
              "\"chunks/../x\": expected a URL as a virtual location");
    EXPECT_TRUE(containers->list()[0].anonymous && containers->list()[0].path_style);
    EXPECT_TRUE(containers->list()[1].anonymous);
    EXPECT_EQ(containers->list()[1].account, "acc");
}

TEST(IcechunkContainers, ReportsAFaultWhenTheyAreNeeded) {
    const auto config = json::Parse(R"({"virtual_chunk_containers": {"a": {"name": 5}}})");
    EXPECT_EQ(IcechunkContainers::FromConfig(*config).status().code(), StatusCode::kCorrupt);
    const IcechunkContainers containers(Status::Corrupt("the reason"));
    EXPECT_EQ(Resolved(containers, "vcc://n/x"), "the reason");
    EXPECT_EQ(Resolved(containers, "s3://b/x"), "s3://b/x in none");
}

// ------------------------------------------------------------------------------------------------
// Whole Icechunk repositories

TEST(IcechunkRepository, NamesWhatExists) {
    for (const char* name : {"format1", "format2", "migrated"}) {
        const DirectoryStore store(Repository(name));
        const auto repository = IcechunkRepository::Open(store);
        ASSERT_TRUE(repository.ok()) << repository.status().message();
        EXPECT_EQ(*repository->Branches(), (std::vector<std::string>{"dev", "main"}));
        EXPECT_EQ(*repository->Tags(), (std::vector<std::string>{"release 1!"}));
        EXPECT_EQ(repository->SnapshotOf({"nix", "", ""}).status().message(),
                  R"(the repository has no branch "nix"; it has "dev", "main")");
        EXPECT_EQ(repository->SnapshotOf({"", "deleted", ""}).status().message(),
                  R"(the repository has no tag "deleted"; it has "release 1!")");
        const auto dev = repository->SnapshotOf({"dev", "", ""});
        ASSERT_TRUE(dev.ok());
        EXPECT_EQ(*repository->SnapshotOf({"", "", *dev}), *dev);
        EXPECT_NE(repository->SnapshotOf({"", "", "../dev"}).status().message().find(*dev),
                  std::string::npos);
        EXPECT_TRUE(repository->Containers().fault().ok());
        EXPECT_EQ(Resolved(repository->Containers(), "vcc://test server/f").substr(0, 5),
                  name == std::string("format2") ? "s3://" : "\"vcc:");
    }
}

TEST(IcechunkRepository, RefusesOtherFolders) {
    MemoryStore store;
    EXPECT_EQ(IcechunkRepository::Open(store).status().code(), StatusCode::kNotFound);
    ASSERT_TRUE(store.Set("refs/branch.main/ref.json", ByteSpan(std::string_view("{}"))).ok());
    EXPECT_EQ(IcechunkRepository::Open(store).status().message(),
              "refs/branch.main/ref.json: expected {\"snapshot\": ID}, got {}");
    ASSERT_TRUE(
        store.Set("refs/branch.main/ref.json", ByteSpan(std::string_view(R"({"snapshot":"../x"})")))
            .ok());
    EXPECT_EQ(IcechunkRepository::Open(store).status().code(), StatusCode::kCorrupt);
}

TEST(IcechunkRepository, AFaultOfTheConfigurationHidesNothingElse) {
    MemoryStore store;
    ASSERT_TRUE(
        store.Set("refs/branch.main/ref.json", ByteSpan(std::string_view(R"({"snapshot":"S"})")))
            .ok());
    ASSERT_TRUE(store.Set("config.yaml", ByteSpan(std::string_view("a: &b\n"))).ok());
    const auto repository = IcechunkRepository::Open(store);
    ASSERT_TRUE(repository.ok());
    EXPECT_EQ(*repository->SnapshotOf({}), "S");
    EXPECT_EQ(repository->Containers().fault().message(),
              "config.yaml: line 1: \"&b\" is a feature of YAML that is unsupported");
}

// Reads the documents and some chunks of all arrays on the default branch.
void ReadRepository(const std::shared_ptr<const Store>& store) {
    const auto repository = IcechunkRepository::Open(*store);
    if (!repository.ok()) return;
    static_cast<void>(repository->Containers());
    const auto id = repository->SnapshotOf({});
    if (!id.ok()) return;
    const auto snapshot = IcechunkSnapshot::Read(*store, *id);
    if (!snapshot.ok()) return;
    const IcechunkMap map(store, *snapshot, true, "");
    static_cast<void>(map.List(""));
    for (const auto& node : (*snapshot)->nodes()) {
        static_cast<void>(map.Find(std::string(node.path) + "/zarr.json"));
        for (const char* chunk : {"c", "c/0", "c/99", "c/0/0", "c/1/1"})
            static_cast<void>(map.Find(std::string(node.path) + "/" + chunk));
    }
}

// Changes bytes of each binary file of a repository, and truncates the file. No read may go beyond
// the file. Files with changed bytes are not compressed, so that the changes reach flatbuffers.
TEST(IcechunkRepository, ReadsWithinItsFilesWhateverTheBytes) {
    const DirectoryStore folder(Repository("format2"));
    std::vector<std::pair<std::string, std::string>> files;
    auto store = std::make_shared<MemoryStore>();
    ASSERT_TRUE(folder
                    .ForEachKey("",
                                [&](std::string_view key, auto) {
                                    Buffer bytes;
                                    EXPECT_TRUE(folder.Get(std::string(key), bytes, kNoLimit).ok());
                                    files.emplace_back(key, std::as_const(bytes).span().text());
                                },
                                {})
                    .ok());
    for (const auto& [key, bytes] : files) ASSERT_TRUE(store->Set(key, ByteSpan(bytes)).ok());
    ReadRepository(store);
    std::size_t changes = 0;
    for (const auto& [key, bytes] : files) {
        const bool is_binary = key == kIcechunkRepoFile || key.rfind("snapshots/", 0) == 0 ||
                               key.rfind("manifests/", 0) == 0;
        if (!is_binary) continue;
        const auto type = static_cast<IcechunkFileType>(bytes[37]);
        const auto decoded = DecodeIcechunkFile(ByteSpan(bytes), type);
        ASSERT_TRUE(decoded.ok());
        const std::string payload(decoded->payload.span().text());
        const std::string file = IcechunkBytes(type, payload);
        // At most 100 bytes of a file are changed, one at a time, because each change needs a slow
        // read.
        const std::size_t step = 1 + file.size() / 100;
        for (std::size_t at = 0; at < file.size(); at += step, ++changes) {
            std::string changed = file;
            changed[at] = static_cast<char>(changed[at] ^ 0xff);
            ASSERT_TRUE(store->Set(key, ByteSpan(changed)).ok());
            ReadRepository(store);
        }
        for (std::size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 40) {
            ASSERT_TRUE(store->Set(key, ByteSpan(std::string_view(bytes).substr(0, size))).ok());
            ReadRepository(store);
        }
        ASSERT_TRUE(store->Set(key, ByteSpan(bytes)).ok());
    }
    EXPECT_GT(changes, 1000U);
}

}  // namespace
}  // namespace zarr
