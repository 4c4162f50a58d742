// SPDX-License-Identifier: MIT
#include "driver/create/copy_record.h"

#include <cpl_string.h>
#include <cpl_vsi.h>

#include <utility>

#include "driver/create/band_nodata.h"
#include "driver/store/store_update.h"
#include "driver/transport/store_path.h"

namespace zarr_driver {

using zarr::Status;

namespace {

std::string FileText(const char* name) {
    std::string text = name;
    VSIStatBufL stat;
    if (StorePath(name).is_remote() || VSIStatL(name, &stat) != 0) return text;
    return text + " " + std::to_string(stat.st_size) + " " + std::to_string(stat.st_mtime);
}

}  // namespace

std::string SourceText(GDALDataset& source) {
    const CPLStringList files(source.GetFileList());
    if (files.empty()) return {};
    std::string text = source.GetDescription();
    for (int i = 0; i < files.size(); ++i) text += "\n" + FileText(files[i]);
    for (CSLConstList option = source.GetOpenOptions(); option && *option; ++option)
        text += std::string("\n") + *option;
    if (CSLConstList xml = source.GetMetadata("xml:VRT"); xml != nullptr && *xml != nullptr)
        text += std::string("\n") + *xml;
    for (int i = 1; i <= source.GetRasterCount(); ++i)
        text += "\n" + NodataText(NodataOf(*source.GetRasterBand(i)));
    return text;
}

CopyRecord::CopyRecord(const std::shared_ptr<zarr::Store>& store, std::string signature,
                       bool has_entry)
    : intent_(LockTargetOf(*store).path, store),
      signature_(std::move(signature)),
      has_entry_(has_entry) {}

std::optional<zarr::ChangeIntent::Copy> CopyRecord::Find(
    const std::shared_ptr<zarr::Store>& store) {
    const auto intent = zarr::IntentFile(LockTargetOf(*store).path, store).Find();
    return intent ? intent->copy : std::nullopt;
}

Status CopyRecord::Write(CopyPosition position) {
    zarr::ChangeIntent intent;
    intent.copy = {signature_, position.band, position.row};
    ZARR_RETURN_IF_ERROR(intent_.Write(intent));
    has_entry_ = true;
    recorded_ = std::chrono::steady_clock::now();
    return {};
}

Status CopyRecord::Erase() {
    if (!has_entry_) return {};
    has_entry_ = false;
    return intent_.Write({});
}

}  // namespace zarr_driver
