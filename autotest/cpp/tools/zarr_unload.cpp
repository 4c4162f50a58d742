// SPDX-License-Identifier: MIT
// Loads and unloads the plugin, and ends the process in several ways while threads are alive:
//   zarr_unload WAY PLUGIN STORE [ROUNDS]
//   reload    Each round loads and registers the plugin, reads with threads, destroys the drivers
//             of GDAL, unloads the plugin, and forks. In every tenth round idle threads end first.
//   register  Like reload, but the plugin is loaded only once.
//   exit      Calls exit() while threads read.
//   leave     Returns from main() while threads are idle and datasets are open. A dataset has a
//             chunk that is not stored yet.
//   static    Returns from main(). Then a static object closes a dataset with a chunk that is not
//             stored yet, and reads the store.
// STORE is an int32 array with the values 0, 1, 2, ... Prints "threads N", the number of threads at
// the end, for reload and register. Prints "ok" if all values were right. POSIX only.
#include <cpl_conv.h>
#include <dlfcn.h>
#include <gdal_priv.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kThreads = 3;
constexpr std::chrono::milliseconds kLongerThanIdleThreads{1300};

[[noreturn]] void Fail(const std::string& what) {
    std::fprintf(stderr, "%s\n", what.c_str());
    std::_Exit(1);
}

void* Load(const std::string& plugin) {
    void* const handle = dlopen(plugin.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) Fail(dlerror());
    return handle;
}

void Register(void* handle) {
    using Function = void (*)();
    const auto function = reinterpret_cast<Function>(dlsym(handle, "GDALRegister_ZarrV2"));
    if (function == nullptr) Fail(dlerror());
    function();
    if (GetGDALDriverManager()->GetDriverByName("ZarrBuiltin") == nullptr) Fail("not registered");
}

bool ReadAll(const std::string& store, std::int32_t first_value = 0) {
    const GDALDatasetUniquePtr dataset(GDALDataset::Open(store.c_str(), GDAL_OF_RASTER));
    if (dataset == nullptr) return false;
    const int columns = dataset->GetRasterXSize();
    const int rows = dataset->GetRasterYSize();
    std::vector<std::int32_t> values(static_cast<std::size_t>(columns) *
                                     static_cast<std::size_t>(rows));
    if (dataset->GetRasterBand(1)->RasterIO(GF_Read, 0, 0, columns, rows, values.data(), columns,
                                            rows, GDT_Int32, 0, 0, nullptr) != CE_None)
        return false;
    for (std::size_t i = 1; i < values.size(); ++i)
        if (values[i] != static_cast<std::int32_t>(i)) return false;
    return values[0] == first_value;
}

void ReadInThreads(const std::string& store) {
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 3; ++i) wrong += ReadAll(store) ? 0 : 1;
        });
    for (std::thread& thread : threads) thread.join();
    if (wrong != 0) Fail("wrong values");
}

// Forks the process, to call the fork handlers of all libraries. A handler in unloaded code would
// crash.
void Fork() {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) Fail("the child failed");
}

std::ptrdiff_t CountThreads() {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
}

void Repeat(const std::string& plugin, const std::string& store, int rounds, bool unload) {
    void* kept = unload ? nullptr : Load(plugin);
    for (int round = 0; round < rounds; ++round) {
        void* const handle = unload ? Load(plugin) : kept;
        Register(handle);
        ReadInThreads(store);
        GDALDestroyDriverManager();
        if (unload) dlclose(handle);
        if (round % 10 == 0) std::this_thread::sleep_for(kLongerThanIdleThreads);
        Fork();
    }
    std::this_thread::sleep_for(kLongerThanIdleThreads);
    std::printf("threads %td\n", CountThreads());
}

void KeepReading(const std::string& store) {
    static std::atomic<int> reads{0};
    for (std::size_t t = 0; t < kThreads; ++t)
        std::thread([store] {
            for (;;) {
                // While the process ends, GDAL may destroy objects during a read, so a wrong result
                // is not counted.
                if (ReadAll(store)) ++reads;
            }
        }).detach();
    while (reads < 10) std::this_thread::yield();
}

// Returns a dataset in update mode with a chunk that is partly written and not stored yet.
GDALDataset* LeaveOpen(const std::string& store, std::int32_t first_value) {
    auto* const dataset = GDALDataset::Open(store.c_str(), GDAL_OF_RASTER | GDAL_OF_UPDATE);
    if (dataset == nullptr) Fail("does not open for update");
    if (dataset->GetRasterBand(1)->RasterIO(GF_Write, 0, 0, 1, 1, &first_value, 1, 1, GDT_Int32, 0,
                                            0, nullptr) != CE_None)
        Fail("cannot be written");
    return dataset;
}

struct AtTheEnd {
    GDALDatasetUniquePtr dataset;
    std::string store;
    std::int32_t first_value = -7;

    ~AtTheEnd() {
        if (dataset == nullptr) return;
        dataset.reset();
        if (!ReadAll(store, first_value)) Fail("wrong values at the end");
    }
} at_the_end;

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) Fail("usage: zarr_unload WAY PLUGIN STORE [ROUNDS]");
    const std::string way = argv[1];
    const std::string plugin = argv[2];
    const std::string store = argv[3];
    const int rounds = argc > 4 ? std::atoi(argv[4]) : 20;
    CPLSetConfigOption("GDAL_NUM_THREADS", "4");
    if (way == "reload" || way == "register") {
        Repeat(plugin, store, rounds, way == "reload");
    } else {
        Register(Load(plugin));
        ReadInThreads(store);
        if (way == "exit") KeepReading(store);
        if (way == "leave") LeaveOpen(store, -1);
        if (way == "static") {
            at_the_end.store = store;
            at_the_end.dataset.reset(LeaveOpen(store, at_the_end.first_value));
        }
    }
    std::puts("ok");
    std::fflush(stdout);
    if (way == "exit") std::exit(0);
    return 0;
}
