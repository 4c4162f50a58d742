// SPDX-License-Identifier: MIT
#include "driver/store/sidecars.h"

#include <cpl_conv.h>
#include <cpl_minixml.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/digest.h"
#include "core/base/text.h"
#include "core/store/local_file.h"
#include "driver/base/gdal_errors.h"
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

// Returns the id of the dataset to which an auxiliary file states that it belongs; nullopt if the
// file states no dataset. Destroys `parsed`.
std::optional<std::string> OwnerIn(CPLXMLNode* parsed) {
    const CPLXMLTreeCloser tree(parsed);
    const CPLXMLNode* const root = tree ? CPLGetXMLNode(tree.get(), "=PAMDataset") : nullptr;
    for (const CPLXMLNode* node = root ? root->psChild : nullptr; node; node = node->psNext) {
        if (!EQUAL(CPLGetXMLValue(node, "domain", ""), kSidecarDomain)) continue;
        for (const CPLXMLNode* item = node->psChild; item; item = item->psNext)
            if (EQUAL(CPLGetXMLValue(item, "key", ""), kSidecarOwner))
                return CPLGetXMLValue(item, "", "");
    }
    return std::nullopt;
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
        zarr::Buffer text;
        if (!FetchSidecar(path, &text)) return found;
        found.is_there = true;
        const std::string document(std::as_const(text).span().text());
        found.of = OwnerIn(CPLParseXMLString(document.c_str()));
    } else if (TakesNoRequests(path)) {
        found.is_local = true;
        found.is_there = PathExists(path);
        if (found.is_there) found.of = OwnerIn(CPLParseXMLFile(path.c_str()));
    }
    return found;
}

std::string SidecarBase(const StoreAddress& store, const std::string& id, bool is_by_path,
                        const AuxiliaryFile& plain) {
    const bool has_plain =
        plain.of ? *plain.of == id : is_by_path && id.find('?') == std::string::npos;
    return PlainBase(store) + (has_plain ? "" : kMark + FileNamePart(id));
}

bool FetchSidecar(const std::string& path, zarr::Buffer* text) {
    const auto url = StorePath(path).Url();
    constexpr std::size_t kLargest = std::size_t{64} << 20;
    zarr::Buffer ignored;
    if (!url) return false;
    const auto found = Fetch({*url, path, path}, text != nullptr ? *text : ignored, kLargest);
    return found.ok() && *found;
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

namespace {

// True if `item` is a metadata item of the default domain, and `stored` has an item with equal key
// and value.
bool IsStored(const CPLXMLNode& item, const CPLStringList& stored) {
    if (item.eType != CXT_Element || !EQUAL(item.pszValue, "MDI")) return false;
    const char* const value = stored.FetchNameValue(CPLGetXMLValue(&item, "key", ""));
    return value != nullptr && std::strcmp(value, CPLGetXMLValue(&item, "", "")) == 0;
}

// True for the metadata domain IMAGE_STRUCTURE, which describes how pixels are stored. A copy of
// this domain in a sidecar file becomes wrong if another program rewrites the pixels with another
// encoding.
bool IsImageStructure(const CPLXMLNode& node) {
    return node.eType == CXT_Element && EQUAL(node.pszValue, "Metadata") &&
           EQUAL(CPLGetXMLValue(&node, "domain", ""), "IMAGE_STRUCTURE");
}

// Removes the children of `parent` for which `is_unwanted` returns true. Returns the number of
// elements among the remaining children.
template <class Predicate>
int RemoveChildren(CPLXMLNode& parent, const Predicate& is_unwanted) {
    std::vector<CPLXMLNode*> unwanted;
    int elements = 0;
    for (CPLXMLNode* child = parent.psChild; child != nullptr; child = child->psNext) {
        if (is_unwanted(*child))
            unwanted.push_back(child);
        else
            elements += child->eType == CXT_Element ? 1 : 0;
    }
    for (CPLXMLNode* const child : unwanted) {
        CPLRemoveXMLChild(&parent, child);
        CPLDestroyXMLNode(child);
    }
    return elements;
}

}  // namespace

CPLXMLNode* RemoveStoredItems(CPLXMLNode* tree, const CPLStringList& stored) {
    if (tree == nullptr) return nullptr;
    const auto is_stored_alone = [&](CPLXMLNode& child) {
        if (IsImageStructure(child)) return true;
        if (child.eType != CXT_Element) return false;
        if (EQUAL(child.pszValue, "PAMRasterBand"))
            return RemoveChildren(child, IsImageStructure) == 0;
        if (!EQUAL(child.pszValue, "Metadata") || CPLGetXMLValue(&child, "domain", "")[0] != '\0')
            return false;
        return RemoveChildren(child, [&](CPLXMLNode& item) { return IsStored(item, stored); }) == 0;
    };
    if (RemoveChildren(*tree, is_stored_alone) != 0) return tree;
    CPLDestroyXMLNode(tree);
    return nullptr;
}

namespace {

constexpr const char* kMultidimPam = "pam.aux.xml";
// Name of the XML element for a CRS that StoreMultidimCrs() has copied from the store into the
// auxiliary file.
constexpr const char* kFromStore = "SRS.ofStore";

bool IsElement(const CPLXMLNode& node, const char* name) {
    return node.eType == CXT_Element && EQUAL(node.pszValue, name);
}

}  // namespace

Status StoreMultidimCrs(zarr::Store& store, const std::vector<MultidimCrs>& arrays) {
    zarr::Buffer held;
    const std::string key = kMultidimPam;
    ZARR_ASSIGN_OR_RETURN(
        const bool is_there,
        store.Get(key, held, static_cast<std::size_t>(zarr::LimitOf(zarr::Limit::kMetadataSize))));
    const bool has_crs = std::any_of(arrays.begin(), arrays.end(),
                                     [](const MultidimCrs& array) { return !array.wkt.empty(); });
    if (!is_there && !has_crs) return {};
    const QuietErrors quiet;
    const std::string text(is_there ? std::as_const(held).span().text() : "");
    CPLXMLNode* tree = text.empty() ? nullptr : CPLParseXMLString(text.c_str());
    CPLXMLNode* root = CPLGetXMLNode(tree, "=PAMDataset");
    if (root == nullptr) {
        CPLDestroyXMLNode(tree);
        root = tree = CPLCreateXMLNode(nullptr, CXT_Element, "PAMDataset");
    }
    for (CPLXMLNode* node = root->psChild; node != nullptr; node = node->psNext)
        if (IsElement(*node, "Array"))
            RemoveChildren(*node, [](CPLXMLNode& child) { return IsElement(child, "Statistics"); });
    for (const MultidimCrs& array : arrays) {
        const std::string name = "/" + array.path;
        RemoveChildren(*root, [&](CPLXMLNode& node) {
            return IsElement(node, "Array") && CPLGetXMLValue(&node, "name", "") == name;
        });
        if (array.wkt.empty()) continue;
        CPLXMLNode* const node = CPLCreateXMLNode(root, CXT_Element, "Array");
        CPLAddXMLAttributeAndValue(node, "name", name.c_str());
        CPLXMLNode* const srs = CPLCreateXMLNode(node, CXT_Element, "SRS");
        CPLAddXMLAttributeAndValue(srs, "dataAxisToSRSAxisMapping", array.mapping.c_str());
        CPLAddXMLAttributeAndValue(srs, "ofStore", "1");
        CPLCreateXMLNode(srs, CXT_Text, array.wkt.c_str());
    }
    char* const xml = CPLSerializeXMLTree(tree);
    const std::string written = xml != nullptr ? xml : "";
    CPLFree(xml);
    CPLDestroyXMLNode(tree);
    return written == text ? Status() : store.Set(key, zarr::ByteSpan(std::string_view(written)));
}

MultidimPam ReadMultidimPam(const std::string& store_path, const std::string& path,
                            const std::function<std::int64_t()>& newest_chunk) {
    MultidimPam pam;
    const std::string file = store_path + "/" + kMultidimPam;
    VSIStatBufL stat;
    if (!TakesNoRequests(store_path) || VSIStatL(file.c_str(), &stat) != 0) return pam;
    const QuietErrors quiet;
    CPLXMLNode* const tree = CPLParseXMLFile(file.c_str());
    const CPLXMLNode* const root = CPLGetXMLNode(tree, "=PAMDataset");
    for (const CPLXMLNode* node = root != nullptr ? root->psChild : nullptr; node != nullptr;
         node = node->psNext) {
        if (node->eType != CXT_Element || !EQUAL(node->pszValue, "Array") ||
            CPLGetXMLValue(node, "name", "") != "/" + path)
            continue;
        if (CPLGetXMLNode(node, kFromStore) == nullptr) pam.crs = CPLGetXMLValue(node, "SRS", "");
        static constexpr const char* kItems[][2] = {{"Minimum", "STATISTICS_MINIMUM"},
                                                    {"Maximum", "STATISTICS_MAXIMUM"},
                                                    {"Mean", "STATISTICS_MEAN"},
                                                    {"StdDev", "STATISTICS_STDDEV"}};
        const CPLXMLNode* const statistics = CPLGetXMLNode(node, "Statistics");
        if (statistics == nullptr || newest_chunk() > zarr::ModificationTime(stat)) continue;
        for (const auto& [element, item] : kItems)
            if (const char* value = CPLGetXMLValue(statistics, element, nullptr))
                pam.statistics.SetNameValue(item, value);
        if (CPLTestBool(CPLGetXMLValue(statistics, "ApproxStats", "0")))
            pam.statistics.SetNameValue("STATISTICS_APPROXIMATE", "YES");
    }
    CPLDestroyXMLNode(tree);
    return pam;
}

}  // namespace zarr_driver
