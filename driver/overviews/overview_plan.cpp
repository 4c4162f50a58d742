// SPDX-License-Identifier: MIT
#include "driver/overviews/overview_plan.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <algorithm>
#include <iterator>

namespace zarr_driver {

using zarr::Result;

namespace {

// Size in pixels of the smallest overview. gdaladdo stops at this size, too.
constexpr int kSmallestSide = 256;
constexpr int kLargestFactor = 1 << 20;

}  // namespace

bool IsOverviewResampling(const std::string& method) {
    static constexpr const char* kStarts[] = {"NEAR", "AVER", "GAUSS", "MODE", "RMS"};
    static constexpr const char* kNames[] = {"NONE", "CUBIC", "CUBICSPLINE", "LANCZOS", "BILINEAR"};
    // GDAL accepts any method name that starts with one of the texts in kStarts.
    return std::any_of(std::begin(kStarts), std::end(kStarts),
                       [&](const char* start) { return STARTS_WITH_CI(method.c_str(), start); }) ||
           std::any_of(std::begin(kNames), std::end(kNames),
                       [&](const char* name) { return EQUAL(method.c_str(), name); });
}

std::string GdalResampling(const std::string& method) {
    std::string name = CPLString(method).toupper();
    name.erase(std::remove(name.begin(), name.end(), '_'), name.end());
    return IsOverviewResampling(name) && name != "NONE" ? name : std::string();
}

Result<std::string> ReadResampling(const GivenOption& given) {
    if (IsOverviewResampling(given.text)) return std::string(given.text);
    return given.Refuse("a method such as NEAREST, AVERAGE or CUBIC");
}

Result<OverviewPlan> ReadOverviews(const GivenOption& given) {
    OverviewPlan plan;
    // Overviews are always computed from the pixels, so the other values of GDAL's COG driver mean
    // AUTO.
    plan.is_automatic = EQUAL(given.text, "AUTO") || EQUAL(given.text, "IGNORE_EXISTING") ||
                        EQUAL(given.text, "FORCE_USE_EXISTING");
    if (EQUAL(given.text, "NONE") || plan.is_automatic) return plan;
    const CPLStringList words(CSLTokenizeString2(given.text, ", ", 0));
    for (int i = 0; i < words.size(); ++i) {
        const double factor = CPLAtof(words[i]);
        if (CPLGetValueType(words[i]) == CPL_VALUE_INTEGER && factor >= 2 &&
            factor <= kLargestFactor)
            plan.factors.push_back(static_cast<int>(factor));
    }
    if (words.empty() || plan.factors.size() != static_cast<std::size_t>(words.size()))
        return given.Refuse("NONE, AUTO or factors from 2 on with commas between");
    return plan;
}

std::vector<int> OverviewPlan::FactorsFor(int width, int height) const {
    if (!is_automatic) return factors;
    std::vector<int> halves;
    for (int factor = 1;
         Reduced(width, factor) > kSmallestSide || Reduced(height, factor) > kSmallestSide;) {
        factor *= 2;
        halves.push_back(factor);
    }
    return halves;
}

}  // namespace zarr_driver
