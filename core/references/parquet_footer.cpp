// SPDX-License-Identifier: MIT
#include "core/references/parquet_footer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/checked.h"
#include "core/base/endian.h"
#include "core/references/thrift_reader.h"

namespace zarr {

namespace {

using ThriftType = ThriftReader::Type;
using ThriftField = ThriftReader::Field;

constexpr std::string_view kEncryptedMagic = "PARE";
constexpr std::size_t kTrailer = 8;  // size of the footer's length and of the magic bytes

Status DamagedFooter() { return Status::Corrupt("the footer of the Parquet file is damaged"); }

Result<ByteSpan> FooterOf(ByteSpan file) {
    const std::string_view text = file.text();
    const bool is_encrypted = text.substr(0, kEncryptedMagic.size()) == kEncryptedMagic;
    if (is_encrypted) return Status::Unsupported("the Parquet file is encrypted");
    if (file.size < kParquetMagic.size() + kTrailer ||
        text.substr(0, kParquetMagic.size()) != kParquetMagic ||
        text.substr(text.size() - kParquetMagic.size()) != kParquetMagic)
        return Status::Corrupt("is not a complete Parquet file");
    const std::uint32_t size = LoadLittle32(file.data + file.size - kTrailer);
    if (size > file.size - kParquetMagic.size() - kTrailer)
        return Status::Corrupt("the footer of " + std::to_string(size) +
                               " bytes is larger than the Parquet file of " +
                               std::to_string(file.size));
    return ByteSpan(file.data + file.size - kTrailer - size, size);
}

std::optional<ParquetType> TypeOf(std::int64_t number) {
    for (const ParquetType type : {ParquetType::kInt32, ParquetType::kInt64, ParquetType::kBytes})
        if (static_cast<std::int64_t>(type) == number) return type;
    return {};
}

std::optional<ParquetCodec> CodecOf(std::int64_t number) {
    for (const ParquetCodec codec :
         {ParquetCodec::kNone, ParquetCodec::kSnappy, ParquetCodec::kGzip, ParquetCodec::kZstd,
          ParquetCodec::kLz4Raw})
        if (static_cast<std::int64_t>(codec) == number) return codec;
    return {};
}

// Returns names[number], the name of a value of an enumeration in "parquet.thrift". Returns the
// number as text if `names` has no such index.
template <std::size_t kCount>
std::string NameIn(const char* const (&names)[kCount], std::int64_t number) {
    const bool is_known = number >= 0 && number < static_cast<std::int64_t>(kCount);
    return is_known ? names[number] : std::to_string(number);
}
constexpr const char* kTypeNames[] = {"BOOLEAN", "INT32",  "INT64",      "INT96",
                                      "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"};
constexpr const char* kCodecNames[] = {"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO",
                                       "BROTLI",       "LZ4",    "ZSTD", "LZ4_RAW"};

// Metadata of a column's values in a row group, as stored.
struct StoredChunk {
    std::string_view name;  // name of the column; empty for a nested column
    std::int64_t type = -1;
    std::int64_t codec = -1;
    std::int64_t values = 0;
    std::int64_t size = 0;
    std::int64_t data_offset = 0;
    std::int64_t dictionary_offset = 0;
    bool is_elsewhere = false;  // true if the values are in another file
};

// Element of the Parquet schema, as stored in the footer.
struct SchemaElement {
    std::string_view name;
    std::int64_t repetition = 0;
    std::int64_t children = 0;
};

class FooterReader {
  public:
    FooterReader(ByteSpan footer, ParquetBudget& budget, ParquetFooter& found)
        : in_(footer), budget_(budget), found_(found) {}

    // Reads the struct FileMetaData.
    Status Read() {
        for (ThriftField field; in_.NextField(field);) {
            if (field.id == 2)
                ReadSchema(field);
            else if (field.id == 3)
                rows_ = in_.ReadInteger(field);
            else if (field.id == 4)
                ZARR_RETURN_IF_ERROR(ReadRowGroups(field));
            else
                in_.Skip(field);
        }
        if (!in_.ok() || rows_ < 0) return DamagedFooter();
        found_.rows = static_cast<std::uint64_t>(rows_);
        return Check();
    }

  private:
    ParquetColumn* Find(std::string_view name) {
        for (ParquetColumn& column : found_.columns)
            if (column.name == name) return &column;
        return nullptr;
    }

    void ReadSchema(const ThriftField& field) {
        const std::size_t count = in_.ReadList(field, ThriftType::kStruct);
        // Number of schema elements still to come that belong to a nested column.
        std::int64_t nested = 0;
        for (std::size_t i = 0; i < count && in_.ok(); ++i) {
            const SchemaElement element = ReadElement();
            if (element.children < 0 || nested > INT32_MAX || element.children > INT32_MAX)
                return BreakOff();
            if (i == 0) continue;  // the root
            if (nested > 0)
                nested += element.children - 1;
            else if (element.children > 0)
                nested = element.children;
            else
                AddColumn(element);
        }
    }

    SchemaElement ReadElement() {
        SchemaElement element;
        for (ThriftField field; in_.NextField(field);) {
            if (field.id == 3)
                element.repetition = in_.ReadInteger(field);
            else if (field.id == 4)
                element.name = in_.ReadBinary(field);
            else if (field.id == 5)
                element.children = in_.ReadInteger(field);
            else
                in_.Skip(field);
        }
        return element;
    }

    void AddColumn(const SchemaElement& element) {
        constexpr std::int64_t kOptional = 1;
        ParquetColumn* const column = Find(element.name);
        if (column == nullptr || element.repetition > kOptional) return;
        column->is_present = true;
        column->is_optional = element.repetition == kOptional;
    }

    Status ReadRowGroups(const ThriftField& field) {
        const std::size_t count = in_.ReadList(field, ThriftType::kStruct);
        for (std::size_t i = 0; i < count && in_.ok(); ++i) {
            ZARR_RETURN_IF_ERROR(budget_.Take(sizeof(ParquetChunk) * (found_.columns.size() + 1)));
            for (ThriftField each; in_.NextField(each);) {
                if (each.id == 1)
                    ZARR_RETURN_IF_ERROR(ReadChunks(each));
                else
                    in_.Skip(each);
            }
        }
        return {};
    }

    Status ReadChunks(const ThriftField& field) {
        const std::size_t count = in_.ReadList(field, ThriftType::kStruct);
        for (std::size_t i = 0; i < count && in_.ok(); ++i) {
            StoredChunk stored;
            for (ThriftField each; in_.NextField(each);) {
                if (each.id == 1)
                    stored.is_elsewhere = !in_.ReadBinary(each).empty();
                else if (each.id == 3 && in_.IsStruct(each))
                    ReadMetadata(stored);
                else
                    in_.Skip(each);
            }
            if (in_.ok()) ZARR_RETURN_IF_ERROR(AddChunk(stored));
        }
        return {};
    }

    // Reads the struct ColumnMetaData.
    void ReadMetadata(StoredChunk& stored) {
        for (ThriftField field; in_.NextField(field);) {
            switch (field.id) {
                case 1:
                    stored.type = in_.ReadInteger(field);
                    break;
                case 3:
                    stored.name = ReadPath(field);
                    break;
                case 4:
                    stored.codec = in_.ReadInteger(field);
                    break;
                case 5:
                    stored.values = in_.ReadInteger(field);
                    break;
                case 7:
                    stored.size = in_.ReadInteger(field);
                    break;
                case 9:
                    stored.data_offset = in_.ReadInteger(field);
                    break;
                case 11:
                    stored.dictionary_offset = in_.ReadInteger(field);
                    break;
                default:
                    in_.Skip(field);
            }
        }
    }

    std::string_view ReadPath(const ThriftField& field) {
        const std::size_t count = in_.ReadList(field, ThriftType::kBinary);
        std::string_view name;
        for (std::size_t i = 0; i < count && in_.ok(); ++i) name = in_.ReadBinaryElement();
        return count == 1 ? name : std::string_view();
    }

    Status AddChunk(const StoredChunk& stored) {
        ParquetColumn* const column = stored.name.empty() ? nullptr : Find(stored.name);
        if (column == nullptr) return {};
        const auto type = TypeOf(stored.type);
        const auto codec = CodecOf(stored.codec);
        if (!type)
            return Status::Unsupported(std::string(column->name) + ": values of the type " +
                                       NameIn(kTypeNames, stored.type) + " are unsupported");
        if (!codec)
            return Status::Unsupported(std::string(column->name) + ": the compression " +
                                       NameIn(kCodecNames, stored.codec) + " is unsupported");
        if (stored.is_elsewhere)
            return Status::Unsupported(std::string(column->name) +
                                       ": values in another file are unsupported");
        if (stored.values < 0 || stored.size < 0 || stored.data_offset < 0) return DamagedFooter();
        ParquetChunk chunk{*type, *codec, static_cast<std::uint64_t>(stored.values),
                           static_cast<std::uint64_t>(stored.data_offset),
                           static_cast<std::uint64_t>(stored.size)};
        if (stored.dictionary_offset > 0)
            chunk.offset =
                std::min(chunk.offset, static_cast<std::uint64_t>(stored.dictionary_offset));
        ZARR_RETURN_IF_ERROR(budget_.Take(sizeof(ParquetChunk)));
        column->chunks.push_back(chunk);
        return {};
    }

    // Checks that each column has as many values as the file has rows.
    Status Check() const {
        for (const ParquetColumn& column : found_.columns) {
            std::uint64_t rows = 0;
            for (const ParquetChunk& chunk : column.chunks) rows = SaturatingAdd(rows, chunk.rows);
            if (column.chunks.empty() ? column.is_present && found_.rows != 0 : !column.is_present)
                return Status::Unsupported("column " + std::string(column.name) +
                                           " is nested or repeated, which is unsupported");
            if (column.is_present && rows != found_.rows)
                return Status::Corrupt("column " + std::string(column.name) + " has " +
                                       std::to_string(rows) + " values, but the file has " +
                                       std::to_string(found_.rows) + " rows");
        }
        return {};
    }

    // Makes the reader fail: no value has the type kStop, so skipping a value of this type is an
    // error.
    void BreakOff() { in_.Skip(ThriftField{0, ThriftType::kStop}); }

    ThriftReader in_;
    ParquetBudget& budget_;
    ParquetFooter& found_;
    std::int64_t rows_ = -1;
};

}  // namespace

Result<ParquetFooter> ParquetFooter::Read(ByteSpan file, const std::vector<std::string_view>& names,
                                          ParquetBudget& budget) {
    ZARR_ASSIGN_OR_RETURN(const ByteSpan footer, FooterOf(file));
    ParquetFooter found;
    for (const std::string_view name : names) {
        ParquetColumn column;
        column.name = name;
        found.columns.push_back(std::move(column));
    }
    ZARR_RETURN_IF_ERROR(FooterReader(footer, budget, found).Read());
    return found;
}

}  // namespace zarr
