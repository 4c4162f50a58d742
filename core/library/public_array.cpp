// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "core/base/checked.h"
#include "core/dtype/element_text.h"
#include "core/grid/copy.h"
#include "core/grid/region.h"
#include "core/library/conversion.h"
#include "core/library/internal.h"
#include "core/library/zarr_core/array.h"

namespace zarr_core {

namespace {

// Checks that `region` lies inside of an array of `shape` and converts it to the core's Region.
zarr::Result<zarr::Region> ToRegion(const Region& region, const std::vector<std::uint64_t>& shape) {
    const std::size_t rank = shape.size();
    const auto check = [&](const char* member, std::size_t size) {
        if (size == rank) return zarr::Status();
        return zarr::Status::Invalid(std::string("region: ") + member + " has " +
                                     std::to_string(size) + " numbers, but the array has " +
                                     std::to_string(rank) + " dimensions");
    };
    ZARR_RETURN_IF_ERROR(check("start", region.start.size()));
    ZARR_RETURN_IF_ERROR(check("count", region.count.size()));
    if (!region.step.empty()) ZARR_RETURN_IF_ERROR(check("step", region.step.size()));
    zarr::Region checked;
    std::uint64_t size = 1;
    for (std::size_t i = 0; i < rank; ++i) {
        checked.start.push_back(region.start[i]);
        checked.count.push_back(region.count[i]);
        checked.step.push_back(region.step.empty() ? 1 : region.step[i]);
        if (checked.step[i] == 0)
            return zarr::Status::Invalid("region: step[" + std::to_string(i) + "] is 0");
        size = zarr::SaturatingMul(size, region.count[i]);
    }
    // An empty region is not checked, because its start may lie outside of the array.
    if (size != 0) ZARR_RETURN_IF_ERROR(checked.Check(shape).WithContext("region"));
    return checked;
}

zarr::Result<zarr::Strides> ToStrides(const std::vector<std::ptrdiff_t>& strides,
                                      const zarr::Region& region, std::size_t element_size) {
    const std::size_t rank = region.count.size();
    if (strides.empty())
        return zarr::ContiguousStrides(region.count, element_size, zarr::AxisOrder());
    if (strides.size() != rank)
        return zarr::Status::Invalid("strides: " + std::to_string(strides.size()) +
                                     " numbers, but the array has " + std::to_string(rank) +
                                     " dimensions");
    zarr::Strides given;
    for (const std::ptrdiff_t stride : strides) given.push_back(stride);
    return given;
}

zarr::Status CheckMemory(const void* data, const zarr::Region& region) {
    if (data != nullptr || region.size() == 0) return {};
    return zarr::Status::Invalid("the memory is nullptr");
}

zarr::Status CheckVariable(const zarr::DataType& type) {
    if (type.kind == zarr::DataKind::kObject) return {};
    return zarr::Status::Invalid("data type " + type.ToString() +
                                 " has no elements of variable length: use Read() and Write()");
}

}  // namespace

Array::Impl::~Impl() {
    zarr::NoThrow([&] {
        if (writer_ != nullptr && !is_deleted) static_cast<void>(writer_->Flush(threads));
    });
}

zarr::Status Array::Impl::CheckExists() const {
    if (!is_deleted) return {};
    return zarr::Status::NotFound(array->path() + ": the array was deleted");
}

zarr::Status Array::Impl::CheckWritable() const {
    if (array->metadata().format == zarr::Format::kV1)
        return zarr::Status::Unsupported(array->path() + ": arrays of Zarr v1 are read-only");
    if (store->writer() == nullptr)
        return zarr::Status::Unsupported(store->Describe() + ": the store is read-only");
    return zarr::Array::CheckWritable(array->metadata()).WithContext(array->path());
}

zarr::Result<zarr::ArrayWriter*> Array::Impl::Writer() {
    ZARR_RETURN_IF_ERROR(CheckExists());
    const std::lock_guard<std::mutex> lock(mutex_);
    if (writer_ != nullptr) return writer_.get();
    ZARR_RETURN_IF_ERROR(CheckWritable());
    ZARR_ASSIGN_OR_RETURN(writer_, zarr::ArrayWriter::Open(array, store, pending_bytes));
    return writer_.get();
}

Array::Array(std::shared_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}

const std::string& Array::path() const noexcept { return impl_->array->path(); }
const DataType& Array::data_type() const noexcept { return impl_->type; }
const std::vector<std::uint64_t>& Array::shape() const noexcept {
    return impl_->array->metadata().shape;
}
const std::vector<std::uint64_t>& Array::chunk_shape() const noexcept {
    return impl_->array->metadata().chunks;
}
const std::vector<std::uint64_t>& Array::shard_shape() const noexcept { return impl_->shard_shape; }
const std::vector<std::string>& Array::dimension_names() const noexcept {
    return impl_->dimension_names;
}
const std::string& Array::fill_value() const noexcept { return impl_->fill_value; }
const std::string& Array::codecs() const noexcept { return impl_->codecs; }
const std::vector<std::string>& Array::warnings() const noexcept { return impl_->warnings; }

Result<std::uint64_t> Array::CountOf(const Region& region) const noexcept {
    return Guarded([&]() -> zarr::Result<std::uint64_t> {
        ZARR_ASSIGN_OR_RETURN(const zarr::Region checked, ToRegion(region, shape()));
        return checked.size();
    });
}

Status Array::Read(const Region& region, MemoryType type, void* data,
                   const std::vector<std::ptrdiff_t>& strides) const noexcept {
    return Guarded([&]() -> zarr::Status {
        ZARR_RETURN_IF_ERROR(impl_->CheckExists());
        const zarr::ArrayMetadata& metadata = impl_->array->metadata();
        ZARR_ASSIGN_OR_RETURN(const zarr::Region checked, ToRegion(region, metadata.shape));
        Conversion conversion;
        ZARR_ASSIGN_OR_RETURN(const zarr::Converter op,
                              conversion.ForReading(metadata.dtype, type));
        ZARR_ASSIGN_OR_RETURN(const zarr::Strides places, ToStrides(strides, checked, op.dst_size));
        ZARR_RETURN_IF_ERROR(CheckMemory(data, checked));
        if (checked.size() == 0) return {};
        zarr::ReadOptions options;
        options.threads = impl_->threads;
        options.looks_ahead = true;
        return impl_->array->Read(checked, 0, {static_cast<std::uint8_t*>(data), places, op},
                                  options);
    });
}

Result<std::vector<std::string>> Array::ReadStrings(const Region& region) const noexcept {
    return Guarded([&]() -> zarr::Result<std::vector<std::string>> {
        ZARR_RETURN_IF_ERROR(impl_->CheckExists());
        ZARR_RETURN_IF_ERROR(CheckVariable(impl_->array->metadata().dtype));
        ZARR_ASSIGN_OR_RETURN(const zarr::Region checked, ToRegion(region, shape()));
        if (checked.size() == 0) return std::vector<std::string>();
        return impl_->array->ReadObjects(checked, impl_->threads);
    });
}

Status Array::Write(const Region& region, MemoryType type, const void* data,
                    const std::vector<std::ptrdiff_t>& strides) noexcept {
    return Guarded([&]() -> zarr::Status {
        ZARR_ASSIGN_OR_RETURN(zarr::ArrayWriter* const writer, impl_->Writer());
        const zarr::ArrayMetadata& metadata = impl_->array->metadata();
        ZARR_ASSIGN_OR_RETURN(const zarr::Region checked, ToRegion(region, metadata.shape));
        Conversion conversion;
        ZARR_ASSIGN_OR_RETURN(const zarr::Converter op,
                              conversion.ForWriting(type, metadata.dtype));
        ZARR_ASSIGN_OR_RETURN(const zarr::Strides places, ToStrides(strides, checked, op.src_size));
        ZARR_RETURN_IF_ERROR(CheckMemory(data, checked));
        if (checked.size() == 0) return {};
        return writer->Write(checked, 0, {static_cast<const std::uint8_t*>(data), places, op},
                             impl_->threads);
    });
}

Status Array::WriteStrings(const Region& region, const std::vector<std::string>& texts) noexcept {
    return Guarded([&]() -> zarr::Status {
        ZARR_RETURN_IF_ERROR(CheckVariable(impl_->array->metadata().dtype));
        ZARR_ASSIGN_OR_RETURN(zarr::ArrayWriter* const writer, impl_->Writer());
        ZARR_ASSIGN_OR_RETURN(const zarr::Region checked, ToRegion(region, shape()));
        if (checked.size() != texts.size())
            return ToPrivate(WrongSize(checked.size(), texts.size()));
        if (texts.empty()) return {};
        return writer->WriteObjects(checked, texts, impl_->threads);
    });
}

Status Array::Flush() noexcept {
    return Guarded([&]() -> zarr::Status {
        ZARR_RETURN_IF_ERROR(impl_->CheckExists());
        if (!impl_->CheckWritable().ok()) return {};
        ZARR_ASSIGN_OR_RETURN(zarr::ArrayWriter* const writer, impl_->Writer());
        return writer->Flush(impl_->threads);
    });
}

Status Array::WrongSize(std::uint64_t expected, std::uint64_t got) noexcept {
    return Guarded([&]() -> zarr::Status {
        return zarr::Status::Invalid("the region has " + std::to_string(expected) +
                                     " elements, but the vector has " + std::to_string(got));
    });
}

}  // namespace zarr_core
