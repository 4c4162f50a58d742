// SPDX-License-Identifier: MIT
#include "core/store/local_file.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#if defined(__linux__)
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "autotest/cpp/support/checks.h"
#include "autotest/cpp/support/temp_folder.h"
#include "core/base/thread_pool.h"

namespace zarr {
namespace {

constexpr std::size_t kSize = (std::size_t{12} << 20) + 12345;

class LocalFiles : public testing::Test {
  protected:
    void SetUp() override {
        test::Random random(17);
        contents_ = random.Bytes(std::size_t{1} << 16);
        while (contents_.size() < kSize) contents_ += contents_;
        contents_.resize(kSize);
        for (std::size_t i = 0; i < kSize; i += 4096) contents_[i] = static_cast<char>(i >> 12);
        std::ofstream(path_, std::ios::binary) << contents_;
        ASSERT_EQ(file_.Open(path_), 0);
        ASSERT_EQ(file_.size(), kSize);
    }

    const test::TempFolder folder_;
    const std::string path_ = (folder_.path() / "file").string();
    std::string contents_;
    LocalFile file_;
};

// Reads to any address and from any position: `place` is the offset of the destination in a page,
// `offset` the position in the file.
TEST_F(LocalFiles, AreReadToAnyAddress) {
    Buffer memory;
    ASSERT_TRUE(memory.Reset(kSize + 8192).ok());
    for (const std::size_t threads : {1U, 2U, 5U}) {
        const ThreadBudget budget(threads);
        for (const std::size_t place : {0U, 1U, 16U, 31U, 32U, 4080U})
            for (const std::size_t offset : {0U, 1U, 4095U})
                for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{65535},
                                               std::size_t{300000}, kSize - offset}) {
                    std::memset(memory.data(), 0xcc, memory.size());
                    ASSERT_EQ(file_.ReadAt(offset, {memory.data() + place, size}), 0);
                    const std::string_view all = ByteSpan(memory.span()).text();
                    ASSERT_TRUE(all.substr(place, size) ==
                                std::string_view(contents_).substr(offset, size))
                        << threads << ", " << place << ", " << offset << ", " << size;
                    ASSERT_EQ(all[place + size], '\xcc');
                    if (place != 0) {
                        ASSERT_EQ(all[place - 1], '\xcc');
                    }
                }
    }
}

TEST_F(LocalFiles, TruncatedFilesFail) {
    Buffer memory;
    ASSERT_TRUE(memory.Reset(kSize + 8192).ok());
    for (const std::size_t threads : {1U, 3U}) {
        const ThreadBudget budget(threads);
        for (const std::size_t place : {0U, 16U})
            for (const std::size_t offset : {std::size_t{1}, kSize, kSize + 1})
                EXPECT_EQ(file_.ReadAt(offset, {memory.data() + place, kSize}), EIO)
                    << threads << ", " << place << ", " << offset;
    }
}

#if defined(__linux__)
// Skipped on file systems that cannot drop cached pages, for example those in memory.
TEST_F(LocalFiles, WaitForTheDiskIfNotCached) {
    EXPECT_FALSE(file_.WaitsForDisk(kSize / 2));
    const int descriptor = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_GE(descriptor, 0);
    fsync(descriptor);
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
    void* const mapped = mmap(nullptr, kSize, PROT_READ, MAP_SHARED, descriptor, 0);
    ASSERT_NE(mapped, MAP_FAILED);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> there((kSize + page - 1) / page);
    ASSERT_EQ(mincore(mapped, kSize, there.data()), 0);
    munmap(mapped, kSize);
    close(descriptor);
    if ((there[kSize / 2 / page] & 1U) != 0) GTEST_SKIP() << "the system keeps files in memory";
    EXPECT_TRUE(file_.WaitsForDisk(kSize / 2));
    Buffer memory;
    ASSERT_TRUE(memory.Reset(kSize).ok());
    ASSERT_EQ(file_.ReadAt(0, memory.span()), 0);
    EXPECT_FALSE(file_.WaitsForDisk(kSize / 2));
}
#endif

}  // namespace
}  // namespace zarr
