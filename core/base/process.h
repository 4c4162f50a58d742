// SPDX-License-Identifier: MIT
// Facts about processes and the machine, from the operating system. All functions are thread-safe.
#pragma once

#include <cstdint>
#include <string>

namespace zarr {

// Returns the number of the calling process.
std::uint64_t ProcessId();

// Returns a text that says when the process `id` of this machine started; empty if there is no such
// process, "unknown" if the system does not say.
std::string ProcessStart(std::uint64_t id);

// Returns the name of this machine; "unknown" if the system does not say.
std::string HostName();

// Returns a text that differs between machines of one name, and between containers that number
// their processes separately.
std::string MachineMark();

}  // namespace zarr
