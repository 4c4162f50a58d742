// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

// 1 if the system can tell which pages of a memory range are resident, else 0.
#if defined(__linux__) && defined(MADV_POPULATE_WRITE)
#define ZARR_TEST_NEW_MEMORY 1
#else
#define ZARR_TEST_NEW_MEMORY 0
#endif

namespace zarr::test {

#if ZARR_TEST_NEW_MEMORY
// New memory from the system. No page has been read or written.
class NewMemory {
  public:
    explicit NewMemory(std::size_t size)
        : size_(size),
          data_(static_cast<std::uint8_t*>(
              mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
        madvise(data_, size, MADV_NOHUGEPAGE);  // no huge pages: each page becomes resident alone
    }
    ~NewMemory() { munmap(data_, size_); }
    NewMemory(const NewMemory&) = delete;
    NewMemory& operator=(const NewMemory&) = delete;

    std::uint8_t* data() const { return data_; }
    // Returns one entry per page: 1 if the page is resident, else 0.
    std::vector<unsigned char> Pages() const {
        std::vector<unsigned char> there((size_ + Page() - 1) / Page());
        EXPECT_EQ(mincore(data_, size_, there.data()), 0);
        for (unsigned char& each : there) each &= 1U;
        return there;
    }
    static std::size_t Page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
    // True if the kernel supports MADV_POPULATE_WRITE (Linux 5.14 or later).
    static bool HasPopulateWrite() {
        const NewMemory page(Page());
        return madvise(page.data(), Page(), MADV_POPULATE_WRITE) == 0;
    }

  private:
    const std::size_t size_;
    std::uint8_t* const data_;
};
#endif

}  // namespace zarr::test
