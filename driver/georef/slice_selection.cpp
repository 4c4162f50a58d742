// SPDX-License-Identifier: MIT
#include "driver/georef/slice_selection.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/conventions/cf/coordinates.h"
#include "core/conventions/group/multiscales.h"
#include "driver/base/gdal_errors.h"

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

// True if `text` equals the stored value, the label or the time of a coordinate, or is an equal
// number in another spelling.
bool IsExactly(const CoordinateLabel& label, const std::string& text) {
    return label.value == text || label.label == text || label.time == text ||
           IsSameNumber(label.value, text);
}

// True if `text` is the beginning of a coordinate's time, such as its date or month.
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
        if (dimension_.size > zarr::LimitOf(zarr::Limit::kCoordinates))
            return zarr::OverLimit(zarr::Limit::kCoordinates,
                                   "/" + facts_.path + ": SELECT: dimension " + dimension_.name +
                                       " has " + std::to_string(dimension_.size) + " coordinates");
        ZARR_RETURN_IF_ERROR(Search(text));
        const Matches& found = exact_.count > 0 ? exact_ : beginning_;
        if (found.count == 1) return found.first;
        if (found.count == 0)
            return Refused(facts_.path, "dimension " + dimension_.name + " has no coordinate " +
                                            zarr::Quoted(text) + "; it has " + TextOf(all_));
        return Refused(facts_.path, std::to_string(found.count) + " coordinates of dimension " +
                                        dimension_.name + " are " + zarr::Quoted(text) + ": " +
                                        TextOf(found));
    }

  private:
    // The coordinates that match the user's selection: their number, the index of the first, and
    // the texts of the first few for error messages.
    struct Matches {
        static constexpr std::size_t kShown = 5;
        std::uint64_t count = 0;
        std::uint64_t first = 0;
        std::vector<std::string> texts;

        void Add(std::uint64_t index, const CoordinateLabel& label) {
            if (count++ == 0) first = index;
            if (texts.size() < kShown) texts.push_back(zarr_driver::TextOf(label));
        }
    };

    static std::string TextOf(const Matches& found) {
        const std::uint64_t more = found.count - found.texts.size();
        return FirstFew(found.texts, ", ") +
               (more > 0 ? ", and " + std::to_string(more) + " more" : "");
    }

    // Compares `text` with all coordinates of the dimension. Reads some coordinates at a time, so
    // that their labels do not exceed kMaxLabels and kMaxLabelBytes.
    Status Search(const std::string& text) {
        std::uint64_t piece = PieceSize();
        for (std::uint64_t first = 0; first < dimension_.size;) {
            const std::uint64_t count = std::min(piece, dimension_.size - first);
            const auto labels = Labels(first, count, text);
            if (labels.status().code() == zarr::StatusCode::kLimit && count > 1) {
                piece = count / 2;
                continue;
            }
            if (!labels.ok()) return labels.status();
            for (std::size_t i = 0; i < labels->items.size(); ++i) {
                const CoordinateLabel& label = labels->items[i];
                all_.Add(first + i, label);
                if (IsExactly(label, text)) exact_.Add(first + i, label);
                if (BeginsWith(label, text)) beginning_.Add(first + i, label);
            }
            first += count;
        }
        return {};
    }

    // Returns the number of coordinates to read at a time: a multiple of the chunk size, so that
    // each chunk is read once.
    std::uint64_t PieceSize() const {
        const auto metadata = dimension_.coordinate_path.empty()
                                  ? Result<zarr::ArrayMetadata>(Status::NotFound(""))
                                  : hierarchy_.Metadata(dimension_.coordinate_path);
        if (!metadata.ok() || metadata->rank() != 1) return zarr::kMaxLabels;
        const std::uint64_t chunk = metadata->chunks[0];
        return chunk == 0 || chunk > zarr::kMaxLabels ? zarr::kMaxLabels
                                                      : zarr::kMaxLabels / chunk * chunk;
    }

    Result<zarr::CoordinateLabels> Labels(std::uint64_t first, std::uint64_t count,
                                          const std::string& text) const {
        if (dimension_.coordinate_path.empty()) {
            const auto axis = static_cast<std::size_t>(&dimension_ - facts_.dimensions.data());
            auto of_image = zarr::ImageCoordinates(zarr::ListingOf(hierarchy_, facts_.path),
                                                   facts_.metadata.rank(), axis, first, count);
            if (of_image) return *std::move(of_image);
            return Refused(facts_.path, "dimension " + dimension_.name +
                                            " has no coordinates; expected an index from 0 to " +
                                            std::to_string(dimension_.size - 1) + ", got " +
                                            zarr::Quoted(text));
        }
        zarr::LabelRange range;
        range.first = first;
        range.count = count;
        range.threads = hierarchy_.store()->Traits().concurrent_reads;
        return zarr::ReadCoordinateLabels(hierarchy_, dimension_, range).value;
    }

    const zarr::Hierarchy& hierarchy_;
    const zarr::ArrayFacts& facts_;
    const zarr::Dimension& dimension_;
    Matches all_;
    Matches exact_;
    Matches beginning_;
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
