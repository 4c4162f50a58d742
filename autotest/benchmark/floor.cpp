// SPDX-License-Identifier: MIT
// Measures the least work that any reader of a Zarr array must do, as a lower bound for the
// benchmarks. Reads chunk files, decodes them with the codec library, and copies the elements to
// memory whose pages are resident, on all cores. Uses neither GDAL nor the core. POSIX only.
//
//   zarr_floor FOLDER CODEC ITEM_SIZE SHAPE CHUNKS [SHARDS]
//
// FOLDER contains chunk files "i.j" with elements in C order. CODEC is blosc, zstd, zlib, gzip or
// none. SHAPE, CHUNKS and SHARDS are sizes, separated by commas. With SHARDS the array has Zarr v3.
// Its files "c/i/j" are shards with the index and its CRC-32C at the end, or chunks if SHARDS
// equals CHUNKS. Each line of standard input is a command, which prints a line of JSON:
//
//   read           reads all chunks                            {"seconds": S}
//   read new       reads all chunks to memory whose pages are not resident
//   windows X,Y,W,H ...  for two dimensions: decodes each chunk that a window touches once, then
//                  copies each window to its own memory        {"seconds": S}
//   windows new X,Y,W,H ...  as windows, but to memory whose pages are not resident
//   check          reads all chunks                            {"crc32": N} of all array bytes
//   write FOLDER VARIANT   encodes all chunks that were read last, and writes each to a file in
//                  FOLDER, which exists and is empty           {"seconds": S}
// VARIANT is the compressor of blosc (level 5, shuffle), or the level of another codec. Shards
// cannot be written.
#include <sys/mman.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "autotest/benchmark/floor_codec.h"
#include "autotest/benchmark/floor_shard.h"

namespace {

using Sizes = std::vector<std::size_t>;

std::size_t Product(const Sizes& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::size_t{1}, std::multiplies<>());
}

struct Layout {
    std::string folder;
    std::string codec;
    std::size_t item_size;
    Sizes shape;
    Sizes chunks;
    Sizes shards;  // empty for Zarr v2

    bool is_sharded() const { return !shards.empty() && shards != chunks; }
    // Returns the path of a chunk file or shard file.
    std::string PathOf(const Sizes& at) const {
        std::string path = folder + (shards.empty() ? "" : "/c");
        for (std::size_t i = 0; i < at.size(); ++i)
            path += (shards.empty() && i != 0 ? "." : "/") + std::to_string(at[i]);
        return path;
    }
    // Returns the grid index of the shard that contains a chunk.
    Sizes ShardOf(const Sizes& chunk) const {
        Sizes shard;
        for (std::size_t i = 0; i < chunk.size(); ++i)
            shard.push_back(chunk[i] / (shards[i] / chunks[i]));
        return shard;
    }
    std::size_t PlaceInShard(const Sizes& chunk) const {
        std::size_t place = 0;
        for (std::size_t i = 0; i < chunk.size(); ++i) {
            const std::size_t count = shards[i] / chunks[i];
            place = place * count + chunk[i] % count;
        }
        return place;
    }

    std::size_t bytes() const { return Product(shape) * item_size; }
    std::size_t chunk_bytes() const { return Product(chunks) * item_size; }
    Sizes grid() const {
        Sizes counts;
        for (std::size_t i = 0; i < shape.size(); ++i)
            counts.push_back((shape[i] + chunks[i] - 1) / chunks[i]);
        return counts;
    }
    Sizes ChunkAt(std::size_t index) const {
        const Sizes counts = grid();
        Sizes chunk(counts.size());
        for (std::size_t i = counts.size(); i-- > 0; index /= counts[i])
            chunk[i] = index % counts[i];
        return chunk;
    }
};

// Memory for the elements of an array. Uses large pages if the system has them, as NumPy does.
class Memory {
  public:
    // Writes every page now if `is_touched`, so that later writes cause no page faults.
    explicit Memory(std::size_t size, bool is_touched = true) : size_(size) {
        void* mapped =
            mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapped == MAP_FAILED) {
            std::perror("zarr_floor: memory");
            std::exit(1);
        }
#ifdef MADV_HUGEPAGE
        madvise(mapped, size, MADV_HUGEPAGE);
#endif
        if (is_touched) std::memset(mapped, 0xff, size);
        data_ = static_cast<std::uint8_t*>(mapped);
    }
    ~Memory() { munmap(data_, size_); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    std::uint8_t* data() const { return data_; }

  private:
    std::size_t size_;
    std::uint8_t* data_ = nullptr;
};

// Decoder and buffers of one thread.
struct Worker {
    explicit Worker(const Layout& layout)
        : decoder(MakeFloorCodec(layout.codec)),
          encoded(layout.chunk_bytes()),
          decoded(layout.chunk_bytes()) {
        // Writes every page, so that page faults are not measured later.
        std::memset(encoded.data(), 0xff, encoded.size());
        std::memset(decoded.data(), 0xff, decoded.size());
    }
    std::unique_ptr<FloorCodec> decoder;
    FloorBuffer encoded;
    FloorBuffer decoded;
};

// Copies the elements of a chunk to their positions in the array `to`. Elements beyond the array's
// edge are left out. Recurses over the dimensions from `axis` on.
void CopyToArray(const Layout& layout, const Sizes& chunk, std::size_t axis,
                 const std::uint8_t* from, std::uint8_t* to) {
    const std::size_t first = chunk[axis] * layout.chunks[axis];
    const std::size_t count = std::min(layout.chunks[axis], layout.shape[axis] - first);
    std::size_t from_step = layout.item_size;
    std::size_t to_step = layout.item_size;
    for (std::size_t i = axis + 1; i < layout.shape.size(); ++i) {
        from_step *= layout.chunks[i];
        to_step *= layout.shape[i];
    }
    to += first * to_step;
    if (axis + 1 == layout.shape.size()) {
        std::memcpy(to, from, count * layout.item_size);
        return;
    }
    for (std::size_t i = 0; i < count; ++i)
        CopyToArray(layout, chunk, axis + 1, from + i * from_step, to + i * to_step);
}

// Open shards of one read, by their index in the grid
using Shards = std::map<Sizes, FloorShard>;

// Copies the elements of a chunk from the array `from` to `to`. Elements beyond the array's edge
// are left out. Recurses over the dimensions from `axis` on.
void CopyFromArray(const Layout& layout, const Sizes& chunk, std::size_t axis,
                   const std::uint8_t* from, std::uint8_t* to) {
    const std::size_t first = chunk[axis] * layout.chunks[axis];
    const std::size_t count = std::min(layout.chunks[axis], layout.shape[axis] - first);
    std::size_t from_step = layout.item_size;
    std::size_t to_step = layout.item_size;
    for (std::size_t i = axis + 1; i < layout.shape.size(); ++i) {
        from_step *= layout.shape[i];
        to_step *= layout.chunks[i];
    }
    from += first * from_step;
    if (axis + 1 == layout.shape.size()) {
        std::memcpy(to, from, count * layout.item_size);
        return;
    }
    for (std::size_t i = 0; i < count; ++i)
        CopyFromArray(layout, chunk, axis + 1, from + i * from_step, to + i * to_step);
}

// Reads and decodes chunk number `index` to `decoded`, which has room for a whole chunk. Ends the
// program on failure.
void DecodeChunk(const Layout& layout, std::size_t index, const Shards& shards, Worker& worker,
                 std::uint8_t* decoded) {
    const Sizes chunk = layout.ChunkAt(index);
    const std::size_t size = layout.chunk_bytes();
    bool good =
        layout.is_sharded()
            ? shards.at(layout.ShardOf(chunk)).ReadChunk(layout.PlaceInShard(chunk), worker.encoded)
            : ReadWholeFile(layout.PathOf(chunk), worker.encoded);
    if (good && worker.decoder != nullptr) {
        good = worker.decoder->Decode(worker.encoded, decoded, size);
    } else if (good) {
        good = worker.encoded.size() == size;
        if (good) std::memcpy(decoded, worker.encoded.data(), size);
    }
    if (good) return;
    std::fprintf(stderr, "zarr_floor: cannot read chunk %zu of %s\n", index, layout.folder.c_str());
    std::exit(1);
}

void ReadChunk(const Layout& layout, std::size_t index, const Shards& shards, Worker& worker,
               std::uint8_t* array) {
    DecodeChunk(layout, index, shards, worker, worker.decoded.data());
    CopyToArray(layout, layout.ChunkAt(index), 0, worker.decoded.data(), array);
}

// Calls task(thread, k) for each k below `count`, on `threads` threads. `thread` is the number of
// the thread.
void RunOnThreads(std::size_t count, std::size_t threads,
                  const std::function<void(std::size_t, std::size_t)>& task) {
    std::atomic<std::size_t> next{0};
    const auto work = [&](std::size_t thread) {
        for (std::size_t k = next++; k < count; k = next++) task(thread, k);
    };
    std::vector<std::thread> helpers;
    for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(work, i);
    work(0);
    for (std::thread& thread : helpers) thread.join();
}

// Opens the shards that contain the chunks `indices`, and reads the shard indexes.
Shards OpenShards(const Layout& layout, const Sizes& indices, std::size_t threads) {
    Shards shards;
    if (!layout.is_sharded()) return shards;
    for (const std::size_t index : indices) shards[layout.ShardOf(layout.ChunkAt(index))];
    std::vector<Shards::value_type*> all;
    for (auto& each : shards) all.push_back(&each);
    std::size_t chunks = 1;
    for (std::size_t i = 0; i < layout.chunks.size(); ++i)
        chunks *= layout.shards[i] / layout.chunks[i];
    RunOnThreads(all.size(), threads, [&](std::size_t /*thread*/, std::size_t k) {
        if (all[k]->second.Open(layout.PathOf(all[k]->first), chunks)) return;
        std::fprintf(stderr, "zarr_floor: cannot read %s\n", layout.PathOf(all[k]->first).c_str());
        std::exit(1);
    });
    return shards;
}

// Reads the chunks `indices` into `array`. Returns the time in seconds.
double ReadChunks(const Layout& layout, const Sizes& indices, std::vector<Worker>& workers,
                  std::uint8_t* array) {
    const auto start = std::chrono::steady_clock::now();
    const Shards shards = OpenShards(layout, indices, workers.size());
    RunOnThreads(indices.size(), workers.size(), [&](std::size_t thread, std::size_t k) {
        ReadChunk(layout, indices[k], shards, workers[thread], array);
    });
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Encodes all chunks of `array` and writes them to files in `folder`. Returns the time in seconds.
double WriteChunks(const Layout& layout, const std::string& folder, const std::string& variant,
                   std::vector<Worker>& workers, const std::uint8_t* array) {
    Layout target = layout;
    target.folder = folder;
    target.shards.clear();
    const auto start = std::chrono::steady_clock::now();
    RunOnThreads(Product(layout.grid()), workers.size(), [&](std::size_t thread, std::size_t k) {
        Worker& worker = workers[thread];
        const Sizes chunk = layout.ChunkAt(k);
        CopyFromArray(layout, chunk, 0, array, worker.decoded.data());
        const bool is_encoded =
            worker.decoder == nullptr ||
            worker.decoder->Encode(worker.decoded, layout.item_size, variant, worker.encoded);
        if (is_encoded &&
            WriteWholeFile(target.PathOf(chunk),
                           worker.decoder == nullptr ? worker.decoded : worker.encoded))
            return;
        std::fprintf(stderr, "zarr_floor: cannot write chunk %zu to %s\n", k, folder.c_str());
        std::exit(1);
    });
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Returns the numbers of all chunks that the windows overlap. Each number occurs once.
Sizes Touched(const Layout& layout, const std::vector<Sizes>& windows) {
    const std::size_t across = layout.grid()[1];
    std::set<std::size_t> touched;
    for (const Sizes& w : windows)
        for (std::size_t i = w[1] / layout.chunks[0]; i * layout.chunks[0] < w[1] + w[3]; ++i)
            for (std::size_t j = w[0] / layout.chunks[1]; j * layout.chunks[1] < w[0] + w[2]; ++j)
                touched.insert(i * across + j);
    return {touched.begin(), touched.end()};
}

// Copies the elements of chunk number `index` that are in a window to the window's `memory`.
void CopyPart(const Layout& layout, const Sizes& window, std::size_t index,
              const std::uint8_t* chunk, std::uint8_t* memory) {
    const Sizes at = layout.ChunkAt(index);
    const std::size_t top = std::max(window[1], at[0] * layout.chunks[0]);
    const std::size_t left = std::max(window[0], at[1] * layout.chunks[1]);
    const std::size_t bottom = std::min(window[1] + window[3], (at[0] + 1) * layout.chunks[0]);
    const std::size_t right = std::min(window[0] + window[2], (at[1] + 1) * layout.chunks[1]);
    for (std::size_t row = top; row < bottom; ++row)
        std::memcpy(memory + ((row - window[1]) * window[2] + left - window[0]) * layout.item_size,
                    chunk + (row % layout.chunks[0] * layout.chunks[1] + left % layout.chunks[1]) *
                                layout.item_size,
                    (right - left) * layout.item_size);
}

// Reads windows. `parts` has the memory of each window. Returns the time in seconds.
double ReadWindows(const Layout& layout, const std::vector<Sizes>& windows,
                   std::vector<Worker>& workers, const std::vector<std::uint8_t*>& parts) {
    // The buffers are kept, so later calls find their pages resident.
    static std::map<std::size_t, std::vector<std::uint8_t>> chunks;
    const Sizes touched = Touched(layout, windows);
    for (const std::size_t index : touched) chunks[index].resize(layout.chunk_bytes());
    const auto start = std::chrono::steady_clock::now();
    const Shards shards = OpenShards(layout, touched, workers.size());
    RunOnThreads(touched.size(), workers.size(), [&](std::size_t thread, std::size_t k) {
        DecodeChunk(layout, touched[k], shards, workers[thread], chunks.at(touched[k]).data());
    });
    RunOnThreads(windows.size(), workers.size(), [&](std::size_t /*thread*/, std::size_t k) {
        for (const std::size_t index : Touched(layout, {windows[k]}))
            CopyPart(layout, windows[k], index, chunks.at(index).data(), parts[k]);
    });
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double ReadWindows(const Layout& layout, const std::vector<Sizes>& windows,
                   std::vector<Worker>& workers, bool is_new) {
    std::size_t bytes = 0;
    for (const Sizes& window : windows) bytes += window[2] * window[3] * layout.item_size;
    static std::unique_ptr<Memory> kept;
    static std::size_t kept_bytes = 0;
    if (!is_new && kept_bytes < bytes) {
        kept = std::make_unique<Memory>(bytes);
        kept_bytes = bytes;
    }
    const auto fresh = is_new ? std::make_unique<Memory>(bytes, false) : nullptr;
    std::uint8_t* next = (is_new ? fresh : kept)->data();
    std::vector<std::uint8_t*> parts;
    for (const Sizes& window : windows) {
        parts.push_back(next);
        next += window[2] * window[3] * layout.item_size;
    }
    return ReadWindows(layout, windows, workers, parts);
}

Sizes ParseSizes(const std::string& text) {
    Sizes sizes;
    std::istringstream stream(text);
    for (std::string item; std::getline(stream, item, ',');)
        sizes.push_back(std::strtoul(item.c_str(), nullptr, 10));
    return sizes;
}

void Answer(const std::string& line, const Layout& layout, std::vector<Worker>& workers,
            const Memory& memory) {
    std::istringstream request(line);
    std::string verb;
    request >> verb;
    const bool is_new = line.find(" new") == verb.size();
    if (is_new) request.ignore(std::strlen(" new"));
    if (verb == "windows") {
        std::vector<Sizes> windows;
        for (std::string window; request >> window;) windows.push_back(ParseSizes(window));
        std::printf("{\"seconds\": %.6f}\n", ReadWindows(layout, windows, workers, is_new));
        std::fflush(stdout);
        return;
    }
    if (verb == "write") {
        std::string folder;
        std::string variant;
        request >> folder >> variant;
        std::printf("{\"seconds\": %.6f}\n",
                    WriteChunks(layout, folder, variant, workers, memory.data()));
        std::fflush(stdout);
        return;
    }
    Sizes indices(Product(layout.grid()));
    std::iota(indices.begin(), indices.end(), std::size_t{0});
    const auto fresh = is_new ? std::make_unique<Memory>(layout.bytes(), false) : nullptr;
    const double seconds =
        ReadChunks(layout, indices, workers, is_new ? fresh->data() : memory.data());
    if (verb == "check")
        std::printf("{\"crc32\": %lu}\n", crc32_z(0, memory.data(), layout.bytes()));
    else
        std::printf("{\"seconds\": %.6f}\n", seconds);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 6 || argc > 7) {
        std::fputs("zarr_floor FOLDER CODEC ITEM_SIZE SHAPE CHUNKS [SHARDS]\n", stderr);
        return 2;
    }
    const Layout layout{argv[1],
                        argv[2],
                        std::strtoul(argv[3], nullptr, 10),
                        ParseSizes(argv[4]),
                        ParseSizes(argv[5]),
                        argc > 6 ? ParseSizes(argv[6]) : Sizes()};
    bool has_sizes = !layout.shape.empty() && layout.shape.size() == layout.chunks.size() &&
                     layout.bytes() != 0 && layout.chunk_bytes() != 0 &&
                     (layout.shards.empty() || layout.shards.size() == layout.chunks.size());
    for (std::size_t i = 0; has_sizes && i < layout.shards.size(); ++i)
        has_sizes = layout.shards[i] != 0 && layout.shards[i] % layout.chunks[i] == 0;
    if (!has_sizes || (layout.codec != "none" && MakeFloorCodec(layout.codec) == nullptr)) {
        std::fputs(
            "zarr_floor: sizes must be 1 or more, shards made of whole chunks, and the codec"
            " blosc, zstd, zlib, gzip or none\n",
            stderr);
        return 2;
    }
    const std::size_t threads = std::thread::hardware_concurrency();
    const Memory memory(layout.bytes());
    std::vector<Worker> workers;
    for (std::size_t i = 0; i < std::max<std::size_t>(threads, 1); ++i)
        workers.emplace_back(layout);
    for (std::string line; std::getline(std::cin, line);) Answer(line, layout, workers, memory);
    return 0;
}
