// SPDX-License-Identifier: MIT
#include "core/references/flatbuffer.h"

#include "core/base/endian.h"

namespace zarr {

namespace {

Status Damaged(std::size_t position, const char* what) {
    return Status::Corrupt("byte " + std::to_string(position) + " of the flatbuffer: " + what);
}

bool IsInside(ByteSpan buffer, std::size_t position, std::size_t size) {
    return position <= buffer.size && size <= buffer.size - position;
}

// Returns the position in the buffer to which the offset at `position` leads. These offsets always
// lead forward.
Result<std::size_t> Follow(ByteSpan buffer, std::size_t position) {
    if (!IsInside(buffer, position, 4)) return Damaged(position, "the offset lies outside");
    const std::size_t offset = LoadLittle32(buffer.data + position);
    if (offset == 0 || !IsInside(buffer, position, offset))
        return Damaged(position, "the offset leads outside");
    return position + offset;
}

// Position of a table's vtable, and the sizes of vtable and table in bytes.
struct TablePlace {
    std::size_t vtable = 0;
    std::uint16_t vtable_size = 0;
    std::uint16_t size = 0;
};

// Finds the vtable of the table at `position`. Returns nullptr, or the reason for a failure.
const char* FindTable(ByteSpan buffer, std::size_t position, TablePlace& place) {
    if (!IsInside(buffer, position, 4)) return "the table lies outside";
    // The distance to the vtable may be negative.
    const auto distance = static_cast<std::int32_t>(LoadLittle32(buffer.data + position));
    const std::int64_t vtable = static_cast<std::int64_t>(position) - distance;
    if (vtable < 0 || !IsInside(buffer, static_cast<std::size_t>(vtable), 4))
        return "the vtable lies outside";
    place.vtable = static_cast<std::size_t>(vtable);
    place.vtable_size = LoadLittle16(buffer.data + place.vtable);
    place.size = LoadLittle16(buffer.data + place.vtable + 2);
    if (place.vtable_size < 4 || !IsInside(buffer, place.vtable, place.vtable_size) ||
        !IsInside(buffer, position, place.size))
        return "the table is truncated";
    return nullptr;
}

}  // namespace

Result<FlatTable> FlatTable::Root(ByteSpan buffer, std::string_view identifier) {
    if (buffer.size < 8) return Damaged(buffer.size, "the buffer is truncated");
    if (ByteSpan(buffer.data + 4, 4).text() != identifier)
        return Damaged(4, "the buffer has another identifier");
    ZARR_ASSIGN_OR_RETURN(const std::size_t position, Follow(buffer, 0));
    return At(buffer, position);
}

Result<FlatTable> FlatTable::At(ByteSpan buffer, std::size_t position) {
    TablePlace place;
    const char* const fault = FindTable(buffer, position, place);
    if (fault != nullptr) return Damaged(position, fault);
    return FlatTable(buffer, position, place.vtable, place.vtable_size, place.size);
}

Result<std::size_t> FlatTable::Find(unsigned field, std::size_t size) const {
    const std::size_t entry = 4 + std::size_t{2} * field;
    if (entry + 2 > vtable_size_) return std::size_t{0};
    const std::size_t offset = LoadLittle16(buffer_.data + vtable_ + entry);
    if (offset == 0) return std::size_t{0};
    if (offset < 4 || offset + size > size_)
        return Damaged(position_, "a field lies outside of its table");
    return position_ + offset;
}

Result<std::uint8_t> FlatTable::Uint8(unsigned field, std::uint8_t fallback) const {
    ZARR_ASSIGN_OR_RETURN(const std::size_t at, Find(field, 1));
    return at == 0 ? fallback : buffer_.data[at];
}

Result<std::uint32_t> FlatTable::Uint32(unsigned field, std::uint32_t fallback) const {
    ZARR_ASSIGN_OR_RETURN(const std::size_t at, Find(field, 4));
    return at == 0 ? fallback : LoadLittle32(buffer_.data + at);
}

Result<std::uint64_t> FlatTable::Uint64(unsigned field, std::uint64_t fallback) const {
    ZARR_ASSIGN_OR_RETURN(const std::size_t at, Find(field, 8));
    return at == 0 ? fallback : LoadLittle64(buffer_.data + at);
}

Result<std::optional<ByteSpan>> FlatTable::Struct(unsigned field, std::size_t size) const {
    ZARR_ASSIGN_OR_RETURN(const std::size_t at, Find(field, size));
    if (at == 0) return std::optional<ByteSpan>();
    return std::optional(ByteSpan(buffer_.data + at, size));
}

Result<std::optional<FlatTable>> FlatTable::Table(unsigned field) const {
    ZARR_ASSIGN_OR_RETURN(const std::size_t at, Find(field, 4));
    if (at == 0) return std::optional<FlatTable>();
    ZARR_ASSIGN_OR_RETURN(const std::size_t position, Follow(buffer_, at));
    ZARR_ASSIGN_OR_RETURN(const FlatTable table, At(buffer_, position));
    return std::optional(table);
}

Result<std::optional<FlatVector>> FlatTable::Vector(unsigned field, std::size_t size) const {
    ZARR_ASSIGN_OR_RETURN(const std::size_t at, Find(field, 4));
    if (at == 0) return std::optional<FlatVector>();
    ZARR_ASSIGN_OR_RETURN(const std::size_t position, Follow(buffer_, at));
    ZARR_ASSIGN_OR_RETURN(const FlatVector vector, FlatVector::At(buffer_, position, size));
    return std::optional(vector);
}

Result<std::optional<std::string_view>> FlatTable::String(unsigned field) const {
    ZARR_ASSIGN_OR_RETURN(const auto vector, Vector(field, 1));
    if (!vector) return std::optional<std::string_view>();
    return std::optional(vector->bytes().text());
}

Result<FlatVector> FlatVector::At(ByteSpan buffer, std::size_t position, std::size_t size) {
    if (!IsInside(buffer, position, 4)) return Damaged(position, "the vector lies outside");
    const std::size_t count = LoadLittle32(buffer.data + position);
    const std::size_t begin = position + 4;
    if (count > (buffer.size - begin) / size) return Damaged(position, "the vector is truncated");
    return FlatVector(buffer, begin, count, size);
}

Result<FlatTable> FlatVector::Table(std::size_t index) const {
    ZARR_ASSIGN_OR_RETURN(const std::size_t position, Follow(buffer_, begin_ + index * element_));
    return FlatTable::At(buffer_, position);
}

bool FlatVector::FindVector(std::size_t index, unsigned field, std::size_t size,
                            FlatVector& vector) const {
    std::size_t at = begin_ + index * element_;
    const auto follow = [&] {
        const std::size_t offset = LoadLittle32(buffer_.data + at);
        if (offset == 0 || !IsInside(buffer_, at, offset)) return false;
        at += offset;
        return IsInside(buffer_, at, 4);
    };
    TablePlace place;
    if (!follow() || FindTable(buffer_, at, place) != nullptr) return false;
    const std::size_t entry = 4 + std::size_t{2} * field;
    if (entry + 2 > place.vtable_size) return false;
    const std::size_t offset = LoadLittle16(buffer_.data + place.vtable + entry);
    if (offset < 4 || offset + 4 > place.size) return false;
    at += offset;
    if (!follow()) return false;
    const std::size_t count = LoadLittle32(buffer_.data + at);
    if (count > (buffer_.size - at - 4) / size) return false;
    vector = FlatVector(buffer_, at + 4, count, size);
    return true;
}

}  // namespace zarr
