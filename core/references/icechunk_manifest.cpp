// SPDX-License-Identifier: MIT
#include "core/references/icechunk_manifest.h"

#include <zstd.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "core/base/checked.h"
#include "core/base/endian.h"
#include "core/base/limits.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// Fields of the tables in Icechunk's schema manifest.fbs, by their numbers.
struct ManifestTable {
    enum : unsigned { kArrays = 1, kLocationDictionary = 2 };
};
struct ArrayTable {
    enum : unsigned { kNodeId = 0, kRefs = 1 };
};
struct ChunkRefTable {
    enum : unsigned {
        kIndex = 0,
        kInline = 1,
        kOffset = 2,
        kLength = 3,
        kChunkId = 4,
        kLocation = 5,
        kEtag = 6,
        kLastModified = 7,
        kCompressedLocation = 8,
    };
};

// Maximum size of a virtual location in bytes. Object stores and servers have shorter limits.
constexpr std::size_t kMaxLocation = std::size_t{64} << 10;

Status MissingField(const char* field) {
    return Status::Corrupt(std::string("the field ") + field + " is missing");
}

Result<FlatVector> IndexOf(const FlatTable& ref) {
    ZARR_ASSIGN_OR_RETURN(const auto index, ref.Vector(ChunkRefTable::kIndex, 4));
    if (!index) return MissingField("index");
    return *index;
}

std::uint32_t At(const FlatVector& index, std::size_t i) {
    return LoadLittle32(index.Bytes(i).data);
}

// Compare chunk indices: return a number < 0, 0 or > 0 if `a` is before, equal to or after `b`.
int Compare(const FlatVector& a, const FlatVector& b) {
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        const std::uint32_t left = At(a, i);
        const std::uint32_t right = At(b, i);
        if (left != right) return left < right ? -1 : 1;
    }
    return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

int Compare(const FlatVector& a, const DimVector<std::uint64_t>& b) {
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        const std::uint32_t left = At(a, i);
        if (left != b[i]) return left < b[i] ? -1 : 1;
    }
    return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

struct FreeLocationContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

void FreeDictionary(ZSTD_DDict* dictionary) { ZSTD_freeDDict(dictionary); }

}  // namespace

Result<std::shared_ptr<const IcechunkManifest>> IcechunkManifest::Read(
    const Store& repository, const std::string& id, std::shared_ptr<MemoryBudget> budget) {
    const std::string key = JoinKey(kIcechunkManifests, id);
    std::shared_ptr<IcechunkManifest> manifest(new IcechunkManifest());
    auto file = ReadIcechunkFile(repository, key, IcechunkFileType::kManifest, std::move(budget));
    if (!file.ok()) {
        // A snapshot names the manifest, so its absence is damage.
        if (file.status().code() == StatusCode::kNotFound)
            return Status::Corrupt(file.status().message());
        return file.status();
    }
    manifest->file_ = file.Take();
    ZARR_RETURN_IF_ERROR(manifest->Parse().WithContext(key));
    return std::shared_ptr<const IcechunkManifest>(std::move(manifest));
}

Status IcechunkManifest::Parse() {
    const ByteSpan buffer = std::as_const(file_.payload).span();
    ZARR_ASSIGN_OR_RETURN(const FlatTable root, FlatTable::Root(buffer, "Ichk"));
    ZARR_ASSIGN_OR_RETURN(const auto arrays, root.Vector(ManifestTable::kArrays, 4));
    if (!arrays) return MissingField("arrays");
    ZARR_RETURN_IF_ERROR(ReadDictionary(root));
    std::uint64_t count = 0;
    BudgetShare sorting(file_.memory.budget());
    ZARR_RETURN_IF_ERROR(file_.memory.Add(arrays->size() * sizeof(Array)));
    ZARR_RETURN_IF_ERROR(sorting.Add(arrays->size() * sizeof(Array)));
    arrays_.reserve(arrays->size());
    for (std::size_t i = 0; i < arrays->size(); ++i) {
        ZARR_ASSIGN_OR_RETURN(const FlatTable table, arrays->Table(i));
        ZARR_ASSIGN_OR_RETURN(const auto node,
                              table.Struct(ArrayTable::kNodeId, kIcechunkNodeIdSize));
        ZARR_ASSIGN_OR_RETURN(const auto refs, table.Vector(ArrayTable::kRefs, 4));
        if (!node) return MissingField("node_id");
        if (!refs) return MissingField("refs");
        count = SaturatingAdd(count, refs->size());
        if (count > LimitOf(Limit::kReferences))
            return OverLimit(Limit::kReferences, "there are too many references");
        Array array{*node, *refs, {}};
        ZARR_RETURN_IF_ERROR(CheckOrder(array));
        arrays_.push_back(std::move(array));
    }
    // The specification requires sorted arrays, but some writers may not sort them.
    std::stable_sort(arrays_.begin(), arrays_.end(),
                     [](const Array& a, const Array& b) { return a.node.text() < b.node.text(); });
    return {};
}

// Reads the Zstandard dictionary with which the locations of references are compressed, if any.
Status IcechunkManifest::ReadDictionary(const FlatTable& root) {
    ZARR_ASSIGN_OR_RETURN(const auto dictionary,
                          root.Vector(ManifestTable::kLocationDictionary, 1));
    if (!dictionary || dictionary->size() == 0) return {};
    const ByteSpan bytes = dictionary->bytes();
    dictionary_.reset(ZSTD_createDDict(bytes.data, bytes.size), FreeDictionary);
    if (dictionary_ == nullptr) return Status::Corrupt("the dictionary of locations is damaged");
    return {};
}

// Checks the positions of all references and their indices. Fills `order` if the references are not
// sorted.
Status IcechunkManifest::CheckOrder(Array& array) {
    bool is_sorted = true;
    FlatVector last;
    for (std::size_t i = 0; i < array.refs.size(); ++i) {
        FlatVector index;
        if (!array.refs.FindVector(i, ChunkRefTable::kIndex, 4, index)) {
            // FindVector() gives no reason for a failure. These slower calls return it as an error.
            ZARR_ASSIGN_OR_RETURN(const FlatTable ref, array.refs.Table(i));
            ZARR_ASSIGN_OR_RETURN(index, IndexOf(ref));
        }
        is_sorted = is_sorted && (i == 0 || Compare(last, index) < 0);
        last = index;
    }
    if (is_sorted) return {};
    // Entries of the list, a buffer of the same size for sorting, and their order.
    std::vector<std::pair<FlatVector, std::uint32_t>> refs;
    BudgetShare sorting(file_.memory.budget());
    ZARR_RETURN_IF_ERROR(sorting.Add(array.refs.size() * 2 * sizeof(refs[0])));
    ZARR_RETURN_IF_ERROR(file_.memory.Add(array.refs.size() * sizeof(array.order[0])));
    refs.reserve(array.refs.size());
    for (std::size_t i = 0; i < array.refs.size(); ++i) {
        ZARR_ASSIGN_OR_RETURN(const FlatTable ref, array.refs.Table(i));
        ZARR_ASSIGN_OR_RETURN(const FlatVector index, IndexOf(ref));
        refs.emplace_back(index, static_cast<std::uint32_t>(i));
    }
    std::stable_sort(refs.begin(), refs.end(),
                     [](const auto& a, const auto& b) { return Compare(a.first, b.first) < 0; });
    array.order.reserve(refs.size());
    for (const auto& [index, number] : refs) array.order.push_back(number);
    return {};
}

Result<Reference> IcechunkManifest::Find(ByteSpan node,
                                         const DimVector<std::uint64_t>& chunk) const {
    auto array = std::lower_bound(
        arrays_.begin(), arrays_.end(), node,
        [](const Array& each, ByteSpan wanted) { return each.node.text() < wanted.text(); });
    for (; array != arrays_.end() && array->node.text() == node.text(); ++array) {
        std::size_t first = 0;
        std::size_t end = array->refs.size();
        while (first < end) {
            const std::size_t middle = first + (end - first) / 2;
            ZARR_ASSIGN_OR_RETURN(const FlatTable ref, array->refs.Table(array->At(middle)));
            ZARR_ASSIGN_OR_RETURN(const FlatVector index, IndexOf(ref));
            const int order = Compare(index, chunk);
            if (order == 0) return ReferenceOf(ref);
            if (order < 0)
                first = middle + 1;
            else
                end = middle;
        }
    }
    return Reference::Absent();
}

Result<Reference> IcechunkManifest::ReferenceOf(const FlatTable& ref) const {
    ZARR_ASSIGN_OR_RETURN(const auto bytes, ref.String(ChunkRefTable::kInline));
    ZARR_ASSIGN_OR_RETURN(const auto id, ref.Struct(ChunkRefTable::kChunkId, kIcechunkIdSize));
    ZARR_ASSIGN_OR_RETURN(const auto location, ref.String(ChunkRefTable::kLocation));
    ZARR_ASSIGN_OR_RETURN(const auto compressed, ref.Vector(ChunkRefTable::kCompressedLocation, 1));
    const int kinds = (bytes ? 1 : 0) + (id ? 1 : 0) + (location || compressed ? 1 : 0);
    if (kinds != 1 || (location && compressed))
        return Status::Corrupt("expected either the bytes, the object or the location of a chunk");
    if (bytes) return Reference::Inline(std::string(*bytes));
    ZARR_ASSIGN_OR_RETURN(const std::uint64_t offset, ref.Uint64(ChunkRefTable::kOffset, 0));
    ZARR_ASSIGN_OR_RETURN(const std::uint64_t length, ref.Uint64(ChunkRefTable::kLength, 0));
    if (id)
        return Reference::Target(JoinKey(kIcechunkChunks, IcechunkObjectName(*id)), offset, length);
    std::string url;
    if (location) {
        url = *location;
    } else {
        ZARR_ASSIGN_OR_RETURN(url, Location(compressed->bytes()));
    }
    Reference reference = Reference::Target(std::move(url), offset, length);
    ZARR_ASSIGN_OR_RETURN(const auto etag, ref.String(ChunkRefTable::kEtag));
    ZARR_ASSIGN_OR_RETURN(const std::uint32_t modified,
                          ref.Uint32(ChunkRefTable::kLastModified, 0));
    if (etag) reference.condition.etag = *etag;
    if (modified != 0) reference.condition.not_modified_after = modified;
    return reference;
}

// Decompresses a location with the dictionary of the manifest.
Result<std::string> IcechunkManifest::Location(ByteSpan compressed) const {
    const unsigned long long size = ZSTD_getFrameContentSize(compressed.data, compressed.size);
    if (size == ZSTD_CONTENTSIZE_ERROR) return Status::Corrupt("a location is no Zstandard data");
    if (size != ZSTD_CONTENTSIZE_UNKNOWN && size > kMaxLocation)
        return Status::Corrupt("a location has " + std::to_string(size) + " bytes, more than the " +
                               std::to_string(kMaxLocation) + " that are allowed");
    std::string location(
        size == ZSTD_CONTENTSIZE_UNKNOWN ? kMaxLocation : static_cast<std::size_t>(size), '\0');
    const std::unique_ptr<ZSTD_DCtx, FreeLocationContext> context(ZSTD_createDCtx());
    if (context == nullptr) return Status::OutOfMemory("cannot allocate a Zstandard context");
    const std::size_t got =
        dictionary_ == nullptr
            ? ZSTD_decompressDCtx(context.get(), location.data(), location.size(), compressed.data,
                                  compressed.size)
            : ZSTD_decompress_usingDDict(context.get(), location.data(), location.size(),
                                         compressed.data, compressed.size, dictionary_.get());
    if (ZSTD_isError(got) != 0)
        return Status::Corrupt(std::string("a location is no Zstandard data: ") +
                               ZSTD_getErrorName(got));
    location.resize(got);
    return location;
}

Status IcechunkManifest::ForEachChunk(ByteSpan node, const ChunkVisitor& visit) const {
    for (const Array& array : arrays_) {
        if (array.node.text() != node.text()) continue;
        for (std::size_t i = 0; i < array.refs.size(); ++i) {
            ZARR_ASSIGN_OR_RETURN(const FlatTable ref, array.refs.Table(i));
            ZARR_ASSIGN_OR_RETURN(const FlatVector index, IndexOf(ref));
            if (index.size() > DimVector<std::uint64_t>::kCapacity) continue;
            DimVector<std::uint64_t> chunk;
            for (std::size_t k = 0; k < index.size(); ++k) chunk.push_back(At(index, k));
            visit(chunk);
        }
    }
    return {};
}

std::size_t IcechunkManifest::bytes() const {
    std::size_t bytes = sizeof(*this) + file_.payload.capacity();
    for (const Array& array : arrays_)
        bytes += sizeof array + array.order.capacity() * sizeof(std::uint32_t);
    return bytes;
}

}  // namespace zarr
