// SPDX-License-Identifier: MIT
#include "driver/store/sidecars.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/array/chunk_files.h"
#include "core/base/digest.h"
#include "core/base/text.h"
#include "core/metadata/documents.h"
#include "core/store/local_file.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/xml_tree.h"
#include "driver/store/store_address.h"
#include "driver/transport/http_client.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::Status;

namespace {

constexpr char kMark = '@';
constexpr std::size_t kLongest = 80;  // maximum characters of an id in a file name

// Returns the text that represents the dataset id `id` in the file names of sidecar files.
std::string FileNamePart(const std::string& id) {
    std::string name;
    bool is_exact = id.size() <= kLongest;
    for (const char c : id.substr(0, kLongest)) {
        const bool is_plain =
            (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
        // A name with a capital letter gets a digest, because some file systems ignore case. Ids
        // that differ only in case thus get different names.
        const bool is_capital = c >= 'A' && c <= 'Z';
        is_exact = is_exact && (is_plain || c == '/' || c == ':');
        if (name.empty() && c == '/') continue;
        name += is_plain || is_capital ? c : c == '/' ? '.' : c == ':' ? kMark : '_';
    }
    return is_exact && !name.empty() ? name : name + kMark + zarr::DigestOf(id).Text();
}

// Returns the path to which the extension of a sidecar file is appended. This is the path of the
// store, or of the zip file that the store fills. Each state of an Icechunk repository has its own
// path, and thus its own sidecar files.
std::string PlainBase(const StoreAddress& store) {
    if (store.scheme == PathScheme::kIcechunk) {
        const std::string query = QueryOf(store.state);
        return PlainBase(StoreAddress(store.container)) +
               (query.empty() ? "" : kMark + FileNamePart(query));
    }
    return store.inner ? store.text() : store.FileOrFolder();
}

// Returns the id of the dataset to which an auxiliary file states that it belongs; empty if the
// file states no dataset.
std::string OwnerIn(const XmlTree& file) {
    return file != nullptr ? PamItem(*file, kSidecarState, kOwner) : std::string();
}

// Returns the names of files in `folder` that begin with `start`. The result may also contain other
// names.
std::vector<std::string> NamesIn(const std::string& folder, const std::string& start) {
    std::vector<std::string> names;
    if (!StorePath(folder).is_object_store()) {
        const CPLStringList entries(VSIReadDir(folder.empty() ? "." : folder.c_str()));
        for (int i = 0; i < entries.size(); ++i) names.emplace_back(entries[i]);
        return names;
    }
    // Only objects with the prefix `start` are listed, because a bucket may hold very many other
    // objects.
    const QuietErrors quiet;
    ForgetCached(folder);
    CPLStringList options;
    options.SetNameValue("PREFIX", start.c_str());
    const std::unique_ptr<VSIDIR, decltype(&VSICloseDir)> entries(
        VSIOpenDir(folder.c_str(), 0, options.List()), VSICloseDir);
    while (const VSIDIREntry* entry = entries ? VSIGetNextDirEntry(entries.get()) : nullptr)
        names.emplace_back(entry->pszName);
    return names;
}

// Copies a file by reading and writing it. VSICopyFile() would let an object store copy the object
// itself, which some object stores refuse if the name contains '@'.
bool CopyByReading(const std::string& source, const std::string& target) {
    const VsiFile from(VSIFOpenL(source.c_str(), "rb"));
    VsiFile to(from ? VSIFOpenL(target.c_str(), "wb") : nullptr);
    if (!to) return false;
    std::vector<char> part(std::size_t{1} << 20);
    bool is_done = false;
    bool is_good = true;
    while (is_good && !is_done) {
        const std::size_t count = VSIFReadL(part.data(), 1, part.size(), from.get());
        is_done = count < part.size();
        is_good = VSIFWriteL(part.data(), 1, count, to.get()) == count;
    }
    is_good = VSIFCloseL(to.release()) == 0 && is_good;
    VSIStatBufL was;
    VSIStatBufL is;
    return is_good && VSIStatL(source.c_str(), &was) == 0 && VSIStatL(target.c_str(), &is) == 0 &&
           was.st_size == is.st_size;
}

}  // namespace

bool CopyFile(const std::string& source, const std::string& target) {
    return CPLCopyFile(target.c_str(), source.c_str()) == 0 || CopyByReading(source, target);
}

std::string DatasetId(const std::string& node, const std::vector<std::uint64_t>& indices,
                      const OpenOptions& options) {
    std::string id = "/" + node;
    for (const std::uint64_t index : indices) id += ":" + std::to_string(index);
    const auto add = [&](bool is_set, const std::string& option) {
        if (is_set) id += (id.find('?') == std::string::npos ? "?" : "&") + option;
    };
    add(!options.dim_x.empty(), "DIM_X=" + options.dim_x);
    add(!options.dim_y.empty(), "DIM_Y=" + options.dim_y);
    add(!options.select.empty(), "SELECT=" + options.select);
    add(!options.multiband, "MULTIBAND=NO");
    add(options.wrap_longitude, "WRAP_LONGITUDE=YES");
    add(options.north_up, "NORTH_UP=YES");
    using zarr::FillAsNodata;
    add(options.fill_value_as_nodata == FillAsNodata::kNo, "FILL_VALUE_AS_NODATA=NO");
    add(options.fill_value_as_nodata == FillAsNodata::kYes, "FILL_VALUE_AS_NODATA=YES");
    return id;
}

AuxiliaryFile LoadAuxiliaryFile(const StoreAddress& store) {
    AuxiliaryFile found;
    const StorePath path = PlainBase(store) + ".aux.xml";
    // A URL with a query has no sidecar files, because no file name can be appended to it.
    const bool is_query =
        path.kind() == StorePath::Kind::kWebServer && path.text().find('?') != std::string::npos;
    if (is_query || path.is_below_vsizip() ||
        !CPLTestBool(CPLGetConfigOption("GDAL_PAM_ENABLED", "YES")))
        return found;
    const QuietErrors quiet;
    if (path.is_remote()) {
        // With the value EMPTY_DIR a folder counts as empty, so GDAL's drivers look for no sidecar
        // files.
        if (EQUAL(CPLGetConfigOption("GDAL_DISABLE_READDIR_ON_OPEN", ""), "EMPTY_DIR"))
            return found;
        const auto text = FetchSidecar(path);
        found.is_there = text.has_value();
        found.of = OwnerIn(ParsePam(text.value_or("")));
    } else if (WrittenAt(path)) {
        found.is_there = true;
        found.of = OwnerIn(ReadPamFile(path));
    }
    return found;
}

std::string SidecarBase(const StoreAddress& store, const std::string& id, bool is_by_path,
                        const AuxiliaryFile& plain) {
    const bool has_plain =
        !plain.of.empty() ? plain.of == id : is_by_path && id.find('?') == std::string::npos;
    return PlainBase(store) + (has_plain ? "" : kMark + FileNamePart(id));
}

std::optional<std::int64_t> WrittenAt(const std::string& path) {
    VSIStatBufL stat;
    if (!TakesNoRequests(path) || VSIStatL(path.c_str(), &stat) != 0) return std::nullopt;
    return zarr::ModificationTime(stat);
}

std::optional<std::int64_t> ReferencesWrittenAt(const StoreAddress& store) {
    std::vector<std::string> names = {""};
    if (store.scheme == PathScheme::kIcechunk) {
        const zarr::IcechunkSelection& wanted = store.state.selection;
        const std::string branch = "branch." + (wanted.branch.empty() ? "main" : wanted.branch);
        const std::string ref = wanted.tag.empty() ? branch : "tag." + wanted.tag;
        names = {"/snapshots", "/repo", "/refs/" + ref + "/ref.json"};
    }
    if (store.scheme == PathScheme::kKerchunkParquet)
        names = {"/" + zarr::DocumentKey("", zarr::Document::kConsolidated)};
    std::optional<std::int64_t> newest;
    for (const std::string& name : names)
        newest = std::max(newest, WrittenAt(store.container.text() + name));
    return newest;
}

ArrayTimes TimesOf(const StoreAddress& store, const zarr::Array& array) {
    ArrayTimes times;
    if (!store.archive.empty()) {
        if (const auto written = WrittenAt(store.archive)) times = {*written, *written, *written};
        return times;
    }
    const zarr::ChunkFiles files = zarr::ListChunkFiles(array);
    const std::string document =
        zarr::DocumentKey(array.path(), zarr::Document::kArray, array.metadata().format);
    const auto written = array.store()->Traits().locator != nullptr
                             ? ReferencesWrittenAt(store)
                             : zarr::FileTime(*array.store(), document);
    return {files.oldest, files.newest, written.value_or(times.document)};
}

std::optional<std::string> FetchSidecar(const std::string& path) {
    const auto url = StorePath(path).Url();
    constexpr std::size_t kLargest = std::size_t{64} << 20;
    zarr::Buffer text;
    if (!url) return std::nullopt;
    const auto found = Fetch({*url, path, path}, text, kLargest);
    if (!found.ok() || !*found) return std::nullopt;
    return std::string(std::as_const(text).span().text());
}

namespace {

// Returns the paths of all sidecar files of the store at `path`, a folder or zip file. The files of
// the store itself are returned whether they exist or not. The files of single datasets come from a
// listing of the folder, so they exist.
std::vector<std::string> SidecarsOf(const std::string& path) {
    std::vector<std::string> files;
    for (const char* const end : kSidecarExtensions) files.push_back(path + end);
    if (!VSIIsLocal(path.c_str()) && !StorePath(path).is_object_store()) return files;
    const std::string folder = CPLGetPath(path.c_str());
    const std::string start = std::string(CPLGetFilename(path.c_str())) + kMark;
    const std::vector<std::string> entries = NamesIn(folder, start);
    const std::set<std::string_view> names(entries.begin(), entries.end());
    for (const std::string_view name : names) {
        if (name.substr(0, start.size()) != start) continue;
        for (const std::string_view end : kSidecarExtensions) {
            // The file is skipped if it is the sidecar file of another store whose name also begins
            // with `start`.
            if (!zarr::EndsWith(name, end) ||
                names.count(name.substr(0, name.size() - end.size())) != 0)
                continue;
            const std::string file(name);
            files.push_back(
                folder.empty() ? file : CPLFormFilename(folder.c_str(), file.c_str(), nullptr));
        }
    }
    return files;
}

}  // namespace

void DeleteSidecars(const std::string& path) {
    const QuietErrors quiet;
    const std::vector<std::string> files = SidecarsOf(path);
    StatInParallel(files);
    UnlinkInParallel(files);
}

void RenameSidecars(const std::string& from, const std::string& to) {
    const QuietErrors quiet;
    for (const std::string& source : SidecarsOf(from)) {
        const std::string target = to + source.substr(from.size());
        if (VSIRename(source.c_str(), target.c_str()) == 0 || !PathExists(source)) continue;
        if (CopyFile(source, target)) VSIUnlink(source.c_str());
    }
}

namespace {

// Returns the path of a node's sidecar files, without the file extension. Empty for remote stores
// and for stores in /vsizip/.
std::string BaseOfNode(const StoreAddress& store, const std::string& node) {
    if (store.is_below_vsizip() || store.is_remote()) return {};
    return SidecarBase(store, DatasetId(node, {}, {}), false, LoadAuxiliaryFile(store));
}

}  // namespace

void DeleteNodeSidecars(const StoreAddress& store, const std::string& node) {
    const std::string base = BaseOfNode(store, node);
    const QuietErrors quiet;
    for (const char* const end : kSidecarExtensions)
        if (!base.empty()) VSIUnlink((base + end).c_str());
}

void RenameNodeSidecars(const StoreAddress& store, const std::string& from, const std::string& to) {
    const std::string source = BaseOfNode(store, from);
    const std::string target = BaseOfNode(store, to);
    if (source.empty() || target.empty()) return;
    const QuietErrors quiet;
    for (const char* const end : kSidecarExtensions)
        if (PathExists(source + end)) VSIRename((source + end).c_str(), (target + end).c_str());
}

Status CopySidecars(const std::string& from, const std::string& to) {
    const QuietErrors quiet;
    for (const std::string& source : SidecarsOf(from)) {
        const std::string target = to + source.substr(from.size());
        if (PathExists(source) && !CopyFile(source, target))
            return Status::Io("cannot be copied to the folder of " + to).WithContext(source);
    }
    return {};
}

}  // namespace zarr_driver
