// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <memory>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/grid/copy.h"
#include "core/json/value.h"
#include "driver/base/gdal_compat.h"

namespace zarr_driver {

class SharedResource;

// An attribute of a group or an array, by the type of its JSON value: numbers as Int32, Int64,
// UInt64 or Float64, whichever comes first that holds them all exactly; strings; arrays of either
// with one dimension; everything else as JSON text of the subtype GEDTST_JSON. One that was created
// has the type that it was created with, while it is in use, and of any number of
// dimensions: JSON has lists of lists for it, lists of two for complex numbers, objects for
// compounds, and the value itself for text of GEDTST_JSON.
class ZarrAttribute final : public GDALAttribute {
  public:
    // Numbers have the type `stated` where that is one that holds them.
    static std::shared_ptr<ZarrAttribute> Make(const std::string& parent, const std::string& name,
                                               const zarr::json::Value& value,
                                               GDALDataType stated = GDT_Unknown);
    // One that is to be written, of zeros and empty strings.
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

    // Writing.

    // Lets the attribute of the node at `path` be written, where the session does.
    void Attach(std::shared_ptr<SharedResource> session, const std::string& path);
    bool Rename(const std::string& osNewName) ZARR_OVERRIDE_3_8;
    // Stores what an attribute is that was just created: zeros, empty texts, null where it is to be
    // JSON.
    zarr::Status StoreEmpty();
    // The path of its node.
    const std::string& path() const { return path_; }
    bool is_deleted() const { return is_deleted_; }
    // The session tells that the attribute or its node is gone, or lies elsewhere.
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
    // For messages.
    const char* store_path() const;
    struct Window {  // of the elements
        zarr::DimVector<std::uint64_t> count;
        std::ptrdiff_t first = 0;  // in bytes
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
    std::vector<std::uint8_t> elements_;  // of type_, whose strings are owned
    std::shared_ptr<SharedResource> session_;
    std::string path_;
    bool is_deleted_ = false;
};

// Between the full name of a group and the name of its attribute, as in GDAL's own drivers.
inline constexpr const char* kGlobalAttributes = "/_GLOBAL_";

// The attributes of the node at `path`, of the full name `parent`, from its JSON object, without
// those that `is_hidden` is true of. Where they may be changed, those in use are the
// ones that he holds, and those that were created and not written yet come last.
std::vector<std::shared_ptr<GDALAttribute>> ListAttributes(
    const std::shared_ptr<SharedResource>& session, const std::string& path,
    const std::string& parent, const zarr::json::Value& attributes,
    bool (*is_hidden)(std::string_view));

// Creates an attribute of a node. Until its value is written it is zero, empty or null in the
// store; nothing is stored of one with a meaning of its own for the node, unless it has no
// elements.
zarr::Result<std::shared_ptr<GDALAttribute>> CreateNodeAttribute(
    const std::shared_ptr<SharedResource>& session, const std::string& path,
    const std::string& parent, const std::string& name, const std::vector<GUInt64>& dimensions,
    const GDALExtendedDataType& type, bool has_meaning);

zarr::Status DeleteNodeAttribute(SharedResource& session, const std::string& path,
                                 const std::string& name);

}  // namespace zarr_driver
