// SPDX-License-Identifier: MIT
// Lists the arrays in the root group of a store. For arrays of integers or real numbers, prints
// the smallest and the largest element, too.
//   core_reader STORE_FOLDER
#include <zarr_core/hierarchy.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using zarr_core::MemoryType;
using zarr_core::Result;
using zarr_core::Status;

Status PrintArray(const zarr_core::Hierarchy& hierarchy, const std::string& path) {
    const Result<zarr_core::Array> array = hierarchy.OpenArray(path);
    if (!array.ok()) return array.status();
    const Result<std::string> type = array->data_type().ToString();
    if (!type.ok()) return type.status();
    std::printf("/%s (%s)\n", path.c_str(), type->c_str());
    const MemoryType memory = array->data_type().memory_type();
    if (memory == MemoryType::kBool || memory > MemoryType::kFloat64) return {};
    // Read<double>() converts numbers of all these types to double.
    const Result<std::vector<double>> values =
        array->Read<double>(zarr_core::Region::All(array->shape()));
    if (!values.ok()) return values.status();
    if (values->empty()) return {};
    const auto range = std::minmax_element(values->begin(), values->end());
    std::printf("  from %g to %g\n", *range.first, *range.second);
    return {};
}

Status Print(const char* folder) {
    const Result<zarr_core::Store> store = zarr_core::Store::OpenFolder(folder);
    if (!store.ok()) return store.status();
    const Result<zarr_core::Hierarchy> hierarchy = zarr_core::Hierarchy::Open(*store);
    if (!hierarchy.ok()) return hierarchy.status();
    const Result<std::vector<zarr_core::Member>> members = hierarchy->Members();
    if (!members.ok()) return members.status();
    for (const zarr_core::Member& member : *members) {
        if (member.kind != zarr_core::NodeKind::kArray) continue;
        Status status = PrintArray(*hierarchy, member.path);
        if (!status.ok()) return status;
    }
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: core_reader STORE_FOLDER\n");
        return 2;
    }
    const Status status = Print(argv[1]);
    if (status.ok()) return 0;
    std::fprintf(stderr, "%s\n", status.message().c_str());
    return 1;
}
