// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/status.h"
#include "core/references/reference_writer.h"

namespace zarr {

// Writes Kerchunk references as a JSON document of version 1 (kerchunk's "References
// specification"). Writes no templates and no generated references. The document is written in
// blocks, to limit memory.
class KerchunkJsonWriter final : public ReferenceWriter {
  public:
    // `sink` must outlive the writer.
    explicit KerchunkJsonWriter(ByteSink& sink) : sink_(sink) {}

    Status Begin(std::uint64_t most_chunks) override;
    Status AddDocument(const std::string& key, std::string_view text) override;
    // Returns kUnsupported if the location of the chunk contains "{{", which readers would parse as
    // a template.
    Status AddChunk(const ReferenceChunk& chunk, const Reference& reference) override;
    Status Finish() override;

  private:
    // Appends the key of the next member of the JSON object to the text.
    void BeginMember(std::string_view key);
    // Appends `bytes` as a JSON string. Bytes that are not UTF-8, or that readers would take for
    // base64, are encoded as base64.
    void AppendBytes(std::string_view bytes);
    Status FlushIfLarge();
    Status Flush();

    ByteSink& sink_;
    std::string text_;  // part of the JSON document that is not written to the sink yet
    bool is_first_ = true;
};

}  // namespace zarr
