// SPDX-License-Identifier: MIT
#include "core/hierarchy/tree.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/grid/chunk_grid.h"
#include "core/hierarchy/hierarchy.h"
#include "core/json/value.h"
#include "core/metadata/documents.h"
#include "core/metadata/v2_metadata.h"
#include "core/metadata/v3_metadata.h"
#include "core/store/keys.h"
#include "core/store/staging.h"

namespace zarr {

namespace {

// Maximum depth of a key prefix: nested groups, the name of an array, and the components of a chunk
// key.
constexpr std::size_t kMaxTreeDepth = kMaxGroupDepth + 1 + Strides::kCapacity;

// Number of bytes by which each visited prefix counts towards Limit::kMetadataSize. The limit ends
// a search in folders whose links form a circle.
constexpr std::size_t kBytesPerPrefix = 64;

Status CheckDepth(std::size_t depth, std::size_t limit, const std::string& prefix) {
    if (depth <= limit) return {};
    return Status::Limit(prefix.substr(0, 80) + "...: nests more than " + std::to_string(limit) +
                         " levels deep");
}

// True if the file `name` in `prefix` is the metadata document of an array. False for an unreadable
// `zarr.json`.
bool MakesArray(const Store& store, const std::string& prefix, const std::string& name) {
    if (name != kV3Document) return IsDocument(name, Document::kArray);
    Buffer text;
    const auto found = GetDocument(store, JoinKey(prefix, name), text);
    if (!found.ok() || !*found) return false;
    const auto type = V3NodeTypeOf(std::as_const(text).span().text());
    return type.ok() && *type == V3NodeType::kArray;
}

// Erases the metadata documents at and below a prefix. The document of an array is erased before
// its chunks, and that of a group after its members.
Status EraseDocuments(Store& store, const std::string& prefix, std::size_t depth) {
    ZARR_RETURN_IF_ERROR(CheckDepth(depth, kMaxTreeDepth, prefix));
    ZARR_ASSIGN_OR_RETURN(const bool is_gone, store.ErasePrefix(prefix));
    if (is_gone) return {};
    ZARR_ASSIGN_OR_RETURN(const std::vector<StoreEntry> entries, store.List(prefix));
    bool is_array = false;
    for (const StoreEntry& entry : entries) {
        if (entry.is_prefix) continue;
        is_array = is_array || MakesArray(store, prefix, entry.name);
        if (IsDocument(entry.name, Document::kConsolidated))
            ZARR_RETURN_IF_ERROR(store.Erase(JoinKey(prefix, entry.name)));
    }
    for (const StoreEntry& entry : entries)
        if (entry.is_prefix && !is_array)
            ZARR_RETURN_IF_ERROR(EraseDocuments(store, JoinKey(prefix, entry.name), depth + 1));
    for (const StoreEntry& entry : entries)
        if (!entry.is_prefix && MakesNode(entry.name))
            ZARR_RETURN_IF_ERROR(store.Erase(JoinKey(prefix, entry.name)));
    return {};
}

// Erases every key below `prefix`. The metadata documents there must already be erased.
Status EraseBelow(Store& store, const std::string& prefix, std::size_t depth) {
    ZARR_RETURN_IF_ERROR(CheckDepth(depth, kMaxTreeDepth, prefix));
    ZARR_ASSIGN_OR_RETURN(const bool is_gone, store.ErasePrefix(prefix));
    if (is_gone) return {};
    ZARR_ASSIGN_OR_RETURN(const std::vector<StoreEntry> entries, store.List(prefix));
    std::vector<std::string> others;
    for (const StoreEntry& entry : entries)
        if (!entry.is_prefix) others.push_back(JoinKey(prefix, entry.name));
    ZARR_RETURN_IF_ERROR(store.EraseMany(others));
    for (const StoreEntry& entry : entries)
        if (entry.is_prefix)
            ZARR_RETURN_IF_ERROR(EraseBelow(store, JoinKey(prefix, entry.name), depth + 1));
    return store.ErasePrefix(prefix).status();
}

// Copies the keys below a prefix of `source` to a prefix of `target`, which may be the same store.
class Copier {
  public:
    Copier(const Store& source, Store& target) : source_(source), target_(target) {}

    // Copies all keys except metadata documents. Collects the documents for CopyDocuments(), those
    // of the deepest nodes first.
    Status CopyBelow(const std::string& from, const std::string& to, std::size_t depth) {
        ZARR_RETURN_IF_ERROR(CheckDepth(depth, kMaxTreeDepth, from));
        ZARR_ASSIGN_OR_RETURN(std::vector<StoreEntry> entries, source_.List(from));
        std::stable_partition(entries.begin(), entries.end(),
                              [](const StoreEntry& entry) { return entry.is_prefix; });
        for (const StoreEntry& entry : entries) {
            std::string source = JoinKey(from, entry.name);
            std::string target = JoinKey(to, entry.name);
            if (entry.is_prefix)
                ZARR_RETURN_IF_ERROR(CopyBelow(source, target, depth + 1));
            else if (IsNodeDocument(entry.name))
                documents_.emplace_back(std::move(source), std::move(target));
            else
                ZARR_RETURN_IF_ERROR(CopyKey(source, target));
        }
        return {};
    }

    Status CopyDocuments() const {
        for (const auto& [source, target] : documents_)
            ZARR_RETURN_IF_ERROR(CopyKey(source, target));
        return {};
    }

  private:
    Status CopyKey(const std::string& from, const std::string& to) const {
        Buffer value;
        ZARR_ASSIGN_OR_RETURN(const bool found, source_.Get(from, value, kNoLimit));
        return found ? target_.Set(to, value.span()) : Status();
    }

    const Store& source_;
    Store& target_;
    std::vector<std::pair<std::string, std::string>> documents_;
};

Result<std::vector<StoreEntry>> SortedEntries(const ConstSubtree& tree) {
    ZARR_ASSIGN_OR_RETURN(std::vector<StoreEntry> entries, tree.store.List(tree.prefix));
    std::sort(entries.begin(), entries.end(),
              [](const StoreEntry& a, const StoreEntry& b) { return a.name < b.name; });
    return entries;
}

Result<bool> EqualBelow(const ConstSubtree& from, const ConstSubtree& to, std::size_t depth) {
    ZARR_RETURN_IF_ERROR(CheckDepth(depth, kMaxTreeDepth, from.prefix));
    ZARR_ASSIGN_OR_RETURN(const std::vector<StoreEntry> wanted, SortedEntries(from));
    ZARR_ASSIGN_OR_RETURN(const std::vector<StoreEntry> stored, SortedEntries(to));
    const auto is_same = [](const StoreEntry& a, const StoreEntry& b) {
        return a.name == b.name && a.is_prefix == b.is_prefix;
    };
    if (!std::equal(wanted.begin(), wanted.end(), stored.begin(), stored.end(), is_same))
        return false;
    for (const StoreEntry& entry : wanted) {
        const ConstSubtree a{from.store, JoinKey(from.prefix, entry.name)};
        const ConstSubtree b{to.store, JoinKey(to.prefix, entry.name)};
        if (entry.is_prefix) {
            ZARR_ASSIGN_OR_RETURN(const bool is_equal, EqualBelow(a, b, depth + 1));
            if (!is_equal) return false;
            continue;
        }
        Buffer left, right;
        ZARR_RETURN_IF_ERROR(a.store.Get(a.prefix, left, kNoLimit).status());
        ZARR_RETURN_IF_ERROR(b.store.Get(b.prefix, right, kNoLimit).status());
        if (std::as_const(left).span().text() != std::as_const(right).span().text()) return false;
    }
    return true;
}

class Collector {
  public:
    Collector(const Store& store, const std::string& root, Format format,
              const KnownDocuments& known)
        : store_(store),
          known_(known),
          root_(root),
          skip_(root.empty() ? 0 : root.size() + 1),
          is_v3_(format == Format::kV3) {}

    Status Visit(const std::string& path, std::size_t depth) {
        ZARR_RETURN_IF_ERROR(CheckDepth(depth, kMaxGroupDepth, path));
        ZARR_RETURN_IF_ERROR(Count(kBytesPerPrefix));
        ZARR_ASSIGN_OR_RETURN(const std::vector<StoreEntry> entries, Entries(path));
        bool is_array = false;
        const std::size_t before = metadata_.size();
        for (const StoreEntry& entry : entries)
            if (!entry.is_prefix) ZARR_RETURN_IF_ERROR(AddDocument(path, entry.name, is_array));
        // Below an array there are only chunks, no nodes.
        if (is_array) return {};
        for (const StoreEntry& entry : entries)
            if (entry.is_prefix) ZARR_RETURN_IF_ERROR(Visit(JoinKey(path, entry.name), depth + 1));
        // A `.zattrs` without a node is a left-over. zarr-python would reject the whole store.
        if (!is_v3_ && metadata_.size() == before + 1 &&
            IsDocument(LastName(metadata_.back().first), Document::kAttributes))
            metadata_.pop_back();
        return {};
    }

    json::Object TakeMetadata() { return std::move(metadata_); }

  private:
    // Returns the children of `path` that a listing or `known_` names.
    Result<std::vector<StoreEntry>> Entries(const std::string& path) {
        std::vector<StoreEntry> entries;
        if (can_list_) {
            auto listed = store_.List(path);
            if (!listed.ok() && !known_.are_all) return listed;
            can_list_ = listed.ok();
            if (listed.ok()) entries = listed.Take();
        }
        const std::string below = path.empty() ? "" : path + "/";
        for (auto key = known_.keys.lower_bound(below);
             key != known_.keys.end() && key->compare(0, below.size(), below) == 0; ++key) {
            const std::string_view rest = std::string_view(*key).substr(below.size());
            const std::size_t slash = std::min(rest.find('/'), rest.size());
            const StoreEntry entry{std::string(rest.substr(0, slash)), slash < rest.size()};
            const bool is_listed =
                std::any_of(entries.begin(), entries.end(), [&](const StoreEntry& other) {
                    return other.name == entry.name && other.is_prefix == entry.is_prefix;
                });
            if (!is_listed) entries.push_back(entry);
        }
        std::stable_sort(entries.begin(), entries.end(),
                         [](const StoreEntry& a, const StoreEntry& b) { return a.name < b.name; });
        return entries;
    }

    // Adds the document `name` of the node at `path` to the consolidated metadata. Sets `is_array`
    // to true if that node is an array.
    Status AddDocument(const std::string& path, const std::string& name, bool& is_array) {
        if (is_v3_ && name == kV3Document) {
            ZARR_ASSIGN_OR_RETURN(is_array, AddNode(path));
        } else if (!is_v3_ && IsV2Part(name)) {
            is_array = is_array || IsDocument(name, Document::kArray);
            return Add(JoinKey(path, name));
        }
        return {};
    }

    static bool IsV2Part(const std::string& name) {
        return IsDocument(name) && name != kV3Document &&
               !IsDocument(name, Document::kConsolidated);
    }

    Status Count(std::size_t bytes) {
        bytes_ += bytes;
        if (bytes_ <= LimitOf(Limit::kMetadataSize)) return {};
        return OverLimit(Limit::kMetadataSize, "the metadata are too large to be consolidated");
    }

    Status Add(const std::string& key) {
        Buffer text;
        ZARR_ASSIGN_OR_RETURN(const bool found, GetDocument(store_, key, text));
        if (!found) return {};  // the document was erased since the listing
        ZARR_RETURN_IF_ERROR(Count(text.size()));
        auto document = json::Parse(std::as_const(text).span().text());
        if (!document.ok()) return document.status().WithContext(key);
        metadata_.emplace_back(key.substr(skip_), document.Take());
        return {};
    }

    // Adds the `zarr.json` of the node at `path` to the consolidated metadata, unless the node is
    // the root. Returns true if the node is an array.
    Result<bool> AddNode(const std::string& path) {
        const std::string key = DocumentKey(path, Document::kArray, Format::kV3);
        Buffer text;
        ZARR_ASSIGN_OR_RETURN(const bool found, GetDocument(store_, key, text));
        if (!found) return false;
        const std::string_view stored = std::as_const(text).span().text();
        ZARR_ASSIGN_OR_RETURN(const V3NodeType type, V3NodeTypeOf(stored).WithContext(key));
        if (path == root_) return type == V3NodeType::kArray;
        ZARR_RETURN_IF_ERROR(Count(text.size()));
        ZARR_ASSIGN_OR_RETURN(const std::string alone,
                              WithV3Consolidated(stored, std::nullopt).WithContext(key));
        ZARR_ASSIGN_OR_RETURN(json::Value document, json::Parse(alone));
        metadata_.emplace_back(path.substr(skip_), std::move(document));
        return type == V3NodeType::kArray;
    }

    const Store& store_;
    const KnownDocuments& known_;
    const std::string root_;
    const std::size_t skip_;
    const bool is_v3_;
    bool can_list_ = true;  // false once a listing has failed
    std::size_t bytes_ = 0;
    json::Object metadata_;
};

class ForeignFinder {
  public:
    ForeignFinder(const Store& store, const std::function<bool(std::string_view)>& is_known)
        : store_(store), is_known_(is_known) {}

    Result<std::string> Visit(const std::string& prefix, std::size_t depth) const {
        if (depth > kMaxGroupDepth)
            return Status::Limit(prefix.substr(0, 80) + "...: nests more than " +
                                 std::to_string(kMaxGroupDepth) + " levels deep");
        ZARR_ASSIGN_OR_RETURN(const std::vector<StoreEntry> entries, store_.List(prefix));
        const bool is_array = std::any_of(entries.begin(), entries.end(), [&](const auto& entry) {
            return !entry.is_prefix && MakesArray(store_, prefix, entry.name);
        });
        for (const StoreEntry& entry : entries) {
            std::string key = JoinKey(prefix, entry.name);
            if (IsOurs(entry.name) && (is_array || !entry.is_prefix)) continue;
            if (is_array || !entry.is_prefix) return key;
            ZARR_ASSIGN_OR_RETURN(std::string foreign, Visit(key, depth + 1));
            if (!foreign.empty()) return foreign;
        }
        return std::string();
    }

  private:
    bool IsOurs(std::string_view name) const {
        return LooksLikeDocument(name) || LooksLikeChunk(name) || LooksLikeChunk(name, true) ||
               is_known_(name);
    }

    const Store& store_;
    const std::function<bool(std::string_view)>& is_known_;
};

}  // namespace

Status EraseTree(Store& store, const std::string& prefix) {
    const ChangeScope change(store);
    ZARR_RETURN_IF_ERROR(EraseDocuments(store, prefix, 0));
    return EraseBelow(store, prefix, 0);
}

Result<bool> HasOnlyStrayChunks(const Store& store, const std::string& prefix) {
    ZARR_ASSIGN_OR_RETURN(const std::vector<StoreEntry> entries, store.List(prefix));
    for (const StoreEntry& entry : entries) {
        if (!entry.is_prefix) {
            if (LooksLikeChunk(entry.name) || LooksLikeChunk(entry.name, true) ||
                IsDocument(entry.name, Document::kAttributes) ||
                EndsWith(entry.name, kStagingSuffix))
                continue;
            return false;
        }
        const std::string key = JoinKey(prefix, entry.name);
        if (DepthOf(key) > kMaxTreeDepth) return false;
        ZARR_ASSIGN_OR_RETURN(const bool holds_chunks, HasOnlyStrayChunks(store, key));
        if (!holds_chunks) return false;
    }
    return true;
}

Status CopyTree(const ConstSubtree& from, const Subtree& to) {
    const ChangeScope change(to.store);
    Copier copier(from.store, to.store);
    ZARR_RETURN_IF_ERROR(copier.CopyBelow(from.prefix, to.prefix, 0));
    return copier.CopyDocuments();
}

Result<bool> AreTreesEqual(const ConstSubtree& from, const ConstSubtree& to) {
    return EqualBelow(from, to, 0);
}

Result<std::string> ConsolidatedText(const Store& store, const std::string& prefix,
                                     const KnownDocuments& known) {
    Collector collector(store, prefix, Format::kV2, known);
    ZARR_RETURN_IF_ERROR(collector.Visit(prefix, 0));
    json::Object metadata = collector.TakeMetadata();
    if (metadata.empty()) return std::string();
    std::string text = ConsolidatedDocument(std::move(metadata));
    // Readers would reject a document above this limit, so writing fails.
    if (text.size() > LimitOf(Limit::kMetadataSize))
        return OverLimit(Limit::kMetadataSize, DocumentKey(prefix, Document::kConsolidated) +
                                                   ": consolidated metadata would have " +
                                                   std::to_string(text.size()) + " bytes");
    return text;
}

Result<json::Object> V3DocumentsBelow(const Store& store, const std::string& prefix,
                                      const KnownDocuments& known) {
    Collector collector(store, prefix, Format::kV3, known);
    ZARR_RETURN_IF_ERROR(collector.Visit(prefix, 0));
    return collector.TakeMetadata();
}

Result<std::string> FindForeignKey(const Store& store,
                                   const std::function<bool(std::string_view)>& is_known) {
    return ForeignFinder(store, is_known).Visit("", 0);
}

namespace {

Status SetText(Store& store, std::string_view key, const std::string& text) {
    return store.Set(std::string(key), ByteSpan(std::string_view(text)));
}

template <class Predicate>
Status EraseThose(Store& store, const std::vector<StoreEntry>& entries, Predicate&& is_wanted) {
    for (const StoreEntry& entry : entries)
        if (is_wanted(entry))
            ZARR_RETURN_IF_ERROR(entry.is_prefix ? EraseBelow(store, entry.name, 0)
                                                 : store.Erase(entry.name));
    return {};
}

}  // namespace

Status ClearRoot(Store& store) {
    const ChangeScope change(store);
    ZARR_ASSIGN_OR_RETURN(const std::vector<StoreEntry> entries, store.List(""));
    for (const StoreEntry& entry : entries) {
        if (entry.is_prefix) continue;
        if (entry.name == kV3Document) {
            // An empty group replaces the root. If the group's document cannot be stored, for
            // example in a full store, the root's document is erased.
            if (!SetText(store, entry.name, V3GroupText()).ok())
                ZARR_RETURN_IF_ERROR(store.Erase(entry.name));
        } else if (IsDocument(entry.name, Document::kConsolidated)) {
            ZARR_RETURN_IF_ERROR(store.Erase(entry.name));
        } else if (IsDocument(entry.name, Document::kArray)) {
            static_cast<void>(SetText(store, DocumentKey("", Document::kGroup), GroupText()));
            ZARR_RETURN_IF_ERROR(store.Erase(entry.name));
        }
    }
    return {};
}

Status EraseStore(Store& store) {
    const ChangeScope change(store);
    ZARR_RETURN_IF_ERROR(ClearRoot(store));
    ZARR_ASSIGN_OR_RETURN(const std::vector<StoreEntry> entries, store.List(""));
    for (const StoreEntry& entry : entries)
        if (entry.is_prefix) ZARR_RETURN_IF_ERROR(EraseDocuments(store, entry.name, 0));
    // Erase metadata documents that make no node, such as `.zattrs`, and the document `meta` of
    // Zarr v1.
    ZARR_RETURN_IF_ERROR(EraseThose(store, entries, [](const StoreEntry& entry) {
        return !entry.is_prefix && IsDocumentOfAnyFormat(entry.name) && !MakesNode(entry.name);
    }));
    ZARR_RETURN_IF_ERROR(EraseThose(store, entries, [](const StoreEntry& entry) {
        return entry.is_prefix || !IsDocumentOfAnyFormat(entry.name);
    }));
    return EraseThose(store, entries, [](const StoreEntry& entry) {
        return !entry.is_prefix && MakesNode(entry.name);
    });
}

}  // namespace zarr
