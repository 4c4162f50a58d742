// SPDX-License-Identifier: MIT
#include "autotest/fuzz/targets.h"

#include <cstdio>
#include <cstdlib>

namespace zarr::fuzz {

const std::vector<Target>& Targets() {
    static const std::vector<Target> targets = {
        {"json", FuzzJson},         {"zarray", FuzzArrayMetadata},
        {"v1", FuzzV1Metadata},     {"v3", FuzzV3Metadata},
        {"codec", FuzzCodecs},      {"shard", FuzzShard},
        {"store", FuzzStore},       {"connection", FuzzConnectionString},
        {"tar", FuzzTar},           {"zip", FuzzZip},
        {"flex", FuzzFlexBuffer},   {"icechunk", FuzzIcechunk},
        {"yaml", FuzzYaml},         {"parquet", FuzzParquet},
        {"kerchunk", FuzzKerchunk}, {"image", FuzzImages},
    };
    return targets;
}

void Check(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
}

}  // namespace zarr::fuzz
