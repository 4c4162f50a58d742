// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"

namespace zarr {

// Values of a column of a Parquet file: required integers, or byte strings that may be null. Not
// thread-safe.
class ParquetColumnWriter {
  public:
    enum class Type : std::uint8_t {
        kInt64,  // integers that are never null: required INT64
        kBytes,  // byte strings that may be null: optional BYTE_ARRAY
        kText,   // text that may be null: optional BYTE_ARRAY, marked as UTF-8
    };

    ParquetColumnWriter(std::string name, Type type) : name_(std::move(name)), type_(type) {}

    // AddInt() appends `value` `count` times to a column of integers. AddBytes() appends a value to
    // a column of byte strings, and AddNulls() appends `count` nulls to such a column.
    void AddInt(std::int64_t value, std::uint64_t count = 1);
    void AddBytes(std::string_view value);
    void AddNulls(std::uint64_t count = 1);

    const std::string& name() const { return name_; }
    Type type() const { return type_; }
    bool is_optional() const { return type_ != Type::kInt64; }
    std::uint64_t rows() const { return rows_; }
    std::uint64_t nulls() const { return nulls_; }
    // Returns the data of a page of version 1: the definition levels of an optional column, and the
    // values in the encoding PLAIN (Apache Parquet, "Data pages").
    std::string PageData() const;

    // Removes all values.
    void Clear();

  private:
    // Consecutive rows with one definition level: 1 for values, 0 for nulls.
    struct Run {
        std::uint64_t rows = 0;
        std::uint8_t level = 0;
    };
    void AddRun(std::uint64_t rows, std::uint8_t level);

    std::string name_;
    Type type_;
    std::uint64_t rows_ = 0;
    std::uint64_t nulls_ = 0;
    std::vector<Run> runs_;
    std::string values_;  // values in the encoding PLAIN
};

// Returns a Parquet file with the columns, which must have equal numbers of rows. The file has one
// row group, and a page of each column, compressed by Zstandard. kUnsupported if a page takes 2 GiB
// or more.
Result<std::string> WriteParquet(const std::vector<const ParquetColumnWriter*>& columns);

}  // namespace zarr
