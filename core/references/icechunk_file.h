// SPDX-License-Identifier: MIT
// Files of an Icechunk repository (Icechunk specification, versions 1, 2 and 2.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/references/memory_budget.h"
#include "core/store/store.h"

namespace zarr {

// First bytes of each binary file in a repository (Icechunk specification, "Binary file format").
inline constexpr std::string_view kIcechunkMagic =
    "ICE\xf0\x9f\xa7\x8a"
    "CHUNK";

// Keys of files and folders in a repository (Icechunk specification, "File layout").
inline constexpr std::string_view kIcechunkRepoFile = "repo";           // repositories of version 2
inline constexpr std::string_view kIcechunkConfigFile = "config.yaml";  // repositories of version 1
inline constexpr std::string_view kIcechunkRefs = "refs";               // repositories of version 1
inline constexpr std::string_view kIcechunkSnapshots = "snapshots";
inline constexpr std::string_view kIcechunkManifests = "manifests";
inline constexpr std::string_view kIcechunkChunks = "chunks";

// Sizes in bytes of the identifiers of objects and of nodes.
inline constexpr std::size_t kIcechunkIdSize = 12;
inline constexpr std::size_t kIcechunkNodeIdSize = 8;

// File types by their numbers in the header of a binary file.
enum class IcechunkFileType : std::uint8_t { kSnapshot = 1, kManifest = 2, kRepo = 6 };

// A binary file of an Icechunk repository, decompressed.
struct IcechunkFile {
    unsigned version = 0;  // version of this file, 1 or 2; one repository can have files of both
    Buffer payload;        // decompressed contents, a flatbuffer
    BudgetShare memory;    // bytes of the payload, and what the owner of the file adds to them
};

// Reads the binary file `key` of a repository. Returns kNotFound if the file does not exist, and
// kCorrupt if it is damaged or of another type. Returns kUnsupported for an unknown version or
// compression, and kLimit if the payload exceeds `budget`. Without a budget, the file has one of
// Limit::kManifestSize bytes for itself.
Result<IcechunkFile> ReadIcechunkFile(const Store& repository, const std::string& key,
                                      IcechunkFileType type,
                                      std::shared_ptr<MemoryBudget> budget = nullptr);

// Decodes the bytes of a binary file; see ReadIcechunkFile().
Result<IcechunkFile> DecodeIcechunkFile(ByteSpan bytes, IcechunkFileType type,
                                        std::shared_ptr<MemoryBudget> budget = nullptr);

// Returns the name of an object: its identifier in Crockford's base 32, without padding.
std::string IcechunkObjectName(ByteSpan id);

}  // namespace zarr
