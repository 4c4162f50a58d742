// SPDX-License-Identifier: MIT
#include "autotest/cpp/array/sample_array.h"

#include <zlib.h>

#include <algorithm>

#include "core/base/checked.h"
#include "core/dtype/stored_converter.h"
#include "core/grid/chunk_grid.h"
#include "core/metadata/v2_metadata.h"

namespace zarr::test {

namespace {

std::string List(const std::vector<std::uint64_t>& values) {
    std::string text = "[";
    for (std::size_t i = 0; i < values.size(); ++i)
        text.append(i == 0 ? "" : ", ").append(std::to_string(values[i]));
    return text + "]";
}

// Returns the position of the element `index` in an array of shape `shape`, counted in elements in
// row-major order, or in column-major order if `fortran_order`.
std::size_t Place(const DimVector<std::uint64_t>& index, const std::vector<std::uint64_t>& shape,
                  bool fortran_order) {
    std::uint64_t place = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const std::size_t axis = fortran_order ? shape.size() - 1 - i : i;
        place = place * shape[axis] + index[axis];
    }
    return static_cast<std::size_t>(place);
}

}  // namespace

std::string SampleSpec::Text() const {
    return "{\"zarr_format\": 2, \"shape\": " + List(shape) + ", \"chunks\": " + List(chunks) +
           ", \"dtype\": " + dtype + ", \"fill_value\": " + fill_value +
           ", \"compressor\": " + compressor + ", \"filters\": " + filters + ", \"order\": \"" +
           (fortran_order ? "F" : "C") + "\"" +
           (has_stated_separator ? std::string(", \"dimension_separator\": \"") + separator + "\"}"
                                 : "}");
}

ArrayMetadata SampleSpec::Metadata() const {
    auto metadata = ParseArrayMetadata(Text());
    EXPECT_TRUE(Succeeds(metadata)) << Text();
    return metadata.ok() ? metadata.Take() : ArrayMetadata();
}

std::string UnwrittenElements(const ArrayMetadata& metadata) {
    std::uint64_t count = 1;
    for (const std::uint64_t n : metadata.shape) count *= n;
    std::string elements;
    for (std::uint64_t i = 0; i < count; ++i) elements += metadata.fill_value.Bytes();
    return elements;
}

std::string Deflated(const std::string& bytes) {
    uLongf size = compressBound(static_cast<uLong>(bytes.size()));
    std::string encoded(size, '\0');
    EXPECT_EQ(
        compress(reinterpret_cast<Bytef*>(encoded.data()), &size,
                 reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size())),
        Z_OK);
    encoded.resize(size);
    return encoded;
}

DimVector<std::uint64_t> Dims(const std::vector<std::uint64_t>& values) {
    DimVector<std::uint64_t> dims;
    for (const std::uint64_t value : values) dims.push_back(value);
    return dims;
}

bool NextIndex(DimVector<std::uint64_t>& index, const DimVector<std::uint64_t>& limits) {
    for (std::size_t i = index.size(); i-- > 0;) {
        if (++index[i] < limits[i]) return true;
        index[i] = 0;
    }
    return false;
}

SampleArray::SampleArray(Random& random, SampleSpec spec, bool with_absent)
    : spec_(std::move(spec)), metadata_(spec_.Metadata()) {
    std::uint64_t elements = 1;
    DimVector<std::uint64_t> grid;
    for (std::size_t i = 0; i < metadata_.rank(); ++i) {
        elements *= metadata_.shape[i];
        grid.push_back(CeilDiv(metadata_.shape[i], metadata_.chunks[i]));
    }
    contents_.resize(static_cast<std::size_t>(elements) * metadata_.dtype.size);
    if (elements == 0) return;
    DimVector<std::uint64_t> chunk(metadata_.rank(), 0);
    do {
        MakeChunk(random, chunk, with_absent && random.Below(4) == 0);
    } while (NextIndex(chunk, grid));
}

void SampleArray::MakeChunk(Random& random, const DimVector<std::uint64_t>& chunk, bool absent) {
    const std::size_t size = metadata_.dtype.size;
    std::size_t elements = 1;
    for (const std::uint64_t n : metadata_.chunks) elements *= static_cast<std::size_t>(n);
    // Elements of an edge chunk that lie outside of the array are random.
    std::string stored = random.Bytes(elements * size);
    DimVector<std::uint64_t> inside(metadata_.rank(), 0);
    do {
        DimVector<std::uint64_t> index(metadata_.rank(), 0);
        bool exists = true;
        for (std::size_t i = 0; i < metadata_.rank(); ++i) {
            index[i] = chunk[i] * metadata_.chunks[i] + inside[i];
            exists = exists && index[i] < metadata_.shape[i];
        }
        if (!exists) continue;
        std::string element = metadata_.fill_value.Bytes();
        if (!absent) {
            element =
                stored.substr(Place(inside, metadata_.chunks, spec_.fortran_order) * size, size);
            SwapElements(metadata_.dtype, reinterpret_cast<std::uint8_t*>(element.data()), 1);
            if (metadata_.dtype.kind == DataKind::kBool) element[0] = element[0] != 0 ? 1 : 0;
        }
        contents_.replace(Place(index, metadata_.shape, false) * size, size, element);
    } while (NextIndex(inside, Dims(metadata_.chunks)));
    if (absent) return;
    ++present_;
    if (spec_.is_compressed()) stored = Deflated(stored);
    EXPECT_TRUE(Succeeds(store_->Set(ChunkKey("dem", chunk, spec_.separator), ByteSpan(stored))));
}

std::shared_ptr<const Array> SampleArray::Open(std::size_t cache_bytes,
                                               std::shared_ptr<const Store> store) const {
    auto array = Array::Open(store != nullptr ? std::move(store) : store_, "dem", spec_.Metadata(),
                             std::make_shared<ArrayContext>(cache_bytes));
    EXPECT_TRUE(Succeeds(array)) << spec_.Text();
    return array.ok() ? array.Take() : nullptr;
}

std::string SampleArray::Expected(const Region& region, std::size_t offset,
                                  std::size_t size) const {
    std::string expected;
    if (region.size() == 0) return expected;
    DimVector<std::uint64_t> at(metadata_.rank(), 0);
    do {
        DimVector<std::uint64_t> index(metadata_.rank(), 0);
        for (std::size_t i = 0; i < metadata_.rank(); ++i)
            index[i] = region.start[i] + at[i] * static_cast<std::uint64_t>(region.step[i]);
        const std::size_t place = Place(index, metadata_.shape, false) * metadata_.dtype.size;
        expected.append(contents_, place + offset, size);
    } while (NextIndex(at, region.count));
    return expected;
}

Region RandomRegion(Random& random, const std::vector<std::uint64_t>& shape) {
    Region region;
    for (const std::uint64_t n : shape) {
        const auto size = static_cast<std::int64_t>(n);
        std::int64_t step =
            random.Chance() ? 1 : random.Between(1, std::max<std::int64_t>(size, 1));
        const std::int64_t most = size == 0 ? 0 : (size - 1) / step + 1;
        const std::int64_t count = random.Below(20) == 0 ? 0
                                   : random.Below(3) == 0
                                       ? most
                                       : random.Between(std::min<std::int64_t>(1, most), most);
        const std::int64_t reach = count == 0 ? 0 : (count - 1) * step;
        std::int64_t start = size == 0 ? 0 : random.Between(0, size - 1 - reach);
        if (random.Below(3) == 0) {
            start += reach;
            step = -step;
        }
        region.start.push_back(static_cast<std::uint64_t>(start));
        region.count.push_back(static_cast<std::uint64_t>(count));
        region.step.push_back(step);
    }
    return region;
}

Result<std::string> ReadRowMajor(const Array& array, const Region& region, std::size_t threads) {
    return ReadRowMajor(array, region, ReadOptions{threads});
}

Result<std::string> ReadRowMajor(const Array& array, const Region& region,
                                 const ReadOptions& options) {
    const DataType& type = array.metadata().dtype;
    const DataType native = type.Native();
    ZARR_ASSIGN_OR_RETURN(const Converter op, ReadConverter(type, native));
    std::string memory(static_cast<std::size_t>(region.size()) * type.size, '\xcc');
    const Destination destination{reinterpret_cast<std::uint8_t*>(memory.data()),
                                  ContiguousStrides(region.count, type.size, false), op};
    ZARR_RETURN_IF_ERROR(array.Read(region, 0, destination, options));
    return memory;
}

}  // namespace zarr::test
