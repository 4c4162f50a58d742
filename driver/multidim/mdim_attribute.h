// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/grid/copy.h"
#include "core/json/value.h"
#include "driver/base/gdal_compat.h"

namespace zarr_driver {

class MdimSession;

// An attribute of a group or an array. For an attribute in the store, the JSON value determines the
// type. Numbers have the first of the types Int32, Int64, UInt64 and Float64 that represents all of
// them exactly. A list of numbers or strings has one dimension. Any other value is JSON text
// (GEDTST_JSON).
//
// An attribute that a caller has created keeps the type and dimensions that the caller chose. In
// the store, several dimensions are nested lists, complex numbers are lists of two, and compounds
// are JSON objects. Text of GEDTST_JSON is stored as the JSON value itself.
class ZarrAttribute final : public GDALAttribute {
  public:
    // Creates an attribute object from a stored value. Numbers get the type `stated` if that type
    // can represent them.
    static std::shared_ptr<ZarrAttribute> Make(const std::string& parent, const std::string& name,
                                               const zarr::json::Value& value,
                                               GDALDataType stated = GDT_Unknown);
    // Creates an object for an attribute that is not in the store yet. Its elements are zeros or
    // empty strings until the caller writes values.
    static zarr::Result<std::shared_ptr<ZarrAttribute>> Create(
        const std::string& parent, const std::string& name, const std::vector<GUInt64>& dimensions,
        const GDALExtendedDataType& type);
    ~ZarrAttribute() override;
    ZarrAttribute(const ZarrAttribute&) = delete;
    ZarrAttribute& operator=(const ZarrAttribute&) = delete;

    const std::vector<std::shared_ptr<GDALDimension>>& GetDimensions() const noexcept override {
        return dimensions_;
    }
    const GDALExtendedDataType& GetDataType() const noexcept override { return type_; }

    // Methods that change the attribute.

    // Sets the node to which the attribute belongs. If `session` is open for update, the attribute
    // becomes writable.
    void Attach(std::shared_ptr<MdimSession> session, const std::string& path);
    bool Rename(const std::string& osNewName) ZARR_OVERRIDE_3_8;
    // Stores the initial value of a new attribute: zeros, empty texts, or null for JSON text.
    zarr::Status StoreEmpty();
    // Returns the path of the node to which the attribute belongs.
    const std::string& path() const { return path_; }
    bool is_deleted() const { return is_deleted_; }
    // The session calls these methods when the attribute or its node was deleted or moved.
    void Deleted() noexcept ZARR_OVERRIDE_3_8 { is_deleted_ = true; }
    void Moved(const std::string& from, const std::string& to);

  protected:
    bool IRead(const GUInt64* arrayStartIdx, const size_t* count, const GInt64* arrayStep,
               const GPtrDiff_t* bufferStride, const GDALExtendedDataType& bufferDataType,
               void* pDstBuffer) const override;
    bool IWrite(const GUInt64* arrayStartIdx, const size_t* count, const GInt64* arrayStep,
                const GPtrDiff_t* bufferStride, const GDALExtendedDataType& bufferDataType,
                const void* pSrcBuffer) override;

  private:
    // Returns the path of the store, for use in messages.
    const char* store_path() const;
    struct Window {  // part of the elements to read or write
        zarr::DimVector<std::uint64_t> count;
        std::ptrdiff_t first = 0;  // offset of the first element, in bytes
        zarr::Strides own;
        zarr::Strides buffer;
    };

    ZarrAttribute(const std::string& parent, const std::string& name,
                  const GDALExtendedDataType& type);
    void SetNumbers(const std::vector<const zarr::json::Value*>& items);
    void Retype(GDALDataType stated);
    void SetStrings(const std::vector<const zarr::json::Value*>& items);
    Window WindowOf(const GUInt64* start, const size_t* count, const GInt64* step,
                    const GPtrDiff_t* stride, const GDALExtendedDataType& buffer_type) const;
    zarr::Status CheckThere() const;
    zarr::Status Store(const Window& window, const GDALExtendedDataType& buffer_type,
                       const std::uint8_t* data);
    zarr::Result<zarr::json::Value> ToJson(std::size_t dimension, const std::uint8_t*& next) const;
    zarr::Status ChangeName(const std::string& new_name);

    GDALExtendedDataType type_;
    std::vector<std::shared_ptr<GDALDimension>> dimensions_;
    std::vector<std::uint8_t> elements_;  // elements of type_; this object owns their strings
    std::shared_ptr<MdimSession> session_;
    std::string path_;
    bool is_deleted_ = false;
};

// Text between the full name of a group and the name of its attribute. GDAL's other drivers use
// this text, too.
inline constexpr const char* kGlobalAttributes = "/_GLOBAL_";

// Returns the attributes of the node at `path`, whose full name in GDAL's API is `parent`.
// `attributes` is the JSON object that holds them. Attributes for which `is_hidden` returns true
// are left out.
//
// In update mode, an attribute that a caller still holds is returned as the same object. New
// attributes whose value is not stored yet come last.
std::vector<std::shared_ptr<GDALAttribute>> ListAttributes(
    const std::shared_ptr<MdimSession>& session, const std::string& path, const std::string& parent,
    const zarr::json::Value& attributes, const std::function<bool(std::string_view)>& is_hidden);

// Creates an attribute of the node at `path`, and stores zeros, empty strings or null as its value.
// `has_meaning` is true for an attribute such as scale_factor, which changes how the node is
// interpreted. Such an attribute is stored when a value is written, unless it has no elements.
zarr::Result<std::shared_ptr<GDALAttribute>> CreateNodeAttribute(
    const std::shared_ptr<MdimSession>& session, const std::string& path, const std::string& parent,
    const std::string& name, const std::vector<GUInt64>& dimensions,
    const GDALExtendedDataType& type, bool has_meaning);

zarr::Status DeleteNodeAttribute(MdimSession& session, const std::string& path,
                                 const std::string& name);

}  // namespace zarr_driver
