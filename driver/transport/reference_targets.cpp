// SPDX-License-Identifier: MIT
#include "driver/transport/reference_targets.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_time.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/files.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/base/tuning.h"
#include "core/store/keys.h"
#include "driver/transport/dot_segments.h"
#include "driver/transport/http_client.h"
#include "driver/transport/response_cache.h"
#include "driver/transport/url_host.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::ReferenceTarget;
using zarr::Result;
using zarr::Status;

namespace {

constexpr const char* kFoldersOption = "ZARR_REFERENCE_FOLDERS";
constexpr const char* kHostsOption = "ZARR_REFERENCE_HOSTS";

Status Changed() {
    return Status::Corrupt(
        "the file has changed since the reference to it was made; make the references again");
}

// ------------------------------------------------------------------------------------------------
// Which location is meant, and whether it may be read

bool IsAbsolute(const std::string& path) {
    return !path.empty() &&
           (path[0] == '/' || path[0] == '\\' || (path.size() > 2 && path[1] == ':'));
}

// A URL scheme that fsspec or Icechunk uses in references, and GDAL's prefix for such URLs.
struct Scheme {
    std::string_view name;
    const char* prefix;
};
constexpr Scheme kSchemes[] = {
    {"http", "http://"}, {"https", "https://"}, {"s3", "/vsis3/"},    {"s3a", "/vsis3/"},
    {"gs", "/vsigs/"},   {"gcs", "/vsigs/"},    {"az", "/vsiaz/"},    {"abfs", "/vsiaz/"},
    {"oss", "/vsioss/"}, {"file", "file://"},   {"local", "file://"},
};

// Returns GDAL's path for a URL, `location`, whose scheme ends at `colon`. Returns kUnsupported if
// the scheme is unknown.
Result<StorePath> PathOfUrl(const std::string& location, std::size_t colon) {
    const std::string_view scheme = std::string_view(location).substr(0, colon);
    for (const Scheme& known : kSchemes)
        if (EQUALN(scheme.data(), known.name.data(), known.name.size()) &&
            scheme.size() == known.name.size())
            return StorePath(known.prefix + location.substr(colon + 3));
    return Status::Unsupported(zarr::Quoted(location) + ": the scheme " +
                               zarr::Quoted(std::string(scheme)) +
                               " of the reference is unsupported");
}

std::string Unresolved(const std::string& host) {
    return "the host " + zarr::Quoted(host) + " cannot be resolved";
}

// Returns an error if a target on the host `host` must not be read from `other`, to which the
// server redirects.
Status CheckRedirect(const std::string& host, const std::string& other) {
    // Amazon redirects requests for a bucket to the region of the bucket, so such redirects are
    // allowed.
    constexpr std::string_view kAmazon = "amazonaws.com";
    if (IsHostIn(host, kAmazon) && IsHostIn(other, kAmazon)) return {};
    const std::string message =
        "the server redirects to the host " + zarr::Quoted(other) + ", which the references ";
    const HostAddress address = IsPlainHost(other) ? AddressOf(other) : HostAddress::kLinkLocal;
    if (address == HostAddress::kUnknown)
        return Status::Io("the server redirects: " + Unresolved(other));
    if (address == HostAddress::kLinkLocal) return Status::Permission(message + "must not name");
    const char* const hosts = CPLGetConfigOption(kHostsOption, "");
    if (EQUAL(hosts, "ALL")) return {};
    const CPLStringList list(CSLTokenizeString2(hosts, ", ", 0));
    for (int i = 0; i < list.size(); ++i)
        if (IsHostIn(other, CPLString(list[i]).tolower())) return {};
    return Status::Permission(message + "do not name; allow it with the configuration option " +
                              kHostsOption + "=" + other);
}

// Returns the absolute path of a file with symbolic links resolved. If the file does not exist,
// resolves the links of its folder and appends the file name. Returns an empty string if that
// fails, too.
std::string RealPath(const std::string& path) {
    std::string real = zarr::RealPath(path.empty() ? "." : path);
    if (!real.empty()) return real;
    const std::string name(zarr::LastName(path));
    const std::string folder = ContainingFolder(path);
    real = zarr::RealPath(folder.empty() ? "." : folder);
    return real.empty() || name == ".." || name == "." ? std::string() : real + "/" + name;
}

bool IsBelow(const std::string& path, const std::string& folder) {
    return !folder.empty() && path.size() > folder.size() &&
           path.compare(0, folder.size(), folder) == 0 &&
           (path[folder.size()] == '/' || folder.back() == '/');
}

// True if the user has set a configuration option that lets any document refer to the local file
// `real`. `real` is the file's path with symbolic links resolved; empty if the file's folder does
// not exist.
bool IsAllowedByOption(const std::string& real) {
    for (const char* option :
         {"GDAL_ALLOW_REMOTE_RESOURCE_TO_ACCESS_LOCAL_FILE", "ICECHUNK_ALLOW_LOCAL_CHUNK_LOCATION"})
        if (CPLTestBool(CPLGetConfigOption(option, "NO"))) return true;
    const char* const folders = CPLGetConfigOption(kFoldersOption, "");
    if (EQUAL(folders, "ALL")) return true;
#ifdef _WIN32
    constexpr const char* kSeparator = ";";  // a path may begin with a drive, such as C:
#else
    constexpr const char* kSeparator = ":";
#endif
    const CPLStringList list(CSLTokenizeString2(folders, kSeparator, 0));
    for (int i = 0; i < list.size(); ++i)
        if (IsBelow(real, RealPath(list[i]))) return true;
    return false;
}

Status VirtualFileSystem(const std::string& location) {
    return Status::Permission(zarr::Quoted(location) +
                              ": references to virtual file systems are refused");
}

// Returns an error if documents may not refer to the host of `path`, a path on a server or in an
// object store.
class HostRules {
  public:
    Status Check(const std::string& location, const StorePath& path) const {
        if (path.is_object_store()) {
            // Other characters could end the host in the URL that GDAL makes of the bucket's name.
            const std::string_view bucket = BucketOf(path.text());
            return bucket.find_first_of("@:?#[]\\%") == std::string_view::npos && IsAscii(bucket)
                       ? Status()
                       : Status::Permission(zarr::Quoted(location) +
                                            ": expected the name of a bucket");
        }
        const std::string host = HostOf(*path.Url());
        if (!IsPlainHost(host))
            return Status::Permission(zarr::Quoted(location) +
                                      ": expected a host name in ASCII (punycode)");
        const HostAddress address = Find(host);
        if (address == HostAddress::kUnknown)
            return Status::Io(zarr::Quoted(location) + ": " + Unresolved(host));
        if (address == HostAddress::kLinkLocal)
            return Status::Permission(zarr::Quoted(location) +
                                      ": references to link-local addresses are refused");
        return {};
    }

  private:
    static std::string_view BucketOf(std::string_view path) {
        const std::size_t begin = std::min(path.find('/', 1), path.size() - 1) + 1;
        return path.substr(begin, std::min(path.find('/', begin), path.size()) - begin);
    }
    static bool IsAscii(std::string_view text) {
        return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
    }
    // Looks each host up once, because that may take a request to a name server. A failure is not
    // remembered.
    HostAddress Find(const std::string& host) const {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            const auto known = hosts_.find(host);
            if (known != hosts_.end()) return known->second;
        }
        const HostAddress address = AddressOf(host);
        if (address == HostAddress::kUnknown) return address;
        const std::lock_guard<std::mutex> lock(mutex_);
        if (hosts_.size() >= zarr::tuning::kOpenTargets) hosts_.clear();
        return hosts_.emplace(host, address).first->second;
    }

    mutable std::mutex mutex_;
    mutable std::map<std::string, HostAddress> hosts_;
};

class Locations {
  public:
    Locations(StorePath folder, StorePath trusted)
        : folder_(std::move(folder)), trusted_(std::move(trusted)) {}

    // Returns the path of a `location` that a document states. Returns kPermission if the document
    // may not refer to that location.
    Result<StorePath> Resolve(const std::string& location) const {
        ZARR_ASSIGN_OR_RETURN(StorePath path, PathOf(location));
        if (path.is_remote()) {
            // A path "/vsi..." is refused, also after "file://", because documents refer to servers
            // and object stores by URLs of those.
            const bool is_relative = SchemeEnd(location) == 0 && !IsAbsolute(location);
            if (!is_relative && !IsRemoteUrl(location)) return VirtualFileSystem(location);
            ZARR_RETURN_IF_ERROR(hosts_.Check(location, path));
            return path;
        }
        if (path.kind() != StorePath::Kind::kLocal) {
            // A file in a virtual file system is allowed only below the document's folder in that
            // file system.
            if (path.kind() == folder_.kind() && IsBelow(path, folder_.text()) &&
                !HasDotSegments(path.text()))
                return path;
            return VirtualFileSystem(location);
        }
        const std::string real = RealPath(path);
        const bool is_in_same_folder =
            trusted_.kind() == StorePath::Kind::kLocal && IsBelow(real, RealPath(trusted_.text()));
        if (is_in_same_folder || IsAllowedByOption(real)) return path;
        return Status::Permission(
            zarr::Quoted(location) + ": the file is not below the folder of the references; " +
            "allow it with the configuration option " + kFoldersOption + "=FOLDER");
    }

    // Returns the path of a `location`, which may be one that the document must not refer to.
    Result<StorePath> PathOf(const std::string& location) const {
        if (location.find('\0') != std::string::npos)
            return Status::Invalid(zarr::Quoted(location) + ": contains a NUL character");
        if (const std::size_t colon = SchemeEnd(location)) return PathOfUrl(location, colon);
        if (IsAbsolute(location)) return StorePath(location);
        std::string relative = location;
        std::replace(relative.begin(), relative.end(), '\\', '/');
        // The system resolves ".." in local paths after links.
        if (folder_.kind() == StorePath::Kind::kLocal) return StorePath(FileIn(folder_, relative));
        std::string folder = folder_;
        const std::string query = TakeQuery(folder_, folder);
        return StorePath(JoinResolved(folder, RootSize(folder), relative) + query);
    }

  private:
    // Returns the position of the colon after the scheme if `location` is a URL, else 0.
    static std::size_t SchemeEnd(const std::string& location) {
        const std::size_t colon = location.find("://");
        return colon != std::string::npos && location.find('/') == colon + 1 ? colon : 0;
    }
    static bool IsRemoteUrl(const std::string& location) {
        return SchemeEnd(location) != 0 && !STARTS_WITH_CI(location.c_str(), "file:") &&
               !STARTS_WITH_CI(location.c_str(), "local:");
    }
    // Returns the size of the part of a folder's path that ".." does not leave: the server or the
    // bucket; 0 if there is none.
    std::size_t RootSize(const std::string& folder) const {
        if (!folder_.is_remote()) return 0;
        const std::size_t host = folder.find("://");
        const std::size_t from = host == std::string::npos ? folder.find('/', 1) + 1 : host + 3;
        return std::min(folder.find('/', from), folder.size());
    }

    const HostRules hosts_;
    const StorePath folder_;   // where relative locations start
    const StorePath trusted_;  // local folder whose files the document may name
};

// ------------------------------------------------------------------------------------------------
// Targets

// A referenced file: a local file, or one in a virtual file system of GDAL.
class FileTarget final : public ReferenceTarget {
  public:
    explicit FileTarget(const StorePath& path)
        : path_(path),
          name_(zarr::LastName(path.text())),
          store_(OpenFolder(ContainingFolder(path.text()))) {}

    std::string Describe() const override { return path_.text(); }
    Result<bool> Read(const zarr::ValuePart& part, const zarr::TargetCondition& condition,
                      zarr::Buffer& bytes) const override {
        constexpr std::int64_t kSecond = 1'000'000'000;
        const zarr::ObjectVersion version = Version();
        // Compares whole seconds, because references give times in seconds.
        if (condition.not_modified_after && version.exists &&
            version.modified / kSecond > *condition.not_modified_after)
            return Changed();
        if (!condition.etag.empty() && version.exists && condition.etag != TagOf(version))
            return Changed();
        ZARR_ASSIGN_OR_RETURN(const zarr::ReadResult read, store_->Read(name_, part, bytes));
        return read.found;
    }
    zarr::ObjectVersion Version() const override { return store_->VersionOf(name_); }

  private:
    // Returns the ETag that Icechunk gives a local file: inode number, time in microseconds and
    // size, in hexadecimal digits.
    static std::string TagOf(const zarr::ObjectVersion& version) {
        constexpr std::int64_t kMicrosecond = 1000;
        std::ostringstream tag;
        tag << std::hex << version.mark << "-" << version.modified / kMicrosecond << "-"
            << version.size;
        return tag.str();
    }

    const StorePath path_;
    const std::string name_;
    const std::shared_ptr<const zarr::Store> store_;
};

// A referenced file on a web server, or an object in an object store.
class RemoteTarget final : public ReferenceTarget {
  public:
    explicit RemoteTarget(StorePath path) : path_(std::move(path)) {}

    std::string Describe() const override { return path_.text(); }

    Result<bool> Read(const zarr::ValuePart& part, const zarr::TargetCondition& condition,
                      zarr::Buffer& bytes) const override {
        std::optional<ByteExtent> extent;
        if (!part.is_whole())
            extent =
                ByteExtent{part.offset(), std::max<std::size_t>(part.length(), 1), part.is_tail()};
        const std::size_t limit =
            part.is_whole()
                ? part.length()
                : std::max(part.length(),
                           static_cast<std::size_t>(zarr::LimitOf(zarr::Limit::kChunkSize)));
        const auto url = path_.Url();
        if (!url) {
            const std::string folder(zarr::ParentPath(path_.text()));
            ZARR_ASSIGN_OR_RETURN(
                const zarr::ReadResult read,
                VsiStore(folder).Read(std::string(zarr::LastName(path_.text())), part, bytes));
            return read.found;
        }
        ValueInfo info;
        const std::string headers = ConditionHeaders(condition);
        const RemoteValue value{*url, path_, path_, headers, CheckRedirect};
        // A read with a condition does not use the cache, because cached answers were not checked
        // against the condition.
        ZARR_ASSIGN_OR_RETURN(const bool found,
                              condition.is_empty() ? FetchCached(value, bytes, limit, extent, &info)
                                                   : Fetch(value, bytes, limit, extent, &info));
        if (info.is_condition_unmet) return Changed();
        if (found && part.length() == 0 && !part.is_whole()) ZARR_RETURN_IF_ERROR(bytes.Reset(0));
        if (found && !info.version.empty()) NoteVersion(info.version);
        return found;
    }

    // Returns the version of the contents. The mark of the version grows each time the server
    // returns other contents than before.
    zarr::ObjectVersion Version() const override {
        const std::lock_guard<std::mutex> lock(mutex_);
        zarr::ObjectVersion version;
        version.is_certain = version.exists = true;
        version.mark = count_;
        return version;
    }

  private:
    static std::string ConditionHeaders(const zarr::TargetCondition& condition) {
        if (!condition.etag.empty()) {
            const bool is_quoted = condition.etag[0] == '"' || condition.etag.substr(0, 2) == "W/";
            return "If-Match: " + (is_quoted ? condition.etag : "\"" + condition.etag + "\"");
        }
        if (!condition.not_modified_after) return {};
        struct tm time = {};
        CPLUnixTimeToYMDHMS(*condition.not_modified_after, &time);
        constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
        constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                           "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
        return CPLSPrintf("If-Unmodified-Since: %s, %02d %s %d %02d:%02d:%02d GMT",
                          kDays[time.tm_wday % 7], time.tm_mday, kMonths[time.tm_mon % 12],
                          time.tm_year + 1900, time.tm_hour, time.tm_min, time.tm_sec);
    }

    void NoteVersion(const std::string& version) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (count_ == 0 || version_ != version) ++count_;
        version_ = version;
    }

    const StorePath path_;
    mutable std::mutex mutex_;
    mutable std::string version_;      // version in the server's last answer
    mutable std::uint64_t count_ = 0;  // how often version_ was set to another value
};

class Targets final : public zarr::TargetOpener {
  public:
    Targets(const StorePath& folder, const StorePath& trusted, const std::string& sample)
        : locations_(folder, trusted) {
        const auto path = locations_.PathOf(sample);
        const StorePath& first = path.ok() && !sample.empty() ? *path : folder;
        if (first.is_remote()) link_ = &LinkTo(first);
    }

    Result<std::shared_ptr<const ReferenceTarget>> Open(
        const std::string& location) const override {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            const auto known = targets_.find(location);
            if (known != targets_.end()) return known->second;
        }
        ZARR_ASSIGN_OR_RETURN(StorePath path, locations_.Resolve(location));
        std::shared_ptr<const ReferenceTarget> target;
        if (path.is_remote())
            target = std::make_shared<const RemoteTarget>(std::move(path));
        else
            target = std::make_shared<const FileTarget>(path);
        const std::lock_guard<std::mutex> lock(mutex_);
        if (targets_.size() >= zarr::tuning::kOpenTargets) targets_.clear();
        return targets_.emplace(location, std::move(target)).first->second;
    }

    zarr::StoreTraits Traits() const override {
        zarr::StoreTraits traits;
        if (link_ == nullptr) return traits;
        traits.remote = traits.packed = true;
        traits.caches_absence = true;
        traits.concurrent_reads = zarr::tuning::kRemoteReads;
        traits.request_cost = link_->Cost();
        return traits;
    }

  private:
    const Locations locations_;
    const zarr::LinkEstimate* link_ = nullptr;  // nullptr if targets are local
    mutable std::mutex mutex_;
    mutable std::map<std::string, std::shared_ptr<const ReferenceTarget>> targets_;
};

}  // namespace

std::shared_ptr<const zarr::TargetOpener> OpenReferenceTargets(const StorePath& folder,
                                                               const StorePath& trusted,
                                                               const std::string& sample) {
    return std::make_shared<const Targets>(folder, trusted, sample);
}

ReferenceResolver ResolverOfReferences(const StorePath& folder, const StorePath& trusted) {
    return [rules = std::make_shared<const Locations>(folder, trusted)](
               const std::string& location) { return rules->Resolve(location); };
}

StorePath FolderAround(const StorePath& folder) {
    if (folder.kind() != StorePath::Kind::kLocal) return folder;
    return ContainingFolder(folder.text());
}

}  // namespace zarr_driver
