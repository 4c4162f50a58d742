// SPDX-License-Identifier: MIT
#include "core/metadata/array_spec.h"

#include "core/dtype/fill_value.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

namespace {

json::Value Sizes(const std::vector<std::uint64_t>& sizes) {
    json::Array array;
    for (const std::uint64_t size : sizes) array.emplace_back(size);
    return json::Value(std::move(array));
}

// What reading accepts from others, but nobody should write.
Status CheckStricter(const ArraySpec& spec) {
    for (std::size_t i = 0; i < spec.chunks.size(); ++i)
        if (spec.chunks[i] == 0)
            return Status::Invalid("chunks[" + std::to_string(i) + "]: expected an integer >= 1, " +
                                   "got 0");
    const json::Array* filters = spec.filters.as_array();
    if (spec.dtype.kind == DataKind::kObject && (filters == nullptr || filters->empty()))
        return Status::Invalid("filters: dtype |O needs a codec of objects, such as vlen-utf8");
    return {};
}

}  // namespace

Result<json::Object> MakeArrayDocument(const ArraySpec& spec) {
    ZARR_RETURN_IF_ERROR(CheckStricter(spec));
    json::Value fill;
    if (spec.fill_value) {
        ZARR_ASSIGN_OR_RETURN(fill, FillValueToJson(spec.dtype, *spec.fill_value));
    }
    const json::Object document{
        {"chunks", Sizes(spec.chunks)},
        {"compressor", spec.compressor},
        {"dimension_separator", json::Value(std::string(1, spec.dimension_separator))},
        {"dtype", DataTypeToJson(spec.dtype)},
        {"fill_value", std::move(fill)},
        {"filters", spec.filters},
        {"order", json::Value(spec.fortran_order ? "F" : "C")},
        {"shape", Sizes(spec.shape)},
        {"zarr_format", json::Value(std::int64_t{2})},
    };
    auto metadata = ParseArrayMetadata(json::Dump(json::Value(document)));
    if (metadata.ok()) return document;
    const bool is_limit = metadata.status().code() == StatusCode::kLimit;
    return Status(is_limit ? StatusCode::kLimit : StatusCode::kInvalidArgument,
                  metadata.status().message());
}

}  // namespace zarr
