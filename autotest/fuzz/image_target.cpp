// SPDX-License-Identifier: MIT
#include <cpl_error.h>
#include <gdal.h>

#include "autotest/fuzz/targets.h"
#include "driver/codec/driver_codecs.h"

namespace zarr::fuzz {

void FuzzImages(ByteSpan input) {
    static const bool is_registered = [] {
        GDALAllRegister();
        zarr_driver::ProvideDriverCodecs();
        return true;
    }();
    (void)is_registered;
    CPLErrorReset();
    FuzzCodecs(input);
    Check(CPLGetLastErrorType() == CE_None, "codecs emit no errors of GDAL");
}

}  // namespace zarr::fuzz
