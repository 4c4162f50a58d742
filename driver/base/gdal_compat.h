// SPDX-License-Identifier: MIT
// The only place that knows about differences between GDAL's versions.
#pragma once

#include <cpl_port.h>
#include <gdal.h>
#include <gdal_version.h>

namespace zarr_driver {

// The types that later versions added; GDT_Unknown where this one lacks them.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 7, 0)
inline constexpr GDALDataType kGdalInt8 = GDT_Int8;
#else
inline constexpr GDALDataType kGdalInt8 = GDT_Unknown;
#endif

// Whether bands of signed bytes say so by the item PIXELTYPE of IMAGE_STRUCTURE. Later versions
// warn when it is asked for.
inline constexpr bool kSaysSignedBytesByPixelType = kGdalInt8 == GDT_Unknown;

#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 11, 0)
inline constexpr GDALDataType kGdalFloat16 = GDT_Float16;
#else
inline constexpr GDALDataType kGdalFloat16 = GDT_Unknown;
#endif

// What bands of optical satellites show beside red, green and blue; GCI_Undefined where this
// version has no such colours.
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

// The capability without which GDAL refuses APPEND_SUBDATASET, since 3.11.
inline constexpr const char* kCreatesSubdatasets = "DCAP_CREATE_SUBDATASETS";

// Whether GDAL asks for the driver of what a copy is to replace with flags of all kinds, as
// GDALOpenEx() has them where a caller names none; before, it asked with no flags.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 7, 0)
inline constexpr bool kReplacesByAllKinds = true;
#else
inline constexpr bool kReplacesByAllKinds = false;
#endif

// A NULL-terminated list of NAME=VALUE, as GetMetadata() returns it and Create() is given it.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 13, 0)
using NameValueList = CSLConstList;
#else
using NameValueList = char**;
#endif

// Removes the statistics of one array from what GDAL keeps beside a multidimensional dataset. Some
// later version tells arrays of one name apart by a context, which ours do not have.
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

// The word `override` on methods that the multidimensional API has from some version on.
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

// Whether a driver may stand for a plugin that GDAL loads when it is needed: its functions are then
// found by virtual methods alone.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 9, 0)
#define ZARR_HAS_DEFERRED_PLUGINS 1
#else
#define ZARR_HAS_DEFERRED_PLUGINS 0
#endif

// GDALMDArray::GetRawBlockInfo().
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 12, 0)
#define ZARR_HAS_RAW_BLOCK_INFO 1
#else
#define ZARR_HAS_RAW_BLOCK_INFO 0
#endif

// GDALMDArray::BuildOverviews().
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 13, 0)
#define ZARR_BUILDS_MULTIDIM_OVERVIEWS 1
#else
#define ZARR_BUILDS_MULTIDIM_OVERVIEWS 0
#endif

// GDALDriver::pfnGetSubdatasetInfoFunc.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 8, 0)
#define ZARR_HAS_SUBDATASET_INFO 1
#else
#define ZARR_HAS_SUBDATASET_INFO 0
#endif

// The version of Zarr that new stores are of where nothing says it, as GDAL's own driver has it.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 14, 0)
#define ZARR_FORMAT_BY_DEFAULT "ZARR_V3"
#else
#define ZARR_FORMAT_BY_DEFAULT "ZARR_V2"
#endif

// How GDALDataset::GetGeoTransform() takes its result, and how to set one of its six numbers.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 12, 0)
#define ZARR_GEOTRANSFORM_PARAMETER GDALGeoTransform& transform
#define ZARR_GEOTRANSFORM_QUALIFIER const
#else
#define ZARR_GEOTRANSFORM_PARAMETER double* transform
#define ZARR_GEOTRANSFORM_QUALIFIER
#endif

// How GDALDataset::SetGeoTransform() is given one.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 12, 0)
#define ZARR_NEW_GEOTRANSFORM const GDALGeoTransform& transform
#else
#define ZARR_NEW_GEOTRANSFORM double* transform
#endif

// What GDALDataset::FlushCache() returns: nothing before 3.7.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 7, 0)
#define ZARR_FLUSH_RESULT CPLErr
#define ZARR_FLUSH_RETURN(error) return error
#else
#define ZARR_FLUSH_RESULT void
#define ZARR_FLUSH_RETURN(error) static_cast<void>(error)
#endif

// GDALDataset::Close(), by which the caller of GDALClose() learns that closing has failed.
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

// The parameters of GDALMDArray::AsClassicDataset(), and whether they are only the two dimensions.
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

// The parameters of GDALMDArray::SetStatistics(), and its options.
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

// GDAL's own Zarr driver, which a build of GDAL may lack.
extern "C" {
#if defined(__GNUC__)
// NOLINTNEXTLINE(readability-redundant-declaration): what it adds is that it is weak
__attribute__((weak)) void CPL_DLL GDALRegister_Zarr();
#else
void CPL_DLL GDALRegister_Zarr();
#endif
}
