// SPDX-License-Identifier: MIT
#include "driver/multidim/array_values.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/conventions/attributes/nczarr.h"
#include "core/dtype/element_text.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/open_options.h"
#include "driver/georef/editable_array.h"
#include "driver/multidim/extended_type.h"
#include "driver/multidim/mdim_session.h"

namespace zarr_driver {

using zarr::Status;

namespace {

// Options of GDALMDArray::AdviseRead(), which GDAL defines.
struct AdviseOptions {
    std::size_t threads;
    std::uint64_t cache_size;  // bytes
};

zarr::Result<std::uint64_t> ReadBytes(const GivenOption& given) {
    const GIntBig bytes = CPLAtoGIntBig(given.text);
    if (CPLGetValueType(given.text) != CPL_VALUE_INTEGER || bytes < 0)
        return given.Refuse("a number of bytes");
    return static_cast<std::uint64_t>(bytes);
}

constexpr OptionRow<AdviseOptions> kAdviseRows[] = {
    {{"NUM_THREADS", "string", "", ""}, Into<&AdviseOptions::threads, ReadThreads>},
    {{"CACHE_SIZE", "int", "", ""}, Into<&AdviseOptions::cache_size, ReadBytes>},
};

// Truncates texts that are longer than the array's data type allows, and returns a record of them
// for a warning.
TruncatedTexts TruncateToFit(const zarr::ArrayMetadata& metadata, std::vector<std::string>& texts) {
    TruncatedTexts cut;
    if (!metadata.text_type) return cut;
    for (std::string& text : texts) {
        const std::size_t fitting = zarr::TruncatedText(*metadata.text_type, text).size();
        if (fitting == text.size()) continue;
        cut.Add(*metadata.text_type, text);
        text.resize(fitting);
    }
    return cut;
}

// Returns the elements of a block as texts, in row-major order. In the block, raw bytes are texts
// in base64; here they are decoded.
std::vector<std::string> TextsOf(const ElementBlock& block, const std::uint8_t* data) {
    const zarr::Region& region = block.region;
    std::vector<std::string> texts(static_cast<std::size_t>(region.size()));
    zarr::Converter op;
    op.src_size = block.type.GetSize();
    op.dst_size = sizeof(std::string);
    op.context = &block.type;
    op.row = [](const zarr::Converter& self, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t n) {
        const auto& element_type = *static_cast<const GDALExtendedDataType*>(self.context);
        for (std::size_t i = 0; i < n; ++i, dst += dst_stride, src += src_stride)
            *reinterpret_cast<std::string*>(dst) =
                zarr::TextToBytes(TextOfElement(element_type, src));
    };
    zarr::CopyBlock(region.count, reinterpret_cast<std::uint8_t*>(texts.data()),
                    zarr::ContiguousStrides(region.count, sizeof(std::string), false), data,
                    block.strides, op);
    return texts;
}

}  // namespace

ElementBlock::ElementBlock(std::size_t rank, const GUInt64* start, const std::size_t* count,
                           const GInt64* step, const GPtrDiff_t* stride,
                           const GDALExtendedDataType& element_type)
    : type(element_type) {
    for (std::size_t i = 0; i < rank; ++i) {
        region.start.push_back(start[i]);
        region.count.push_back(count[i]);
        // GDAL may pass any step for an axis with one element. The step has no effect there, and
        // becomes 1.
        region.step.push_back(count[i] == 1 ? 1 : step[i]);
        strides.push_back(static_cast<std::ptrdiff_t>(stride[i]) *
                          static_cast<std::ptrdiff_t>(type.GetSize()));
    }
}

ArrayValues::ArrayValues(const MdimSession& session, const EditableArray& array,
                         zarr::DataType stored)
    : session_(session),
      stored_(std::move(stored)),
      array_(array),
      text_length_(zarr::NczarrTextLength(array.facts().metadata)) {}

zarr::ReadOptions ArrayValues::Reading() const {
    const OpenOptions& options = session_.options();
    return {options.threads, zarr::CachePolicy::kAllIfSmall, true, options.read_ahead};
}

// ---------------------------------------------------------------------------------------------
// Reading

// Reads texts that NCZarr has stored as characters along the array's last dimension. Each text
// becomes one element.
Status ArrayValues::ReadTexts(const ElementBlock& block, std::uint8_t* data) const {
    const zarr::Region& region = block.region;
    const std::uint64_t size = region.size();
    if (size > SIZE_MAX / text_length_)
        return Status::Limit("the block has too many elements for one read; read a smaller block");
    zarr::Buffer staged;
    ZARR_RETURN_IF_ERROR(staged.Reset(static_cast<std::size_t>(size) * text_length_));
    zarr::Region characters = region;
    characters.start.push_back(0);
    characters.count.push_back(text_length_);
    characters.step.push_back(1);
    const zarr::Strides own = zarr::ContiguousStrides(region.count, text_length_, false);
    zarr::Strides each = own;
    each.push_back(1);
    ZARR_RETURN_IF_ERROR(array_.elements()->Read(
        characters, 0, {staged.data(), each, zarr::CopyConverter(1)}, Reading()));
    ZARR_ASSIGN_OR_RETURN(const auto op, ExtendedConverter::Make(stored_, block.type));
    zarr::CopyBlock(region.count, data, block.strides, staged.data(), own, op->op());
    return op->is_out_of_memory() ? Status::OutOfMemory(array_.path() + ": out of memory")
                                  : Status();
}

Status ArrayValues::Read(const ElementBlock& block, std::uint8_t* data) const {
    const zarr::Region& region = block.region;
    for (std::size_t i = 0; i < region.count.size(); ++i) {
        if (region.step[i] != 0) continue;
        // A step of 0 asks for copies of one element, which is read once for each copy.
        ElementBlock once = block;
        once.region.step[i] = 1;
        once.region.count[i] = 1;
        for (std::uint64_t k = 0; k < region.count[i]; ++k)
            ZARR_RETURN_IF_ERROR(
                Read(once, data + static_cast<std::ptrdiff_t>(k) * block.strides[i]));
        return {};
    }
    const bool has_strings = block.type.NeedsFreeDynamicMemory();
    if (has_strings) ClearElements(block.type, data, region.count, block.strides);
    Status status;
    if (text_length_ != 0) {
        status = ReadTexts(block, data);
    } else {
        ZARR_ASSIGN_OR_RETURN(const auto op, ExtendedConverter::Make(stored_, block.type));
        status = array_.elements()->Read(region, 0, {data, block.strides, op->op()}, Reading());
        if (status.ok() && op->is_out_of_memory())
            status = Status::OutOfMemory(array_.path() + ": out of memory");
    }
    // GDAL does not free the strings in `data` after a failure, so they are freed here.
    if (!status.ok() && has_strings) FreeElements(block.type, data, region.count, block.strides);
    return status;
}

Status ArrayValues::Advise(zarr::Region region, CSLConstList options) const {
    if (text_length_ != 0) {
        region.start.push_back(0);
        region.count.push_back(text_length_);
        region.step.push_back(1);
    }
    AdviseOptions advised{session_.options().threads,
                          array_.elements()->context().cache().max_bytes()};
    const std::uint64_t limit = advised.cache_size;
    ZARR_RETURN_IF_ERROR(ParseOptions("option ", options, kAdviseRows, advised));
    const std::uint64_t allowed = std::min(limit, advised.cache_size);
    const std::uint64_t needed = array_.elements()->DecodedBytes(region);
    if (needed > allowed)
        return Status::Limit(
            array_.path() + ": the chunks of the region take " + std::to_string(needed) +
            " bytes, and the cache may hold " + std::to_string(allowed) +
            (allowed < limit ? " (CACHE_SIZE)" : " (the configuration option GDAL_CACHEMAX)"));
    return array_.elements()->Preload(region, advised.threads);
}

// ---------------------------------------------------------------------------------------------
// Writing

void ArrayValues::WarnOfCut(const TruncatedTexts& cut) const {
    if (!cut.empty()) EmitWarning(array_.Name(), cut.Message());
}

Status ArrayValues::Write(ElementBlock block, const std::uint8_t* data) const {
    zarr::Region& region = block.region;
    for (std::size_t i = 0; i < region.count.size(); ++i) {
        if (region.count[i] == 0) return {};
        if (region.step[i] != 0) continue;
        // A step of 0 assigns several values to one element. Only the last value would stay, so
        // only that one is written.
        data += static_cast<std::ptrdiff_t>(region.count[i] - 1) * block.strides[i];
        region.step[i] = 1;
        region.count[i] = 1;
    }
    ZARR_ASSIGN_OR_RETURN(zarr::ArrayWriter* const writer,
                          session_.update()->WriterOf(array_.elements()));
    const std::size_t threads = session_.options().threads;
    if (stored_.kind == zarr::DataKind::kObject) {
        if (block.type.GetClass() == GEDTC_COMPOUND)
            return Status::Invalid(
                "elements of dtype |O have no members, so they cannot be written as a compound");
        std::vector<std::string> texts = TextsOf(block, data);
        WarnOfCut(TruncateToFit(array_.facts().metadata, texts));
        return writer->WriteObjects(region, texts, threads);
    }
    ZARR_ASSIGN_OR_RETURN(const auto op, ExtendedWriteConverter::Make(stored_, block.type));
    if (!op->can_fail()) return writer->Write(region, 0, {data, block.strides, op->op()}, threads);
    // All elements are converted before the first is written, so that a failing conversion leaves
    // the array unchanged.
    zarr::Buffer staged;
    const std::uint64_t size = region.size();
    if (size > SIZE_MAX / stored_.size)
        return Status::Limit(
            "the block has too many elements for one write; write a smaller block");
    ZARR_RETURN_IF_ERROR(staged.Reset(static_cast<std::size_t>(size) * stored_.size));
    std::memset(staged.data(), 0, staged.size());
    const zarr::Strides own = zarr::ContiguousStrides(region.count, stored_.size, false);
    zarr::CopyBlock(region.count, staged.data(), own, data, block.strides, op->op());
    ZARR_RETURN_IF_ERROR(op->status());
    WarnOfCut(op->truncated_texts());
    return writer->Write(region, 0, {staged.data(), own, zarr::CopyConverter(stored_.size)},
                         threads);
}

}  // namespace zarr_driver
