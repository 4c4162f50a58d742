// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/hierarchy/hierarchy.h"
#include "core/references/reference.h"
#include "core/references/reference_writer.h"

namespace zarr {

// Part of a store that is written as references.
struct ReferenceExport {
    std::string root;                  // path of the group that becomes the root
    std::optional<std::string> array;  // path of the only array in the root; nullopt for all nodes
};

// Tells where a value of the store is. `key` starts at the root of the store. Returns an absent
// reference for an absent value, unless `is_known` is true. `is_known` says that the value exists.
// Thread-safe.
using ReferenceFinder = std::function<Result<Reference>(const std::string& key, bool is_known)>;

// Called with the completed part of the work, from 0 to 1. Returns false to cancel.
using ExportProgress = std::function<bool(double complete)>;

// Writes the documents of a store to `writer` as they are, and its chunks as references. Metadata
// documents are those that `hierarchy` uses: without consolidated metadata in files of their own. A
// group without a document gets one, because readers of references do not know implicit groups.
//
// Chunks are found by a listing. If the store cannot list, each chunk is searched. kCancelled if
// `progress` returned false; kUnsupported for arrays of Zarr v1, and for what `writer` or `find`
// refuses.
Status ExportReferences(const Hierarchy& hierarchy, const ReferenceExport& part,
                        const ReferenceFinder& find, ReferenceWriter& writer,
                        const ExportProgress& progress);

}  // namespace zarr
