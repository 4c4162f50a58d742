// SPDX-License-Identifier: MIT
#include "driver/store/subdataset_info.h"

#include <cstddef>
#include <memory>
#include <string>

#include "driver/base/exception_guard.h"
#include "driver/store/store_address.h"

namespace zarr_driver {

#if ZARR_HAS_SUBDATASET_INFO
namespace {

class SubdatasetInfo final : public GDALSubdatasetInfo {
  public:
    using GDALSubdatasetInfo::GDALSubdatasetInfo;

  private:
    void parseFileName() override {
        Guarded(m_fileName, [&] {
            const auto parts = SplitConnectionString(m_fileName);
            if (!parts || parts->node.empty()) return;
            m_driverPrefixComponent = parts->prefix;
            m_pathComponent = parts->path;
            m_isQuoted = parts->path.front() == '"';
            m_cleanedPathComponent =
                m_isQuoted ? parts->path.substr(1, parts->path.size() - 2) : parts->path;
            m_subdatasetComponent = parts->node;
        });
    }
};

}  // namespace

GDALSubdatasetInfo* GetSubdatasetInfo(const char* name) {
    return Guarded(name, [&]() -> GDALSubdatasetInfo* {
        const auto parts = SplitConnectionString(name);
        if (!parts || parts->node.empty()) return nullptr;
        return std::make_unique<SubdatasetInfo>(name).release();
    });
}
#endif

}  // namespace zarr_driver
