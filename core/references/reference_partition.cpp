// SPDX-License-Identifier: MIT
#include "core/references/reference_partition.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/references/parquet_budget.h"
#include "core/references/parquet_footer.h"

namespace zarr {

Result<ReferencePartition> ReferencePartition::Read(ByteSpan file, std::uint64_t most_rows) {
    ParquetBudget budget;
    ZARR_ASSIGN_OR_RETURN(const ParquetFooter footer,
                          ParquetFooter::Read(file, {"path", "offset", "size", "raw"}, budget));
    if (footer.rows > most_rows)
        return Status::Corrupt("has " + std::to_string(footer.rows) +
                               " rows, which is more than the record size " +
                               std::to_string(most_rows));
    const auto& columns = footer.columns;
    for (const ParquetColumn& column : columns)
        if (!column.is_present && &column != &columns.back())
            return Status::Corrupt("column " + std::string(column.name) + " is missing");
    ReferencePartition read;
    ZARR_ASSIGN_OR_RETURN(read.paths_, ReadTexts(file, columns[0], read.texts_, budget));
    ZARR_ASSIGN_OR_RETURN(read.offsets_, ReadNumbers(file, columns[1], budget));
    ZARR_ASSIGN_OR_RETURN(read.sizes_, ReadNumbers(file, columns[2], budget));
    ZARR_ASSIGN_OR_RETURN(read.raws_, ReadTexts(file, columns[3], read.texts_, budget));
    const auto is_null = [](std::uint32_t number) { return number == 0; };
    if (std::all_of(read.raws_.begin(), read.raws_.end(), is_null)) read.raws_ = {};
    read.Trim();
    return read;
}

void ReferencePartition::Trim() {
    std::size_t count = paths_.size();
    while (count != 0 && !Has(count - 1)) --count;
    const auto cut = [count](auto& column) {
        column.resize(std::min(count, column.size()));
        column.shrink_to_fit();
    };
    cut(paths_);
    cut(raws_);
    cut(offsets_);
    cut(sizes_);
    texts_.ShrinkToFit();
}

bool ReferencePartition::Has(std::uint64_t row) const {
    if (row >= rows()) return false;
    const auto at = static_cast<std::size_t>(row);
    return HasRaw(at) || HasPath(at);
}

Reference ReferencePartition::At(std::uint64_t row) const {
    if (!Has(row)) return Reference::Absent();
    const auto at = static_cast<std::size_t>(row);
    // An empty inline value is not a chunk. A path in the same row is used in its place.
    const std::string_view raw = HasRaw(at) ? texts_.At(raws_[at]) : std::string_view();
    if (!raw.empty() || !HasPath(at)) return Reference::Inline(std::string(raw));
    const std::uint64_t size = sizes_[at];
    return Reference::Target(std::string(texts_.At(paths_[at])), size != 0 ? offsets_[at] : 0,
                             size != 0 ? std::optional(size) : std::nullopt);
}

std::size_t ReferencePartition::bytes() const {
    return sizeof(*this) + texts_.bytes() + paths_.capacity() * sizeof(paths_[0]) +
           raws_.capacity() * sizeof(std::uint32_t) +
           (offsets_.capacity() + sizes_.capacity()) * sizeof(std::uint64_t);
}

}  // namespace zarr
