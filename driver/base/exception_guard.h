// SPDX-License-Identifier: MIT
#pragma once

#include <gdal.h>

#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "driver/base/gdal_errors.h"

namespace zarr_driver {

// Returns the value that tells GDAL of a failure: CE_Failure, nullptr, false, 0 or an empty
// container.
template <class Value>
Value FailedValue() {
    if constexpr (std::is_same_v<Value, CPLErr>)
        return CE_Failure;
    else
        return Value();
}

// Calls `work` and returns its result. If `work` throws, emits an error about `store` and returns
// `failed`, because GDAL cannot handle exceptions.
//
// Every function that GDAL calls must use Guarded(); a test in autotest/house checks this.
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
