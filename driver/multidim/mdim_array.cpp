// SPDX-License-Identifier: MIT
#include "driver/multidim/mdim_array.h"

#include <cpl_string.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/attributes/nczarr.h"
#include "core/conventions/cf/band_lists.h"
#include "core/conventions/cf/nodata.h"
#include "core/conventions/crs/geolocation.h"
#include "core/conventions/crs/grid_mapping.h"
#include "core/conventions/facts/array_facts.h"
#include "core/metadata/fill_meaning.h"
#include "core/store/keys.h"
#include "driver/base/exception_guard.h"
#include "driver/base/gdal_compat.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/gdal_types.h"
#include "driver/base/metadata_text.h"
#include "driver/georef/georeferencing_write.h"
#include "driver/multidim/array_overviews.h"
#include "driver/multidim/dimension_registry.h"
#include "driver/multidim/extended_type.h"
#include "driver/multidim/mdim_attribute.h"
#include "driver/multidim/mdim_dimension.h"
#include "driver/multidim/mdim_session.h"
#include "driver/multidim/node_editing.h"
#include "driver/store/multidim_pam.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;
namespace json = zarr::json;

namespace {

// Attributes that are not listed, because GDAL shows their values through methods of GDALMDArray,
// such as GetUnit().
constexpr std::string_view kHasMethods[] = {
    "_ARRAY_DIMENSIONS", "_CRS", "_FillValue", "units", "scale_factor", "add_offset", "_Unsigned"};

bool IsHidden(std::string_view name) {
    return std::find(std::begin(kHasMethods), std::end(kHasMethods), name) !=
               std::end(kHasMethods) ||
           zarr::IsNczarrAttribute(name);
}

// True for attributes that change how elements are interpreted.
bool HasMeaning(std::string_view name) {
    return IsHidden(name) || zarr::IsNodataAttribute(name) || name == zarr::kScalesOfBands ||
           name == zarr::kOffsetsOfBands;
}

zarr::DataType StoredType(const zarr::ArrayFacts& facts) {
    zarr::DataType type = zarr::ApplyUnsigned(facts.metadata.dtype, facts.attributes);
    const std::size_t text_length = zarr::NczarrTextLength(facts.metadata);
    if (text_length != 0) type.size = text_length;
    return type;
}

double Packed(const std::optional<double>& value, double neutral, bool* has_value,
              GDALDataType* storage) {
    if (has_value != nullptr) *has_value = value.has_value();
    if (storage != nullptr) *storage = value ? GDT_Float64 : GDT_Unknown;
    return value.value_or(neutral);
}

// True if a user has set a CRS in PAM, GDAL's saved metadata. False if PAM only repeats the store's
// CRS, or if the store is remote, where users cannot set one.
bool IsCrsSetByUser(const std::string& store_path, const std::string& path) {
    const auto is_any = [](std::int64_t) { return true; };
    return !ReadMultidimPam(store_path, path, is_any).crs.empty();
}

// Returns the paths of the coordinates that the attribute `coordinates` names, without grid
// mappings. If it names none, those of longitudes and latitudes of each pixel.
std::vector<std::string> CoordinatePaths(const zarr::Hierarchy& hierarchy,
                                         const zarr::ArrayFacts& facts) {
    const std::string group(zarr::ParentPath(facts.path));
    std::vector<std::string> words = zarr::WordsAttribute(facts.attributes, "coordinates");
    std::vector<std::string> paths;
    std::vector<std::string> mappings;
    if (!words.empty()) mappings.push_back(zarr::FindGridMapping(hierarchy, facts).value);
    for (const std::string& name : zarr::GridMappingNames(facts.attributes))
        if (!words.empty()) mappings.push_back(zarr::FindVariable(hierarchy, group, name));
    for (const std::string& name : words) {
        std::string path = zarr::FindVariable(hierarchy, group, name);
        if (!path.empty() && std::find(mappings.begin(), mappings.end(), path) == mappings.end())
            paths.push_back(std::move(path));
    }
    if (!words.empty() || facts.metadata.rank() < 2) return paths;
    const auto located = zarr::FindGeolocation(hierarchy, facts).value;
    if (located && !located->is_along_axes && located->kind == zarr::Geolocation::Kind::kLongLat)
        paths = {located->y.facts.path, located->x.facts.path};
    return paths;
}

// Returns the value of CF's attribute `actual_range`: the minimum `least` and the maximum `most`,
// as integers if the array has integers.
json::Value ActualRange(const zarr::DataType& type, double least, double most) {
    const bool is_integer = type.kind == zarr::DataKind::kInt || type.kind == zarr::DataKind::kUint;
    constexpr double kExact = 9007199254740992.0;  // 2^53
    const auto number = [&](double value) {
        return is_integer && std::abs(value) <= kExact
                   ? json::Value(static_cast<std::int64_t>(value))
                   : json::Value(value);
    };
    return json::Value(json::Array{number(least), number(most)});
}

}  // namespace

Result<std::shared_ptr<ZarrMDArray>> ZarrMDArray::Open(std::shared_ptr<MdimSession> session,
                                                       const std::string& path) {
    const zarr::Hierarchy& hierarchy = session->hierarchy();
    ZARR_ASSIGN_OR_RETURN(zarr::ArrayFacts facts, zarr::DescribeArray(hierarchy, path));
    ZARR_ASSIGN_OR_RETURN(auto array, hierarchy.OpenArray(path, facts.metadata));
    const std::string name = session->ArrayName(path);
    const auto type = ExtendedTypeOf(StoredType(facts), name);
    if (!type.ok())
        return type.status().WithContext(hierarchy.NameOf(path, zarr::Document::kArray));
    const auto listing = ListChunksIfAsked(*array, session->options(), facts.warnings);
    EmitWarnings(session->store_path() + ": /" + path, facts.warnings);
    RasterLayout layout;
    layout.x_axis = facts.axes.x;
    layout.y_axis = facts.axes.y;
    layout.facts = std::move(facts);
    layout.array = std::move(array);
    std::shared_ptr<ZarrMDArray> opened(
        new ZarrMDArray(std::move(session), std::move(layout), *type));
    DescribeStorage(*opened->array_.elements(), listing, opened->structural_info_);
    opened->SetSelf(opened);
    return opened;
}

ZarrMDArray::ZarrMDArray(std::shared_ptr<MdimSession> session, RasterLayout layout,
                         const GDALExtendedDataType& type)
    : GDALAbstractMDArray(session->GroupName(std::string(zarr::ParentPath(layout.facts.path))),
                          session->ArrayName(layout.facts.path)),
      GDALPamMDArray(session->GroupName(std::string(zarr::ParentPath(layout.facts.path))),
                     session->ArrayName(layout.facts.path), session->pam()),
      session_(std::move(session)),
      array_(session_->open_node(), session_->options(), std::move(layout)),
      values_(*session_, array_, StoredType(array_.facts())),
      activity_(std::make_unique<ArrayActivity>(session_->store_path(), array_.elements())),
      type_(type),
      nodata_(type_, values_.stored()) {
    array_.SetUpdate(session_->ShareUpdate(), StoredChanges::kAll);
    OrderDimensions();
    for (const std::size_t i : shown_)
        dimensions_.push_back(session_->dimensions().Of(array_.facts(), i));
    DescribeCodecs(array_.facts().metadata, structural_info_);
    ReadConventions();
}

bool ZarrMDArray::HasElements() const {
    return std::all_of(dimensions_.begin(), dimensions_.end(),
                       [](const auto& dimension) { return dimension->GetSize() != 0; });
}

void ZarrMDArray::OrderDimensions() {
    const std::size_t rank = array_.facts().dimensions.size() - (values_.are_characters() ? 1 : 0);
    const bool may_move = !IsWritable() && !session_->keeps_stored_order();
    bool is_empty = false;
    for (std::size_t i = 0; i < rank; ++i) {
        const bool moves = array_.facts().dimensions[i].size == 0 && may_move;
        if (!moves)
            shown_.push_back(i);
        else if (!is_empty)
            shown_.insert(shown_.begin(), i);
        if (moves && (is_empty || i != 0)) has_stored_order_ = false;
        is_empty = is_empty || moves;
    }
}

Status ZarrMDArray::CheckThere() const {
    if (!is_deleted_) return {};
    return Status::Invalid("/" + array_.path() + ": the array has been deleted");
}

void ZarrMDArray::ReadConventions() {
    zarr::Warnings warnings;
    packing_ = zarr::ReadPacking(array_.facts().attributes).Report(warnings);
    units_ = zarr::UnitsOf(values_.stored(), packing_);
    std::optional<zarr::FillValue> nodata;
    if (!values_.are_characters()) nodata = array_.ReadNodata().Report(warnings);
    if (nodata && !zarr::NodataOfBands(array_.facts().attributes, array_.facts().metadata).empty())
        warnings.emplace_back(
            "attribute nodatavals: differs between the bands; the array has the nodata value of "
            "the first band");
    nodata_.Set(nodata);
    EmitWarnings(array_.Name(), warnings);
    if (!IsWritable()) attributes_ = ListedAttributes();
}

std::vector<std::shared_ptr<GDALAttribute>> ZarrMDArray::ListedAttributes() const {
    // GetUnit() cannot show units that differ between bands, so their list is shown.
    const bool has_units =
        !units_.empty() || array_.facts().attributes.Find(zarr::kUnitsOfBands) == nullptr;
    const auto is_hidden = [&](std::string_view name) {
        return IsHidden(name) && (has_units || name != zarr::kUnitsOfBands);
    };
    auto list = ListAttributes(session_, array_.path(), GetFullName(), array_.facts().attributes,
                               is_hidden);
    // In CF, time units are ambiguous without the attribute "calendar". An array of NumPy dates
    // without this attribute therefore gets an attribute with NumPy's calendar in the list of
    // attributes.
    const bool is_datetime = values_.stored().kind == zarr::DataKind::kDatetime;
    if (is_datetime && array_.facts().attributes.Find("calendar") == nullptr) {
        auto calendar = ZarrAttribute::Make(GetFullName(), "calendar",
                                            zarr::json::Value("proleptic_gregorian"));
        calendar->Attach(session_, array_.path());
        list.push_back(std::move(calendar));
    }
    return list;
}

// Reads the attributes again, because other datasets may have changed them since the array was
// opened. Fails if they are not a JSON object, which cannot be changed.
Status ZarrMDArray::ReadAttributes() {
    ZARR_ASSIGN_OR_RETURN(json::Value stored, session_->update()->Attributes(array_.path()));
    array_.layout().facts.attributes =
        zarr::InterpretAttributes(session_->stored_hierarchy(), array_.facts(), std::move(stored))
            .value;
    return {};
}

Status ZarrMDArray::ChangeAttribute(const std::string& name, std::optional<json::Value> value) {
    ZARR_RETURN_IF_ERROR(ReadAttributes());
    array_.SetAttribute(name, std::move(value));
    if (HasMeaning(name)) ReadConventions();
    return {};
}

const std::string& ZarrMDArray::GetFilename() const noexcept { return session_->store_path(); }

std::vector<GUInt64> ZarrMDArray::GetBlockSize() const {
    return Guarded(session_->store_path(), [&]() -> std::vector<GUInt64> {
        std::vector<GUInt64> sizes;
        for (const std::size_t i : shown_) sizes.push_back(array_.facts().metadata.chunks[i]);
        return sizes;
    });
}

std::vector<size_t> ZarrMDArray::GetProcessingChunkSize(size_t nMaxChunkMemory) const {
    return Guarded(session_->store_path(), [&]() -> std::vector<size_t> {
        if (HasElements()) return GDALPamMDArray::GetProcessingChunkSize(nMaxChunkMemory);
        std::vector<size_t> sizes;
        for (std::size_t i = 0; i < shown_.size(); ++i)
            sizes.push_back(static_cast<size_t>(std::min<std::uint64_t>(
                dimensions_[i]->GetSize(), array_.facts().metadata.chunks[shown_[i]])));
        return sizes;
    });
}

std::shared_ptr<GDALAttribute> ZarrMDArray::GetAttribute(const std::string& osName) const {
    return Guarded(session_->store_path(), [&]() -> std::shared_ptr<GDALAttribute> {
        for (const auto& attribute : GetAttributes())
            if (attribute->GetName() == osName) return attribute;
        return nullptr;
    });
}

std::vector<std::shared_ptr<GDALAttribute>> ZarrMDArray::GetAttributes(
    CSLConstList /*papszOptions*/) const {
    return Guarded(session_->store_path(), [&]() -> std::vector<std::shared_ptr<GDALAttribute>> {
        if (!IsWritable()) return attributes_;
        const Status status = CheckThere();
        if (status.ok()) return ListedAttributes();
        EmitError(session_->store_path(), status);
        return {};
    });
}

const void* ZarrMDArray::GetRawNoDataValue() const {
    return Guarded(session_->store_path(), [&]() -> const void* { return nodata_.data(); });
}

double ZarrMDArray::GetScale(bool* pbHasScale, GDALDataType* peStorageType) const {
    return Guarded(session_->store_path(), [&]() -> double {
        return Packed(packing_.scale, 1.0, pbHasScale, peStorageType);
    });
}

double ZarrMDArray::GetOffset(bool* pbHasOffset, GDALDataType* peStorageType) const {
    return Guarded(session_->store_path(), [&]() -> double {
        return Packed(packing_.offset, 0.0, pbHasOffset, peStorageType);
    });
}

// ---------------------------------------------------------------------------------------------
// Values

bool ZarrMDArray::IRead(const GUInt64* arrayStartIdx, const size_t* count, const GInt64* arrayStep,
                        const GPtrDiff_t* bufferStride, const GDALExtendedDataType& bufferDataType,
                        void* pDstBuffer) const {
    return Guarded(session_->store_path(), [&]() -> bool {
        Status status = CheckThere();
        if (status.ok())
            status = values_.Read(
                {dimensions_.size(), arrayStartIdx, count, arrayStep, bufferStride, bufferDataType},
                static_cast<std::uint8_t*>(pDstBuffer));
        return Report(status);
    });
}

bool ZarrMDArray::IAdviseRead(const GUInt64* arrayStartIdx, const size_t* count,
                              CSLConstList papszOptions) const {
    return Guarded(session_->store_path(), [&]() -> bool {
        zarr::Region region;
        for (std::size_t i = 0; i < dimensions_.size(); ++i) {
            region.start.push_back(arrayStartIdx[i]);
            region.count.push_back(count[i]);
            region.step.push_back(1);
        }
        return Report(values_.Advise(region, papszOptions));
    });
}

bool ZarrMDArray::IWrite(const GUInt64* arrayStartIdx, const size_t* count, const GInt64* arrayStep,
                         const GPtrDiff_t* bufferStride, const GDALExtendedDataType& bufferDataType,
                         const void* pSrcBuffer) {
    return Guarded(session_->store_path(), [&]() -> bool {
        Status status = CheckChange();
        if (status.ok() && values_.are_characters())
            status = Status::Unsupported("/" + array_.path() +
                                         ": texts stored as netCDF characters are read-only");
        if (!status.ok()) return Report(status);
        try {
            ForgetStatistics();
            status = values_.Write({array_.facts().metadata.rank(), arrayStartIdx, count, arrayStep,
                                    bufferStride, bufferDataType},
                                   static_cast<const std::uint8_t*>(pSrcBuffer));
        } catch (const std::bad_alloc&) {
            status = Status::OutOfMemory("out of memory");
        }
        const bool names_itself =
            status.message().compare(0, array_.path().size(), array_.path()) == 0;
        return Report(names_itself ? status : status.WithContext("/" + array_.path()));
    });
}

// Drops the statistics in PAM, because they describe the values before the write.
void ZarrMDArray::ForgetStatistics() {
    if (has_forgotten_statistics_.exchange(true)) return;
    const CPLErr known =
        GetStatistics(true, false, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    if (known == CE_None) ClearStatistics();
}

// ---------------------------------------------------------------------------------------------
// Georeferencing, and the array as a raster

const Georeferencing& ZarrMDArray::FindGeoreferencing() const {
    return georeferencing_.Get([this] {
        // An array of one dimension is a coordinate array and has no georeferencing. An array whose
        // elements are texts has none, either.
        if (array_.facts().metadata.rank() < 2 || values_.are_characters()) return Georeferencing();
        const OpenOptions& options = session_->options();
        Georeferencing placed =
            ReadGeoreferencing(session_->hierarchy(), array_.facts(), session_->store_path(),
                               {options.assume_longlat, false, false, options.threads, {}});
        EmitWarnings(array_.Name(), placed.warnings);
        return placed;
    });
}

std::shared_ptr<OGRSpatialReference> ZarrMDArray::GetSpatialRef() const {
    return Guarded(session_->store_path(), [&]() -> std::shared_ptr<OGRSpatialReference> {
        auto from_pam = GDALPamMDArray::GetSpatialRef();
        if (from_pam != nullptr && IsCrsSetByUser(session_->store_path(), array_.path()))
            return from_pam;
        const Georeferencing& placed = FindGeoreferencing();
        // Both axes of a CRS have the same unit. If X and Y have different units, the store's CRS
        // does not fit, so only a CRS from PAM is returned.
        if (!placed.srs || placed.y_factor != 1) return from_pam;
        std::shared_ptr<OGRSpatialReference> srs(placed.srs->Clone(),
                                                 [](OGRSpatialReference* p) { p->Release(); });
        // The CRS gets the units of the coordinate arrays, because the multidimensional API returns
        // their elements unscaled.
        if (placed.coordinate_scale != 1 && srs->IsGeographic()) {
            const double radians = srs->GetAngularUnits() * placed.coordinate_scale;
            srs->SetAngularUnits(radians == 1 ? SRS_UA_RADIAN : "unit", radians);
        } else if (placed.coordinate_scale != 1) {
            const double metres = srs->GetLinearUnits() * placed.coordinate_scale;
            srs->SetLinearUnitsAndUpdateParameters(metres == 1000 ? "kilometre" : "unit", metres);
        }
        // GDAL's axis mapping states which dimensions are X and Y of the CRS, as dimension numbers
        // from 1.
        const auto number_of = [this](std::size_t stored) {
            const auto at = std::find(shown_.begin(), shown_.end(), stored);
            return at == shown_.end() ? 0 : static_cast<int>(at - shown_.begin()) + 1;
        };
        const int x = number_of(*array_.facts().axes.x);
        const int y = number_of(*array_.facts().axes.y);
        std::vector<int> mapping = srs->GetDataAxisToSRSAxisMapping();
        for (int& axis : mapping) axis = axis == 1 ? x : axis == 2 ? y : 0;
        mapping.resize(2);
        srs->SetDataAxisToSRSAxisMapping(mapping);
        return srs;
    });
}

std::vector<std::shared_ptr<GDALMDArray>> ZarrMDArray::GetCoordinateVariables() const {
    return Guarded(session_->store_path(), [&]() -> std::vector<std::shared_ptr<GDALMDArray>> {
        std::vector<std::shared_ptr<GDALMDArray>> variables;
        for (const std::string& path : CoordinatePaths(session_->hierarchy(), array_.facts())) {
            auto array = session_->OpenArray(path);
            if (array.ok())
                variables.push_back(*array);
            else
                EmitError(session_->store_path(), array.status());
        }
        return variables;
    });
}

const std::vector<std::string>& ZarrMDArray::Overviews() const {
    return overviews_.Get([this] { return FindOverviews(*session_, array_.path()); });
}

int ZarrMDArray::GetOverviewCount() const {
    return Guarded(session_->store_path(),
                   [&]() -> int { return static_cast<int>(Overviews().size()); });
}

std::shared_ptr<GDALMDArray> ZarrMDArray::GetOverview(int idx) const {
    return Guarded(session_->store_path(), [&]() -> std::shared_ptr<GDALMDArray> {
        const std::vector<std::string>& paths = Overviews();
        if (idx < 0 || idx >= static_cast<int>(paths.size())) return nullptr;
        auto array = session_->OpenArray(paths[static_cast<std::size_t>(idx)]);
        if (array.ok()) return *array;
        EmitError(session_->store_path(), array.status());
        return nullptr;
    });
}

#if ZARR_BUILDS_MULTIDIM_OVERVIEWS
CPLErr ZarrMDArray::BuildOverviews(const char* pszResampling, int nOverviews,
                                   const int* panOverviewList, GDALProgressFunc pfnProgress,
                                   void* pProgressData, CSLConstList papszOptions) {
    return Guarded(session_->store_path(), [&]() -> CPLErr {
        if (!Report(CheckChange())) return CE_Failure;
        const CPLErr built = BuildArrayOverviews(*session_, array_.facts(), pszResampling,
                                                 {panOverviewList, panOverviewList + nOverviews},
                                                 pfnProgress, pProgressData, papszOptions);
        overviews_.Reset();
        return built;
    });
}
#endif

GDALDataset* ZarrMDArray::AsClassicDataset(ZARR_AS_CLASSIC_PARAMETERS) const {
    return Guarded(session_->store_path(), [&]() -> GDALDataset* {
        for (const auto& dimension : dimensions_) {
            if (dimension->GetSize() != 0) continue;
            EmitError(session_->store_path(),
                      zarr::Status::Unsupported(
                          "/" + array_.path() + ": dimension " + dimension->GetName() +
                          " is empty (shape 0), and GDAL has no empty rasters"));
            return nullptr;
        }
        const bool is_its_raster = array_.facts().metadata.rank() >= 2 &&
                                   !values_.are_characters() && array_.facts().axes.x == iXDim &&
                                   array_.facts().axes.y == iYDim &&
                                   (GDALPamMDArray::GetSpatialRef() == nullptr ||
                                    !IsCrsSetByUser(session_->store_path(), array_.path()));
        std::uint64_t slices = 1;
        for (std::size_t i = 0; i < array_.facts().metadata.rank(); ++i)
            if (i != iXDim && i != iYDim) slices *= array_.facts().metadata.shape[i];
        // If the array would have more bands than GDAL allows, GDAL's own AsClassicDataset() is
        // called below, which emits the error.
        const bool is_own = is_its_raster && slices <= kMaxBands && ZARR_AS_CLASSIC_IS_PLAIN;
        if (!is_own) return GDALPamMDArray::AsClassicDataset(ZARR_AS_CLASSIC_ARGUMENTS);
        auto raster = OpenArrayRaster(*session_, array_.path());
        if (raster.ok()) return raster->release();
        if (IsWritable()) {
            EmitError(session_->store_path(), raster.status());
            return nullptr;
        }
        return GDALPamMDArray::AsClassicDataset(ZARR_AS_CLASSIC_ARGUMENTS);
    });
}

// ---------------------------------------------------------------------------------------------
// Changing a store

bool ZarrMDArray::IsWritable() const {
    return Guarded(session_->store_path(), [&]() -> bool { return session_->update() != nullptr; });
}

bool ZarrMDArray::Report(const Status& status) const {
    if (!status.ok()) EmitError(session_->store_path(), status);
    return status.ok();
}

Status ZarrMDArray::CheckChange() const {
    ZARR_RETURN_IF_ERROR(session_->CheckUpdate().WithContext("/" + array_.path()));
    return CheckThere();
}

void ZarrMDArray::Created(std::vector<std::shared_ptr<ZarrDimension>> dimensions,
                          GeoreferencingForm convention) {
    convention_ = convention;
    dimensions_.assign(dimensions.begin(), dimensions.end());
}

Status ZarrMDArray::Reload(const std::string& path) {
    ZARR_RETURN_IF_ERROR(array_.Reload(session_->hierarchy(), path));
    activity_ = std::make_unique<ArrayActivity>(session_->store_path(), array_.elements());
    m_osName = session_->ArrayName(path);
    m_osFullName = session_->ArrayFullName(path);
    georeferencing_.Reset();
    overviews_.Reset();
    return {};
}

// ---------------------------------------------------------------------------------------------
// Unit, scale, nodata value and CRS

bool ZarrMDArray::Try(const std::function<Status()>& change) {
    const Status status = CheckChange();
    return Report(status.ok() ? change() : status);
}

bool ZarrMDArray::ChangeFacts(const std::function<Status()>& change) {
    return Try([&]() -> Status {
        ZARR_RETURN_IF_ERROR(ReadAttributes());
        Status status = change();
        ReadConventions();
        return status;
    });
}

bool ZarrMDArray::SetUnit(const std::string& osUnit) {
    return Guarded(session_->store_path(), [&]() -> bool {
        if (values_.stored().is_time() && osUnit != units_)
            return Report(Status::Unsupported("/" + array_.path() +
                                              ": the unit is fixed by dtype " +
                                              values_.stored().ToString()));
        return ChangeFacts([&] {
            if (!values_.stored().is_time()) array_.SetUnits(osUnit);
            return Status();
        });
    });
}

bool ZarrMDArray::SetScale(double dfScale, GDALDataType /*eStorageType*/) {
    return Guarded(session_->store_path(), [&]() -> bool {
        return ChangeFacts([&] {
            array_.SetAttribute(zarr::kScalesOfBands, std::nullopt);
            return array_.SetScale(dfScale), Status();
        });
    });
}

bool ZarrMDArray::SetOffset(double dfOffset, GDALDataType /*eStorageType*/) {
    return Guarded(session_->store_path(), [&]() -> bool {
        return ChangeFacts([&] {
            array_.SetAttribute(zarr::kOffsetsOfBands, std::nullopt);
            return array_.SetOffset(dfOffset), Status();
        });
    });
}

Status ZarrMDArray::StoreNodata(const void* raw) {
    const ScalarField whole{"", 0, array_.facts().metadata.dtype};
    if (raw == nullptr) return array_.RemoveNodata(whole).status();
    ZARR_ASSIGN_OR_RETURN(const auto element, nodata_.Stored(raw));
    const std::string warning =
        element ? array_.FilterWarning(*element)
                : NodataOutOfRange(CPLSPrintf("%.17g", nodata_.Number(raw)), values_.stored());
    if (!warning.empty()) EmitWarning(array_.Name(), warning);
    if (element) return array_.SetNodata(whole, *element).status();
    return array_.RemoveNodata(whole).status();
}

bool ZarrMDArray::SetRawNoDataValue(const void* pRawNoData) {
    return Guarded(session_->store_path(),
                   [&]() -> bool { return ChangeFacts([&] { return StoreNodata(pRawNoData); }); });
}

Status ZarrMDArray::WriteCrs(const OGRSpatialReference* srs,
                             const std::vector<std::string>& preferred_mappings) {
    ZARR_RETURN_IF_ERROR(CheckChange());
    ZARR_RETURN_IF_ERROR(ReadAttributes());
    const CoordinateArrays arrays(*session_->update(), {array_.path()}, OtherArrays::kAny);
    ZARR_ASSIGN_OR_RETURN(const GeoreferencingArrays written,
                          WritePosition({&array_}, arrays, {srs, std::nullopt, preferred_mappings},
                                        convention_, PositionParts::kCrs));
    ReadConventions();
    session_->NodesChanged();
    if (srs != nullptr && !written.grid_mapping.empty())
        session_->pending_grid_mappings().Add(array_.path(), *srs);
    return {};
}

bool ZarrMDArray::SetSpatialRef(const OGRSpatialReference* poSRS) {
    return Guarded(session_->store_path(), [&]() -> bool {
        if (!IsWritable()) return GDALPamMDArray::SetSpatialRef(poSRS);
        const bool is_some = poSRS != nullptr && !poSRS->IsEmpty();
        const Status status = WriteCrs(is_some ? poSRS : nullptr, {});
        if (status.ok()) {
            if (GDALPamMDArray::GetSpatialRef() != nullptr) GDALPamMDArray::SetSpatialRef(nullptr);
            georeferencing_.Reset();
        }
        return Report(status);
    });
}

// ---------------------------------------------------------------------------------------------
// Attributes, name and shape

std::shared_ptr<GDALAttribute> ZarrMDArray::CreateAttribute(
    const std::string& osName, const std::vector<GUInt64>& anDimensions,
    const GDALExtendedDataType& oDataType, CSLConstList /*papszOptions*/) {
    return Guarded(session_->store_path(), [&]() -> std::shared_ptr<GDALAttribute> {
        const Status status = CheckChange();
        if (!status.ok()) {
            Report(status);
            return nullptr;
        }
        auto created = CreateNodeAttribute(session_, array_.path(), GetFullName(), osName,
                                           anDimensions, oDataType, HasMeaning(osName));
        if (created.ok()) return created.Take();
        Report(created.status());
        return nullptr;
    });
}

bool ZarrMDArray::DeleteAttribute(const std::string& osName, CSLConstList /*papszOptions*/) {
    return Guarded(session_->store_path(), [&]() -> bool {
        return Try([&] { return DeleteNodeAttribute(*session_, array_.path(), osName); });
    });
}

bool ZarrMDArray::Rename(const std::string& osNewName) {
    return Guarded(session_->store_path(), [&]() -> bool {
        return Try([&] {
            return osNewName == GetName() ? Status()
                                          : RenameNode(*session_, array_.path(), osNewName);
        });
    });
}

bool ZarrMDArray::Resize(const std::vector<GUInt64>& anNewDimSizes, CSLConstList /*papszOptions*/) {
    return Guarded(session_->store_path(), [&]() -> bool {
        return Try([&] { return SetShape(*session_, array_.path(), dimensions_, anNewDimSizes); });
    });
}

// ---------------------------------------------------------------------------------------------
// Statistics, which GDAL keeps beside the array

CPLErr ZarrMDArray::GetStatistics(bool bApproxOK, bool bForce, double* pdfMin, double* pdfMax,
                                  double* pdfMean, double* pdfStdDev, GUInt64* pnValidCount,
                                  GDALProgressFunc pfnProgress, void* pProgressData) {
    return Guarded(session_->store_path(), [&]() -> CPLErr {
        session_->DropOldStatistics();
        return GDALPamMDArray::GetStatistics(bApproxOK, bForce, pdfMin, pdfMax, pdfMean, pdfStdDev,
                                             pnValidCount, pfnProgress, pProgressData);
    });
}

bool ZarrMDArray::SetStatistics(ZARR_SET_STATISTICS_PARAMETERS) {
    return Guarded(session_->store_path(), [&]() -> bool {
        // Statistics count as outdated if the PAM file is older than the array. Writing the file
        // would make all statistics in it seem current, so outdated statistics are removed first.
        session_->DropOldStatistics();
        if (!GDALPamMDArray::SetStatistics(ZARR_SET_STATISTICS_ARGUMENTS)) return false;
        static constexpr OptionText kUpdate{"UPDATE_METADATA", "boolean", "NO", ""};
        const auto given = FindOption("option ", ZARR_STATISTICS_OPTIONS, kUpdate);
        const bool is_wanted = given && CPLTestBool(given->text);
        if (!is_wanted || bApproxStats || !IsWritable()) return true;
        return Try([&] {
            return ChangeAttribute("actual_range", ActualRange(values_.stored(), dfMin, dfMax));
        });
    });
}

}  // namespace zarr_driver
