// SPDX-License-Identifier: MIT
#include "driver/multidim/mdim_array.h"

#include <cpl_string.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "core/conventions/array_facts.h"
#include "core/conventions/attributes.h"
#include "core/conventions/band_lists.h"
#include "core/conventions/crs_sources.h"
#include "core/conventions/geolocation.h"
#include "core/conventions/multiscales.h"
#include "core/conventions/nczarr.h"
#include "core/conventions/nodata.h"
#include "core/conventions/ome.h"
#include "core/dtype/fill_value.h"
#include "core/metadata/fill_meaning.h"
#include "core/store/keys.h"
#include "driver/base/exception_guard.h"
#include "driver/base/gdal_compat.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/metadata_text.h"
#include "driver/georef/georeferencing_write.h"
#include "driver/georef/raster_layout.h"
#include "driver/multidim/dimension_registry.h"
#include "driver/multidim/extended_type.h"
#include "driver/multidim/mdim_attribute.h"
#include "driver/multidim/mdim_dimension.h"
#include "driver/multidim/mdim_session.h"
#include "driver/multidim/node_editing.h"
#include "driver/raster/raster_open.h"

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
    std::shared_ptr<ZarrMDArray> opened(
        new ZarrMDArray(std::move(session), std::move(facts), std::move(array), *type));
    DescribeStorage(*opened->values_.array(), listing, opened->structural_info_);
    opened->SetSelf(opened);
    return opened;
}

ZarrMDArray::ZarrMDArray(std::shared_ptr<MdimSession> session, zarr::ArrayFacts facts,
                         std::shared_ptr<const zarr::Array> array, const GDALExtendedDataType& type)
    : GDALAbstractMDArray(session->GroupName(std::string(zarr::ParentPath(facts.path))),
                          session->ArrayName(facts.path)),
      GDALPamMDArray(session->GroupName(std::string(zarr::ParentPath(facts.path))),
                     session->ArrayName(facts.path), session->pam()),
      session_(std::move(session)),
      facts_(std::move(facts)),
      values_(*session_, std::move(array), StoredType(facts_)),
      type_(type) {
    activity_ = std::make_unique<ArrayActivity>(session_->store_path(), values_.array());
    OrderDimensions();
    for (const std::size_t i : shown_) dimensions_.push_back(session_->dimensions().Of(facts_, i));
    DescribeCodecs(facts_.metadata, structural_info_);
    ReadConventions();
}

bool ZarrMDArray::HasElements() const {
    return std::all_of(dimensions_.begin(), dimensions_.end(),
                       [](const auto& dimension) { return dimension->GetSize() != 0; });
}

void ZarrMDArray::OrderDimensions() {
    const std::size_t rank = facts_.dimensions.size() - (values_.are_characters() ? 1 : 0);
    const bool may_move = !IsWritable() && !session_->keeps_stored_order();
    bool is_empty = false;
    for (std::size_t i = 0; i < rank; ++i) {
        const bool moves = facts_.dimensions[i].size == 0 && may_move;
        if (!moves)
            shown_.push_back(i);
        else if (!is_empty)
            shown_.insert(shown_.begin(), i);
        if (moves && (is_empty || i != 0)) has_stored_order_ = false;
        is_empty = is_empty || moves;
    }
}

ZarrMDArray::~ZarrMDArray() {
    Guarded(session_->store_path(), [&] { FreeNodata(); });
}

void ZarrMDArray::FreeNodata() {
    if (!nodata_.empty()) type_.FreeDynamicMemory(nodata_.data());
    nodata_.clear();
}

Status ZarrMDArray::CheckThere() const {
    if (!is_deleted_) return {};
    return Status::Invalid("/" + facts_.path + ": the array has been deleted");
}

void ZarrMDArray::ReadConventions() {
    zarr::Warnings warnings;
    packing_ = zarr::ReadPacking(facts_.attributes).Report(warnings);
    EmitWarnings(session_->store_path() + ": /" + facts_.path, warnings);
    units_ = zarr::UnitsOf(values_.stored(), packing_);
    ReadNodata();
    if (!IsWritable()) attributes_ = ListedAttributes();
}

std::vector<std::shared_ptr<GDALAttribute>> ZarrMDArray::ListedAttributes() const {
    // GetUnit() cannot show units that differ between bands, so their list is shown.
    const bool has_units =
        !units_.empty() || facts_.attributes.Find(zarr::kUnitsOfBands) == nullptr;
    const auto is_hidden = [&](std::string_view name) {
        return IsHidden(name) && (has_units || name != zarr::kUnitsOfBands);
    };
    auto list = ListAttributes(session_, facts_.path, GetFullName(), facts_.attributes, is_hidden);
    // In CF, time units are ambiguous without the attribute "calendar". An array of NumPy dates
    // without this attribute therefore gets an attribute with NumPy's calendar in the list of
    // attributes.
    const bool is_datetime = values_.stored().kind == zarr::DataKind::kDatetime;
    if (is_datetime && facts_.attributes.Find("calendar") == nullptr) {
        auto calendar = ZarrAttribute::Make(GetFullName(), "calendar",
                                            zarr::json::Value("proleptic_gregorian"));
        calendar->Attach(session_, facts_.path);
        list.push_back(std::move(calendar));
    }
    return list;
}

void ZarrMDArray::ReadNodata() {
    FreeNodata();
    if (values_.are_characters()) return;
    zarr::Warnings warnings;
    const zarr::ArrayMetadata& metadata = facts_.metadata;
    zarr::FillAsNodata fill = session_->options().fill_value_as_nodata;
    const zarr::Hierarchy& hierarchy = *session_->location().hierarchy;
    // In an OME image, a fill value of zero is not taken as nodata by default, because zeros are
    // black pixels. The raster API has the same rule.
    if (fill == zarr::FillAsNodata::kAuto && metadata.fill_value.is_zero() &&
        zarr::IsOmeImage(zarr::ListingOf(hierarchy, facts_.path), metadata.rank()))
        fill = zarr::FillAsNodata::kNo;
    const auto element =
        zarr::ReadNodata(session_->stored_hierarchy(), facts_, fill).Report(warnings);
    if (element && !zarr::NodataOfBands(facts_.attributes, metadata).empty())
        warnings.emplace_back(
            "attribute nodatavals: differs between the bands; the array has the nodata value of "
            "the first band");
    EmitWarnings(session_->store_path() + ": /" + facts_.path, warnings);
    // A boolean has no nodata value, because both of its values are data. An empty string is no
    // nodata value, because it is the initial value of a new array.
    if (!element || values_.stored().kind == zarr::DataKind::kBool) return;
    const bool is_text = type_.GetClass() == GEDTC_STRING;
    if (is_text && element->is_zero()) return;
    // A fill value of more than 1 MiB is not used as a nodata value.
    constexpr std::size_t kLongest = std::size_t{1} << 20;
    if (element->size() > kLongest) return;
    const zarr::DataType native = values_.stored().Native();
    const auto op = ExtendedConverter::Make(native, type_);
    if (!op.ok()) return;
    const std::string bytes = element->Bytes();
    zarr::ObjectRef ref{bytes.data(), bytes.size()};
    const auto* from = values_.stored().kind == zarr::DataKind::kObject
                           ? reinterpret_cast<const std::uint8_t*>(&ref)
                           : reinterpret_cast<const std::uint8_t*>(bytes.data());
    nodata_.resize(type_.GetSize());
    (*op)->op().row((*op)->op(), nodata_.data(), 0, from, 0, 1);
}

void ZarrMDArray::AttributeChanged(const std::string& name, zarr::json::Value attributes) {
    facts_.attributes =
        zarr::InterpretAttributes(session_->stored_hierarchy(), facts_, std::move(attributes))
            .value;
    if (HasMeaning(name)) ReadConventions();
}

const std::string& ZarrMDArray::GetFilename() const noexcept { return session_->store_path(); }

std::vector<GUInt64> ZarrMDArray::GetBlockSize() const {
    return Guarded(session_->store_path(), [&]() -> std::vector<GUInt64> {
        std::vector<GUInt64> sizes;
        for (const std::size_t i : shown_) sizes.push_back(facts_.metadata.chunks[i]);
        return sizes;
    });
}

std::vector<size_t> ZarrMDArray::GetProcessingChunkSize(size_t nMaxChunkMemory) const {
    return Guarded(session_->store_path(), [&]() -> std::vector<size_t> {
        if (HasElements()) return GDALPamMDArray::GetProcessingChunkSize(nMaxChunkMemory);
        std::vector<size_t> sizes;
        for (std::size_t i = 0; i < shown_.size(); ++i)
            sizes.push_back(static_cast<size_t>(std::min<std::uint64_t>(
                dimensions_[i]->GetSize(), facts_.metadata.chunks[shown_[i]])));
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
    return Guarded(session_->store_path(),
                   [&]() -> const void* { return nodata_.empty() ? nullptr : nodata_.data(); });
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
            status = Status::Unsupported("/" + facts_.path +
                                         ": texts stored as netCDF characters are read-only");
        if (!status.ok()) return Report(status);
        is_new_ = false;
        try {
            ForgetStatistics();
            status = values_.Write({facts_.metadata.rank(), arrayStartIdx, count, arrayStep,
                                    bufferStride, bufferDataType},
                                   static_cast<const std::uint8_t*>(pSrcBuffer));
        } catch (const std::bad_alloc&) {
            status = Status::OutOfMemory("out of memory");
        }
        const bool names_itself = status.message().compare(0, facts_.path.size(), facts_.path) == 0;
        return Report(names_itself ? status : status.WithContext("/" + facts_.path));
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
        if (facts_.metadata.rank() < 2 || values_.are_characters()) return Georeferencing();
        const OpenOptions& options = session_->options();
        Georeferencing placed =
            ReadGeoreferencing(session_->hierarchy(), facts_, session_->store_path(),
                               {options.assume_longlat, false, false, options.threads, {}});
        EmitWarnings(session_->store_path() + ": /" + facts_.path, placed.warnings);
        return placed;
    });
}

// True if a user has set a CRS in PAM, GDAL's saved metadata. False if PAM only repeats the store's
// CRS, or if the store is remote, where users cannot set one.
bool ZarrMDArray::IsSetByUser() const {
    const auto never = [] { return std::numeric_limits<std::int64_t>::max(); };
    return !ReadMultidimPam(session_->store_path(), facts_.path, never).crs.empty();
}

std::shared_ptr<OGRSpatialReference> ZarrMDArray::GetSpatialRef() const {
    return Guarded(session_->store_path(), [&]() -> std::shared_ptr<OGRSpatialReference> {
        auto from_pam = GDALPamMDArray::GetSpatialRef();
        if (from_pam != nullptr && IsSetByUser()) return from_pam;
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
        const int x = number_of(*facts_.axes.x);
        const int y = number_of(*facts_.axes.y);
        std::vector<int> mapping = srs->GetDataAxisToSRSAxisMapping();
        for (int& axis : mapping) axis = axis == 1 ? x : axis == 2 ? y : 0;
        mapping.resize(2);
        srs->SetDataAxisToSRSAxisMapping(mapping);
        return srs;
    });
}

// Returns the paths of the coordinates that the attribute `coordinates` names, without grid
// mappings. If it names none, those of longitudes and latitudes of each pixel.
std::vector<std::string> ZarrMDArray::CoordinatePaths() const {
    const zarr::Hierarchy& hierarchy = session_->hierarchy();
    const std::string group(zarr::ParentPath(facts_.path));
    std::vector<std::string> words = zarr::WordsAttribute(facts_.attributes, "coordinates");
    std::vector<std::string> paths;
    std::vector<std::string> mappings;
    if (!words.empty()) mappings.push_back(zarr::FindGridMapping(hierarchy, facts_).value);
    for (const std::string& name : zarr::GridMappingNames(facts_.attributes))
        if (!words.empty()) mappings.push_back(zarr::FindVariable(hierarchy, group, name));
    for (const std::string& name : words) {
        std::string path = zarr::FindVariable(hierarchy, group, name);
        if (!path.empty() && std::find(mappings.begin(), mappings.end(), path) == mappings.end())
            paths.push_back(std::move(path));
    }
    if (!words.empty() || facts_.metadata.rank() < 2) return paths;
    const auto located = zarr::FindGeolocation(hierarchy, facts_).value;
    if (located && !located->is_along_axes && located->kind == zarr::Geolocation::Kind::kLongLat)
        paths = {located->y.facts.path, located->x.facts.path};
    return paths;
}

std::vector<std::shared_ptr<GDALMDArray>> ZarrMDArray::GetCoordinateVariables() const {
    return Guarded(session_->store_path(), [&]() -> std::vector<std::shared_ptr<GDALMDArray>> {
        std::vector<std::shared_ptr<GDALMDArray>> variables;
        for (const std::string& path : CoordinatePaths()) {
            auto array = session_->OpenArray(path);
            if (array.ok())
                variables.push_back(*array);
            else
                EmitError(session_->store_path(), array.status());
        }
        return variables;
    });
}

GDALDataset* ZarrMDArray::AsClassicDataset(ZARR_AS_CLASSIC_PARAMETERS) const {
    return Guarded(session_->store_path(), [&]() -> GDALDataset* {
        for (const auto& dimension : dimensions_) {
            if (dimension->GetSize() != 0) continue;
            EmitError(session_->store_path(),
                      zarr::Status::Unsupported(
                          "/" + facts_.path + ": dimension " + dimension->GetName() +
                          " is empty (shape 0), and GDAL has no empty rasters"));
            return nullptr;
        }
        const bool is_its_raster = facts_.metadata.rank() >= 2 && !values_.are_characters() &&
                                   facts_.axes.x == iXDim && facts_.axes.y == iYDim &&
                                   (GDALPamMDArray::GetSpatialRef() == nullptr || !IsSetByUser());
        std::uint64_t slices = 1;
        for (std::size_t i = 0; i < facts_.metadata.rank(); ++i)
            if (i != iXDim && i != iYDim) slices *= facts_.metadata.shape[i];
        // If the array would have more bands than GDAL allows, GDAL's own AsClassicDataset() is
        // called below, which emits the error.
        const bool is_own = is_its_raster && slices <= kMaxBands && ZARR_AS_CLASSIC_IS_PLAIN;
        // If the array is open for update, its raster is opened for update, too. Overviews of the
        // raster are then stored in the Zarr store and not in a file beside it.
        if (is_own && session_->update() != nullptr && !facts_.path.empty())
            return OpenForUpdate().release();
        if (is_own) {
            Location location = session_->location();
            location.node = facts_.path;
            location.kind = zarr::NodeKind::kArray;
            OpenOptions options = session_->options();
            options.multiband = true;
            options.dim_x.clear();
            options.dim_y.clear();
            const std::string name = FormatConnectionString(location.address, location.node);
            auto dataset = OpenRaster(name, location, {}, options);
            if (dataset.ok()) {
                (*dataset)->Finish({{}, false});
                return dataset->release();
            }
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
    ZARR_RETURN_IF_ERROR(session_->CheckUpdate().WithContext("/" + facts_.path));
    return CheckThere();
}

void ZarrMDArray::Created(std::vector<std::shared_ptr<ZarrDimension>> dimensions,
                          GeoreferencingForm convention) {
    convention_ = convention;
    dimensions_.assign(dimensions.begin(), dimensions.end());
    is_new_ = true;
}

Status ZarrMDArray::Reload(const std::string& path) {
    ZARR_ASSIGN_OR_RETURN(zarr::ArrayFacts facts, zarr::DescribeArray(session_->hierarchy(), path));
    ZARR_ASSIGN_OR_RETURN(auto array, session_->hierarchy().OpenArray(path));
    values_.SetArray(std::move(array));
    activity_ = std::make_unique<ArrayActivity>(session_->store_path(), values_.array());
    facts_ = std::move(facts);
    m_osName = session_->ArrayName(path);
    m_osFullName = session_->ArrayFullName(path);
    georeferencing_.Reset();
    level_paths_.Reset();
    return {};
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
        auto created = CreateNodeAttribute(session_, facts_.path, GetFullName(), osName,
                                           anDimensions, oDataType, HasMeaning(osName));
        if (created.ok()) return created.Take();
        Report(created.status());
        return nullptr;
    });
}

bool ZarrMDArray::DeleteAttribute(const std::string& osName, CSLConstList /*papszOptions*/) {
    return Guarded(session_->store_path(), [&]() -> bool {
        const Status status = CheckChange();
        return Report(status.ok() ? DeleteNodeAttribute(*session_, facts_.path, osName) : status);
    });
}

bool ZarrMDArray::Rename(const std::string& osNewName) {
    return Guarded(session_->store_path(), [&]() -> bool {
        const Status status = CheckChange();
        if (!status.ok() || osNewName == GetName()) return Report(status);
        return Report(RenameNode(*session_, facts_.path, osNewName));
    });
}

Status ZarrMDArray::ChangeShape(const std::vector<GUInt64>& shape) {
    ZARR_RETURN_IF_ERROR(CheckChange());
    if (shape.size() != dimensions_.size())
        return Status::Invalid("/" + facts_.path + ": expected " +
                               std::to_string(dimensions_.size()) + " sizes, got " +
                               std::to_string(shape.size()));
    std::map<ZarrDimension*, std::uint64_t> sizes;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const auto& dimension = dimensions_[i];
        if (shape[i] > static_cast<GUInt64>(INT64_MAX))
            return Status::Invalid("/" + facts_.path + ": dimension " + dimension->GetName() +
                                   ": expected a size of at most " + std::to_string(INT64_MAX) +
                                   ", got " + std::to_string(shape[i]));
        const auto [known, is_first] =
            sizes.emplace(static_cast<ZarrDimension*>(dimension.get()), shape[i]);
        if (!is_first && known->second != shape[i])
            return Status::Invalid("/" + facts_.path + ": dimension " + dimension->GetName() +
                                   " is given two sizes, " + std::to_string(known->second) +
                                   " and " + std::to_string(shape[i]));
    }
    for (auto it = sizes.begin(); it != sizes.end();)
        it = it->first->GetSize() == it->second ? sizes.erase(it) : std::next(it);
    return sizes.empty() ? Status() : ResizeDimensions(*session_, sizes);
}

bool ZarrMDArray::Resize(const std::vector<GUInt64>& anNewDimSizes, CSLConstList /*papszOptions*/) {
    return Guarded(session_->store_path(),
                   [&]() -> bool { return Report(ChangeShape(anNewDimSizes)); });
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

// Returns the value of CF's attribute `actual_range`: the minimum `least` and the maximum `most`,
// as integers if the array has integers.
json::Value ZarrMDArray::ActualRange(double least, double most) const {
    const bool is_integer = values_.stored().kind == zarr::DataKind::kInt ||
                            values_.stored().kind == zarr::DataKind::kUint;
    constexpr double kExact = 9007199254740992.0;  // 2^53
    const auto number = [&](double value) {
        return is_integer && std::abs(value) <= kExact
                   ? json::Value(static_cast<std::int64_t>(value))
                   : json::Value(value);
    };
    return json::Value(json::Array{number(least), number(most)});
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
        return Report(ChangeAttribute("actual_range", ActualRange(dfMin, dfMax)));
    });
}

}  // namespace zarr_driver
