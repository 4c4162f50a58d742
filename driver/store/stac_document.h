// SPDX-License-Identifier: MIT
// Zarr stores that a STAC Item or Collection lists as its assets (STAC specification 1.0 and 1.1;
// extensions xarray-assets 1.0 and alternate-assets 1.2).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "driver/transport/store_path.h"

namespace zarr_driver {

// A store, or a node in one, to which an asset leads.
struct StacStore {
    std::string key;  // key of the asset
    std::string
        description;  // the asset's title, else its key; then what tells several hrefs apart
    StorePath path;
    // False if a reference in a document at the same place might not name this path. The user may
    // open it by its name.
    bool may_be_followed = false;
};

struct StacDocument {
    std::vector<StacStore> stores;
    // Names and texts for users: id, collection, the scalar properties, and for each asset
    // "key:storage_options", which are the options of fsspec that it needs.
    std::vector<std::pair<std::string, std::string>> facts;
    // Assets that lead to places that no document may name; each text says why.
    std::vector<std::string> refused;
};

// True if `text`, the start of a document or all of it, has the version of STAC and names Zarr.
// Decides by words alone.
bool MayListStores(std::string_view text);

// Parses the STAC document `text`, whose file is at `document`. Relative hrefs start there; if
// `document` is a copy in /vsimem/, they start at the link "self". Returns nullopt if the document
// is not of STAC, or has no asset that is Zarr. Returns the errors of json::Parse(). Sends no
// request, but may ask a name server for the hosts of assets.
zarr::Result<std::optional<StacDocument>> ParseStac(std::string_view text,
                                                    const StorePath& document);

}  // namespace zarr_driver
