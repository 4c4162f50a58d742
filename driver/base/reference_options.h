// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_port.h>

#include "core/base/status.h"

namespace zarr_driver {

// XML of the creation options that ask for references instead of a copy of the chunks.
extern const char* const kReferenceOptions;

// Form in which references are written.
enum class ReferenceForm { kNone, kJson, kParquet };

// Returns the form that the creation options ask for; kNone if they ask for a copy of the chunks.
// Fails if they ask for several forms.
zarr::Result<ReferenceForm> ParseReferenceForm(CSLConstList options);

bool AreReferencesAskedFor(CSLConstList options);

// Returns the error of Create() if its options ask for references: Create() has no source to refer
// to.
zarr::Status NoReferencesWithoutSource();

}  // namespace zarr_driver
