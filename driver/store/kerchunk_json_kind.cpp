// SPDX-License-Identifier: MIT
#include "driver/store/kerchunk_json_kind.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/base/tuning.h"
#include "core/metadata/documents.h"
#include "core/references/kerchunk_json.h"
#include "core/references/reference_store.h"
#include "core/store/keys.h"
#include "core/store/local_file.h"
#include "driver/base/debug_log.h"
#include "driver/store/kerchunk_parquet_kind.h"
#include "driver/transport/logged_store.h"
#include "driver/transport/reference_targets.h"
#include "driver/transport/shared_objects.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

std::string LowerCase(std::string_view name) { return CPLString(std::string(name)).tolower(); }

bool IsCompressed(std::string_view name) { return zarr::EndsWith(LowerCase(name), ".zst"); }

// Splits the path of a JSON document into its folder and its file name. A query of a URL stays with
// the folder.
std::pair<StorePath, std::string> Split(const StorePath& document) {
    std::string path = document;
    const std::string query = TakeQuery(document, path);
    return {StorePath(ContainingFolder(path) + query), std::string(zarr::LastName(path))};
}

using MapPtr = std::shared_ptr<const zarr::KerchunkJson>;

// Parsed documents, by the path and the version of their files. Never destroyed, because threads
// may still use them while the process exits.
auto& documents = *new SharedObjects<zarr::KerchunkJson>(LastObject::kKept);

// Returns how many bytes of a document are read at a time. If the folder is remote, each of these
// reads is one request.
std::size_t BlockOf(const StoreAddress& folder) {
    constexpr std::size_t kMega = std::size_t{1} << 20;
    // In a zip file, the whole document is read at once: a deflated member is decompressed from its
    // start for each read.
    if (!folder.archive.empty()) return 1024 * kMega;
    return folder.is_remote() ? 32 * kMega : kMega;
}

Result<MapPtr> ReadDocument(const StorePath& document, const StoreAccess& access) {
    const auto [path, name] = Split(document);
    const StoreAddress folder(path);
    ZARR_ASSIGN_OR_RETURN(const auto store, OpenStore(folder, access));
    const zarr::ObjectVersion version = store->VersionOf(name);
    const std::string identity =
        store->Identity() + "\n" + name + "\n" + std::to_string(version.size) + " " +
        std::to_string(version.modified) + " " + std::to_string(version.mark);
    const bool is_certain = version.is_certain || folder.is_remote();
    // A parsed remote document is reused for a short time only, because the document may have
    // changed since it was read.
    const auto most = folder.is_remote() ? std::optional(zarr::tuning::kSharedFor) : std::nullopt;
    if (is_certain)
        if (auto known = documents.Find(identity, most)) return known;
    auto text = zarr::ReadValue(*store, name, BlockOf(folder));
    if (IsCompressed(name)) text = zarr::Decompress(std::move(text));
    ZARR_ASSIGN_OR_RETURN(auto map, zarr::KerchunkJson::Read(*text, identity));
    if (is_certain) documents.Add(identity, map);
    return map;
}

Result<std::shared_ptr<const zarr::Store>> OpenKerchunkJson(const StoreAddress& address,
                                                            const StoreAccess& access) {
    const StorePath& document = address.container;
    ZARR_ASSIGN_OR_RETURN(MapPtr map, ReadDocument(document, access));
    const StorePath folder = Split(document).first;
    auto targets = OpenReferenceTargets(folder, folder, map->SampleLocation());
    std::shared_ptr<const zarr::Store> store =
        std::make_shared<zarr::ReferenceStore>(std::move(map), std::move(targets), document.text());
    return IsDebugEnabled() ? std::make_shared<LoggedStore>(std::move(store)) : store;
}

Status EraseKerchunkJson(const StoreAddress& address, bool /*is_store*/) {
    return EraseFileOrFolder(address.container);
}

// Returns the first 1024 bytes of a local file. Returns an empty string if the file cannot be read.
std::string StartOf(const std::string& path) {
    constexpr std::size_t kStart = 1024;
    zarr::LocalFile file;
    if (file.Open(path) != 0) return {};
    std::string start(static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), kStart)), '\0');
    const zarr::MutableByteSpan memory{reinterpret_cast<std::uint8_t*>(start.data()), start.size()};
    return file.ReadAt(0, memory) == 0 ? start : std::string();
}

// True if the file at `path` holds Kerchunk references. Decides by the file's name and by `start`,
// its first bytes.
bool AreKerchunkReferences(const std::string& path, std::string_view start) {
    const std::string_view name = zarr::LastName(path);
    if (!IsNamedAsReferences(name)) return false;
    return IsCompressed(name) ? start.substr(0, kZstdMagic.size()) == kZstdMagic
                              : zarr::MayBeKerchunkJson(start);
}

bool IsKerchunkJson(const StoreAddress& address) {
    if (address.scheme != PathScheme::kNone) return address.scheme == PathScheme::kKerchunkJson;
    std::string text = address;
    static_cast<void>(TakeQuery(address, text));
    if (!IsNamedAsReferences(zarr::LastName(text))) return false;
    if (address.kind() != StorePath::Kind::kLocal) return true;
    return AreKerchunkReferences(text, StartOf(text));
}

bool IsProvenByStart(const StorePath& path, std::string_view start) {
    if (!start.empty()) return AreKerchunkReferences(path, start);
    return !path.is_remote() && IsKerchunkJson(StoreAddress(path));
}

}  // namespace

bool IsNamedAsReferences(std::string_view name) {
    if (zarr::IsDocumentOfAnyFormat(name)) return false;
    const std::string lower = LowerCase(name);
    return zarr::EndsWith(lower, ".json") || zarr::EndsWith(lower, ".json.zst");
}

void ForgetKerchunkJson() { documents.FreeLast(); }

const StoreKind kKerchunkJsonKind = {
    IsKerchunkJson, IsProvenByStart,          IsThereAlways, IsRootItself,     OpenKerchunkJson,
    nullptr,        RefuseChangeOfReferences, nullptr,       EraseKerchunkJson};

}  // namespace zarr_driver
