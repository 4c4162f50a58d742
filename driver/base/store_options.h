// SPDX-License-Identifier: MIT
// Options of stores, which the raster API and the multidimensional API share.
#pragma once

#include <cpl_port.h>

#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/metadata/documents.h"
#include "core/store/store_lock.h"
#include "driver/base/option_table.h"

namespace zarr_driver {

// The options LOCK_TIMEOUT and REQUIRE_LOCK, which say how a change waits for another writer.
extern const OptionRow<zarr::LockWait> kLockRows[2];

// Returns how a writer waits by the configuration options. Fails if a value is invalid.
zarr::Result<zarr::LockWait> ConfiguredLockWait();

// Makes the option LOCK_TIMEOUT of a list the default for everything that this thread opens or
// begins during the lifetime of this object. A list without the option changes nothing.
class LockTimeoutScope {
  public:
    explicit LockTimeoutScope(CSLConstList options);
    ~LockTimeoutScope();
    LockTimeoutScope(const LockTimeoutScope&) = delete;
    LockTimeoutScope& operator=(const LockTimeoutScope&) = delete;

  private:
    bool is_set_ = false;
    std::optional<std::string> before_;  // the thread's own value of the configuration option
};

// Parsed values of the creation options of a store.
struct StoreOptions {
    std::optional<zarr::Format> format;  // FORMAT
    bool consolidate = true;
    bool append_subdataset = false;
    std::string append_dim;    // APPEND_DIM: name of the dimension to extend; empty if not given
    std::string synchronizer;  // folder of lock files; empty: no locks
    // How long a change waits for another writer of the store.
    zarr::LockWait lock_wait;

    // Parses `options`, GDAL's NULL-terminated list of NAME=VALUE. Errors name the option.
    static zarr::Result<StoreOptions> Parse(CSLConstList options);

    // True if the store at the target is kept.
    bool IsAppend() const { return append_subdataset || !append_dim.empty(); }
    // Returns the format of a new store: `format` if given, else the value of the configuration
    // option ZARR_DEFAULT_FORMAT, else GDAL's own.
    zarr::Result<zarr::Format> FormatOfNewStore() const;
};

// Returns the <Option> elements that describe to GDAL the options of stores, and those that ask for
// references instead of a copy of the chunks; AppendOptionList() those of appending to a store.
std::string StoreOptionList();
std::string AppendOptionList();

// Form in which references are written.
enum class ReferenceForm { kNone, kJson, kParquet };

// Returns the form that the creation options ask for; kNone if they ask for a copy of the chunks.
// Fails if they ask for several forms.
zarr::Result<ReferenceForm> ParseReferenceForm(CSLConstList options);

bool AreReferencesAskedFor(CSLConstList options);

// Returns the error of Create() if its options ask for references: Create() has no source to refer
// to.
zarr::Status NoReferencesWithoutSource();

}  // namespace zarr_driver
