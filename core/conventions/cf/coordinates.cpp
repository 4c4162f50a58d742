// SPDX-License-Identifier: MIT
#include "core/conventions/cf/coordinates.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/base/checked.h"
#include "core/base/endian.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/base/thread_pool.h"
#include "core/conventions/attributes/attributes.h"
#include "core/conventions/cf/nodata.h"
#include "core/conventions/cf/time.h"
#include "core/conventions/facts/prefetch.h"
#include "core/conventions/ome/ome_axes.h"
#include "core/conventions/ome/ome_placement.h"
#include "core/dtype/element_text.h"
#include "core/dtype/stored_converter.h"
#include "core/dtype/time_types.h"
#include "core/grid/chunk_grid.h"

namespace zarr {

namespace {

// Reads parts of one coordinate array and collects the unpacked values.
class Reader {
  public:
    static Result<Reader> Open(const Hierarchy& hierarchy, const std::string& path,
                               const json::Value& attributes) {
        Reader reader;
        ZARR_ASSIGN_OR_RETURN(reader.array_, hierarchy.OpenArray(path));
        const DataType& dtype = reader.array_->metadata().dtype;
        if (!dtype.is_numeric() || dtype.kind == DataKind::kComplex)
            return Status::Corrupt(path + ": coordinates of dtype " + dtype.ToString() +
                                   " are not numbers");
        reader.memory_ = dtype.Native();
        ZARR_ASSIGN_OR_RETURN(reader.op_, ReadConverter(dtype, reader.memory_));
        reader.packing_ = ReadPacking(attributes).value;
        if (reader.memory_.kind == DataKind::kFloat && reader.memory_.size == 4)
            reader.read_.relative_noise = std::ldexp(1.0, -24);
        return reader;
    }

    const ArrayMetadata& metadata() const { return array_->metadata(); }
    Coordinates Take() { return std::move(read_); }

    Status Read(const Region& region, std::size_t threads) {
        const std::uint64_t count = SaturatingAdd(read_.values.size(), region.size());
        if (count > LimitOf(Limit::kCoordinates))
            return OverLimit(Limit::kCoordinates,
                             array_->path() + ": has " + std::to_string(count) + " coordinates");
        Buffer buffer;
        ZARR_RETURN_IF_ERROR(buffer.Resize(static_cast<std::size_t>(region.size()) * memory_.size));
        const Destination destination{buffer.data(),
                                      ContiguousStrides(region.count, memory_.size, false), op_};
        ZARR_RETURN_IF_ERROR(array_->Read(region, 0, destination, {threads}));
        read_.values.reserve(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < region.size(); ++i) {
            const double stored = ElementDouble(memory_, buffer.data() + i * memory_.size);
            read_.values.push_back(stored * packing_.scale.value_or(1) +
                                   packing_.offset.value_or(0));
        }
        return {};
    }

    // Reads one chunk of a 1-D array.
    Status ReadChunk(std::uint64_t chunk, std::size_t threads) {
        const GridAxis axis = metadata().ChunkAxis(0);
        const std::uint64_t first = axis.StartOf(chunk);
        const std::uint64_t count = axis.InsideOf(chunk);
        for (std::uint64_t i = 0; i < count; ++i) read_.places.push_back(first + i);
        return Read({{first}, {count}, {1}}, threads);
    }

  private:
    std::shared_ptr<const Array> array_;
    DataType memory_;
    Converter op_;
    Packing packing_;
    Coordinates read_;
};

// Calls `read` once for each chunk that `range` touches, in parallel, with the part of the chunk
// that is in `range`. No call starts after the deadline.
Status ForEachChunk(const Array& array, const LabelRange& range,
                    const std::function<Status(const Region&, std::size_t first)>& read) {
    if (array.metadata().rank() == 0) return read({}, 0);
    const GridAxis axis = array.metadata().ChunkAxis(0);
    const std::uint64_t first_chunk = axis.ChunkOf(range.first);
    const std::uint64_t last_chunk = axis.ChunkOf(range.first + range.count - 1);
    const auto read_one = [&](std::size_t i) -> Status {
        if (range.deadline && LabelRange::Clock::now() >= *range.deadline)
            return {StatusCode::kCancelled, "the time limit has passed"};
        // The chunk's start and end cannot overflow, because each chunk in this loop contains
        // elements of `range`.
        const std::uint64_t chunk_start = axis.StartOf(first_chunk + i);
        const std::uint64_t chunk_end = chunk_start + axis.InsideOf(first_chunk + i);
        const std::uint64_t start = std::max(range.first, chunk_start);
        const std::uint64_t end = std::min(range.first + range.count, chunk_end);
        Region region;
        region.start.push_back(start);
        region.count.push_back(end - start);
        region.step.push_back(1);
        return read(region, static_cast<std::size_t>(start - range.first));
    };
    return ParallelFor(static_cast<std::size_t>(last_chunk - first_chunk + 1), range.threads,
                       read_one);
}

Result<std::vector<std::string>> ReadObjects(const Array& array, const LabelRange& range) {
    std::vector<std::string> objects(static_cast<std::size_t>(range.count));
    ZARR_RETURN_IF_ERROR(
        ForEachChunk(array, range, [&](const Region& region, std::size_t first) -> Status {
            ZARR_ASSIGN_OR_RETURN(std::vector<std::string> part, array.ReadObjects(region, 1));
            std::move(part.begin(), part.end(),
                      objects.begin() + static_cast<std::ptrdiff_t>(first));
            return {};
        }));
    return objects;
}

// Reads the elements of `range` and returns them in the host's byte order.
Result<Buffer> ReadElements(const Array& array, const LabelRange& range) {
    const DataType& stored = array.metadata().dtype;
    const DataType memory = stored.Native();
    if (stored.size > kMaxLabelBytes / range.count)
        return Status::Limit("coordinates of " + std::to_string(stored.size) +
                             " bytes each are too large for labels");
    Buffer buffer;
    ZARR_RETURN_IF_ERROR(buffer.Resize(static_cast<std::size_t>(range.count) * memory.size));
    ZARR_ASSIGN_OR_RETURN(const Converter op, ReadConverter(stored, memory));
    ZARR_RETURN_IF_ERROR(
        ForEachChunk(array, range, [&](const Region& region, std::size_t first) -> Status {
            const Destination destination{buffer.data() + first * memory.size,
                                          ContiguousStrides(region.count, memory.size, false), op};
            return array.Read(region, 0, destination, {1});
        }));
    return buffer;
}

// Formats a number with 15 digits, to hide rounding errors of unpacking.
std::string UnpackedText(double number) {
    char text[64];
    const auto [end, error] =
        std::to_chars(text, text + sizeof text, number, std::chars_format::general, 15);
    return {text, end};
}

// Returns an element of a time type in units of TimeUnits(); "NaT" if the time is missing.
std::string PlainTicksText(const DataType& type, std::int64_t ticks) {
    const std::int64_t plain = ToPlainTicks(type, ticks);
    return ElementText(PlainTimeType(type), reinterpret_cast<const std::uint8_t*>(&plain));
}

// Converts elements of one coordinate array to labels, which are texts for users.
class Labeller {
  public:
    Labeller(const ArrayMetadata& metadata, const json::Value& attributes, Warnings& warnings)
        : type_(metadata.dtype.Native()), warnings_(warnings) {
        ReadUnits(attributes);
        if (type_.is_time() || !type_.is_numeric()) return;
        reference_ = ReadTimeReference(attributes).Report(warnings);
        packing_ = ReadPacking(attributes).Report(warnings);
        if (const auto missing = StatedNodata(attributes, metadata).Report(warnings))
            missing_ = missing->Bytes();
    }

    const std::string& units() const { return units_; }

    CoordinateLabel Label(const std::uint8_t* element) {
        CoordinateLabel label;
        label.value = ElementText(type_, element);
        if (type_.is_time()) {
            label.value = PlainTicksText(type_, LoadNative<std::int64_t>(element));
            SetTime(type_.kind == DataKind::kDatetime
                        ? DatetimeText(type_, LoadNative<std::int64_t>(element))
                        : TimedeltaText(type_, LoadNative<std::int64_t>(element)),
                    label);
        } else if (reference_) {
            SetTime(TimeOf(element), label);
        } else if (type_.is_numeric()) {
            label.label = WithUnits(IsPacked() ? UnpackedText(Unpacked(element)) : label.value);
        } else {
            label.value = RawTextToText(label.value);
            label.label = label.value;
        }
        return label;
    }

  private:
    void ReadUnits(const json::Value& attributes) {
        const json::Value* units = attributes.Find("units");
        if (units != nullptr && units->as_string() != nullptr)
            units_ = ReplaceInvalidUtf8(*units->as_string());
        else if (units != nullptr && !units->is_null())
            warnings_.push_back("attribute units: expected a string, got " + json::Brief(*units));
        if (units_.empty()) units_ = TimeUnits(type_);
        units_ = Shortened(units_, kMaxUnitBytes);
    }

    bool IsPacked() const {
        return type_.kind != DataKind::kComplex && (packing_.scale || packing_.offset);
    }
    double Unpacked(const std::uint8_t* element) const {
        return ElementDouble(type_, element) * packing_.scale.value_or(1) +
               packing_.offset.value_or(0);
    }
    std::string WithUnits(const std::string& number) const {
        return units_.empty() || units_ == "1" ? number : number + " " + units_;
    }

    // Returns the time of an element as text. Returns "NaT" if the time is missing, nullopt if it
    // is out of range.
    std::optional<std::string> TimeOf(const std::uint8_t* element) const {
        const std::string_view bytes(reinterpret_cast<const char*>(element), type_.size);
        const double number = Unpacked(element);
        if (std::isnan(number) || (missing_ && bytes == *missing_)) return "NaT";
        if (IsPacked() || type_.kind == DataKind::kFloat) return reference_->TextOf(number);
        if (type_.kind == DataKind::kComplex) return std::nullopt;
        std::int64_t integer = 0;
        const std::string text = ElementText(type_, element);
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), integer);
        if (error != std::errc()) return std::nullopt;  // the number exceeds int64
        if (integer == kNotATime) return "NaT";
        return reference_->TextOf(integer);
    }

    void SetTime(const std::optional<std::string>& time, CoordinateLabel& label) {
        if (time) {
            label.label = *time;
            if (type_.kind != DataKind::kTimedelta && *time != "NaT") label.time = *time;
            return;
        }
        label.label = WithUnits(label.value);
        if (!warned_ && !units_.empty())
            warnings_.push_back("value " + label.value + " is not a time in " + Quoted(units_));
        warned_ = true;
    }

    DataType type_;
    Warnings& warnings_;
    std::string units_;
    std::optional<TimeReference> reference_;
    Packing packing_;
    std::optional<std::string> missing_;
    bool warned_ = false;
};

Result<CoordinateLabels> ReadLabels(const Array& array, const json::Value& attributes,
                                    const LabelRange& range, Warnings& warnings) {
    const DataType& type = array.metadata().dtype;
    if (type.kind == DataKind::kStruct || type.kind == DataKind::kVoid)
        return Status::Unsupported("elements of dtype " + type.ToString() +
                                   " cannot be coordinates");
    if (range.count > kMaxLabels)
        return Status::Limit(std::to_string(range.count) + " coordinates exceed the maximum of " +
                             std::to_string(kMaxLabels));
    CoordinateLabels labels;
    labels.is_text = type.kind == DataKind::kObject || type.kind == DataKind::kUnicode ||
                     type.kind == DataKind::kBytes;
    if (range.count == 0) return labels;
    Labeller labeller(array.metadata(), attributes, warnings);
    labels.units = labeller.units();
    labels.items.reserve(static_cast<std::size_t>(range.count));
    if (type.kind == DataKind::kObject) {
        ZARR_ASSIGN_OR_RETURN(const std::vector<std::string> objects, ReadObjects(array, range));
        std::size_t bytes = 0;
        for (const std::string& object : objects) {
            bytes += object.size();
            if (bytes > kMaxLabelBytes)
                return Status::Limit("coordinates of more than " + std::to_string(kMaxLabelBytes) +
                                     " bytes in all are too large for labels");
            const std::string text = BytesToText(object);
            labels.items.push_back({text, text, ""});
        }
        return labels;
    }
    ZARR_ASSIGN_OR_RETURN(const Buffer elements, ReadElements(array, range));
    for (std::size_t i = 0; i < range.count; ++i)
        labels.items.push_back(labeller.Label(elements.data() + i * type.size));
    return labels;
}

}  // namespace

Result<Coordinates> ReadCoordinates(const Hierarchy& hierarchy, const std::string& path,
                                    const json::Value& attributes, std::size_t threads) {
    ZARR_ASSIGN_OR_RETURN(Reader reader, Reader::Open(hierarchy, path, attributes));
    ZARR_RETURN_IF_ERROR(reader.Read(Region::All(reader.metadata().shape), threads));
    return reader.Take();
}

Result<Coordinates> ReadCoordinates(const Hierarchy& hierarchy, const std::string& path,
                                    const json::Value& attributes, std::uint64_t first,
                                    std::uint64_t count, std::size_t threads) {
    ZARR_ASSIGN_OR_RETURN(Reader reader, Reader::Open(hierarchy, path, attributes));
    const ArrayMetadata& metadata = reader.metadata();
    if (metadata.rank() != 1 || first > metadata.shape[0] || count > metadata.shape[0] - first)
        return Status::Invalid(path + ": the range of coordinates exceeds the array");
    ZARR_RETURN_IF_ERROR(reader.Read({{first}, {count}, {1}}, threads));
    return reader.Take();
}

Result<Coordinates> ReadCoordinates(const Hierarchy& hierarchy, const std::string& path,
                                    const json::Value& attributes, const Region& region,
                                    std::size_t threads) {
    ZARR_ASSIGN_OR_RETURN(Reader reader, Reader::Open(hierarchy, path, attributes));
    ZARR_RETURN_IF_ERROR(region.Check(reader.metadata().shape));
    ZARR_RETURN_IF_ERROR(reader.Read(region, threads));
    return reader.Take();
}

namespace {

// Returns the index of the `i`-th chunk to read of an axis with `chunks` chunks. If there are more
// than kMaxAxisChunks chunks, the indices are evenly spaced.
std::uint64_t AxisChunk(std::uint64_t chunks, std::uint64_t i) {
    if (chunks <= kMaxAxisChunks) return i;
    constexpr std::uint64_t kSteps = kMaxAxisChunks - 1;
    // Computes (chunks - 1) * i / kSteps without overflow.
    const std::uint64_t last = chunks - 1;
    return last / kSteps * i + last % kSteps * i / kSteps;
}

}  // namespace

Result<Coordinates> ReadAxis(const Hierarchy& hierarchy, const std::string& path,
                             const json::Value& attributes, std::size_t threads) {
    ZARR_ASSIGN_OR_RETURN(Reader reader, Reader::Open(hierarchy, path, attributes));
    const ArrayMetadata& metadata = reader.metadata();
    const std::uint64_t chunks = metadata.rank() == 1 ? metadata.ChunkAxis(0).count() : 0;
    if (chunks <= kMaxAxisChunks) return ReadCoordinates(hierarchy, path, attributes, threads);
    for (std::uint64_t i = 0; i < kMaxAxisChunks; ++i)
        ZARR_RETURN_IF_ERROR(reader.ReadChunk(AxisChunk(chunks, i), threads));
    return reader.Take();
}

void AddAxisKeys(const Hierarchy& hierarchy, const std::string& path,
                 std::vector<std::string>& keys) {
    if (path.empty()) return;
    const auto metadata = hierarchy.Metadata(path);
    // Shards are not prefetched: a prefetch reads whole objects of the store, but ReadAxis() needs
    // only a part of each shard.
    if (!metadata.ok() || metadata->rank() != 1 || !metadata->shards.empty()) return;
    const std::uint64_t chunks = metadata->ChunkAxis(0).count();
    for (std::uint64_t i = 0; i < std::min(chunks, kMaxAxisChunks); ++i)
        keys.push_back(ChunkKey(path, {AxisChunk(chunks, i)}, metadata->key_encoding()));
}

namespace {

// Returns the unit of the last decimal digit, such as 0.001 for 10.083, 10.167 and 10.25, if all
// values are decimal numbers but for `relative_noise`. Returns 0 if they are not, or if the unit is
// less than `least`.
double DecimalUnit(const std::vector<double>& values, double relative_noise, double least) {
    const double noise = std::max(relative_noise, 8 * std::numeric_limits<double>::epsilon());
    double power = 1;
    for (const double value : values) {
        for (;; power *= 10) {
            if (power * least > 1) return 0;
            const double scaled = value * power;
            const double error = 2 * noise * std::fabs(scaled);
            if (error > 0.25) return 0;  // the digits are lost in noise
            if (std::fabs(scaled - std::round(scaled)) <= error) break;
        }
    }
    return 1 / power;
}

// True if some line is at most `half_width` away from all values. `slope` is the slope between both
// ends.
bool LieOnLine(const Coordinates& coordinates, double slope, double half_width) {
    const std::vector<double>& values = coordinates.values;
    const double width = 2 * half_width;
    const double reach = width / coordinates.PlaceOf(values.size() - 1);
    double low = slope - reach;
    double high = slope + reach;
    // The values differ from a line of slope k by a range that is a convex function of k. The
    // places of its ends say in which direction the range shrinks.
    constexpr int kSteps = 60;
    for (int step = 0; step < kSteps; ++step) {
        const double k = step == 0 ? slope : 0.5 * (low + high);
        std::size_t top = 0;
        std::size_t bottom = 0;
        const auto rest = [&](std::size_t i) { return values[i] - k * coordinates.PlaceOf(i); };
        for (std::size_t i = 1; i < values.size(); ++i) {
            if (rest(i) > rest(top)) top = i;
            if (rest(i) < rest(bottom)) bottom = i;
        }
        if (rest(top) - rest(bottom) <= width) return true;
        (top > bottom ? low : high) = k;
    }
    return false;
}

// True if neighbours differ by two distances, and the rarer one shows that rounding made both. A
// longer distance may be a gap unless it occurs three times. A shorter distance is no gap. Whole
// numbers need three of either.
bool IsRoundingLikely(const Coordinates& coordinates, double unit) {
    constexpr std::size_t kEnough = 3;
    const std::vector<double>& values = coordinates.values;
    std::size_t count[2] = {0, 0};
    double distances[2] = {0, 0};
    for (std::size_t i = 1; i < values.size(); ++i) {
        if (coordinates.PlaceOf(i) != coordinates.PlaceOf(i - 1) + 1) continue;
        const double distance = std::round(std::fabs(values[i] - values[i - 1]) / unit);
        const std::size_t at = count[0] == 0 || distance == distances[0] ? 0 : 1;
        distances[at] = distance;
        ++count[at];
    }
    const std::size_t rarer = count[0] < count[1] ? 0 : 1;
    const bool is_shorter = distances[rarer] < distances[1 - rarer];
    return count[rarer] >= (is_shorter && unit < 1 ? 1 : kEnough);
}

// True if the values are regular coordinates that were rounded to decimals. They are then within
// half a unit of their last digit of a line. A unit that is large beside the spacing, and whole
// numbers, may hide a gap, and need more evidence.
bool AreRoundedToDecimals(const Coordinates& coordinates, double spacing, double noise,
                          double least) {
    const double unit = DecimalUnit(coordinates.values, coordinates.relative_noise, least);
    const double size = std::fabs(spacing);
    if (unit == 0 || unit > 2 * size) return false;
    const bool is_small = unit <= 0.25 * size && unit < 1;
    return (is_small || IsRoundingLikely(coordinates, unit)) &&
           LieOnLine(coordinates, spacing, 0.5 * unit * (1 + 1e-6) + noise);
}

}  // namespace

void PrefetchAxes(const Hierarchy& hierarchy, const std::vector<const Dimension*>& dimensions) {
    if (!CanPrefetch(hierarchy)) return;
    std::vector<std::string> keys;
    for (const Dimension* dimension : dimensions)
        AddAxisKeys(hierarchy, dimension->coordinate_path, keys);
    hierarchy.store()->Prefetch(keys, {});
}

Fact<std::optional<RegularAxis>> FitRegularAxis(const Coordinates& coordinates,
                                                const std::string& name) {
    const std::vector<double>& values = coordinates.values;
    if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); }))
        return {std::nullopt, {name + ": the coordinates contain NaN or infinite values"}};
    if (values.size() < 2) return {};
    RegularAxis axis;
    axis.start = values.front();
    axis.spacing = (values.back() - values.front()) / coordinates.PlaceOf(values.size() - 1);
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    if (*low == *high) return {std::nullopt, {name + ": all coordinates are equal"}};
    // `noise` is the rounding error of a stored value. `tolerance` covers it and that of the
    // computed spacing. It stays below half the spacing, so that values in wrong order are
    // rejected.
    const double noise = coordinates.relative_noise * std::max(std::fabs(*low), std::fabs(*high));
    const double size = std::fabs(axis.spacing);
    const double tolerance = std::min(std::max(1e-3 * size, 4 * noise), 0.25 * size);
    const auto is_regular = [&] {
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double place = axis.start + coordinates.PlaceOf(i) * axis.spacing;
            if (!(std::fabs(values[i] - place) <= tolerance)) return false;
        }
        return true;
    };
    if (!is_regular() && !AreRoundedToDecimals(coordinates, axis.spacing, noise, 1e-3 * size))
        return {};
    return {axis};
}

Fact<Result<CoordinateLabels>> ReadCoordinateLabels(const Hierarchy& hierarchy,
                                                    const Dimension& dimension,
                                                    const LabelRange& range) {
    const auto array = hierarchy.OpenArray(dimension.coordinate_path);
    if (!array.ok()) return {array.status()};
    Warnings warnings;
    auto labels = ReadLabels(**array, dimension.coordinate_attributes, range, warnings);
    for (std::string& warning : warnings) warning.insert(0, "/" + dimension.coordinate_path + ": ");
    return {std::move(labels), std::move(warnings)};
}

std::optional<CoordinateLabels> ImageCoordinates(const LevelListing& listing, std::size_t rank,
                                                 std::size_t axis, std::uint64_t first,
                                                 std::uint64_t count) {
    if (!listing.is_listed() || count > kMaxLabels) return std::nullopt;
    const std::vector<OmeAxis> axes = FindOmeAxes(listing.levels, rank);
    const auto placement = ReadOmePlacement(listing, rank).value;
    if (axes.empty() || axes[axis].is_channel || !placement) return std::nullopt;
    const auto row = placement->RowOf(axes[axis], axis);
    if (!row || !placement->DependsOnlyOn(*row, {axis})) return std::nullopt;
    const std::vector<double>& numbers = placement->rows[*row];
    CoordinateLabels labels;
    labels.units = placement->axes[*row].unit;
    for (std::uint64_t i = first; i < first + count; ++i) {
        CoordinateLabel label;
        label.value = DoubleText(static_cast<double>(i) * numbers[axis] + numbers.back());
        label.label = label.value + (labels.units.empty() ? "" : " " + labels.units);
        labels.items.push_back(std::move(label));
    }
    return labels;
}

}  // namespace zarr
