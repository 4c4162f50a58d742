// SPDX-License-Identifier: MIT
// Private parts of the public classes. Converts errors and exceptions of the core to a public
// Status.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/array/array.h"
#include "core/array/array_writer.h"
#include "core/base/status.h"
#include "core/dtype/data_type.h"
#include "core/library/zarr_core/array.h"
#include "core/library/zarr_core/data_type.h"
#include "core/library/zarr_core/hierarchy.h"
#include "core/library/zarr_core/status.h"
#include "core/library/zarr_core/store.h"
#include "core/store/store.h"

namespace zarr_core {

// ToPublic() converts a type of the core to the public type.
Status ToPublic(const zarr::Status& status) noexcept;
template <class T>
Result<T> ToPublic(zarr::Result<T> result) {
    if (!result.ok()) return ToPublic(result.status());
    return result.Take();
}

// Converts an error of a program's KeyValueStore to a status of the core.
zarr::Status ToPrivate(const Status& status);

// Returns the error for an unexpected exception that `what` describes.
Status UnexpectedException(const char* what) noexcept;

// Calls `work`, which returns a zarr::Status or a zarr::Result, and returns its result as the
// public type. An exception becomes an error.
template <class Work>
auto Guarded(Work&& work) noexcept -> decltype(ToPublic(work())) {
    try {
        return ToPublic(work());
    } catch (const std::bad_alloc&) {
        return Status(StatusCode::kOutOfMemory, "out of memory");
    } catch (const std::exception& exception) {
        return UnexpectedException(exception.what());
    } catch (...) {
        return UnexpectedException("unknown exception");
    }
}

// Changes an error that reports damage (kCorrupt) to kInvalidArgument, because the caller passed
// the damaged text. `what` names the argument; empty if the error's message names it.
zarr::Status ToInvalidArgument(const zarr::Status& status, std::string_view what);

// Creates an object of the public class T with a new T::Impl, made from `arguments`.
template <class T, class... Arguments>
zarr::Result<T> WithImpl(Arguments&&... arguments) {
    return T(std::make_shared<typename T::Impl>(std::forward<Arguments>(arguments)...));
}

struct DataType::Impl {
    explicit Impl(zarr::DataType data_type) : type(std::move(data_type)) {}
    zarr::DataType type;
};

struct Store::Impl {
    explicit Impl(std::shared_ptr<zarr::Store> opened) : store(std::move(opened)) {}
    std::shared_ptr<zarr::Store> store;
};

struct Array::Impl {
    Impl(std::shared_ptr<const zarr::Array> opened, std::shared_ptr<zarr::Store> base)
        : array(std::move(opened)),
          store(std::move(base)),
          type(std::make_shared<const DataType::Impl>(array->metadata().dtype)) {}
    ~Impl();
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    // Returns the writer of the array; the first call opens it.
    zarr::Result<zarr::ArrayWriter*> Writer();
    // Returns kUnsupported if the array, its store or its codecs are read-only.
    zarr::Status CheckWritable() const;
    // Returns kNotFound if the array was deleted through its hierarchy.
    zarr::Status CheckExists() const;

    const std::shared_ptr<const zarr::Array> array;
    const std::shared_ptr<zarr::Store> store;
    const DataType type;
    std::size_t threads = 1;
    std::size_t pending_bytes = 0;
    std::vector<std::uint64_t> shard_shape;
    std::vector<std::string> dimension_names;
    std::string fill_value;
    std::string codecs;
    std::vector<std::string> warnings;
    std::atomic<bool> is_deleted{false};

  private:
    std::mutex mutex_;
    std::unique_ptr<zarr::ArrayWriter> writer_;
};

// Returns a store of the core that calls `store`, which the program implements.
std::shared_ptr<zarr::Store> MakeCallerStore(std::shared_ptr<KeyValueStore> store);

// Opens the store in a local zip file; see Store::OpenZip().
zarr::Result<std::shared_ptr<zarr::Store>> OpenLocalZip(const std::string& path,
                                                        const std::optional<std::string>& inner);

// Parses the name of an element type; see DataType::Parse().
zarr::Result<zarr::DataType> ParseTypeText(std::string_view text);

}  // namespace zarr_core
