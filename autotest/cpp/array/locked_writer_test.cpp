// SPDX-License-Identifier: MIT
// Tests of several writers of the same chunks, which are threads of one process or separate
// processes with shared locks.
#include <functional>
#include <future>
#include <thread>

#include "autotest/cpp/array/sample_array.h"
#include "autotest/cpp/support/shared_store.h"
#include "autotest/cpp/support/temp_folder.h"
#include "core/array/array_writer.h"
#include "core/dtype/stored_converter.h"

namespace zarr::test {
namespace {

constexpr std::size_t kLockedCache = std::size_t{1} << 24;

// Simulates a process: opens the array, with its own cache and its own pending chunks.
class Process {
  public:
    Process(const SampleSpec& spec, const std::shared_ptr<Store>& store,
            const std::shared_ptr<Synchronizer>& locks, std::size_t pending_bytes = kLockedCache) {
        auto opened = Array::Open(store, "dem", spec.Metadata(),
                                  std::make_shared<ArrayContext>(kLockedCache));
        EXPECT_TRUE(Succeeds(opened));
        array_ = opened.Take();
        writer_ = NewWriter(store, locks, pending_bytes);
    }

    std::unique_ptr<ArrayWriter> NewWriter(const std::shared_ptr<Store>& store,
                                           const std::shared_ptr<Synchronizer>& locks,
                                           std::size_t pending_bytes = kLockedCache) const {
        auto writer = ArrayWriter::Open(array_, store, pending_bytes, locks);
        EXPECT_TRUE(Succeeds(writer));
        return writer.Take();
    }

    const Array& array() const { return *array_; }
    ArrayWriter& writer() { return *writer_; }

    // Writes `elements`, row-major uint8, into `region` of the array.
    Status Write(const Region& region, const std::string& elements) {
        const Source source{reinterpret_cast<const std::uint8_t*>(elements.data()),
                            ContiguousStrides(region.count, 1, false), CopyConverter(1)};
        return writer_->Write(region, 0, source, 2);
    }
    std::string All() const {
        const auto all = ReadRowMajor(*array_, Region::All(array_->metadata().shape), 1);
        EXPECT_TRUE(Succeeds(all));
        return all.ok() ? *all : "";
    }

  private:
    std::shared_ptr<const Array> array_;
    std::unique_ptr<ArrayWriter> writer_;
};

Region Line(std::uint64_t start, std::uint64_t count, std::int64_t step = 1) {
    Region line;
    line.start.push_back(start);
    line.count.push_back(count);
    line.step.push_back(step);
    return line;
}

std::string StoredBy(const std::shared_ptr<Store>& store, const SampleSpec& spec) {
    return Process(spec, store, nullptr).All();
}

const SampleSpec kEight{{8}, {8}, "\"|u1\"", "0"};

TEST(LockedWriter, WritersOfOneChunkNeedLocks) {
    for (const bool is_locked : {true, false}) {
        const auto store = std::make_shared<ObservingStore>();
        const auto locks = is_locked ? std::make_shared<MemoryLocks>() : nullptr;
        Process first(kEight, store, locks);
        Process second(kEight, store, locks);
        // Both processes change chunk 0 before either of them stores it.
        ASSERT_TRUE(Succeeds(first.Write(Line(0, 4, 2), "aceg")));
        ASSERT_TRUE(Succeeds(second.Write(Line(1, 4, 2), "bdfh")));
        ASSERT_TRUE(Succeeds(first.writer().Flush(1)));
        ASSERT_TRUE(Succeeds(second.writer().Flush(1)));
        const std::string lost("\0b\0d\0f\0h", 8);
        EXPECT_EQ(StoredBy(store, kEight), is_locked ? "abcdefgh" : lost);
        if (is_locked) {
            EXPECT_EQ(second.All(), "abcdefgh") << "what was stored is what is remembered";
        }
    }
}

TEST(LockedWriter, PartsAreMergedWithTheStoreNotTheCache) {
    const auto store = std::make_shared<ObservingStore>();
    const auto locks = std::make_shared<MemoryLocks>();
    Process first(kEight, store, locks);
    Process second(kEight, store, locks);
    ASSERT_TRUE(Succeeds(first.array().Preload(Line(0, 8), 1)));
    ASSERT_TRUE(Succeeds(second.Write(Line(0, 8), "ABCDEFGH")));
    ASSERT_TRUE(Succeeds(first.Write(Line(2, 1), "x")));
    ASSERT_TRUE(Succeeds(first.writer().Flush(1)));
    EXPECT_EQ(StoredBy(store, kEight), "ABxDEFGH");
}

// The first process has changed elements in memory, and the second stores the same chunk. After
// DropChanged(), the first process reads the changes of both.
TEST(LockedWriter, PendingPartsDoNotHideChangesOfOthers) {
    for (const char* dtype : {"\"|u1\"", "\"|S1\""}) {
        // The second chunk extends beyond the array.
        const SampleSpec spec{{11}, {8}, dtype, "null"};
        const auto store = std::make_shared<ObservingStore>();
        const auto locks = std::make_shared<MemoryLocks>();
        Process first(spec, store, locks);
        Process second(spec, store, locks);
        ASSERT_TRUE(Succeeds(second.Write(Line(0, 11), "abcdefghijk")));
        ASSERT_TRUE(Succeeds(second.writer().Flush(1)));
        ASSERT_TRUE(Succeeds(first.Write(Line(1, 1), "1")));
        ASSERT_TRUE(Succeeds(first.Write(Line(9, 1), "9")));
        ASSERT_TRUE(Succeeds(second.Write(Line(0, 11), "ABCDEFGHIJK")));
        ASSERT_TRUE(Succeeds(second.writer().Flush(1)));
        EXPECT_EQ(first.All(), "a1cdefghi9k");
        first.array().DropChanged();
        EXPECT_EQ(first.All(), "A1CDEFGHI9K");
        ASSERT_TRUE(Succeeds(first.writer().Flush(1)));
        EXPECT_EQ(StoredBy(store, spec), "A1CDEFGHI9K");
    }
}

TEST(LockedWriter, StoredChunksDoNotHideLaterChangesOfOthers) {
    const auto store = std::make_shared<ObservingStore>();
    const auto locks = std::make_shared<MemoryLocks>();
    Process first(kEight, store, locks);
    Process second(kEight, store, locks);
    ASSERT_TRUE(Succeeds(first.Write(Line(0, 4), "abcd")));
    std::future<void> opening;
    locks->on_release = [&] {
        locks->on_release = nullptr;
        EXPECT_TRUE(Succeeds(second.Write(Line(0, 8), "ABCDEFGH")));
        EXPECT_TRUE(Succeeds(second.writer().Flush(1)));
        opening = std::async(std::launch::async, [&] { first.array().DropChanged(); });
        // DropChanged() of `first` gets time to run. If Flush() then cached its chunk, reads of
        // `first` would miss the newer chunk of `second`.
        opening.wait_for(std::chrono::milliseconds(50));
    };
    ASSERT_TRUE(Succeeds(first.writer().Flush(1)));
    opening.get();
    EXPECT_EQ(first.All(), "ABCDEFGH");
}

TEST(LockedWriter, EqualValuesAreWrittenToo) {
    const auto store = std::make_shared<ObservingStore>();
    const auto locks = std::make_shared<MemoryLocks>();
    Process first(kEight, store, locks);
    ASSERT_TRUE(Succeeds(first.Write(Line(0, 8), "ABCDEFGH")));
    ASSERT_TRUE(Succeeds(first.Write(Line(1, 1), "B")));
    Process second(kEight, store, locks);
    ASSERT_TRUE(Succeeds(second.Write(Line(0, 8), "12345678")));
    ASSERT_TRUE(Succeeds(first.writer().Flush(1)));
    EXPECT_EQ(StoredBy(store, kEight), "1B345678");
}

TEST(LockedWriter, EveryChunkIsChangedUnderItsLock) {
    const auto store = std::make_shared<ObservingStore>();
    const auto locks = std::make_shared<MemoryLocks>();
    std::atomic<int> changes{0};
    store->on_change = [&](const std::string& key) {
        EXPECT_TRUE(locks->IsHeld(key)) << key;
        ++changes;
    };
    const SampleSpec spec{{20}, {8}, "\"|u1\"", "0"};
    Process process(spec, store, locks);
    ASSERT_TRUE(Succeeds(process.Write(Line(0, 20), std::string(20, 'w'))));
    ASSERT_TRUE(Succeeds(process.Write(Line(5, 8), std::string(8, 'p'))));
    ASSERT_TRUE(Succeeds(process.writer().Flush(2)));
    ASSERT_TRUE(Succeeds(process.Write(Line(0, 20), std::string(20, '\0'))));
    EXPECT_EQ(changes, 3 + 2 + 3);
    EXPECT_FALSE(locks->IsHeld("dem/0"));
}

// Each process writes random parts of every third column, which no other process writes.
void WriteInTurns(Random& random, const SampleSpec& spec) {
    constexpr std::uint64_t kProcesses = 3;
    const ArrayMetadata metadata = spec.Metadata();
    const DataType& type = metadata.dtype;
    const auto op = WriteConverter(type.Native(), type);
    ASSERT_TRUE(Succeeds(op));
    const auto store = std::make_shared<ObservingStore>();
    const auto locks = std::make_shared<MemoryLocks>();
    std::vector<std::unique_ptr<Process>> processes;
    for (std::uint64_t i = 0; i < kProcesses; ++i)
        processes.push_back(
            std::make_unique<Process>(spec, store, locks, i == 0 ? std::size_t{0} : kLockedCache));
    const auto model_store = std::make_shared<ObservingStore>();
    Process model(spec, model_store, nullptr);
    for (int turn = 0; turn < 60; ++turn) {
        const std::uint64_t who = random.Below(kProcesses);
        Region region = RandomRegion(random, {metadata.shape[0], 1});
        region.start[1] = who;
        region.step[1] = kProcesses;
        region.count[1] = 1 + random.Below((metadata.shape[1] - who - 1) / kProcesses + 1);
        const std::string elements =
            random.Bytes(static_cast<std::size_t>(region.size()) * type.size);
        const Source source{reinterpret_cast<const std::uint8_t*>(elements.data()),
                            ContiguousStrides(region.count, type.size, false), *op};
        ASSERT_TRUE(Succeeds(processes[who]->writer().Write(region, 0, source, 2)));
        ASSERT_TRUE(Succeeds(model.writer().Write(region, 0, source, 1)));
        if (turn % 4 == 0) {
            ASSERT_TRUE(Succeeds(processes[random.Below(kProcesses)]->writer().Flush(2)));
        }
    }
    for (const auto& process : processes) ASSERT_TRUE(Succeeds(process->writer().Flush(2)));
    EXPECT_EQ(StoredBy(store, spec), model.All()) << spec.Text();
}

TEST(LockedWriter, ProcessesInRandomTurns) {
    Random random(11);
    for (const char* compressor : {"null", R"({"id": "zlib", "level": 1})"}) {
        for (const bool fortran : {false, true}) {
            for (const char* dtype : {"\"<i2\"", "\">f8\"", "\"|u1\""}) {
                SampleSpec spec{{11, 17}, {4, 7}, dtype};
                spec.compressor = compressor;
                spec.fortran_order = fortran;
                WriteInTurns(random, spec);
            }
        }
    }
}

TEST(LockedWriter, TwoProcessesWriteFieldsOfOneElement) {
    const SampleSpec spec{{4}, {4}, R"([["a", "|u1"], ["b", "|u1"]])", "null"};
    const auto store = std::make_shared<ObservingStore>();
    const auto locks = std::make_shared<MemoryLocks>();
    Process first(spec, store, locks);
    Process second(spec, store, locks);
    const auto source = [](const char* values) {
        return Source{reinterpret_cast<const std::uint8_t*>(values), {1}, CopyConverter(1)};
    };
    ASSERT_TRUE(Succeeds(first.writer().Write(Line(0, 4), 0, source("abcd"), 1)));
    ASSERT_TRUE(Succeeds(second.writer().Write(Line(0, 4), 1, source("1234"), 1)));
    ASSERT_TRUE(Succeeds(second.writer().Flush(1)));
    ASSERT_TRUE(Succeeds(first.writer().Flush(1)));
    EXPECT_EQ(StoredBy(store, spec), "a1b2c3d4");
}

TEST(LockedWriter, Texts) {
    for (const bool fortran : {false, true}) {
        SampleSpec spec{{2, 4}, {2, 3}, "\"|O\"", "\"\"", "null", R"([{"id": "vlen-utf8"}])"};
        spec.fortran_order = fortran;
        const auto store = std::make_shared<ObservingStore>();
        const auto locks = std::make_shared<MemoryLocks>();
        Process first(spec, store, locks);
        Process second(spec, store, locks);
        Region even = Region::All({2, 4});
        even.step[1] = 2;
        even.count[1] = 2;
        Region odd = even;
        odd.start[1] = 1;
        ASSERT_TRUE(Succeeds(first.writer().WriteObjects(even, {"a", "ccc", "e", "gg"}, 1)));
        ASSERT_TRUE(Succeeds(second.writer().WriteObjects(odd, {"bb", "d", "ff", "h"}, 1)));
        ASSERT_TRUE(Succeeds(first.writer().Flush(1)));
        ASSERT_TRUE(Succeeds(second.writer().Flush(1)));
        const auto all = Process(spec, store, nullptr).array().ReadObjects(Region::All({2, 4}), 1);
        ASSERT_TRUE(Succeeds(all));
        EXPECT_EQ(*all, (std::vector<std::string>{"a", "bb", "ccc", "d", "e", "ff", "gg", "h"}));
    }
}

TEST(LockedWriter, FailedChunksStayPending) {
    SampleSpec spec = kEight;
    spec.compressor = R"({"id": "zlib"})";
    const auto store = std::make_shared<ObservingStore>();
    const auto locks = std::make_shared<MemoryLocks>();
    Process process(spec, store, locks);
    ASSERT_TRUE(Succeeds(process.Write(Line(1, 2), "xy")));
    locks->fails = true;
    EXPECT_TRUE(Fails(process.writer().Flush(1), StatusCode::kIo,
                      "dem/0: chunk [0]: locks/dem/0: cannot lock"));
    locks->fails = false;
    ASSERT_TRUE(Succeeds(store->Set("dem/0", ByteSpan(std::string_view("rubbish")))));
    EXPECT_TRUE(Fails(process.writer().Flush(1), StatusCode::kCorrupt, "dem/0: chunk [0]"));
    ASSERT_TRUE(Succeeds(store->Erase("dem/0")));
    store->fails = true;
    EXPECT_TRUE(Fails(process.writer().Flush(1), StatusCode::kIo, "dem/0: disk full"));
    store->fails = false;
    EXPECT_EQ(process.All(), std::string("\0xy\0\0\0\0\0", 8));
    ASSERT_TRUE(Succeeds(process.writer().Flush(1)));
    EXPECT_TRUE(process.array().pending().empty());
    EXPECT_EQ(StoredBy(store, spec), std::string("\0xy\0\0\0\0\0", 8));
}

TEST(LockedWriter, AWriterWithoutLocksInOneProcessLosesNothing) {
    const auto store = std::make_shared<ObservingStore>();
    const auto locks = std::make_shared<MemoryLocks>();
    Process here(kEight, store, locks);
    Process there(kEight, store, locks);
    const auto plain = here.NewWriter(store, nullptr);
    const auto write = [](ArrayWriter& writer, std::uint64_t at, const char* value) {
        const Source source{reinterpret_cast<const std::uint8_t*>(value), {1}, CopyConverter(1)};
        return writer.Write(Line(at, 1), 0, source, 1);
    };
    ASSERT_TRUE(Succeeds(write(*plain, 0, "a")));
    ASSERT_TRUE(Succeeds(write(here.writer(), 1, "b")));
    ASSERT_TRUE(Succeeds(write(*plain, 2, "c")));
    ASSERT_TRUE(Succeeds(there.Write(Line(3, 5), "defgh")));
    ASSERT_TRUE(Succeeds(there.writer().Flush(1)));
    ASSERT_TRUE(Succeeds(plain->Flush(1)));
    EXPECT_EQ(StoredBy(store, kEight), "abcdefgh");
}

TEST(LockedWriter, APartWrittenDuringAWholeChunkComesAfterIt) {
    const auto store = std::make_shared<ObservingStore>();
    Process process(kEight, store, nullptr);
    std::future<Status> part;
    store->on_change = [&](const std::string&) {
        if (part.valid()) return;
        part = std::async(std::launch::async, [&] { return process.Write(Line(3, 1), "x"); });
        // The thread of `part` gets time to write. If this thread did not wait until the whole
        // chunk is stored, it would now read the old chunk.
        part.wait_for(std::chrono::milliseconds(50));
    };
    ASSERT_TRUE(Succeeds(process.Write(Line(0, 8), "ABCDEFGH")));
    ASSERT_TRUE(Succeeds(part.get()));
    ASSERT_TRUE(Succeeds(process.writer().Flush(1)));
    EXPECT_EQ(StoredBy(store, kEight), "ABCxEFGH");
}

TEST(LockedWriter, AFailingWholeChunkKeepsEarlierParts) {
    const auto store = std::make_shared<ObservingStore>();
    Process process(kEight, store, nullptr);
    ASSERT_TRUE(Succeeds(process.Write(Line(0, 2), "ab")));
    store->fails = true;
    EXPECT_TRUE(Fails(process.Write(Line(0, 8), "ABCDEFGH"), StatusCode::kIo, "dem/0"));
    store->fails = false;
    ASSERT_TRUE(Succeeds(process.writer().Flush(1)));
    EXPECT_EQ(StoredBy(store, kEight), std::string("ab\0\0\0\0\0\0", 8));
}

TEST(LockedWriter, AWholeChunkCanBePending) {
    const std::string elements = "ABCDEFGHIJ";
    const Source source{
        reinterpret_cast<const std::uint8_t*>(elements.data()), {1}, CopyConverter(1)};
    for (const bool is_locked : {true, false}) {
        const SampleSpec spec{{10}, {4}, "\"|u1\"", "0"};
        const auto store = std::make_shared<ObservingStore>();
        // Storing a whole chunk must not read the old chunk, which is damaged here.
        ASSERT_TRUE(Succeeds(store->Set("dem/0", ByteSpan(std::string_view("rubbish")))));
        Process process(spec, store, is_locked ? std::make_shared<MemoryLocks>() : nullptr);
        ASSERT_TRUE(
            Succeeds(process.writer().Write(Line(0, 10), 0, source, 2, WholeChunks::kPending)));
        EXPECT_EQ(process.array().pending().count(), 3U);
        EXPECT_EQ(process.All(), elements);
        store->fails = true;
        EXPECT_TRUE(Fails(process.writer().Flush(2), StatusCode::kIo, "disk full"));
        store->fails = false;
        ASSERT_TRUE(Succeeds(process.writer().Flush(2)));
        EXPECT_EQ(StoredBy(store, spec), elements);
    }
}

TEST(LockedWriter, AFailingStoreDoesNotFillTheMemory) {
    const SampleSpec spec{{1000}, {10}, "\"|u1\"", "0"};
    const auto store = std::make_shared<ObservingStore>();
    // 10 elements fill a chunk, 5 elements only a part of it.
    for (const std::uint64_t count : {10U, 5U}) {
        Process process(spec, store, nullptr, 100);
        store->fails = true;
        int taken = 0;
        for (std::uint64_t at = 0; at < 1000; at += 10)
            if (process.Write(Line(at, count), std::string(count, 'x')).ok()) ++taken;
        EXPECT_LE(taken, 10);
        EXPECT_LE(process.array().pending().count(), 12U);
        store->fails = false;
        EXPECT_TRUE(Succeeds(process.writer().Flush(1)));
    }
}

// Writes from several threads at once: thread t writes every fourth element, from element t on,
// through the Process that of(t) returns. Returns the stored elements.
std::string WriteFromThreads(const SampleSpec& spec, const std::shared_ptr<Store>& store,
                             const std::function<Process&(int)>& of) {
    constexpr int kThreads = 4;
    const std::uint64_t size = spec.shape[0];
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            Process& process = of(t);
            for (int round = 1; round <= 5; ++round) {
                for (auto i = static_cast<std::uint64_t>(t); i < size; i += kThreads) {
                    const std::string value(1, static_cast<char>('0' + round));
                    EXPECT_TRUE(Succeeds(process.Write(Line(i, 1), value)));
                    if (i % 12 == 0) {
                        EXPECT_TRUE(Succeeds(process.writer().Flush(2)));
                    }
                    if (i % 20 == 1) {
                        EXPECT_EQ(process.All().size(), size);
                    }
                }
            }
            EXPECT_TRUE(Succeeds(process.writer().Flush(1)));
        });
    }
    for (std::thread& thread : threads) thread.join();
    return StoredBy(store, spec);
}

const SampleSpec kLong{{100}, {30}, "\"|u1\"", "0"};

TEST(LockedWriter, ThreadsOfOneProcessNeedNoLocks) {
    const auto store = std::make_shared<ObservingStore>();
    Process process(kLong, store, nullptr, 60);
    const auto of = [&](int) -> Process& { return process; };
    EXPECT_EQ(WriteFromThreads(kLong, store, of), std::string(100, '5'));
}

TEST(LockedWriter, ThreadsOfOneProcessWithLocks) {
    const auto store = std::make_shared<ObservingStore>();
    Process process(kLong, store, std::make_shared<MemoryLocks>(), 60);
    const auto of = [&](int) -> Process& { return process; };
    EXPECT_EQ(WriteFromThreads(kLong, store, of), std::string(100, '5'));
}

void ProcessesAsThreads(const std::shared_ptr<Synchronizer>& locks) {
    const auto store = std::make_shared<ObservingStore>();
    std::vector<std::unique_ptr<Process>> processes;
    for (int i = 0; i < 4; ++i)
        processes.push_back(std::make_unique<Process>(kLong, store, locks, 60));
    const auto of = [&](int t) -> Process& { return *processes[static_cast<std::size_t>(t)]; };
    EXPECT_EQ(WriteFromThreads(kLong, store, of), std::string(100, '5'));
}

TEST(LockedWriter, ProcessesAtTheSameTime) { ProcessesAsThreads(std::make_shared<MemoryLocks>()); }

TEST(LockedWriter, ProcessesAtTheSameTimeWithLockFiles) {
    const TempFolder folder;
    auto locks = OpenProcessSynchronizer((folder.path() / "locks").string());
    ASSERT_TRUE(Succeeds(locks));
    ProcessesAsThreads(*locks);
}

}  // namespace
}  // namespace zarr::test
