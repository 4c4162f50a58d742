// SPDX-License-Identifier: MIT
// Base states. The base of an overview or of statistics is the array from which they were computed.
// The base state is a digest of the base, which is stored in the metadata of the overview or
// statistics.
//
// The digest shows whether the base has changed since. A change is possible because a program may
// replace an array without updating its overviews and statistics.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/array/array.h"
#include "core/array/chunk_files.h"
#include "core/json/value.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// Attribute of an overview group. For each overview in the group, the attribute records the
// BaseState() of the array from which the overview was made. The value is the text of a JSON object
// with array names as keys. Text is used because netCDF attributes can hold text, but no objects.
inline constexpr std::string_view kBaseStateAttribute = "gdal_base_state";

// The state that is recorded for an overview while its pixels are written. No base is in this
// state, so every reader takes the overview for outdated until its fill is complete.
inline constexpr std::string_view kIncompleteState = "incomplete";

// Returns the base state that the attributes of an overview group record for its overview `name`.
// Empty if no state is recorded.
std::string StatedBase(const json::Value& group_attributes, std::string_view name);
// Records in the attributes of an overview group that its overview `name` was made from a base in
// the state `state`, see BaseState(). An empty `state` removes the record,
// and the attribute with the last record.
void StateBase(json::Object& group_attributes, std::string_view name, std::string state);

// Returns digests of an array, separated by ":". The first digest covers shape and data type. Two
// digests follow: a digest of stored bytes of sampled chunks, and a digest of sampled values. A
// copy of the array with other chunk sizes has an equal digest of values. Pending writes are not
// included.
//
// BaseSamples::kNone leaves the two digests of samples out. Such a state is compared without a
// read of a chunk, so it suits stores on a network; it does not show that pixels have changed.
enum class BaseSamples : std::uint8_t { kNone, kSome };
std::string BaseState(const Array& array, BaseSamples samples = BaseSamples::kSome);

// True if IsInState() reads chunks of a remote array to compare the array with `state`.
bool HasSamples(std::string_view state);

// True if the array is unchanged since BaseState() returned `state`, as far as the digests show.
// Values are read only if the stored bytes differ. A digest that is missing in `state` or cannot be
// computed is not compared.
bool IsInState(const Array& array, std::string_view state);

// The state of an array for its overviews, which is computed when it is first needed. In a folder
// the state also covers the files of all chunks. Not thread-safe.
//
// Three digests follow those of BaseState(): names and sizes of the files, their modification
// times, and the time of the overview's metadata document. A changed time of this document shows
// that the store was copied. In a copy, the times of chunks are not compared.
class StateOfBase {
  public:
    explicit StateOfBase(std::shared_ptr<const Array> base) : base_(std::move(base)) {}

    // Returns the state for the overview at `level`, whose metadata document must be written.
    std::string Text(BaseSamples samples, const std::string& level);
    // True if the array is unchanged since Text() returned `state` for the overview at `level`.
    bool Is(std::string_view state, const std::string& level);

  private:
    const ChunkFiles& files();
    std::string TimeOfDocument(const std::string& level) const;
    bool HasValues(std::string_view digest);
    bool HasChunks(std::string_view digest);
    bool AreAllValues(std::string_view digest);

    const std::shared_ptr<const Array> base_;
    std::optional<ChunkFiles> files_;
    std::optional<std::string> chunks_;
    std::optional<std::string> values_;
    bool has_sampled_chunks_ = false;  // true if a sampled chunk is stored
};

// Appends to `keys` the keys of the chunks that IsInState() reads of the array at `path`. Appends
// nothing if the array is sharded or its chunks are large, because IsInState() reads parts of them.
void AddStateKeys(const std::string& path, const ArrayMetadata& metadata,
                  std::vector<std::string>& keys);

}  // namespace zarr
