// SPDX-License-Identifier: MIT
// Helpers to compare Array::Read() with a model in memory, element by element.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "autotest/cpp/support/checks.h"
#include "core/array/array.h"
#include "core/store/memory_store.h"

namespace zarr::test {

// Members of the `.zarray` of a test array. Each string is JSON.
struct SampleSpec {
    std::vector<std::uint64_t> shape;
    std::vector<std::uint64_t> chunks;
    std::string dtype = "\"<i4\"";
    std::string fill_value = "7";
    std::string compressor = "null";  // for example {"id": "zlib"}
    std::string filters = "null";
    bool fortran_order = false;
    char separator = '.';
    bool has_stated_separator = true;

    std::string Text() const;  // returns the `.zarray` document
    ArrayMetadata Metadata() const;
    bool is_compressed() const { return compressor != "null"; }
};

// Returns the elements of an array that has no stored chunk: all fill values, in native byte order.
std::string UnwrittenElements(const ArrayMetadata& metadata);

// Returns `bytes` compressed in the zlib format.
std::string Deflated(const std::string& bytes);

// An array with random elements, at the path "dem" of a store in memory. If `with_absent`, some
// chunks are absent.
class SampleArray {
  public:
    SampleArray(Random& random, SampleSpec spec, bool with_absent = true);

    // Opens the array with a new cache of `cache_bytes` bytes. Reads go through `store` unless it
    // is null.
    std::shared_ptr<const Array> Open(std::size_t cache_bytes,
                                      std::shared_ptr<const Store> store = nullptr) const;

    // Returns the elements of `region` in row-major order and native byte order. With `offset` and
    // `size`, returns only the `size` bytes at `offset` of each element.
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
    std::string contents_;  // all elements, row-major, native byte order
    std::uint64_t present_ = 0;
};

// Returns a random region, sometimes empty. Steps may be negative.
Region RandomRegion(Random& random, const std::vector<std::uint64_t>& shape);

// Reads `region` into contiguous memory in row-major order and returns the bytes.
Result<std::string> ReadRowMajor(const Array& array, const Region& region, std::size_t threads);
Result<std::string> ReadRowMajor(const Array& array, const Region& region,
                                 const ReadOptions& options);

// Advances `index` to the next index below `limits` in row-major order. Returns false after the
// last index.
bool NextIndex(DimVector<std::uint64_t>& index, const DimVector<std::uint64_t>& limits);

DimVector<std::uint64_t> Dims(const std::vector<std::uint64_t>& values);

}  // namespace zarr::test
