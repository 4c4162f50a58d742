// SPDX-License-Identifier: MIT
#include "driver/extended_leaves.h"

#include <algorithm>
#include <string>

#include "core/base/text.h"
#include "driver/extended_type.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

class Pairing {
  public:
    explicit Pairing(Members members) : members_(members) {}

    Status Add(const zarr::DataType& stored, std::size_t offset, const GDALExtendedDataType& gdal,
               std::size_t gdal_offset) {
        const bool is_compound = gdal.GetClass() == GEDTC_COMPOUND;
        if (stored.kind == zarr::DataKind::kStruct) {
            if (is_compound) return AddMembers(stored, offset, gdal, gdal_offset);
            return Status::Invalid("a structure is no single value; name one of its members");
        }
        if (is_compound) return Status::Invalid("dtype " + stored.ToString() + " has no members");
        leaves_.push_back({stored, gdal, offset, gdal_offset});
        return {};
    }

    std::vector<ExtendedLeaf> Take() { return std::move(leaves_); }

  private:
    Status AddMembers(const zarr::DataType& stored, std::size_t offset,
                      const GDALExtendedDataType& gdal, std::size_t gdal_offset) {
        ZARR_ASSIGN_OR_RETURN(const std::vector<StructMember> members, StructMembers(stored));
        std::vector<bool> is_given(members.size());
        std::size_t next = 0;  // members mostly come in the order of GDAL's
        for (const auto& component : gdal.GetComponents()) {
            for (std::size_t i = 0; i < members.size(); ++i) {
                const std::size_t at = (next + i) % members.size();
                if (members[at].name != component->GetName()) continue;
                ZARR_RETURN_IF_ERROR(Add(members[at].type, offset + members[at].offset,
                                         component->GetType(),
                                         gdal_offset + component->GetOffset()));
                is_given[at] = true;
                next = at + 1;
                break;
            }
        }
        const auto missing = std::find(is_given.begin(), is_given.end(), false);
        if (members_ == Members::kAnyOf || missing == is_given.end()) return {};
        const auto at = static_cast<std::size_t>(missing - is_given.begin());
        return Status::Invalid("member " + zarr::Quoted(members[at].name) + " of dtype " +
                               stored.ToString() + " is not given");
    }

    const Members members_;
    std::vector<ExtendedLeaf> leaves_;
};

}  // namespace

Result<std::vector<ExtendedLeaf>> PairLeaves(const zarr::DataType& stored,
                                             const GDALExtendedDataType& gdal, Members members) {
    Pairing pairing(members);
    ZARR_RETURN_IF_ERROR(pairing.Add(stored, 0, gdal, 0));
    return pairing.Take();
}

}  // namespace zarr_driver
