// SPDX-License-Identifier: MIT
#include "core/conventions/ome/ome_placement.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/dtype/element_text.h"
#include "core/json/value.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

constexpr const char* kTransformations = "coordinateTransformations";
constexpr std::string_view kGlobal = "global";
// Maximum number of coordinate transformations in a list or in a `sequence`.
constexpr std::size_t kMaxTransformations = 256;

using Rows = std::vector<std::vector<double>>;

std::string InTransformations(const std::string& what) {
    return std::string("multiscales: ") + kTransformations + ": " + what;
}

Status Broken(const std::string& what) { return Status::Corrupt(InTransformations(what)); }

// Returns the error for a valid coordinate transformation that cannot be used: no geotransform can
// express it, or its parameters are in a Zarr array.
Status NotFollowed(const std::string& what) { return Status::Unsupported(InTransformations(what)); }

// Returns the member `name` of `object`; nullptr if the member is absent or null.
const json::Value* Member(const json::Value& object, std::string_view name) {
    const json::Value* member = object.Find(name);
    return member != nullptr && !member->is_null() ? member : nullptr;
}

std::vector<OmeAxis> AxesOf(const json::Value* reference) {
    return ReadOmeAxes(reference != nullptr ? reference->Find("axes") : nullptr);
}

std::optional<std::size_t> FindAxis(const std::vector<OmeAxis>& axes, const std::string& name) {
    const auto found = std::find_if(axes.begin(), axes.end(),
                                    [&](const OmeAxis& axis) { return axis.name == name; });
    if (name.empty() || found == axes.end()) return std::nullopt;
    return static_cast<std::size_t>(found - axes.begin());
}

// Returns the matrix rows of the identity. Each row has a coefficient for each input, then the
// constant.
Rows IdentityRows(std::size_t size) {
    Rows rows(size, std::vector<double>(size + 1, 0));
    for (std::size_t i = 0; i < size; ++i) rows[i][i] = 1;
    return rows;
}

Rows Compose(const Rows& after, const Rows& before) {
    const std::size_t width = before.empty() ? 1 : before[0].size();
    Rows rows(after.size(), std::vector<double>(width, 0));
    for (std::size_t i = 0; i < after.size(); ++i) {
        for (std::size_t j = 0; j < before.size(); ++j)
            for (std::size_t k = 0; k < width; ++k) rows[i][k] += after[i][j] * before[j][k];
        rows[i][width - 1] += after[i].back();
    }
    return rows;
}

// Returns the matrix rows of the inverse transformation; nullopt if the matrix is not square or is
// singular.
std::optional<Rows> Inverse(Rows rows) {
    const std::size_t size = rows.size();
    Rows inverse = IdentityRows(size);
    for (std::size_t i = 0; i < size; ++i) {
        if (rows[i].size() != size + 1) return std::nullopt;
        inverse[i][size] = 0;
    }
    std::vector<double> constants;
    for (std::vector<double>& row : rows) constants.push_back(row.back());
    for (std::size_t column = 0; column < size; ++column) {
        std::size_t pivot = column;
        for (std::size_t i = column; i < size; ++i)
            if (std::fabs(rows[i][column]) > std::fabs(rows[pivot][column])) pivot = i;
        if (rows[pivot][column] == 0) return std::nullopt;
        std::swap(rows[pivot], rows[column]);
        std::swap(inverse[pivot], inverse[column]);
        const double divisor = rows[column][column];
        for (std::size_t k = 0; k < size; ++k) {
            rows[column][k] /= divisor;
            inverse[column][k] /= divisor;
        }
        for (std::size_t i = 0; i < size; ++i) {
            const double factor = rows[i][column];
            if (i == column || factor == 0) continue;
            for (std::size_t k = 0; k < size; ++k) {
                rows[i][k] -= factor * rows[column][k];
                inverse[i][k] -= factor * inverse[column][k];
            }
        }
    }
    for (std::vector<double>& row : inverse)
        for (std::size_t k = 0; k < size; ++k) row[size] -= row[k] * constants[k];
    return inverse;
}

// Converts the parameters of a `scale` or `translation`, one number for each dimension, to the rows
// of an affine matrix.
Result<Rows> FromVector(const json::Value& value, const std::string& type, std::size_t size) {
    const bool is_scale = type == "scale";
    const json::Array* numbers = value.as_array();
    Rows rows = IdentityRows(size);
    bool valid = numbers != nullptr && numbers->size() == size;
    for (std::size_t i = 0; valid && i < size; ++i) {
        double number = 0;
        valid =
            (*numbers)[i].GetDouble(number) && std::isfinite(number) && (!is_scale || number > 0);
        rows[i][is_scale ? i : size] = number;
    }
    if (valid) return rows;
    return Broken(type + ": expected a number for each dimension" + (is_scale ? ", above 0" : "") +
                  ", got " + json::Brief(value));
}

// Converts the parameters of an `affine` or `rotation` to matrix rows: coefficients, then a
// constant. Only the parameters of `affine` include the constants.
Result<Rows> FromMatrix(const json::Value& value, const std::string& type, std::size_t size) {
    const std::size_t width = type == "affine" ? size + 1 : size;
    const json::Array* lines = value.as_array();
    Rows rows;
    bool valid = lines != nullptr && !lines->empty() && lines->size() <= size + 1;
    for (std::size_t i = 0; valid && i < lines->size(); ++i) {
        const json::Array* numbers = (*lines)[i].as_array();
        valid = numbers != nullptr && numbers->size() == width;
        std::vector<double> row(size + 1, 0);
        for (std::size_t k = 0; valid && k < width; ++k)
            valid = (*numbers)[k].GetDouble(row[k]) && std::isfinite(row[k]);
        rows.push_back(std::move(row));
    }
    // A last row 0 ... 0 1 is ignored: SpatialData and napari write it, although it is not part of
    // the matrix in OME-Zarr.
    const auto is_homogeneous = [&] {
        std::vector<double> last(size + 1, 0);
        last.back() = 1;
        return rows.back() == last;
    };
    if (valid && rows.size() == size + 1 && is_homogeneous()) rows.pop_back();
    if (valid) return rows;
    return Broken(type + ": expected rows of " + std::to_string(width) + " numbers, got " +
                  json::Brief(value));
}

// Converts the parameters of a `mapAxis` to matrix rows. OME-Zarr 0.6 states the index of the input
// axis for each output axis; SpatialData states pairs of axis names.
Result<Rows> FromMap(const json::Value& value, const std::vector<OmeAxis>& inputs,
                     const std::vector<OmeAxis>& outputs) {
    const std::size_t size = inputs.size();
    std::vector<std::optional<std::size_t>> sources;
    if (const json::Array* items = value.as_array()) {
        for (const json::Value& item : *items) {
            std::int64_t index = 0;
            const bool is_index =
                item.GetInt64(index) && index >= 0 && static_cast<std::uint64_t>(index) < size;
            sources.push_back(is_index ? std::optional(static_cast<std::size_t>(index))
                                       : std::nullopt);
        }
    } else if (value.as_object() != nullptr) {
        for (const OmeAxis& output : outputs) {
            const std::string* name = StringAttribute(value, output.name);
            sources.push_back(FindAxis(inputs, name != nullptr ? *name : output.name));
        }
    }
    Rows rows(sources.size(), std::vector<double>(size + 1, 0));
    bool valid = !sources.empty() && sources.size() <= size;
    for (std::size_t i = 0; valid && i < sources.size(); ++i) {
        valid = sources[i].has_value();
        if (valid) rows[i][*sources[i]] = 1;
    }
    if (valid) return rows;
    return Broken("mapAxis: expected an input axis for each output axis, got " +
                  json::Brief(value));
}

// Evaluates the coordinate transformations of one element of `multiscales`.
class PlacementReader {
  public:
    PlacementReader(const json::Value& multiscale, std::string preferred)
        : multiscale_(multiscale), preferred_(std::move(preferred)) {}

    Fact<std::optional<OmePlacement>> Read(const json::Value& dataset, std::vector<OmeAxis> axes,
                                           std::size_t rank) {
        axes.resize(rank);
        OmePlacement start{{}, std::move(axes), IdentityRows(rank), {}};
        const bool is_stated = HasItems(dataset) || HasItems(multiscale_);
        auto own = Evaluate(dataset, std::move(start), true);
        auto placed = own ? Evaluate(multiscale_, std::move(*own), false) : std::nullopt;
        if (!is_stated) placed.reset();
        return {std::move(placed), std::move(warnings_)};
    }

    // Returns the placement that the transformation `item` makes of the placement `from`.
    Result<OmePlacement> Apply(const json::Value& item, const OmePlacement& from) const {
        const std::vector<OmeAxis> inputs = SystemAxes(item, "input");
        // A placement has one matrix row for each output axis. Axes that the transformation does
        // not use keep their rows, which come before the transformation's output rows.
        std::vector<std::size_t> taken;
        for (const OmeAxis& axis : inputs)
            if (const auto row = FindAxis(from.axes, axis.name)) taken.push_back(*row);
        if (taken.size() != inputs.size() || taken.empty()) {
            if (!inputs.empty() && inputs.size() != from.rows.size())
                return Broken("an input has " + std::to_string(inputs.size()) +
                              " axes, which do not match the " + std::to_string(from.rows.size()) +
                              " preceding axes");
            taken.clear();
            for (std::size_t i = 0; i < from.rows.size(); ++i) taken.push_back(i);
        }
        Rows before;
        std::vector<OmeAxis> before_axes;
        OmePlacement placed;
        for (const std::size_t row : taken) {
            before.push_back(from.rows[row]);
            before_axes.push_back(from.axes[row]);
        }
        for (std::size_t row = 0; row < from.rows.size(); ++row)
            if (std::find(taken.begin(), taken.end(), row) == taken.end()) {
                placed.rows.push_back(from.rows[row]);
                placed.axes.push_back(from.axes[row]);
            }
        std::vector<OmeAxis> outputs = SystemAxes(item, "output");
        ZARR_ASSIGN_OR_RETURN(auto made, Evaluate(item, before, before_axes, outputs));
        if (outputs.size() != made.first.size()) outputs = std::move(made.second);
        if (outputs.size() != made.first.size())
            return Broken("no axes are stated for the " + std::to_string(made.first.size()) +
                          " coordinates of the output");
        std::move(made.first.begin(), made.first.end(), std::back_inserter(placed.rows));
        std::move(outputs.begin(), outputs.end(), std::back_inserter(placed.axes));
        placed.system = OmeSystemName(item.Find("output"));
        if (placed.system.empty()) placed.system = from.system;
        return placed;
    }

  private:
    // Result of a transformation to a named coordinate system: the name of its input system, and
    // the placement of the image in its output system.
    struct SystemPlacement {
        std::string input;
        OmePlacement placed;
    };
    using Made = std::pair<Rows, std::vector<OmeAxis>>;

    static bool HasItems(const json::Value& owner) {
        const json::Value* list = owner.Find(kTransformations);
        return list != nullptr && list->as_array() != nullptr && !list->as_array()->empty();
    }

    // Returns the axes that a transformation states in its member `member_name`, "input" or
    // "output". Without such axes, returns the axes of the coordinate system that the member names
    // (OME-Zarr 0.6).
    std::vector<OmeAxis> SystemAxes(const json::Value& item, const char* member_name) const {
        const json::Value* system = item.Find(member_name);
        std::vector<OmeAxis> axes = AxesOf(system);
        if (axes.empty()) axes = OmeSystemAxes(multiscale_, OmeSystemName(system));
        return axes;
    }

    // True if a step of a `sequence` names its axes. Such axes may be in another order than the
    // output axes of the previous step.
    bool StepsNameAxes(const json::Value& item) const {
        const json::Value* list = item.Find("transformations");
        const json::Array* steps = list != nullptr ? list->as_array() : nullptr;
        return steps != nullptr &&
               std::any_of(steps->begin(), steps->end(), [this](const json::Value& step) {
                   const json::Value* map = MapOf(step);
                   return !SystemAxes(step, "input").empty() ||
                          !SystemAxes(step, "output").empty() ||
                          (map != nullptr && map->as_object() != nullptr) || PartsNameAxes(step) ||
                          StepsNameAxes(step);
               });
    }

    // True if the parts of a `byDimension` transformation state axis names instead of axis indices.
    static bool PartsNameAxes(const json::Value& item) {
        const json::Value* list = item.Find("transformations");
        const json::Array* parts = list != nullptr ? list->as_array() : nullptr;
        return parts != nullptr &&
               std::any_of(parts->begin(), parts->end(), [](const json::Value& part) {
                   const json::Array* axes = AxesOfPart(part, "output");
                   return axes != nullptr && !axes->empty() && axes->front().as_string() != nullptr;
               });
    }

    // Returns the axes of a part of `byDimension`, in its member `member_name` ("input" or
    // "output"); nullptr if absent. Drafts of OME-Zarr 0.6 spell the member differently.
    static const json::Array* AxesOfPart(const json::Value& part, const std::string& member_name) {
        for (const std::string& name : {member_name + "Axes", member_name + "_axes", member_name})
            if (const json::Value* axes = part.Find(name))
                if (axes->as_array() != nullptr) return axes->as_array();
        return nullptr;
    }

    // Returns the indices in `axes` of the axes of a part of `byDimension`; nullopt if an axis is
    // not in `axes`.
    static std::optional<std::vector<std::size_t>> IndicesOfPart(const json::Value& part,
                                                                 const std::string& member_name,
                                                                 const std::vector<OmeAxis>& axes) {
        const json::Array* listed = AxesOfPart(part, member_name);
        if (listed == nullptr) return std::nullopt;
        std::vector<std::size_t> indices;
        for (const json::Value& axis : *listed) {
            std::int64_t index = -1;
            if (axis.as_string() != nullptr) {
                const auto found = FindAxis(axes, *axis.as_string());
                if (!found) return std::nullopt;
                index = static_cast<std::int64_t>(*found);
            } else if (!axis.GetInt64(index) || index < 0 ||
                       static_cast<std::uint64_t>(index) >= axes.size()) {
                return std::nullopt;
            }
            indices.push_back(static_cast<std::size_t>(index));
        }
        return indices;
    }

    // Reorders the matrix rows to the order of `axes`, if `axes` contains the axis of each row.
    static void OrderBy(const std::vector<OmeAxis>& axes, Made& made) {
        Rows ordered;
        std::set<std::size_t> rows;
        for (const OmeAxis& axis : axes)
            if (const auto row = FindAxis(made.second, axis.name)) {
                rows.insert(*row);
                ordered.push_back(made.first[*row]);
            }
        if (rows.size() == made.first.size()) made.first = std::move(ordered);
    }

    // Returns the parameters of a `mapAxis` transformation, which SpatialData writes under one of
    // two names.
    static const json::Value* MapOf(const json::Value& item) {
        const json::Value* map = Member(item, "mapAxis");
        return map != nullptr ? map : Member(item, "map_axis");
    }

    Result<Made> Evaluate(const json::Value& item, const Rows& before,
                          const std::vector<OmeAxis>& inputs,
                          const std::vector<OmeAxis>& outputs) const {
        std::string type;
        if (const std::string* said = StringAttribute(item, "type")) type = *said;
        for (const char* implied : {"scale", "translation", "affine"})
            if (type.empty() && Member(item, implied) != nullptr) type = implied;
        if (type == "sequence") return EvaluateSequence(item, before, inputs, outputs);
        if (type == "byDimension")
            return EvaluateByDimension(item, before, inputs, outputs.empty() ? inputs : outputs);
        const std::string problem =
            "a transformation of type " + Quoted(type) + " is not supported";
        Result<Rows> matrix = type.empty() ? Broken(problem) : NotFollowed(problem);
        const json::Value* value = type == "mapAxis" ? MapOf(item) : Member(item, type);
        const bool has_parameters =
            type == "scale" || type == "translation" || type == "affine" || type == "rotation";
        if (has_parameters && value == nullptr && Member(item, "path") != nullptr)
            matrix = NotFollowed(type + ": parameters in an array are not supported");
        else if (type == "identity")
            matrix = IdentityRows(before.size());
        else if (type == "scale" || type == "translation")
            matrix = FromVector(value != nullptr ? *value : json::Value(), type, before.size());
        else if (type == "affine" || type == "rotation")
            matrix = FromMatrix(value != nullptr ? *value : json::Value(), type, before.size());
        else if (type == "mapAxis")
            matrix = FromMap(value != nullptr ? *value : json::Value(), inputs,
                             outputs.empty() ? inputs : outputs);
        if (!matrix.ok()) return matrix.status();
        return Made(Compose(*matrix, before), inputs);
    }

    // Matrix rows that one part of `byDimension` makes, and for each row the index of its output
    // axis.
    using Part = std::pair<Rows, std::vector<std::size_t>>;
    Result<Part> EvaluatePart(const json::Value& part, const Rows& before,
                              const std::vector<OmeAxis>& inputs,
                              const std::vector<OmeAxis>& outputs) const {
        const auto from = IndicesOfPart(part, "input", inputs);
        const auto to = IndicesOfPart(part, "output", outputs);
        if (!from || from->empty() || !to)
            return Broken("byDimension: expected names of input axes and of output axes, got " +
                          json::Brief(part));
        Made taken;
        std::vector<OmeAxis> made_axes;
        for (const std::size_t index : *from) {
            taken.first.push_back(before[index]);
            taken.second.push_back(inputs[index]);
        }
        for (const std::size_t index : *to) made_axes.push_back(outputs[index]);
        const json::Value* inner = Member(part, "transformation");
        ZARR_ASSIGN_OR_RETURN(Made made, Evaluate(inner != nullptr ? *inner : part, taken.first,
                                                  taken.second, made_axes));
        return Part(std::move(made.first), *to);
    }

    Result<Made> EvaluateByDimension(const json::Value& item, const Rows& before,
                                     const std::vector<OmeAxis>& inputs,
                                     const std::vector<OmeAxis>& outputs) const {
        const json::Value* list = item.Find("transformations");
        const json::Array* parts = list != nullptr ? list->as_array() : nullptr;
        Made all(Rows(outputs.size()), outputs);
        std::set<std::size_t> made;
        bool is_sound = parts != nullptr && parts->size() <= outputs.size();
        for (std::size_t i = 0; is_sound && i < parts->size(); ++i) {
            ZARR_ASSIGN_OR_RETURN(Part part, EvaluatePart((*parts)[i], before, inputs, outputs));
            auto& [rows, to] = part;
            is_sound = rows.size() == to.size();
            for (std::size_t k = 0; is_sound && k < to.size(); ++k) {
                is_sound = made.insert(to[k]).second;
                all.first[to[k]] = std::move(rows[k]);
            }
        }
        if (is_sound && made.size() == outputs.size()) return all;
        return Broken("byDimension: expected each axis of the output once, got " +
                      json::Brief(item));
    }

    Result<Made> EvaluateSequence(const json::Value& item, const Rows& before,
                                  const std::vector<OmeAxis>& inputs,
                                  const std::vector<OmeAxis>& outputs) const {
        const json::Value* list = item.Find("transformations");
        const json::Array* items = list != nullptr ? list->as_array() : nullptr;
        if (items == nullptr || items->empty() || items->size() > kMaxTransformations)
            return Broken("sequence: expected up to " + std::to_string(kMaxTransformations) +
                          " transformations, got " + json::Brief(item));
        OmePlacement placed{{}, inputs, before, {}};
        for (const json::Value& step : *items) {
            ZARR_ASSIGN_OR_RETURN(placed, Apply(step, placed));
        }
        Made made(std::move(placed.rows), std::move(placed.axes));
        if (outputs.size() == made.first.size() && StepsNameAxes(item)) OrderBy(outputs, made);
        return made;
    }

    // Evaluates the transformations that `owner` lists, starting from the placement `start`.
    // `is_own` is true if `owner` is a level, and false if `owner` is the whole image. Returns
    // nullopt if the list is too long, or if the placement is unknown because a transformation
    // failed.
    std::optional<OmePlacement> Evaluate(const json::Value& owner, OmePlacement start,
                                         bool is_own) {
        const json::Value* list = owner.Find(kTransformations);
        const json::Array* items = list != nullptr ? list->as_array() : nullptr;
        if (items == nullptr) return start;
        if (items->size() > kMaxTransformations) {
            warnings_.push_back(Broken("are ignored, because they exceed the maximum of " +
                                       std::to_string(kMaxTransformations))
                                    .message());
            return std::nullopt;
        }
        std::vector<SystemPlacement> candidates;
        OmePlacement base = std::move(start);
        const bool has_own_system = !base.system.empty();
        Faults faults;
        // Names of coordinate systems that a transformation could not reach, so that the image's
        // placement in them is unknown.
        std::set<std::string> unread;
        for (const json::Value& item : *items) {
            const std::string target = OmeSystemName(item.Find("output"));
            if (!is_own && IsForOtherMember(item)) continue;
            const bool is_unused = has_own_system && !target.empty();
            if (is_unused) base.unused.push_back(item);
            const std::string input = OmeSystemName(item.Find("input"));
            const OmePlacement* from = StartOf(input, base, candidates);
            const bool is_behind_unread = !input.empty() && unread.count(input) != 0;
            if (is_behind_unread) unread.insert(target);
            if (from == nullptr || is_behind_unread) continue;
            auto placed = Apply(item, *from);
            if (placed.ok() && target.empty()) {
                base = placed.Take();
            } else if (placed.ok()) {
                candidates.push_back({input, placed.Take()});
            } else {
                AddFault(placed.status(), is_unused, faults);
                unread.insert(target);
                if (target.empty()) break;
            }
        }
        faults.Report(warnings_);
        // `base` is a wrong placement if a transformation without a named output failed, or if all
        // transformations to coordinate systems failed.
        const bool has_placement =
            unread.count("") == 0 && (!candidates.empty() || !base.system.empty());
        if (!unread.empty() && !has_placement) return std::nullopt;
        return Choose(base, candidates, is_own);
    }

    // True if the output of a transformation is a system of another image in the group, such as a
    // label image.
    static bool IsForOtherMember(const json::Value& item) {
        const json::Value* output = item.Find("output");
        return output != nullptr && Member(*output, "path") != nullptr;
    }

    // Adds the error of a transformation. Omits the error of a valid but unsupported transformation
    // that is not needed.
    static void AddFault(const Status& status, bool is_unused, Faults& faults) {
        if (!is_unused || status.code() != StatusCode::kUnsupported) faults.Add(status.message());
    }

    // Returns the placement in the input system of a transformation; nullptr if the image has no
    // placement in that system.
    static const OmePlacement* StartOf(const std::string& input, const OmePlacement& base,
                                       const std::vector<SystemPlacement>& candidates) {
        for (const SystemPlacement& candidate : candidates)
            if (!input.empty() && candidate.placed.system == input) return &candidate.placed;
        const bool is_elsewhere = !input.empty() && !base.system.empty() && input != base.system;
        return is_elsewhere ? nullptr : &base;
    }

    OmePlacement Choose(const OmePlacement& base, const std::vector<SystemPlacement>& candidates,
                        bool is_own) {
        if (!base.system.empty()) return base;
        const SystemPlacement* chosen = nullptr;
        for (const std::string_view name : {std::string_view(preferred_), kGlobal})
            for (const SystemPlacement& candidate : candidates)
                if (chosen == nullptr && candidate.placed.system == name) chosen = &candidate;
        if (chosen == nullptr && !candidates.empty()) {
            chosen = candidates.data();
            // A level's transformation that continues from the chosen system takes precedence,
            // because the level is then placed in that transformation's output system.
            for (const SystemPlacement& candidate : candidates)
                if (is_own && &candidate != chosen && candidate.input == chosen->placed.system)
                    chosen = &candidate;
        }
        const OmePlacement& placed = chosen != nullptr ? chosen->placed : base;
        WarnOfOthers(placed, candidates);
        return placed;
    }

    // Gives one warning that names the coordinate systems in which the image has another placement
    // than `placed`. Omits intermediate systems, from which a transformation leads to the system of
    // `placed`.
    void WarnOfOthers(const OmePlacement& placed, const std::vector<SystemPlacement>& candidates) {
        std::string others;
        for (const SystemPlacement& candidate : candidates) {
            const bool is_intermediate =
                std::any_of(candidates.begin(), candidates.end(), [&](const SystemPlacement& next) {
                    return next.placed.system == placed.system &&
                           next.input == candidate.placed.system;
                });
            if (candidate.placed.rows != placed.rows && !is_intermediate)
                others += (others.empty() ? "" : ", ") + Quoted(candidate.placed.system);
        }
        if (!others.empty())
            warnings_.push_back(std::string("multiscales: ") + kTransformations +
                                ": the image is placed in the system " + Quoted(placed.system) +
                                "; its placement in " + others + " is ignored");
    }

    const json::Value& multiscale_;
    const std::string preferred_;
    Warnings warnings_;
};

// Returns the first level of the image to which a label image belongs; nullptr if there is none.
const MultiscaleLevel* LabelledLevel(const LevelListing& listing) {
    if (listing.image == nullptr) return nullptr;
    for (const Multiscale& multiscale : listing.image->all)
        if (multiscale.IsImage()) return multiscale.levels.data();
    return nullptr;
}

// Returns the placement of the label image `label` in the coordinate system of its image, according
// to the image's transformation `item`. Returns nullopt unless the member `member_name` ("output"
// or "input") of `item` names the label image.
std::optional<OmePlacement> PlacementInImageBy(const PlacementReader& reader,
                                               const json::Value& item, const char* member_name,
                                               const std::string& label,
                                               const OmePlacement& placed) {
    const json::Value* reference = item.Find(member_name);
    const std::string* path = reference != nullptr ? StringAttribute(*reference, "path") : nullptr;
    const auto normal = NormalizePath(path != nullptr ? *path : std::string());
    if (!normal.ok() || normal->empty() || *normal != label) return std::nullopt;
    const std::string name = OmeSystemName(reference);
    if (!name.empty() && name != placed.system) return std::nullopt;
    const std::size_t size = placed.rows.size();
    const OmePlacement start{{}, placed.axes, IdentityRows(size), {}};
    json::Value alone = item;
    for (const char* member : {"input", "output"})
        json::EraseMember(*alone.MutableObject(), member);
    const auto link = reader.Apply(alone, start);
    if (!link.ok()) return std::nullopt;
    const auto rows = member_name[0] == 'i' ? std::optional(link->rows) : Inverse(link->rows);
    if (!rows || rows->size() != size) return std::nullopt;
    OmePlacement moved = placed;
    moved.rows = Compose(*rows, placed.rows);
    return moved;
}

// Returns the placement of the label image `label` in the coordinate system of its image. Returns
// nullopt if no transformation of the image starts or ends at the label image (OME-Zarr 0.6).
std::optional<OmePlacement> PlacementInImage(const json::Value& multiscale,
                                             const std::string& label, const OmePlacement& placed) {
    const json::Value* list = multiscale.Find(kTransformations);
    const json::Array* items = list != nullptr ? list->as_array() : nullptr;
    const PlacementReader reader(multiscale, {});
    for (std::size_t i = 0; items != nullptr && i < std::min(items->size(), kMaxTransformations);
         ++i)
        for (const char* member_name : {"output", "input"})
            if (auto moved = PlacementInImageBy(reader, (*items)[i], member_name, label, placed))
                return moved;
    return std::nullopt;
}

std::string SystemText(const std::string& name) {
    return name.empty() ? "no named system" : "the system " + Quoted(name);
}

}  // namespace

std::optional<std::size_t> OmePlacement::RowOf(const OmeAxis& axis, std::size_t position) const {
    if (const auto row = FindAxis(axes, axis.name)) return row;
    return position < rows.size() ? std::optional(position) : std::nullopt;
}

bool OmePlacement::DependsOnlyOn(std::size_t row,
                                 const std::vector<std::size_t>& dimensions) const {
    for (std::size_t i = 0; i + 1 < rows[row].size(); ++i)
        if (rows[row][i] != 0 &&
            std::find(dimensions.begin(), dimensions.end(), i) == dimensions.end())
            return false;
    return true;
}

Fact<std::optional<OmePlacement>> ReadOmePlacement(const LevelListing& listing, std::size_t rank) {
    if (!listing.is_listed()) return {};
    const MultiscaleLevel& level = listing.levels[0];
    const MultiscaleLevel* const image = LabelledLevel(listing);
    std::string followed;  // name of the coordinate system in which the labelled image is placed
    bool is_image_placed = false;
    if (image != nullptr) {
        const auto axes = OmeAxesOf(*image);
        const auto placed =
            PlacementReader(*image->multiscale, {}).Read(*image->dataset, axes, axes.size()).value;
        is_image_placed = placed.has_value();
        if (placed) followed = placed->system;
    }
    auto placed = PlacementReader(*level.multiscale, followed)
                      .Read(*level.dataset, FindOmeAxes(listing.levels, rank), rank);
    if (!placed.value || image == nullptr) return placed;
    if (auto moved = PlacementInImage(*image->multiscale, listing.label, *placed.value))
        placed.value = std::move(moved);
    else if (is_image_placed && placed.value->system != followed)
        placed.warnings.push_back(std::string("multiscales: ") + kTransformations +
                                  ": the label is placed in " + SystemText(placed.value->system) +
                                  ", its image in " + SystemText(followed));
    return placed;
}

double LastOmeScale(const json::Value& dataset) {
    for (const char* member : {kTransformations, "transformations"}) {
        const json::Value* steps = dataset.Find(member);
        const json::Array* items = steps != nullptr ? steps->as_array() : nullptr;
        for (std::size_t i = 0; items != nullptr && i < items->size(); ++i) {
            const json::Value* scale = (*items)[i].Find("scale");
            const json::Array* scales = scale != nullptr ? scale->as_array() : nullptr;
            double number = 0;
            if (scales != nullptr && !scales->empty() && scales->back().GetDouble(number))
                return number;
            number = LastOmeScale((*items)[i]);
            if (number != 0) return number;
        }
    }
    return 0;
}

}  // namespace zarr
