// SPDX-License-Identifier: MIT
#include "core/references/yaml.h"

#include <gtest/gtest.h>

#include <string>

namespace zarr {
namespace {

// Returns `value` as JSON without spaces.
std::string CompactYaml(const json::Value& value) {
    std::string text = json::Dump(value);
    for (const char* token : {", ", "\": "})
        for (std::size_t at = text.find(token); at != std::string::npos; at = text.find(token))
            text.erase(text.find(' ', at), 1);
    return text;
}

std::string ParsedYaml(std::string_view text) {
    const auto value = ParseYaml(text);
    return value.ok() ? CompactYaml(*value) : value.status().message();
}

TEST(Yaml, ReadsTheConfigurationThatIcechunkWrites) {
    EXPECT_EQ(
        ParsedYaml("inline_chunk_threshold_bytes: 64\n"
                   "compression: null\n"
                   "virtual_chunk_containers:\n"
                   "  https://h/it's/:\n"
                   "    name: null\n"
                   "    store: !http\n"
                   "      allow_http: 'true'\n"
                   "      a: 'b: c'\n"
                   "  file:///tmp/d/:\n"
                   "    store: !local_file_system /tmp/d\n"
                   "  s3://b/:\n"
                   "    store: !s3_compatible\n"
                   "      endpoint_url: http://127.0.0.1:9000\n"
                   "      anonymous: true\n"
                   "manifest:\n"
                   "  splitting:\n"
                   "    split_sizes:\n"
                   "    - - any_array\n"
                   "      - - condition: Any\n"
                   "          num_chunks: 4\n"),
        R"({"inline_chunk_threshold_bytes":64,"compression":null,)"
        R"("virtual_chunk_containers":{)"
        R"("https://h/it's/":{"name":null,"store":{"http":{"allow_http":"true","a":"b: c"}}},)"
        R"("file:///tmp/d/":{"store":{"local_file_system":"/tmp/d"}},)"
        R"("s3://b/":{"store":{"s3_compatible":{"endpoint_url":"http://127.0.0.1:9000",)"
        R"("anonymous":true}}}},)"
        R"("manifest":{"splitting":{"split_sizes":[["any_array",[{"condition":"Any",)"
        R"("num_chunks":4}]]]}}})");
}

TEST(Yaml, ReadsScalarsAndEmptyCollections) {
    EXPECT_EQ(ParsedYaml(""), "null");
    EXPECT_EQ(ParsedYaml("# nothing\n---\n"), "null");
    EXPECT_EQ(ParsedYaml("a: {}\nb: []\nc: !http {}\nd: !null_tag\n"),
              R"({"a":{},"b":[],"c":{"http":{}},"d":{"null_tag":null}})");
    EXPECT_EQ(ParsedYaml("a: \"x\\n\\\"y\\\"\"\n'b c': 'it''s'\n\"d:e\": -5\nf: 1.5\ng: ~\n"),
              R"({"a":"x\n\"y\"","b c":"it's","d:e":-5,"f":"1.5","g":null})");
    EXPECT_EQ(ParsedYaml("- 1\n- a: 2\n  b: 3\n-\n  c: 4\n- !t\n  d: 5\n"),
              R"([1,{"a":2,"b":3},{"c":4},{"t":{"d":5}}])");
    EXPECT_EQ(ParsedYaml("a:\r\n  b: c\r\n"), R"({"a":{"b":"c"}})");
}

TEST(Yaml, RefusesOtherTexts) {
    EXPECT_EQ(ParsedYaml("a: 1\n  b: 2\n"), "line 2: the indentation is wrong");
    EXPECT_EQ(ParsedYaml("a: 1\nb\n"), "line 2: expected \"key: value\"");
    EXPECT_EQ(ParsedYaml("a: 'b\n"), "line 1: a quote is not closed");
    EXPECT_EQ(ParsedYaml("a: 'b' c\n"), "line 1: expected the end of the line");
    EXPECT_EQ(ParsedYaml(": b\n"), "line 1: a key is empty");
    EXPECT_EQ(ParsedYaml("a: &x b\n"), "line 1: \"&x b\" is a feature of YAML that is unsupported");
    EXPECT_EQ(ParsedYaml("a: |\n  b\n"), "line 1: \"|\" is a feature of YAML that is unsupported");
    EXPECT_EQ(ParsedYaml("a: {b: c}\n"),
              "line 1: \"{b: c}\" is a feature of YAML that is unsupported");
}

TEST(Yaml, BoundsNesting) {
    std::string deep;
    std::string tags = "a: ";
    for (int i = 0; i < 1000; ++i) {
        deep += "- ";
        tags += "!t ";
    }
    EXPECT_EQ(ParsedYaml(deep + "x\n"),
              "a YAML document is nested too deep; ZARR_MAX_JSON_DEPTH allows 128");
    EXPECT_EQ(ParsedYaml(tags + "x\n"),
              "a YAML document is nested too deep; ZARR_MAX_JSON_DEPTH allows 128");
}

TEST(Yaml, SurvivesEveryTruncationAndChange) {
    const std::string good = "a:\n  'b': !s3\n    c: \"d\\n\"\n- - e: {}\n";
    for (std::size_t size = 0; size < good.size(); ++size)
        static_cast<void>(ParsedYaml(good.substr(0, size)));
    for (std::size_t at = 0; at < good.size(); ++at)
        for (const char c : {'\n', ' ', ':', '!', '-', '"', '\'', '\0', '\\'}) {
            std::string changed = good;
            changed[at] = c;
            static_cast<void>(ParsedYaml(changed));
        }
}

}  // namespace
}  // namespace zarr
