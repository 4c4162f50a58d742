// SPDX-License-Identifier: MIT
#include "core/conventions/crs/affine.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/attributes/axis_roles.h"
#include "core/conventions/cf/cf_units.h"
#include "core/conventions/cf/longitudes.h"
#include "core/conventions/crs/geotiff.h"
#include "core/conventions/crs/grid_mapping.h"
#include "core/conventions/crs/group_placement.h"
#include "core/conventions/group/multiscales.h"
#include "core/conventions/ome/ome_axes.h"
#include "core/conventions/ome/ome_placement.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// Returns xmin, ymin, xmax, ymax from an array of four finite numbers; nullopt if the extent is
// empty or invalid.
std::optional<std::array<double, 4>> ReadBoundingBox(const json::Value& value) {
    const json::Array* const items = value.as_array();
    if (items == nullptr || items->size() != 4) return std::nullopt;
    std::array<double, 4> box{};
    for (std::size_t i = 0; i < 4; ++i)
        if (!(*items)[i].GetDouble(box[i]) || !std::isfinite(box[i])) return std::nullopt;
    if (!(box[0] < box[2]) || !(box[1] < box[3])) return std::nullopt;
    return box;
}

class AffineFinder {
  public:
    AffineFinder(const Hierarchy& hierarchy, const ArrayFacts& facts, std::size_t threads,
                 MovedColumns columns, Warnings& warnings)
        : hierarchy_(hierarchy),
          facts_(facts),
          threads_(threads),
          columns_(columns),
          warnings_(warnings) {
        if (!facts.path.empty())
            group_attributes_ = AttributesOrEmpty(hierarchy, std::string(ParentPath(facts.path)));
    }

    std::optional<AffineSource> Find() {
        if (!facts_.axes.x || !facts_.axes.y) return std::nullopt;
        for (const char* name : kTransformNames) {
            auto source = FromFittingAttribute(facts_.attributes, name);
            if (!source && HasTransform(group_attributes_, name) && SharesGroupTransform())
                source = FromFittingAttribute(group_attributes_, name);
            if (!source) continue;
            if (!is_sized_ || hierarchy_.ComparesRepeatedStatements())
                CompareWithCoordinates(*source);
            return source;
        }
        if (auto source = FromCoordinatesOrGdalAttribute())
            return BesidePlainTransform(std::move(*source));
        if (auto source = FromOme()) return source;
        if (auto source = FromLayout()) return source;
        if (auto source = FromBoundingBox(facts_.attributes)) return source;
        const bool has_box = group_attributes_.Find("spatial:bbox") != nullptr ||
                             group_attributes_.Find("proj:bbox") != nullptr;
        if (has_box && SharesGroupCrs(hierarchy_, facts_))
            if (auto source = FromBoundingBox(group_attributes_)) return source;
        return FromPlainTransform();
    }

  private:
    // Returns the transform in attribute `name`; nullopt if the attributes state a size other than
    // this raster's. Such attributes may describe a larger raster: xarray does not change the
    // attributes when it saves a part of a raster.
    std::optional<AffineSource> FromFittingAttribute(const json::Value& attributes,
                                                     const char* name) {
        auto source = FromAttribute(attributes, name);
        if (!source) return source;
        const std::string convention(name, std::string_view(name).find(':') + 1);
        const std::string other = MismatchedSize(attributes, convention, facts_);
        is_sized_ = StatesSize(attributes, convention);
        if (other.empty()) return source;
        warnings_.push_back("attribute " + std::string(name) + ": is for a raster of " + other +
                            " pixels (" + convention + "shape or " + convention +
                            "bbox) and is ignored for this raster of " +
                            std::to_string(facts_.dimensions[*facts_.axes.y].size) + " x " +
                            std::to_string(facts_.dimensions[*facts_.axes.x].size));
        return std::nullopt;
    }

    // Warns if `stated` disagrees with the coordinate arrays, because some programs change
    // coordinates and do not update the attributes. A server is asked for coordinates only if no
    // size is stated, because most changes alter the size.
    void CompareWithCoordinates(const AffineSource& stated) {
        const GeoTransform& t = stated.transform;
        if (t[2] != 0 || t[4] != 0) return;
        Warnings ignored;  // the coordinates are not used; only a disagreement is reported
        const auto laid = FromCoordinates(&t, ignored);
        const bool disagrees =
            laid ? !HoldsPixelNumbers(laid->transform) && !Agree(laid->transform, t)
                 : is_contradicted_;
        if (disagrees)
            warnings_.push_back(stated.origin +
                                " disagrees with the coordinate arrays; the attribute is used");
    }

    // True if the coordinates with the geotransform `t` are pixel numbers, which start at 0 and
    // increase by 1.
    static bool HoldsPixelNumbers(const GeoTransform& t) {
        return t[1] == 1 && t[5] == 1 && (t[0] == -0.5 || t[0] == 0) && (t[3] == -0.5 || t[3] == 0);
    }

    std::optional<AffineSource> FromCoordinatesOrGdalAttribute() {
        auto from_attribute = FromGdalAttribute();
        auto from_coordinates =
            FromCoordinates(from_attribute ? &from_attribute->transform : nullptr, warnings_);
        if (!from_attribute) return from_coordinates;
        const bool agrees = from_coordinates
                                ? Agree(from_coordinates->transform, from_attribute->transform)
                                : !is_beside_degrees_ && !is_contradicted_;
        if (agrees) {
            from_attribute->from_coordinates = from_coordinates.has_value();
            if (from_coordinates) from_attribute->first_column = from_coordinates->first_column;
            return from_attribute;
        }
        if (!is_beside_degrees_)
            warnings_.push_back(
                from_attribute->origin +
                " disagrees with the coordinate arrays; the coordinate arrays are used");
        return from_coordinates;
    }

    // True if the `units` of both coordinate arrays are degrees (longitude and latitude) by the CF
    // conventions.
    bool IsInDegrees() const {
        return IsLongitude(facts_.dimensions[*facts_.axes.x].coordinate_attributes) &&
               IsLatitude(facts_.dimensions[*facts_.axes.y].coordinate_attributes);
    }

    bool SharesGroupTransform() {
        if (!shares_group_transform_)
            shares_group_transform_ = zarr::SharesGroupTransform(hierarchy_, facts_, warnings_);
        return *shares_group_transform_;
    }

    std::optional<AffineSource> FromAttribute(const json::Value& attributes, const char* name) {
        const json::Value* value = attributes.Find(name);
        if (value == nullptr || value->is_null()) return std::nullopt;
        if (name == kSpatialTransform && !IsAffine(attributes)) {
            WarnOnce("attribute spatial:transform_type: " +
                     json::Brief(*attributes.Find("spatial:transform_type")) +
                     " is not supported; spatial:transform is ignored");
            return std::nullopt;
        }
        auto transform = ParseAffineOrder(*value);
        if (!transform) {
            warnings_.push_back(std::string("attribute ") + name +
                                ": expected the six or nine numbers of an affine transformation, "
                                "got " +
                                json::Brief(*value));
            return std::nullopt;
        }
        AffineSource source;
        source.transform = *transform;
        source.origin = std::string("attribute ") + name;
        const std::string* registration = StringAttribute(attributes, "spatial:registration");
        if (name == kSpatialTransform && registration != nullptr && *registration == "node") {
            // In node registration, the stated transform refers to the centre of the first pixel. A
            // geotransform refers to the corner of that pixel, so the transform is shifted by half
            // a pixel.
            GeoTransform& t = source.transform;
            t[0] -= 0.5 * (t[1] + t[2]);
            t[3] -= 0.5 * (t[4] + t[5]);
        }
        return source;
    }

    // Adds `warning` unless `warnings_` contains an equal text. An array and its group may have
    // equal attributes, which would give two equal warnings.
    void WarnOnce(const std::string& warning) {
        if (std::find(warnings_.begin(), warnings_.end(), warning) == warnings_.end())
            warnings_.push_back(warning);
    }

    // Returns the regular axis that the coordinate array of dimension `index` gives. Returns
    // nullopt if the coordinates are irregular.
    //
    // `stated` is the axis that an attribute states, or nullopt. If the dimension has one element,
    // such as a row that was cut out of a raster, `stated` gives the pixel size. If irregular
    // coordinates are within half a pixel of `stated`, returns `stated`.
    std::optional<RegularAxis> Axis(std::size_t index, const std::optional<RegularAxis>& stated,
                                    Warnings& warnings) {
        const Dimension& dimension = facts_.dimensions[index];
        if (dimension.coordinate_path.empty()) return std::nullopt;
        // Coordinates that are times, for example along a satellite's track, are valid. They give
        // no axis, because an axis needs numbers, and no warning.
        const auto metadata = hierarchy_.Metadata(dimension.coordinate_path);
        if (metadata.ok() && metadata->dtype.is_time()) return std::nullopt;
        const auto coordinates = ReadAxis(hierarchy_, dimension.coordinate_path,
                                          dimension.coordinate_attributes, threads_);
        if (!coordinates.ok()) {
            warnings.push_back(coordinates.status().message());
            return std::nullopt;
        }
        auto axis = FitRegularAxis(*coordinates, "/" + dimension.coordinate_path);
        if (index == *facts_.axes.x && axis.warnings.empty())
            if (const auto longitudes = Longitudes(*coordinates, axis.value, dimension, warnings))
                return longitudes;
        if (axis.value || !stated || !axis.warnings.empty() || dimension.size == 0 ||
            IsInOtherUnits(dimension))
            return std::move(axis).Report(warnings);
        const std::vector<double>& values = coordinates->values;
        if (dimension.size == 1 && values.size() == 1)
            return RegularAxis{values.front(), stated->spacing};
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto place =
                static_cast<double>(coordinates->places.empty() ? i : coordinates->places[i]);
            const double expected = stated->start + place * stated->spacing;
            if (std::fabs(values[i] - expected) <= 0.5 * std::fabs(stated->spacing)) continue;
            is_contradicted_ = true;
            return std::nullopt;
        }
        return stated;
    }

    // Returns the axis of longitudes that jump by 360 degrees. `fitted` is the axis without regard
    // to jumps; two columns are regular across any jump. Sets first_column_ if columns must be
    // moved. If they must not, adds a warning and returns nullopt.
    std::optional<RegularAxis> Longitudes(const Coordinates& coordinates,
                                          const std::optional<RegularAxis>& fitted,
                                          const Dimension& dimension, Warnings& warnings) {
        const json::Value& attributes = dimension.coordinate_attributes;
        const bool is_jump =
            !fitted || (std::fabs(fitted->spacing) > 180 && IsLongitude(attributes));
        const std::string* const units = StringAttribute(attributes, "units");
        const auto unit = units != nullptr ? ParseSpaceUnit(*units) : std::nullopt;
        if (!is_jump || (unit && unit->name != "degree")) return std::nullopt;
        const auto longitudes = FitLongitudes(coordinates);
        if (!longitudes) return std::nullopt;
        if (longitudes->first != 0 && columns_ == MovedColumns::kNo) {
            warnings.push_back("/" + dimension.coordinate_path +
                               ": longitudes jump before column " +
                               std::to_string(longitudes->first) +
                               ", so there is no geotransform; open option WRAP_LONGITUDE=YES "
                               "moves columns");
            return std::nullopt;
        }
        first_column_ = longitudes->first;
        return longitudes->axis;
    }

    // True if the coordinates are lengths in a unit other than metres, or angles in a unit other
    // than degrees. Data of geostationary satellites has angles in radians, for example.
    static bool IsInOtherUnits(const Dimension& dimension) {
        const std::string* const units = StringAttribute(dimension.coordinate_attributes, "units");
        const auto unit = units != nullptr ? ParseSpaceUnit(*units) : std::nullopt;
        if (!unit) return false;
        return unit->kind == SpaceUnit::Kind::kLength ? unit->factor != 1 : unit->name != "degree";
    }

    // Returns the geotransform that the coordinate arrays of X and Y give; nullopt if an axis is
    // irregular. `stated` is the geotransform that an attribute states, or nullptr. Sets
    // is_contradicted_ to true if irregular coordinates contradict `stated`.
    std::optional<AffineSource> FromCoordinates(const GeoTransform* stated, Warnings& warnings) {
        std::optional<RegularAxis> stated_x;
        std::optional<RegularAxis> stated_y;
        if (stated != nullptr && (*stated)[2] == 0 && (*stated)[4] == 0) {
            const GeoTransform& t = *stated;
            stated_x = RegularAxis{t[0] + 0.5 * t[1], t[1]};
            stated_y = RegularAxis{t[3] + 0.5 * t[5], t[5]};
        }
        is_contradicted_ = false;
        first_column_ = 0;
        PrefetchAxes(hierarchy_,
                     {&facts_.dimensions[*facts_.axes.x], &facts_.dimensions[*facts_.axes.y]});
        const auto x = Axis(*facts_.axes.x, stated_x, warnings);
        const auto y = x ? Axis(*facts_.axes.y, stated_y, warnings) : std::nullopt;
        if (!x || !y) return std::nullopt;
        AffineSource source;
        source.transform = {x->start - 0.5 * x->spacing, x->spacing, 0,
                            y->start - 0.5 * y->spacing, 0,          y->spacing};
        source.origin = "coordinates /" + facts_.dimensions[*facts_.axes.x].coordinate_path +
                        " and /" + facts_.dimensions[*facts_.axes.y].coordinate_path;
        source.from_coordinates = true;
        source.first_column = first_column_;
        return source;
    }

    // Returns the geotransform in GDAL's attribute `GeoTransform` of the array or its grid mapping
    // variable, else the geotransform of the TIFF file that contains the array.
    std::optional<AffineSource> FromGdalAttribute() {
        if (auto source = FromGeoTransform()) return source;
        const auto tags = FindGeoTiffTags(hierarchy_, facts_);
        return tags ? ReadGeoTiffTransform(*tags, warnings_) : std::nullopt;
    }

    std::optional<AffineSource> FromGeoTransform() {
        constexpr const char* kName = "GeoTransform";
        if (const json::Value* own = facts_.attributes.Find(kName))
            if (auto source = FromGdalOrder(*own, std::string("attribute ") + kName)) return source;
        const std::string path = FindOwnGridMapping(hierarchy_, facts_);
        if (path.empty()) return std::nullopt;
        const json::Value attributes = AttributesOrEmpty(hierarchy_, path);
        const json::Value* const value = attributes.Find(kName);
        if (value == nullptr) return std::nullopt;
        is_beside_degrees_ = !NamesGridMapping(hierarchy_, facts_) && IsInDegrees();
        return FromGdalOrder(*value, std::string("attribute ") + kName + " of /" + path);
    }

    std::optional<AffineSource> FromGdalOrder(const json::Value& value, std::string origin) {
        const auto transform = ParseGdalOrder(value);
        if (!transform) {
            warnings_.push_back(origin + ": expected six numbers, got " + json::Brief(value));
            return std::nullopt;
        }
        AffineSource source;
        source.transform = *transform;
        source.origin = std::move(origin);
        return source;
    }

    // Returns a north-up geotransform from `spatial:bbox` or `proj:bbox`. If `attributes` state a
    // shape, it must equal the raster's shape. Without a shape, `spatial:bbox` is used only if
    // `attributes` have no `spatial:transform`. Without a shape, `proj:bbox` is not used, because
    // in STAC it may be the extent of a whole product.
    std::optional<AffineSource> FromBoundingBox(const json::Value& attributes) {
        for (const std::string prefix : {"spatial:", "proj:"}) {
            const json::Value* const stated = attributes.Find(prefix + "bbox");
            const json::Value* const shape = attributes.Find(prefix + "shape");
            const bool is_spatial = prefix[0] == 's';
            const bool has_shape = shape != nullptr && !shape->is_null();
            const bool is_alone = is_spatial && attributes.Find(kSpatialTransform) == nullptr;
            if (stated == nullptr || stated->is_null() || !(has_shape || is_alone)) continue;
            if (is_spatial && !IsAffine(attributes)) continue;
            if (has_shape && !IsOwnShape(*shape)) continue;
            const auto box = ReadBoundingBox(*stated);
            if (!box) {
                warnings_.push_back("attribute " + prefix +
                                    "bbox: expected xmin, ymin, xmax and ymax, got " +
                                    json::Brief(*stated));
                continue;
            }
            const std::string* registration = StringAttribute(attributes, "spatial:registration");
            const bool is_of_nodes =
                is_spatial && registration != nullptr && *registration == "node";
            // In node registration, the bounding box passes through the centres of the outermost
            // pixels. The box is then one pixel smaller than the raster along each axis.
            const double less = is_of_nodes ? 1 : 0;
            const double columns = Size(facts_.axes.x) - less;
            const double rows = Size(facts_.axes.y) - less;
            if (columns <= 0 || rows <= 0) continue;
            const double width = ((*box)[2] - (*box)[0]) / columns;
            const double height = ((*box)[3] - (*box)[1]) / rows;
            AffineSource source;
            source.transform = {(*box)[0] - 0.5 * less * width,  width, 0,
                                (*box)[3] + 0.5 * less * height, 0,     -height};
            source.origin = "attribute " + prefix + "bbox";
            return source;
        }
        return std::nullopt;
    }

    // Returns the geotransform in the plain attribute `transform` of the array, else of its group.
    std::optional<AffineSource> PlainTransform(Warnings& warnings) {
        auto found = ReadPlainTransform(facts_.attributes).Report(warnings);
        if (!found && HasTransform(group_attributes_, kPlainTransform) && SharesGroupTransform())
            found = ReadPlainTransform(group_attributes_).Report(warnings);
        if (!found) return std::nullopt;
        AffineSource source;
        source.transform = *found;
        source.origin = std::string("attribute ") + kPlainTransform;
        return source;
    }

    // Returns the plain transform of an array whose coordinates give no geotransform. Coordinates
    // that contradict the transform rule it out. A single coordinate takes the pixel size of it.
    std::optional<AffineSource> FromPlainTransform() {
        auto stated = PlainTransform(warnings_);
        if (!stated) return std::nullopt;
        Warnings ignored;  // FromCoordinatesOrGdalAttribute() has reported them
        if (auto laid = FromCoordinates(&stated->transform, ignored)) return laid;
        if (!is_contradicted_) return stated;
        warnings_.push_back(stated->origin +
                            " disagrees with the coordinate arrays; the attribute is ignored");
        return std::nullopt;
    }

    // Compares the geotransform `laid`, which coordinates give, with the plain attribute
    // `transform`. Returns `laid`, unless the attribute shows that the coordinates are pixel
    // numbers, or corners of pixels, as stackstac writes. Adds a warning if they are corners, or if
    // both disagree.
    AffineSource BesidePlainTransform(AffineSource laid) {
        if (!laid.from_coordinates || IsInOtherUnits(facts_.dimensions[*facts_.axes.x]) ||
            IsInOtherUnits(facts_.dimensions[*facts_.axes.y]))
            return laid;
        Warnings ignored;  // a broken statement behind a good one does not matter
        const auto stated = PlainTransform(ignored);
        if (!stated) return laid;
        if (HoldsPixelNumbers(laid.transform)) return *stated;
        constexpr double kTolerance = 0.25;  // in pixels
        const auto is_at_coordinates = [&](const GeoTransform& t) {
            return CornerDistance(laid.transform, Size(facts_.axes.x), Size(facts_.axes.y), t,
                                  Size(facts_.axes.x), Size(facts_.axes.y)) <= kTolerance;
        };
        if (is_at_coordinates(stated->transform)) return laid;
        // `corners` has the pixel size that is stated, and its first corner at the coordinates.
        GeoTransform corners = stated->transform;
        corners[0] = laid.transform[0] + 0.5 * laid.transform[1];
        corners[3] = laid.transform[3] + 0.5 * laid.transform[5];
        GeoTransform centres = corners;
        centres[0] -= 0.5 * corners[1];
        centres[3] -= 0.5 * corners[5];
        const auto is_on_corner = [&](std::size_t at, double step) {
            const double pixels = (corners[at] - stated->transform[at]) / step;
            return std::fabs(pixels - std::round(pixels)) <= kTolerance;
        };
        if (is_at_coordinates(centres) && is_on_corner(0, corners[1]) &&
            is_on_corner(3, corners[5])) {
            warnings_.push_back(laid.origin +
                                " are the corners of pixels by attribute transform, and are used "
                                "as such");
            laid.transform = corners;
            return laid;
        }
        warnings_.push_back(
            stated->origin +
            " disagrees with the coordinate arrays; the coordinate arrays are used");
        return laid;
    }

    double Size(const std::optional<std::size_t>& axis) const {
        return static_cast<double>(facts_.dimensions[*axis].size);
    }

    // True if `shape` is [height, width] of the raster.
    bool IsOwnShape(const json::Value& shape) const {
        const json::Array* const sizes = shape.as_array();
        std::uint64_t height = 0;
        std::uint64_t width = 0;
        return sizes != nullptr && sizes->size() == 2 && (*sizes)[0].GetUint64(height) &&
               (*sizes)[1].GetUint64(width) && facts_.dimensions[*facts_.axes.y].size == height &&
               facts_.dimensions[*facts_.axes.x].size == width;
    }

    // True if two geotransforms place every corner of the raster within half a pixel of each other.
    bool Agree(const GeoTransform& a, const GeoTransform& b) const {
        const auto columns = static_cast<double>(facts_.dimensions[*facts_.axes.x].size);
        const auto rows = static_cast<double>(facts_.dimensions[*facts_.axes.y].size);
        for (const double column : {0.0, columns}) {
            for (const double row : {0.0, rows}) {
                const double dx =
                    a[0] + column * a[1] + row * a[2] - (b[0] + column * b[1] + row * b[2]);
                const double dy =
                    a[3] + column * a[4] + row * a[5] - (b[3] + column * b[4] + row * b[5]);
                if (std::fabs(dx) > 0.5 * std::fabs(a[1]) || std::fabs(dy) > 0.5 * std::fabs(a[5]))
                    return false;
            }
        }
        return true;
    }

    // Returns the geotransform of a level of an OME-NGFF image. The level's transformations are
    // applied first, then the multiscale's. OME-NGFF's coordinates are centres of voxels, so the
    // result is shifted by half a pixel.
    std::optional<AffineSource> FromOme() {
        const LevelListing listing = ListingOf(hierarchy_, facts_.path);
        const std::size_t rank = facts_.dimensions.size();
        const auto placement = ReadOmePlacement(listing, rank).Report(warnings_);
        if (!placement) return std::nullopt;
        std::vector<OmeAxis> axes = FindOmeAxes(listing.levels, rank);
        axes.resize(rank);
        const std::size_t x = *facts_.axes.x;
        const std::size_t y = *facts_.axes.y;
        const auto x_row = placement->RowOf(axes[x], x);
        const auto y_row = placement->RowOf(axes[y], y);
        if (!x_row || !y_row || !placement->DependsOnlyOn(*x_row, {x, y}) ||
            !placement->DependsOnlyOn(*y_row, {x, y})) {
            warnings_.emplace_back(
                "multiscales: coordinateTransformations: X and Y depend on other axes; there is no "
                "geotransform");
            return std::nullopt;
        }
        const std::vector<double>& to_x = placement->rows[*x_row];
        const std::vector<double>& to_y = placement->rows[*y_row];
        AffineSource source;
        // The signs of Y are inverted, because Y increases downwards in OME images, but upwards in
        // maps and in GDAL's tools.
        source.transform = {to_x.back() - 0.5 * to_x[x] - 0.5 * to_x[y], to_x[x],  to_x[y],
                            0.5 * to_y[x] + 0.5 * to_y[y] - to_y.back(), -to_y[x], -to_y[y]};
        for (double& number : source.transform) number += 0.0;  // turns -0 into 0
        if (!IsInvertible(source.transform)) {
            warnings_.emplace_back(
                "multiscales: coordinateTransformations: the image has no extent; there is no "
                "geotransform");
            return std::nullopt;
        }
        source.origin = "multiscales.datasets.coordinateTransformations";
        source.is_ome = true;
        return source;
    }

    // Returns the geotransform that a multiscales layout states (zarr-conventions). The `spatial:`
    // attributes are in the layout's entry for the array or for the array's group.
    std::optional<AffineSource> FromLayout() {
        for (const std::string& level : {facts_.path, std::string(ParentPath(facts_.path))}) {
            const LevelListing listing = ListingOf(hierarchy_, level, Multiscale::Kind::kLayout);
            if (!listing.is_listed()) continue;
            // Merged members: those of the level's entry, and those of the group that the entry
            // lacks.
            json::Object stated;
            const json::Value& of_level = *listing.levels[0].dataset;
            for (const json::Value* owner : {&of_level, &*listing.attributes})
                for (const char* name :
                     {"spatial:transform_type", "spatial:bbox", "spatial:registration"})
                    if (const json::Value* value = owner->Find(name))
                        stated.emplace_back(name, *value);
            // Transform and shape come only from the entry of the level. In the group's attributes,
            // they describe the largest level.
            for (const char* name : {kSpatialTransform, "spatial:shape"})
                if (const json::Value* value = of_level.Find(name))
                    stated.emplace_back(name, *value);
            const json::Value attributes(std::move(stated));
            if (of_level.Find(kSpatialTransform) != nullptr)
                return FromAttribute(attributes, kSpatialTransform);
            if (auto source = FromBoundingBox(attributes)) return source;
        }
        return std::nullopt;
    }

    const Hierarchy& hierarchy_;
    const ArrayFacts& facts_;
    const std::size_t threads_;
    const MovedColumns columns_;
    Warnings& warnings_;
    json::Value group_attributes_;
    std::optional<bool> shares_group_transform_;  // cached result; nullopt if not computed yet
    // True if the coordinates are in degrees, and `GeoTransform` comes from a grid mapping that no
    // attribute names. The coordinates then override `GeoTransform` without a warning.
    bool is_beside_degrees_ = false;
    // True if the coordinates that were last read are irregular and contradict the axis that an
    // attribute states.
    bool is_contradicted_ = false;
    std::uint64_t first_column_ = 0;  // first column of the coordinates that were last read
    bool is_sized_ = false;  // true if the statement that was read last states its raster size
};

}  // namespace

std::optional<AffineSource> FindGeoTransform(const Hierarchy& hierarchy, const ArrayFacts& facts,
                                             std::size_t threads, Warnings& warnings,
                                             MovedColumns columns) {
    return AffineFinder(hierarchy, facts, threads, columns, warnings).Find();
}

}  // namespace zarr
