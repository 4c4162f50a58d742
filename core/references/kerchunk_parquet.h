// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/completion.h"
#include "core/base/status.h"
#include "core/references/partition_files.h"
#include "core/references/reference.h"
#include "core/references/reference_grid.h"
#include "core/store/store.h"

namespace zarr {

// References in Parquet files that kerchunk, VirtualiZarr or GDAL wrote (kerchunk's "References
// specification", "Parquet references"). `.zmetadata` contains the documents of all arrays and
// groups. The file "ARRAY/refs.N.parq" contains the references of an array's chunks from number N *
// "record_size" on. A file is read when one of its references is requested. Thread-safe.
class KerchunkParquet final : public ReferenceMap {
  public:
    // Reads `.zmetadata` of `store`. kNotFound if there is none, kCorrupt if it is damaged.
    static Result<std::shared_ptr<KerchunkParquet>> Open(std::shared_ptr<const Store> store);

    Result<Reference> Find(const std::string& key) const override;
    Result<std::vector<Reference>> FindMany(const std::vector<std::string>& keys) const override;
    // List() and VisitEntries() read no Parquet file. They return all chunks that an existing file
    // covers, even chunks without a reference. Both fail with kUnsupported for a prefix in an array
    // if the store cannot list files.
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override;
    Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const override;
    // Reads the Parquet files below `prefix` one after another.
    Status ForEachKey(const std::string& prefix, const KeyVisitor& visit) const override;
    std::string Identity() const override { return identity_; }

    // Returns the location of any target, or "" if none is found. Reads only the first Parquet file
    // of a few arrays.
    std::string SampleLocation() const;

    // True if the files that were read have not changed in the store. False if that is unknown, as
    // for a remote store.
    bool IsCurrent() const;

  private:
    struct ArrayEntry {
        std::string path;
        std::string_view document;  // the array's metadata document
        bool is_v3 = false;
        Lazy<ReferenceGrid> grid;
    };
    // An array, and the number of one of its chunks in C order.
    struct Chunk {
        const ArrayEntry* array = nullptr;  // nullptr if the key is no chunk's key
        std::uint64_t row = 0;
    };

    KerchunkParquet() = default;
    Status Parse(std::string_view text);
    Status AddDocument(std::string_view key, std::string_view value);
    static Result<ReferenceGrid> GridOf(const ArrayEntry& array);
    Result<Chunk> ChunkOf(const std::string& key) const;
    // Returns the array at `prefix` or above it; nullptr if there is none.
    const ArrayEntry* ArrayAbove(std::string_view prefix) const;
    std::string FileOf(const ArrayEntry& array, std::uint64_t number) const;
    // Returns the numbers of the array's files that exist, in ascending order.
    Result<std::vector<std::uint64_t>> FilesOf(const ArrayEntry& array) const;
    // Calls `visit` with the key of each chunk that an existing file of the array covers, until
    // `visit` returns false.
    Status VisitChunks(const ArrayEntry& array,
                       const std::function<bool(std::string_view)>& visit) const;
    Status VisitStoredChunks(const ArrayEntry& array,
                             const std::function<void(std::string_view)>& visit) const;

    Buffer text_;  // text of `.zmetadata`
    // Documents by key: parts of `text_`, or of `decoded_` if `.zmetadata` holds them as strings.
    std::map<std::string, std::string_view, std::less<>> documents_;
    std::vector<std::unique_ptr<const std::string>> decoded_;
    std::map<std::string, ArrayEntry, std::less<>> arrays_;  // by path
    ObjectVersion version_;  // version of `.zmetadata` when it was read
    std::uint64_t record_size_ = 0;
    std::unique_ptr<PartitionFiles> files_;
    std::string identity_;
};

}  // namespace zarr
