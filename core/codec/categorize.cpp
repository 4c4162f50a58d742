// SPDX-License-Identifier: MIT
// numcodecs' "categorize": replaces each item, which must be one of a list of labels, by an integer
// code.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <unordered_map>

#include "core/base/endian.h"
#include "core/base/text.h"
#include "core/codec/factories.h"
#include "core/codec/numpy_numbers.h"
#include "core/json/value.h"

namespace zarr {

namespace {

// Encodes and decodes the integer codes of a chunk. A code is the index of the item's label plus 1;
// 0 if no label equals the item.
class Codes {
  public:
    static Result<Codes> Make(const json::Value& config) {
        Codes reader;
        ZARR_ASSIGN_OR_RETURN(
            reader.astype_,
            OptionalNumberMember(config, "astype", MakeNumberType(DataKind::kUint, 1)));
        const DataKind kind = reader.astype_.kind;
        if (kind != DataKind::kInt && kind != DataKind::kUint && kind != DataKind::kBool)
            return Status::Unsupported("astype: expected a dtype of integers or bool, got " +
                                       reader.astype_.ToString());
        ZARR_ASSIGN_OR_RETURN(
            reader.conversion_,
            NumberConversion::Make(reader.astype_, MakeNumberType(DataKind::kUint, 8)));
        ZARR_ASSIGN_OR_RETURN(
            reader.to_stored_,
            NumberConversion::Make(MakeNumberType(DataKind::kUint, 8), reader.astype_));
        return reader;
    }

    std::size_t item_size() const { return astype_.size; }
    const DataType& type() const { return astype_; }

    // Returns an error if the code type cannot represent `labels` different codes. In NumPy the
    // codes would overflow, and several labels would have one code.
    Status CheckCount(std::size_t labels) const {
        const unsigned bits = astype_.kind == DataKind::kBool
                                  ? 1
                                  : static_cast<unsigned>(astype_.size * 8) -
                                        (astype_.kind == DataKind::kInt ? 1 : 0);
        if (bits >= 64 || labels >> bits == 0) return {};
        return Status::Invalid("labels: " + std::to_string(labels) +
                               " labels exceed the range of astype " + astype_.ToString());
    }

    // Writes the code `code_of(i)` of each item i < `count` to `dst`.
    template <class CodeOf>
    void Write(std::uint8_t* dst, std::size_t count, CodeOf&& code_of) const {
        NumberBlock block;
        for (std::size_t begin = 0; begin < count; begin += kNumberBlock) {
            const std::size_t n = std::min(kNumberBlock, count - begin);
            for (std::size_t i = 0; i < n; ++i)
                StoreNative<std::uint64_t>(block.bytes + i * 8, code_of(begin + i));
            to_stored_.Run(block.bytes, dst + begin * astype_.size, n);
        }
    }

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
    NumberConversion to_stored_;
};

// Maps the bytes of a label to its code. The bytes of the labels must outlive this object.
class CodeTable {
  public:
    // If a label occurs twice in the list, the index of its last occurrence applies, as in NumPy
    // assignments.
    void Add(std::string_view label, std::size_t index) { codes_[label] = index + 1; }

    // Returns the code of `label`; 0 if `label` is unknown.
    std::uint64_t Find(std::string_view label) const {
        const auto found = codes_.find(label);
        return found != codes_.end() ? found->second : 0;
    }

  private:
    std::unordered_map<std::string_view, std::uint64_t> codes_;
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
    if (member->as_string() == nullptr)
        return json::Expected("dtype", "a dtype such as \"<U8\"", *member);
    auto type = ParseTypestr(*member->as_string());
    if (!type.ok()) return Status::Corrupt(type.status().message()).WithContext("dtype");
    if (type->kind != DataKind::kUnicode && type->kind != DataKind::kBytes &&
        type->kind != DataKind::kObject)
        return json::Expected("dtype", "a dtype of text (U, S or O)", *member);
    return type;
}

// The codec for elements of fixed size. Labels are stored as elements; longer labels are truncated,
// as NumPy does.
class Categorize final : public Codec {
  public:
    static CodecResult Make(const json::Value& config) {
        auto codec = std::make_unique<Categorize>();
        ZARR_ASSIGN_OR_RETURN(codec->dtype_, TextTypeMember(config));
        if (codec->dtype_.kind == DataKind::kObject)
            return Status::Corrupt("dtype: |O is allowed only for an array of dtype |O");
        ZARR_ASSIGN_OR_RETURN(codec->codes_, Codes::Make(config));
        ZARR_ASSIGN_OR_RETURN(const std::vector<std::string> labels, LabelsMember(config));
        for (const std::string& label : labels)
            ZARR_RETURN_IF_ERROR(codec->AddLabel(label).WithContext("labels"));
        codec->FillTable();
        return std::unique_ptr<Codec>(std::move(codec));
    }

    SizeBound EncodedSize(SizeBound decoded) const override {
        return EncodedItems(decoded, dtype_.size, codes_.item_size());
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        ZARR_ASSIGN_OR_RETURN(const ItemRun run,
                              PrepareItems(encoded, codes_.item_size(), dtype_.size, decoded));
        if (dtype_.size == 0) return {};  // empty elements have no bytes to copy
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

    Status CheckWritable(SizeBound decoded) const override {
        ZARR_RETURN_IF_ERROR(codes_.CheckCount(label_count_));
        return CheckWholeItems(decoded, dtype_.size);
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(CheckWritable({decoded.size, true}));
        ZARR_ASSIGN_OR_RETURN(const ItemRun run,
                              PrepareItems(decoded, dtype_.size, codes_.item_size(), encoded));
        const std::string_view items = decoded.text();
        codes_.Write(run.dst, run.count, [&](std::size_t i) {
            return table_.Find(items.substr(i * dtype_.size, dtype_.size));
        });
        return {};
    }

    DataType EncodedType() const override { return codes_.type(); }

  private:
    Status AddLabel(const std::string& label) {
        ZARR_ASSIGN_OR_RETURN(std::string element, BytesOf(label));
        const std::size_t last = element.find_last_not_of('\0');
        was_cut_.push_back(last != std::string::npos && last >= dtype_.size);
        element.resize(dtype_.size);
        SwapElements(dtype_, reinterpret_cast<std::uint8_t*>(element.data()), 1);
        elements_.insert(elements_.end(), element.begin(), element.end());
        ++label_count_;
        return {};
    }

    // Returns the bytes of `label` in the encoding of dtype_, before they are truncated to the
    // element size.
    Result<std::string> BytesOf(const std::string& label) const {
        if (dtype_.kind == DataKind::kBytes) return label;
        ZARR_ASSIGN_OR_RETURN(const std::u32string units, Utf8ToUcs4(label));
        std::string bytes(units.size() * sizeof(char32_t), '\0');
        if (!bytes.empty()) std::memcpy(bytes.data(), units.data(), bytes.size());
        return bytes;
    }

    // Fills table_ with labels that point into elements_, which must be complete. A truncated label
    // gets no entry, because no item can equal the complete label.
    void FillTable() {
        const std::string_view elements = ByteSpan(elements_.data(), elements_.size()).text();
        for (std::size_t i = 0; i < label_count_; ++i)
            if (!was_cut_[i]) table_.Add(elements.substr(i * dtype_.size, dtype_.size), i);
    }

    DataType dtype_;
    Codes codes_;
    std::vector<std::uint8_t> elements_;  // labels as stored elements
    std::vector<bool> was_cut_;           // true if the label is longer than an element
    std::size_t label_count_ = 0;
    CodeTable table_;  // its labels point into elements_
};

// The codec for variable-length objects. ObjectChunk::heap of a decoded chunk holds each label
// once.
class CategorizeObjects final : public ObjectCodec {
  public:
    static ObjectCodecResult Make(const json::Value& config) {
        auto codec = std::make_unique<CategorizeObjects>();
        ZARR_ASSIGN_OR_RETURN(const DataType dtype, TextTypeMember(config));
        if (dtype.kind != DataKind::kObject)
            return Status::Corrupt("dtype: expected |O for an array of dtype |O, got " +
                                   dtype.ToString());
        ZARR_ASSIGN_OR_RETURN(codec->codes_, Codes::Make(config));
        ZARR_ASSIGN_OR_RETURN(const std::vector<std::string> labels, LabelsMember(config));
        for (const std::string& label : labels) {
            codec->text_ += label;
            codec->ends_.push_back(codec->text_.size());
        }
        std::size_t begin = 0;
        for (std::size_t i = 0; i < codec->ends_.size(); begin = codec->ends_[i++])
            codec->table_.Add(std::string_view(codec->text_).substr(begin, codec->ends_[i] - begin),
                              i);
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

    Status CheckWritable() const override { return codes_.CheckCount(ends_.size()); }

    Status EncodeObjects(const ObjectRef* objects, std::size_t count,
                         Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(CheckWritable());
        ZARR_RETURN_IF_ERROR(encoded.Reset(SaturatingMul(count, codes_.item_size())));
        codes_.Write(encoded.data(), count, [&](std::size_t i) {
            return table_.Find({objects[i].data, objects[i].size});
        });
        return {};
    }

    DataType EncodedType() const override { return codes_.type(); }

  private:
    Codes codes_;
    std::string text_;               // all labels, joined
    std::vector<std::size_t> ends_;  // end of each label in text_
    CodeTable table_;                // its labels point into text_
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
