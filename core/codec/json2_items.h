// SPDX-License-Identifier: MIT
// What json2 does with items of any kind: nested lists in C order on one side, memory on the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/codec/codec.h"
#include "core/codec/json2_text.h"

namespace zarr {

// A parsed chunk, its items in memory order.
struct Json2Items {
    json::Value root;  // owns what `items` points to
    std::vector<const json::Value*> items;
    std::string typestr;
};

class Json2Reader {
  public:
    static Result<Json2Reader> Make(const json::Value& config, const CodecContext& context);

    Result<Json2Items> Read(ByteSpan encoded) const;

  private:
    std::vector<std::uint64_t> chunk_shape_;
    bool fortran_order_ = false;
};

class Json2Writer {
  public:
    // Errors name the member of the configuration.
    static Result<Json2Writer> Make(const json::Value& config, const CodecContext& context);

    // Writes `count` items and `typestr` to `encoded`, of at most `limit` bytes; append(i, text)
    // writes the one at `i` in memory.
    template <class AppendItem>
    Status Write(const std::string& typestr, std::size_t count, Buffer& encoded, std::size_t limit,
                 AppendItem&& append) const {
        ZARR_RETURN_IF_ERROR(CheckCount(count));
        JsonText text(style_, encoded, limit);
        text.Open();
        if (is_flat_) {
            for (std::size_t i = 0; i < count; ++i) {
                text.BeginItem(i == 0);
                append(i, text);
            }
        } else {
            WriteItems(0, 0, text, append);
        }
        WriteEnd(typestr, count, text);
        return text.Finish();
    }

  private:
    // The items of one list, without its brackets.
    template <class AppendItem>
    void WriteItems(std::size_t depth, std::size_t offset, JsonText& text,
                    AppendItem& append) const {
        const auto n = static_cast<std::size_t>(shape_[depth]);
        for (std::size_t i = 0; i < n; ++i, offset += strides_[depth]) {
            text.BeginItem(i == 0);
            if (depth + 1 == shape_.size()) {
                append(offset, text);
                continue;
            }
            text.Open();
            WriteItems(depth + 1, offset, text, append);
            text.Close();
        }
    }
    Status CheckCount(std::size_t count) const;
    void WriteEnd(const std::string& typestr, std::size_t count, JsonText& text) const;

    JsonStyle style_;
    bool is_flat_ = false;
    std::vector<std::uint64_t> shape_;
    std::vector<std::size_t> strides_;
};

}  // namespace zarr
