// SPDX-License-Identifier: MIT
#include "core/conventions/crs/crs_sources.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "core/base/text.h"
#include "core/conventions/attributes/attributes.h"
#include "core/conventions/attributes/axis_roles.h"
#include "core/conventions/crs/geolocation.h"
#include "core/conventions/crs/geotiff.h"
#include "core/conventions/crs/geotransform.h"
#include "core/conventions/crs/grid_mapping.h"
#include "core/conventions/crs/group_placement.h"
#include "core/conventions/facts/eopf.h"
#include "core/conventions/group/multiscales.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

bool HasGeoTransform(const json::Value& attributes) {
    return attributes.Find("spatial:transform") != nullptr ||
           attributes.Find("proj:transform") != nullptr ||
           attributes.Find("GeoTransform") != nullptr || ReadPlainTransform(attributes).value;
}

// True if the array may be a map: X and Y are known, or dimensions have no names, or a geotransform
// is stated.
bool MayBeMap(const ArrayFacts& facts) {
    const auto& [x_axis, y_axis] = facts.axes;
    if (!x_axis || !y_axis) return false;
    const Dimension& x = facts.dimensions[*x_axis];
    const Dimension& y = facts.dimensions[*y_axis];
    const bool is_horizontal = x.role == AxisRole::kX && y.role == AxisRole::kY;
    return is_horizontal || (!x.is_named && !y.is_named) || HasGeoTransform(facts.attributes);
}

// Returns an EPSG code from a number, or from text with or without "EPSG:". Text with another
// authority is returned unchanged. Returns an empty text if `value` is not a code.
std::string EpsgText(const json::Value& value) {
    std::int64_t number = 0;
    if (value.GetInt64(number)) return "EPSG:" + std::to_string(number);
    const std::string* const text = value.as_string();
    if (text == nullptr || text->empty()) return {};
    const bool are_digits = text->find_first_not_of("0123456789") == std::string::npos;
    if (are_digits) return "EPSG:" + *text;
    return text->find(':') != std::string::npos ? *text : std::string();
}

// Returns the PROJ string for an object of parameters that rasterio's CRS.to_dict() wrote: {"init":
// "epsg:32632"} or {"proj": "utm", "zone": 32, "no_defs": true}. Empty for other objects.
std::string ProjStringOf(const json::Value& value) {
    if (value.Find("init") == nullptr && value.Find("proj") == nullptr) return {};
    std::string text;
    for (const auto& [name, parameter] : *value.as_object()) {
        const std::string* const word = parameter.as_string();
        const std::string stated = word != nullptr ? *word : json::Dump(parameter);
        if (stated == "false") continue;
        text += (text.empty() ? "+" : " +") + name;
        if (stated != "true") text += "=" + stated;
    }
    return text;
}

// True if `name` is usual for a longitude or latitude dimension, also a rotated one.
bool IsNameOfAngle(const std::string& name) {
    constexpr std::string_view kNames[] = {"lon", "long",     "longitude", "rlon",
                                           "lat", "latitude", "rlat"};
    const std::string lower = NameKey(name);
    return std::find(std::begin(kNames), std::end(kNames), lower) != std::end(kNames);
}

// True if the coordinates are angles. The standard_name decides, else the units, else the
// dimension's name.
bool IsAngle(const Dimension& dimension) {
    const json::Value& attributes = dimension.coordinate_attributes;
    if (const std::string* name = StringAttribute(attributes, "standard_name"))
        return *name == "longitude" || *name == "latitude" || name->compare(0, 5, "grid_") == 0;
    if (const std::string* units = StringAttribute(attributes, "units"))
        return units->compare(0, 6, "degree") == 0;
    return IsNameOfAngle(dimension.name);
}

class CrsFinder {
  public:
    CrsFinder(const Hierarchy& hierarchy, const ArrayFacts& facts)
        : hierarchy_(hierarchy), facts_(facts), group_(ParentPath(facts.path)) {}

    std::vector<CrsSource> Find(AssumeLonglat assume_longlat) {
        AddCrsAttribute();
        const Warnings missing = AddGridMapping();
        AddProj(facts_.attributes, "");
        if (!facts_.path.empty()) {  // an array at the root is in no group
            AddProjOfGroup();
            if (sources_.empty()) AddProjOfPyramid();
        }
        AddProduct();
        AddPyramid();
        AddGeoTiff();
        AddPlain(facts_.attributes, "");
        if (!facts_.path.empty()) AddPlainOfGroup();
        AddBroken(missing);
        if (assume_longlat != AssumeLonglat::kNo)
            AddLongLat(is_of_product_ || assume_longlat == AssumeLonglat::kByName);
        return std::move(sources_);
    }

  private:
    void AddText(std::string text, std::string origin) {
        if (!text.empty()) {
            CrsSource source;
            source.text = std::move(text);
            source.origin = std::move(origin);
            sources_.push_back(std::move(source));
        }
    }

    void AddBroken(const std::string& why) {
        CrsSource source;
        source.kind = CrsSource::Kind::kBroken;
        source.text = why;
        sources_.push_back(std::move(source));
    }

    void AddBroken(const Warnings& warnings) {
        for (const std::string& warning : warnings) AddBroken(warning);
    }

    // Adds the attribute `_CRS` of GDAL: an object with the CRS in up to three forms, or a string.
    void AddCrsAttribute() {
        const json::Value* crs = facts_.attributes.Find("_CRS");
        if (crs == nullptr) return;
        if (const std::string* text = crs->as_string()) return AddText(*text, "attribute _CRS");
        const std::size_t before = sources_.size();
        for (const std::string_view form : {"url", "wkt", "projjson"}) {
            const json::Value* value = crs->Find(form);
            if (value == nullptr) continue;
            const std::string origin = "attribute _CRS." + std::string(form);
            if (value->as_string() != nullptr)
                AddText(*value->as_string(), origin);
            else if (value->as_object() != nullptr)
                AddText(json::Dump(*value), origin);
        }
        if (sources_.size() == before)
            AddBroken(
                "attribute _CRS: expected a CRS, or an object with url, wkt or "
                "projjson, got " +
                json::Brief(*crs));
    }

    // Adds the statements of the array's grid mapping variable. Returns the warnings about a
    // missing variable; the caller reports them only if no other statement gives the CRS.
    Warnings AddGridMapping() {
        Warnings missing;
        const std::string path = FindGridMapping(hierarchy_, facts_).Report(missing);
        if (path.empty()) return missing;
        const std::size_t before = sources_.size();
        AddGridMappingAt(path);
        if (!NamesGridMapping(hierarchy_, facts_))
            for (std::size_t i = before; i < sources_.size(); ++i)
                sources_[i].yields_to_degrees = true;
        return missing;
    }

    void AddGridMappingAt(const std::string& path) {
        Warnings warnings;
        json::Value attributes = LenientAttributes(hierarchy_, path, warnings);
        AddBroken(warnings);
        const std::string origin = "grid mapping /" + path;
        for (const std::string_view name : {"crs_wkt", "spatial_ref"})
            if (const std::string* wkt = StringAttribute(attributes, name))
                AddText(*wkt, origin + ", attribute " + std::string(name));
        if (attributes.Find("grid_mapping_name") != nullptr) {
            CrsSource source;
            source.kind = CrsSource::Kind::kGridMapping;
            source.code = EpsgCodeOf(attributes);
            source.attributes = std::move(attributes);
            source.origin = origin;
            sources_.push_back(std::move(source));
        } else if (DescribesCrs(attributes)) {
            for (const char* name : {"crs", "epsg_code", "proj4"})
                AddPlain(attributes, name, origin + ", ");
        } else {
            AddBroken(origin + ": has no crs_wkt, spatial_ref or grid_mapping_name");
        }
    }

    // Returns the CRS code in attribute `epsg_code`, which some writers add to the projection
    // parameters; empty if absent.
    std::string EpsgCodeOf(const json::Value& grid_mapping) const {
        for (const json::Value* attributes :
             {&grid_mapping, &facts_.attributes, &facts_.group_attributes})
            if (const json::Value* value = attributes->Find("epsg_code"))
                if (std::string code = EpsgText(*value); !code.empty()) return code;
        return {};
    }

    // Adds the CRS in `proj:code`. Some writers state a number, which is read as EPSG code.
    void AddProjCode(const json::Value& attributes, const std::string& origin) {
        const json::Value* const value = attributes.Find("proj:code");
        if (value == nullptr || value->is_null()) return;
        const std::string* const text = value->as_string();
        const std::string code = EpsgText(*value);
        if (text != nullptr && (code.empty() || code == *text)) return AddText(*text, origin);
        AddBroken(origin + ": expected a text \"authority:code\", got " + json::Brief(*value) +
                  (code.empty() ? "" : "; it is read as " + code));
        AddText(code, origin);
    }

    // Adds the CRS in attributes of STAC's projection extension, or of its Zarr counterpart.
    void AddProj(const json::Value& attributes, const std::string& where) {
        AddProjCode(attributes, where + "attribute proj:code");
        if (const json::Value* value = attributes.Find("proj:epsg")) {
            const std::string code = EpsgText(*value);
            if (!code.empty())
                AddText(code, where + "attribute proj:epsg");
            else if (!value->is_null())
                AddBroken(where + "attribute proj:epsg: expected a number, got " +
                          json::Brief(*value));
        }
        for (const char* name : {"proj:wkt2", "proj:projjson"}) {
            const json::Value* value = attributes.Find(name);
            if (value == nullptr) continue;
            const std::string origin = where + "attribute " + name;
            if (value->as_string() != nullptr)
                AddText(*value->as_string(), origin);
            else if (value->as_object() != nullptr)
                AddText(json::Dump(*value), origin);
        }
    }

    void AddProjOfGroup() {
        const std::size_t before = sources_.size();
        AddProj(AttributesOrEmpty(hierarchy_, group_), "group ");
        DropUnlessShared(before);
    }

    void AddPlainOfGroup() {
        const std::size_t before = sources_.size();
        AddPlain(facts_.group_attributes, "group ");
        DropUnlessShared(before);
    }

    // Removes the statements from index `first` on, which come from the group's attributes. Keeps
    // them if the CRS of the group applies to the array.
    void DropUnlessShared(std::size_t first) {
        if (sources_.size() > first && !SharesGroupCrs(hierarchy_, facts_)) sources_.resize(first);
    }

    // Adds the CRS of a GeoJSON geometry in the form used before RFC 7946. The form is
    // {"properties": {"name": "urn:ogc:def:crs:EPSG::32632"}}, or has a member "code".
    void AddGeoJson(const json::Value* geometry, const std::string& where) {
        for (const char* member : {"crs", "properties"})
            geometry = geometry != nullptr ? geometry->Find(member) : nullptr;
        for (const char* member : {"code", "name"})
            if (const json::Value* value = geometry != nullptr ? geometry->Find(member) : nullptr)
                if (const std::string text = EpsgText(*value); !text.empty())
                    AddText(text, where + "crs.properties." + member);
    }

    // Adds the CRS in attributes that no convention defines.
    void AddPlain(const json::Value& attributes, const std::string& where) {
        for (const char* name : kPlainCrsNames) AddPlain(attributes, name, where);
    }

    void AddPlain(const json::Value& attributes, const char* name, const std::string& where) {
        const json::Value* const value = attributes.Find(name);
        if (value == nullptr) return;
        CrsSource source;
        source.yields_to_degrees = true;
        source.origin = where + "attribute " + name;
        source.text = EpsgText(*value);
        if (const std::string* text = value->as_string(); text != nullptr && source.text.empty())
            source.text = *text;
        if (value->as_object() != nullptr) {
            source.text = ProjStringOf(*value);
            if (source.text.empty()) source.text = json::Dump(*value);
        }
        if (!source.text.empty()) sources_.push_back(std::move(source));
    }

    // Adds the WKT in the attribute `spatial_ref` of an EOPF product, where users of rioxarray
    // store the CRS.
    void AddSpatialRef(const json::Value& attributes, const std::string& where) {
        const std::string* const text = StringAttribute(attributes, "spatial_ref");
        if (text != nullptr && text->find('[') != std::string::npos)
            AddText(*text, where + "attribute spatial_ref");
    }

    // Adds the UTM zone of a Sentinel-2 tile: "T32TQM", "32TQM" or "MGRS-32TQM".
    void AddTile(std::string_view text, const std::string& origin) {
        const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
        const auto is_letter = [](char c) { return c >= 'A' && c <= 'Z' && c != 'I' && c != 'O'; };
        for (std::size_t at = 0; at + 5 <= text.size(); ++at) {
            const bool begins = at == 0 || text[at - 1] == '-' ||
                                (text[at - 1] == 'T' && (at == 1 || text[at - 2] == '_'));
            const bool ends = at + 5 == text.size() || text[at + 5] == '_' || text[at + 5] == '.';
            if (!begins || !ends || !is_digit(text[at]) || !is_digit(text[at + 1]) ||
                !is_letter(text[at + 2]) || !is_letter(text[at + 3]) || !is_letter(text[at + 4]))
                continue;
            const int zone = (text[at] - '0') * 10 + (text[at + 1] - '0');
            const char band = text[at + 2];
            if (zone < 1 || zone > 60 || band < 'C' || band > 'X') continue;
            return AddText("EPSG:" + std::to_string((band >= 'N' ? 32600 : 32700) + zone), origin);
        }
    }

    void AddTiles(const json::Value& stac) {
        const json::Value* const properties = stac.Find("properties");
        for (const json::Value* owner : {properties, &stac})
            for (const char* name : {"grid:code", "s2:mgrs_tile", "mgrs_tile", "tileId"})
                if (owner != nullptr)
                    if (const std::string* tile = StringAttribute(*owner, name))
                        AddTile(*tile, std::string("tile of stac_discovery, ") + name);
        if (const std::string* id = StringAttribute(stac, "id"))
            AddTile(*id, "tile of stac_discovery.id");
    }

    // Adds the UTM zone of the tile in the name of the store. The store is an EOPF product, or its
    // name begins like that of a Sentinel-2 product: "S2A_MSIL2A_T32TQM.zarr".
    void AddTileOfStore(const json::Value& root) {
        const std::string name(LastName(hierarchy_.store()->Describe()));
        const bool is_product = root.Find("stac_discovery") != nullptr ||
                                root.Find("other_metadata") != nullptr ||
                                (name.compare(0, 2, "S2") == 0 && name.find("_MSI") == 3);
        if (is_product) AddTile(name, "tile in the name of the store");
    }

    // Adds the CRS in the `proj:` attributes of the ancestor group that lists the array, or the
    // array's group, as a pyramid level. The CRS applies to all levels.
    void AddProjOfPyramid() {
        using Kind = Multiscale::Kind;
        for (const std::string& level : {facts_.path, group_}) {
            for (const Kind kind : {Kind::kLayout, Kind::kDatasets}) {
                const LevelListing listing = ListingOf(hierarchy_, level, kind);
                if (!listing.is_listed() || listing.group == group_) continue;
                AddProj(*listing.attributes, "group /" + listing.group + ", ");
                return DropUnlessShared(0);
            }
        }
    }

    // Adds the CRS that the root of an EOPF product states. The CRS applies to projected arrays
    // only, not to arrays with angles or without a location.
    void AddProduct() {
        const std::size_t before = sources_.size();
        const json::Value root = AttributesOrEmpty(hierarchy_, "");
        const json::Value* const stac = root.Find("stac_discovery");
        if (stac != nullptr)
            if (const json::Value* properties = stac->Find("properties")) {
                AddProj(*properties, "stac_discovery.properties, ");
                AddSpatialRef(*properties, "stac_discovery.properties, ");
            }
        if (const auto code = EopfCrsCode(root))
            AddText(*code, "other_metadata.horizontal_CRS_code");
        if (stac != nullptr) AddGeoJson(stac->Find("geometry"), "stac_discovery.geometry.");
        const json::Object none;
        const json::Object* const members = root.as_object();
        for (const json::Member& member : members != nullptr ? *members : none) {
            if (member.second.as_object() == nullptr) continue;
            AddProj(member.second, member.first + ", ");
            AddSpatialRef(member.second, member.first + ", ");
        }
        AddSpatialRef(root, "root, ");
        if (stac != nullptr) AddTiles(*stac);
        AddTileOfStore(root);
        is_of_product_ = sources_.size() > before;
        if (is_of_product_ && !IsProjected()) sources_.resize(before);
    }

    // True if X and Y of the array are map coordinates in units of length.
    bool IsProjected() const {
        const auto& [x_axis, y_axis] = facts_.axes;
        if (!x_axis || !y_axis) return false;
        const Dimension& x = facts_.dimensions[*x_axis];
        const Dimension& y = facts_.dimensions[*y_axis];
        if (!MayBeMap(facts_)) return false;
        if (HasGeoTransform(facts_.attributes)) return true;
        if (IsAngle(x) || IsAngle(y)) return false;
        // Without coordinate arrays, the array counts as projected only if it has no longitudes and
        // latitudes of a curvilinear grid.
        if (!x.coordinate_path.empty() || !y.coordinate_path.empty()) return true;
        const auto geolocation = FindGeolocation(hierarchy_, facts_).value;
        return !geolocation || geolocation->kind != Geolocation::Kind::kLongLat;
    }

    // Adds the CRS that pyramid metadata states. In ndpyramid, the CRS is in the group that lists
    // this array's group as a level. In GeoZarr 0.4, the CRS is the one of the tile matrix set in
    // the array's attributes.
    void AddPyramid() {
        const LevelListing listing = ListingOf(hierarchy_, group_);
        for (const MultiscaleLevel& level : listing.levels) {
            const std::string* crs = StringAttribute(*level.dataset, "crs");
            AddText(crs != nullptr ? *crs : "EPSG:3857", "multiscales.datasets.crs");
        }
        const json::Value* multiscales = facts_.attributes.Find("multiscales");
        const json::Value* set =
            multiscales != nullptr ? multiscales->Find("tile_matrix_set") : nullptr;
        if (set == nullptr) return;
        if (const std::string* name = set->as_string()) {
            if (*name == "WebMercatorQuad") AddText("EPSG:3857", "tile matrix set " + *name);
            if (*name == "WorldCRS84Quad") AddText("OGC:CRS84", "tile matrix set " + *name);
            return;
        }
        for (const char* name : {"crs", "supportedCRS"})
            if (const std::string* crs = StringAttribute(*set, name))
                return AddText(*crs, std::string("tile_matrix_set.") + name);
    }

    // Adds the CRS of a TIFF file, from the GeoKeys that references to its tiles have as
    // attributes.
    void AddGeoTiff() {
        const auto tags = FindGeoTiffTags(hierarchy_, facts_);
        if (!tags) return;
        for (CrsSource& source : ReadGeoTiffCrs(*tags)) sources_.push_back(std::move(source));
    }

    // Adds WGS 84 to the statements if attributes declare that X and Y are longitudes and
    // latitudes. If `by_name` is true, usual names of X and Y are sufficient, too.
    void AddLongLat(bool by_name) {
        if (!facts_.axes.x || !facts_.axes.y) return;
        const Dimension& x = facts_.dimensions[*facts_.axes.x];
        const Dimension& y = facts_.dimensions[*facts_.axes.y];
        const bool are_said =
            IsLongitude(x.coordinate_attributes) && IsLatitude(y.coordinate_attributes);
        if (!are_said && !(by_name && AreNamedLongLat(x, y))) return;
        CrsSource source;
        source.kind = CrsSource::Kind::kLongLat;
        source.origin = "longitude and latitude coordinates";
        sources_.push_back(std::move(source));
    }

    // True if X and Y have usual names of longitudes and latitudes, and no attribute contradicts
    // these meanings.
    static bool AreNamedLongLat(const Dimension& x, const Dimension& y) {
        const auto is = [](const Dimension& dimension, AxisRole role) {
            return !dimension.coordinate_path.empty() && dimension.role == role &&
                   IsNameOfAngle(dimension.name) && IsAngle(dimension);
        };
        return is(x, AxisRole::kX) && is(y, AxisRole::kY);
    }

    const Hierarchy& hierarchy_;
    const ArrayFacts& facts_;
    const std::string group_;
    std::vector<CrsSource> sources_;
    bool is_of_product_ = false;  // true if the root states a CRS for the product
};

}  // namespace

std::vector<CrsSource> FindCrsSources(const Hierarchy& hierarchy, const ArrayFacts& facts,
                                      AssumeLonglat assume_longlat) {
    return CrsFinder(hierarchy, facts).Find(assume_longlat);
}

}  // namespace zarr
