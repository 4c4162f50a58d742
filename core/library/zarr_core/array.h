// SPDX-License-Identifier: MIT
// Arrays: what their metadata say, and reading and writing of their elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "zarr_core/data_type.h"
#include "zarr_core/export.h"
#include "zarr_core/region.h"
#include "zarr_core/status.h"

namespace zarr_core {

// The description of a new array. Numbers for dimensions begin with the slowest dimension.
struct ArrayOptions {
    explicit ArrayOptions(DataType type) : data_type(std::move(type)) {}

    DataType data_type;
    std::vector<std::uint64_t> shape;  // elements per dimension; empty for a scalar
    // Elements per dimension of a chunk, each >= 1. Empty: the whole array, or chunks of at most
    // 4 MiB if it takes more.
    std::vector<std::uint64_t> chunk_shape;
    // Zarr v3 only: elements per dimension of a shard, multiples of the chunk's. Empty: no shards.
    std::vector<std::uint64_t> shard_shape;
    // The JSON of "fill_value" as the format spells it. Empty: zero, false or an empty text; in
    // Zarr v2 null, which reads as that.
    std::string fill_value;
    // A name for each dimension, or none at all. In Zarr v3 "" leaves a dimension without a name.
    std::vector<std::string> dimension_names;
    // The JSON of the codecs, as Array::codecs() returns it. Empty: zstd of level 3.
    std::string codecs;
    // The JSON object of the attributes. Empty: none.
    std::string attributes;
};

// An open array. What its metadata say does not change while it is open. Copies are the same array.
// All methods may be called from several threads at once. A moved-from Array may only be assigned
// to or destroyed.
//
// Conversion: numbers, booleans and times can be read into and written from every MemoryType.
// Integers that do not fit become the nearest value that does. Real numbers become integers by
// rounding to the nearest one, halves away from zero, and NaN becomes 0. The imaginary part of a
// complex number is dropped, or 0. Every number but 0 is true. Times are int64 ticks. Other types
// are read and written as MemoryType::kElement, and kVariable by ReadStrings() and WriteStrings().
class ZARR_CORE_EXPORT Array {
  public:
    // The path from the root of the hierarchy, without '/' at either end.
    const std::string& path() const noexcept;
    const DataType& data_type() const noexcept;
    // Elements per dimension.
    const std::vector<std::uint64_t>& shape() const noexcept;
    // Elements per dimension of a chunk; the largest ones if the grid is not regular.
    const std::vector<std::uint64_t>& chunk_shape() const noexcept;
    // Elements per dimension of the outermost shard; empty without shards.
    const std::vector<std::uint64_t>& shard_shape() const noexcept;
    // A name for each dimension, by `dimension_names` of Zarr v3 or a convention of Zarr v2
    // (xarray, NCZarr, OME-NGFF); "" for a dimension without one.
    const std::vector<std::string>& dimension_names() const noexcept;
    // The JSON of the fill value as the metadata spell it; "null" without one.
    const std::string& fill_value() const noexcept;
    // The JSON of the codecs: for Zarr v3 the list "codecs"; for Zarr v1 and v2 an object with the
    // members "filters" and "compressor" of Zarr v2.
    const std::string& codecs() const noexcept;
    // Faults of the metadata that do not keep the array from being read; a sentence each.
    const std::vector<std::string>& warnings() const noexcept;

    // Checks a region, and returns its number of elements. kInvalidArgument if it has another
    // number of dimensions than the array, a step of 0, or an element outside.
    Result<std::uint64_t> CountOf(const Region& region) const noexcept;

    // Reads a region into memory of the caller. `data` is the place of the region's first element.
    // `strides` are the bytes from an element to the next one along each dimension, and may be
    // negative; empty: the region's elements lie in row-major order without gaps. The places of two
    // elements must not overlap. Chunks that are absent give the fill value; what was written and
    // not stored yet is seen. After an error some elements are read, and others as they were.
    // Chunks are read and decoded by HierarchyOptions::threads threads.
    Status Read(const Region& region, MemoryType type, void* data,
                const std::vector<std::ptrdiff_t>& strides = {}) const noexcept;

    // Reads a region of a kVariable array, in row-major order. Strings are UTF-8 as far as the
    // store keeps the format; bytes are anything.
    Result<std::vector<std::string>> ReadStrings(const Region& region) const noexcept;

    // Reads a region into a new vector, in row-major order. T is a type of MemoryTypeOf(), but not
    // bool.
    template <class T>
    Result<std::vector<T>> Read(const Region& region) const {
        static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no memory to read into");
        const Result<std::uint64_t> count = CountOf(region);
        if (!count.ok()) return count.status();
        try {
            std::vector<T> values(static_cast<std::size_t>(*count));
            Status status = Read(region, MemoryTypeOf<T>(), values.data());
            if (!status.ok()) return status;
            return values;
        } catch (...) {
            return Status(StatusCode::kOutOfMemory, "no memory for the elements of the region");
        }
    }

    // Writes a region from memory of the caller; see Read(), but strides may be 0 here. Chunks that
    // the region covers are encoded in parallel and stored at once. Others stay in memory until
    // they are complete, until Flush(), or until they take more than
    // HierarchyOptions::pending_bytes. A chunk whose elements all equal the fill value is not
    // stored, and a stored one is removed. After an error some chunks are written. kUnsupported if
    // the store is read-only or a codec cannot encode.
    //
    // Threads of one process may write to the same chunk through the same Hierarchy. Several
    // processes may write to different chunks, or shards, of one array, but not to the same one.
    Status Write(const Region& region, MemoryType type, const void* data,
                 const std::vector<std::ptrdiff_t>& strides = {}) noexcept;

    // Writes a region of a kVariable array from texts in row-major order, one for each element.
    Status WriteStrings(const Region& region, const std::vector<std::string>& texts) noexcept;

    // Writes a region from a vector in row-major order. kInvalidArgument if its size is not the
    // number of elements of the region.
    template <class T>
    Status Write(const Region& region, const std::vector<T>& values) {
        static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no memory to write from");
        const Result<std::uint64_t> count = CountOf(region);
        if (!count.ok()) return count.status();
        if (*count != values.size()) return WrongSize(*count, values.size());
        return Write(region, MemoryTypeOf<T>(), values.data());
    }

    // Stores what was written and is still in memory. What cannot be stored stays there, and the
    // first error is returned. The end of the last copy of the Array flushes too, but then nobody
    // learns of an error: call Flush() before.
    Status Flush() noexcept;

    struct Impl;  // private to the library
    explicit Array(std::shared_ptr<Impl> impl) noexcept;

  private:
    static Status WrongSize(std::uint64_t expected, std::uint64_t got) noexcept;

    std::shared_ptr<Impl> impl_;
};

}  // namespace zarr_core
