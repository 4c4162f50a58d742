// SPDX-License-Identifier: MIT
#include "core/codec/codec_spec.h"

#include <utility>

#include "core/base/limits.h"

namespace zarr {

Result<CodecSpec> ParseNumcodecs(const json::Value& config, std::string place) {
    const json::Object* members = config.as_object();
    if (members == nullptr) return json::Expected(place, "an object with an \"id\"", config);
    CodecSpec spec;
    spec.place = std::move(place);
    const auto id = json::Require(config, "id");
    if (!id.ok()) return id.status().WithContext(spec.place);
    if ((*id)->as_string() == nullptr)
        return json::Expected("id", "a string", **id).WithContext(spec.place);
    spec.name = *(*id)->as_string();
    json::Object options;
    for (const json::Member& member : *members)
        if (member.first != "id") options.push_back(member);
    spec.configuration = json::Value(std::move(options));
    return spec;
}

Result<std::vector<CodecSpec>> ParseNumcodecs(const json::Value& filters,
                                              const json::Value& compressor) {
    std::vector<CodecSpec> codecs;
    if (!filters.is_null()) {
        const json::Array* items = filters.as_array();
        if (items == nullptr) return json::Expected("filters", "an array or null", filters);
        if (items->size() > LimitOf(Limit::kFilters))
            return OverLimit(Limit::kFilters,
                             "filters: there are " + std::to_string(items->size()));
        for (std::size_t i = 0; i < items->size(); ++i) {
            ZARR_ASSIGN_OR_RETURN(
                CodecSpec filter,
                ParseNumcodecs((*items)[i], "filters[" + std::to_string(i) + "]"));
            codecs.push_back(std::move(filter));
        }
    }
    if (!compressor.is_null()) {
        ZARR_ASSIGN_OR_RETURN(CodecSpec last, ParseNumcodecs(compressor, "compressor"));
        codecs.push_back(std::move(last));
    }
    return codecs;
}

json::Value NumcodecsToJson(const CodecSpec& spec) {
    json::Object members{{"id", json::Value(spec.name)}};
    if (const json::Object* options = spec.configuration.as_object())
        members.insert(members.end(), options->begin(), options->end());
    return json::Value(std::move(members));
}

}  // namespace zarr
