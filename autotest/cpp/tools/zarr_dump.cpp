// SPDX-License-Identifier: MIT
// Prints one array of a store as JSON. Uses the core without GDAL, so that tests can compare data
// types that GDAL's rasters cannot have:
//   zarr_dump STORE_FOLDER ARRAY_PATH [THREADS]
// Elements of fixed size are printed as Base64 of their bytes, in C order and native byte order.
// Objects are printed as a list of Base64 strings.
#include <cstdio>
#include <cstdlib>

#include "core/base/text.h"
#include "core/dtype/stored_converter.h"
#include "core/hierarchy/hierarchy.h"
#include "core/store/directory_store.h"
#include "core/store/keys.h"

namespace {

using namespace zarr;

Result<json::Value> DumpArray(const Array& array, std::size_t threads) {
    const ArrayMetadata& metadata = array.metadata();
    json::Object out;
    out.emplace_back("dtype", json::Value(metadata.dtype.ToString()));
    out.emplace_back("shape",
                     json::Value(json::Array(metadata.shape.begin(), metadata.shape.end())));
    const Region all = Region::All(metadata.shape);
    if (metadata.dtype.kind == DataKind::kObject) {
        ZARR_ASSIGN_OR_RETURN(const std::vector<std::string> strings,
                              array.ReadObjects(all, threads));
        json::Array items;
        for (const std::string& item : strings)
            items.push_back(json::Value(Base64Encode(ByteSpan(item))));
        out.emplace_back("strings_base64", json::Value(std::move(items)));
        return json::Value(std::move(out));
    }
    Buffer data;
    ZARR_RETURN_IF_ERROR(data.Resize(static_cast<std::size_t>(all.size()) * metadata.dtype.size));
    ZARR_ASSIGN_OR_RETURN(const Converter op,
                          ReadConverter(metadata.dtype, metadata.dtype.Native()));
    const Destination destination{data.data(),
                                  ContiguousStrides(all.count, metadata.dtype.size, false), op};
    ZARR_RETURN_IF_ERROR(array.Read(all, 0, destination, {threads}));
    out.emplace_back("data_base64", json::Value(Base64Encode(std::as_const(data).span())));
    return json::Value(std::move(out));
}

Result<json::Value> DumpPath(const char* folder, const char* path, std::size_t threads) {
    ZARR_ASSIGN_OR_RETURN(const std::string normal, NormalizePath(path));
    ZARR_ASSIGN_OR_RETURN(
        const auto hierarchy,
        Hierarchy::Open(std::make_shared<DirectoryStore>(folder), UseConsolidated::kIfPresent,
                        std::make_shared<ArrayContext>(std::size_t{64} << 20)));
    ZARR_ASSIGN_OR_RETURN(const auto array, hierarchy->OpenArray(normal));
    return DumpArray(*array, threads);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3 && argc != 4) {
        std::fprintf(stderr, "usage: zarr_dump STORE_FOLDER ARRAY_PATH [THREADS]\n");
        return 2;
    }
    const std::size_t threads = argc == 4 ? std::strtoul(argv[3], nullptr, 10) : 2;
    const auto dump = DumpPath(argv[1], argv[2], threads);
    if (!dump.ok()) {
        std::fprintf(stderr, "zarr_dump: %s: %s\n", argv[1], dump.status().message().c_str());
        return 1;
    }
    std::printf("%s\n", json::Dump(*dump).c_str());
    return 0;
}
