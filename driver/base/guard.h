// SPDX-License-Identifier: MIT
#pragma once

#include <gdal.h>

#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "driver/base/report.h"

namespace zarr_driver {

// What a call that failed returns, where nothing else is said: CE_Failure, nullptr, false, 0, or
// an empty container.
template <class Value>
Value FailedValue() {
    if constexpr (std::is_same_v<Value, CPLErr>)
        return CE_Failure;
    else
        return Value();
}

// The border to GDAL: runs what GDAL has called. What is thrown in it, as where memory runs out, is
// one error about the store and `failed`. GDAL is not made for exceptions, and the host not for its
// end. Each method that GDAL calls, and each function that the driver registers, goes through it;
// autotest/house holds the code to that.
template <class Work>
auto Guarded(const char* store, Work&& work, std::invoke_result_t<Work&> failed) noexcept
    -> std::invoke_result_t<Work&> {
    try {
        return work();
    } catch (const std::exception& thrown) {
        EmitThrown(store, &thrown);
    } catch (...) {
        EmitThrown(store, nullptr);
    }
    return failed;
}

template <class Work>
auto Guarded(const char* store, Work&& work) noexcept -> std::invoke_result_t<Work&> {
    using Value = std::invoke_result_t<Work&>;
    if constexpr (std::is_void_v<Value>) {
        try {
            work();
        } catch (const std::exception& thrown) {
            EmitThrown(store, &thrown);
        } catch (...) {
            EmitThrown(store, nullptr);
        }
    } else {
        return Guarded(store, std::forward<Work>(work), FailedValue<Value>());
    }
}

template <class Work, class... Failed>
auto Guarded(const std::string& store, Work&& work, Failed&&... failed) noexcept {
    return Guarded(store.c_str(), std::forward<Work>(work), std::forward<Failed>(failed)...);
}

}  // namespace zarr_driver
