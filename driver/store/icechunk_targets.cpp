// SPDX-License-Identifier: MIT
#include "driver/store/icechunk_targets.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/references/icechunk_file.h"
#include "core/store/keys.h"
#include "driver/transport/dot_segments.h"
#include "driver/transport/reference_targets.h"

namespace zarr_driver {

using zarr::IcechunkContainer;
using zarr::ReferenceTarget;
using zarr::Result;
using zarr::Status;

namespace {

// An object below chunks/ of the repository, in which the repository stores its own chunks. Such an
// object never changes.
class ChunkTarget final : public ReferenceTarget {
  public:
    ChunkTarget(std::shared_ptr<const zarr::Store> repository, StorePath path, std::string key)
        : repository_(std::move(repository)), path_(std::move(path)), key_(std::move(key)) {}

    std::string Describe() const override { return path_.text(); }
    Result<bool> Read(const zarr::ValuePart& part, const zarr::TargetCondition& /*condition*/,
                      zarr::Buffer& bytes) const override {
        ZARR_ASSIGN_OR_RETURN(const zarr::ReadResult read, repository_->Read(key_, part, bytes));
        return read.found;
    }
    zarr::ObjectVersion Version() const override {
        zarr::ObjectVersion version;
        version.is_certain = version.exists = true;
        return version;
    }

  private:
    const std::shared_ptr<const zarr::Store> repository_;
    const StorePath path_;
    const std::string key_;
};

// ------------------------------------------------------------------------------------------------
// URLs of virtual chunks

// Parts of a URL, which is split at "://" and at the first '/' after that. Text without "://" is a
// scheme alone.
struct Url {
    std::string scheme;  // scheme of the URL, in lower case
    std::string host;    // host of a server, or bucket of an object store
    std::string key;     // path of the URL, percent-decoded, without a leading '/'
};

// Splits a URL into its parts. Removes a query or fragment, as Icechunk does.
Url Split(const std::string& url) {
    Url parts;
    const std::size_t colon = url.find("://");
    parts.scheme = CPLString(url.substr(0, colon)).tolower();
    std::string rest = colon == std::string::npos ? std::string() : url.substr(colon + 3);
    rest.resize(std::min(rest.find_first_of("?#"), rest.size()));
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    parts.host = rest.substr(0, slash);
    // Each "+" is encoded first, because CPLUnescapeString() would turn it into a space.
    std::string escaped;
    for (const char c : rest.substr(std::min(slash + 1, rest.size())))
        escaped += c == '+' ? "%2B" : std::string(1, c);
    char* const decoded = CPLUnescapeString(escaped.c_str(), nullptr, CPLES_URL);
    parts.key = decoded;
    CPLFree(decoded);
    return parts;
}

std::string Encoded(const std::string& key) {
    constexpr char kDigits[] = "0123456789ABCDEF";
    std::string text;
    for (const char c : key) {
        const auto byte = static_cast<unsigned char>(c);
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') ||
                              std::string_view("-._~/").find(c) != std::string_view::npos;
        if (is_plain)
            text += c;
        else
            text += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
    }
    return text;
}

// Returns the absolute path of `key` with "." and ".." resolved.
std::string WithoutDots(const std::string& key) {
    const std::string path = JoinResolved({}, 0, key);
    return path.empty() ? "/" : path;
}

bool IsOptionSet(const std::string& path, const char* option) {
    return VSIGetPathSpecificOption(path.c_str(), option, nullptr) != nullptr;
}

// True if the user has set one of GDAL's options that give credentials, rights or a server for
// `path`.
bool HasOptions(const std::string& path) {
    static constexpr const char* kOptions[] = {"AWS_S3_ENDPOINT",
                                               "AWS_NO_SIGN_REQUEST",
                                               "AWS_ACCESS_KEY_ID",
                                               "AWS_PROFILE",
                                               "AWS_CONFIG_FILE",
                                               "CPL_AWS_CREDENTIALS_FILE",
                                               "AWS_ROLE_ARN",
                                               "CPL_GS_ENDPOINT",
                                               "GS_NO_SIGN_REQUEST",
                                               "GS_ACCESS_KEY_ID",
                                               "GS_OAUTH2_REFRESH_TOKEN",
                                               "GS_OAUTH2_PRIVATE_KEY",
                                               "GS_OAUTH2_PRIVATE_KEY_FILE",
                                               "GOOGLE_APPLICATION_CREDENTIALS",
                                               "AZURE_STORAGE_CONNECTION_STRING",
                                               "AZURE_STORAGE_ACCOUNT",
                                               "AZURE_NO_SIGN_REQUEST",
                                               "AZURE_STORAGE_SAS_TOKEN"};
    return std::any_of(std::begin(kOptions), std::end(kOptions),
                       [&](const char* option) { return IsOptionSet(path, option); });
}

// True if `name` can be part of the name of a host.
bool IsHostPart(const std::string& name) {
    return !name.empty() && name.find_first_not_of(
                                "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == std::string::npos;
}

// Returns the URL by which an object of an anonymous container is read without a signature.
Result<std::string> AnonymousUrl(const IcechunkContainer& container, const Url& url) {
    const std::string key = "/" + Encoded(url.key);
    if (!IsHostPart(url.host) || (!container.region.empty() && !IsHostPart(container.region)))
        return Status::Corrupt("expected the names of a bucket and a region, got " +
                               zarr::Quoted(url.host) + " and " + zarr::Quoted(container.region));
    if (container.store == "gcs") return "https://storage.googleapis.com/" + url.host + key;
    if (container.store == "azure") {
        if (!IsHostPart(container.account))
            return Status::Corrupt("the virtual chunk container names no account of Azure");
        return "https://" + container.account + ".blob.core.windows.net/" + url.host + key;
    }
    std::string endpoint = container.endpoint;
    if (endpoint.empty() && container.store == "tigris") endpoint = "https://t3.storage.dev";
    if (endpoint.empty()) {
        endpoint = "https://s3." +
                   (container.region.empty() ? std::string() : container.region + ".") +
                   "amazonaws.com";
        if (STARTS_WITH(container.region.c_str(), "cn-")) endpoint += ".cn";
    }
    if (endpoint.find("://") == std::string::npos) endpoint.insert(0, "https://");
    const std::size_t begin = endpoint.find("://") + 3;
    endpoint.resize(std::max(begin, endpoint.find_last_not_of('/') + 1));
    const std::string host = endpoint.substr(begin, endpoint.find_first_of(":/", begin) - begin);
    if (host.empty() || !STARTS_WITH_CI(endpoint.c_str(), "http"))
        return Status::Corrupt("expected the URL of a server as endpoint_url, got " +
                               zarr::Quoted(container.endpoint));
    // The bucket name is put before the host name if possible, else into the path. The bucket name
    // cannot precede a numeric address. A bucket name with dots would not match the certificates of
    // servers.
    const bool is_number = host.find_first_not_of("0123456789.") == std::string::npos;
    const bool has_path_style = container.path_style || is_number || host == "localhost" ||
                                url.host.find('.') != std::string::npos;
    if (has_path_style) return endpoint + "/" + url.host + key;
    return endpoint.insert(begin, url.host + ".") + key;
}

bool IsObjectStore(const std::string& scheme) {
    static constexpr std::string_view kKnown[] = {"s3",    "s3a",  "gs",     "gcs", "az",
                                                  "azure", "abfs", "tigris", "r2"};
    return std::find(std::begin(kKnown), std::end(kKnown), scheme) != std::end(kKnown);
}

// Returns the path of a local file. Resolves "." and ".." in `url`, as Icechunk does.
Result<std::string> LocalPath(const std::string& text, const Url& url,
                              const IcechunkContainer* container) {
    const std::string path = WithoutDots(url.key);
    // A path below /vsi is refused, because it would leave the local file system.
    if (!url.host.empty() || STARTS_WITH(path.c_str(), "/vsi"))
        return Status::Permission(zarr::Quoted(text) + ": expected the URL of a local file");
    if (container != nullptr && path != "/" + url.key) {
        const std::string folder = WithoutDots(Split(container->url_prefix).key);
        if (folder != "/" && path.compare(0, folder.size() + 1, folder + "/") != 0)
            return Status::Permission(zarr::Quoted(text) +
                                      ": leads out of its virtual chunk container");
    }
    return path;
}

}  // namespace

Result<std::string> LocationOfVirtualChunk(const std::string& text,
                                           const IcechunkContainer* container) {
    if (text.find("://") == std::string::npos)
        return Status::Corrupt(zarr::Quoted(text) + ": expected a URL as a virtual location");
    const Url url = Split(text);
    if (url.scheme == "file") return LocalPath(text, url, container);
    if (url.scheme == "http" || url.scheme == "https") {
        // Segments "." and ".." are refused. Clients and servers resolve such segments, so the URL
        // could lead out of the container.
        if (HasDotSegments(url.key))
            return Status::Permission(zarr::Quoted(text) + ": expected a URL without . and ..");
        return text.substr(0, std::min(text.find_first_of("?#"), text.size()));
    }
    if (!IsObjectStore(url.scheme)) return text;
    const char* const scheme = url.scheme[0] == 'g' ? "gs" : url.scheme[0] == 'a' ? "az" : "s3";
    const std::string location = std::string(scheme) + "://" + url.host + "/" + url.key;
    if (container == nullptr || !container->anonymous || HasOptions(StorePath(location)))
        return location;
    return AnonymousUrl(*container, url).WithContext(zarr::Quoted(text));
}

namespace {

// Returns the location of one container of virtual chunks that is on a server or in an object
// store; empty if all containers are local. OpenReferenceTargets() needs one such location, to know
// that targets are remote.
std::string SampleOf(const zarr::IcechunkContainers& containers) {
    for (const IcechunkContainer& container : containers.list()) {
        if (container.url_prefix.find("://") == std::string::npos ||
            STARTS_WITH_CI(container.url_prefix.c_str(), "file:"))
            continue;
        const auto location = LocationOfVirtualChunk(container.url_prefix, &container);
        if (location.ok()) return *location;
    }
    return {};
}

class ChunkTargets final : public zarr::TargetOpener {
  public:
    ChunkTargets(const StorePath& folder, std::shared_ptr<const zarr::Store> repository,
                 zarr::IcechunkContainers containers)
        : folder_(folder),
          repository_(std::move(repository)),
          containers_(std::move(containers)),
          virtual_(OpenReferenceTargets(folder, FolderAround(folder), SampleOf(containers_))) {}

    Result<std::shared_ptr<const ReferenceTarget>> Open(
        const std::string& location) const override {
        if (zarr::ParentPath(location) == zarr::kIcechunkChunks)
            return std::shared_ptr<const ReferenceTarget>(std::make_shared<const ChunkTarget>(
                repository_, StorePath(FileIn(folder_, location)), location));
        ZARR_ASSIGN_OR_RETURN(const auto resolved, containers_.Resolve(location));
        ZARR_ASSIGN_OR_RETURN(const std::string path,
                              LocationOfVirtualChunk(resolved.url, resolved.container));
        if (resolved.container == nullptr && !IsAllowedOutside(path)) return Outside(location);
        return virtual_->Open(path);
    }

    zarr::StoreTraits Traits() const override {
        zarr::StoreTraits traits = repository_->Traits();
        zarr::StoreTraits others = virtual_->Traits();
        if (traits.remote) {
            traits.packed = true;
            return traits;
        }
        return others.remote ? others : traits;
    }

  private:
    // True if a configuration option allows a chunk outside of all containers.
    // OpenReferenceTargets() applies further rules to local files.
    static bool IsAllowedOutside(const std::string& path) {
        if (EQUAL(CPLGetConfigOption("ZARR_REFERENCE_FOLDERS", ""), "ALL")) return true;
        return path[0] == '/' &&
               (CPLGetConfigOption("ZARR_REFERENCE_FOLDERS", nullptr) != nullptr ||
                CPLTestBool(CPLGetConfigOption("ICECHUNK_ALLOW_LOCAL_CHUNK_LOCATION", "NO")) ||
                CPLTestBool(
                    CPLGetConfigOption("GDAL_ALLOW_REMOTE_RESOURCE_TO_ACCESS_LOCAL_FILE", "NO")));
    }
    Status Outside(const std::string& location) const {
        ZARR_RETURN_IF_ERROR(containers_.fault());
        return Status::Permission(
            zarr::Quoted(location) +
            ": lies in no virtual chunk container of the repository; allow it with the "
            "configuration option ZARR_REFERENCE_FOLDERS=ALL");
    }

    const StorePath folder_;
    const std::shared_ptr<const zarr::Store> repository_;
    const zarr::IcechunkContainers containers_;
    const std::shared_ptr<const zarr::TargetOpener> virtual_;
};

}  // namespace

std::shared_ptr<const zarr::TargetOpener> OpenIcechunkTargets(
    const StorePath& folder, std::shared_ptr<const zarr::Store> repository,
    zarr::IcechunkContainers containers) {
    return std::make_shared<const ChunkTargets>(folder, std::move(repository),
                                                std::move(containers));
}

}  // namespace zarr_driver
