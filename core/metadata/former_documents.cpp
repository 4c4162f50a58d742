// SPDX-License-Identifier: MIT
#include "core/metadata/former_documents.h"

#include <utility>

#include "core/json/value.h"

namespace zarr {

std::string ShapeInDocument(const std::optional<std::string>& text) {
    const auto parsed = json::Parse(text.value_or("null"));
    const json::Value* const shape = parsed.ok() ? parsed->Find("shape") : nullptr;
    return shape != nullptr ? json::Dump(*shape) : std::string();
}

std::optional<std::string> WithFormerShape(const std::string& text,
                                           const std::optional<std::string>& before,
                                           const std::set<std::string>& shapes) {
    auto now = json::Parse(text);
    const auto former = json::Parse(before.value_or("null"));
    if (!now.ok() || !former.ok() || shapes.count(ShapeInDocument(text)) == 0) return std::nullopt;
    const json::Value* const shape = former->Find("shape");
    json::Object* const members = now->MutableObject();
    if (shape == nullptr || members == nullptr) return std::nullopt;
    // Another array that was made in its place has perhaps the same shape.
    for (const char* const name : {"data_type", "dtype", "chunk_grid", "chunks"}) {
        const json::Value* const own = now->Find(name);
        const json::Value* const other = former->Find(name);
        if ((own == nullptr) != (other == nullptr) ||
            (own != nullptr && !json::Equals(*own, *other)))
            return std::nullopt;
    }
    *json::FindMember(*members, "shape") = *shape;
    return json::DumpIndented(*now, now->Find("node_type") != nullptr ? 2 : 4);
}

std::optional<std::string> WithFormerNczarr(const std::optional<std::string>& text,
                                            const std::optional<std::string>& before) {
    const auto now = json::Parse(text.value_or("{}"));
    const auto former = json::Parse(before.value_or("{}"));
    if (!now.ok() || !former.ok() || now->as_object() == nullptr || former->as_object() == nullptr)
        return text;
    const auto is_nczarr = [](const json::Member& member) {
        return member.first.compare(0, 7, "_nczarr") == 0 ||
               member.first.compare(0, 7, "_NCZARR") == 0;
    };
    json::Object merged;
    for (const json::Member& member : *now->as_object())
        if (!is_nczarr(member)) merged.push_back(member);
    for (const json::Member& member : *former->as_object())
        if (is_nczarr(member)) merged.push_back(member);
    const json::Value result(std::move(merged));
    if (json::Equals(result, *former)) return before;
    return json::Equals(result, *now) ? text : json::DumpIndented(result);
}

}  // namespace zarr
