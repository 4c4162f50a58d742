// SPDX-License-Identifier: MIT
// The codes that categorize stores for labels, in either direction.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "core/base/endian.h"
#include "core/codec/numeric.h"

namespace zarr {

// The codes of one chunk: which label each item has.
class Codes {
  public:
    static Result<Codes> Make(const json::Value& config) {
        Codes reader;
        ZARR_ASSIGN_OR_RETURN(
            reader.astype_,
            OptionalNumberMember(config, "astype", MakeNumberType(DataKind::kUint, 1)));
        const DataKind kind = reader.astype_.kind;
        if (kind != DataKind::kInt && kind != DataKind::kUint && kind != DataKind::kBool)
            return Status::Unsupported("astype: codes of dtype " + reader.astype_.ToString());
        ZARR_ASSIGN_OR_RETURN(
            reader.conversion_,
            NumberConversion::Make(reader.astype_, MakeNumberType(DataKind::kUint, 8)));
        ZARR_ASSIGN_OR_RETURN(
            reader.to_stored_,
            NumberConversion::Make(MakeNumberType(DataKind::kUint, 8), reader.astype_));
        return reader;
    }

    std::size_t item_size() const { return astype_.size; }
    const DataType& type() const { return astype_; }

    // NumPy would wrap codes that do not fit, and so mix labels up.
    Status CheckCount(std::size_t labels) const {
        const unsigned bits = astype_.kind == DataKind::kBool
                                  ? 1
                                  : static_cast<unsigned>(astype_.size * 8) -
                                        (astype_.kind == DataKind::kInt ? 1 : 0);
        if (bits >= 64 || labels >> bits == 0) return {};
        return Status::Invalid("labels: " + std::to_string(labels) +
                               " are more than codes of dtype " + astype_.ToString() + " can tell");
    }

    // Stores code_of(i) for each of `count` items.
    template <class CodeOf>
    void Write(std::uint8_t* dst, std::size_t count, CodeOf&& code_of) const {
        NumberBlock block;
        for (std::size_t begin = 0; begin < count; begin += kNumberBlock) {
            const std::size_t n = std::min(kNumberBlock, count - begin);
            for (std::size_t i = 0; i < n; ++i)
                StoreNative<std::uint64_t>(block.bytes + i * 8, code_of(begin + i));
            to_stored_.Run(block.bytes, dst + begin * astype_.size, n);
        }
    }

    // Calls use(i, code) for each of the `count` codes at `src`.
    template <class Use>
    void ForEach(const std::uint8_t* src, std::size_t count, Use&& use) const {
        NumberBlock block;
        for (std::size_t begin = 0; begin < count; begin += kNumberBlock) {
            const std::size_t n = std::min(kNumberBlock, count - begin);
            conversion_.Run(src + begin * astype_.size, block.bytes, n);
            for (std::size_t i = 0; i < n; ++i)
                use(begin + i, LoadNative<std::uint64_t>(block.bytes + i * 8));
        }
    }

  private:
    DataType astype_;
    NumberConversion conversion_;
    NumberConversion to_stored_;
};

// From the bytes of a label, which belong to someone else, to its code.
class CodeTable {
  public:
    // Of labels that are twice in the list the last one counts, as in NumPy's assignments.
    void Add(std::string_view label, std::size_t index) { codes_[label] = index + 1; }

    // 0 where it is none of the labels.
    std::uint64_t Find(std::string_view label) const {
        const auto found = codes_.find(label);
        return found != codes_.end() ? found->second : 0;
    }

  private:
    std::unordered_map<std::string_view, std::uint64_t> codes_;
};

}  // namespace zarr
