// SPDX-License-Identifier: MIT
#include <memory>
#include <string>
#include <string_view>

#include "autotest/fuzz/targets.h"
#include "core/json/value.h"
#include "core/references/flexbuffer.h"
#include "core/references/icechunk_containers.h"
#include "core/references/icechunk_file.h"
#include "core/references/icechunk_map.h"
#include "core/references/icechunk_repository.h"
#include "core/references/icechunk_snapshot.h"
#include "core/references/yaml.h"
#include "core/store/memory_store.h"
#include "driver/store/icechunk_targets.h"

namespace zarr::fuzz {

namespace {

void Put(MemoryStore& store, const std::string& key, IcechunkFileType type, ByteSpan payload) {
    std::string file(kIcechunkMagic);
    file += std::string(24, ' ');
    file += {'\2', static_cast<char>(type), '\0'};
    file += payload.text();
    static_cast<void>(store.Set(key, ByteSpan(file)));
}

// Reads a configuration, and asks where chunks in its containers are.
void UseConfiguration(const json::Value& value) {
    const auto containers = IcechunkContainers::FromConfig(value);
    if (!containers.ok()) return;
    for (const IcechunkContainer& container : containers->list()) {
        for (const std::string& url :
             {container.url_prefix, container.url_prefix + "a/../b?c",
              std::string("file:///a/../b"), "vcc://" + container.name + "/a",
              container.url_prefix + "://a/b"}) {
            const auto resolved = containers->Resolve(url);
            if (resolved.ok())
                static_cast<void>(
                    zarr_driver::LocationOfVirtualChunk(resolved->url, resolved->container));
            static_cast<void>(zarr_driver::LocationOfVirtualChunk(url, &container));
        }
    }
}

}  // namespace

void FuzzFlexBuffer(ByteSpan input) {
    const auto value = ParseFlexBuffer(input);
    if (!value.ok()) return;
    static_cast<void>(json::Dump(*value));
    UseConfiguration(*value);
}

void FuzzYaml(ByteSpan input) {
    const auto value = ParseYaml(input.text());
    if (value.ok()) UseConfiguration(*value);
}

// Reads the input as each kind of Icechunk file. The only manifest file has the id of twelve zero
// bytes, so a snapshot must name that id to reach it.
void FuzzIcechunk(ByteSpan input) {
    const auto store = std::make_shared<MemoryStore>();
    Put(*store, std::string(kIcechunkRepoFile), IcechunkFileType::kRepo, input);
    Put(*store, "snapshots/S", IcechunkFileType::kSnapshot, input);
    Put(*store, "manifests/00000000000000000000", IcechunkFileType::kManifest, input);
    const auto repository = IcechunkRepository::Open(*store);
    if (repository.ok()) static_cast<void>(repository->SnapshotOf({}));
    const auto snapshot = IcechunkSnapshot::Read(*store, "S");
    if (snapshot.ok()) {
        const IcechunkMap map(store, *snapshot, true, "");
        static_cast<void>(map.List(""));
        static_cast<void>(map.ForEachKey(
            "", [&](std::string_view key) { static_cast<void>(map.Find(std::string(key))); }));
    }
    const auto manifest = IcechunkManifest::Read(*store, "00000000000000000000");
    if (!manifest.ok()) return;
    const ByteSpan node(std::string_view("node-id8"));
    static_cast<void>((*manifest)->ForEachChunk(
        node, [&](const auto& chunk) { static_cast<void>((*manifest)->Find(node, chunk)); }));
}

}  // namespace zarr::fuzz
