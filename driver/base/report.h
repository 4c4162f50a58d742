// SPDX-License-Identifier: MIT
// The only place that emits CPLError.
#pragma once

#include <cpl_error.h>
#include <cpl_port.h>

#include <exception>
#include <string>
#include <vector>

#include "core/base/status.h"

namespace zarr_driver {

// Emits one CE_Failure: "store: status's message". Returns CE_Failure, for `return EmitError()`.
CPLErr EmitError(const std::string& store, const zarr::Status& status);

// Returns the name of a store as messages show it: as the store will be called once it is complete,
// and with "***" in place of passwords and signatures. ": /array" may follow the name.
std::string ShownName(const std::string& store);

// Emits one CE_Failure about what a call threw, nullptr where that is unknown; needs no memory.
void EmitThrown(const char* store, const std::exception* thrown) noexcept;

// Emits one CE_Warning: "store: message".
void EmitWarning(const std::string& store, const std::string& message);

// The same, once for each.
void EmitWarnings(const std::string& store, const std::vector<std::string>& messages);

// The first five of `texts`, and how many more there are: "a, b, and 3 more".
std::string FirstFew(const std::vector<std::string>& texts, const std::string& separator);

// Keeps what GDAL's own code would print on this thread while it lives, and puts GDAL's error state
// back afterwards.
class QuietErrors {
  public:
    QuietErrors();
    ~QuietErrors();
    QuietErrors(const QuietErrors&) = delete;
    QuietErrors& operator=(const QuietErrors&) = delete;

    // The last message that was kept; empty where there was none.
    static std::string Message();

  private:
    CPLErrorStateBackuper saved_;
};

}  // namespace zarr_driver
