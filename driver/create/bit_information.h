// SPDX-License-Identifier: MIT
// Finds how many mantissa bits of real numbers carry information. Method: Klöwer et al. 2021,
// "Compressing atmospheric data into its real information content", doi:10.1038/s43588-021-00156-2,
// as in the Python package xbitinfo.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/dtype/data_type.h"
#include "driver/create/encoding_choice.h"

namespace zarr_driver {

// Returns the number of mantissa bits, at least 1, that hold 99 % of the information of `samples`.
// A bit's information is its mutual information in neighbouring elements of a row. Pairs with an
// element that is not finite, or that is a nodata value, are not counted.
//
// `columns` is the length of a row in elements. Returns nullopt if `dtype` is neither float32 nor
// float64, or if no pair is counted.
std::optional<int> InformativeBits(const ChunkSamples& samples, const zarr::DataType& dtype,
                                   std::uint64_t columns, const std::vector<double>& nodata);

// Returns the least number of mantissa bits that keeps `value` unchanged when it is rounded; 0 for
// NaN and infinities.
int BitsOf(double value, const zarr::DataType& dtype);

// Returns the number of bits of the mantissa of `dtype`; 0 if `dtype` is neither float32 nor
// float64.
int MantissaBits(const zarr::DataType& dtype);

}  // namespace zarr_driver
