// SPDX-License-Identifier: MIT
#include "core/references/parquet_column.h"

#include <algorithm>
#include <utility>

#include "core/base/endian.h"
#include "core/references/bit_runs.h"
#include "core/references/parquet_deltas.h"
#include "core/references/parquet_pages.h"

namespace zarr {

namespace {

Status DamagedValues() { return Status::Corrupt("a page of the Parquet file is damaged"); }

// Removes the first `size` bytes from `bytes`, and returns them.
ByteSpan TakeFirst(ByteSpan& bytes, std::size_t size) {
    const ByteSpan first(bytes.data, size);
    bytes = bytes.From(size);
    return first;
}

// Returns the definition levels of `count` values in Parquet's deprecated encoding BIT_PACKED: 0
// for a null and 1 for a value. The highest bit of a byte is its first level.
Result<std::vector<std::uint32_t>> UnpackLevels(ByteSpan bytes, std::size_t count) {
    if (bytes.size < (count + 7) / 8) return DamagedValues();
    std::vector<std::uint32_t> levels(count);
    for (std::size_t i = 0; i < count; ++i) levels[i] = (bytes.data[i / 8] >> (7 - i % 8)) & 1U;
    return levels;
}

// Collects the integer values of a Parquet column.
class NumberValues {
  public:
    using Value = std::uint64_t;

    // Decodes `count` values in Parquet's encoding PLAIN.
    static Status DecodePlain(ByteSpan bytes, ParquetType type, std::size_t count,
                              std::vector<Value>& values) {
        if (type == ParquetType::kBytes)
            return Status::Unsupported("expected integers, got byte arrays");
        const std::size_t size = type == ParquetType::kInt64 ? 8 : 4;
        if (bytes.size / size < count) return DamagedValues();
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint8_t* const at = bytes.data + size * i;
            const auto value = size == 8 ? static_cast<std::int64_t>(LoadLittle64(at))
                                         : static_cast<std::int32_t>(LoadLittle32(at));
            ZARR_RETURN_IF_ERROR(Add(value, values));
        }
        return {};
    }

    // Decodes `count` values in one of Parquet's delta encodings.
    static Status DecodeDelta(ParquetEncoding encoding, ByteSpan bytes, ParquetType type,
                              std::size_t count, ParquetBudget& budget,
                              std::vector<Value>& values) {
        if (type == ParquetType::kBytes)
            return Status::Unsupported("expected integers, got byte arrays");
        if (encoding != ParquetEncoding::kDeltaBinaryPacked) return DamagedValues();
        ZARR_ASSIGN_OR_RETURN(const auto numbers, DecodeDeltas(bytes, count, budget));
        for (const std::int64_t number : numbers) {
            const std::int64_t value =
                type == ParquetType::kInt64 ? number : static_cast<std::int32_t>(number);
            ZARR_RETURN_IF_ERROR(Add(value, values));
        }
        return {};
    }

  private:
    static Status Add(std::int64_t value, std::vector<Value>& values) {
        if (value < 0)
            return Status::Corrupt("expected a number >= 0, got " + std::to_string(value));
        values.push_back(static_cast<Value>(value));
        return {};
    }
};

// Collects the values of a Parquet column of byte arrays, which are added to a TextPool.
class TextValues {
  public:
    using Value = std::uint32_t;

    explicit TextValues(TextPool& pool) : pool_(pool) {}

    Status DecodePlain(ByteSpan bytes, ParquetType type, std::size_t count,
                       std::vector<Value>& values) const {
        // Size in bytes of the field before each byte array that contains its length.
        constexpr std::size_t kHead = 4;
        if (type != ParquetType::kBytes)
            return Status::Unsupported("expected byte arrays, got integers");
        for (std::size_t i = 0; i < count; ++i) {
            if (bytes.size < kHead) return DamagedValues();
            const std::uint32_t size = LoadLittle32(bytes.data);
            bytes = bytes.From(kHead);
            if (size > bytes.size) return DamagedValues();
            values.push_back(pool_.Add(TakeFirst(bytes, size).text()));
        }
        return {};
    }

    Status DecodeDelta(ParquetEncoding encoding, ByteSpan bytes, ParquetType type,
                       std::size_t count, ParquetBudget& budget, std::vector<Value>& values) const {
        if (type != ParquetType::kBytes)
            return Status::Unsupported("expected byte arrays, got integers");
        if (encoding == ParquetEncoding::kDeltaBinaryPacked) return DamagedValues();
        return DecodeDeltaTexts(bytes, count, encoding == ParquetEncoding::kDeltaByteArray, budget,
                                [&](std::string_view text) { values.push_back(pool_.Add(text)); });
    }

  private:
    TextPool& pool_;
};

// Reads the values of a Parquet column. `Values` is NumberValues or TextValues.
template <class Values>
class ColumnReader {
  public:
    using Value = typename Values::Value;

    ColumnReader(ByteSpan file, const ParquetColumn& column, Values values, ParquetBudget& budget)
        : file_(file), column_(column), values_(std::move(values)), budget_(budget) {}

    Result<std::vector<Value>> Read() {
        for (const ParquetChunk& chunk : column_.chunks) ZARR_RETURN_IF_ERROR(ReadChunk(chunk));
        return std::move(rows_);
    }

  private:
    Status ReadChunk(const ParquetChunk& chunk) {
        ParquetPages pages(file_, chunk, budget_);
        dictionary_.clear();
        has_dictionary_ = false;
        for (std::uint64_t left = chunk.rows; left != 0;) {
            ZARR_ASSIGN_OR_RETURN(const ParquetPage page, pages.Next());
            if (page.is_dictionary) {
                ZARR_RETURN_IF_ERROR(ReadDictionary(page, chunk.type));
                continue;
            }
            if (page.values > left)
                return Status::Corrupt("a page has " + std::to_string(page.values) +
                                       " values, but only " + std::to_string(left) +
                                       " rows are left");
            left -= page.values;
            ZARR_RETURN_IF_ERROR(ReadPage(page, chunk.type));
        }
        return {};
    }

    Status ReadDictionary(const ParquetPage& page, ParquetType type) {
        if (has_dictionary_) return Status::Corrupt("a column has two dictionaries");
        has_dictionary_ = true;
        if (page.encoding != ParquetEncoding::kPlain &&
            page.encoding != ParquetEncoding::kPlainDictionary)
            return Unsupported(page.encoding);
        // Limits the number of values: each value of a Parquet dictionary takes at least 4 bytes.
        if (page.values > page.data.size / 4) return DamagedValues();
        if (page.values == 0) return {};
        ZARR_RETURN_IF_ERROR(budget_.Take(SizeOf(page.values)));
        return values_.DecodePlain(page.data, type, static_cast<std::size_t>(page.values),
                                   dictionary_);
    }

    Status ReadPage(const ParquetPage& page, ParquetType type) {
        const auto count = static_cast<std::size_t>(page.values);
        ZARR_RETURN_IF_ERROR(budget_.Take(SizeOf(page.values) + sizeof(std::uint32_t) * count));
        ByteSpan data = page.data;
        if (!column_.is_optional) return ReadValues(page.encoding, data, type, count, rows_);
        ZARR_ASSIGN_OR_RETURN(const auto levels, ReadLevels(page, count, data));
        const auto present = static_cast<std::size_t>(std::count(levels.begin(), levels.end(), 1U));
        std::vector<Value> values;
        values.reserve(present);
        ZARR_RETURN_IF_ERROR(ReadValues(page.encoding, data, type, present, values));
        auto next = values.begin();
        for (const std::uint32_t level : levels) rows_.push_back(level == 1 ? *next++ : 0);
        return {};
    }

    // Returns the definition levels (null or not) of `count` values. If `data` begins with the
    // levels, removes them from `data`.
    static Result<std::vector<std::uint32_t>> ReadLevels(const ParquetPage& page, std::size_t count,
                                                         ByteSpan& data) {
        // Size in bytes of the field that contains the length of the levels.
        constexpr std::size_t kHead = 4;
        if (page.has_separate_levels) return DecodeBitRuns(page.levels, 1, count);
        if (page.level_encoding == ParquetEncoding::kBitPacked) {
            auto levels = UnpackLevels(data, count);
            if (levels.ok()) data = data.From((count + 7) / 8);
            return levels;
        }
        if (page.level_encoding != ParquetEncoding::kRle) return Unsupported(page.level_encoding);
        if (data.size < kHead) return DamagedValues();
        const std::uint32_t size = LoadLittle32(data.data);
        data = data.From(kHead);
        if (size > data.size) return DamagedValues();
        return DecodeBitRuns(TakeFirst(data, size), 1, count);
    }

    // Appends `count` values of a Parquet page to `values`. If all values are null, the column may
    // have any type.
    Status ReadValues(ParquetEncoding encoding, ByteSpan data, ParquetType type, std::size_t count,
                      std::vector<Value>& values) const {
        if (count == 0) return {};
        if (encoding == ParquetEncoding::kPlain)
            return values_.DecodePlain(data, type, count, values);
        if (encoding == ParquetEncoding::kDeltaBinaryPacked ||
            encoding == ParquetEncoding::kDeltaLengthByteArray ||
            encoding == ParquetEncoding::kDeltaByteArray)
            return values_.DecodeDelta(encoding, data, type, count, budget_, values);
        if (encoding != ParquetEncoding::kPlainDictionary &&
            encoding != ParquetEncoding::kRleDictionary)
            return Unsupported(encoding);
        if (data.size == 0) return DamagedValues();
        const unsigned bits = *data.data;
        ZARR_ASSIGN_OR_RETURN(const auto indices, DecodeBitRuns(data.From(1), bits, count));
        for (const std::uint32_t index : indices) {
            if (index >= dictionary_.size())
                return Status::Corrupt("index " + std::to_string(index) +
                                       " is outside the dictionary of " +
                                       std::to_string(dictionary_.size()) + " values");
            values.push_back(dictionary_[index]);
        }
        return {};
    }

    static std::uint64_t SizeOf(std::uint64_t count) { return count * sizeof(Value); }

    static Status Unsupported(ParquetEncoding encoding) {
        constexpr const char* kNames[] = {
            "PLAIN",          "GROUP_VAR_INT",       "PLAIN_DICTIONARY",        "RLE",
            "BIT_PACKED",     "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY",
            "RLE_DICTIONARY", "BYTE_STREAM_SPLIT",
        };
        const auto number = static_cast<std::int64_t>(encoding);
        const bool is_known = number >= 0 && number < std::int64_t{std::size(kNames)};
        return Status::Unsupported("the encoding " +
                                   (is_known ? kNames[number] : std::to_string(number)) +
                                   " is unsupported here");
    }

    const ByteSpan file_;
    const ParquetColumn& column_;
    const Values values_;
    ParquetBudget& budget_;
    std::vector<Value> rows_;
    std::vector<Value> dictionary_;  // dictionary of values of the current row group
    bool has_dictionary_ = false;
};

}  // namespace

std::uint32_t TextPool::Add(std::string_view text) {
    const auto last = static_cast<std::uint32_t>(ends_.size());
    if (last != 0 && At(last) == text) return last;
    texts_ += text;
    ends_.push_back(texts_.size());
    return last + 1;
}

std::string_view TextPool::At(std::uint32_t number) const {
    const std::uint64_t begin = number > 1 ? ends_[number - 2] : 0;
    return std::string_view(texts_).substr(static_cast<std::size_t>(begin),
                                           static_cast<std::size_t>(ends_[number - 1] - begin));
}

void TextPool::ShrinkToFit() {
    texts_.shrink_to_fit();
    ends_.shrink_to_fit();
}

Result<std::vector<std::uint64_t>> ReadNumbers(ByteSpan file, const ParquetColumn& column,
                                               ParquetBudget& budget) {
    return ColumnReader<NumberValues>(file, column, NumberValues(), budget)
        .Read()
        .WithContext(column.name);
}

Result<std::vector<std::uint32_t>> ReadTexts(ByteSpan file, const ParquetColumn& column,
                                             TextPool& pool, ParquetBudget& budget) {
    return ColumnReader<TextValues>(file, column, TextValues(pool), budget)
        .Read()
        .WithContext(column.name);
}

}  // namespace zarr
