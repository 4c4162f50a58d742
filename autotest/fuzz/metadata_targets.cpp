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

// Opens and reads a store that has only the document of one array.
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
    Check(slices.ok() == (value->as_object() != nullptr),
          "MemberSlices() accepts exactly the objects");
    const std::string text = json::Dump(*value);
    const auto again = json::Parse(text);
    Check(again.ok(), "printed JSON can be parsed");
    Check(json::Dump(*again) == text, "printed JSON parses to an equal value");
    const auto indented = json::Parse(json::DumpIndented(*value));
    Check(indented.ok(), "indented JSON can be parsed");
}

void FuzzArrayMetadata(ByteSpan input) {
    const auto metadata = ParseArrayMetadata(input.text());
    if (metadata.ok()) {
        const auto again = ParseArrayMetadata(ArrayText(*metadata));
        Check(again.ok(), "metadata that are written can be parsed");
        Check(again->shape == metadata->shape && again->chunks == metadata->chunks &&
                  again->fill_value.TrimmedBytes() == metadata->fill_value.TrimmedBytes(),
              "metadata that are written and parsed again are equal");
        const bool is_bound = zarr::Array::CheckCodecs(*metadata).ok();
        Check(is_bound || !zarr::Array::CheckWritable(*metadata).ok(),
              "an array whose codecs cannot be bound is not writable");
    }
    ReadAlone(".zarray", input);
}

void FuzzV1Metadata(ByteSpan input) {
    const auto metadata = ParseV1Metadata(input.text());
    if (metadata.ok()) (void)ParseArrayMetadata(ArrayText(*metadata));
    Check(!IsV1Metadata(input.text()) || LooksLikeV1Metadata(input.text()),
          "a document of Zarr v1 is recognised as Zarr v1");
    ReadAlone("meta", input);
}

namespace {

void CheckV3Changes(std::string_view text, const ArrayMetadata& metadata) {
    const auto attributes = ParseV3Attributes(text);
    if (!attributes.ok()) return;
    const std::string written = V3ArrayText(metadata, *attributes);
    const auto again = ParseV3Array(written);
    Check(again.ok(), "metadata that are written can be parsed");
    Check(again->shape == metadata.shape && again->chunks == metadata.chunks &&
              again->stored_chunks() == metadata.stored_chunks() &&
              again->edges == metadata.edges &&
              again->fill_value.TrimmedBytes() == metadata.fill_value.TrimmedBytes() &&
              again->has_fill_value == metadata.has_fill_value,
          "metadata that are written and parsed again are equal");
    auto shape = metadata.shape;
    for (std::uint64_t& size : shape) size = size / 2 + 1;
    const auto resized = WithShape(metadata, shape);
    Check(!resized.ok() || resized->shape == shape, "a resized array has the given shape");
    if (resized.ok())
        Check(ParseV3Array(*WithV3Array(text, *resized)).ok(),
              "the document of a resized array can be parsed");
    const std::vector<std::uint64_t> ones(shape.size(), 1);
    (void)WithGrid(metadata, shape, ones, '/');
    const bool is_bound = zarr::Array::CheckCodecs(metadata).ok();
    Check(is_bound || !zarr::Array::CheckWritable(metadata).ok(),
          "an array whose codecs cannot be bound is not writable");
}

}  // namespace

void FuzzV3Metadata(ByteSpan input) {
    const std::string_view text = input.text();
    (void)CheckV3Group(text);
    (void)ParseV3Consolidated(SplitV3Consolidated(text).consolidated);
    const auto metadata = ParseV3Array(text);
    if (metadata.ok()) CheckV3Changes(text, *metadata);
    ReadAlone("zarr.json", input);
}

}  // namespace zarr::fuzz
