// SPDX-License-Identifier: MIT
// Fingerprint says from which content of an array statistics, an overview or a file beside the
// store was made. It is one text, which is stored with the product. It shows whether the array has
// changed since, because a program may replace an array without updating what was made from it.
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

// Attribute of an overview group. For each overview in the group, the attribute records the text of
// the Fingerprint of the array from which the overview was made. The value is the text of a JSON
// object with array names as keys. Text is used because netCDF attributes can hold text, but no
// objects.
inline constexpr std::string_view kBaseStateAttribute = "gdal_base_state";

// The state that is recorded for an overview while its pixels are written. No base is in this
// state, so every reader takes the overview for outdated until its fill is complete.
inline constexpr std::string_view kIncompleteState = "incomplete";

// Returns the text of the fingerprint that the attributes of an overview group record for its
// overview `name`. Empty if none is recorded.
std::string StatedBase(const json::Value& group_attributes, std::string_view name);
// Records in the attributes of an overview group that its overview `name` was made from a base in
// the state `state`, the text of its Fingerprint. An empty `state` removes the record, and the
// attribute with the last record.
void StateBase(json::Object& group_attributes, std::string_view name, std::string state);

// kNone leaves samples of stored bytes out of a fingerprint. A remote array is then compared
// without a read of a chunk, which does not show that its pixels have changed.
enum class BaseSamples : std::uint8_t { kNone, kSome };

// True if Fingerprint::Is(`text`) reads chunks of a remote array.
bool HasSamples(std::string_view text);

// The fingerprint of an array. Its text consists of digests and numbers that are separated by ":".
// A part that is unknown is left out or empty, and is not compared:
// - the shape and data type, and the inputs of the product;
// - stored bytes of sampled chunks;
// - sampled values, which are equal in a copy of the array with other chunk sizes;
// - in a local store, names and sizes of all chunks;
// - their modification times, in a zip file or in memory their checksums, or their references;
// - in a folder, what a copy changes: the time of the overview's document, or the inode number of
//   the array's folder; the time of the newest file, also of those that references name; and the
//   inode number of the store's folder.
// Pending writes are not included. Each part is computed when it is first needed. Not thread-safe.
class Fingerprint {
  public:
    // Of the base of overviews in the store. A copy of it may have other codecs and chunk sizes.
    explicit Fingerprint(std::shared_ptr<const Array> array) : array_(std::move(array)) {}
    // Of the array from which statistics or a file beside the store are made. `inputs` describes
    // what they depend on beside the values: the array's document (MetadataText()), because with
    // equal codecs other bytes are other values, and facts about nodata.
    Fingerprint(std::shared_ptr<const Array> array, std::string inputs)
        : array_(std::move(array)), inputs_(std::move(inputs)) {}

    // `level` is the path of the overview in the store, whose document must be written. Afterwards
    // files() are those from which the text was made, or later ones.
    std::string Text(BaseSamples samples, const std::string& level = {});
    // True if the array is unchanged since Text() returned `text`. `written` is the modification
    // time of the file beside the store that holds the product, in nanoseconds since 1970.
    //
    // If files of chunks have other times, the chunks have changed, unless the store was copied,
    // unpacked or put into a zip file. Then all files have other times, but none is newer than
    // `written`, and all that a copy changes is other. Sizes and samples are compared then. Chunks
    // without a compressor always have equal sizes, so that statistics in the store count as
    // outdated. They also do if the times of a folder are unknown. In both cases they are valid if
    // the samples are the whole array. Samples that cannot be read are not compared.
    // Files that references name must not be newer than `written`, nor older than recorded.
    bool Is(std::string_view text, const std::string& level = {},
            std::optional<std::int64_t> written = std::nullopt);
    // True if the last call of Is() found all files unchanged and in their place, so that it read
    // no chunk and Text() would be the same, up to samples.
    bool is_exact() const { return is_exact_; }
    // Returns the part of Text() about shape, data type and inputs.
    std::string Grid() const;

    const ChunkFiles& files();

  private:
    struct Parts;
    std::string MarkOf(const std::string& level) const;
    std::string RootMark() const;
    bool IsCopy(const Parts& recorded, const std::string& level,
                std::optional<std::int64_t> written);
    bool HasSamplesOf(const Parts& recorded, bool are_equal_sizes);
    bool HasValues(std::string_view digest);
    bool AreAllValues(std::string_view digest);

    std::shared_ptr<const Array> array_;
    std::optional<std::string> inputs_;  // nullopt: for overviews in the store
    std::optional<ChunkFiles> files_;
    std::optional<std::string> chunks_;
    std::optional<std::string> values_;
    bool has_sampled_chunks_ = false;  // true if a sampled chunk is stored
    bool is_exact_ = false;
};

// Appends to `keys` the keys of the chunks that Fingerprint::Is() reads of the array at `path`.
// Appends nothing if the array is sharded or its chunks are large, because parts of them are read.
void AddStateKeys(const std::string& path, const ArrayMetadata& metadata,
                  std::vector<std::string>& keys);

}  // namespace zarr
