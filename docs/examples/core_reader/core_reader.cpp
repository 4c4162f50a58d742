// SPDX-License-Identifier: MIT
// Lists the arrays in the root group of a store, and tells the smallest and largest element of those
// of 16-bit integers and of floats:
//   core_reader STORE_FOLDER
#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "core/dtype/convert.h"
#include "core/hierarchy/hierarchy.h"
#include "core/store/directory_store.h"

namespace {

template <class T>
zarr::Status PrintRange(const zarr::Array& array) {
    const zarr::ArrayMetadata& metadata = array.metadata();
    const zarr::Region all = zarr::Region::All(metadata.shape);
    std::vector<T> values(static_cast<std::size_t>(all.size()));
    ZARR_ASSIGN_OR_RETURN(const zarr::Converter op,
                          zarr::ReadConverter(metadata.dtype, metadata.dtype.Native()));
    const zarr::Destination destination{reinterpret_cast<std::uint8_t*>(values.data()),
                                        zarr::ContiguousStrides(all.count, sizeof(T), false), op};
    constexpr std::size_t kThreads = 2;
    ZARR_RETURN_IF_ERROR(array.Read(all, 0, destination, {kThreads}));
    if (values.empty()) return {};
    const auto range = std::minmax_element(values.begin(), values.end());
    std::printf("  from %g to %g\n", static_cast<double>(*range.first),
                static_cast<double>(*range.second));
    return {};
}

zarr::Status PrintArray(const zarr::Hierarchy& hierarchy, const std::string& path) {
    ZARR_ASSIGN_OR_RETURN(const auto array, hierarchy.OpenArray(path));
    const zarr::DataType& type = array->metadata().dtype;
    std::printf("/%s (%s)\n", path.c_str(), type.ToString().c_str());
    if (type.kind == zarr::DataKind::kInt && type.size == 2)
        return PrintRange<std::int16_t>(*array);
    if (type.kind == zarr::DataKind::kFloat && type.size == 4) return PrintRange<float>(*array);
    if (type.kind == zarr::DataKind::kFloat && type.size == 8) return PrintRange<double>(*array);
    return {};
}

zarr::Status Print(const char* folder) {
    constexpr std::size_t kCacheBytes = std::size_t{64} << 20;
    ZARR_ASSIGN_OR_RETURN(const auto hierarchy,
                          zarr::Hierarchy::Open(std::make_shared<zarr::DirectoryStore>(folder),
                                                zarr::UseConsolidated::kIfPresent,
                                                std::make_shared<zarr::ArrayContext>(kCacheBytes)));
    ZARR_ASSIGN_OR_RETURN(const auto members, hierarchy->Members(""));
    for (const zarr::Node& member : members)
        if (member.kind == zarr::NodeKind::kArray)
            ZARR_RETURN_IF_ERROR(PrintArray(*hierarchy, member.path));
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: core_reader STORE_FOLDER\n");
        return 2;
    }
    const zarr::Status status = Print(argv[1]);
    if (status.ok()) return 0;
    std::fprintf(stderr, "%s: %s\n", argv[1], status.message().c_str());
    return 1;
}
