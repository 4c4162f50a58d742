// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/store/store.h"

namespace zarr_driver {

// A read-only store whose requests CPL_DEBUG=ZARR tells of, by their keys.
class LoggedStore final : public zarr::ForwardingStore {
  public:
    explicit LoggedStore(std::shared_ptr<const zarr::Store> base)
        : ForwardingStore(std::move(base)) {}

    zarr::Result<zarr::ReadResult> Read(const std::string& key, const zarr::ValuePart& part,
                                        const zarr::ReadSink& sink) const override;
    // A line for each key, with the time from the begin of them all.
    zarr::Status GetMany(const std::vector<std::string>& keys, const zarr::ReadManyOptions& options,
                         const ValueTaker& take) const override;
    zarr::Result<std::vector<zarr::StoreEntry>> List(const std::string& prefix) const override;
};

}  // namespace zarr_driver
