// SPDX-License-Identifier: MIT
#include "driver/georef/selection.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/conventions/coordinates.h"
#include "core/conventions/multiscales.h"
#include "core/conventions/ome.h"
#include "driver/base/report.h"

namespace zarr_driver {

using zarr::CoordinateLabel;
using zarr::Result;
using zarr::Status;

namespace {

Status Refused(const std::string& path, const std::string& why) {
    return Status::Invalid("/" + path + ": SELECT: " + why);
}

bool IsSameNumber(const std::string& a, const std::string& b) {
    if (CPLGetValueType(a.c_str()) == CPL_VALUE_STRING ||
        CPLGetValueType(b.c_str()) == CPL_VALUE_STRING)
        return false;
    const double one = CPLAtof(a.c_str());
    const double other = CPLAtof(b.c_str());
    return one == other || std::abs(one - other) <= 1e-9 * std::max(std::abs(one), std::abs(other));
}

// True where a coordinate is what a text says, to the last part.
bool IsExactly(const CoordinateLabel& label, const std::string& text) {
    return label.value == text || label.label == text || label.time == text ||
           IsSameNumber(label.value, text);
}

// True where a time begins with a text, and goes on with a smaller unit.
bool BeginsWith(const CoordinateLabel& label, const std::string& text) {
    const std::string& time = label.time;
    return time.size() > text.size() && time.compare(0, text.size(), text) == 0 &&
           (std::isdigit(static_cast<unsigned char>(time[text.size()])) == 0 ||
            std::isdigit(static_cast<unsigned char>(text.back())) == 0);
}

std::string TextOf(const CoordinateLabel& label) {
    return label.label.empty() ? label.value : label.label;
}

class Coordinates {
  public:
    Coordinates(const zarr::Hierarchy& hierarchy, const zarr::ArrayFacts& facts,
                const zarr::Dimension& dimension)
        : hierarchy_(hierarchy), facts_(facts), dimension_(dimension) {}

    Result<std::uint64_t> Find(const std::string& text) {
        if (CPLGetValueType(text.c_str()) == CPL_VALUE_INTEGER && text[0] != '-') {
            const auto index = static_cast<std::uint64_t>(CPLAtoGIntBig(text.c_str()));
            if (index < dimension_.size) return index;
        }
        const auto of_image = dimension_.coordinate_path.empty() ? OfImage() : std::nullopt;
        if (dimension_.coordinate_path.empty() && !of_image)
            return Refused(facts_.path, "dimension " + dimension_.name + " has " +
                                            std::to_string(dimension_.size) +
                                            " elements and no coordinates, got " +
                                            zarr::Quoted(text));
        if (of_image) {
            labels_ = *of_image;
        } else {
            zarr::LabelRange range;
            range.count = dimension_.size;
            zarr::Warnings ignored;
            ZARR_ASSIGN_OR_RETURN(
                labels_, zarr::ReadCoordinateLabels(hierarchy_, dimension_, range, ignored));
        }
        std::vector<std::uint64_t> found = All(text, IsExactly);
        if (found.empty()) found = All(text, BeginsWith);
        if (found.size() == 1) return found[0];
        if (found.empty())
            return Refused(facts_.path, "dimension " + dimension_.name + " has no coordinate " +
                                            zarr::Quoted(text) + "; it has " + Some(nullptr));
        return Refused(facts_.path, std::to_string(found.size()) + " coordinates of dimension " +
                                        dimension_.name + " are " + zarr::Quoted(text) + ": " +
                                        Some(&found));
    }

  private:
    std::optional<zarr::CoordinateLabels> OfImage() const {
        const auto axis = static_cast<std::size_t>(&dimension_ - facts_.dimensions.data());
        return zarr::ImageCoordinates(zarr::LevelListings(hierarchy_).Find(facts_.path),
                                      facts_.metadata.rank(), axis, dimension_.size);
    }

    template <class Predicate>
    std::vector<std::uint64_t> All(const std::string& text, const Predicate& is_meant) const {
        std::vector<std::uint64_t> found;
        for (std::size_t i = 0; i < labels_.items.size(); ++i)
            if (is_meant(labels_.items[i], text)) found.push_back(i);
        return found;
    }

    // The first few coordinates, all or those of the indices.
    std::string Some(const std::vector<std::uint64_t>* indices) const {
        std::vector<std::string> texts;
        const std::size_t count = indices != nullptr ? indices->size() : labels_.items.size();
        for (std::size_t i = 0; i < count; ++i)
            texts.push_back(TextOf(labels_.items[indices != nullptr ? (*indices)[i] : i]));
        return FirstFew(texts, ", ");
    }

    const zarr::Hierarchy& hierarchy_;
    const zarr::ArrayFacts& facts_;
    const zarr::Dimension& dimension_;
    zarr::CoordinateLabels labels_;
};

}  // namespace

Result<std::vector<std::optional<std::uint64_t>>> FindSelected(const zarr::Hierarchy& hierarchy,
                                                               const zarr::ArrayFacts& facts,
                                                               const std::vector<std::size_t>& axes,
                                                               const std::string& selection) {
    std::vector<std::optional<std::uint64_t>> fixed(axes.size());
    const CPLStringList parts(CSLTokenizeString2(
        selection.c_str(), ",", CSLT_HONOURSTRINGS | CSLT_STRIPLEADSPACES | CSLT_STRIPENDSPACES));
    for (int i = 0; i < parts.size(); ++i) {
        const std::string part = parts[i];
        const std::size_t equals = part.find('=');
        if (equals == 0 || equals == std::string::npos || equals + 1 == part.size())
            return Refused(facts.path, "expected dimension=index or dimension=coordinate, got " +
                                           zarr::Quoted(part));
        const std::string name = part.substr(0, equals);
        const auto axis = std::find_if(axes.begin(), axes.end(), [&](std::size_t at) {
            return facts.dimensions[at].name == name;
        });
        if (axis == axes.end()) {
            std::string names;
            for (const std::size_t at : axes)
                names += (names.empty() ? "" : ", ") + facts.dimensions[at].name;
            return Refused(facts.path, "there is no dimension " + zarr::Quoted(name) +
                                           " beside X and Y" +
                                           (names.empty() ? "" : "; there is " + names));
        }
        const auto at = static_cast<std::size_t>(axis - axes.begin());
        if (fixed[at]) return Refused(facts.path, "dimension " + name + " is named twice");
        ZARR_ASSIGN_OR_RETURN(
            fixed[at],
            Coordinates(hierarchy, facts, facts.dimensions[*axis]).Find(part.substr(equals + 1)));
    }
    return fixed;
}

}  // namespace zarr_driver
