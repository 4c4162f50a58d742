// SPDX-License-Identifier: MIT
// GDAL's quiet deletions. Before Create() and CreateCopy(), GDAL deletes the dataset that has the
// target's name. The driver keeps a store then, because the new store replaces it when it is
// complete.
#pragma once

namespace zarr_driver {

// Call this when GDAL asks which driver has a dataset. Thread-safe, as the functions below.
void NoteIdentification();

// Call this when GDAL asks for the driver's function that deletes. From version 3.9 on, GDAL asks
// once for a deletion by the user, and twice for a quiet deletion, which always follows an
// identification in the same thread. Earlier versions do not ask.
void NoteDeletionAsked();

// Call this when GDAL deletes a dataset. Returns true once for each quiet deletion.
bool TakeQuietDeletion();

}  // namespace zarr_driver
