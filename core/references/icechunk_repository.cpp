// SPDX-License-Identifier: MIT
#include "core/references/icechunk_repository.h"

#include <algorithm>
#include <utility>

#include "core/base/bytes.h"
#include "core/base/text.h"
#include "core/json/value.h"
#include "core/references/flatbuffer.h"
#include "core/references/flexbuffer.h"
#include "core/references/icechunk_file.h"
#include "core/references/yaml.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

constexpr const char* kKinds[] = {"branch", "tag"};
constexpr const char* kMainBranch = "main";
constexpr const char* kRefFile = "ref.json";
constexpr const char* kDeletedRefFile = "ref.json.deleted";

// Fields of the tables in Icechunk's schema repo.fbs, by their numbers.
struct RepoTable {
    enum : unsigned { kTags = 1, kBranches = 2, kSnapshots = 4, kStatus = 5, kConfig = 9 };
};
struct RefTable {
    enum : unsigned { kName = 0, kSnapshotIndex = 1 };
};
struct StatusTable {
    enum : unsigned { kAvailability = 0, kReason = 2 };
};
constexpr std::uint8_t kOffline = 2;

Status MissingRepoField(const char* field) {
    return Status::Corrupt(std::string("the field ") + field + " is missing");
}

Result<std::vector<std::string>> ReadSnapshotIds(const FlatTable& repo, BudgetShare& memory) {
    ZARR_ASSIGN_OR_RETURN(const auto infos, repo.Vector(RepoTable::kSnapshots, 4));
    if (!infos) return MissingRepoField("snapshots");
    std::vector<std::string> ids;
    constexpr std::size_t kIdBytes = sizeof(std::string) + 32;
    ZARR_RETURN_IF_ERROR(memory.Add(infos->size() * kIdBytes));
    ids.reserve(infos->size());
    for (std::size_t i = 0; i < infos->size(); ++i) {
        ZARR_ASSIGN_OR_RETURN(const FlatTable info, infos->Table(i));
        ZARR_ASSIGN_OR_RETURN(const auto id, info.Struct(0, kIcechunkIdSize));
        if (!id) return MissingRepoField("id");
        ids.push_back(IcechunkObjectName(*id));
    }
    return ids;
}

Result<std::map<std::string, std::string>> ReadRefs(const FlatTable& repo, unsigned field,
                                                    const std::vector<std::string>& snapshots,
                                                    BudgetShare& memory) {
    std::map<std::string, std::string> refs;
    ZARR_ASSIGN_OR_RETURN(const auto list, repo.Vector(field, 4));
    if (!list) return MissingRepoField(field == RepoTable::kTags ? "tags" : "branches");
    for (std::size_t i = 0; i < list->size(); ++i) {
        ZARR_ASSIGN_OR_RETURN(const FlatTable ref, list->Table(i));
        ZARR_ASSIGN_OR_RETURN(const auto name, ref.String(RefTable::kName));
        ZARR_ASSIGN_OR_RETURN(const std::uint32_t index, ref.Uint32(RefTable::kSnapshotIndex, 0));
        if (!name) return MissingRepoField("name");
        if (index >= snapshots.size())
            return Status::Corrupt(Quoted(*name) + ": snapshot " + std::to_string(index) + " of " +
                                   std::to_string(snapshots.size()) + " does not exist");
        constexpr std::size_t kRefBytes = 64 + 2 * sizeof(std::string) + 32;
        ZARR_RETURN_IF_ERROR(memory.Add(kRefBytes + name->size()));
        refs[std::string(*name)] = snapshots[index];
    }
    return refs;
}

Status CheckStatus(const FlatTable& repo) {
    ZARR_ASSIGN_OR_RETURN(const auto status, repo.Table(RepoTable::kStatus));
    if (!status) return {};
    ZARR_ASSIGN_OR_RETURN(const std::uint8_t availability,
                          status->Uint8(StatusTable::kAvailability, 0));
    if (availability != kOffline) return {};
    ZARR_ASSIGN_OR_RETURN(const auto reason, status->String(StatusTable::kReason));
    return Status::Unsupported("the repository is offline" +
                               (reason ? ": " + Quoted(*reason) : std::string()));
}

// Returns `text` with each "%XX" replaced by its byte. Local folders spell names of branches and
// tags with such escapes.
std::string PercentDecode(const std::string& text) {
    const auto digit = [](char c) {
        const std::size_t at = std::string_view("0123456789ABCDEFabcdef").find(c);
        return at == std::string_view::npos ? -1 : static_cast<int>(at < 16 ? at : at - 6);
    };
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const int high = i + 2 < text.size() && text[i] == '%' ? digit(text[i + 1]) : -1;
        const int low = high < 0 ? -1 : digit(text[i + 2]);
        if (low < 0) {
            decoded += text[i];
            continue;
        }
        decoded += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return decoded;
}

std::string Joined(const std::vector<std::string>& names) {
    constexpr std::size_t kMostNames = 20;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
        text += (i == 0 ? "" : ", ") + Quoted(names[i]);
    if (names.size() > kMostNames)
        text += " and " + std::to_string(names.size() - kMostNames) + " more";
    return text;
}

}  // namespace

Result<IcechunkRepository> IcechunkRepository::Open(const Store& store) {
    IcechunkRepository repository(store);
    Status status = repository.ReadRepoFile();
    if (status.ok()) {
        repository.version_ = 2;
        return repository;
    }
    if (status.code() != StatusCode::kNotFound) return status;
    // In version 1 the branch "main" always exists (Icechunk specification, "Reference files").
    ZARR_ASSIGN_OR_RETURN(const auto main,
                          repository.ReadRef(kBranch, std::string("branch.") + kMainBranch));
    if (!main)
        return Status::NotFound(
            "not an Icechunk repository: it has no file repo and no "
            "refs/branch.main/ref.json");
    return repository;
}

Status IcechunkRepository::ReadRepoFile() {
    const std::string key(kIcechunkRepoFile);
    ZARR_ASSIGN_OR_RETURN(IcechunkFile file,
                          ReadIcechunkFile(*store_, key, IcechunkFileType::kRepo));
    const auto parse = [&]() -> Status {
        ZARR_ASSIGN_OR_RETURN(const FlatTable repo,
                              FlatTable::Root(std::as_const(file.payload).span(), "Ichk"));
        ZARR_RETURN_IF_ERROR(CheckStatus(repo));
        ZARR_ASSIGN_OR_RETURN(snapshots_, ReadSnapshotIds(repo, file.memory));
        ZARR_ASSIGN_OR_RETURN(refs_[kBranch],
                              ReadRefs(repo, RepoTable::kBranches, snapshots_, file.memory));
        ZARR_ASSIGN_OR_RETURN(refs_[kTag],
                              ReadRefs(repo, RepoTable::kTags, snapshots_, file.memory));
        ZARR_ASSIGN_OR_RETURN(const auto config, repo.Vector(RepoTable::kConfig, 1));
        if (!config || config->size() == 0) return {};
        const auto parsed = ParseFlexBuffer(config->bytes());
        auto containers = parsed.ok() ? IcechunkContainers::FromConfig(*parsed)
                                      : Result<IcechunkContainers>(parsed.status());
        containers_ = containers.ok()
                          ? containers.Take()
                          : IcechunkContainers(containers.status().WithContext(key + ": config"));
        return {};
    };
    return parse().WithContext(key);
}

// Returns the identifier of the snapshot in ref.json of `folder`, the folder of a branch or tag
// below refs/. Returns nullopt if the file is absent or the tag was deleted.
Result<std::optional<std::string>> IcechunkRepository::ReadRef(Kind kind,
                                                               const std::string& folder) const {
    const std::string prefix = JoinKey(kIcechunkRefs, folder);
    const std::string key = JoinKey(prefix, kRefFile);
    Buffer text;
    ZARR_ASSIGN_OR_RETURN(const bool found, GetDocument(*store_, key, text));
    if (!found) return std::optional<std::string>();
    if (kind == kTag) {
        ZARR_ASSIGN_OR_RETURN(const bool deleted, store_->Exists(JoinKey(prefix, kDeletedRefFile)));
        if (deleted) return std::optional<std::string>();
    }
    ZARR_ASSIGN_OR_RETURN(const json::Value document,
                          json::Parse(std::as_const(text).span().text()).WithContext(key));
    const json::Value* const snapshot = document.Find("snapshot");
    const std::string* const id = snapshot != nullptr ? snapshot->as_string() : nullptr;
    if (id == nullptr || !IsValidKey(*id) || id->find('/') != std::string::npos)
        return Status::Corrupt(key + ": expected {\"snapshot\": ID}, got " + json::Brief(document));
    return std::optional(*id);
}

// Returns the folders of all branches or tags below refs/, by the name of the branch or tag.
// Deleted tags are left out.
Result<std::map<std::string, std::string>> IcechunkRepository::RefFolders(Kind kind) const {
    const std::string start = std::string(kKinds[kind]) + ".";
    std::map<std::string, std::string> folders;
    ZARR_ASSIGN_OR_RETURN(const auto entries, store_->List(std::string(kIcechunkRefs)));
    for (const StoreEntry& entry : entries) {
        if (!entry.is_prefix || entry.name.compare(0, start.size(), start) != 0) continue;
        ZARR_ASSIGN_OR_RETURN(const auto files, store_->List(JoinKey(kIcechunkRefs, entry.name)));
        const auto holds = [&](const char* name) {
            return std::any_of(files.begin(), files.end(),
                               [&](const StoreEntry& file) { return file.name == name; });
        };
        if (holds(kRefFile) && !(kind == kTag && holds(kDeletedRefFile)))
            folders[PercentDecode(entry.name.substr(start.size()))] = entry.name;
    }
    return folders;
}

Result<std::vector<std::string>> IcechunkRepository::Names(Kind kind) const {
    std::vector<std::string> names;
    if (version_ == 1) {
        ZARR_ASSIGN_OR_RETURN(const auto folders, RefFolders(kind));
        for (const auto& [name, folder] : folders) names.push_back(name);
        return names;
    }
    for (const auto& [name, snapshot] : refs_[kind]) names.push_back(name);
    return names;
}

Result<std::vector<std::string>> IcechunkRepository::Snapshots() const {
    if (version_ != 1) return snapshots_;
    std::vector<std::string> names;
    ZARR_ASSIGN_OR_RETURN(const auto entries, store_->List(std::string(kIcechunkSnapshots)));
    for (const StoreEntry& entry : entries)
        if (!entry.is_prefix) names.push_back(entry.name);
    return names;
}

Status IcechunkRepository::NoSuch(const char* what, const std::string& name,
                                  const Result<std::vector<std::string>>& existing) const {
    std::string text = std::string("the repository has no ") + what + " " + Quoted(name);
    if (existing.ok())
        text += existing->empty() ? "; it has none" : "; it has " + Joined(*existing);
    return Status::NotFound(text);
}

Result<std::string> IcechunkRepository::SnapshotOfRef(Kind kind, const std::string& name) const {
    if (version_ != 1) {
        const auto found = refs_[kind].find(name);
        if (found != refs_[kind].end()) return found->second;
        return NoSuch(kKinds[kind], name, Names(kind));
    }
    const std::string folder = std::string(kKinds[kind]) + "." + name;
    if (IsValidKey(folder) && name.find('/') == std::string::npos) {
        ZARR_ASSIGN_OR_RETURN(const auto snapshot, ReadRef(kind, folder));
        if (snapshot) return *snapshot;
    }
    const auto folders = RefFolders(kind);
    if (folders.ok()) {
        const auto found = folders->find(name);
        if (found != folders->end()) {
            ZARR_ASSIGN_OR_RETURN(const auto snapshot, ReadRef(kind, found->second));
            if (snapshot) return *snapshot;
        }
    }
    return NoSuch(kKinds[kind], name, Names(kind));
}

Result<std::string> IcechunkRepository::SnapshotOf(const IcechunkSelection& selection) const {
    if (!selection.tag.empty()) return SnapshotOfRef(kTag, selection.tag);
    if (selection.snapshot.empty())
        return SnapshotOfRef(kBranch, selection.branch.empty() ? kMainBranch : selection.branch);
    const std::string& wanted = selection.snapshot;
    if (version_ != 1) {
        if (std::find(snapshots_.begin(), snapshots_.end(), wanted) != snapshots_.end())
            return wanted;
    } else if (IsValidKey(wanted) && wanted.find('/') == std::string::npos) {
        ZARR_ASSIGN_OR_RETURN(const bool exists,
                              store_->Exists(JoinKey(kIcechunkSnapshots, wanted)));
        if (exists) return wanted;
    }
    return NoSuch("snapshot", wanted, Snapshots());
}

IcechunkContainers IcechunkRepository::Containers() const {
    if (version_ != 1) return containers_;
    const std::string key(kIcechunkConfigFile);
    Buffer text;
    const auto found = GetDocument(*store_, key, text);
    if (!found.ok()) return IcechunkContainers(found.status());
    if (!*found) return {};
    const auto config = ParseYaml(std::as_const(text).span().text());
    if (!config.ok()) return IcechunkContainers(config.status().WithContext(key));
    auto containers = IcechunkContainers::FromConfig(*config);
    return containers.ok() ? containers.Take()
                           : IcechunkContainers(containers.status().WithContext(key));
}

}  // namespace zarr
