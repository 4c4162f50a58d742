// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/conventions/cf/time.h"
#include "core/conventions/facts/array_facts.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr_driver {

// Returns an element of a real or time type, in the host's byte order, as a number. A long double
// holds all integers of 64 bits on the platforms that GDAL is packaged for.
long double NumberOf(const zarr::DataType& type, const std::string& element);

// Coordinates of a dimension that an append extends. Converts texts to elements of the coordinate
// array.
class GrowingCoordinates {
  public:
    // Reads the first `count` coordinates of `dimension`, or all if there are fewer. Fails unless
    // they are numbers, times, or strings of fixed length.
    static zarr::Result<GrowingCoordinates> Read(const zarr::Hierarchy& hierarchy,
                                                 const zarr::Dimension& dimension,
                                                 std::uint64_t count);

    // Converts a text to an element of the coordinate array. The text is a number, a string or, if
    // the coordinates are times, an ISO 8601 time. Errors say what is wrong with it.
    zarr::Result<std::string> ElementOf(const std::string& text) const;

    // Returns the coordinate of a band along the extended dimension, as a text for ElementOf(),
    // from metadata items that GDAL's drivers set on bands and datasets. Returns nullopt if no item
    // states it.
    std::optional<std::string> TextOf(GDALDataset& source, GDALRasterBand& band) const;

    // True if the coordinates are numbers or times, and false if they are strings.
    bool AreNumbers() const { return dtype_.kind != zarr::DataKind::kUnicode; }

    // True if `text` states the coordinate at `index`. For floats, a relative difference of up to
    // 1e-6 is allowed.
    bool IsAt(std::uint64_t index, const std::string& text) const;

    // Returns the index of the coordinate that equals `element`, among the coordinates that Read()
    // has read. Returns nullopt if no coordinate equals `element`.
    std::optional<std::uint64_t> Find(const std::string& element) const;

    // Follows the order of the coordinates, ascending or descending, while elements are appended.
    class Order {
      public:
        explicit Order(const GrowingCoordinates& coordinates);
        // Appends `element` after the last one. Returns true if it keeps the order of all before.
        // Also returns true if the coordinates have no order, or are texts.
        bool Add(const std::string& element);

      private:
        zarr::DataType dtype_;
        bool are_times_;
        std::uint64_t count_ = 0;
        long double last_ = 0;
        bool is_ascending_ = true;  // also if elements are equal
        bool is_descending_ = true;
    };

    const std::string& path() const { return dimension_.coordinate_path; }
    // Returns the dtype of elements(): that of the array in native byte order, or for times
    // zarr::PlainTimeType().
    const zarr::DataType& dtype() const { return dtype_; }
    // Returns the coordinates that Read() has read, each as an element of dtype().
    const std::vector<std::string>& elements() const { return elements_; }
    // Returns the attributes of the coordinate array.
    const zarr::json::Value& attributes() const { return dimension_.coordinate_attributes; }

    // Returns the conversion between elements and times; nullopt if the elements are not times, or
    // if their unit has no fixed length.
    std::optional<zarr::TimeReference> Reference() const;

  private:
    bool AreTimes() const;
    zarr::Result<zarr::TimeReference> RequiredReference() const;
    zarr::Result<std::string> CheckStorable(std::string element, const std::string& text) const;
    zarr::Status NotExact(const std::string& text) const;

    zarr::Dimension dimension_;
    zarr::DataType stored_;
    // dtype of the elements, in native byte order; zarr::PlainTimeType() of times
    zarr::DataType dtype_;
    std::vector<std::string> elements_;
};

}  // namespace zarr_driver
