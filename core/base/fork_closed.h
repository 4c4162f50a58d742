// SPDX-License-Identifier: MIT
// Descriptors that a forked child closes at once. Parent and child share the lock of an open file,
// so a child that lives on would keep a lock whose owner was killed.
#pragma once

namespace zarr {

// Lets every child that is forked from now on close `descriptor`. A child must not close the number
// again: compare ForkGeneration() with that of the time of opening. Does nothing if 256 descriptors
// are registered. Thread-safe.
void CloseInChildren(int descriptor);

// Ends CloseInChildren(). Call before the descriptor is closed. Thread-safe.
void KeepInChildren(int descriptor);

}  // namespace zarr
