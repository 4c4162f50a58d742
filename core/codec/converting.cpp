// SPDX-License-Identifier: MIT
#include "core/codec/converting.h"

#include <utility>

#include "core/codec/numeric.h"

namespace zarr {

namespace {

class Converting final : public Codec {
  public:
    Converting(const DataType& encoded, const DataType& decoded, NumberConversion conversion)
        : encoded_item_(encoded.size),
          decoded_item_(decoded.size),
          conversion_(std::move(conversion)) {}

    SizeBound EncodedSize(SizeBound decoded) const override {
        return EncodedItems(decoded, decoded_item_, encoded_item_);
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        ZARR_ASSIGN_OR_RETURN(const ItemRun run,
                              PrepareItems(encoded, encoded_item_, decoded_item_, decoded));
        conversion_.Run(run.src, run.dst, run.count);
        return {};
    }

  private:
    std::size_t encoded_item_;
    std::size_t decoded_item_;
    NumberConversion conversion_;
};

}  // namespace

CodecResult MakeConverting(const DataType& encoded, const DataType& decoded) {
    ZARR_ASSIGN_OR_RETURN(const NumberConversion conversion,
                          NumberConversion::Make(encoded, decoded));
    return std::unique_ptr<Codec>(std::make_unique<Converting>(encoded, decoded, conversion));
}

}  // namespace zarr
