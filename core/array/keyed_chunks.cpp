// SPDX-License-Identifier: MIT
#include "core/array/keyed_chunks.h"

#include <charconv>
#include <map>
#include <utility>

#include "core/grid/chunk_grid.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

bool ParseIndex(std::string_view text, std::uint64_t& index) {
    const char* const end = text.data() + text.size();
    const auto [next, error] = std::from_chars(text.data(), end, index);
    return error == std::errc() && next == end && (text == "0" || text[0] != '0');
}

// Kind of a key below the array. kNoChunk: neither a chunk key nor a prefix of chunk keys. kInside:
// the key of a chunk inside the grid, or a prefix of such keys. kOutside: the key of a chunk
// outside the grid, or a prefix of such keys.
enum class KeyKind { kNoChunk, kInside, kOutside };

KeyKind KindOfKey(std::string_view name, char separator, const std::vector<std::uint64_t>& counts,
                  std::size_t& given) {
    bool is_inside = true;
    given = 0;
    for (;;) {
        const std::size_t end = name.find(separator);
        std::uint64_t index = 0;
        if (given == counts.size() || !ParseIndex(name.substr(0, end), index))
            return KeyKind::kNoChunk;
        is_inside = is_inside && index < counts[given];
        ++given;
        if (end == std::string_view::npos) break;
        name.remove_prefix(end + 1);
    }
    return is_inside ? KeyKind::kInside : KeyKind::kOutside;
}

}  // namespace

KeyedChunks::KeyedChunks(std::shared_ptr<const Store> store, std::string path,
                         const ArrayMetadata& metadata, const DimVector<std::uint64_t>& counts)
    : store_(std::move(store)),
      path_(std::move(path)),
      counts_(counts),
      has_prefix_(metadata.has_key_prefix) {
    // The separator is known if the metadata states it, and in Zarr v1, where it is always ".". A
    // chunk with a single index needs no separator. Otherwise the store must be searched for the
    // separator.
    if (metadata.has_separator || counts_.size() < 2 || metadata.format == Format::kV1)
        state_ = metadata.dimension_separator == '/' ? State::kSlash : State::kDot;
    else
        state_ = State::kUnknown;
}

// ---------------------------------------------------------------------------------------------
// The separator

void KeyedChunks::RecordSeparator(State state) const {
    for (State known : {State::kUnknown, State::kAssumedDot})
        if (state_.compare_exchange_strong(known, state)) return;
}

void KeyedChunks::DropOutdatedState() const {
    State assumed = State::kAssumedDot;
    if (!state_.compare_exchange_strong(assumed, State::kUnknown)) return;
    looked_.Reset();
}

Result<char> KeyedChunks::DetermineSeparator(const Index& chunk) const {
    if (is_separator_known()) return separator();
    ZARR_ASSIGN_OR_RETURN(const State found, looked_.TryGet([&] { return FindSeparator(chunk); }));
    State unknown = State::kUnknown;
    state_.compare_exchange_strong(unknown, found);
    return separator();
}

Result<KeyedChunks::State> KeyedChunks::FindSeparator(const Index& chunk) const {
    bool has_dots = false;
    bool has_folders = false;
    const auto look = [&](const StoreEntry& entry) {
        if (entry.is_prefix)
            has_folders = has_folders || ParseChunkName(entry.name, 1, '/').has_value();
        else
            has_dots = ParseChunkName(entry.name, counts_.size(), '.').has_value();
        return !has_dots;
    };
    const Status looked = store_->VisitEntries(path_, look);
    if (!looked.ok() && looked.code() != StatusCode::kUnsupported) return looked;
    if (has_dots) return State::kDot;
    if (has_folders) return State::kSlash;
    // The listing has no keys or folders with chunk names. However, some stores do not list
    // folders, so a request finds out whether `chunk` exists under its key with "/".
    ZARR_ASSIGN_OR_RETURN(const bool found, store_->Exists(ChunkKey(path_, chunk, '/')));
    return found ? State::kSlash : State::kAssumedDot;
}

Result<char> KeyedChunks::DetermineSeparator() const {
    return DetermineSeparator(Index(counts_.size()));
}

// ---------------------------------------------------------------------------------------------
// Reading

std::string KeyedChunks::NameOf(const Index& chunk) const {
    return ChunkKey(path_, chunk, {separator(), has_prefix_});
}

Result<ReadResult> KeyedChunks::Read(const Index& chunk, const ValuePart& part,
                                     const ReadSink& sink) const {
    const bool was_separator_known = is_separator_known();
    const char asked_with = separator();
    const auto read = [&](char with) {
        return store_->Read(ChunkKey(path_, chunk, {with, has_prefix_}), part, sink);
    };
    auto answer = read(asked_with);
    if (was_separator_known || !answer.ok()) return answer;
    if (answer->found) {
        RecordSeparator(State::kDot);
        return answer;
    }
    // The chunk was not found under a key with the assumed separator. If the store shows that the
    // separator is another, the chunk is read again.
    ZARR_ASSIGN_OR_RETURN(const char separator, DetermineSeparator(chunk));
    return separator == asked_with ? std::move(answer) : read(separator);
}

std::uint64_t KeyedChunks::NumberOf(const Index& chunk) const {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < chunk.size(); ++i) number = number * counts_[i] + chunk[i];
    return number;
}

KeyedChunks::Index KeyedChunks::IndexOf(std::uint64_t number) const {
    Index index(counts_.size());
    for (std::size_t i = counts_.size(); i-- > 0; number /= counts_[i])
        index[i] = number % counts_[i];
    return index;
}

Status KeyedChunks::ForEachStored(const ChunkVisitor& visit, const SizeVisitor& visit_size) const {
    const bool was_separator_known = is_separator_known();
    // Numbers of the chunks found so far, by the separator in their keys. Filled only while the
    // array's separator is unknown.
    std::map<char, std::vector<std::uint64_t>> found;
    const auto add = [&](std::string_view name, char separator) {
        const auto chunk = ParseChunkName(name, counts_.size(), {separator, has_prefix_});
        if (!chunk) return;
        for (std::size_t i = 0; i < chunk->size(); ++i)
            if ((*chunk)[i] >= counts_[i]) return;
        if (was_separator_known)
            visit(NumberOf(*chunk));
        else
            found[separator].push_back(NumberOf(*chunk));
    };
    // A folder with the name of a chunk counts as a stored chunk. A later read of that chunk fails
    // with an error that names the folder.
    const auto add_any = [&](std::string_view name) {
        if (was_separator_known) return add(name, separator());
        for (const char separator : {'.', '/'}) add(name, separator);
    };
    const auto add_object = [&](std::string_view name,
                                const std::optional<ObjectVersion>& version) {
        visit_size(version ? std::optional(version->size) : std::nullopt);
        add_any(name);
    };
    ZARR_RETURN_IF_ERROR(store_->ForEachKey(path_, add_object, add_any));
    if (was_separator_known) return {};
    if (!found.empty()) RecordSeparator(found.count('.') != 0 ? State::kDot : State::kSlash);
    for (const std::uint64_t number : found[separator()]) visit(number);
    return {};
}

// ---------------------------------------------------------------------------------------------
// Writing

Result<std::string> KeyedChunks::KeyOf(const Index& chunk) const {
    ZARR_RETURN_IF_ERROR(DetermineSeparator(chunk).status());
    return NameOf(chunk);
}

Status KeyedChunks::Set(Store& store, const Index& chunk, ByteSpan value) const {
    ZARR_ASSIGN_OR_RETURN(const std::string key, KeyOf(chunk));
    return store.Set(key, value);
}

Status KeyedChunks::SetParts(Store& store, const Index& chunk,
                             const std::vector<ByteSpan>& parts) const {
    ZARR_ASSIGN_OR_RETURN(const std::string key, KeyOf(chunk));
    return store.SetParts(key, parts);
}

Status KeyedChunks::Erase(Store& store, const Index& chunk) const {
    ZARR_ASSIGN_OR_RETURN(const std::string key, KeyOf(chunk));
    return store.Erase(key);
}

Status KeyedChunks::EraseOutside(Store& store, const std::vector<std::uint64_t>& counts) const {
    ZARR_RETURN_IF_ERROR(DetermineSeparator().status());
    // An array without dimensions has a single chunk, which is inside of every grid, so nothing is
    // removed.
    return counts.empty() ? Status() : EraseOutsideBelow(store, "", counts);
}

// Returns the part of `key` that contains the chunk's indices; empty if `key` is not a chunk's key.
// `key` is relative to the array.
std::string_view KeyedChunks::IndicesIn(std::string_view key) const {
    if (!has_prefix_) return key;
    const bool is_chunk = key.size() > 2 && key[0] == 'c' && key[1] == separator();
    return is_chunk ? key.substr(2) : std::string_view();
}

// Removes the chunks outside the grid whose keys lie below folder `name` of the array, such as
// "0/1".
Status KeyedChunks::EraseOutsideBelow(Store& store, const std::string& name,
                                      const std::vector<std::uint64_t>& counts) const {
    ZARR_ASSIGN_OR_RETURN(const std::vector<StoreEntry> entries,
                          store.List(name.empty() ? path_ : JoinKey(path_, name)));
    for (const StoreEntry& entry : entries) {
        const std::string own = JoinKey(name, entry.name);
        std::size_t given = 0;
        const bool has_all_chunks = has_prefix_ && entry.is_prefix && own == "c";
        const KeyKind kind = has_all_chunks ? KeyKind::kInside
                                            : KindOfKey(IndicesIn(own), separator(), counts, given);
        if (kind == KeyKind::kNoChunk) continue;
        if (entry.is_prefix) {
            if (separator() == '/' && given < counts.size())
                ZARR_RETURN_IF_ERROR(EraseOutsideBelow(store, own, counts));
        } else if (kind == KeyKind::kOutside && given == counts.size()) {
            ZARR_RETURN_IF_ERROR(store.Erase(JoinKey(path_, own)));
        }
    }
    return name.empty() ? Status() : store.ErasePrefix(JoinKey(path_, name)).status();
}

}  // namespace zarr
