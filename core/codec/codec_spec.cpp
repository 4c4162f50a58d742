// SPDX-License-Identifier: MIT
#include "core/codec/codec_spec.h"

#include <utility>

#include "core/base/limits.h"
#include "core/base/text.h"

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
                             "filters: has " + std::to_string(items->size()) + " filters");
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

namespace {

// True if `member` is an object with "must_understand": false. Readers may ignore such a member if
// they do not know it.
bool MayBeIgnored(const json::Value& member) {
    const json::Value* flag = member.Find("must_understand");
    return flag != nullptr && flag->as_bool() != nullptr && !*flag->as_bool();
}

// Reads one member of a Zarr v3 codec's JSON object into `spec`.
Status TakeMember(const json::Member& member, CodecSpec& spec) {
    const auto& [key, value] = member;
    if (key == "name") {
        if (value.as_string() == nullptr) return json::Expected(key, "a string", value);
        spec.name = *value.as_string();
    } else if (key == "configuration") {
        if (value.as_object() == nullptr) return json::Expected(key, "an object", value);
        spec.configuration = value;
    } else if (key == "must_understand") {
        if (value.as_bool() == nullptr) return json::Expected(key, "a boolean", value);
    } else if (!MayBeIgnored(value)) {
        return Status::Corrupt("unknown member " + Quoted(key));
    }
    return {};
}

}  // namespace

Result<CodecSpec> ParseV3Codec(const json::Value& value, std::string place) {
    CodecSpec spec;
    spec.names = CodecNames::kV3;
    spec.configuration = json::Value(json::Object{});
    spec.place = std::move(place);
    if (value.as_string() != nullptr) {
        spec.name = *value.as_string();
        return spec;
    }
    const json::Object* members = value.as_object();
    if (members == nullptr)
        return json::Expected(spec.place, "a name or an object with a \"name\"", value);
    ZARR_RETURN_IF_ERROR(json::Require(value, "name").status().WithContext(spec.place));
    for (const json::Member& member : *members)
        ZARR_RETURN_IF_ERROR(TakeMember(member, spec).WithContext(spec.place));
    return spec;
}

json::Value NumcodecsToJson(const CodecSpec& spec) {
    json::Object members{{"id", json::Value(spec.name)}};
    if (const json::Object* options = spec.configuration.as_object())
        members.insert(members.end(), options->begin(), options->end());
    return json::Value(std::move(members));
}

}  // namespace zarr
