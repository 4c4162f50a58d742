// SPDX-License-Identifier: MIT
#include "core/references/kerchunk_json.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/checked.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/json/value.h"
#include "core/metadata/documents.h"
#include "core/references/inline_value.h"
#include "core/references/json_stream.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// Returns the maximum size in bytes of one value in a Kerchunk document.
std::size_t ValueLimit() { return static_cast<std::size_t>(LimitOf(Limit::kMetadataSize)); }

// A dimension of generated references ("gen" in kerchunk's specification), and the values of its
// template variable.
struct Dimension {
    std::string name;
    std::vector<std::int64_t> values;  // values in a list; empty for a range
    std::int64_t start = 0;
    std::int64_t step = 1;
    std::uint64_t count = 0;

    std::int64_t At(std::uint64_t i) const {
        return values.empty() ? start + static_cast<std::int64_t>(i) * step
                              : values[static_cast<std::size_t>(i)];
    }
};

Status BadGen(std::string_view what) {
    return Status::Corrupt("gen: " + std::string(what) + " of generated references");
}

Result<Dimension> ParseDimension(const std::string& name, const json::Value& value) {
    Dimension dimension;
    dimension.name = name;
    if (const json::Array* const list = value.as_array()) {
        for (const json::Value& each : *list) {
            std::int64_t number = 0;
            if (!each.GetInt64(number)) return BadGen("expected integers as a dimension");
            dimension.values.push_back(number);
        }
        dimension.count = dimension.values.size();
        return dimension;
    }
    constexpr std::int64_t kMost = std::int64_t{1} << 62;
    std::int64_t stop = 0;
    const json::Value* const end = value.Find("stop");
    if (end == nullptr || !end->GetInt64(stop)) return BadGen("expected \"stop\" in a dimension");
    ZARR_ASSIGN_OR_RETURN(dimension.start, json::OptionalInt(value, "start", 0, -kMost, kMost));
    ZARR_ASSIGN_OR_RETURN(dimension.step, json::OptionalInt(value, "step", 1, -kMost, kMost));
    if (dimension.step == 0 || stop > kMost || stop < -kMost)
        return BadGen("expected a step other than 0 and a smaller range in a dimension");
    const bool is_up = dimension.step > 0;
    const std::int64_t way = is_up ? stop - dimension.start : dimension.start - stop;
    if (way > 0)
        dimension.count =
            CeilDiv(static_cast<std::uint64_t>(way),
                    static_cast<std::uint64_t>(is_up ? dimension.step : -dimension.step));
    return dimension;
}

Result<std::uint64_t> ParseUnsigned(const std::string& text, const char* what) {
    std::uint64_t number = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number);
    if (error != std::errc() || end != last)
        return Status::Corrupt(std::string("gen: expected a number as the ") + what + ", got " +
                               Quoted(text));
    return number;
}

}  // namespace

class KerchunkParser {
  public:
    KerchunkParser(TextReader& text, KerchunkJson& document) : json_(text), document_(document) {}

    Status Parse() {
        ZARR_RETURN_IF_ERROR(json_.Take('{'));
        std::string key;
        bool is_first = true;
        for (;;) {
            ZARR_ASSIGN_OR_RETURN(const bool is_more, json_.NextElement('}', is_first));
            if (!is_more) break;
            ZARR_RETURN_IF_ERROR(json_.ReadKey(key, kLongestKey));
            ZARR_RETURN_IF_ERROR(ParseMember(key));
        }
        ZARR_ASSIGN_OR_RETURN(const char next, json_.Peek());
        if (next != '\0') return json_.Expected("the end of the document after the object");
        return Generate();
    }

  private:
    static constexpr std::size_t kLongestKey = kMaxKeyLength;

    // Parses a member at the top level of the document: a member of version 1, or a reference of
    // version 0.
    Status ParseMember(const std::string& key) {
        ZARR_ASSIGN_OR_RETURN(const char next, json_.Peek());
        if (key == "version" && next >= '0' && next <= '9') {
            ZARR_ASSIGN_OR_RETURN(const std::uint64_t version, json_.ReadInteger());
            if (version > 1)
                return Status::Unsupported("version " + std::to_string(version) +
                                           " of references is unsupported");
            return {};
        }
        if (key == "refs" && next == '{') return ParseReferences();
        if (key == "templates" && next == '{') return ParseTemplates();
        if (key == "gen" && next == '[') return json_.ReadRaw(gen_, ValueLimit());
        return ParseReference(key);
    }

    Status ParseReferences() {
        ZARR_RETURN_IF_ERROR(json_.Take('{'));
        std::string key;
        bool is_first = true;
        for (;;) {
            ZARR_ASSIGN_OR_RETURN(const bool is_more, json_.NextElement('}', is_first));
            if (!is_more) return {};
            ZARR_RETURN_IF_ERROR(json_.ReadKey(key, kLongestKey));
            ZARR_RETURN_IF_ERROR(ParseReference(key));
        }
    }

    Status ParseTemplates() {
        ZARR_RETURN_IF_ERROR(json_.Take('{'));
        std::string name;
        std::string text;
        bool is_first = true;
        for (;;) {
            ZARR_ASSIGN_OR_RETURN(const bool is_more, json_.NextElement('}', is_first));
            if (!is_more) return {};
            ZARR_RETURN_IF_ERROR(json_.ReadKey(name, kLongestKey));
            ZARR_RETURN_IF_ERROR(
                json_.ReadString(text, static_cast<std::size_t>(LimitOf(Limit::kTemplateLength))));
            document_.templates_.Add(name, text);
        }
    }

    Status ParseReference(const std::string& key) {
        // References with an invalid key are parsed but not added, because no reader requests such
        // a key.
        const bool is_key = IsValidKey(key);
        ZARR_ASSIGN_OR_RETURN(const char next, json_.Peek());
        if (next == '[') return ParseRange(key, is_key);
        std::string& value = value_;
        if (next == '"') {
            ZARR_RETURN_IF_ERROR(json_.ReadString(value, ValueLimit()).WithContext(key));
            ZARR_ASSIGN_OR_RETURN(value, DecodeInlineValue(std::move(value)).WithContext(key));
        } else {
            ZARR_RETURN_IF_ERROR(json_.ReadRaw(value, ValueLimit()).WithContext(key));
            if (value == "null") return {};
        }
        return is_key ? document_.index_.AddInline(key, value) : Status();
    }

    // Parses a reference [url] or [url, offset, length].
    Status ParseRange(const std::string& key, bool is_key) {
        ZARR_RETURN_IF_ERROR(json_.Take('['));
        ZARR_RETURN_IF_ERROR(json_.ReadString(location_, ValueLimit()).WithContext(key));
        bool is_first = false;
        std::uint64_t numbers[2] = {};
        std::size_t count = 0;
        for (;;) {
            ZARR_ASSIGN_OR_RETURN(const bool is_more, json_.NextElement(']', is_first));
            if (!is_more) break;
            if (count == 2) return BadRange(key);
            ZARR_ASSIGN_OR_RETURN(numbers[count], json_.ReadInteger().WithContext(key));
            ++count;
        }
        if (count == 1) return BadRange(key);
        if (!is_key) return {};
        return document_.index_.AddTarget(key, location_, numbers[0],
                                          count == 2 ? std::optional(numbers[1]) : std::nullopt);
    }
    static Status BadRange(const std::string& key) {
        return Status::Corrupt(key + ": expected [url] or [url, offset, length] as a reference");
    }

    Status Generate() {
        if (gen_.empty()) return {};
        ZARR_ASSIGN_OR_RETURN(const json::Value list, json::Parse(gen_).WithContext("gen"));
        if (list.as_array() == nullptr) return BadGen("expected a list");
        for (const json::Value& each : *list.as_array()) ZARR_RETURN_IF_ERROR(GenerateFrom(each));
        return {};
    }

    Status GenerateFrom(const json::Value& gen) {
        const json::Value* const key = gen.Find("key");
        const json::Value* const url = gen.Find("url");
        const json::Value* const dimensions = gen.Find("dimensions");
        if (key == nullptr || key->as_string() == nullptr || url == nullptr ||
            url->as_string() == nullptr || dimensions == nullptr ||
            dimensions->as_object() == nullptr)
            return BadGen("expected \"key\", \"url\" and \"dimensions\"");
        ZARR_ASSIGN_OR_RETURN(const std::string offset, json::OptionalString(gen, "offset", ""));
        ZARR_ASSIGN_OR_RETURN(const std::string length, json::OptionalString(gen, "length", ""));
        if (offset.empty() != length.empty())
            return BadGen("expected \"offset\" and \"length\", or neither");
        std::vector<Dimension> axes;
        std::uint64_t count = 1;
        for (const auto& [name, value] : *dimensions->as_object()) {
            ZARR_ASSIGN_OR_RETURN(Dimension axis, ParseDimension(name, value));
            count = SaturatingMul(count, axis.count);
            axes.push_back(std::move(axis));
        }
        // The limit is checked before references are generated, so that a huge count cannot exhaust
        // memory.
        if (SaturatingAdd(count, document_.index_.size()) > LimitOf(Limit::kReferences))
            return OverLimit(Limit::kReferences, "gen: there are too many references");
        std::vector<std::uint64_t> at(axes.size(), 0);
        for (std::uint64_t i = 0; i < count; ++i) {
            Templates::Variables variables;
            for (std::size_t axis = 0; axis < axes.size(); ++axis)
                variables[axes[axis].name] = axes[axis].At(at[axis]);
            ZARR_RETURN_IF_ERROR(
                AddGenerated(*key->as_string(), *url->as_string(), offset, length, variables));
            for (std::size_t axis = axes.size(); axis-- > 0;) {
                if (++at[axis] < axes[axis].count) break;
                at[axis] = 0;
            }
        }
        return {};
    }

    Status AddGenerated(const std::string& key, const std::string& url, const std::string& offset,
                        const std::string& length, const Templates::Variables& variables) {
        const Templates& templates = document_.templates_;
        ZARR_ASSIGN_OR_RETURN(const std::string name, templates.Expand(key, variables));
        ZARR_ASSIGN_OR_RETURN(const std::string location, templates.Expand(url, variables));
        if (!IsValidKey(name)) return {};
        if (offset.empty()) return document_.index_.AddTarget(name, location, 0, std::nullopt);
        ZARR_ASSIGN_OR_RETURN(const std::string first, templates.Expand(offset, variables));
        ZARR_ASSIGN_OR_RETURN(const std::string size, templates.Expand(length, variables));
        ZARR_ASSIGN_OR_RETURN(const std::uint64_t begin, ParseUnsigned(first, "offset"));
        ZARR_ASSIGN_OR_RETURN(const std::uint64_t bytes, ParseUnsigned(size, "length"));
        return document_.index_.AddTarget(name, location, begin, bytes);
    }

    JsonStream json_;
    KerchunkJson& document_;
    std::string value_;     // value of the current reference
    std::string location_;  // URL of the current reference
    std::string gen_;       // JSON text of the member "gen"
};

Result<std::shared_ptr<const KerchunkJson>> KerchunkJson::Read(TextReader& text,
                                                               std::string identity) {
    std::shared_ptr<KerchunkJson> document(new KerchunkJson(std::move(identity)));
    ZARR_RETURN_IF_ERROR(KerchunkParser(text, *document).Parse());
    return std::shared_ptr<const KerchunkJson>(std::move(document));
}

Result<Reference> KerchunkJson::Find(const std::string& key) const {
    Reference reference = index_.Find(key);
    if (reference.location.find("{{") != std::string::npos) {
        ZARR_ASSIGN_OR_RETURN(reference.location,
                              templates_.Expand(reference.location, {}).WithContext(key));
    }
    return reference;
}

std::string KerchunkJson::SampleLocation() const {
    const std::string location(index_.sample_location());
    const auto expanded = templates_.Expand(location, {});
    return expanded.ok() ? *expanded : location;
}

bool MayBeKerchunkJson(std::string_view start) {
    if (start.substr(0, 3) == "\xef\xbb\xbf") start.remove_prefix(3);
    const std::size_t open = start.find_first_not_of(" \t\r\n");
    if (open == std::string_view::npos || start[open] != '{') return false;
    const std::size_t quote = start.find_first_not_of(" \t\r\n", open + 1);
    if (quote == std::string_view::npos || start[quote] != '"') return false;
    const std::size_t end = start.find('"', quote + 1);
    if (end == std::string_view::npos) return false;
    const std::string_view key = start.substr(quote + 1, end - quote - 1);
    // A document of version 1 starts with one of these members, and a document of version 0 with
    // the key of metadata or a chunk.
    for (const std::string_view name : {"version", "templates", "gen", "refs"})
        if (key == name)
            return start.find("\"refs\"") != std::string_view::npos ||
                   start.find("\"templates\"") != std::string_view::npos ||
                   start.find("\"gen\"") != std::string_view::npos;
    const std::string_view name = LastName(key);
    if (IsDocumentOfAnyFormat(name)) return true;
    // The key of a chunk counts only if its value is a JSON array or a string, as in a reference.
    const bool is_chunk = key.find('/') != std::string_view::npos &&
                          name.find_first_not_of("0123456789.c") == std::string_view::npos;
    const std::size_t colon = start.find_first_not_of(" \t\r\n", end + 1);
    if (!is_chunk || colon == std::string_view::npos || start[colon] != ':') return false;
    const std::size_t value = start.find_first_not_of(" \t\r\n", colon + 1);
    return value != std::string_view::npos && (start[value] == '[' || start[value] == '"');
}

}  // namespace zarr
