// SPDX-License-Identifier: MIT
#include "driver/store/zip_file.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/fork.h"
#include "core/metadata/documents.h"
#include "core/store/keys.h"
#include "core/store/local_file.h"
#include "core/store/zip_update.h"
#include "driver/base/aside_name.h"
#include "driver/base/report.h"
#include "driver/store/byte_file.h"
#include "driver/store/response_cache.h"
#include "driver/store/store_path.h"
#include "driver/store/vsi_store.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// Most bytes of an answer that holds more than was asked for.
constexpr std::size_t kMostUnasked = std::size_t{64} << 20;

constexpr const char* kZipPrefix = "/vsizip/";

// A file of GDAL's virtual file systems, through one handle for each that reads at the same time.
class VsiSource final : public zarr::ByteSource {
  public:
    VsiSource(const std::string& path, std::uint64_t size) : path_(path), size_(size) {}
    ~VsiSource() override {
        const QuietCall call(path_);
        CloseAll(idle_);
    }
    VsiSource(const VsiSource&) = delete;
    VsiSource& operator=(const VsiSource&) = delete;

    std::uint64_t size() const override { return size_; }
    bool is_distant() const override { return path_.is_remote(); }
    zarr::ReadCost cost() const override {
        return is_distant() ? LinkTo(path_).Cost() : zarr::Store::kLocalCost;
    }

    Status ReadAt(std::uint64_t offset, zarr::MutableByteSpan memory) const override {
        if (memory.size == 0) return {};
        const QuietCall call(path_);
        if (const auto url = path_.Url()) return ReadUrl(*url, offset, memory);
        VSILFILE* const file = Take();
        if (file == nullptr) return Status::Io("the zip file cannot be opened");
        const bool is_read = VSIFSeekL(file, offset, SEEK_SET) == 0 &&
                             VSIFReadL(memory.data, 1, memory.size, file) == memory.size;
        Return(file);
        return is_read ? Status() : Status::Io("the zip file cannot be read");
    }

  private:
    Status ReadUrl(const std::string& url, std::uint64_t offset,
                   zarr::MutableByteSpan memory) const {
        zarr::Buffer part;
        // A server that knows no ranges sends the whole file for each.
        const std::size_t limit = std::max(memory.size, kMostUnasked);
        auto found = FetchKept({url, path_, path_}, part, limit, ByteExtent{offset, memory.size});
        if (!found.ok() && found.status().code() == zarr::StatusCode::kLimit)
            return Status::Io("the server knows no byte ranges, and the zip file has more than " +
                              std::to_string(limit) + " bytes; copy it to this machine");
        ZARR_RETURN_IF_ERROR(found.status());
        if (!*found || part.size() != memory.size) return Status::Io("the zip file ends early");
        std::memcpy(memory.data, std::as_const(part).data(), memory.size);
        return {};
    }

    VSILFILE* Take() const {
        std::vector<VSILFILE*> parents;
        VSILFILE* file = nullptr;
        {
            const std::lock_guard<zarr::Mutex> lock(mutex_);
            // A forked child would share the place in the file with its parent.
            if (generation_ != zarr::ForkGeneration()) parents.swap(idle_);
            generation_ = zarr::ForkGeneration();
            if (!idle_.empty()) {
                file = idle_.back();
                idle_.pop_back();
            }
        }
        CloseAll(parents);
        return file != nullptr ? file : VSIFOpenL(path_.c_str(), "rb");
    }

    static void CloseAll(const std::vector<VSILFILE*>& files) {
        for (VSILFILE* file : files) VSIFCloseL(file);
    }

    void Return(VSILFILE* file) const {
        const std::lock_guard<zarr::Mutex> lock(mutex_);
        idle_.push_back(file);
    }

    const StorePath path_;
    const std::uint64_t size_;
    mutable zarr::Mutex mutex_;
    mutable std::uint64_t generation_ = zarr::ForkGeneration();  // whose the handles are
    mutable std::vector<VSILFILE*> idle_;
};

bool EndsWithZip(const std::string& path) {
    return path.size() > 4 && EQUAL(path.c_str() + path.size() - 4, ".zip");
}

std::uint64_t SizeOf(const VSIStatBufL& stat) {
    return static_cast<std::uint64_t>(
        std::max<std::int64_t>(static_cast<std::int64_t>(stat.st_size), 0));
}

// The folder behind the archive in a path below /vsizip/.
std::string FolderBehind(const std::string& path, const std::string& archive) {
    const std::size_t at = path.find(archive, std::strlen(kZipPrefix));
    std::string inner = at == std::string::npos ? "" : path.substr(at + archive.size());
    if (!inner.empty() && inner[0] == '}') inner.erase(0, 1);
    const auto normal = zarr::NormalizePath(inner);
    return normal.ok() ? *normal : inner;
}

using Archive = std::shared_ptr<const zarr::ZipArchive>;

zarr::Mutex archives_mutex;
auto& open_archives = *new std::map<std::string, std::weak_ptr<const zarr::ZipArchive>>();
// What was opened last is often opened again: identified, opened, and then its subdatasets.
auto& last = *new Archive();

// No other last reference goes while the mutex is held: that closes files.
Archive Find(const std::string& identity) {
    Archive before;
    const std::lock_guard<zarr::Mutex> lock(archives_mutex);
    const auto known = open_archives.find(identity);
    Archive archive = known != open_archives.end() ? known->second.lock() : nullptr;
    if (archive != nullptr) before = std::exchange(last, archive);
    return archive;
}

void Remember(const std::string& identity, const Archive& archive) {
    Archive before;
    const std::lock_guard<zarr::Mutex> lock(archives_mutex);
    for (auto at = open_archives.begin(); at != open_archives.end();)
        at = at->second.expired() ? open_archives.erase(at) : std::next(at);
    open_archives[identity] = archive;
    before = std::exchange(last, archive);
}

}  // namespace

void CloseIdleZip() {
    Archive before;
    const std::lock_guard<zarr::Mutex> lock(archives_mutex);
    before = std::move(last);
}

std::optional<ZipPlace> ZipPlaceOf(const std::string& path) {
    ZipPlace place;
    if (const auto archive = ArchiveOf(path)) {
        place.archive = *archive;
        const std::string inner = FolderBehind(path, *archive);
        if (!inner.empty()) place.inner = inner;
        // GDAL lets the second slash of /vsizip//vsicurl/ be left out.
        if (STARTS_WITH(place.archive.c_str(), "vsi")) place.archive.insert(0, "/");
        return place;
    }
    if (!EndsWithZip(path)) return std::nullopt;
    VSIStatBufL stat;
    // A folder may have such a name, too.
    if (!StorePath(path).is_remote() &&
        (VSIStatL(path.c_str(), &stat) != 0 || VSI_ISDIR(stat.st_mode)))
        return std::nullopt;
    place.archive = path;
    return place;
}

Result<std::shared_ptr<const zarr::ZipArchive>> OpenZip(const std::string& path) {
    const QuietErrors quiet;
    VSIStatBufL stat;
    if (VSIStatExL(path.c_str(), &stat, VSI_STAT_EXISTS_FLAG | VSI_STAT_SIZE_FLAG) != 0)
        return Status::NotFound("there is no such zip file");
    const std::string identity = VsiStore(path).Identity() + "\n" + std::to_string(stat.st_size) +
                                 "\n" + std::to_string(zarr::ModificationTime(stat));
    if (auto archive = Find(identity)) return archive;
    auto source = std::make_unique<VsiSource>(path, SizeOf(stat));
    ZARR_ASSIGN_OR_RETURN(auto archive, zarr::ZipArchive::Open(std::move(source), identity, path));
    Remember(identity, archive);
    return archive;
}

Status MakeEmptyZip(const std::string& path) {
    const QuietErrors quiet;
    const std::string end = zarr::EmptyZip();
    const VsiFile file(VSIFOpenL(path.c_str(), "wb"));
    const bool is_written = file != nullptr &&
                            VSIFWriteL(end.data(), 1, end.size(), file.get()) == end.size() &&
                            VSIFFlushL(file.get()) == 0;
    return is_written ? Status()
                      : Status::Io("the zip file cannot be made: " + QuietErrors::Message());
}

Result<std::shared_ptr<zarr::Store>> OpenZipForUpdate(const ZipPlace& place) {
    using StorePtr = std::shared_ptr<zarr::Store>;
    static auto& open_stores = *new std::map<std::string, std::weak_ptr<zarr::ZipUpdateStore>>();
    static auto& mutex = *new zarr::Mutex();
    const std::lock_guard<zarr::Mutex> lock(mutex);
    const std::string name = VsiStore(place.archive).Identity() + "\n" + place.inner.value_or("") +
                             "\n" + std::to_string(zarr::ForkGeneration());
    for (auto at = open_stores.begin(); at != open_stores.end();)
        at = at->second.expired() ? open_stores.erase(at) : std::next(at);
    if (const auto known = open_stores.find(name); known != open_stores.end())
        if (auto store = known->second.lock()) return StorePtr(std::move(store));
    // A new store is held by the one who builds it.
    const bool is_aside = NameWhenDone(place.archive) != place.archive;
    ZARR_ASSIGN_OR_RETURN(auto file, OpenByteFile(place.archive, is_aside));
    // Read anew now that the file is locked.
    ZARR_ASSIGN_OR_RETURN(
        const auto archive,
        zarr::ZipArchive::Open(std::make_unique<VsiSource>(place.archive, file->size()),
                               place.archive, place.archive));
    ZARR_ASSIGN_OR_RETURN(auto store, zarr::ZipUpdateStore::Open(archive, std::move(file),
                                                                 InnerFolder(place, *archive)));
    open_stores[name] = store;
    return StorePtr(std::move(store));
}

Status CheckZip(const std::string& path) {
    const QuietErrors quiet;
    VSIStatBufL stat;
    if (VSIStatExL(path.c_str(), &stat, VSI_STAT_EXISTS_FLAG | VSI_STAT_SIZE_FLAG) != 0)
        return Status::Io("the zip file cannot be found again");
    ZARR_ASSIGN_OR_RETURN(
        const auto archive,
        zarr::ZipArchive::Open(std::make_unique<VsiSource>(path, SizeOf(stat)), path, path));
    return archive->CheckContents();
}

std::string InnerFolder(const ZipPlace& place, const zarr::ZipArchive& archive) {
    if (place.inner) return *place.inner;
    return archive.FindRoot([&](const std::string& prefix) {
        return zarr::HoldsRootDocumentOfAnyFormat(
            prefix, [&](const std::string& key) { return archive.Find(key) != nullptr; });
    });
}

bool HoldsStore(const zarr::ZipArchive& archive, const std::string& prefix) {
    return zarr::HoldsRootDocument(
        prefix, [&](const std::string& key) { return archive.Find(key) != nullptr; });
}

namespace {

constexpr const char* kPrefix = "/vsizip/";

Status CannotWrite(const std::string& key) {
    const std::string detail = QuietErrors::Message();
    return Status::Io(key + ": cannot write into the zip file" +
                      (detail.empty() ? "" : ": " + detail));
}

// Of the zip file that a folder is in, whatever that is called.
std::string RootOf(const std::string& folder) {
    return std::string(kPrefix) + "{" + ArchiveOf(folder).value_or("") + "}";
}

bool IsMetadata(std::string_view key) { return zarr::IsLikeDocument(zarr::LastName(key)); }

}  // namespace

std::optional<std::string> ArchiveOf(const std::string& path) {
    if (!STARTS_WITH_CI(path.c_str(), kPrefix)) return std::nullopt;
    const std::string inner = path.substr(std::strlen(kPrefix));
    if (!inner.empty() && inner[0] == '{') {  // /vsizip/{archive}/member
        const std::size_t end = inner.find('}');
        return end == std::string::npos ? inner : inner.substr(1, end - 1);
    }
    const CPLString lower = CPLString(inner).tolower();
    for (std::size_t at = lower.find(".zip"); at != std::string::npos;
         at = lower.find(".zip", at + 1))
        if (at + 4 == lower.size() || lower[at + 4] == '/') return inner.substr(0, at + 4);
    return inner;
}

Result<std::shared_ptr<zarr::Store>> ZipWriter::Create(const std::string& folder,
                                                       StoreReplacement replacement) {
    const QuietErrors quiet;
    VSILFILE* const file = VSIFOpenL(RootOf(replacement.folder()).c_str(), "wb");
    if (file == nullptr) return CannotWrite("");
    return std::shared_ptr<zarr::Store>(new ZipWriter(folder, file, std::move(replacement)));
}

ZipWriter::~ZipWriter() {
    const QuietErrors quiet;
    if (archive_ != nullptr) VSIFCloseL(archive_);
}

Result<bool> ZipWriter::Get(const std::string& key, zarr::Buffer& value, std::size_t limit) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto held = held_.find(key);
    if (held == held_.end()) {
        if (written_.count(key) == 0) return false;
        return Status::Unsupported(key + ": cannot be read until the zip file is closed");
    }
    if (held->second.size() > limit) return zarr::ValueTooLarge(key, held->second.size(), limit);
    ZARR_RETURN_IF_ERROR(value.Reset(held->second.size()).WithContext(key));
    std::copy(held->second.begin(), held->second.end(), value.span().data);
    return true;
}

Result<bool> ZipWriter::GetRange(const std::string& key, std::uint64_t offset, std::size_t length,
                                 zarr::Buffer& value) const {
    zarr::Buffer whole;
    ZARR_ASSIGN_OR_RETURN(const bool found, Get(key, whole, zarr::kNoLimit));
    if (!found) return false;
    const std::size_t from =
        static_cast<std::size_t>(std::min<std::uint64_t>(offset, whole.size()));
    const std::size_t size = std::min(length, whole.size() - from);
    ZARR_RETURN_IF_ERROR(value.Reset(size).WithContext(key));
    std::copy_n(whole.span().data + from, size, value.span().data);
    return true;
}

Status ZipWriter::Set(const std::string& key, zarr::ByteSpan value) {
    ZARR_RETURN_IF_ERROR(zarr::CheckKey(key));
    const std::lock_guard<std::mutex> lock(mutex_);
    if (written_.count(key) != 0)
        return Status::Unsupported(
            key + ": a member of a zip file is written once; write whole chunks, or into a folder");
    const auto held = held_.find(key);
    const bool fits = value.size <= kSmall && held_bytes_ + value.size <= kHeld;
    if (!IsMetadata(key) && held == held_.end() && !fits) return Write(key, value);
    std::string text(value.text());
    std::string& place = held_[key];
    held_bytes_ += value.size;
    held_bytes_ -= place.size();
    place = std::move(text);
    return {};
}

Status ZipWriter::Write(const std::string& key, zarr::ByteSpan value) {
    if (archive_ == nullptr) return Status::Io(key + ": the zip file is closed");
    const QuietErrors quiet;
    const std::string path = building_folder_ + "/" + key;
    const auto member = written_.insert(key).first;
    VSILFILE* const file = VSIFOpenL(path.c_str(), "wb");
    if (file == nullptr) {
        written_.erase(member);
        return CannotWrite(key);
    }
    const bool written =
        value.size == 0 || VSIFWriteL(value.data, 1, value.size, file) == value.size;
    if (VSIFCloseL(file) == 0 && written) return {};
    is_damaged_ = true;
    return CannotWrite(key);
}

Status ZipWriter::Erase(const std::string& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto held = held_.find(key);
    if (held != held_.end()) {
        held_bytes_ -= held->second.size();
        held_.erase(held);
    }
    if (written_.count(key) == 0) return {};
    return Status::Unsupported(key + ": a member of a zip file cannot be removed");
}

Status ZipWriter::Close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (archive_ == nullptr) return {};
    Status status;
    for (const auto& [key, text] : held_) {
        status = Write(key, zarr::ByteSpan(std::string_view(text)));
        if (!status.ok()) break;
    }
    {
        const QuietErrors quiet;
        if (VSIFCloseL(std::exchange(archive_, nullptr)) != 0 && status.ok())
            status = CannotWrite("");
    }
    if (status.ok() && is_damaged_) return {};  // which was told when it happened
    if (status.ok()) status = CheckZip(ArchiveOf(building_folder_).value_or(""));
    if (status.ok()) status = replacement_.Commit();
    return status;
}

Result<std::vector<zarr::StoreEntry>> ZipWriter::List(const std::string& prefix) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::map<std::string, bool> names;
    const std::string start = prefix.empty() ? "" : prefix + "/";
    const auto add = [&](const std::string& key) {
        if (key.compare(0, start.size(), start) != 0) return;
        const std::size_t end = key.find('/', start.size());
        names[key.substr(start.size(), end - start.size())] |= end != std::string::npos;
    };
    for (const auto& [key, text] : held_) add(key);
    for (const std::string& key : written_) add(key);
    std::vector<zarr::StoreEntry> entries;
    entries.reserve(names.size());
    for (const auto& [name, is_prefix] : names) entries.push_back({name, is_prefix});
    return entries;
}

}  // namespace zarr_driver
