// SPDX-License-Identifier: MIT
// Builds small hierarchies in memory.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "autotest/cpp/support/checks.h"
#include "core/hierarchy/hierarchy.h"
#include "core/metadata/v2_metadata.h"
#include "core/store/memory_store.h"

namespace zarr::test {

inline constexpr const char* kGroupText = R"({"zarr_format": 2})";

// Returns the text of a `.zarray`. Its shape and its chunk shape are `shape`, a JSON array.
inline std::string ArrayText(const std::string& shape, const std::string& dtype = "\"<f4\"") {
    return R"({"zarr_format": 2, "compressor": null, "fill_value": 0, "order": "C", )"
           R"("filters": null, "dtype": )" +
           dtype + ", \"shape\": " + shape + ", \"chunks\": " + shape + "}";
}

// Parses the text of a `.zarray`.
inline ArrayMetadata MetadataOf(std::string_view text) {
    auto metadata = ParseArrayMetadata(text);
    EXPECT_TRUE(Succeeds(metadata)) << text;
    return metadata.ok() ? metadata.Take() : ArrayMetadata();
}
inline ArrayMetadata MetadataOf(const json::Object& members) {
    return MetadataOf(json::Dump(json::Value(members)));
}

using Entries = std::initializer_list<std::pair<std::string, std::string>>;

inline std::shared_ptr<MemoryStore> StoreOf(Entries entries) {
    auto store = std::make_shared<MemoryStore>();
    for (const auto& [key, text] : entries) EXPECT_TRUE(Succeeds(store->Set(key, ByteSpan(text))));
    return store;
}

inline std::shared_ptr<const Hierarchy> Tree(
    std::shared_ptr<const Store> store,
    UseConsolidated use_consolidated = UseConsolidated::kIfPresent) {
    auto tree = Hierarchy::Open(std::move(store), use_consolidated,
                                std::make_shared<ArrayContext>(std::size_t{1} << 20));
    EXPECT_TRUE(Succeeds(tree));
    return tree.ok() ? tree.Take() : nullptr;
}
inline std::shared_ptr<const Hierarchy> Tree(Entries entries) { return Tree(StoreOf(entries)); }

}  // namespace zarr::test
