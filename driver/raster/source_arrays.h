// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/conventions/attributes/fingerprint.h"
#include "driver/raster/band_array.h"
#include "driver/store/store_address.h"

namespace zarr_driver {

// The arrays from which statistics, overviews and masks of a dataset are made. Says whether they
// have changed since. Times are in nanoseconds since 1970. A record is the text of the arrays'
// fingerprints, separated by spaces; other programs record nothing. Refers to the store and the
// arrays. Not thread-safe.
class SourceArrays {
  public:
    SourceArrays(const StoreAddress& store, const BandArrays& arrays)
        : store_(store), arrays_(arrays) {}

    // Returns the fingerprint of an array for statistics and overviews, which depend on its
    // document and facts about nodata beside its values.
    static zarr::Fingerprint FingerprintOf(const BandArray& array);

    // For a file beside the store, chunks on a server are not read, also if local references name
    // them. SamplesBeside() returns which samples such a file records if others would be `samples`,
    // ComparedBeside() which part of the recorded text of a fingerprint is compared.
    zarr::BaseSamples SamplesBeside(const BandArray& array, zarr::BaseSamples samples) const;
    std::string ComparedBeside(const BandArray& array, const std::string& text) const;

    // Returns the record for a file beside the store.
    std::string Record(zarr::BaseSamples samples) const;
    // Returns the record for statistics of the arrays that have one of these fingerprints. Those of
    // other arrays are without the parts that depend on chunks, as for a mask.
    std::string RecordOf(const std::map<const BandArray*, std::string>& fingerprints = {}) const;

    // True if `record` is that of `array`, whose present fingerprint is `now`. `written` is the
    // time of the file with the record; nullopt if it is in the store. `record` may be that of
    // statistics of version 0.1.
    bool IsSame(const BandArray& array, zarr::Fingerprint& now, const std::string& record,
                std::optional<std::int64_t> written) const;
    // True if the pixels of all arrays are those of `record`, in a file that was written at
    // `written`.
    bool AreSame(const std::string& record, std::int64_t written) const;
    // True if the arrays are those that a mask in a file with `record` masks. The file was written
    // at `written`; nullopt if it is remote.
    bool AreMasked(const std::string& record, std::optional<std::int64_t> written) const;
    // AreOlderThan() is true if no chunk was written after `time`, IsOlderThan() if neither a chunk
    // nor the document of `array` was. If `has_document`, the document is known to be equal.
    bool AreOlderThan(std::int64_t time) const;
    bool IsOlderThan(const BandArray& array, std::int64_t time, bool has_document = false) const;

  private:
    bool IsOfEarlierVersion(const BandArray& array, const zarr::ChunkFiles& files,
                            const std::string& record, std::optional<std::int64_t> written) const;
    bool IsRemote(const BandArray& array) const;
    std::string EarlierRecord() const;

    const StoreAddress& store_;
    const BandArrays& arrays_;
};

}  // namespace zarr_driver
