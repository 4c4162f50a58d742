// SPDX-License-Identifier: MIT
// Files and objects that references name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/references/reference.h"
#include "core/store/store.h"

namespace zarr {

// A file or object that references name. Thread-safe.
class ReferenceTarget {
  public:
    virtual ~ReferenceTarget() = default;

    // The target's path or URL, for messages and for GetRawBlockInfo().
    virtual std::string Describe() const = 0;

    // Reads a part of the target, which must meet `condition`, with one request. Returns false if
    // the target does not exist. A range or tail has fewer bytes if the target is shorter. kCorrupt
    // if the target does not meet the condition. The message names neither target nor key.
    virtual Result<bool> Read(const ValuePart& part, const TargetCondition& condition,
                              Buffer& bytes) const = 0;

    // The version of the target as VersionOf() of a store says it.
    virtual ObjectVersion Version() const = 0;
};

// Opens targets. Thread-safe.
class TargetOpener {
  public:
    virtual ~TargetOpener() = default;

    // Opens the target of a location as a document spells it; reads nothing. kPermission if the
    // document must not name that target; the message names the option that allows it.
    virtual Result<std::shared_ptr<const ReferenceTarget>> Open(
        const std::string& location) const = 0;

    // How targets are read best; those of a document mostly lie on one server.
    virtual StoreTraits Traits() const = 0;
};

}  // namespace zarr
