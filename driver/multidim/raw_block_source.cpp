// SPDX-License-Identifier: MIT
#include "driver/multidim/raw_block_source.h"

#if ZARR_HAS_RAW_BLOCK_INFO

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/checked.h"
#include "core/base/endian.h"
#include "core/base/limits.h"
#include "core/grid/chunk_grid.h"
#include "core/metadata/documents.h"
#include "core/store/keys.h"
#include "core/store/memory_store.h"
#include "driver/base/gdal_errors.h"
#include "driver/georef/georeferencing_write.h"
#include "driver/multidim/mdim_array.h"
#include "driver/multidim/mdim_group.h"
#include "driver/multidim/mdim_session.h"
#include "driver/multidim/raw_block_codecs.h"
#include "driver/store/value_references.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::Reference;
using zarr::Result;
using zarr::Status;

namespace {

using Block = std::vector<std::uint64_t>;

// Path, used in messages, of the store in memory that holds the metadata documents.
constexpr const char* kPath = "/vsimem/references";

// Returns the error of a failed GDAL call for the node at `path`. GDAL's own errors must have been
// hidden by the caller.
Status Failed(const std::string& path, const char* what) {
    const std::string message = QuietErrors::Message();
    return Status::Unsupported("/" + path + ": " + what +
                               (message.empty() ? std::string() : ": " + message));
}

// Returns the location of a block in `info`. Returns false if the dataset does not state the
// location, as for absent blocks.
bool FindLocation(const GDALMDArray& array, const Block& block, GDALMDArrayRawBlockInfo& info) {
    const QuietErrors quiet;
    constexpr std::uint64_t kNone = 0;
    info.clear();
    return array.GetRawBlockInfo(block.empty() ? &kNone : block.data(), info) &&
           (info.pszFilename != nullptr || info.pabyInlineData != nullptr);
}

// Reads a block from `array` as elements of `type`. Elements of an edge block outside of the array
// are left out.
Result<std::string> ReadBlock(const GDALMDArray& array, const Block& blocks, const Block& block,
                              const GDALExtendedDataType& type) {
    const QuietErrors quiet;
    std::vector<GUInt64> start;
    std::vector<std::size_t> count;
    std::uint64_t bytes = type.GetSize();
    const auto& dimensions = array.GetDimensions();
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        start.push_back(block[i] * blocks[i]);
        count.push_back(static_cast<std::size_t>(
            std::min<std::uint64_t>(blocks[i], dimensions[i]->GetSize() - start.back())));
        bytes = zarr::SaturatingMul(bytes, count.back());
    }
    if (bytes > zarr::LimitOf(zarr::Limit::kChunkSize))
        return zarr::OverLimit(zarr::Limit::kChunkSize, "a block is too large");
    std::string values(static_cast<std::size_t>(bytes), '\0');
    if (!array.Read(start.data(), count.data(), nullptr, nullptr, type, values.data()))
        return Status::Io("a block cannot be read: " + QuietErrors::Message());
    return values;
}

std::string TextOf(const Block& block) {
    zarr::DimVector<std::uint64_t> index;
    for (const std::uint64_t i : block) index.push_back(i);
    return zarr::ChunkText(index);
}

bool AreEqual(CSLConstList a, CSLConstList b) {
    const int count = CSLCount(a);
    if (count != CSLCount(b)) return false;
    for (int i = 0; i < count; ++i)
        if (std::strcmp(a[i], b[i]) != 0) return false;
    return true;
}

// Returns the total number of blocks of an array. `counts` has the number of blocks along each
// dimension.
std::uint64_t CountOf(const Block& counts) {
    std::uint64_t count = 1;
    for (const std::uint64_t each : counts) count = zarr::SaturatingMul(count, each);
    return count;
}

Block BlockAt(const Block& counts, std::uint64_t number) {
    Block block(counts.size(), 0);
    for (std::size_t i = counts.size(); i-- > 0; number /= counts[i]) block[i] = number % counts[i];
    return block;
}

}  // namespace

// A Zarr store that shows the dataset of another GDAL driver. Metadata documents are in memory;
// chunks are read from the dataset's files. The chunks cannot be listed.
class RawBlockSource::BlockStore final : public zarr::ForwardingStore {
  public:
    BlockStore(std::shared_ptr<const Store> documents, const RawBlockSource& source)
        : ForwardingStore(std::move(documents)), source_(source) {}

    Status ForEachKey(const std::string& prefix, const KeyVisitor& /*visit*/,
                      const PrefixVisitor& /*visit_prefix*/) const override {
        return Status::Unsupported(prefix + ": the blocks of another format are not listed");
    }
    Result<zarr::ReadResult> Read(const std::string& key, const zarr::ValuePart& part,
                                  const zarr::ReadSink& sink) const override {
        if (zarr::LooksLikeDocument(zarr::LastName(key)) ||
            source_.arrays_.count(std::string(zarr::ParentPath(key))) == 0)
            return base().Read(key, part, sink);
        ZARR_ASSIGN_OR_RETURN(const Reference found, source_.Find(key));
        if (found.kind == Reference::Kind::kInline)
            return ReadFrom(zarr::ByteSpan(std::string_view(found.bytes)), key, part, sink);
        const VsiFile file(VSIFOpenL(StorePath(found.location).c_str(), "rb"));
        std::string bytes(static_cast<std::size_t>(found.size.value_or(0)), '\0');
        if (file == nullptr || VSIFSeekL(file.get(), found.offset, SEEK_SET) != 0 ||
            VSIFReadL(bytes.data(), 1, bytes.size(), file.get()) != bytes.size())
            return Status::Io(key + ": " + found.location + " cannot be read");
        return ReadFrom(zarr::ByteSpan(std::string_view(bytes)), key, part, sink);
    }
    Status GetMany(const std::vector<std::string>& keys, const zarr::ReadManyOptions& options,
                   const ValueTaker& take) const override {
        return Store::GetMany(keys, options, take);
    }

  private:
    const RawBlockSource& source_;
};

// Makes the Zarr documents for a source: groups, arrays without values, attributes and dimensions.
class RawBlockSource::Builder {
  public:
    explicit Builder(RawBlockSource& made) : made_(made) {}

    Status Build(GDALDataset& source) {
        const auto root = source.GetRootGroup();
        if (root == nullptr) return Status::Unsupported("the source has no groups and arrays");
        const auto store = std::make_shared<zarr::MemoryStore>();
        {
            StoreUpdate update(store, zarr::WriteConsolidated::kNo, nullptr, nullptr,
                               zarr::Format::kV2);
            ZARR_RETURN_IF_ERROR(update.metadata().CreateGroup(""));
            ZARR_RETURN_IF_ERROR(update.Close());
        }
        ZARR_RETURN_IF_ERROR(Fill(store, *root));
        ZARR_ASSIGN_OR_RETURN(made_.hierarchy_,
                              CurrentHierarchy(std::make_shared<BlockStore>(store, made_)));
        return {};
    }

  private:
    Status Fill(const std::shared_ptr<zarr::MemoryStore>& store, const GDALGroup& root) {
        ZARR_ASSIGN_OR_RETURN(OpenOptions options, OpenOptions::Parse(nullptr));
        OpenNode open_node;
        open_node.address = StoreAddress(kPath);
        open_node.kind = zarr::NodeKind::kGroup;
        open_node.writable = store;
        ZARR_ASSIGN_OR_RETURN(open_node.hierarchy, CurrentHierarchy(store));
        auto update = std::make_unique<StoreUpdate>(store, zarr::WriteConsolidated::kNo, nullptr,
                                                    open_node.hierarchy, zarr::Format::kV2);
        const auto session = std::make_shared<MdimSession>(std::move(open_node), std::move(options),
                                                           std::move(update));
        ZARR_RETURN_IF_ERROR(CopyGroup(root, *session->OpenGroup(""), "", 0));
        return session->Finish();
    }

    Status CopyGroup(const GDALGroup& from, GDALGroup& to, const std::string& path,
                     std::size_t depth) {
        if (depth > zarr::kMaxGroupDepth) return Status::Limit("/" + path + ": nests too deeply");
        const QuietErrors quiet;
        for (const auto& attribute : from.GetAttributes()) {
            const auto copy = to.CreateAttribute(
                attribute->GetName(), attribute->GetDimensionsSize(), attribute->GetDataType());
            const GDALRawResult raw = attribute->ReadAsRaw();
            if (copy == nullptr || !copy->Write(raw.data(), raw.size()))
                return Failed(zarr::JoinKey(path, attribute->GetName()),
                              "the attribute cannot be written");
        }
        for (const std::string& name : from.GetMDArrayNames()) {
            const std::string array_path = zarr::JoinKey(path, name);
            const auto array = from.OpenMDArray(name);
            if (array == nullptr) return Failed(array_path, "cannot be opened");
            ZARR_RETURN_IF_ERROR(CopyArray(array, to, array_path));
        }
        for (const std::string& name : from.GetGroupNames()) {
            const std::string group_path = zarr::JoinKey(path, name);
            const auto group = from.OpenGroup(name);
            const auto copy = group != nullptr ? to.CreateGroup(name) : nullptr;
            if (copy == nullptr) return Failed(group_path, "cannot be copied");
            ZARR_RETURN_IF_ERROR(CopyGroup(*group, *copy, group_path, depth + 1));
        }
        return {};
    }

    // Returns the dimensions for the Zarr copy of `array`. Arrays of a group share dimensions of
    // equal name and size. Further sizes of one name, as of HDF5's "dim0", get new names.
    Result<std::vector<std::shared_ptr<GDALDimension>>> DimensionsOf(const GDALMDArray& array,
                                                                     GDALGroup& to,
                                                                     const std::string& path) {
        std::vector<std::shared_ptr<GDALDimension>> copies;
        const std::string group(zarr::ParentPath(path));
        for (const auto& dimension : array.GetDimensions()) {
            std::string name = dimension->GetName();
            auto* known = &dimensions_[zarr::JoinKey(group, name)];
            if (*known != nullptr && (*known)->GetSize() != dimension->GetSize()) {
                name = array.GetName() + "_" + name;
                known = &dimensions_[zarr::JoinKey(group, name)];
            }
            if (*known == nullptr)
                *known = to.CreateDimension(name, dimension->GetType(), dimension->GetDirection(),
                                            dimension->GetSize());
            if (*known == nullptr) return Failed(path, "its dimensions cannot be copied");
            copies.push_back(*known);
        }
        return copies;
    }

    Status CopyArray(const std::shared_ptr<GDALMDArray>& array, GDALGroup& to,
                     const std::string& path) {
        ZARR_ASSIGN_OR_RETURN(Source source, Examine(array).WithContext("/" + path));
        ZARR_ASSIGN_OR_RETURN(
            CPLStringList options,
            ArrayOptionsOf(source.info.List(), source.blocks, array->GetDataType().GetSize())
                .WithContext("/" + path));
        // An array without dimensions has no blocks. GDAL reads its value in the byte order of this
        // machine, and the value is stored inline.
        if (source.blocks.empty() && !zarr::HostIsLittleEndian())
            options.SetNameValue("ENDIAN", "BIG");
        ZARR_ASSIGN_OR_RETURN(const auto dimensions, DimensionsOf(*array, to, path));
        const auto copy =
            to.CreateMDArray(array->GetName(), dimensions, array->GetDataType(), options.List());
        GUInt64 cost = 0;
        if (copy == nullptr ||
            !copy->CopyFromAllExceptValues(array.get(), false, cost, GDALMDArray::COPY_COST,
                                           nullptr, nullptr))
            return Failed(path, "cannot be described");
        made_.arrays_.emplace(path, std::move(source));
        return {};
    }

    // Returns the shape and the encoding of an array's blocks. Fails if blocks are encoded
    // differently.
    static Result<Source> Examine(const std::shared_ptr<GDALMDArray>& array) {
        if (array->GetDataType().GetClass() != GEDTC_NUMERIC)
            return Status::Unsupported(
                "references can be made only for arrays of numbers, not of texts or structures");
        Source source;
        source.array = array;
        for (const GUInt64 size : array->GetBlockSize()) source.blocks.push_back(size);
        const auto& dimensions = array->GetDimensions();
        for (std::size_t i = 0; i < dimensions.size(); ++i) {
            const std::uint64_t size = dimensions[i]->GetSize();
            // GDAL's block size 0 means that values are contiguous along the dimension. One block
            // then spans the dimension.
            if (source.blocks[i] == 0) source.blocks[i] = std::max<std::uint64_t>(size, 1);
            source.counts.push_back(zarr::CeilDiv(size, source.blocks[i]));
        }
        const std::uint64_t count = CountOf(source.counts);
        if (count > zarr::LimitOf(zarr::Limit::kReferences))
            return zarr::OverLimit(zarr::Limit::kReferences, "the array has too many blocks");
        // All blocks must have a location and one encoding. An array without dimensions has no
        // blocks; its value is stored inline.
        for (std::uint64_t i = 0; i < count && !source.counts.empty(); ++i)
            ZARR_RETURN_IF_ERROR(Examine(BlockAt(source.counts, i), i == 0, source));
        return source;
    }

    static Status Examine(const Block& block, bool is_first, Source& source) {
        GDALMDArrayRawBlockInfo info;
        if (!FindLocation(*source.array, block, info))
            return Status::Unsupported("GDAL does not tell where block " + TextOf(block) +
                                       " is stored. The block may be absent, and GDAL does not "
                                       "tell the locations of arrays with absent blocks");
        if (is_first) source.info = CPLStringList(CSLDuplicate(info.papszInfo));
        if (AreEqual(source.info.List(), info.papszInfo)) return {};
        return Status::Unsupported("block " + TextOf(block) +
                                   " is encoded in another way than the blocks before it");
    }

    RawBlockSource& made_;
    std::map<std::string, std::shared_ptr<GDALDimension>> dimensions_;  // by path
};

Result<std::unique_ptr<RawBlockSource>> RawBlockSource::Open(GDALDataset& source) {
    std::unique_ptr<RawBlockSource> made(new RawBlockSource());
    ZARR_RETURN_IF_ERROR(Builder(*made).Build(source));
    ZARR_RETURN_IF_ERROR(made->Verify());
    return made;
}

// Decodes some blocks of each array from the locations that GDAL states. Fails if the values differ
// from those that GDAL reads.
Status RawBlockSource::Verify() const {
    constexpr std::uint64_t kSamples = 32;
    ZARR_ASSIGN_OR_RETURN(OpenOptions options, OpenOptions::Parse(nullptr));
    OpenNode open_node;
    open_node.address = StoreAddress(kPath);
    open_node.kind = zarr::NodeKind::kGroup;
    open_node.hierarchy = hierarchy_;
    const auto session = std::make_shared<MdimSession>(std::move(open_node), std::move(options));
    for (const auto& [path, source] : arrays_) {
        ZARR_ASSIGN_OR_RETURN(const std::shared_ptr<GDALMDArray> own, session->OpenArray(path));
        const std::uint64_t count = CountOf(source.counts);
        const std::uint64_t samples = std::min(count, kSamples);
        for (std::uint64_t i = 0; i < samples; ++i) {
            const std::uint64_t number = samples > 1 ? i * (count - 1) / (samples - 1) : 0;
            const Block block = BlockAt(source.counts, number);
            const auto read = [&](const GDALMDArray& array) {
                return ReadBlock(array, source.blocks, block, source.array->GetDataType())
                    .WithContext("/" + path);
            };
            ZARR_ASSIGN_OR_RETURN(const std::string expected, read(*source.array));
            ZARR_ASSIGN_OR_RETURN(const std::string found, read(*own));
            if (found != expected)
                return Status::Unsupported(
                    "/" + path + ": block " + TextOf(block) +
                    " has other values at the location that GDAL tells than in the dataset");
        }
    }
    return {};
}

Result<Reference> RawBlockSource::Find(const std::string& key) const {
    const auto found = arrays_.find(std::string(zarr::ParentPath(key)));
    if (found == arrays_.end()) {
        // The array of this key is not in the source. This driver has written it, for example as a
        // grid mapping, and its values are in memory.
        zarr::Buffer value;
        ZARR_ASSIGN_OR_RETURN(const bool exists,
                              hierarchy_->store()->Get(key, value, zarr::kNoLimit));
        return exists ? Reference::Inline(std::string(std::as_const(value).span().text()))
                      : Reference::Absent();
    }
    const Source& source = found->second;
    const auto index = zarr::ParseChunkName(zarr::LastName(key), source.blocks.size(), '.');
    if (!index) return Reference::Absent();
    const Block block(index->begin(), index->end());
    if (block.empty()) {
        ZARR_ASSIGN_OR_RETURN(std::string value, ReadBlock(*source.array, source.blocks, block,
                                                           source.array->GetDataType())
                                                     .WithContext(key));
        return Reference::Inline(std::move(value));
    }
    GDALMDArrayRawBlockInfo info;
    if (!FindLocation(*source.array, block, info))
        return Status::Io(key + ": GDAL does not tell where the block is stored");
    const auto size = static_cast<std::uint64_t>(info.nSize);
    if (info.pabyInlineData != nullptr)
        return Reference::Inline(std::string(reinterpret_cast<const char*>(info.pabyInlineData),
                                             static_cast<std::size_t>(size)));
    ZARR_ASSIGN_OR_RETURN(std::string location,
                          ReferenceLocation(StorePath(info.pszFilename)).WithContext(key));
    return Reference::Target(std::move(location), info.nOffset, size);
}

}  // namespace zarr_driver

#endif
