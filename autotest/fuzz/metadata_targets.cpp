// SPDX-License-Identifier: MIT
#include <memory>
#include <string>

#include "autotest/fuzz/exercise_hierarchy.h"
#include "autotest/fuzz/targets.h"
#include "core/array/array.h"
#include "core/json/value.h"
#include "core/metadata/v1_metadata.h"
#include "core/metadata/v2_metadata.h"
#include "core/metadata/v3_metadata.h"
#include "core/store/memory_store.h"

namespace zarr::fuzz {

namespace {

// Reads what there is of an array that is all that a store holds.
void ReadAlone(const std::string& key, ByteSpan document) {
    auto store = std::make_shared<MemoryStore>();
    Check(store->Set(key, document).ok(), "memory takes a document");
    ExerciseHierarchy(store);
}

}  // namespace

void FuzzJson(ByteSpan input) {
    const auto slices = json::MemberSlices(input.text());
    const auto value = json::Parse(input.text());
    if (!value.ok()) return;
    Check(slices.ok() == (value->as_object() != nullptr), "objects have slices");
    const std::string text = json::Dump(*value);
    const auto again = json::Parse(text);
    Check(again.ok(), "what is printed parses");
    Check(json::Dump(*again) == text, "what is printed parses to the same");
    const auto indented = json::Parse(json::DumpIndented(*value));
    Check(indented.ok(), "what is printed with indents parses");
}

void FuzzArrayMetadata(ByteSpan input) {
    const auto metadata = ParseArrayMetadata(input.text());
    if (metadata.ok()) {
        const auto again = ParseArrayMetadata(ArrayText(*metadata));
        Check(again.ok(), "metadata that are written again parse");
        Check(again->shape == metadata->shape && again->chunks == metadata->chunks &&
                  again->fill_value.held() == metadata->fill_value.held(),
              "metadata that are written again are the same");
        const bool is_bound = zarr::Array::CheckCodecs(*metadata).ok();
        Check(is_bound || !zarr::Array::CheckWritable(*metadata).ok(),
              "what cannot be read is not written");
    }
    ReadAlone(".zarray", input);
}

void FuzzV1Metadata(ByteSpan input) {
    const auto metadata = ParseV1Metadata(input.text());
    if (metadata.ok()) (void)ParseArrayMetadata(ArrayText(*metadata));
    Check(!IsV1Metadata(input.text()) || IsOrWasV1Metadata(input.text()), "what is v1 seems v1");
    ReadAlone("meta", input);
}

namespace {

void CheckV3Changes(std::string_view text, const ArrayMetadata& metadata) {
    const auto attributes = ParseV3Attributes(text);
    if (!attributes.ok()) return;
    const std::string written = V3ArrayText(metadata, *attributes);
    const auto again = ParseV3Array(written);
    Check(again.ok(), "metadata that are written again parse");
    Check(again->shape == metadata.shape && again->chunks == metadata.chunks &&
              again->stored_chunks() == metadata.stored_chunks() &&
              again->edges == metadata.edges &&
              again->fill_value.held() == metadata.fill_value.held() &&
              again->has_fill_value == metadata.has_fill_value,
          "metadata that are written again are the same");
    auto shape = metadata.shape;
    for (std::uint64_t& size : shape) size = size / 2 + 1;
    const auto resized = WithShape(metadata, shape);
    Check(!resized.ok() || resized->shape == shape, "a shape that is given is taken");
    if (resized.ok())
        Check(ParseV3Array(*WithV3Array(text, *resized)).ok(), "what is resized parses");
    const std::vector<std::uint64_t> ones(shape.size(), 1);
    (void)WithGrid(metadata, shape, ones, '/');
    const bool is_bound = zarr::Array::CheckCodecs(metadata).ok();
    Check(is_bound || !zarr::Array::CheckWritable(metadata).ok(),
          "what cannot be read is not written");
}

}  // namespace

void FuzzV3Metadata(ByteSpan input) {
    const std::string_view text = input.text();
    (void)CheckV3Group(text);
    (void)ParseV3Consolidated(text);
    const auto metadata = ParseV3Array(text);
    if (metadata.ok()) CheckV3Changes(text, *metadata);
    ReadAlone("zarr.json", input);
}

}  // namespace zarr::fuzz
