// SPDX-License-Identifier: MIT
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "autotest/cpp/support/scoped_limit.h"
#include "autotest/fuzz/targets.h"
#include "core/base/limits.h"
#include "core/references/kerchunk_json.h"
#include "core/references/text_reader.h"
#include "core/store/keys.h"
#include "core/store/memory_store.h"

namespace zarr::fuzz {

namespace {

// Reads a document in blocks of `block` bytes. A document that begins like a Zstandard frame is
// decompressed.
Result<std::shared_ptr<const KerchunkJson>> ReadIn(const Store& store, ByteSpan input,
                                                   std::size_t block) {
    auto text = ReadValue(store, "document", block);
    if (input.text().substr(0, 4) == "\x28\xb5\x2f\xfd") text = Decompress(std::move(text));
    return KerchunkJson::Read(*text, "document");
}

std::vector<std::string> KeysOf(const KerchunkJson& document) {
    std::vector<std::string> keys;
    const Status visited =
        document.ForEachKey("", [&](std::string_view key) { keys.emplace_back(key); });
    Check(visited.ok(), "a document in memory lists its keys");
    return keys;
}

// Reads the value of the key, and lists the folder of the key.
void Ask(const KerchunkJson& document, const std::string& key) {
    Check(IsValidKey(key), "listed keys are valid");
    const auto reference = document.Find(key);
    if (reference.ok())
        Check(reference->kind != Reference::Kind::kAbsent, "a listed key has a reference");
    if (reference.ok())
        Check(reference->location.size() <= LimitOf(Limit::kMetadataSize),
              "the size of a location is bounded");
    const auto entries = document.List(std::string(ParentPath(key)));
    Check(entries.ok(), "a document in memory lists its folders");
    bool is_listed = false;
    for (const StoreEntry& entry : *entries) is_listed = is_listed || entry.name == LastName(key);
    Check(is_listed, "the folder of a key lists the key");
}

}  // namespace

void FuzzKerchunk(ByteSpan input) {
    constexpr std::uint64_t kMostReferences = 400;
    constexpr std::uint64_t kLongest = 4096;
    const test::ScopedLimit references(Limit::kReferences, kMostReferences);
    const test::ScopedLimit length(Limit::kTemplateLength, kLongest);
    const test::ScopedLimit size(Limit::kReferenceSize, std::uint64_t{4} << 20);
    MemoryStore store;
    Check(store.Set("document", input).ok(), "memory takes a document");
    static_cast<void>(MayBeKerchunkJson(input.text()));
    const auto whole = ReadIn(store, input, input.size + 1);
    // Blocks of 3 bytes end within words, numbers and escape sequences.
    const auto split = ReadIn(store, input, 3);
    Check(whole.ok() == split.ok(), "a document is valid in blocks of any size");
    if (!whole.ok()) return;
    static_cast<void>((*whole)->SampleLocation());
    const std::vector<std::string> keys = KeysOf(**whole);
    Check(keys.size() <= kMostReferences, "a document has no more references than allowed");
    Check(keys == KeysOf(**split), "a document has equal keys in blocks of any size");
    for (const std::string& key : keys) Ask(**whole, key);
}

}  // namespace zarr::fuzz
