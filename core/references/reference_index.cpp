// SPDX-License-Identifier: MIT
#include "core/references/reference_index.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <set>
#include <utility>

#include "core/base/limits.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// Returns the decimal number in `text`; nullopt if `text` is no number or is not its shortest
// spelling.
std::optional<std::uint64_t> ShortestNumber(std::string_view text) {
    if (text.empty() || text.size() > 20 || (text[0] == '0' && text.size() > 1)) return {};
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return {};
    return number;
}

// Memory of an entry of a vector that grows: the old and the new vector exist for a moment.
constexpr std::size_t kEntryBytes = 48;
// Estimated memory of an entry of a map besides its texts.
constexpr std::size_t kNodeBytes = 64 + sizeof(std::string) + sizeof(Reference);

}  // namespace

std::uint64_t ReferenceIndex::Arena::Add(std::string_view bytes) {
    if (bytes.size() > kBlock) {
        auto block = std::make_unique<char[]>(bytes.size());
        std::memcpy(block.get(), bytes.data(), bytes.size());
        blocks_.push_back(std::move(block));
        used_ = kBlock;
        return static_cast<std::uint64_t>(blocks_.size() - 1) << 32U;
    }
    if (bytes.size() > kBlock - used_) {
        blocks_.push_back(std::make_unique<char[]>(kBlock));
        used_ = 0;
    }
    const std::uint64_t position =
        (static_cast<std::uint64_t>(blocks_.empty() ? 0 : blocks_.size() - 1) << 32U) | used_;
    if (!bytes.empty()) std::memcpy(blocks_.back().get() + used_, bytes.data(), bytes.size());
    used_ += bytes.size();
    return position;
}

std::string_view ReferenceIndex::Arena::At(std::uint64_t position, std::size_t size) const {
    if (size == 0) return {};
    return {blocks_[static_cast<std::size_t>(position >> 32U)].get() + (position & UINT32_MAX),
            size};
}

std::optional<ReferenceIndex::ChunkKey> ReferenceIndex::Split(std::string_view key) {
    ChunkKey found;
    const std::string_view last = LastName(key);
    if (last.empty()) return {};
    const auto push = [&](std::string_view text) {
        const auto number = ShortestNumber(text);
        if (!number || found.rank == kMostIndices) return false;
        found.indices[found.rank++] = *number;
        return true;
    };
    const bool has_prefix = last.size() > 2 && last.substr(0, 2) == "c.";
    if (has_prefix || last.find('.') != std::string_view::npos) {
        found.form = has_prefix ? Form::kPrefixDots : Form::kDots;
        found.prefix = ParentPath(key);
        for (std::size_t from = has_prefix ? 2 : 0; from <= last.size();) {
            const std::size_t end = std::min(last.find('.', from), last.size());
            if (!push(last.substr(from, end - from))) return {};
            from = end + 1;
        }
        return found;
    }
    // Removes the chunk indices from the end of the key, the last index first.
    found.prefix = key;
    while (!found.prefix.empty() && push(LastName(found.prefix)))
        found.prefix = ParentPath(found.prefix);
    if (found.rank == 0) return {};
    std::reverse(found.indices.begin(),
                 found.indices.begin() + static_cast<std::ptrdiff_t>(found.rank));
    found.form = Form::kSlashes;
    if (LastName(found.prefix) == "c") {
        found.form = Form::kPrefixSlashes;
        found.prefix = ParentPath(found.prefix);
    }
    return found;
}

std::optional<std::uint64_t> ReferenceIndex::Group::Pack(const ChunkKey& key) const {
    const std::size_t bits = 64 / rank;
    std::uint64_t packed = 0;
    for (std::size_t i = 0; i < rank; ++i) {
        const std::uint64_t index = key.indices[i];
        if (bits < 64 && (index >> bits) != 0) return {};
        packed = bits < 64 ? (packed << bits) | index : index;
    }
    return packed;
}

std::string ReferenceIndex::Group::KeyOf(std::uint64_t chunk) const {
    const bool is_dotted = form == Form::kDots || form == Form::kPrefixDots;
    const std::size_t bits = 64 / rank;
    std::string name;
    if (form == Form::kPrefixDots) name = "c.";
    if (form == Form::kPrefixSlashes) name = "c/";
    for (std::size_t i = 0; i < rank; ++i) {
        if (i != 0) name += is_dotted ? '.' : '/';
        const std::size_t shift = bits * (rank - 1 - i);
        const std::uint64_t index =
            bits < 64 ? (chunk >> shift) & ((std::uint64_t{1} << bits) - 1) : chunk;
        name += std::to_string(index);
    }
    return JoinKey(prefix, name);
}

const std::vector<ReferenceIndex::Entry>& ReferenceIndex::Group::Sorted() const {
    if (is_sorted.load(std::memory_order_acquire)) return entries;
    const std::lock_guard<std::mutex> lock(mutex);
    const auto before = [](const Entry& a, const Entry& b) { return a.chunk < b.chunk; };
    if (!std::is_sorted(entries.begin(), entries.end(), before))
        std::stable_sort(entries.begin(), entries.end(), before);
    is_sorted.store(true, std::memory_order_release);
    return entries;
}

std::string ReferenceIndex::NameOf(const ChunkKey& key) {
    std::string name(key.prefix);
    name += static_cast<char>(key.form);
    name += static_cast<char>(key.rank);
    return name;
}

ReferenceIndex::Group& ReferenceIndex::GroupOf(const ChunkKey& key) {
    if (last_group_ != nullptr && last_group_->form == key.form && last_group_->rank == key.rank &&
        last_group_->prefix == key.prefix)
        return *last_group_;
    auto& group = groups_[NameOf(key)];
    if (group == nullptr) {
        bytes_ += kNodeBytes + sizeof(Group) + 2 * key.prefix.size();
        group = std::make_unique<Group>();
        group->prefix = key.prefix;
        group->form = key.form;
        group->rank = key.rank;
    }
    last_group_ = group.get();
    return *group;
}

const ReferenceIndex::Group* ReferenceIndex::FindGroup(const ChunkKey& key) const {
    const auto found = groups_.find(NameOf(key));
    return found != groups_.end() ? found->second.get() : nullptr;
}

std::uint32_t ReferenceIndex::TargetNumber(std::string_view location) {
    if (last_target_ != kInline && targets_[last_target_] == location) return last_target_;
    const auto [place, is_new] =
        numbers_.try_emplace(std::string(location), static_cast<std::uint32_t>(targets_.size()));
    if (is_new) targets_.emplace_back(location);
    last_target_ = place->second;
    return last_target_;
}

Status ReferenceIndex::Count(std::size_t bytes) {
    bytes_ += bytes;
    if (bytes_ > LimitOf(Limit::kReferenceSize))
        return OverLimit(Limit::kReferenceSize, "the references take too much memory");
    if (++count_ > LimitOf(Limit::kReferences))
        return OverLimit(Limit::kReferences, "there are too many references");
    return {};
}

Status ReferenceIndex::AddInline(std::string_view key, std::string_view bytes) {
    const auto chunk = Split(key);
    if (chunk && bytes.size() < kWhole) {
        Group& group = GroupOf(*chunk);
        if (const auto packed = group.Pack(*chunk)) {
            ZARR_RETURN_IF_ERROR(Count(kEntryBytes + bytes.size()));
            group.entries.push_back(
                {*packed, inline_.Add(bytes), static_cast<std::uint32_t>(bytes.size()), kInline});
            return {};
        }
    }
    ZARR_RETURN_IF_ERROR(Count(kNodeBytes + key.size() + bytes.size()));
    others_[std::string(key)] = Reference::Inline(std::string(bytes));
    return {};
}

Status ReferenceIndex::AddTarget(std::string_view key, std::string_view location,
                                 std::uint64_t offset, std::optional<std::uint64_t> size) {
    const auto chunk = Split(key);
    if (chunk && size.value_or(0) < kWhole && targets_.size() < kInline) {
        Group& group = GroupOf(*chunk);
        if (const auto packed = group.Pack(*chunk)) {
            const std::size_t before = targets_.size();
            const std::uint32_t target = TargetNumber(location);
            const bool is_new = targets_.size() != before;
            ZARR_RETURN_IF_ERROR(
                Count(kEntryBytes + (is_new ? kNodeBytes + 2 * location.size() : 0)));
            group.entries.push_back(
                {*packed, offset, size ? static_cast<std::uint32_t>(*size) : kWhole, target});
            return {};
        }
    }
    ZARR_RETURN_IF_ERROR(Count(kNodeBytes + key.size() + location.size()));
    others_[std::string(key)] = Reference::Target(std::string(location), offset, size);
    return {};
}

Reference ReferenceIndex::ReferenceOf(const Entry& entry) const {
    if (entry.target == kInline)
        return Reference::Inline(std::string(inline_.At(entry.offset, entry.size)));
    return Reference::Target(
        targets_[entry.target], entry.offset,
        entry.size == kWhole ? std::nullopt : std::optional<std::uint64_t>(entry.size));
}

Reference ReferenceIndex::Find(std::string_view key) const {
    if (const auto chunk = Split(key)) {
        const Group* const group = FindGroup(*chunk);
        const auto packed = group != nullptr ? group->Pack(*chunk) : std::nullopt;
        if (packed) {
            const std::vector<Entry>& entries = group->Sorted();
            const auto after = std::upper_bound(
                entries.begin(), entries.end(), *packed,
                [](std::uint64_t wanted, const Entry& entry) { return wanted < entry.chunk; });
            if (after != entries.begin() && std::prev(after)->chunk == *packed)
                return ReferenceOf(*std::prev(after));
        }
    }
    const auto other = others_.find(key);
    return other != others_.end() ? other->second : Reference::Absent();
}

void ReferenceIndex::ForEach(const Group& group,
                             const std::function<void(std::string_view key)>& visit) {
    const std::vector<Entry>& entries = group.Sorted();
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (i == 0 || entries[i - 1].chunk != entries[i].chunk)
            visit(group.KeyOf(entries[i].chunk));
}

std::vector<StoreEntry> ReferenceIndex::List(const std::string& prefix) const {
    const std::string start = prefix.empty() ? "" : prefix + "/";
    // names of direct children; true if other keys exist below the child
    std::map<std::string, bool> children;
    const auto add = [&](std::string_view key) {
        if (key.size() <= start.size() || key.substr(0, start.size()) != start) return;
        const std::string_view rest = key.substr(start.size());
        const std::size_t end = rest.find('/');
        const bool is_prefix = end != std::string_view::npos;
        bool& known =
            children.try_emplace(std::string(rest.substr(0, end)), is_prefix).first->second;
        known = known || is_prefix;
    };
    for (auto other = others_.lower_bound(start); other != others_.end(); ++other) {
        if (other->first.compare(0, start.size(), start) != 0) break;
        add(other->first);
    }
    for (const auto& [name, group] : groups_) {
        if (group->prefix.size() > prefix.size() && IsAtOrBelow(group->prefix, prefix))
            add(group->prefix + "/");
        else if (IsAtOrBelow(prefix, group->prefix))
            ForEach(*group, add);
    }
    std::vector<StoreEntry> entries;
    entries.reserve(children.size());
    for (const auto& [name, is_prefix] : children) entries.push_back({name, is_prefix});
    return entries;
}

void ReferenceIndex::ForEachKey(const std::string& prefix,
                                const ReferenceMap::KeyVisitor& visit) const {
    const std::string start = prefix.empty() ? "" : prefix + "/";
    const auto tell = [&](std::string_view key) {
        if (key.size() > start.size() && key.substr(0, start.size()) == start)
            visit(key.substr(start.size()));
    };
    for (auto other = others_.lower_bound(start); other != others_.end(); ++other) {
        if (other->first.compare(0, start.size(), start) != 0) break;
        tell(other->first);
    }
    for (const auto& [name, group] : groups_)
        if (IsAtOrBelow(group->prefix, prefix) || IsAtOrBelow(prefix, group->prefix))
            ForEach(*group, tell);
}

std::string_view ReferenceIndex::sample_location() const {
    if (!targets_.empty()) return targets_.front();
    for (const auto& [key, reference] : others_)
        if (reference.kind == Reference::Kind::kTarget) return reference.location;
    return {};
}

}  // namespace zarr
