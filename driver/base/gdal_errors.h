// SPDX-License-Identifier: MIT
// Functions that emit errors and warnings. No other file calls CPLError().
#pragma once

#include <cpl_error.h>
#include <cpl_port.h>

#include <exception>
#include <string>
#include <vector>

#include "core/base/status.h"

namespace zarr_driver {

// Emits one CE_Failure with the text "store: message", where the message is that of `status`.
// Returns CE_Failure, so that callers can write `return EmitError()`.
CPLErr EmitError(const std::string& store, const zarr::Status& status);

// Returns the name of a store as messages show it. The final name replaces a staging name, and
// "***" replaces passwords and signatures. `store` may end in ": " and the path of an array.
std::string ShownName(const std::string& store);

// Emits one CE_Failure for a caught exception. `thrown` is nullptr if the exception is not derived
// from std::exception. Works without allocating memory.
void EmitThrown(const char* store, const std::exception* thrown) noexcept;

// Emits one CE_Warning with the text "store: message".
void EmitWarning(const std::string& store, const std::string& message);

// Emits one CE_Warning for each of `messages`.
void EmitWarnings(const std::string& store, const std::vector<std::string>& messages);

// Returns the first five of `texts`, joined by `separator`, and the number of remaining texts: "a,
// b, and 3 more".
std::string FirstFew(const std::vector<std::string>& texts, const std::string& separator);

// Hides the errors that GDAL's own code emits on this thread during the lifetime of this object. On
// destruction restores GDAL's error state.
class QuietErrors {
  public:
    QuietErrors();
    ~QuietErrors();
    QuietErrors(const QuietErrors&) = delete;
    QuietErrors& operator=(const QuietErrors&) = delete;

    // Returns the last hidden error message. Returns an empty string if no error was hidden.
    static std::string Message();

  private:
    CPLErrorStateBackuper saved_;
};

}  // namespace zarr_driver
