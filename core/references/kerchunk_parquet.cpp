// SPDX-License-Identifier: MIT
#include "core/references/kerchunk_parquet.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <system_error>
#include <utility>

#include "core/base/checked.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/json/value.h"
#include "core/metadata/documents.h"
#include "core/metadata/v2_metadata.h"
#include "core/metadata/v3_metadata.h"
#include "core/references/inline_value.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

constexpr std::string_view kFileStart = "refs.";
constexpr std::string_view kFileEnd = ".parq";

// Returns the number N of a file "refs.N.parq"; nullopt for other names.
std::optional<std::uint64_t> NumberOfFile(std::string_view name) {
    if (name.substr(0, kFileStart.size()) != kFileStart || !EndsWith(name, kFileEnd) ||
        name.size() <= kFileStart.size() + kFileEnd.size())
        return {};
    const char* const first = name.data() + kFileStart.size();
    const char* const last = name.data() + name.size() - kFileEnd.size();
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(first, last, number);
    if (error != std::errc() || end != last || (*first == '0' && last - first > 1)) return {};
    return number;
}

// Returns the first name in `rest`, a key relative to a prefix, and whether more names follow.
StoreEntry ChildIn(std::string_view rest) {
    const std::size_t end = rest.find('/');
    return {std::string(rest.substr(0, end)), end != std::string_view::npos};
}

}  // namespace

// ------------------------------------------------------------------------------------------------
// Documents

Result<std::shared_ptr<KerchunkParquet>> KerchunkParquet::Open(std::shared_ptr<const Store> store) {
    static std::atomic<std::uint64_t> count{0};
    const std::string key = DocumentKey("", Document::kConsolidated);
    std::shared_ptr<KerchunkParquet> map(new KerchunkParquet());
    map->version_ = store->VersionOf(key);
    ZARR_ASSIGN_OR_RETURN(const bool found, GetDocument(*store, key, map->text_));
    if (!found) return Status::NotFound(key + ": does not exist");
    ZARR_RETURN_IF_ERROR(map->Parse(std::as_const(map->text_).span().text()).WithContext(key));
    // Parquet files may change although `.zmetadata` does not, so two maps of one store never have
    // equal identities.
    map->identity_ = store->Identity() + "\nKerchunk Parquet " + std::to_string(++count);
    map->files_ = std::make_unique<PartitionFiles>(std::move(store), map->record_size_);
    return map;
}

bool KerchunkParquet::IsCurrent() const {
    const std::string key = DocumentKey("", Document::kConsolidated);
    return SameVersion(files_->store().VersionOf(key), version_) && files_->IsCurrent();
}

Status KerchunkParquet::Parse(std::string_view text) {
    ZARR_ASSIGN_OR_RETURN(const std::vector<json::Slice> top, json::MemberSlices(text));
    const auto size = json::FindSlice(top, "record_size");
    const auto documents = json::FindSlice(top, "metadata");
    if (!size) return Status::Corrupt("the compulsory member \"record_size\" is missing");
    if (!documents) return Status::Corrupt("the compulsory member \"metadata\" is missing");
    ZARR_ASSIGN_OR_RETURN(const json::Value number, json::Parse(*size).WithContext("record_size"));
    ZARR_ASSIGN_OR_RETURN(record_size_, json::UintAtLeast(number, 1, "record_size"));
    ZARR_ASSIGN_OR_RETURN(const std::vector<json::Slice> members,
                          json::MemberSlices(*documents).WithContext("metadata"));
    for (const auto& [key, value] : members)
        if (IsValidKey(key)) ZARR_RETURN_IF_ERROR(AddDocument(key, value).WithContext(key));
    return {};
}

Status KerchunkParquet::AddDocument(std::string_view key, std::string_view value) {
    // `.zmetadata` may hold a document as a JSON object, or as a string with JSON text.
    if (!value.empty() && value[0] == '"') {
        ZARR_ASSIGN_OR_RETURN(const json::Value parsed, json::Parse(value));
        ZARR_ASSIGN_OR_RETURN(std::string text, DecodeInlineValue(*parsed.as_string()));
        value = *decoded_.emplace_back(std::make_unique<const std::string>(std::move(text)));
    }
    documents_[std::string(key)] = value;
    const std::string_view name = LastName(key);
    const bool is_v3 = name == kV3Document;
    if (!is_v3 && !IsDocument(name, Document::kArray)) return {};
    if (is_v3) {
        const auto type = V3NodeTypeOf(value);
        if (!type.ok() || *type != V3NodeType::kArray) return {};
    }
    const std::string path(ParentPath(key));
    ArrayEntry& array = arrays_[path];
    array.path = path;
    array.document = value;
    array.is_v3 = is_v3;
    return {};
}

// ------------------------------------------------------------------------------------------------
// Chunks

Result<ReferenceGrid> KerchunkParquet::GridOf(const ArrayEntry& array) {
    auto grid = array.grid.TryGet([&]() -> Result<ReferenceGrid> {
        ZARR_ASSIGN_OR_RETURN(
            const ArrayMetadata metadata,
            array.is_v3 ? ParseV3Array(array.document) : ParseArrayMetadata(array.document));
        return ReferenceGrid::Of(metadata);
    });
    if (grid.ok()) return grid;
    return grid.status().WithContext(
        DocumentKey(array.path, Document::kArray, array.is_v3 ? Format::kV3 : Format::kV2));
}

const KerchunkParquet::ArrayEntry* KerchunkParquet::ArrayAbove(std::string_view prefix) const {
    for (std::string_view path = prefix;; path = ParentPath(path)) {
        const auto found = arrays_.find(path);
        if (found != arrays_.end()) return &found->second;
        if (path.empty()) return nullptr;
    }
}

Result<KerchunkParquet::Chunk> KerchunkParquet::ChunkOf(const std::string& key) const {
    const ArrayEntry* const array = ArrayAbove(ParentPath(key));
    if (array == nullptr) return Chunk();
    const std::string_view name =
        std::string_view(key).substr(array->path.empty() ? 0 : array->path.size() + 1);
    // Fast path: a key that does not look like a chunk's is rejected before the array's grid is
    // needed.
    const std::string first = ChildIn(name).name;
    const bool looks_like_chunk =
        LooksLikeChunk(first) || (array->is_v3 && LooksLikeChunk(first, true));
    if (!looks_like_chunk) return Chunk();
    ZARR_ASSIGN_OR_RETURN(const ReferenceGrid grid, GridOf(*array));
    const auto row = grid.RowOf(name);
    return row ? Chunk{array, *row} : Chunk();
}

std::string KerchunkParquet::FileOf(const ArrayEntry& array, std::uint64_t number) const {
    std::string name(kFileStart);
    name += std::to_string(number);
    name += kFileEnd;
    return JoinKey(array.path, name);
}

Result<Reference> KerchunkParquet::Find(const std::string& key) const {
    const auto document = documents_.find(key);
    if (document != documents_.end()) return Reference::Inline(std::string(document->second));
    ZARR_ASSIGN_OR_RETURN(const Chunk chunk, ChunkOf(key));
    if (chunk.array == nullptr) return Reference::Absent();
    ZARR_ASSIGN_OR_RETURN(const auto file,
                          files_->Get(FileOf(*chunk.array, chunk.row / record_size_)));
    return file != nullptr ? file->At(chunk.row % record_size_) : Reference::Absent();
}

Result<std::vector<Reference>> KerchunkParquet::FindMany(
    const std::vector<std::string>& keys) const {
    std::vector<Reference> found(keys.size());
    // For the name of each file, the references that are wanted from it: the index in `keys`, and
    // the row in the file.
    std::map<std::string, std::vector<std::pair<std::size_t, std::uint64_t>>> wanted;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto document = documents_.find(keys[i]);
        if (document != documents_.end()) {
            found[i] = Reference::Inline(std::string(document->second));
            continue;
        }
        ZARR_ASSIGN_OR_RETURN(const Chunk chunk, ChunkOf(keys[i]));
        if (chunk.array != nullptr)
            wanted[FileOf(*chunk.array, chunk.row / record_size_)].emplace_back(
                i, chunk.row % record_size_);
    }
    std::vector<std::string> names;
    names.reserve(wanted.size());
    for (const auto& [name, rows] : wanted) names.push_back(name);
    const auto take = [&](std::size_t which, const PartitionFiles::PartitionPtr& file) {
        if (file == nullptr) return;
        for (const auto& [i, row] : wanted[names[which]]) found[i] = file->At(row);
    };
    ZARR_RETURN_IF_ERROR(files_->GetMany(names, take));
    return found;
}

std::string KerchunkParquet::SampleLocation() const {
    constexpr std::size_t kMostArrays = 64;
    constexpr std::size_t kMostFiles = 3;
    // The arrays with most chunks are tried first. Small arrays are often stored inline, without a
    // target.
    std::vector<std::pair<std::uint64_t, const ArrayEntry*>> candidates;
    for (const auto& [path, array] : arrays_) {
        if (candidates.size() == kMostArrays) break;
        const auto grid = GridOf(array);
        if (grid.ok()) candidates.emplace_back(grid->count(), &array);
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    candidates.resize(std::min(candidates.size(), kMostFiles));
    for (const auto& [count, array] : candidates) {
        const auto file = files_->Get(FileOf(*array, 0));
        if (!file.ok() || *file == nullptr) continue;
        for (std::uint64_t row = 0; row < (*file)->rows(); ++row) {
            Reference reference = (*file)->At(row);
            if (reference.kind == Reference::Kind::kTarget) return std::move(reference.location);
        }
    }
    return {};
}

// ------------------------------------------------------------------------------------------------
// Listings

Result<std::vector<std::uint64_t>> KerchunkParquet::FilesOf(const ArrayEntry& array) const {
    ZARR_ASSIGN_OR_RETURN(const ReferenceGrid grid, GridOf(array));
    ZARR_ASSIGN_OR_RETURN(const std::vector<StoreEntry> entries, files_->store().List(array.path));
    const std::uint64_t count = CeilDiv(grid.count(), record_size_);
    std::vector<std::uint64_t> numbers;
    for (const StoreEntry& entry : entries) {
        const auto number = NumberOfFile(entry.name);
        if (number && *number < count) numbers.push_back(*number);
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

Status KerchunkParquet::VisitChunks(const ArrayEntry& array,
                                    const std::function<bool(std::string_view)>& visit) const {
    ZARR_ASSIGN_OR_RETURN(const ReferenceGrid grid, GridOf(array));
    ZARR_ASSIGN_OR_RETURN(const std::vector<std::uint64_t> numbers, FilesOf(array));
    for (const std::uint64_t number : numbers) {
        const std::uint64_t first = number * record_size_;
        const std::uint64_t count = std::min(record_size_, grid.count() - first);
        for (std::uint64_t i = 0; i < count; ++i)
            if (!visit(JoinKey(array.path, grid.NameOf(first + i)))) return {};
    }
    return {};
}

Status KerchunkParquet::VisitStoredChunks(
    const ArrayEntry& array, const std::function<void(std::string_view)>& visit) const {
    constexpr std::uint64_t kMostTried = 10000;
    ZARR_ASSIGN_OR_RETURN(const ReferenceGrid grid, GridOf(array));
    auto listed = FilesOf(array);
    // If the store cannot list, each possible file is tried.
    if (listed.status().code() == StatusCode::kUnsupported) {
        const std::uint64_t count = CeilDiv(grid.count(), record_size_);
        if (count > kMostTried) return listed.status();
        listed = std::vector<std::uint64_t>();
        for (std::uint64_t number = 0; number < count; ++number) listed->push_back(number);
    }
    if (!listed.ok()) return listed.status();
    for (const std::uint64_t number : *listed) {
        ZARR_ASSIGN_OR_RETURN(const auto file, files_->Get(FileOf(array, number)));
        if (file == nullptr) continue;
        const std::uint64_t first = number * record_size_;
        const std::uint64_t count = std::min(file->rows(), grid.count() - first);
        for (std::uint64_t i = 0; i < count; ++i)
            if (file->Has(i)) visit(JoinKey(array.path, grid.NameOf(first + i)));
    }
    return {};
}

Status KerchunkParquet::VisitEntries(const std::string& prefix, const EntryVisitor& visit) const {
    const std::string start = prefix.empty() ? "" : prefix + "/";
    std::vector<StoreEntry> children;  // documents and nodes, sorted
    for (auto each = documents_.lower_bound(start); each != documents_.end();) {
        if (each->first.compare(0, start.size(), start) != 0) break;
        StoreEntry child = ChildIn(std::string_view(each->first).substr(start.size()));
        if (!visit(child)) return {};
        // Continues after the keys below the child; '0' is the character after '/'.
        each = child.is_prefix ? documents_.lower_bound(start + child.name + "0") : std::next(each);
    }
    const ArrayEntry* const array = ArrayAbove(prefix);
    if (array == nullptr) return {};
    // Chunks come in an order that keeps equal child names together, so the last name suffices to
    // visit each child once.
    std::string last;
    return VisitChunks(*array, [&](std::string_view key) {
        if (key.substr(0, start.size()) != start) return true;
        const StoreEntry child = ChildIn(key.substr(start.size()));
        if (child.name == last) return true;
        last = child.name;
        return visit(child);
    });
}

Result<std::vector<StoreEntry>> KerchunkParquet::List(const std::string& prefix) const {
    std::map<std::string, bool> children;
    ZARR_RETURN_IF_ERROR(VisitEntries(prefix, [&](const StoreEntry& child) {
        bool& is_prefix = children[child.name];
        is_prefix = is_prefix || child.is_prefix;
        return children.size() <= LimitOf(Limit::kReferences);
    }));
    if (children.size() > LimitOf(Limit::kReferences))
        return OverLimit(Limit::kReferences, prefix + ": there are too many references");
    std::vector<StoreEntry> entries;
    entries.reserve(children.size());
    for (const auto& [name, is_prefix] : children) entries.push_back({name, is_prefix});
    return entries;
}

Status KerchunkParquet::ForEachKey(const std::string& prefix, const KeyVisitor& visit) const {
    const std::string start = prefix.empty() ? "" : prefix + "/";
    for (auto each = documents_.lower_bound(start); each != documents_.end(); ++each) {
        if (each->first.compare(0, start.size(), start) != 0) break;
        visit(std::string_view(each->first).substr(start.size()));
    }
    const auto tell = [&](std::string_view key) {
        if (key.substr(0, start.size()) == start) visit(key.substr(start.size()));
    };
    const ArrayEntry* const above = ArrayAbove(prefix);
    if (above != nullptr && !prefix.empty()) return VisitStoredChunks(*above, tell);
    for (const auto& [path, array] : arrays_)
        if (IsAtOrBelow(path, prefix)) ZARR_RETURN_IF_ERROR(VisitStoredChunks(array, tell));
    return {};
}

}  // namespace zarr
