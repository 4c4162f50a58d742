// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_pam.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/array/chunk_files.h"
#include "core/base/status.h"
#include "core/conventions/attributes/fingerprint.h"
#include "driver/base/debug_log.h"
#include "driver/base/open_options.h"
#include "driver/overviews/overview_builder.h"
#include "driver/overviews/overviewable_dataset.h"
#include "driver/raster/band_array.h"
#include "driver/raster/builtin_pam.h"
#include "driver/raster/source_arrays.h"
#include "driver/raster/stored_pam.h"
#include "driver/store/open_node.h"
#include "driver/store/sidecars.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

class ZarrRasterBand;

// Describes how a user has opened a dataset.
struct OpenedAs {
    std::vector<std::uint64_t> indices;  // indices of the opened slice
    bool is_by_path = true;              // the user gave only the path of the store
    bool is_new = false;                 // the dataset has just been created
};

// Base class that stores the parts of GDAL's metadata (PAM) that Zarr cannot express: in an
// attribute of the store (see stored_pam.h), or in sidecar files with overviews and masks (see
// sidecars.h). Statistics, overviews and masks are ignored if the pixels have changed since they
// were made.
class ZarrPamDataset : public OverviewableDataset {
  public:
    ZarrRasterBand* Band(int number);  // from 1
    // True if the dataset has several arrays. The attributes of an array then describe its bands
    // and not the dataset.
    bool BandsHaveArrays() const;
    // Returns the names of an array's bands; an unnamed band has an empty name. Reads the
    // coordinates along the bands if they are text.
    std::vector<std::string> BandNames(const BandArray& array);
    bool IsPamDirty() const { return (nPamFlags & GPF_DIRTY) != 0; }
    // True if the dataset shows all pixels of its arrays. The options NORTH_UP, WRAP_LONGITUDE and
    // FILL_VALUE_AS_NODATA may be set.
    bool ShowsWholeNode() const;
    // Removes the statistics of all bands. Call before pixels change.
    void OnPixelsChange();
    // Removes stored statistics that were computed from earlier pixels than the present ones. Call
    // before statistics are used. The check lists chunks, so it is not done at opening.
    void CheckStatistics();
    // Records from which pixels statistics of a band are computed. Call before the pixels are read:
    // another process may change them before the statistics are saved.
    void BeforeStatistics(ZarrRasterBand& band);
    // Records that a user or GDAL has set statistics of a band of `array`, so that they are saved.
    void OnStatisticsSet(const BandArray& array);
    // Lets statistics of `array` stay valid although its absent chunks were stored.
    void OnAbsentChunksStored(const BandArray& array) { chunks_of_statistics_.erase(&array); }
    // Sets what new statistics and overviews record of the pixels. See zarr::BaseSamples.
    void UseSamples(zarr::BaseSamples samples) { samples_ = samples; }
    // Calls `make`, which lets GDAL create a mask file. During the call the dataset is called
    // `sidecar_base_`, because GDAL derives the file name from the name of the dataset.
    CPLErr MakeMask(const std::function<CPLErr()>& make);

    std::vector<const RasterLayout*> Layouts() const override;
    const RasterLayout& LayoutOf(int number) override;
    char** GetFileList() override;

  protected:
    using OverviewableDataset::OverviewableDataset;

    // True if NORTH_UP or WRAP_LONGITUDE changes the order of rows or columns. The check may read
    // the georeferencing.
    virtual bool ArePixelsMoved() = 0;
    // Writes the pixels that this dataset has changed to the store.
    virtual zarr::Status FlushPixels() = 0;
    // Loads PAM, overviews and masks from the store and from sidecar files. Call after all bands
    // are added.
    void LoadSidecars(const OpenedAs& opened);
    // Moves changed PAM into attributes of the arrays if IsWholeNode() is true. The caller must
    // write the attributes.
    zarr::Status StorePam();
    // Saves PAM that has changed. Emits errors, and returns false if an error occurred.
    bool SavePam();
    // True if the dataset shows whole arrays, without open options that change what it shows. Only
    // the PAM of such a dataset is valid for the arrays.
    bool IsWholeNode() const;
    // Enables PAM in memory, even if options forbid GDAL to write sidecar files, because an
    // attribute of the store can hold PAM.
    void EnablePam();
    // Builds or removes the overviews in the sidecar file (".ovr"). Emits errors.
    CPLErr BuildExternalOverviews(const OverviewRequest& request);
    // Returns the contents of the auxiliary file: what other handles have stored there since this
    // dataset was opened, with the changes of this dataset.
    CPLXMLNode* SerializeToXML(const char* pszPath) override;

    std::unique_ptr<StoreActivity> activity_;  // logs opening and requests; nullptr for overviews
    BandArrays arrays_;
    CPLStringList stored_metadata_;  // metadata items of the default domain that the store holds
    // Path of the sidecar files without the extension, such as ".ovr". See sidecars.h.
    std::string sidecar_base_;
    bool is_level_ = false;  // true for an overview or a mask
    bool has_mask_ = false;  // true if a mask file lies beside the store
    zarr::BaseSamples samples_ = zarr::BaseSamples::kSome;

  private:
    CPLStringList SiblingsFor(const AuxiliaryFile& plain, bool is_being_written) const;
    void LoadAuxiliary(const CPLStringList& siblings);
    void ReadState();
    // Returns the contents of the auxiliary file as this dataset knows them: the PAM that is not in
    // the store. nullptr if there is none. `fingerprints` are those of the arrays with statistics.
    XmlTree AuxiliaryPam(const std::map<const BandArray*, std::string>& fingerprints);
    SourceArrays Sources() const { return {address(), arrays_}; }
    bool AreStatisticsOfPixels(const BandArray& array);
    std::set<const BandArray*> ArraysWithStatistics();
    void ForgetStatisticsOf(const BandArray& array);
    std::map<const BandArray*, std::string> ForgetOutdatedStatistics(bool are_beside);
    void RecordChunks(const BandArray& array);
    OpenOptions EffectiveOptions() const;
    std::string SizeText() const;  // size of the raster as "COLUMNS x ROWS"
    void CheckPixelReferences(CPLXMLNode& tree);
    void LoadStoredPam();  // from the store's attributes
    XmlTree StoredPamOf(const BandArray& array);
    const BuiltinPamFile& BuiltinFileOf(const BandArray& array);
    std::vector<int> BandCounts();  // number of bands of each array
    void LoadMultidimPam();
    bool HasStatistics() { return !ArraysWithStatistics().empty(); }
    void ForgetStatistics();
    void LoadOverviewFile(const CPLStringList& siblings);
    void LoadMask(const CPLStringList& siblings);

    std::string dataset_id_;
    bool is_new_ = false;  // the dataset has just been created
    // PAM from the store's attributes; null if there is none. This PAM is not written to a sidecar
    // file, because a copy would hide later changes of the store.
    XmlTree stored_pam_;
    std::map<const BandArray*, BuiltinPamFile> builtin_files_;  // cached
    // PAM of the auxiliary file when it was loaded or written last; null if there was none.
    XmlTree auxiliary_pam_;
    // Fingerprints of loaded statistics, until CheckStatistics() compares them.
    std::map<const BandArray*, std::string> made_from_;
    // Time of the auxiliary file, in nanoseconds since 1970, if it holds statistics.
    std::optional<std::int64_t> statistics_written_;
    // Files of chunks from which the statistics of an array were computed, and the text of the
    // fingerprint, if it is known. Statistics of an array that is missing here count as computed
    // when they are saved.
    struct ChunksOfStatistics {
        zarr::ChunkFiles files;
        std::string text;
    };
    std::map<const BandArray*, ChunksOfStatistics> chunks_of_statistics_;
    // False if the statistics describe pixels that are still to be written.
    bool statistics_are_of_pixels_ = false;
    bool are_statistics_unchecked_ = false;  // true until CheckStatistics() is called
    std::string overviews_made_from_;  // SourceArrays::Record() for the overview file, if known
    std::string mask_made_from_;       // RecordOf() for the mask file; empty if none is named
    // True if new overviews go into another file than the present ones, which are outdated or of
    // GDAL's built-in driver.
    bool replaces_overviews_ = false;
    bool has_auxiliary_ = false;  // GDAL's auxiliary file exists beside the store
};

}  // namespace zarr_driver
