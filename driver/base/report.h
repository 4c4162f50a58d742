// SPDX-License-Identifier: MIT
// All calls of CPLError(). No other file emits errors or warnings.
#pragma once

#include <cpl_error.h>
#include <cpl_port.h>

#include <exception>
#include <string>
#include <vector>

#include "core/base/status.h"

namespace zarr_driver {

// Emits one CE_Failure with the text "store: message of status". Returns CE_Failure, for use in
// `return EmitError()`.
CPLErr EmitError(const std::string& store, const zarr::Status& status);

// Returns the name of a store for messages: the final name instead of a staging name, and "***"
// instead of passwords and signatures. ": /array" may follow the name in `store`.
std::string ShownName(const std::string& store);

// Emits one CE_Failure for an exception; `thrown` is nullptr if its type is unknown. Works without
// allocating memory.
void EmitThrown(const char* store, const std::exception* thrown) noexcept;

// Emits one CE_Warning with the text "store: message".
void EmitWarning(const std::string& store, const std::string& message);

// Emits one CE_Warning for each message.
void EmitWarnings(const std::string& store, const std::vector<std::string>& messages);

// Returns the first five of `texts`, and the number of the others: "a, b, and 3 more".
std::string FirstFew(const std::vector<std::string>& texts, const std::string& separator);

// While it lives, hides the errors that GDAL's own code emits on this thread. Restores GDAL's error
// state when destroyed.
class QuietErrors {
  public:
    QuietErrors();
    ~QuietErrors();
    QuietErrors(const QuietErrors&) = delete;
    QuietErrors& operator=(const QuietErrors&) = delete;

    // Returns the last hidden message; empty if there was none.
    static std::string Message();

  private:
    CPLErrorStateBackuper saved_;
};

}  // namespace zarr_driver
