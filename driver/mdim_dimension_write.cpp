// SPDX-License-Identifier: MIT
// The part of ZarrDimension that changes a store.
#include "core/base/text.h"
#include "core/store/keys.h"
#include "driver/guard.h"
#include "driver/mdim_array.h"
#include "driver/mdim_dimension.h"
#include "driver/report.h"

namespace zarr_driver {

using zarr::Status;

Status ZarrDimension::CheckIndexing(const GDALMDArray* variable) const {
    ZARR_RETURN_IF_ERROR(session_->CheckUpdate());
    if (variable == nullptr) return {};
    const std::string name = zarr::Quoted(variable->GetFullName());
    const auto* array = dynamic_cast<const ZarrMDArray*>(variable);
    if (array == nullptr || array->session() != session_)
        return Status::Invalid(name + ": not an array of this dataset");
    const auto& dimensions = variable->GetDimensions();
    if (dimensions.size() != 1 || dimensions[0]->GetSize() != m_nSize)
        return Status::Invalid(name + ": an indexing variable of dimension " + m_osName +
                               " has one dimension of " + std::to_string(m_nSize) + " elements");
    return {};
}

bool ZarrDimension::SetIndexingVariable(std::shared_ptr<GDALMDArray> poIndexingVariable) {
    return Guarded(session_->store_path(), [&]() -> bool {
        const Status status = CheckIndexing(poIndexingVariable.get());
        if (!status.ok()) {
            EmitError(session_->store_path(), status);
            return false;
        }
        indexing_path_.clear();
        if (poIndexingVariable == nullptr) return true;
        const std::string path = static_cast<const ZarrMDArray&>(*poIndexingVariable).path();
        if (path == CoordinatePath()) return true;
        indexing_path_ = path;
        EmitWarning(session_->store_path(),
                    "/" + path +
                        ": Zarr knows the indexing variable of a dimension by its name, so "
                        "that this one is not stored as that of dimension " +
                        m_osName);
        return true;
    });
}

bool ZarrDimension::Rename(const std::string& osNewName) {
    return Guarded(session_->store_path(), [&]() -> bool {
        const Status status = session_->RenameDimension(*this, osNewName);
        if (status.ok()) return true;
        EmitError(session_->store_path(), status);
        return false;
    });
}

void ZarrDimension::Renamed(const std::string& name) {
    m_osName = stored_name_ = name;
    SetFullName();
}

void ZarrDimension::Moved(const std::string& from, const std::string& to) {
    for (std::string* path : {&group_, &array_path_, &coordinate_path_, &indexing_path_})
        if (!path->empty() && zarr::IsAtOrBelow(*path, from))
            *path = to + path->substr(from.size());
    SetFullName();
}

}  // namespace zarr_driver
