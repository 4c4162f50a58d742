// SPDX-License-Identifier: MIT
#include "core/conventions/attributes/base_state.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "core/base/digest.h"
#include "core/conventions/attributes/attributes.h"
#include "core/dtype/stored_converter.h"
#include "core/grid/copy.h"
#include "core/metadata/documents.h"

namespace zarr {

namespace {

// Number of chunks, and of windows of the array, that are sampled.
constexpr std::uint64_t kSamples = 4;
// Number of bytes that are sampled from the start of a chunk.
constexpr std::size_t kSampleBytes = std::size_t{256} << 10;
// Maximum size of a sampled window along a dimension, in elements.
constexpr std::uint64_t kWindowSide = 256;
// Maximum number of elements in a sampled window.
constexpr std::uint64_t kWindowSize = std::uint64_t{1} << 16;

std::string DigestOfGrid(const ArrayMetadata& metadata) {
    Digest digest = DigestOf(metadata.dtype.Native().ToString());
    for (const std::uint64_t size : metadata.shape) digest.Add(size);
    return digest.Text();
}

// Returns the indices of the sampled chunks of an array with `count` chunks.
std::set<std::uint64_t> SampledChunks(std::uint64_t count) {
    constexpr std::uint64_t kSteps = 2 * kSamples;
    std::set<std::uint64_t> sampled;
    for (std::uint64_t i = 1; i < kSteps; i += 2)
        sampled.insert(count / kSteps * i + count % kSteps * i / kSteps);
    return sampled;
}

// Returns a digest of the stored bytes of sampled chunks; empty if a chunk cannot be read. Each
// opening of a pyramid computes the digest, so CRC-32 is used, which is fast. Sets `is_any_stored`,
// unless it is nullptr, to true if a sampled chunk is stored.
std::string DigestOfChunks(const Array& array, bool* is_any_stored = nullptr) {
    const std::set<std::uint64_t> sampled = SampledChunks(array.chunk_count());
    Digest digest;
    const auto add = [&](std::size_t, const Result<FetchedChunk>& chunk) -> Status {
        ZARR_RETURN_IF_ERROR(chunk.status());
        const ByteSpan bytes = chunk->bytes;
        digest.Add(std::uint64_t{chunk->found ? bytes.size + 1 : 0});
        if (chunk->found) digest.Add(std::uint64_t{Crc32Of(bytes)});
        if (chunk->found && is_any_stored != nullptr) *is_any_stored = true;
        return {};
    };
    const ValuePart part = ValuePart::Range(0, kSampleBytes);
    for (const std::uint64_t index : sampled)
        if (!array.chunks().Read({{index, part, {}, 1}}, {}, add).ok()) return {};
    return digest.Text();
}

// Returns the size of a sampled window along each dimension. No size exceeds kWindowSide, and the
// window has at most kWindowSize elements. Sizes along the first dimensions are reduced first.
DimVector<std::uint64_t> WindowSize(const std::vector<std::uint64_t>& shape) {
    DimVector<std::uint64_t> count;
    std::uint64_t size = 1;
    for (const std::uint64_t side : shape) {
        count.push_back(std::min(side, kWindowSide));
        size *= count[count.size() - 1];
        for (std::size_t i = 0; size > kWindowSize; i += count[i] == 1 ? 1 : 0) {
            size /= count[i];
            count[i] = (count[i] + 1) / 2;
            size *= count[i];
        }
    }
    return count;
}

Strides StridesOf(const DimVector<std::uint64_t>& count, std::size_t item) {
    Strides strides(count.size());
    auto stride = static_cast<std::ptrdiff_t>(item);
    for (std::size_t i = count.size(); i-- > 0; stride *= static_cast<std::ptrdiff_t>(count[i]))
        strides[i] = stride;
    return strides;
}

// Returns a digest of the values in sampled windows; empty if the values cannot be read or are not
// numbers.
std::string DigestOfValues(const Array& array) {
    const ArrayMetadata& metadata = array.metadata();
    if (metadata.dtype.kind == DataKind::kObject) return {};
    const DataType native = metadata.dtype.Native();
    const auto op = ReadConverter(metadata.dtype, native);
    if (!op.ok()) return {};
    Region region = Region::All(metadata.shape);
    region.count = WindowSize(metadata.shape);
    std::string values(static_cast<std::size_t>(region.size()) * native.size, '\0');
    const Destination destination{reinterpret_cast<std::uint8_t*>(values.data()),
                                  StridesOf(region.count, native.size), *op};
    ReadOptions options;
    options.reads_pending = false;
    Digest digest;
    for (std::uint64_t i = 0; i < kSamples; ++i) {
        for (std::size_t axis = 0; axis < metadata.rank(); ++axis)
            region.start[axis] = (metadata.shape[axis] - region.count[axis]) / (kSamples - 1) * i;
        if (!array.Read(region, 0, destination, options).ok()) return {};
        digest.Add(values);
    }
    return digest.Text();
}

// Maximum size of a chunk that is read whole although only a part of it is sampled, in bytes.
constexpr std::uint64_t kMostBytes = 4 * kSampleBytes;

json::Object StatesIn(const json::Value& group_attributes) {
    const std::string* const text = StringAttribute(group_attributes, kBaseStateAttribute);
    const auto parsed = json::Parse(text != nullptr ? *text : "{}");
    return parsed.ok() && parsed->as_object() != nullptr ? *parsed->as_object() : json::Object{};
}

}  // namespace

std::string StatedBase(const json::Value& group_attributes, std::string_view name) {
    const json::Value states(StatesIn(group_attributes));
    const std::string* const state = StringAttribute(states, name);
    return state != nullptr ? *state : std::string();
}

void StateBase(json::Object& group_attributes, std::string_view name, std::string state) {
    json::Object states = StatesIn(json::Value(group_attributes));
    if (state.empty())
        json::EraseMember(states, name);
    else
        json::PutMember(states, name, json::Value(std::move(state)));
    if (states.empty())
        json::EraseMember(group_attributes, kBaseStateAttribute);
    else
        json::PutMember(group_attributes, kBaseStateAttribute,
                        json::Value(json::Dump(json::Value(std::move(states)))));
}

namespace {

// The digests in the text of a state. Absent digests are empty.
struct Digests {
    std::string_view grid, chunks, values, sizes, times, document;

    explicit Digests(std::string_view state) {
        for (std::string_view* const digest :
             {&grid, &chunks, &values, &sizes, &times, &document}) {
            *digest = state.substr(0, state.find(':'));
            state.remove_prefix(std::min(state.size(), digest->size() + 1));
        }
    }
};

std::string Joined(const std::vector<std::string>& digests) {
    std::string text;
    for (const std::string& digest : digests)
        text.append(&digest == &digests.front() ? "" : ":").append(digest);
    return text;
}

}  // namespace

bool HasSamples(std::string_view state) { return !Digests(state).chunks.empty(); }

std::string BaseState(const Array& array, BaseSamples samples) {
    std::string state = DigestOfGrid(array.metadata());
    if (samples == BaseSamples::kNone) return state;
    const std::string chunks = DigestOfChunks(array);
    const std::string values = chunks.empty() ? std::string() : DigestOfValues(array);
    return values.empty() ? state : Joined({state, chunks, values});
}

bool IsInState(const Array& array, std::string_view state) {
    const Digests recorded(state);
    if (recorded.grid != DigestOfGrid(array.metadata())) return false;
    if (recorded.chunks.empty() || recorded.chunks == DigestOfChunks(array)) return true;
    const std::string values = DigestOfValues(array);
    return values.empty() || values == recorded.values;
}

const ChunkFiles& StateOfBase::files() {
    if (!files_) files_ = DigestChunkFiles(*base_);
    return *files_;
}

// Returns a digest of the modification time of the metadata document of `level`; empty if it is no
// file.
std::string StateOfBase::TimeOfDocument(const std::string& level) const {
    return DigestFileTime(*base_->store(),
                          DocumentKey(level, Document::kArray, base_->metadata().format));
}

bool StateOfBase::HasChunks(std::string_view digest) {
    if (!chunks_) chunks_ = DigestOfChunks(*base_, &has_sampled_chunks_);
    return digest == *chunks_;
}

// True if the digest of sampled values is `digest`, or if either of them is unknown.
bool StateOfBase::HasValues(std::string_view digest) {
    if (!values_) values_ = DigestOfValues(*base_);
    return digest.empty() || values_->empty() || digest == *values_;
}

// True if a sampled window covers the whole array, and the values are those of `digest`.
bool StateOfBase::AreAllValues(std::string_view digest) {
    const auto& shape = base_->metadata().shape;
    const DimVector<std::uint64_t> window = WindowSize(shape);
    return !digest.empty() && std::equal(shape.begin(), shape.end(), window.begin()) &&
           HasValues(digest);
}

std::string StateOfBase::Text(BaseSamples samples, const std::string& level) {
    std::string state = BaseState(*base_, samples);
    const std::string document = TimeOfDocument(level);
    if (document.empty() || files().sizes.empty()) return state;
    // The values are read only if sizes of files differ in a copy.
    if (!HasSamples(state)) state = Joined({state, "", DigestOfValues(*base_)});
    return Joined({state, files().sizes, files().times, document});
}

bool StateOfBase::Is(std::string_view state, const std::string& level) {
    const Digests recorded(state);
    if (recorded.grid != DigestOfGrid(base_->metadata())) return false;
    const std::string document = recorded.document.empty() ? "" : TimeOfDocument(level);
    const bool are_known = !document.empty() && !files().sizes.empty();
    const bool are_equal_sizes = !are_known || files().sizes == recorded.sizes;
    if (are_known && document == recorded.document)
        return (are_equal_sizes && files().times == recorded.times) ||
               AreAllValues(recorded.values);
    if (recorded.chunks.empty()) return are_equal_sizes || HasValues(recorded.values);
    if (!HasChunks(recorded.chunks)) return HasValues(recorded.values);
    // If sampled chunks are equal, the store was not encoded anew, so other chunks have changed.
    return are_equal_sizes || !has_sampled_chunks_ || AreAllValues(recorded.values);
}

void AddStateKeys(const std::string& path, const ArrayMetadata& metadata,
                  std::vector<std::string>& keys) {
    if (!metadata.shards.empty()) return;
    std::uint64_t count = 1;
    std::uint64_t bytes = metadata.dtype.size;
    for (std::size_t axis = 0; axis < metadata.rank(); ++axis) {
        count *= metadata.ChunkAxis(axis).count();
        bytes *= std::min(metadata.chunks[axis], kMostBytes + 1);
        if (bytes > kMostBytes || count == 0) return;
    }
    for (std::uint64_t index : SampledChunks(count)) {
        DimVector<std::uint64_t> chunk(metadata.rank());
        for (std::size_t axis = metadata.rank(); axis-- > 0;) {
            const std::uint64_t chunks = metadata.ChunkAxis(axis).count();
            chunk[axis] = index % chunks;
            index /= chunks;
        }
        keys.push_back(ChunkKey(path, chunk, metadata.key_encoding()));
    }
}

}  // namespace zarr
