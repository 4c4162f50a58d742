// SPDX-License-Identifier: MIT
// Arrays with known contents, for comparing Array::Read() with going through the elements one by
// one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "autotest/cpp/support/checks.h"
#include "core/array/array.h"
#include "core/store/memory_store.h"

namespace zarr::test {

// What of `.zarray` a sample chooses; the texts are JSON.
struct SampleSpec {
    std::vector<std::uint64_t> shape;
    std::vector<std::uint64_t> chunks;
    std::string dtype = "\"<i4\"";
    std::string fill_value = "7";
    std::string compressor = "null";  // or {"id": "zlib"}
    std::string filters = "null";
    bool fortran_order = false;
    char separator = '.';
    bool says_separator = true;

    std::string Text() const;  // of `.zarray`
    ArrayMetadata Metadata() const;
    bool is_compressed() const { return compressor != "null"; }
};

// The elements of an array that nothing was written to, in the host's byte order.
std::string UnwrittenElements(const ArrayMetadata& metadata);

// zlib's form of `bytes`.
std::string Deflated(const std::string& bytes);

// An array at "dem" in a store in memory, with random contents, some of its chunks absent.
class SampleArray {
  public:
    SampleArray(Random& random, SampleSpec spec, bool with_absent = true);

    // Through `store` where it is given.
    std::shared_ptr<const Array> Open(std::size_t cache_bytes,
                                      std::shared_ptr<const Store> store = nullptr) const;

    // The elements of `region` in its row-major order and in the host's byte order: of each,
    // `size` bytes from `offset`.
    std::string Expected(const Region& region, std::size_t offset, std::size_t size) const;
    std::string Expected(const Region& region) const {
        return Expected(region, 0, metadata_.dtype.size);
    }

    const SampleSpec& spec() const { return spec_; }
    const ArrayMetadata& metadata() const { return metadata_; }
    const std::shared_ptr<MemoryStore>& store() const { return store_; }
    std::uint64_t present_chunks() const { return present_; }

  private:
    void MakeChunk(Random& random, const DimVector<std::uint64_t>& chunk, bool absent);

    SampleSpec spec_;
    ArrayMetadata metadata_;
    std::shared_ptr<MemoryStore> store_ = std::make_shared<MemoryStore>();
    std::string contents_;  // row-major, in the host's order
    std::uint64_t present_ = 0;
};

// A region with random steps, forwards and backwards, now and then an empty one.
Region RandomRegion(Random& random, const std::vector<std::uint64_t>& shape);

// Reads into contiguous memory, row-major.
Result<std::string> ReadRowMajor(const Array& array, const Region& region, std::size_t threads);
Result<std::string> ReadRowMajor(const Array& array, const Region& region,
                                 const ReadOptions& options);

// Moves `index` to the next in row-major order below `limits`; false after the last.
bool NextIndex(DimVector<std::uint64_t>& index, const DimVector<std::uint64_t>& limits);

DimVector<std::uint64_t> Dims(const std::vector<std::uint64_t>& values);

}  // namespace zarr::test
