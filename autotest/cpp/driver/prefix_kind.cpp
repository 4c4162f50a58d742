// SPDX-License-Identifier: MIT
#include "autotest/cpp/driver/prefix_kind.h"

#include <memory>
#include <string>
#include <utility>

#include "autotest/cpp/store/prefix_store.h"

namespace zarr_driver::test {

namespace {

bool HasPrefix(const StoreAddress& address) {
    return address.text().find('@') != std::string::npos;
}

zarr::Result<std::shared_ptr<const zarr::Store>> OpenPrefix(const StoreAddress& address,
                                                            const StoreAccess& access) {
    const std::string& path = address.text();
    const std::size_t at = path.find('@');
    ZARR_ASSIGN_OR_RETURN(auto store, OpenStore(StoreAddress(path.substr(0, at)), access));
    store = std::make_shared<zarr::test::PrefixStore>(std::move(store), path.substr(at + 1));
    return store;
}

zarr::Status RefuseWriting(const StoreAddress& /*address*/, StoreOperation /*operation*/) {
    return zarr::Status::Unsupported("a toy is read-only");
}

}  // namespace

const StoreKind kPrefixKind = {HasPrefix, nullptr,       nullptr, nullptr, OpenPrefix,
                               nullptr,   RefuseWriting, nullptr, nullptr};

}  // namespace zarr_driver::test
