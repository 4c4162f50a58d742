// SPDX-License-Identifier: MIT
#include "autotest/cpp/driver/prefix_kind.h"

#include <memory>
#include <string>
#include <utility>

#include "autotest/cpp/store/prefix_store.h"

namespace zarr_driver::test {

namespace {

bool HasPrefix(const StorePath& path) { return path.text().find('@') != std::string::npos; }

zarr::Result<std::shared_ptr<const zarr::Store>> OpenPrefix(const StorePath& path,
                                                            const StoreAccess& access) {
    const std::size_t at = path.text().find('@');
    ZARR_ASSIGN_OR_RETURN(auto store, OpenStore(path.text().substr(0, at), access));
    store = std::make_shared<zarr::test::PrefixStore>(std::move(store), path.text().substr(at + 1));
    return store;
}

zarr::Status RefuseWriting(const StorePath& /*path*/, StoreOperation /*operation*/) {
    return zarr::Status::Unsupported("a toy is read-only");
}

}  // namespace

const StoreKind kPrefixKind = {HasPrefix, OpenPrefix, nullptr, RefuseWriting, nullptr, nullptr};

}  // namespace zarr_driver::test
