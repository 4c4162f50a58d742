// SPDX-License-Identifier: MIT
// Targets: the files and objects that references point to.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/references/reference.h"
#include "core/store/store.h"

namespace zarr {

// A file or object with the bytes of values that references point to. Thread-safe.
class ReferenceTarget {
  public:
    virtual ~ReferenceTarget() = default;

    // The target's path or URL, for messages and for GetRawBlockInfo().
    virtual std::string Describe() const = 0;

    // Reads `part` of the target with one request. Returns false if the target does not exist.
    // `bytes` is shorter than `part` if the target ends earlier. kCorrupt if the target does not
    // meet `condition`. The error's message names neither the target nor the key of the value.
    virtual Result<bool> Read(const ValuePart& part, const TargetCondition& condition,
                              Buffer& bytes) const = 0;

    // Returns the version of the target, like Store::VersionOf().
    virtual ObjectVersion Version() const = 0;
};

// Opens the targets of references by their locations. Thread-safe.
class TargetOpener {
  public:
    virtual ~TargetOpener() = default;

    // Returns the target at `location`, which is spelled as in the document. Reads nothing. Returns
    // kPermission if the document is not allowed to name that target. The message names the option
    // that allows it.
    virtual Result<std::shared_ptr<const ReferenceTarget>> Open(
        const std::string& location) const = 0;

    // Returns the traits that callers use to read any of the targets. There is only one set of
    // traits, because the targets of a document are mostly on one server.
    virtual StoreTraits Traits() const = 0;
};

}  // namespace zarr
