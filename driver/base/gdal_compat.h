// SPDX-License-Identifier: MIT
// Macros and constants for all differences between GDAL versions that affect the driver.
#pragma once

#include <cpl_port.h>
#include <gdal.h>
#include <gdal_priv.h>
#include <gdal_version.h>

namespace zarr_driver {

// Raster data types that later GDAL versions added. Each constant is GDT_Unknown if this GDAL
// version lacks the type.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 7, 0)
inline constexpr GDALDataType kGdalInt8 = GDT_Int8;
#else
inline constexpr GDALDataType kGdalInt8 = GDT_Unknown;
#endif

// True if the item PIXELTYPE says that the bytes of a band are signed. GDAL versions without Int8
// use this item. Later versions warn if the item is requested, so it is not requested there.
inline bool HasSignedPixelType(GDALRasterBand& band) {
    if (kGdalInt8 != GDT_Unknown) return false;
    const char* const item = band.GetMetadataItem("PIXELTYPE", "IMAGE_STRUCTURE");
    return item != nullptr && EQUAL(item, "SIGNEDBYTE");
}

#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 11, 0)
inline constexpr GDALDataType kGdalFloat16 = GDT_Float16;
#else
inline constexpr GDALDataType kGdalFloat16 = GDT_Unknown;
#endif

// Colour interpretations for bands of optical satellites. Each constant is GCI_Undefined if this
// GDAL version lacks the interpretation.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 10, 0)
inline constexpr GDALColorInterp kGdalCoastal = GCI_CoastalBand;
inline constexpr GDALColorInterp kGdalRedEdge = GCI_RedEdgeBand;
inline constexpr GDALColorInterp kGdalNearInfrared = GCI_NIRBand;
inline constexpr GDALColorInterp kGdalShortWave = GCI_SWIRBand;
#else
inline constexpr GDALColorInterp kGdalCoastal = GCI_Undefined;
inline constexpr GDALColorInterp kGdalRedEdge = GCI_Undefined;
inline constexpr GDALColorInterp kGdalNearInfrared = GCI_Undefined;
inline constexpr GDALColorInterp kGdalShortWave = GCI_Undefined;
#endif

// Capability that GDAL requires since version 3.11 for the creation option APPEND_SUBDATASET.
inline constexpr const char* kCreatesSubdatasets = "DCAP_CREATE_SUBDATASETS";

// Says which open flags GDAL passes to Identify() for a dataset that a copy would overwrite. True:
// the flags of all dataset kinds. False: no flags.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 7, 0)
inline constexpr bool kIdentifiesWithAllKinds = true;
#else
inline constexpr bool kIdentifiesWithAllKinds = false;
#endif

// NULL-terminated list of NAME=VALUE: the type that GetMetadata() returns and Create() takes.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 13, 0)
using NameValueList = CSLConstList;
#else
using NameValueList = char**;
#endif

// Removes the statistics of an array from the PAM data of a multidimensional dataset. Later GDAL
// versions distinguish arrays of equal names by a context, which is empty here.
template <class Pam>
auto ClearStatisticsOf(Pam& pam, const char* full_name)
    -> decltype(pam.ClearStatistics(full_name, "")) {
    pam.ClearStatistics(full_name, "");
}
template <class Pam>
auto ClearStatisticsOf(Pam& pam, const char* full_name)
    -> decltype(pam.ClearStatistics(full_name)) {
    pam.ClearStatistics(full_name);
}

}  // namespace zarr_driver

// ZARR_OVERRIDE_x_y expands to `override` if this GDAL version has the methods that x.y added, else
// to nothing.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 7, 0)
#define ZARR_OVERRIDE_3_7 override
#else
#define ZARR_OVERRIDE_3_7
#endif
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 8, 0)
#define ZARR_OVERRIDE_3_8 override
#else
#define ZARR_OVERRIDE_3_8
#endif
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 13, 0)
#define ZARR_OVERRIDE_3_13 override
#else
#define ZARR_OVERRIDE_3_13
#endif

// Makes a GDALGroup know its own shared pointer `self`, which GDALGroup's views of subsets need.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 8, 0)
#define ZARR_SET_SELF_OF_GROUP(self) SetSelf(self)
#else
#define ZARR_SET_SELF_OF_GROUP(self) static_cast<void>(self)
#endif

// 1 if this GDAL version has deferred plugins. A deferred plugin is registered as a proxy driver,
// and only the proxy's virtual methods load the plugin and call its functions. GDAL asks every
// driver for its functions by these methods, from which quiet_deletion.h knows why a dataset is
// deleted.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 9, 0)
#define ZARR_HAS_DEFERRED_PLUGINS 1
#else
#define ZARR_HAS_DEFERRED_PLUGINS 0
#endif

// 1 if GDALMDArray::GetRawBlockInfo() exists.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 12, 0)
#define ZARR_HAS_RAW_BLOCK_INFO 1
#else
#define ZARR_HAS_RAW_BLOCK_INFO 0
#endif

// 1 if GDALMDArray::BuildOverviews() exists.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 13, 0)
#define ZARR_BUILDS_MULTIDIM_OVERVIEWS 1
#else
#define ZARR_BUILDS_MULTIDIM_OVERVIEWS 0
#endif

// 1 if GDALDriver::pfnGetSubdatasetInfoFunc exists.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 8, 0)
#define ZARR_HAS_SUBDATASET_INFO 1
#else
#define ZARR_HAS_SUBDATASET_INFO 0
#endif

// Default value of the creation option FORMAT. GDAL's built-in driver has the same default in each
// version.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 14, 0)
#define ZARR_FORMAT_BY_DEFAULT "ZARR_V3"
#else
#define ZARR_FORMAT_BY_DEFAULT "ZARR_V2"
#endif

// The parameter of GDALDataset::GetGeoTransform(), and `const` if the method is const.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 12, 0)
#define ZARR_GEOTRANSFORM_PARAMETER GDALGeoTransform& transform
#define ZARR_GEOTRANSFORM_QUALIFIER const
#else
#define ZARR_GEOTRANSFORM_PARAMETER double* transform
#define ZARR_GEOTRANSFORM_QUALIFIER
#endif

// Parameter of GDALDataset::SetGeoTransform().
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 12, 0)
#define ZARR_NEW_GEOTRANSFORM const GDALGeoTransform& transform
#else
#define ZARR_NEW_GEOTRANSFORM double* transform
#endif

// Return type of GDALDataset::FlushCache(), which is void before 3.7.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 7, 0)
#define ZARR_FLUSH_RESULT CPLErr
#define ZARR_FLUSH_RETURN(error) return error
#else
#define ZARR_FLUSH_RESULT void
#define ZARR_FLUSH_RETURN(error) static_cast<void>(error)
#endif

// ZARR_HAS_CLOSE is 1 if GDALDataset::Close() exists. ZARR_CLOSE_PARAMETERS and
// ZARR_CLOSE_ARGUMENTS are the parameters of Close() and their names. GDALClose() returns the
// result of Close() to the caller.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 13, 0)
#define ZARR_HAS_CLOSE 1
#define ZARR_CLOSE_PARAMETERS GDALProgressFunc pfnProgress, void *pProgressData
#define ZARR_CLOSE_ARGUMENTS pfnProgress, pProgressData
#elif GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 7, 0)
#define ZARR_HAS_CLOSE 1
#define ZARR_CLOSE_PARAMETERS
#define ZARR_CLOSE_ARGUMENTS
#else
#define ZARR_HAS_CLOSE 0
#endif

// Parameters of GDALMDArray::AsClassicDataset(). ZARR_AS_CLASSIC_IS_PLAIN is true if the caller
// gives no parameters besides the two dimensions.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 8, 0)
#define ZARR_AS_CLASSIC_PARAMETERS                                            \
    size_t iXDim, size_t iYDim, const std::shared_ptr<GDALGroup>&poRootGroup, \
        CSLConstList papszOptions
#define ZARR_AS_CLASSIC_ARGUMENTS iXDim, iYDim, poRootGroup, papszOptions
#define ZARR_AS_CLASSIC_IS_PLAIN (papszOptions == nullptr)
#else
#define ZARR_AS_CLASSIC_PARAMETERS size_t iXDim, size_t iYDim
#define ZARR_AS_CLASSIC_ARGUMENTS iXDim, iYDim
#define ZARR_AS_CLASSIC_IS_PLAIN true
#endif

// Parameters of GDALMDArray::SetStatistics(). ZARR_STATISTICS_OPTIONS is the parameter with
// options, or nullptr in versions without that parameter.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 8, 0)
#define ZARR_SET_STATISTICS_PARAMETERS                                             \
    bool bApproxStats, double dfMin, double dfMax, double dfMean, double dfStdDev, \
        GUInt64 nValidCount, CSLConstList papszOptions
#define ZARR_STATISTICS_OPTIONS papszOptions
#define ZARR_SET_STATISTICS_ARGUMENTS \
    bApproxStats, dfMin, dfMax, dfMean, dfStdDev, nValidCount, papszOptions
#else
#define ZARR_SET_STATISTICS_PARAMETERS                                             \
    bool bApproxStats, double dfMin, double dfMax, double dfMean, double dfStdDev, \
        GUInt64 nValidCount
#define ZARR_STATISTICS_OPTIONS nullptr
#define ZARR_SET_STATISTICS_ARGUMENTS bApproxStats, dfMin, dfMax, dfMean, dfStdDev, nValidCount
#endif
