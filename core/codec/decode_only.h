// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "core/codec/codec.h"

namespace zarr {

// Base class of codecs that cannot encode.
class DecodeOnly : public Codec {
  public:
    Status CheckWritable(SizeBound /*decoded*/) const final {
        return Status::Unsupported(std::string("writing ") + name_ + " is unsupported");
    }
    Status Encode(ByteSpan /*decoded*/, Buffer& /*encoded*/) const final {
        return CheckWritable({});
    }

  protected:
    // `name` is the name of the format for error messages; it must be a string literal.
    explicit DecodeOnly(const char* name) : name_(name) {}

  private:
    const char* const name_;
};

}  // namespace zarr
