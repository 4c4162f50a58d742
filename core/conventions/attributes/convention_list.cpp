// SPDX-License-Identifier: MIT
#include "core/conventions/attributes/convention_list.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/conventions/attributes/attributes.h"

namespace zarr {

namespace {

constexpr std::string_view kConventions = "zarr_conventions";

struct ConventionEntry {
    std::string_view uuid;  // identifies the convention in `zarr_conventions`
    std::string_view repository;
    std::string_view name;
    std::string_view description;
};

const ConventionEntry& ConventionEntryOf(Convention convention) {
    static constexpr ConventionEntry kKnown[] = {
        {"d35379db-88df-4056-af3a-620245f8e347", "zarr-conventions/multiscales", "multiscales",
         "Multiscale layout of zarr datasets"},
        {"f17cb550-5864-4468-aeb7-f3180cfb622f", "zarr-conventions/proj", "proj",
         "Coordinate reference system information for geospatial data"},
        {"689b58e2-cf7b-45e0-9fff-9cfc0883d6b4", "zarr-conventions/spatial", "spatial",
         "Spatial coordinate information"},
    };
    return kKnown[static_cast<std::size_t>(convention)];
}

json::Value StatedConvention(const ConventionEntry& entry) {
    const std::string repository(entry.repository);
    return json::Value(json::Object{
        {"uuid", json::Value(entry.uuid)},
        {"schema_url", json::Value("https://raw.githubusercontent.com/" + repository +
                                   "/refs/tags/v0.1/schema.json")},
        {"spec_url", json::Value("https://github.com/" + repository + "/blob/v0.1/README.md")},
        {"name", json::Value(entry.name)},
        {"description", json::Value(entry.description)}});
}

bool IsOfConvention(const json::Value& stated, const ConventionEntry& entry) {
    const std::string* uuid = StringAttribute(stated, "uuid");
    return uuid != nullptr && *uuid == entry.uuid;
}

}  // namespace

void RegisterConvention(json::Object& attributes, Convention convention) {
    const ConventionEntry& entry = ConventionEntryOf(convention);
    const json::Value* const existing = json::FindMember(attributes, kConventions);
    json::Array list;
    if (existing != nullptr && existing->as_array() != nullptr) list = *existing->as_array();
    const auto is_declared = [&](const json::Value& stated) {
        return IsOfConvention(stated, entry);
    };
    const auto declared = std::find_if(list.begin(), list.end(), is_declared);
    if (declared != list.end())
        *declared = StatedConvention(entry);
    else
        list.push_back(StatedConvention(entry));
    json::PutMember(attributes, kConventions, json::Value(std::move(list)));
}

void UnregisterConvention(json::Object& attributes, Convention convention) {
    json::Value* const existing = json::FindMember(attributes, kConventions);
    json::Array* const list = existing != nullptr ? existing->MutableArray() : nullptr;
    if (list == nullptr) return;
    const ConventionEntry& entry = ConventionEntryOf(convention);
    list->erase(
        std::remove_if(list->begin(), list->end(),
                       [&](const json::Value& stated) { return IsOfConvention(stated, entry); }),
        list->end());
    if (list->empty()) json::EraseMember(attributes, kConventions);
}

}  // namespace zarr
