// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/metadata/array_metadata.h"
#include "core/store/store.h"

namespace zarr {

struct OwnMetadata;

// Metadata document of an open array in a store that is not remote. Notices that another array has
// replaced the array, whose chunks the open array would decode to wrong values. Thread-safe.
class ArrayDocument {
  public:
    // `store` reads the document of the array at `path` itself, and no consolidated copy of it.
    // `version` is the version of the document when the array's metadata was read; nullopt if it is
    // unknown.
    ArrayDocument(std::shared_ptr<const Store> store, const std::string& path, Format format,
                  std::optional<ObjectVersion> version);
    ~ArrayDocument();
    ArrayDocument(const ArrayDocument&) = delete;
    ArrayDocument& operator=(const ArrayDocument&) = delete;

    enum class State {
        kSame,     // the document has not changed since the last call
        kChanged,  // the document has changed, but describes chunks that can be read as before
        kUnclear,  // the document is being written in place, and is incomplete
    };
    // Compares the version of the document with the version at the last call. Reads the document if
    // they differ. Fails if the document is gone, or if the chunks of the array with `metadata`,
    // which was opened, are not those of the document; see HasChunksOf().
    Result<State> Check(const ArrayMetadata& metadata) const;

  private:
    Result<bool> IsSameArray(const ArrayMetadata& metadata) const;

    const std::shared_ptr<const Store> store_;
    const std::string path_;
    const Format format_;
    const std::string key_;
    const std::string name_;
    std::shared_ptr<OwnMetadata> own_;
    mutable std::mutex mutex_;
    mutable std::optional<ObjectVersion> version_;  // version at the last call of Check()
};

// Tells the open arrays at `path` of `store` that this process is about to write `metadata`. Their
// ArrayDocument::Check() accepts the change, which may be of the fill value or to a smaller shape.
void NoteOwnMetadata(const Store& store, const std::string& path, const ArrayMetadata& metadata);

}  // namespace zarr
