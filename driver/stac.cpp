// SPDX-License-Identifier: MIT
#include "driver/stac.h"

#include <cpl_string.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "core/store/keys.h"
#include "core/store/store.h"
#include "driver/base/open_options.h"
#include "driver/store/store_address.h"
#include "driver/store/store_kind.h"

namespace zarr_driver {

using zarr::Result;

namespace {

// Maximum number of bytes of a file that are read to find out whether it lists Zarr stores. Items
// of APIs have 10 to 100 KB.
constexpr int kLookedAt = 1 << 20;

std::string_view StartOfFile(const GDALOpenInfo& open_info) {
    return {reinterpret_cast<const char*>(open_info.pabyHeader),
            static_cast<std::size_t>(open_info.nHeaderBytes)};
}

// True if the start of a file looks like a JSON object that may be an Item or a Collection. False
// for a "FeatureCollection", the usual large document of GeoJSON.
bool LooksLikeStac(std::string_view head) {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";  // byte order mark
    if (head.substr(0, kMark.size()) == kMark) head.remove_prefix(kMark.size());
    const std::size_t first = head.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || head[first] != '{') return false;
    if (head.find("\"FeatureCollection\"") != std::string_view::npos) return false;
    constexpr std::string_view kWords[] = {"\"Feature\"",      "\"Collection\"",
                                           "\"stac_version\"", "\"stac_extensions\"",
                                           "\"assets\"",       "\"links\""};
    return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) {
        return head.find(word) != std::string_view::npos;
    });
}

// A dataset without bands. Its metadata domain "STAC" has what the document says of the item.
class StacDataset final : public GDALDataset {
  public:
    explicit StacDataset(const StacDocument& document) {
        CPLStringList subdatasets;
        for (std::size_t i = 0; i < document.stores.size(); ++i) {
            const std::string prefix = "SUBDATASET_" + std::to_string(i + 1);
            const StacStore& store = document.stores[i];
            subdatasets.AddNameValue((prefix + "_NAME").c_str(), NameOf(store).c_str());
            subdatasets.AddNameValue((prefix + "_DESC").c_str(), store.description.c_str());
        }
        SetMetadata(subdatasets.List(), "SUBDATASETS");
        CPLStringList facts;
        for (const auto& [name, text] : document.facts)
            facts.AddNameValue(name.c_str(), text.c_str());
        for (std::size_t i = 0; i < document.refused.size(); ++i)
            facts.AddNameValue(("refused_" + std::to_string(i + 1)).c_str(),
                               document.refused[i].c_str());
        SetMetadata(facts.List(), "STAC");
    }
};

}  // namespace

std::string NameOf(const StacStore& store) { return "ZARR:\"" + store.path.text() + "\""; }

bool MayBeStac(GDALOpenInfo& open_info) {
    if (open_info.fpL == nullptr || !LooksLikeStac(StartOfFile(open_info))) return false;
    open_info.TryToIngest(kLookedAt);
    return MayListStores(StartOfFile(open_info));
}

Result<std::optional<StacDocument>> ReadStac(const GDALOpenInfo& open_info, const StorePath& path) {
    const std::string_view head = StartOfFile(open_info);
    if (!head.empty() && head.size() < kLookedAt) return ParseStac(head, path);
    ReadLimits();
    std::string file = path;
    const std::string query = TakeQuery(path, file);
    const StoreAddress folder(StorePath(ContainingFolder(file) + query));
    ZARR_ASSIGN_OR_RETURN(const auto store, OpenStore(folder, {}));
    zarr::Buffer text;
    ZARR_ASSIGN_OR_RETURN(const bool found,
                          zarr::GetDocument(*store, std::string(zarr::LastName(file)), text));
    if (!found) return std::optional<StacDocument>();
    return ParseStac(std::as_const(text).span().text(), path);
}

std::unique_ptr<GDALDataset> ListStac(const StacDocument& document) {
    return std::make_unique<StacDataset>(document);
}

}  // namespace zarr_driver
