// SPDX-License-Identifier: MIT
#include "driver/base/quiet_deletion.h"

namespace zarr_driver {

namespace {

// How often GDAL has asked the calling thread for the function that deletes, since it asked last
// which driver has a dataset. -1 if it has not asked that since the last deletion.
int& TimesAsked() {
    thread_local int times = -1;
    return times;
}

}  // namespace

void NoteIdentification() { TimesAsked() = 0; }

void NoteDeletionAsked() {
    if (TimesAsked() >= 0) ++TimesAsked();
}

bool TakeQuietDeletion() {
    const bool is_quiet = TimesAsked() == 2;
    TimesAsked() = -1;
    return is_quiet;
}

}  // namespace zarr_driver
