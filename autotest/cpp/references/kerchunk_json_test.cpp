// SPDX-License-Identifier: MIT
#include "core/references/kerchunk_json.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "autotest/cpp/support/scoped_limit.h"
#include "core/base/limits.h"
#include "core/store/memory_store.h"

namespace zarr {
namespace {

constexpr std::size_t kBlock = 7;  // a block of 7 bytes ends within most tokens

Result<std::shared_ptr<const KerchunkJson>> Parse(const std::string& text,
                                                  std::size_t block = kBlock) {
    MemoryStore store;
    EXPECT_TRUE(store.Set("refs.json", ByteSpan(text)).ok());
    return KerchunkJson::Read(*ReadValue(store, "refs.json", block), "identity");
}

std::string Error(const std::string& text) {
    const auto parsed = Parse(text);
    return parsed.ok() ? "no error" : parsed.status().message();
}

// Returns the reference that `map` has for `key`, as text.
std::string Shown(const ReferenceMap& map, const std::string& key) {
    const auto found = map.Find(key);
    if (!found.ok()) return found.status().message();
    switch (found->kind) {
        case Reference::Kind::kAbsent:
            return "absent";
        case Reference::Kind::kInline:
            return found->bytes;
        case Reference::Kind::kTarget:
            return found->location + " " + std::to_string(found->offset) + " " +
                   (found->size ? std::to_string(*found->size) : "whole");
    }
    return "";
}

std::string Names(const std::vector<StoreEntry>& entries) {
    std::string names;
    for (const StoreEntry& entry : entries) names += entry.name + (entry.is_prefix ? "/ " : " ");
    return names;
}

TEST(KerchunkJson, ReadsTheExampleOfTheSpecification) {
    const auto map = Parse(R"({
        "version": 1,
        "templates": {"u": "server.domain/path", "f": "{{c}}"},
        "gen": [{"key": "gen_key{{i}}", "url": "http://{{u}}_{{i}}",
                 "offset": "{{(i + 1) * 1000}}", "length": "1000",
                 "dimensions": {"i": {"stop":  5}}}],
        "refs": {
          "key0": "data",
          "key1": ["http://target_url", 10000, 100],
          "key2": ["http://{{u}}", 10000, 100],
          "key3": ["http://{{f(c='text')}}", 10000, 100]
        }})");
    ASSERT_TRUE(map.ok()) << map.status().message();
    EXPECT_EQ(Shown(**map, "key0"), "data");
    EXPECT_EQ(Shown(**map, "key1"), "http://target_url 10000 100");
    EXPECT_EQ(Shown(**map, "key2"), "http://server.domain/path 10000 100");
    EXPECT_EQ(Shown(**map, "key3"), "http://text 10000 100");
    EXPECT_EQ(Shown(**map, "gen_key0"), "http://server.domain/path_0 1000 1000");
    EXPECT_EQ(Shown(**map, "gen_key4"), "http://server.domain/path_4 5000 1000");
    EXPECT_EQ(Shown(**map, "gen_key5"), "absent");
}

TEST(KerchunkJson, ReadsVersion0) {
    const auto map = Parse(R"({".zgroup": "{\n  \"zarr_format\": 2\n}", "x/.zattrs": {"a": NaN, },
        "x/.zarray": "base64:e30=", "x/0.1": ["s3://b/f.nc", 294094376, 73825960],
        "x/0.0": "base64:AAEC", "x/1.0": ["f.nc"], "y/0": null, "text": "\u00e9\ud83d\ude00\"\\\/",})");
    ASSERT_TRUE(map.ok()) << map.status().message();
    EXPECT_EQ(Shown(**map, ".zgroup"), "{\n  \"zarr_format\": 2\n}");
    EXPECT_EQ(Shown(**map, "x/.zattrs"), R"({"a": NaN, })");
    EXPECT_EQ(Shown(**map, "x/.zarray"), "{}");
    EXPECT_EQ(Shown(**map, "x/0.0"), std::string("\0\1\2", 3));
    EXPECT_EQ(Shown(**map, "x/0.1"), "s3://b/f.nc 294094376 73825960");
    EXPECT_EQ(Shown(**map, "x/1.0"), "f.nc 0 whole");
    EXPECT_EQ(Shown(**map, "y/0"), "absent");
    EXPECT_EQ(Shown(**map, "text"), "\xc3\xa9\xf0\x9f\x98\x80\"\\/");
    EXPECT_EQ((*map)->SampleLocation(), "s3://b/f.nc");
}

TEST(KerchunkJson, TemplatesMayFollowTheReferences) {
    const auto map =
        Parse(R"({"refs": {"x/0": ["{{u}}/f.nc", 1, 2]}, "templates": {"u": "s3://b"}})");
    ASSERT_TRUE(map.ok());
    EXPECT_EQ(Shown(**map, "x/0"), "s3://b/f.nc 1 2");
}

TEST(KerchunkJson, TheLastOfEqualKeysCounts) {
    const auto map = Parse(
        R"({"x/1": ["a", 1, 1], "x/0": ["a", 0, 1], "x/1": ["b", 2, 2], "d": "1", "d": "2"})");
    ASSERT_TRUE(map.ok());
    EXPECT_EQ(Shown(**map, "x/1"), "b 2 2");
    EXPECT_EQ(Shown(**map, "d"), "2");
}

TEST(KerchunkJson, KeepsEverySpellingOfAKeyApart) {
    const std::vector<std::string> keys = {"0",
                                           "x/0",
                                           "x/00",
                                           "x/0.0",
                                           "x/0/0",
                                           "x/c/0",
                                           "x/c.0",
                                           "x/c/0/0",
                                           "x/c.0.0",
                                           "x/c",
                                           "x/01.0",
                                           "x/1.",
                                           "x/c.",
                                           "x/18446744073709551615",
                                           "x/18446744073709551616",
                                           "x/4294967296.0",
                                           "x/4294967295.7",
                                           "x/1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.3",
                                           "x/1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16",
                                           "x/1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16.17",
                                           "0/1/2/3",
                                           "a/0/1/2"};
    std::string text = "{";
    for (std::size_t i = 0; i < keys.size(); ++i)
        text += "\"" + keys[i] + "\": [\"u\", " + std::to_string(i) + ", 1],";
    const auto map = Parse(text + "}");
    ASSERT_TRUE(map.ok()) << map.status().message();
    std::vector<std::string> listed;
    ASSERT_TRUE(
        (*map)->ForEachKey("", [&](std::string_view key) { listed.emplace_back(key); }).ok());
    EXPECT_EQ(listed.size(), keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        EXPECT_EQ(Shown(**map, keys[i]), "u " + std::to_string(i) + " 1") << keys[i];
        EXPECT_NE(std::find(listed.begin(), listed.end(), keys[i]), listed.end()) << keys[i];
    }
}

TEST(KerchunkJson, Lists) {
    const auto map = Parse(
        R"({".zgroup": "{}", "g/.zgroup": "{}", "g/x/.zarray": "{}", "g/x/0.0": "a",
            "g/x/0.1": "b", "g/y/c/0/1": "c", "g/y/zarr.json": "{}", "z/0": "d"})");
    ASSERT_TRUE(map.ok());
    EXPECT_EQ(Names(*(*map)->List("")), ".zgroup g/ z/ ");
    EXPECT_EQ(Names(*(*map)->List("g")), ".zgroup x/ y/ ");
    EXPECT_EQ(Names(*(*map)->List("g/x")), ".zarray 0.0 0.1 ");
    EXPECT_EQ(Names(*(*map)->List("g/y")), "c/ zarr.json ");
    EXPECT_EQ(Names(*(*map)->List("g/y/c")), "0/ ");
    EXPECT_EQ(Names(*(*map)->List("g/y/c/0")), "1 ");
    EXPECT_EQ(Names(*(*map)->List("z")), "0 ");
    EXPECT_EQ(Names(*(*map)->List("none")), "");
}

TEST(KerchunkJson, LeavesOutKeysThatNoStoreHas) {
    const auto map = Parse(R"({"../x": "a", "/y": ["u", 0, 1], "a//b": "c", "": "d", "e": "f"})");
    ASSERT_TRUE(map.ok());
    EXPECT_EQ(Names(*(*map)->List("")), "e ");
}

TEST(KerchunkJson, RefusesDamagedDocuments) {
    EXPECT_EQ(Error(""), "byte 0 of the references: expected \"{\"");
    EXPECT_EQ(Error("[]"), "byte 0 of the references: expected \"{\"");
    EXPECT_EQ(Error("{"), "byte 1 of the references: expected \"\\\"\"");
    EXPECT_EQ(Error("{}x"),
              "byte 2 of the references: expected the end of the document after the object");
    EXPECT_EQ(Error(R"({"a": "b" "c": "d"})"),
              "byte 10 of the references: expected a comma or \"}\"");
    EXPECT_EQ(Error(R"({"x/0": ["u", 1]})"),
              "x/0: expected [url] or [url, offset, length] as a reference");
    EXPECT_EQ(Error(R"({"x/0": ["u", 1, 2, 3]})"),
              "x/0: expected [url] or [url, offset, length] as a reference");
    EXPECT_EQ(Error(R"({"x/0": ["u", -1, 2]})"),
              "x/0: byte 14 of the references: expected an integer of at least 0");
    EXPECT_EQ(Error(R"({"x/0": ["u", 1.5, 2]})"),
              "x/0: byte 15 of the references: expected an integer");
    EXPECT_EQ(Error(R"({"x/0": ["u", 18446744073709551616, 2]})"),
              "x/0: byte 33 of the references: expected an integer of 64 bits");
    EXPECT_EQ(Error(R"({"x/0": [1, 1, 2]})"), "x/0: byte 9 of the references: expected \"\\\"\"");
    EXPECT_EQ(Error(R"({"x/0": "base64:*"})").substr(0, 5), "x/0: ");
    EXPECT_EQ(Error(R"({"x/0": "a\x"})"),
              "x/0: byte 11 of the references: expected an escape such as \\n");
    EXPECT_EQ(
        Error(R"({"x/0": {"a": ]}})"),
        "x/0: byte 15 of the references: expected the bracket that closes the last opened one");
    EXPECT_EQ(Error(R"({"x/0": {"a": 1)"),
              "x/0: byte 15 of the references: expected the end of a value");
    EXPECT_EQ(Error(R"({"version": 2, "refs": {}})"), "version 2 of references is unsupported");
}

TEST(KerchunkJson, SurvivesEveryTruncation) {
    const std::string text =
        R"({"version": 1, "templates": {"u": "a"}, "gen": [{"key": "k{{i}}", "url": "{{u}}",
            "dimensions": {"i": [1, 2]}}], "refs": {"x/.zarray": {"b": [1, "]"]},
            "x/0": ["{{u}}", 1, 2], "x/1": "base64:AAEC", "x/2": "\ud83d\ude00"}})";
    ASSERT_TRUE(Parse(text).ok());
    for (std::size_t size = 0; size < text.size(); ++size)
        EXPECT_FALSE(Parse(text.substr(0, size)).ok()) << size;
    for (std::size_t at = 0; at < text.size(); ++at) {
        std::string changed = text;
        changed[at] = static_cast<char>(changed[at] ^ 0x15);
        static_cast<void>(Parse(changed));  // gives an error or a value, but makes no invalid read
    }
}

TEST(KerchunkJson, BoundsTheNumberOfReferences) {
    const test::ScopedLimit limited(Limit::kReferences, 3);
    EXPECT_TRUE(Parse(R"({"a": "1", "x/0": "2", "x/1": ["u"]})").ok());
    EXPECT_EQ(Error(R"({"a": "1", "x/0": "2", "x/1": ["u"], "x/2": ["u"]})"),
              "there are too many references; ZARR_MAX_REFERENCES allows 3");
}

TEST(KerchunkJson, BoundsTheProductOfGeneratedReferencesBeforeItIsMade) {
    const std::string dimensions =
        R"({"i": {"stop": 4000000000000000000}, "j": {"stop": 4000000000000000000}})";
    EXPECT_EQ(Error(R"({"gen": [{"key": "k{{i}}", "url": "u", "dimensions": )" + dimensions +
                    "}], \"refs\": {}}"),
              "gen: there are too many references; ZARR_MAX_REFERENCES allows 67108864");
}

TEST(KerchunkJson, BoundsTheDocument) {
    const test::ScopedLimit limited(Limit::kReferenceSize, 20);
    EXPECT_EQ(Error(R"({"a": "1234567890123456789012345"})"),
              "a: refs.json: has too many bytes; ZARR_MAX_REFERENCE_SIZE allows 20");
}

TEST(KerchunkJson, BoundsNesting) {
    EXPECT_EQ(
        Error("{\"x/.zattrs\": {\"a\": " + std::string(1000, '[') + std::string(1000, ']') + "}}"),
        "x/.zattrs: a value is nested too deep; ZARR_MAX_JSON_DEPTH allows 128");
}

TEST(KerchunkJson, GeneratesProducts) {
    const auto map = Parse(R"({"version": 1, "gen": [
        {"key": "x/{{i}}.{{j}}", "url": "f_{{'%04d' % i}}.nc", "offset": "{{i*10 + j // 2}}",
         "length": "{{ 7 % 4 }}", "dimensions": {"i": {"start": 2, "stop": 8, "step": 3},
                                                 "j": [5, 1]}},
        {"key": "y/{{i}}", "url": "w", "dimensions": {"i": {"start": 3, "stop": 0, "step": -2}}}],
        "refs": {}})");
    ASSERT_TRUE(map.ok()) << map.status().message();
    EXPECT_EQ(Shown(**map, "x/2.5"), "f_0002.nc 22 3");
    EXPECT_EQ(Shown(**map, "x/5.1"), "f_0005.nc 50 3");
    EXPECT_EQ(Shown(**map, "y/3"), "w 0 whole");
    EXPECT_EQ(Shown(**map, "y/1"), "w 0 whole");
    std::size_t count = 0;
    ASSERT_TRUE((*map)->ForEachKey("", [&](std::string_view) { ++count; }).ok());
    EXPECT_EQ(count, 6U);
}

TEST(KerchunkJson, RefusesGeneratedReferencesThatLackSomething) {
    EXPECT_EQ(Error(R"({"gen": [{"key": "k"}]})"),
              "gen: expected \"key\", \"url\" and \"dimensions\" of generated references");
    EXPECT_EQ(Error(R"({"gen": [{"key": "k", "url": "u", "offset": "1", "dimensions": {}}]})"),
              "gen: expected \"offset\" and \"length\", or neither of generated references");
    EXPECT_EQ(Error(R"({"gen": [{"key": "k", "url": "u", "offset": "{{-1}}", "length": "1",
                        "dimensions": {}}]})"),
              "gen: expected a number as the offset, got \"-1\"");
    EXPECT_EQ(Error(R"({"gen": [{"key": "k", "url": "u", "dimensions": {"i": {"start": 1}}}]})"),
              "gen: expected \"stop\" in a dimension of generated references");
}

std::string Zstandard(const std::string& text) {
    std::string packed(ZSTD_compressBound(text.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
    return packed;
}

TEST(KerchunkJson, ReadsZstandard) {
    const std::string text = R"({"x/0": ["u", 1, 2], ".zgroup": "{}"})";
    const std::string packed = Zstandard(text);
    const auto parse = [](const std::string& bytes) {
        MemoryStore store;
        EXPECT_TRUE(store.Set("r.json.zst", ByteSpan(bytes)).ok());
        return KerchunkJson::Read(*Decompress(ReadValue(store, "r.json.zst", kBlock)), "");
    };
    const auto map = parse(packed);
    ASSERT_TRUE(map.ok()) << map.status().message();
    EXPECT_EQ(Shown(**map, "x/0"), "u 1 2");
    EXPECT_EQ(parse(packed.substr(0, packed.size() - 3)).status().message(),
              ".zgroup: the compressed references are truncated");
    EXPECT_EQ(parse("{}").status().code(), StatusCode::kCorrupt);
}

TEST(KerchunkJson, RefusesZstandardThatIsTooLarge) {
    const auto message = [](const std::string& text) {
        MemoryStore store;
        EXPECT_TRUE(store.Set("r.json.zst", ByteSpan(Zstandard(text))).ok());
        const auto reader = Decompress(ReadValue(store, "r.json.zst", kBlock));
        return KerchunkJson::Read(*reader, "").status().message();
    };
    const std::string ratio = "the references decompress to more than 256 times their size";
    const auto blanks = [](std::size_t bytes) { return std::string(bytes, ' '); };
    EXPECT_EQ(message(blanks(18 << 20)), ratio + "; ZARR_MAX_REFERENCE_SIZE allows 1073741824");
    EXPECT_EQ(message(blanks(16 << 20)).find(ratio), std::string::npos);
    // A bit for each byte, so that Zstandard saves little more than seven eighths.
    std::minstd_rand random(1);
    std::string varied(std::size_t{2} << 20, ' ');
    for (char& each : varied) each = (random() & 1) != 0 ? ' ' : '\n';
    const test::ScopedLimit limited(Limit::kReferenceSize, 1 << 20);
    EXPECT_EQ(message(varied),
              "the references have too many bytes; ZARR_MAX_REFERENCE_SIZE allows 1048576");
    EXPECT_EQ(message(blanks(1 << 18)), ratio + "; ZARR_MAX_REFERENCE_SIZE allows 1048576");
}

TEST(KerchunkJson, IsRecognisedByItsStart) {
    EXPECT_TRUE(MayBeKerchunkJson(R"({"version": 1, "refs": {)"));
    EXPECT_TRUE(MayBeKerchunkJson("\xef\xbb\xbf {\n \"refs\" : {"));
    EXPECT_TRUE(MayBeKerchunkJson(R"({".zgroup": ")"));
    EXPECT_TRUE(MayBeKerchunkJson(R"({"a/b/.zarray": {)"));
    EXPECT_TRUE(MayBeKerchunkJson(R"({"zarr.json": ")"));
    EXPECT_TRUE(MayBeKerchunkJson(R"({"x/c/0/1": ["u", 1, 2])"));
    EXPECT_TRUE(MayBeKerchunkJson(R"({"x/0.1" : "base64:)"));
    EXPECT_FALSE(MayBeKerchunkJson(R"({"x/0.1": {})"));
    EXPECT_FALSE(MayBeKerchunkJson(R"({"type": "FeatureCollection"})"));
    EXPECT_FALSE(MayBeKerchunkJson(R"({"version": "1.0", "stac_version": 1})"));
    EXPECT_FALSE(MayBeKerchunkJson("{}"));
    EXPECT_FALSE(MayBeKerchunkJson("[1]"));
    EXPECT_FALSE(MayBeKerchunkJson(""));
}

// ------------------------------------------------------------------------------------- Templates

std::string Expanded(const std::string& text, const Templates::Variables& variables = {}) {
    Templates templates;
    templates.Add("u", "s3://bucket");
    templates.Add("f", "{{u}}/{{a}}_{{b}}.nc");
    templates.Add("loop", "{{loop}}");
    templates.Add("twice", "{{x}}{{x}}");
    const auto expanded = templates.Expand(text, variables);
    return expanded.ok() ? *expanded : "error: " + expanded.status().message();
}

TEST(ReferenceTemplates, EvaluatesTheSubset) {
    EXPECT_EQ(Expanded("plain"), "plain");
    EXPECT_EQ(Expanded("{{u}}/x"), "s3://bucket/x");
    EXPECT_EQ(Expanded("{{ f(a='t', b=2+3*4) }}"), "s3://bucket/t_14.nc");
    EXPECT_EQ(Expanded("{{i}}", {{"i", std::int64_t{7}}}), "7");
    EXPECT_EQ(Expanded("{{(i+1)*1000 - 1}}", {{"i", std::int64_t{7}}}), "7999");
    EXPECT_EQ(Expanded("{{-7 // 2}} {{-7 % 4}} {{7 // -2}}"), "-4 1 -4");
    EXPECT_EQ(Expanded("{{'%04d' % i}}", {{"i", std::int64_t{7}}}), "0007");
    EXPECT_EQ(Expanded("{{'a%%b%s' % 'c'}}"), "a%bc");
    EXPECT_EQ(Expanded("{{'a' + \"b\"}}"), "ab");
}

TEST(ReferenceTemplates, RefusesTheRest) {
    EXPECT_EQ(Expanded("{{none}}"), "error: the template \"none\" does not exist");
    EXPECT_EQ(Expanded("{{ 'a'*2e8 }}").substr(0, 6), "error:");
    EXPECT_EQ(Expanded("{{ 'a'*200000000 }}"),
              "error: the template expression \" 'a'*200000000 \" is unsupported");
    EXPECT_EQ(Expanded("{{u|upper}}"), "error: the template expression \"u|upper\" is unsupported");
    EXPECT_EQ(Expanded("{% for i in x %}"),
              "error: the template \"{% for i in x %}\" has statements, which are unsupported");
    EXPECT_EQ(Expanded("{{u"), "error: the template \"{{u\" has no closing braces");
    EXPECT_EQ(Expanded("{{1 // 0}}"), "error: the template expression \"1 // 0\" divides by zero");
    EXPECT_EQ(Expanded("{{9223372036854775807 + 1}}"),
              "error: the template expression \"9223372036854775807 + 1\" exceeds 64-bit integers");
    EXPECT_EQ(Expanded("{{'%99999d' % 1}}"),
              "error: the format \"%99999d\" of a template is unsupported");
    EXPECT_EQ(Expanded("{{'%n' % 1}}"), "error: the format \"%n\" of a template is unsupported");
    for (const char* format : {"'%5s' % 'a'", "'%-5s' % 1", "'%x' % -1", "'%+x' % 1", "'% o' % 1"})
        EXPECT_EQ(Expanded("{{" + std::string(format) + "}}").substr(0, 18), "error: the format ")
            << format;
    EXPECT_EQ(Expanded("{{loop}}"), "error: templates refer to each other more than 16 deep");
    EXPECT_EQ(Expanded("{{" + std::string(1000, '(') + "}}").substr(0, 6), "error:");
    EXPECT_EQ(Expanded("{{" + std::string(1000, '-') + "1}}").substr(0, 6), "error:");
}

TEST(ReferenceTemplates, BoundsTheLength) {
    std::string nested = "'0123456789'";
    for (int i = 0; i < 14; ++i) nested = "twice(x=" + nested + ")";
    EXPECT_EQ(Expanded("{{" + nested + "}}"),
              "error: a template has too many bytes; ZARR_MAX_TEMPLATE_LENGTH allows 65536");
}

// Each of ten templates repeats the next one 1,000 times, and the last one is empty. The expansion
// must stop with an error, although its result would be empty.
TEST(ReferenceTemplates, BoundsEmptyTemplatesThatMultiply) {
    Templates templates;
    for (int i = 0; i < 10; ++i) {
        std::string text;
        for (int k = 0; k < 1000; ++k) text += "{{t" + std::to_string(i + 1) + "}}";
        templates.Add("t" + std::to_string(i), text);
    }
    templates.Add("t10", "");
    const auto expanded = templates.Expand("{{t0}}", {});
    ASSERT_FALSE(expanded.ok());
    EXPECT_EQ(expanded.status().message(),
              "a template has too many expressions; ZARR_MAX_TEMPLATE_LENGTH allows 65536");
}

}  // namespace
}  // namespace zarr
