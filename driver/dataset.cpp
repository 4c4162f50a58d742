// SPDX-License-Identifier: MIT
#include "driver/dataset.h"

#include <algorithm>

#include "core/store/keys.h"
#include "driver/band.h"
#include "driver/builtin_driver.h"
#include "driver/guard.h"
#include "driver/metadata_text.h"
#include "driver/report.h"

namespace zarr_driver {

ZarrDataset::ZarrDataset(const std::string& name, Location location, OpenOptions options)
    : location_(std::move(location)), options_(std::move(options)) {
    eAccess = GA_ReadOnly;
    // Whoever was asked to open it.
    poDriver = GetGDALDriverManager()->GetDriverByName(kDriverName);
    SetDescription(name.c_str());
}

void ZarrDataset::AddArray(RasterLayout layout, bool array_names_bands) {
    nRasterXSize = layout.Width();
    nRasterYSize = layout.Height();
    arrays_.push_back(std::make_unique<BandArray>());
    BandArray& array = *arrays_.back();
    array.layout = std::move(layout);
    array.attributes_before = array.layout.facts.attributes;
    zarr::Warnings warnings = array.layout.facts.warnings;
    array.listing = zarr::LevelListings(*location_.hierarchy).Find(array.layout.facts.path);
    array.channels = OmeChannels(array.layout, array.listing, warnings);
    array.labels = std::make_unique<SliceLabels>(location_.hierarchy, array.layout, array.channels,
                                                 location_.store_path, options_);
    EmitWarnings(store_path() + ": /" + array.layout.facts.path, warnings);
    array.activity = std::make_unique<ArrayActivity>(store_path(), array.layout.array);
    if (array.layout.facts.colour_axis) TellImage(store_path(), array.layout.facts);
    const std::string array_name(zarr::LastName(array.layout.facts.path));
    if (array.layout.BandCount() > kMaxBands) {
        EmitWarning(store_path() + ": /" + array.layout.facts.path,
                    std::to_string(array.layout.BandCount()) + " slices are more than the " +
                        std::to_string(kMaxBands) +
                        " bands of a dataset, so it has none; open a slice by its name, such as " +
                        FormatConnectionString(store_path(), array.layout.facts.path,
                                               array.layout.SliceIndices(0)));
        return;
    }
    for (std::uint64_t slice = 0; slice < array.layout.slices; ++slice) {
        for (const ScalarField& field : array.layout.fields) {
            std::string description = array_names_bands ? array_name : "";
            if (!field.name.empty()) description += (description.empty() ? "" : ".") + field.name;
            SetBand(nBands + 1,
                    new ZarrRasterBand(this, nBands + 1, array, slice, field, description));
        }
    }
}

void ZarrDataset::AddSubdataset(const std::string& name, const std::string& description) {
    const std::string prefix = "SUBDATASET_" + std::to_string(subdatasets_.size() / 2 + 1);
    subdatasets_.AddNameValue((prefix + "_NAME").c_str(), name.c_str());
    subdatasets_.AddNameValue((prefix + "_DESC").c_str(), description.c_str());
}

void ZarrDataset::Finish(const OpenedAs& opened) {
    CPLStringList& list = stored_metadata_;
    const bool is_array = location_.kind == zarr::NodeKind::kArray;
    const std::string group =
        is_array ? std::string(zarr::ParentPath(location_.node)) : location_.node;
    // What an image says is said of its levels, too, that do not lie directly in it.
    if (is_array && arrays_.size() == 1 && arrays_[0]->listing.is_listed() &&
        arrays_[0]->listing.group != group)
        AddAttributes(*arrays_[0]->listing.attributes, list);
    if (!is_array || !location_.node.empty()) {  // an array that is the whole store has no group
        const auto attributes = location_.hierarchy->Attributes(group);
        if (attributes.ok())
            AddAttributes(*attributes, list);
        else
            EmitWarning(store_path(), attributes.status().message());
    }
    if (arrays_.size() == 1) AddAttributes(arrays_[0]->layout.facts.attributes, list);
    if (!arrays_.empty()) AddOmeUnits(arrays_[0]->layout, arrays_[0]->listing, list);
    // Past PAM: what comes from the store is not to be written beside it.
    GDALDataset::SetMetadata(list.List());
    GDALDataset::SetMetadata(subdatasets_.List(), "SUBDATASETS");
    if (nBands > 1) {
        const RasterLayout& layout = arrays_[0]->layout;
        const bool interleaved = arrays_.size() == 1 && !layout.other_axes.empty() &&
                                 layout.other_axes.back() == layout.facts.metadata.rank() - 1;
        GDALDataset::SetMetadataItem("INTERLEAVE", interleaved ? "PIXEL" : "BAND",
                                     "IMAGE_STRUCTURE");
    }
    LoadSidecars(opened);
    activity_ = std::make_unique<StoreActivity>(store_path(), location_.hierarchy);
    const auto number = [](std::size_t count) { return std::to_string(count); };
    activity_->Opened("/" + location_.node + " as " + std::to_string(nRasterXSize) + " x " +
                      std::to_string(nRasterYSize) + " pixels (bands: " + std::to_string(nBands) +
                      ", overviews: " + number(levels_.size()) + ", subdatasets: " +
                      number(static_cast<std::size_t>(subdatasets_.size()) / 2) + ")");
}

ZarrRasterBand* ZarrDataset::Band(int number) {
    return static_cast<ZarrRasterBand*>(GetRasterBand(number));
}

bool ZarrDataset::BandsHaveArrays() const { return arrays_.size() > 1; }

// ---------------------------------------------------------------------------------------------
// Pixels of several bands

namespace {

// How many of the `count` bands, from the first on, are slices of one array at a constant step
// along one dimension, so that one read of the array serves them all. At least 1. Sets what Window
// needs.
int CountRun(ZarrRasterBand* const* bands, int count, ZarrRasterBand::Window& window) {
    window.slice_count = 1;
    const ZarrRasterBand& first = *bands[0];
    for (int i = 1; i < count; ++i) {
        const ZarrRasterBand& next = *bands[i];
        const ZarrRasterBand& last = *bands[i - 1];
        if (&next.array() != &first.array() || &next.field() != &first.field()) break;
        std::size_t differing = 0;
        for (std::size_t axis = 0; axis < next.indices().size(); ++axis) {
            if (next.indices()[axis] == last.indices()[axis]) continue;
            const auto step = static_cast<std::int64_t>(next.indices()[axis]) -
                              static_cast<std::int64_t>(last.indices()[axis]);
            ++differing;
            if (i == 1) {
                window.axis = axis;
                window.slice_step = step;
            } else if (axis != window.axis || step != window.slice_step) {
                ++differing;
            }
        }
        if (differing != 1) break;
        ++window.slice_count;
    }
    return static_cast<int>(window.slice_count);
}

}  // namespace

CPLErr ZarrDataset::IRasterIO(GDALRWFlag eRWFlag, int nXOff, int nYOff, int nXSize, int nYSize,
                              void* pData, int nBufXSize, int nBufYSize, GDALDataType eBufType,
                              int nBandCount, int* panBandMap, GSpacing nPixelSpace,
                              GSpacing nLineSpace, GSpacing nBandSpace,
                              GDALRasterIOExtraArg* psExtraArg) {
    return Guarded(store_path(), [&]() -> CPLErr {
        // Of several bands each is written by itself: blocks that GDAL holds are each band's own.
        if (eRWFlag != GF_Read || nXSize != nBufXSize || nYSize != nBufYSize || update_ != nullptr)
            return GDALPamDataset::IRasterIO(eRWFlag, nXOff, nYOff, nXSize, nYSize, pData,
                                             nBufXSize, nBufYSize, eBufType, nBandCount, panBandMap,
                                             nPixelSpace, nLineSpace, nBandSpace, psExtraArg);
        std::vector<ZarrRasterBand*> bands;
        bands.reserve(static_cast<std::size_t>(nBandCount));
        for (int i = 0; i < nBandCount; ++i) bands.push_back(Band(panBandMap[i]));
        for (int done = 0; done < nBandCount;) {
            ZarrRasterBand::Window window{};
            window.x_off = nXOff;
            window.y_off = nYOff;
            window.x_size = nXSize;
            window.y_size = nYSize;
            const int run = CountRun(bands.data() + done, nBandCount - done, window);
            const CPLErr error = bands[static_cast<std::size_t>(done)]->ReadWindow(
                window, static_cast<GByte*>(pData) + nBandSpace * done, eBufType, nPixelSpace,
                nLineSpace, nBandSpace);
            if (error != CE_None) return error;
            done += run;
            if (psExtraArg != nullptr && psExtraArg->pfnProgress != nullptr &&
                !psExtraArg->pfnProgress(static_cast<double>(done) / nBandCount, "",
                                         psExtraArg->pProgressData))
                return CE_Failure;
        }
        return CE_None;
    });
}

}  // namespace zarr_driver
