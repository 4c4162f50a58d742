// SPDX-License-Identifier: MIT
// Encodes the first chunk of arrays with the core, for tests that compare it with numcodecs:
// zarr_encode ARRAY_FOLDER...
//
// Each folder has a .zarray and the elements of the chunk in memory order: the file "raw" in the
// array's byte order or, for dtype |O, the file "objects", a JSON list of Base64 strings. The
// encoded chunk is stored in the folder.
#include <cstdio>
#include <vector>

#include "core/base/text.h"
#include "core/codec/pipeline.h"
#include "core/grid/chunk_grid.h"
#include "core/metadata/v2_metadata.h"
#include "core/store/directory_store.h"

namespace {

using namespace zarr;

constexpr std::size_t kLargestFile = std::size_t{1} << 30;

Result<std::string> ReadFile(const Store& store, const std::string& name) {
    Buffer contents;
    ZARR_ASSIGN_OR_RETURN(const bool found, store.Get(name, contents, kLargestFile));
    if (!found) return Status::NotFound("no " + name);
    return std::string(std::as_const(contents).span().text());
}

Result<ByteSpan> EncodeObjects(const Pipeline& pipeline, const std::string& list,
                               PipelineScratch& scratch) {
    ZARR_ASSIGN_OR_RETURN(const json::Value value, json::Parse(list));
    if (value.as_array() == nullptr) return Status::Corrupt("objects: no list");
    std::vector<std::string> objects;
    for (const json::Value& item : *value.as_array()) {
        if (item.as_string() == nullptr) return Status::Corrupt("objects: no string");
        ZARR_ASSIGN_OR_RETURN(std::string object, Base64Decode(*item.as_string()));
        objects.push_back(std::move(object));
    }
    std::vector<ObjectRef> refs;
    refs.reserve(objects.size());
    for (const std::string& object : objects) refs.push_back({object.data(), object.size()});
    return pipeline.EncodeObjects(refs.data(), refs.size(), scratch);
}

Status EncodeChunk(const char* folder) {
    DirectoryStore store(folder);
    ZARR_ASSIGN_OR_RETURN(const std::string text, ReadFile(store, ".zarray"));
    ZARR_ASSIGN_OR_RETURN(const ArrayMetadata metadata, ParseArrayMetadata(text));
    CodecContext context;
    context.dtype = metadata.dtype;
    context.chunk_shape = metadata.chunks;
    context.axis_order = metadata.axis_order;
    ZARR_ASSIGN_OR_RETURN(const Pipeline pipeline, Pipeline::Bind(metadata.codecs, context));
    PipelineScratch scratch;
    const bool has_objects = pipeline.decodes_objects();
    ZARR_ASSIGN_OR_RETURN(const std::string values,
                          ReadFile(store, has_objects ? "objects" : "raw"));
    ZARR_ASSIGN_OR_RETURN(const ByteSpan encoded, has_objects
                                                      ? EncodeObjects(pipeline, values, scratch)
                                                      : pipeline.Encode(ByteSpan(values), scratch));
    const DimVector<std::uint64_t> first(metadata.rank(), 0);
    return store.Set(ChunkKey("", first, metadata.dimension_separator), encoded);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: zarr_encode ARRAY_FOLDER...\n");
        return 2;
    }
    int exit_code = 0;
    for (int i = 1; i < argc; ++i) {
        const Status status = EncodeChunk(argv[i]);
        if (status.ok()) continue;
        std::fprintf(stderr, "%s: %s\n", argv[i], status.message().c_str());
        exit_code = 1;
    }
    return exit_code;
}
