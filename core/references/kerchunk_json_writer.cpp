// SPDX-License-Identifier: MIT
#include "core/references/kerchunk_json_writer.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/json/value.h"
#include "core/references/inline_value.h"

namespace zarr {

namespace {

constexpr std::size_t kJsonBlock = std::size_t{1} << 18;

// Appends a JSON string. Text that needs no escapes is copied directly, which is the usual case.
void AppendJsonText(std::string_view text, std::string& out) {
    const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
        return c >= ' ' && c <= '~' && c != '"' && c != '\\';
    });
    if (!is_plain) {
        out += json::Dump(json::Value(text));
        return;
    }
    out += '"';
    out += text;
    out += '"';
}

}  // namespace

Status KerchunkJsonWriter::Begin(std::uint64_t /*most_chunks*/) {
    text_ = R"({"version": 1, "refs": {)";
    return {};
}

void KerchunkJsonWriter::BeginMember(std::string_view key) {
    text_ += is_first_ ? "\n" : ",\n";
    is_first_ = false;
    AppendJsonText(key, text_);
    text_ += ": ";
}

void KerchunkJsonWriter::AppendBytes(std::string_view bytes) {
    const bool is_text =
        IsValidUtf8(bytes) && bytes.substr(0, kBase64Prefix.size()) != kBase64Prefix;
    if (is_text) {
        AppendJsonText(bytes, text_);
        return;
    }
    text_ += '"';
    text_ += kBase64Prefix;
    text_ += Base64Encode(ByteSpan(bytes));
    text_ += '"';
}

Status KerchunkJsonWriter::AddDocument(const std::string& key, std::string_view text) {
    BeginMember(key);
    AppendBytes(text);
    return FlushIfLarge();
}

Status KerchunkJsonWriter::AddChunk(const ReferenceChunk& chunk, const Reference& reference) {
    if (reference.kind == Reference::Kind::kInline) {
        BeginMember(chunk.key);
        AppendBytes(reference.bytes);
        return FlushIfLarge();
    }
    if (reference.location.find("{{") != std::string::npos)
        return Status::Unsupported(chunk.key + ": the location " + Quoted(reference.location) +
                                   " contains \"{{\", which readers take for a template; rename "
                                   "the file");
    if (!IsValidUtf8(reference.location))
        return Status::Unsupported(chunk.key + ": the location " + Quoted(reference.location) +
                                   " is not UTF-8; rename the file");
    BeginMember(chunk.key);
    text_ += '[';
    AppendJsonText(reference.location, text_);
    if (reference.size)
        text_ += ", " + std::to_string(reference.offset) + ", " + std::to_string(*reference.size);
    text_ += ']';
    return FlushIfLarge();
}

Status KerchunkJsonWriter::Finish() {
    text_ += "\n}}\n";
    return Flush();
}

Status KerchunkJsonWriter::FlushIfLarge() { return text_.size() < kJsonBlock ? Status() : Flush(); }

Status KerchunkJsonWriter::Flush() {
    ZARR_RETURN_IF_ERROR(sink_.Write(ByteSpan(std::string_view(text_))));
    text_.clear();
    return {};
}

}  // namespace zarr
