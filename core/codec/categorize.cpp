// SPDX-License-Identifier: MIT
// categorize: strings as codes, i + 1 standing for labels[i] and any other code for the empty
// string (numcodecs.Categorize).
#include <algorithm>
#include <cstring>

#include "core/base/endian.h"
#include "core/base/text.h"
#include "core/codec/factories.h"
#include "core/codec/numeric.h"
#include "core/json/members.h"

namespace zarr {

namespace {

// The codes of one chunk: which label each item has.
class CodeReader {
  public:
    static Result<CodeReader> Make(const json::Value& config) {
        CodeReader reader;
        ZARR_ASSIGN_OR_RETURN(
            reader.astype_,
            OptionalNumberMember(config, "astype", MakeNumberType(DataKind::kUint, 1)));
        const DataKind kind = reader.astype_.kind;
        if (kind != DataKind::kInt && kind != DataKind::kUint && kind != DataKind::kBool)
            return Status::Unsupported("astype: codes of dtype " + reader.astype_.ToString());
        ZARR_ASSIGN_OR_RETURN(
            reader.conversion_,
            NumberConversion::Make(reader.astype_, MakeNumberType(DataKind::kUint, 8)));
        return reader;
    }

    std::size_t item_size() const { return astype_.size; }

    // Calls use(i, code) for each of the `count` codes at `src`.
    template <class Use>
    void ForEach(const std::uint8_t* src, std::size_t count, Use&& use) const {
        NumberBlock block;
        for (std::size_t begin = 0; begin < count; begin += kNumberBlock) {
            const std::size_t n = std::min(kNumberBlock, count - begin);
            conversion_.Run(src + begin * astype_.size, block.bytes, n);
            for (std::size_t i = 0; i < n; ++i)
                use(begin + i, LoadNative<std::uint64_t>(block.bytes + i * 8));
        }
    }

  private:
    DataType astype_;
    NumberConversion conversion_;
};

Result<std::vector<std::string>> LabelsMember(const json::Value& config) {
    ZARR_ASSIGN_OR_RETURN(const json::Value* member, json::Require(config, "labels"));
    const json::Array* items = member->as_array();
    if (items == nullptr) return json::Expected("labels", "an array of strings", *member);
    std::vector<std::string> labels;
    for (const json::Value& item : *items) {
        if (item.as_string() == nullptr)
            return json::Expected("labels[" + std::to_string(labels.size()) + "]", "a string",
                                  item);
        labels.push_back(*item.as_string());
    }
    return labels;
}

Result<DataType> TextTypeMember(const json::Value& config) {
    ZARR_ASSIGN_OR_RETURN(const json::Value* member, json::Require(config, "dtype"));
    if (member->as_string() == nullptr) return json::Expected("dtype", "a typestr", *member);
    auto type = ParseTypestr(*member->as_string());
    if (!type.ok()) return Status::Corrupt(type.status().message()).WithContext("dtype");
    if (type->kind != DataKind::kUnicode && type->kind != DataKind::kObject)
        return json::Expected("dtype", "a U or O type", *member);
    return type;
}

// Elements of fixed size: each label is kept as the bytes of one, cut to its length as NumPy does.
class Categorize final : public Codec {
  public:
    static CodecResult Make(const json::Value& config) {
        auto codec = std::make_unique<Categorize>();
        ZARR_ASSIGN_OR_RETURN(codec->dtype_, TextTypeMember(config));
        if (codec->dtype_.kind == DataKind::kObject)
            return Status::Corrupt("dtype: |O needs an array of dtype |O");
        ZARR_ASSIGN_OR_RETURN(codec->codes_, CodeReader::Make(config));
        ZARR_ASSIGN_OR_RETURN(const std::vector<std::string> labels, LabelsMember(config));
        for (const std::string& label : labels)
            ZARR_RETURN_IF_ERROR(codec->AddLabel(label).WithContext("labels"));
        return std::unique_ptr<Codec>(std::move(codec));
    }

    SizeBound EncodedSize(SizeBound decoded) const override {
        return EncodedItems(decoded, dtype_.size, codes_.item_size());
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        ZARR_ASSIGN_OR_RETURN(const ItemRun run,
                              PrepareItems(encoded, codes_.item_size(), dtype_.size, decoded));
        codes_.ForEach(run.src, run.count, [&](std::size_t i, std::uint64_t code) {
            std::uint8_t* element = run.dst + i * dtype_.size;
            if (code >= 1 && code <= label_count_)
                std::memcpy(element, &elements_[(static_cast<std::size_t>(code) - 1) * dtype_.size],
                            dtype_.size);
            else
                std::memset(element, 0, dtype_.size);
        });
        return {};
    }

  private:
    Status AddLabel(const std::string& label) {
        ZARR_ASSIGN_OR_RETURN(const std::u32string units, Utf8ToUcs4(label));
        std::vector<std::uint8_t> element(dtype_.size);
        for (std::size_t i = 0; i < units.size() && i < dtype_.size / 4; ++i)
            StoreNative(&element[i * 4], static_cast<std::uint32_t>(units[i]));
        SwapElements(dtype_, element.data(), 1);
        elements_.insert(elements_.end(), element.begin(), element.end());
        ++label_count_;
        return {};
    }

    DataType dtype_;
    CodeReader codes_;
    std::vector<std::uint8_t> elements_;  // of the labels, as stored
    std::size_t label_count_ = 0;
};

// Objects: a chunk's heap holds every label once.
class CategorizeObjects final : public ObjectCodec {
  public:
    static ObjectCodecResult Make(const json::Value& config) {
        auto codec = std::make_unique<CategorizeObjects>();
        ZARR_ASSIGN_OR_RETURN(const DataType dtype, TextTypeMember(config));
        if (dtype.kind != DataKind::kObject)
            return Status::Corrupt("dtype: expected |O for an array of dtype |O, got " +
                                   dtype.ToString());
        ZARR_ASSIGN_OR_RETURN(codec->codes_, CodeReader::Make(config));
        ZARR_ASSIGN_OR_RETURN(const std::vector<std::string> labels, LabelsMember(config));
        for (const std::string& label : labels) {
            codec->text_ += label;
            codec->ends_.push_back(codec->text_.size());
        }
        return std::unique_ptr<ObjectCodec>(std::move(codec));
    }

    Status DecodeObjects(ByteSpan encoded, std::size_t count, ObjectChunk& chunk) const override {
        const std::size_t size = codes_.item_size();
        if (encoded.size % size != 0 || encoded.size / size != count)
            return Status::Corrupt("holds " + std::to_string(encoded.size) + " bytes instead of " +
                                   std::to_string(count) + " codes of " + std::to_string(size));
        ZARR_RETURN_IF_ERROR(chunk.refs.Reset(SaturatingMul(count, sizeof(ObjectRef))));
        ZARR_RETURN_IF_ERROR(chunk.heap.Assign(ByteSpan(std::string_view(text_))));
        chunk.count = count;
        const auto* text = reinterpret_cast<const char*>(chunk.heap.data());
        codes_.ForEach(encoded.data, count, [&](std::size_t i, std::uint64_t code) {
            ObjectRef ref;
            if (code >= 1 && code <= ends_.size()) {
                const auto label = static_cast<std::size_t>(code) - 1;
                const std::size_t begin = label == 0 ? 0 : ends_[label - 1];
                ref = {text + begin, ends_[label] - begin};
            }
            StoreNative(chunk.refs.data() + i * sizeof ref, ref);
        });
        return {};
    }

  private:
    CodeReader codes_;
    std::string text_;               // all labels
    std::vector<std::size_t> ends_;  // of each label in text_
};

}  // namespace

CodecResult MakeCategorize(const json::Value& config, const CodecContext& /*context*/) {
    return Categorize::Make(config);
}

ObjectCodecResult MakeCategorizeObjects(const json::Value& config,
                                        const CodecContext& /*context*/) {
    return CategorizeObjects::Make(config);
}

}  // namespace zarr
