// SPDX-License-Identifier: MIT
#include "core/references/kerchunk_parquet_writer.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/json/value.h"
#include "core/metadata/documents.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

constexpr std::string_view kSeparatorMember = "dimension_separator";

}  // namespace

Status KerchunkParquetWriter::Begin(std::uint64_t most_chunks) {
    record_size_ = std::clamp<std::uint64_t>(most_chunks, 1, record_size_);
    return {};
}

Status KerchunkParquetWriter::AddDocument(const std::string& key, std::string_view text) {
    const std::string_view name = LastName(key);
    if (name == kV3Document)
        return Status::Unsupported(key +
                                   ": references in Parquet describe stores of Zarr v2 only; write "
                                   "this store of Zarr v3 as references in JSON");
    ZARR_ASSIGN_OR_RETURN(json::Value document, json::Parse(text).WithContext(key));
    if (!metadata_.empty()) metadata_ += ",\n";
    metadata_ += json::Dump(json::Value(key)) + ": ";
    const json::Value* const separator =
        IsDocument(name, Document::kArray) ? document.Find(kSeparatorMember) : nullptr;
    if (separator == nullptr || separator->as_string() == nullptr ||
        *separator->as_string() == ".") {
        metadata_ += text;
        return {};
    }
    json::PutMember(*document.MutableObject(), kSeparatorMember, json::Value("."));
    metadata_ += json::Dump(document);
    return {};
}

void KerchunkParquetWriter::PadTo(std::uint64_t count) {
    const std::uint64_t more = count - rows();
    path_.AddNulls(more);
    offset_.AddInt(0, more);
    size_.AddInt(0, more);
    raw_.AddNulls(more);
}

Status KerchunkParquetWriter::AddChunk(const ReferenceChunk& chunk, const Reference& reference) {
    if (chunk.array.empty())
        return Status::Unsupported(
            "references in Parquet cannot describe an array at the root of a store; write "
            "references in JSON");
    const std::uint64_t file = chunk.number / record_size_;
    if (chunk.array != array_ || file != file_) ZARR_RETURN_IF_ERROR(WriteFile());
    array_ = chunk.array;
    file_ = file;
    PadTo(chunk.number % record_size_);
    // In Kerchunk's Parquet files, a size of 0 means the whole target. An empty value is therefore
    // stored inline.
    if (reference.kind == Reference::Kind::kInline || reference.size == std::uint64_t{0}) {
        path_.AddNulls();
        offset_.AddInt(0);
        size_.AddInt(0);
        raw_.AddBytes(reference.bytes);
        return {};
    }
    if (!IsValidUtf8(reference.location))
        return Status::Unsupported(chunk.key + ": the location " + Quoted(reference.location) +
                                   " is not UTF-8; rename the file");
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    if (reference.offset > kMost || reference.size.value_or(0) > kMost)
        return Status::Unsupported(chunk.key + ": the reference to " +
                                   std::to_string(reference.size.value_or(0)) + " bytes at " +
                                   std::to_string(reference.offset) +
                                   " does not fit the integers of Parquet");
    path_.AddBytes(reference.location);
    offset_.AddInt(static_cast<std::int64_t>(reference.offset));
    size_.AddInt(static_cast<std::int64_t>(reference.size.value_or(0)));
    raw_.AddNulls();
    return {};
}

Status KerchunkParquetWriter::WriteFile() {
    if (rows() == 0) return {};
    PadTo(record_size_);
    const std::string key = JoinKey(array_, "refs." + std::to_string(file_) + ".parq");
    ZARR_ASSIGN_OR_RETURN(const std::string bytes,
                          WriteParquet({&path_, &offset_, &size_, &raw_}).WithContext(key));
    for (ParquetColumnWriter* column : {&path_, &offset_, &size_, &raw_}) column->Clear();
    return folder_.Set(key, ByteSpan(std::string_view(bytes)));
}

Status KerchunkParquetWriter::Finish() {
    ZARR_RETURN_IF_ERROR(WriteFile());
    const std::string text = "{\"metadata\": {\n" + metadata_ +
                             "\n}, \"record_size\": " + std::to_string(record_size_) + "}\n";
    return folder_.Set(DocumentKey("", Document::kConsolidated), ByteSpan(std::string_view(text)));
}

}  // namespace zarr
