// SPDX-License-Identifier: MIT
// What strangers' bytes are fed to. Each target takes any input without crashing, hanging, reading
// outside it or taking more memory than the limits allow; what must hold beyond that it checks.
#pragma once

#include <string>
#include <vector>

#include "core/base/bytes.h"

namespace zarr::fuzz {

struct Target {
    std::string name;  // of its executable, zarr_fuzz_NAME, and of its corpus
    void (*run)(ByteSpan input);
};

// All of them.
const std::vector<Target>& Targets();

// Ends the process with a message, as a finding, where `holds` is false.
void Check(bool holds, const char* what);

// JSON text, its parts and its printing.
void FuzzJson(ByteSpan input);
// A `.zarray`: parsed, its codecs bound, a small array of it read without chunks.
void FuzzArrayMetadata(ByteSpan input);
// The `meta` of Zarr v1, likewise.
void FuzzV1Metadata(ByteSpan input);
// A `zarr.json` of Zarr v3, of an array or a group, and what is made of it.
void FuzzV3Metadata(ByteSpan input);
// A line with the codecs as JSON, of v2 or v3, then the bytes of a chunk; see codec_target.cpp.
void FuzzCodecs(ByteSpan input);
// The `zarr.json` of an array with shards, then the bytes of a shard; see shard_target.cpp.
void FuzzShard(ByteSpan input);
// A store as text, see packed_store.h, through the core with every convention, and changed.
void FuzzStore(ByteSpan input);
// A name that GDAL is asked to open.
void FuzzConnectionString(ByteSpan input);
// A tar file with a store, through GDAL.
void FuzzTar(ByteSpan input);
// A zip file with a store, through GDAL.
void FuzzZip(ByteSpan input);

}  // namespace zarr::fuzz
