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
    std::string root;                  // path of the group that becomes the root of the references
    std::optional<std::string> array;  // path of the only exported array; nullopt: all
};

// Returns where the value of `key` is located, or an absent reference if there is no value. `key`
// is relative to the root of the store. If `is_known` is true, the caller knows that the value
// exists. Thread-safe.
using ReferenceFinder = std::function<Result<Reference>(const std::string& key, bool is_known)>;

// Function that is called with the completed part of the work, from 0 to 1. Returns false to
// cancel.
using ExportProgress = std::function<bool(double complete)>;

// Writes a part of a store to `writer`: metadata documents as they are, and chunks as references.
// Documents come from the consolidated metadata if `hierarchy` uses it. A group without a document
// gets one, because readers of references do not know implicit groups.
//
// Chunks are found by listing. If the store cannot list, `find` is called for every chunk of the
// chunk grid. Returns kCancelled if `progress` returned false. Returns kUnsupported for arrays of
// Zarr v1, and if `writer` or `find` returns kUnsupported.
Status ExportReferences(const Hierarchy& hierarchy, const ReferenceExport& part,
                        const ReferenceFinder& find, ReferenceWriter& writer,
                        const ExportProgress& progress);

}  // namespace zarr
