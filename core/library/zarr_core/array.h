// SPDX-License-Identifier: MIT
// Arrays: their metadata, and functions that read and write their elements.
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

// Description of an array to create. Lists with one number per dimension begin with the slowest
// dimension.
struct ArrayOptions {
    explicit ArrayOptions(DataType type) : data_type(std::move(type)) {}

    DataType data_type;
    std::vector<std::uint64_t> shape;  // number of elements per dimension; empty for a scalar
    // Number of elements of a chunk per dimension, each at least 1. If empty, the library chooses:
    // one chunk for a small array, and chunks of at most 4 MiB for a larger array.
    std::vector<std::uint64_t> chunk_shape;
    // Shape of a shard, in elements per dimension. Each size is a multiple of the chunk's size in
    // that dimension. If empty, the array has no shards. Zarr v3 only.
    std::vector<std::uint64_t> shard_shape;
    // Fill value, as JSON text in the form of the metadata member "fill_value". If empty, the fill
    // value is zero, false or an empty string, which Zarr v2 metadata states as null.
    std::string fill_value;
    // Names of the dimensions; empty if no dimension has a name. In Zarr v3, "" stands for a
    // dimension without a name.
    std::vector<std::string> dimension_names;
    // JSON text of the codecs, in the form that Array::codecs() returns. If empty, chunks are
    // compressed with zstd of level 3.
    std::string codecs;
    // JSON object with the attributes. If empty, the array has no attributes.
    std::string attributes;
};

// An open array. Its metadata does not change while the array is open. Copies refer to the same
// array. All methods are thread-safe. A moved-from Array may only be assigned to or destroyed.
//
// Numbers, booleans and times are converted to and from every MemoryType. Integers out of range
// become the nearest value in range. Real numbers are rounded to the nearest integer, halves away
// from zero; NaN becomes 0. Converting a complex number to a real one drops the imaginary part; the
// other way sets it to 0. Every number except 0 is true. Times are int64 ticks.
//
// Elements of other types are read and written as MemoryType::kElement. Elements of kVariable are
// read by ReadStrings() and written by WriteStrings().
class ZARR_CORE_EXPORT Array {
  public:
    // Returns the path of the array from the root of the hierarchy, without '/' at either end.
    const std::string& path() const noexcept;
    const DataType& data_type() const noexcept;
    // Returns the number of elements per dimension.
    const std::vector<std::uint64_t>& shape() const noexcept;
    // Returns the number of elements of a chunk per dimension. If chunks differ in size, returns
    // the numbers of the largest chunk.
    const std::vector<std::uint64_t>& chunk_shape() const noexcept;
    // Returns the number of elements of an outermost shard per dimension; empty if the array has no
    // shards.
    const std::vector<std::uint64_t>& shard_shape() const noexcept;
    // Returns a name for each dimension; "" for a dimension without a name. Names come from
    // `dimension_names` of Zarr v3, or from a convention of Zarr v2 (xarray, NCZarr, OME-Zarr).
    const std::vector<std::string>& dimension_names() const noexcept;
    // Returns the JSON text of the fill value as in the metadata; "null" if the array has no fill
    // value.
    const std::string& fill_value() const noexcept;
    // Returns the JSON text of the codecs. For Zarr v3 the text is the list "codecs". For Zarr v1
    // and v2 the text is an object with the members "filters" and "compressor" of Zarr v2.
    const std::string& codecs() const noexcept;
    // Returns a sentence for each fault in the metadata that does not prevent reading.
    const std::vector<std::string>& warnings() const noexcept;

    // Returns the number of elements of `region`. Returns kInvalidArgument if `region` has another
    // number of dimensions than the array, a step of 0, or an element outside of the array.
    Result<std::uint64_t> CountOf(const Region& region) const noexcept;

    // Reads a region into memory of the caller, and converts its elements to `type`. `data` points
    // to the first element of the region. `strides` has the distance in bytes between elements
    // along each dimension; it may be negative. If `strides` is empty, elements are stored in
    // row-major order without gaps. Elements must not overlap in memory.
    //
    // Elements of absent chunks get the fill value. Elements of pending chunks get the values that
    // were written. If the call fails, some elements may be read and others not. Up to
    // HierarchyOptions::threads threads read and decode chunks.
    Status Read(const Region& region, MemoryType type, void* data,
                const std::vector<std::ptrdiff_t>& strides = {}) const noexcept;

    // Returns the elements of a region of a kVariable array, in row-major order. Strings are UTF-8
    // if the store obeys the format; byte strings may have any bytes.
    Result<std::vector<std::string>> ReadStrings(const Region& region) const noexcept;

    // Reads a region into a new vector, in row-major order. T is any type that MemoryTypeOf()
    // accepts except bool.
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

    // Writes a region from memory of the caller. The parameters are those of Read(), but strides
    // may be 0. Chunks that the region covers are encoded in parallel and stored at once. All other
    // chunks stay in memory until they are complete, until Flush(), or until they exceed
    // HierarchyOptions::pending_bytes.
    //
    // A chunk whose elements all equal the fill value is not stored, and is removed if it exists.
    // If the call fails, some chunks may be written and others not. Returns kUnsupported if the
    // store is read-only or a codec cannot encode.
    //
    // Threads of one process may write to one chunk through one Hierarchy. Several processes may
    // write to different chunks or shards of one array, but not to the same chunk or shard.
    Status Write(const Region& region, MemoryType type, const void* data,
                 const std::vector<std::ptrdiff_t>& strides = {}) noexcept;

    // Writes a region of a kVariable array. `texts` has one string for each element, in row-major
    // order.
    Status WriteStrings(const Region& region, const std::vector<std::string>& texts) noexcept;

    // Writes a region from a vector in row-major order. Returns kInvalidArgument if the vector's
    // size differs from the number of elements of the region.
    template <class T>
    Status Write(const Region& region, const std::vector<T>& values) {
        static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no memory to write from");
        const Result<std::uint64_t> count = CountOf(region);
        if (!count.ok()) return count.status();
        if (*count != values.size()) return WrongSize(*count, values.size());
        return Write(region, MemoryTypeOf<T>(), values.data());
    }

    // Stores all pending chunks. Chunks that cannot be stored stay pending, and the first error is
    // returned. Destroying the last copy of the Array flushes, too, but cannot report an error.
    Status Flush() noexcept;

    struct Impl;  // private to the library
    explicit Array(std::shared_ptr<Impl> impl) noexcept;

  private:
    static Status WrongSize(std::uint64_t expected, std::uint64_t got) noexcept;

    std::shared_ptr<Impl> impl_;
};

}  // namespace zarr_core
