// SPDX-License-Identifier: MIT
// Creation options that choose and configure codecs.
#pragma once

#include <cpl_port.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/codec/codec_spec.h"
#include "core/dtype/data_type.h"
#include "core/json/value.h"

namespace zarr_driver {

// CompressorNames() returns the values of COMPRESS in lower case, without "none". FilterIds()
// returns the ids of the codecs that FILTER can name. Both are separated by commas, in the order of
// the codec registry; image formats are last.
std::string CompressorNames();
std::string FilterIds();

// Parsed values of the creation options that choose and configure codecs.
struct CodecChoice {
    // Id of the compressor; "" for none; nullopt if COMPRESS is not given, or has a value that only
    // other drivers have.
    std::optional<std::string> compressor;
    std::string unknown_compressor;                   // such a value of other drivers, else empty
    std::optional<std::vector<std::string>> filters;  // ids of codecs; nullopt if not given
    // Options of codecs by name, such as "ZSTD_LEVEL", as members of a codec's configuration.
    std::map<std::string, zarr::json::Value> settings;

    // Returns the image format that COMPRESS names, such as "JPEG"; empty for other compressors.
    std::string ImageName() const;
    // Returns an error if the compressor is an image format that has no numbers of `dtype`, or that
    // cannot be combined with the filters.
    zarr::Status CheckImage(const zarr::DataType& dtype) const;

    // Parses `options`, GDAL's NULL-terminated list of NAME=VALUE. Errors name the option.
    static zarr::Result<CodecChoice> Parse(CSLConstList options);

    // Makes the codec `preset` the compressor if none is chosen. Returns a warning if that replaces
    // a compressor of other drivers, else an empty text.
    std::string UseDefault(const std::string& preset);

  private:
    // Sets the levels of codecs from the options that several codecs have in common.
    void ApplyCommonLevels();
};

// Returns the <Option> elements that describe CodecChoice to GDAL, without an enclosing list
// element.
std::string CodecOptionList();

// Makes the codecs of an array of `dtype`. The order is: object codec if `dtype` needs one,
// filters, compressor, which is blosc by default. Does not check whether the codecs support
// `dtype`. Fails if an option that a codec needs is missing.
zarr::Result<std::vector<zarr::CodecSpec>> MakeCodecSpecs(const CodecChoice& choice,
                                                          const zarr::DataType& dtype);

}  // namespace zarr_driver
