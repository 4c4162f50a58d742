// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace zarr_driver {

class MdimSession;

// Removes statistics from the PAM data of `session`, loaded from `file`, if their array was written
// after the file or no longer exists. Does nothing for remote stores or unreadable files.
void ClearOldStatistics(const MdimSession& session, const std::string& file);

}  // namespace zarr_driver
