// SPDX-License-Identifier: MIT
// Builds pyramids in memory and describes them as texts.
#pragma once

#include <algorithm>

#include "autotest/cpp/hierarchy/trees.h"
#include "core/conventions/pyramid/pyramid.h"

namespace zarr::test {

using StringList = std::vector<std::string>;

// Builds a hierarchy in memory.
class TreeBuilder {
  public:
    TreeBuilder& Text(const std::string& key, const std::string& text) {
        EXPECT_TRUE(Succeeds(store_->Set(key, ByteSpan(std::string_view(text)))));
        return *this;
    }
    TreeBuilder& Array(const std::string& path, const std::string& shape,
                       const std::string& attributes = "{}", const std::string& dtype = "\"<f4\"") {
        Text(path + "/.zarray", ArrayText(shape, dtype));
        return Text(path + "/.zattrs", attributes);
    }
    // Adds an array with the dimensions y and x.
    TreeBuilder& Raster(const std::string& path, int height, int width,
                        const std::string& dtype = "\"<f4\"") {
        return Array(path, "[" + std::to_string(height) + ", " + std::to_string(width) + "]",
                     R"({"_ARRAY_DIMENSIONS": ["y", "x"]})", dtype);
    }
    // Adds a coordinate array of `count` pixel centres. `from` is the outer edge of the first
    // pixel.
    TreeBuilder& Axis(const std::string& path, int count, double from, double spacing) {
        std::string values;
        for (int i = 0; i < count; ++i) {
            const double value = from + (i + 0.5) * spacing;
            values.append(reinterpret_cast<const char*>(&value), sizeof value);
        }
        Array(path, "[" + std::to_string(count) + "]",
              "{\"_ARRAY_DIMENSIONS\": [\"" + path.substr(path.rfind('/') + 1) + "\"]}", "\"<f8\"");
        return Text(path + "/0", values);
    }
    TreeBuilder& Group(const std::string& path, const std::string& attributes = "{}") {
        const std::string prefix = path.empty() ? "" : path + "/";
        Text(prefix + ".zgroup", kGroupText);
        return Text(prefix + ".zattrs", attributes);
    }
    std::shared_ptr<const Hierarchy> Tree() const { return test::Tree(store_); }

  private:
    std::shared_ptr<MemoryStore> store_ = std::make_shared<MemoryStore>();
};

// Returns path, width and height of each level, for example "a 8x6, b 4x3".
inline std::string TextOf(const Pyramid& pyramid) {
    std::string text;
    for (const PyramidLevel& level : pyramid.levels)
        text += (text.empty() ? "" : ", ") + level.path + " " + std::to_string(level.width) + "x" +
                std::to_string(level.height);
    return text;
}

struct Found {
    StringList pyramids;
    Warnings warnings;
};

inline Found PyramidsOf(const Hierarchy& tree, const std::string& group = "") {
    Found found;
    PyramidFaults faults;
    for (const Pyramid& pyramid : FindPyramids(tree, group, faults))
        found.pyramids.push_back(TextOf(pyramid));
    faults.Report(found.warnings);
    return found;
}

// Returns TextOf() of the pyramid of `array`, or "" if the array has no pyramid.
inline std::string PyramidOf(const Hierarchy& tree, const std::string& array, Warnings& warnings) {
    const auto pyramid = FindPyramidOf(tree, array).Report(warnings);
    return pyramid ? TextOf(*pyramid) : std::string();
}

// Expects exactly one pyramid, described by `text`, in `group`. The pyramid must also be found from
// each of `levels`, without a warning.
inline void ExpectOne(const Hierarchy& tree, const std::string& group, const std::string& text,
                      const StringList& levels) {
    const Found found = PyramidsOf(tree, group);
    EXPECT_EQ(found.pyramids, StringList{text}) << group;
    EXPECT_TRUE(found.warnings.empty()) << found.warnings[0];
    Warnings warnings;
    for (const std::string& level : levels)
        EXPECT_EQ(PyramidOf(tree, level, warnings), text) << level;
    EXPECT_TRUE(warnings.empty()) << warnings[0];
}

// Passes if there is exactly one warning and it contains all `parts`.
inline testing::AssertionResult WarnsOnce(const Warnings& warnings, const StringList& parts) {
    if (warnings.size() != 1) {
        auto failure = testing::AssertionFailure() << warnings.size() << " warnings";
        for (const std::string& warning : warnings) failure << "\n" << warning;
        return failure;
    }
    for (const std::string& part : parts)
        if (warnings[0].find(part) == std::string::npos)
            return testing::AssertionFailure() << warnings[0] << "\nlacks " << part;
    return testing::AssertionSuccess();
}

}  // namespace zarr::test
