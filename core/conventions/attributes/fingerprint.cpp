// SPDX-License-Identifier: MIT
#include "core/conventions/attributes/fingerprint.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

#include "core/array/chunk_layout.h"
#include "core/base/digest.h"
#include "core/conventions/attributes/attributes.h"
#include "core/dtype/stored_converter.h"
#include "core/grid/copy.h"
#include "core/grid/row_major.h"
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
// to true if a sampled chunk is stored.
std::string DigestOfChunks(const Array& array, bool& is_any_stored) {
    const std::set<std::uint64_t> sampled = SampledChunks(array.chunk_count());
    Digest digest;
    const auto add = [&](std::size_t, const Result<FetchedChunk>& chunk) -> Status {
        ZARR_RETURN_IF_ERROR(chunk.status());
        const ByteSpan bytes = chunk->bytes;
        digest.Add(std::uint64_t{chunk->found ? bytes.size + 1 : 0});
        if (chunk->found) digest.Add(std::uint64_t{Crc32Of(bytes)});
        if (chunk->found) is_any_stored = true;
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

// The most by which a copy rounds a time down, in nanoseconds: FAT and zip files have even seconds.
constexpr std::int64_t kRounding = 2'000'000'000;

// Maximum size of a chunk that is read whole although only a part of it is sampled, in bytes.
constexpr std::uint64_t kMostBytes = 4 * kSampleBytes;

// True if a stored chunk has the same size whatever its values are.
bool HasFixedSizes(const ArrayMetadata& metadata) {
    const auto layout = ChunkLayout::Bind(metadata, metadata.chunks);
    return layout.ok() && layout->pipeline.encoded_size().exact;
}

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

// The parts of a fingerprint's text. Absent parts are empty.
struct Fingerprint::Parts {
    std::string_view grid, chunks, values, sizes, times, mark, newest, root;

    // The time of the newest file, in nanoseconds since 1970; 0 if it is not recorded.
    std::int64_t NewestTime() const {
        return std::strtoll(std::string(newest).c_str(), nullptr, 10);
    }

    explicit Parts(std::string_view text) {
        for (std::string_view* const part :
             {&grid, &chunks, &values, &sizes, &times, &mark, &newest, &root}) {
            *part = text.substr(0, text.find(':'));
            text.remove_prefix(std::min(text.size(), part->size() + 1));
        }
    }
};

bool HasSamples(std::string_view text) {
    const std::size_t grid = text.find(':');
    return grid < text.size() - 1 && text[grid + 1] != ':';
}

const ChunkFiles& Fingerprint::files() {
    if (!files_) files_ = ListChunkFiles(*array_);
    return *files_;
}

std::string Fingerprint::Grid() const {
    Digest digest = DigestOf(array_->metadata().dtype.Native().ToString());
    for (const std::uint64_t size : array_->metadata().shape) digest.Add(size);
    return digest.Add(inputs_.value_or("")).Text();
}

// True if the digest of sampled values is `digest`, or if either of them is unknown.
bool Fingerprint::HasValues(std::string_view digest) {
    if (digest.empty()) return true;
    if (!values_) values_ = DigestOfValues(*array_);
    return values_->empty() || digest == *values_;
}

// True if a sampled window covers the whole array, and the values are those of `digest`.
bool Fingerprint::AreAllValues(std::string_view digest) {
    const auto& shape = array_->metadata().shape;
    const DimVector<std::uint64_t> window = WindowSize(shape);
    return !digest.empty() && std::equal(shape.begin(), shape.end(), window.begin()) &&
           HasValues(digest);
}

std::string Fingerprint::MarkOf(const std::string& level) const {
    const Store& store = *array_->store();
    if (inputs_) return std::to_string(store.VersionOfFolder(array_->path()).mark);
    const auto time =
        FileTime(store, DocumentKey(level, Document::kArray, array_->metadata().format));
    return time ? Digest().Add(static_cast<std::uint64_t>(*time)).Text() : std::string();
}

std::string Fingerprint::RootMark() const {
    return std::to_string(array_->store()->VersionOfFolder("").mark);
}

std::string Fingerprint::Text(BaseSamples samples, const std::string& level) {
    std::string text = Grid();
    std::string chunks;
    if (samples == BaseSamples::kSome) chunks = DigestOfChunks(*array_, has_sampled_chunks_);
    // Without samples the values are read only of files, whose sizes may differ in a copy.
    const bool reads_values = !chunks.empty() || !ListChunkFiles(*array_).times.empty();
    const std::string values = reads_values ? DigestOfValues(*array_) : std::string();
    if (values.empty()) chunks.clear();
    // Files are listed last, so that files() shows a change from which samples were already taken.
    files_ = ListChunkFiles(*array_);
    const bool has_files = !files_->times.empty();
    if (chunks.empty() && !has_files) return text;
    text += ":" + chunks + ":" + values;
    if (!has_files) return text;
    text += ":" + files_->sizes + ":" + files_->times;
    text += ":" + (files_->are_in_folder ? MarkOf(level) : std::string());
    text += ":" + std::to_string(std::max<std::int64_t>(files_->newest, 0));
    return inputs_ && files_->are_in_folder ? text + ":" + RootMark() : text;
}

// True if the store was copied since, see Is().
bool Fingerprint::IsCopy(const Parts& recorded, const std::string& level,
                         std::optional<std::int64_t> written) {
    const bool was_in_folder = !recorded.mark.empty();
    if (!was_in_folder || !files().are_in_folder) return was_in_folder != files().are_in_folder;
    if (recorded.mark == MarkOf(level) || (written && files().newest > *written) ||
        (inputs_ && recorded.root == RootMark()))
        return false;
    // Earlier versions recorded no newest time. A copy may round the times down. If some files are
    // newer or all are much older, they have changed.
    const std::int64_t time = recorded.NewestTime();
    return time == 0 || files().oldest > time ||
           (files().newest <= time && files().newest > time - kRounding);
}

bool Fingerprint::Is(std::string_view text, const std::string& level,
                     std::optional<std::int64_t> written) {
    const Parts recorded(text);
    if (recorded.grid != Grid()) return false;
    // Writing an attribute changes the time of a folder, which stands for too many files. Overviews
    // are therefore compared with their base by files alone.
    const bool are_known = !recorded.times.empty() && !files().times.empty() &&
                           (inputs_ || (!recorded.sizes.empty() && !files().sizes.empty()));
    if (!are_known) {
        // Samples alone do not show that all chunks of a folder are unchanged.
        if (inputs_ && files().are_in_folder && (files().times.empty() || !written))
            return AreAllValues(recorded.values);
        // A record that was made on a server, of an array that was downloaded since.
        const bool is_newer = files().are_in_folder && written && files().newest > *written;
        return !is_newer && HasSamplesOf(recorded, true);
    }
    // References state no times, so those of the files that they name are compared, if any are
    // known.
    const bool are_references = array_->store()->Traits().locator != nullptr;
    const std::int64_t time = recorded.NewestTime();
    const bool is_older = time != 0 && files().newest <= time - kRounding;
    if (are_references && written && (files().newest > *written || is_older)) return false;
    const bool are_equal_sizes = files().sizes == recorded.sizes;
    if (are_equal_sizes && files().times == recorded.times) {
        is_exact_ = recorded.mark == (files().are_in_folder ? MarkOf(level) : std::string()) &&
                    (recorded.root.empty() || recorded.root == RootMark());
        return true;
    }
    // Only sizes, or the times of a file that was copied, too, show changes outside of the samples.
    const bool can_be_compared =
        !inputs_ || (!recorded.sizes.empty() && (written || !HasFixedSizes(array_->metadata())));
    return can_be_compared && IsCopy(recorded, level, written)
               ? HasSamplesOf(recorded, are_equal_sizes)
               : AreAllValues(recorded.values);
}

// True if the samples are equal, or those of chunks are unknown. Values are read only if the stored
// bytes differ.
bool Fingerprint::HasSamplesOf(const Parts& recorded, bool are_equal_sizes) {
    const bool may_be_encoded_anew = !inputs_;
    if (!recorded.chunks.empty() && !chunks_)
        chunks_ = DigestOfChunks(*array_, has_sampled_chunks_);
    if (recorded.chunks.empty() || chunks_->empty())
        return are_equal_sizes || (may_be_encoded_anew && HasValues(recorded.values));
    if (recorded.chunks != *chunks_)
        return may_be_encoded_anew ? HasValues(recorded.values) : AreAllValues(recorded.values);
    // If sampled chunks are equal, the store was not encoded anew, so other chunks have changed.
    return are_equal_sizes || (may_be_encoded_anew && !has_sampled_chunks_) ||
           AreAllValues(recorded.values);
}

void AddStateKeys(const std::string& path, const ArrayMetadata& metadata,
                  std::vector<std::string>& keys) {
    if (!metadata.shards.empty()) return;
    std::uint64_t count = 1;
    std::uint64_t bytes = metadata.dtype.size;
    DimVector<std::uint64_t> counts;
    for (std::size_t axis = 0; axis < metadata.rank(); ++axis) {
        counts.push_back(metadata.ChunkAxis(axis).count());
        count *= counts[axis];
        bytes *= std::min(metadata.chunks[axis], kMostBytes + 1);
        if (bytes > kMostBytes || count == 0) return;
    }
    for (const std::uint64_t index : SampledChunks(count))
        keys.push_back(ChunkKey(path, RowMajorIndex(index, counts), metadata.key_encoding()));
}

}  // namespace zarr
