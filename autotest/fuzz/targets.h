// SPDX-License-Identifier: MIT
// Fuzz targets. No input may make a target crash, hang, access invalid memory, or exceed the memory
// limits. Targets also check their results.
#pragma once

#include <string>
#include <vector>

#include "core/base/bytes.h"

namespace zarr::fuzz {

struct Target {
    std::string name;  // names the corpus and the program zarr_fuzz_NAME
    void (*run)(ByteSpan input);
};

// Returns all fuzz targets.
const std::vector<Target>& Targets();

// Ends the process with the message `what` if `holds` is false, so that the fuzzer reports a
// finding.
void Check(bool holds, const char* what);

// JSON: parses a text, splits it into members, and prints it.
void FuzzJson(ByteSpan input);
// `.zarray`: parses a document, binds its codecs, and reads a small array without chunks.
void FuzzArrayMetadata(ByteSpan input);
// `meta` of Zarr v1: parses a document, binds its codecs, and reads a small array without chunks.
void FuzzV1Metadata(ByteSpan input);
// `zarr.json` of an array or group: parses a document, uses the metadata, and writes them again.
void FuzzV3Metadata(ByteSpan input);
// Codecs of Zarr v2 or v3: a line of JSON, then the bytes of a chunk; see codec_target.cpp.
void FuzzCodecs(ByteSpan input);
// Codecs that GDAL's drivers decode, such as images and GRIB messages; the input is as for
// FuzzCodecs().
void FuzzImages(ByteSpan input);
// Shards: a line with `zarr.json`, then the bytes of a shard; see shard_target.cpp.
void FuzzShard(ByteSpan input);
// A store as text (see packed_store.h): reads the store with every convention and updates it.
void FuzzStore(ByteSpan input);
// Kerchunk references as Parquet: reads the references of all rows.
void FuzzParquet(ByteSpan input);
// Kerchunk references as JSON: parses a document, and asks for each of its keys.
void FuzzKerchunk(ByteSpan input);
// Connection strings: parses a name and formats it again.
void FuzzConnectionString(ByteSpan input);
// FlexBuffers: parses a buffer, prints the value and uses it like FuzzYaml().
void FuzzFlexBuffer(ByteSpan input);
// Payload of an Icechunk file, a flatbuffer: reads it as repo file, snapshot and manifest. See
// icechunk_target.cpp.
void FuzzIcechunk(ByteSpan input);
// YAML configuration of Icechunk: parses a text, reads its virtual chunk containers and finds the
// locations of chunks in these.
void FuzzYaml(ByteSpan input);
// Tar file with a store: opens it through GDAL.
void FuzzTar(ByteSpan input);
// Zip file with a store: opens it through GDAL.
void FuzzZip(ByteSpan input);

}  // namespace zarr::fuzz
