// SPDX-License-Identifier: MIT
// The least that any reader of a Zarr array has to do, as the measure for ours: reads the chunk
// files of a two-dimensional array, decodes them with the bare codec library, and copies them to
// their places in memory that is there and touched beforehand; on all cores. Neither GDAL nor the
// core has a part in it. POSIX only.
//
//   zarr_floor FOLDER CODEC ROWS COLUMNS CHUNK_ROWS CHUNK_COLUMNS ITEM_SIZE [REPEATS [THREADS]]
//
// FOLDER holds chunks in C order named "i.j"; CODEC is blosc, zstd, zlib or none. With REPEATS of
// 1 or more: prints {"seconds": MEDIAN, "crc32": N}, the latter of the array's bytes. Without, or
// with 0: reads once for each line of standard input and prints {"seconds": S}, so that the program
// that measures can let it take turns with others; for the line "check" with "crc32" too.
#include <sys/mman.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "autotest/benchmark/floor_decoder.h"

namespace {

struct Layout {
    std::string folder;
    std::string codec;
    std::size_t rows, columns, chunk_rows, chunk_columns, item_size;

    std::size_t bytes() const { return rows * columns * item_size; }
    std::size_t chunk_bytes() const { return chunk_rows * chunk_columns * item_size; }
    std::size_t grid_rows() const { return (rows + chunk_rows - 1) / chunk_rows; }
    std::size_t grid_columns() const { return (columns + chunk_columns - 1) / chunk_columns; }
};

// The array's memory, in large pages where the system has them, as NumPy's is.
class Memory {
  public:
    explicit Memory(std::size_t size) {
        void* mapped =
            mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapped == MAP_FAILED) {
            std::perror("zarr_floor: memory");
            std::exit(1);
        }
#ifdef MADV_HUGEPAGE
        madvise(mapped, size, MADV_HUGEPAGE);
#endif
        std::memset(mapped, 0xff, size);
        data_ = static_cast<std::uint8_t*>(mapped);
    }
    std::uint8_t* data() const { return data_; }

  private:
    std::uint8_t* data_;  // for as long as the program runs
};

// What one thread keeps.
struct Worker {
    explicit Worker(const Layout& layout)
        : decoder(MakeFloorDecoder(layout.codec)),
          encoded(layout.chunk_bytes()),
          decoded(layout.chunk_bytes()) {
        // Touched, as the array's memory is.
        std::memset(encoded.data(), 0xff, encoded.size());
        std::memset(decoded.data(), 0xff, decoded.size());
    }
    std::unique_ptr<FloorDecoder> decoder;
    FloorBuffer encoded;
    FloorBuffer decoded;
};

bool ReadChunk(const Layout& layout, std::size_t i, std::size_t j, Worker& worker,
               std::uint8_t* array) {
    const std::string path = layout.folder + "/" + std::to_string(i) + "." + std::to_string(j);
    if (!ReadWholeFile(path, worker.encoded)) return false;
    const bool stored = worker.decoder == nullptr;
    if (stored ? worker.encoded.size() != layout.chunk_bytes()
               : !worker.decoder->Decode(worker.encoded, worker.decoded))
        return false;
    const std::uint8_t* chunk = stored ? worker.encoded.data() : worker.decoded.data();
    const std::size_t first_row = i * layout.chunk_rows;
    const std::size_t first_column = j * layout.chunk_columns;
    const std::size_t rows = std::min(layout.chunk_rows, layout.rows - first_row);
    const std::size_t columns = std::min(layout.chunk_columns, layout.columns - first_column);
    for (std::size_t row = 0; row < rows; ++row)
        std::memcpy(array + ((first_row + row) * layout.columns + first_column) * layout.item_size,
                    chunk + row * layout.chunk_columns * layout.item_size,
                    columns * layout.item_size);
    return true;
}

// Reads all; returns the seconds that took.
double ReadAll(const Layout& layout, std::vector<Worker>& workers, std::uint8_t* array) {
    const auto start = std::chrono::steady_clock::now();
    const std::size_t chunks = layout.grid_rows() * layout.grid_columns();
    std::atomic<std::size_t> next{0};
    const auto work = [&](Worker& worker) {
        for (std::size_t k = next++; k < chunks; k = next++) {
            if (ReadChunk(layout, k / layout.grid_columns(), k % layout.grid_columns(), worker,
                          array))
                continue;
            std::fprintf(stderr, "zarr_floor: %s: cannot read chunk %zu\n", layout.folder.c_str(),
                         k);
            std::exit(1);
        }
    };
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < workers.size(); ++i)
        threads.emplace_back([&work, &workers, i] { work(workers[i]); });
    work(workers[0]);
    for (std::thread& thread : threads) thread.join();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Report(double seconds) { std::printf("{\"seconds\": %.6f}\n", seconds); }

void ReportChecked(double seconds, const Memory& memory, std::size_t size) {
    const unsigned long crc = crc32_z(0, memory.data(), size);
    std::printf("{\"seconds\": %.6f, \"crc32\": %lu}\n", seconds, crc);
}

std::size_t Number(const char* text) { return std::strtoul(text, nullptr, 10); }

}  // namespace

int main(int argc, char** argv) {
    if (argc < 8 || argc > 10) {
        std::fputs(
            "zarr_floor FOLDER CODEC ROWS COLUMNS CHUNK_ROWS CHUNK_COLUMNS ITEM_SIZE "
            "[REPEATS [THREADS]]\n",
            stderr);
        return 2;
    }
    const Layout layout{argv[1],         argv[2],         Number(argv[3]), Number(argv[4]),
                        Number(argv[5]), Number(argv[6]), Number(argv[7])};
    if (layout.bytes() == 0 || layout.chunk_bytes() == 0 ||
        (layout.codec != "none" && MakeFloorDecoder(layout.codec) == nullptr)) {
        std::fputs("zarr_floor: sizes must be 1 or more, and the codec blosc, zstd, zlib or none\n",
                   stderr);
        return 2;
    }
    const std::size_t repeats = argc > 8 ? Number(argv[8]) : 0;
    const std::size_t threads =
        argc > 9 ? Number(argv[9]) : std::size_t{std::thread::hardware_concurrency()};

    const Memory memory(layout.bytes());
    std::vector<Worker> workers;
    for (std::size_t i = 0; i < std::max<std::size_t>(threads, 1); ++i)
        workers.emplace_back(layout);
    if (repeats > 0) {
        std::vector<double> seconds;
        for (std::size_t i = 0; i < repeats; ++i)
            seconds.push_back(ReadAll(layout, workers, memory.data()));
        std::sort(seconds.begin(), seconds.end());
        ReportChecked(seconds[repeats / 2], memory, layout.bytes());
        return 0;
    }
    for (std::string line; std::getline(std::cin, line);) {
        const double seconds = ReadAll(layout, workers, memory.data());
        if (line == "check")
            ReportChecked(seconds, memory, layout.bytes());
        else
            Report(seconds);
        std::fflush(stdout);
    }
    return 0;
}
