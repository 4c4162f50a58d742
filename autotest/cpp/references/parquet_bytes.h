// SPDX-License-Identifier: MIT
// Writes Parquet files byte by byte, valid or damaged.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace zarr::test {

inline std::string Varint(std::uint64_t number) {
    std::string bytes;
    for (; number >= 0x80; number >>= 7U) bytes += static_cast<char>(0x80U | (number & 0x7fU));
    return bytes + static_cast<char>(number);
}

// Returns a little-endian number of `size` bytes.
inline std::string Little(std::uint64_t number, std::size_t size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>((number >> (8 * i)) & 0xffU);
    return bytes;
}

// Builds a struct in Thrift's compact protocol. Fields must be added in ascending order.
class ThriftStruct {
  public:
    ThriftStruct& Integer(int id, std::int64_t value) {
        Head(id, 6);
        fields_ += Zigzag(value);
        return *this;
    }
    ThriftStruct& Text(int id, const std::string& text) {
        Head(id, 8);
        fields_ += Varint(text.size()) + text;
        return *this;
    }
    ThriftStruct& Bool(int id, bool value) {
        Head(id, value ? 1 : 2);
        return *this;
    }
    ThriftStruct& Struct(int id, const ThriftStruct& value) {
        Head(id, 12);
        fields_ += value.bytes();
        return *this;
    }
    // Adds a list. All elements have the Thrift type `type`.
    ThriftStruct& List(int id, int type, const std::vector<std::string>& elements) {
        Head(id, 9);
        fields_ += static_cast<char>(0xf0 | type);
        fields_ += Varint(elements.size());
        for (const std::string& element : elements) fields_ += element;
        return *this;
    }
    std::string bytes() const { return fields_ + '\0'; }

  private:
    static std::string Zigzag(std::int64_t value) {
        return Varint((static_cast<std::uint64_t>(value) << 1U) ^
                      static_cast<std::uint64_t>(value >> 63));
    }
    void Head(int id, int type) {
        fields_ += static_cast<char>(((id - last_) << 4) | type);
        last_ = id;
    }
    std::string fields_;
    int last_ = 0;
};

// Returns a data page of version 1. `values` counts values and nulls. `encoding` is the encoding of
// the values; `size` is the decompressed size of `data`.
inline std::string DataPage(int values, int encoding, const std::string& data, int level_encoding,
                            std::int64_t size) {
    ThriftStruct head;
    head.Integer(1, values).Integer(2, encoding).Integer(3, level_encoding).Integer(4, 3);
    return ThriftStruct()
               .Integer(1, 0)
               .Integer(2, size)
               .Integer(3, static_cast<std::int64_t>(data.size()))
               .Struct(5, head)
               .bytes() +
           data;
}
inline std::string DataPage(int values, int encoding, const std::string& data,
                            int level_encoding = 3) {
    return DataPage(values, encoding, data, level_encoding, static_cast<std::int64_t>(data.size()));
}

// Returns a data page of version 2. Its first `levels` bytes are the definition levels.
inline std::string DataPage2(int values, int encoding, int levels, const std::string& data,
                             bool is_compressed, std::int64_t size) {
    ThriftStruct head;
    head.Integer(1, values).Integer(2, 0).Integer(3, values).Integer(4, encoding);
    head.Integer(5, levels).Integer(6, 0).Bool(7, is_compressed);
    return ThriftStruct()
               .Integer(1, 3)
               .Integer(2, size)
               .Integer(3, static_cast<std::int64_t>(data.size()))
               .Struct(8, head)
               .bytes() +
           data;
}

inline std::string DictionaryPage(int values, const std::string& data) {
    const auto size = static_cast<std::int64_t>(data.size());
    ThriftStruct head;
    head.Integer(1, values).Integer(2, 0);
    return ThriftStruct().Integer(1, 2).Integer(2, size).Integer(3, size).Struct(7, head).bytes() +
           data;
}

// A column of a Parquet file. The file has one row group.
struct ColumnBytes {
    std::string name;
    int type = 2;        // INT64
    int repetition = 0;  // 0: required, 1: optional
    int values = 0;
    std::string pages;
    int codec = 0;  // none
};

// Returns a Parquet file with one row group of `rows` rows.
inline std::string ParquetFile(int rows, const std::vector<ColumnBytes>& columns) {
    std::string file = "PAR1";
    std::vector<std::string> schema = {
        ThriftStruct().Text(4, "root").Integer(5, static_cast<int>(columns.size())).bytes()};
    std::vector<std::string> chunks;
    for (const ColumnBytes& column : columns) {
        schema.push_back(ThriftStruct()
                             .Integer(1, column.type)
                             .Integer(3, column.repetition)
                             .Text(4, column.name)
                             .bytes());
        ThriftStruct metadata;
        metadata.Integer(1, column.type)
            .List(2, 5, {})
            .List(3, 8, {Varint(column.name.size()) + column.name});
        metadata.Integer(4, column.codec).Integer(5, column.values).Integer(6, 0);
        metadata.Integer(7, static_cast<std::int64_t>(column.pages.size()));
        metadata.Integer(9, static_cast<std::int64_t>(file.size()));
        chunks.push_back(ThriftStruct().Integer(2, 0).Struct(3, metadata).bytes());
        file += column.pages;
    }
    const std::string group =
        ThriftStruct().List(1, 12, chunks).Integer(2, 0).Integer(3, rows).bytes();
    const std::string footer = ThriftStruct()
                                   .Integer(1, 1)
                                   .List(2, 12, schema)
                                   .Integer(3, rows)
                                   .List(4, 12, {group})
                                   .bytes();
    return file + footer + Little(footer.size(), 4) + "PAR1";
}

}  // namespace zarr::test
