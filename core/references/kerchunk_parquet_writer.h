// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/status.h"
#include "core/references/parquet_writer.h"
#include "core/references/reference_writer.h"
#include "core/store/store.h"

namespace zarr {

// Writes references as Parquet files (kerchunk's "References specification", "Parquet references").
// The file `.zmetadata` holds the documents. The file "ARRAY/refs.N.parq" holds the references of
// an array's chunks from number N * record_size on. A file without references is not written. Files
// are padded to `record_size` rows, as kerchunk's are. Memory is bounded by the documents and the
// references of one file.
class KerchunkParquetWriter final : public ReferenceWriter {
  public:
    // Maximum number of rows in a file, kerchunk's default.
    static constexpr std::uint64_t kRecordSize = 100'000;

    // `folder` receives the files, and must outlive the writer.
    explicit KerchunkParquetWriter(Store& folder, std::uint64_t record_size = kRecordSize)
        : folder_(folder), record_size_(record_size) {}

    // Sets the number of rows in a file: `most_chunks`, or the record size if that is smaller.
    Status Begin(std::uint64_t most_chunks) override;
    // Readers of Parquet references join the indices of a chunk by ".". Another separator in the
    // metadata of an array is therefore replaced. kUnsupported for documents of Zarr v3.
    Status AddDocument(const std::string& key, std::string_view text) override;
    // Returns kUnsupported if the array is the root of the references.
    Status AddChunk(const ReferenceChunk& chunk, const Reference& reference) override;
    Status Finish() override;

  private:
    std::uint64_t rows() const { return size_.rows(); }
    // Appends rows without reference until the file has `count` rows.
    void PadTo(std::uint64_t count);
    // Writes the current file, if it has a reference.
    Status WriteFile();

    Store& folder_;
    std::uint64_t record_size_;
    std::string metadata_;  // members of "metadata" in `.zmetadata`, as JSON text
    std::string array_;     // path of the array of the current file
    std::uint64_t file_ = 0;
    ParquetColumnWriter path_{"path", ParquetColumnWriter::Type::kText};
    ParquetColumnWriter offset_{"offset", ParquetColumnWriter::Type::kInt64};
    ParquetColumnWriter size_{"size", ParquetColumnWriter::Type::kInt64};
    ParquetColumnWriter raw_{"raw", ParquetColumnWriter::Type::kBytes};
};

}  // namespace zarr
