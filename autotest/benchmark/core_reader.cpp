// SPDX-License-Identifier: MIT
// Program that reads and writes one array with the core, without GDAL, for peers.py:
//   zarr_core_reader FOLDER
// Prints {"version": ""}, then reads commands from standard input. Each command opens the array
// again and prints a line of JSON. The commands are also commands of peer_program.py:
//   read                 reads the whole array into new memory
//   windows W W ...      reads windows in order; a window is START:STOP,START:STOP,...
//   write FOLDER         writes the elements to a new array with equal metadata, and reads it again
#include <zlib.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "core/array/array_writer.h"
#include "core/base/bytes.h"
#include "core/dtype/stored_converter.h"
#include "core/hierarchy/hierarchy.h"
#include "core/store/directory_store.h"

namespace {

using Clock = std::chrono::steady_clock;
using ArrayPtr = std::shared_ptr<const zarr::Array>;

constexpr std::size_t kCacheBytes = std::size_t{1} << 30;

std::size_t Threads() { return std::max(1U, std::thread::hardware_concurrency()); }

struct Answer {
    double seconds = 0;
    std::vector<zarr::Buffer> parts;  // elements of each region that was read
};

zarr::Result<ArrayPtr> Open(const std::string& folder) {
    ZARR_ASSIGN_OR_RETURN(const auto hierarchy,
                          zarr::Hierarchy::Open(std::make_shared<zarr::DirectoryStore>(folder),
                                                zarr::UseConsolidated::kIfPresent,
                                                std::make_shared<zarr::ArrayContext>(kCacheBytes)));
    return hierarchy->OpenArray("");
}

zarr::Result<zarr::Buffer> Read(const zarr::Array& array, const zarr::Region& region) {
    const zarr::DataType& dtype = array.metadata().dtype;
    zarr::Buffer values;
    ZARR_RETURN_IF_ERROR(values.Resize(static_cast<std::size_t>(region.size()) * dtype.size));
    ZARR_ASSIGN_OR_RETURN(const zarr::Converter op, zarr::ReadConverter(dtype, dtype.Native()));
    const zarr::Destination destination{
        values.data(), zarr::ContiguousStrides(region.count, dtype.size, false), op};
    zarr::ReadOptions options;
    options.threads = Threads();
    ZARR_RETURN_IF_ERROR(array.Read(region, 0, destination, options));
    return values;
}

// Parses a region of elements: "2:4,0:9" starts at (2, 0) and has 2 x 9 elements.
zarr::Region ParseRegion(const std::string& text) {
    zarr::Region region;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');) {
        const std::uint64_t start = std::stoull(part);
        region.start.push_back(start);
        region.count.push_back(std::stoull(part.substr(part.find(':') + 1)) - start);
        region.step.push_back(1);
    }
    return region;
}

zarr::Result<Answer> ReadRegions(const std::string& folder, std::vector<zarr::Region> regions) {
    ZARR_ASSIGN_OR_RETURN(const ArrayPtr array, Open(folder));
    if (regions.empty()) regions.push_back(zarr::Region::All(array->metadata().shape));
    Answer answer;
    const auto start = Clock::now();
    for (const zarr::Region& region : regions) {
        ZARR_ASSIGN_OR_RETURN(zarr::Buffer part, Read(*array, region));
        answer.parts.push_back(std::move(part));
    }
    answer.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return answer;
}

zarr::Result<Answer> WriteAll(const std::string& folder, const std::string& target) {
    ZARR_ASSIGN_OR_RETURN(const Answer values, ReadRegions(folder, {}));
    std::filesystem::create_directories(target);
    for (const char* document : {".zarray", "zarr.json"})
        if (std::filesystem::exists(folder + "/" + document))
            std::filesystem::copy(folder + "/" + document, target);
    const auto start = Clock::now();
    {
        ZARR_ASSIGN_OR_RETURN(const ArrayPtr array, Open(target));
        const zarr::DataType& dtype = array->metadata().dtype;
        ZARR_ASSIGN_OR_RETURN(const zarr::Converter op,
                              zarr::WriteConverter(dtype.Native(), dtype));
        ZARR_ASSIGN_OR_RETURN(
            const auto writer,
            zarr::ArrayWriter::Open(array, std::make_shared<zarr::DirectoryStore>(target),
                                    kCacheBytes));
        const zarr::Region all = zarr::Region::All(array->metadata().shape);
        const zarr::Source source{values.parts[0].data(),
                                  zarr::ContiguousStrides(all.count, dtype.size, false), op};
        ZARR_RETURN_IF_ERROR(writer->Write(all, 0, source, Threads()));
        ZARR_RETURN_IF_ERROR(writer->Flush(Threads()));
    }
    ZARR_ASSIGN_OR_RETURN(Answer answer, ReadRegions(target, {}));
    answer.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return answer;
}

zarr::Result<Answer> Run(const std::string& folder, const std::string& line) {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    if (verb == "read") return ReadRegions(folder, {});
    if (verb == "windows") {
        std::vector<zarr::Region> regions;
        for (std::string text; words >> text;) regions.push_back(ParseRegion(text));
        return ReadRegions(folder, std::move(regions));
    }
    std::string target;
    if (verb == "write" && words >> target) return WriteAll(folder, target);
    return zarr::Status::Invalid("no such command: " + line);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("zarr_core_reader FOLDER\n", stderr);
        return 2;
    }
    std::puts("{\"version\": \"\"}");
    std::fflush(stdout);
    for (std::string line; std::getline(std::cin, line);) {
        const auto answer = Run(argv[1], line);
        if (!answer.ok()) {
            std::fprintf(stderr, "%s: %s\n", argv[1], answer.status().message().c_str());
            return 1;
        }
        std::uint64_t crc32 = 0;
        for (const zarr::Buffer& part : answer->parts)
            crc32 = crc32_z(crc32, part.data(), part.size());
        std::printf("{\"seconds\": %.6f, \"crc32\": %llu}\n", answer->seconds,
                    static_cast<unsigned long long>(crc32));
        std::fflush(stdout);
    }
    return 0;
}
