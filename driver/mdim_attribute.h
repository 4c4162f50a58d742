// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <memory>
#include <string>
#include <vector>

#include "core/json/value.h"

namespace zarr_driver {

// An attribute of a group or an array, by the type of its JSON value: numbers as Int32, Int64,
// UInt64 or Float64, whichever comes first that holds them all exactly; strings; arrays of either
// with one dimension; everything else as JSON text of the subtype GEDTST_JSON.
class ZarrAttribute final : public GDALAttribute {
  public:
    static std::shared_ptr<GDALAttribute> Make(const std::string& parent, const std::string& name,
                                               const zarr::json::Value& value);

    const std::vector<std::shared_ptr<GDALDimension>>& GetDimensions() const override {
        return dimensions_;
    }
    const GDALExtendedDataType& GetDataType() const override { return type_; }

  protected:
    bool IRead(const GUInt64* arrayStartIdx, const size_t* count, const GInt64* arrayStep,
               const GPtrDiff_t* bufferStride, const GDALExtendedDataType& bufferDataType,
               void* pDstBuffer) const override;

  private:
    ZarrAttribute(const std::string& parent, const std::string& name,
                  const GDALExtendedDataType& type);
    void SetNumbers(const std::vector<const zarr::json::Value*>& items);
    void SetStrings(const std::vector<const zarr::json::Value*>& items);

    GDALExtendedDataType type_;
    std::vector<std::shared_ptr<GDALDimension>> dimensions_;
    std::vector<std::string> strings_;
    std::vector<std::uint8_t> elements_;  // of type_; pointers into strings_ for strings
};

// The attributes of a JSON object, without those that `is_hidden` is true of.
template <class Predicate>
std::vector<std::shared_ptr<GDALAttribute>> MakeAttributes(const std::string& parent,
                                                           const zarr::json::Value& attributes,
                                                           const Predicate& is_hidden) {
    std::vector<std::shared_ptr<GDALAttribute>> list;
    const zarr::json::Object* members = attributes.as_object();
    if (members == nullptr) return list;
    for (const auto& [name, value] : *members)
        if (!is_hidden(name)) list.push_back(ZarrAttribute::Make(parent, name, value));
    return list;
}

}  // namespace zarr_driver
