// SPDX-License-Identifier: MIT
// Stores, which map keys to values (Zarr v2 specification, "Storage"; Zarr v3 specification,
// "Stores"). Values are metadata documents and chunks. A key is a relative path such as
// "group/array/0.0".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "zarr_core/export.h"
#include "zarr_core/status.h"

namespace zarr_core {

// Selects the bytes of a value that ReadPart() returns.
struct ValuePart {
    enum class Kind : std::uint8_t {
        kWhole,  // all bytes
        kRange,  // `length` bytes from `offset` on; fewer if the value ends before
        kTail,   // the last `length` bytes; all of them if the value has fewer
    };
    Kind kind = Kind::kWhole;
    std::uint64_t offset = 0;  // position of the first byte; used by kRange only
    std::uint64_t length = 0;  // number of bytes; for kWhole, the maximum that the caller accepts
};

// Result of KeyValueStore::ReadPart(), which reads a part of a value.
struct PartOfValue {
    std::string bytes;             // the requested part of the value
    std::uint64_t value_size = 0;  // size of the whole value in bytes; not needed for kRange
};

// A key or prefix directly below another prefix.
struct StoreEntry {
    std::string name;        // name without the parent prefix and without '/'
    bool is_prefix = false;  // true: keys "PREFIX/NAME/..." exist; false: the key itself exists
};

// A store that a program implements, for example for a database or an object store. The library
// calls its methods from several threads at once. A method that throws counts as failed with kIo.
class ZARR_CORE_EXPORT KeyValueStore {
  public:
    KeyValueStore() = default;
    KeyValueStore(const KeyValueStore&) = delete;
    KeyValueStore& operator=(const KeyValueStore&) = delete;
    virtual ~KeyValueStore();

    // Returns the name of the store for error messages, such as its URL.
    virtual std::string name() const = 0;

    // Returns the whole value of `key`. Returns nullopt, not an error, if the key is absent.
    virtual Result<std::optional<std::string>> Read(const std::string& key) const = 0;
    // Returns a part of the value of `key`; nullopt if the key is absent. The default
    // implementation reads the whole value. Override this method if arrays have shards, because
    // shards are read in parts.
    virtual Result<std::optional<PartOfValue>> ReadPart(const std::string& key,
                                                        const ValuePart& part) const;
    // Returns the direct children of `prefix` in any order; empty if nothing is below `prefix`.
    // `prefix` is "" for the root, and has no '/' at its end. The default implementation fails with
    // kUnsupported. In that case, Hierarchy::Members() requires consolidated metadata.
    virtual Result<std::vector<StoreEntry>> List(const std::string& prefix) const;

    // True if Write() and Erase() are implemented; false by default.
    virtual bool is_writable() const;
    // Replaces the value of `key`. A concurrent reader must get either the old or the new value.
    // The default implementation fails with kUnsupported.
    virtual Status Write(const std::string& key, std::string_view value);
    // Removes `key`; an absent key is not an error. The default implementation fails with
    // kUnsupported.
    virtual Status Erase(const std::string& key);

    // True if a read needs a network round trip; false by default. If true, up to 32 reads run at a
    // time, and nearby ranges of one value are read together.
    virtual bool is_remote() const;
};

// An open store. Copies refer to the same store. The store is closed when its last copy and all its
// Hierarchies and Arrays are destroyed. Thread-safe. A moved-from Store may only be assigned to or
// destroyed.
class ZARR_CORE_EXPORT Store {
  public:
    // Opens a local folder with one file per key for reading and writing. `path` is in UTF-8,
    // absolute or relative to the current folder. kNotFound if the folder does not exist.
    static Result<Store> OpenFolder(const std::string& path) noexcept;
    // Opens a local folder for reading and writing; creates the folder and its parents if they are
    // absent.
    static Result<Store> CreateFolder(const std::string& path) noexcept;
    // Opens a local zip file for reading. `inner` is the store's folder inside of the zip file.
    // Without `inner`, the store is the root of the zip file, or its only folder. kNotFound if the
    // file does not exist; kCorrupt if the file is not a zip file.
    static Result<Store> OpenZip(const std::string& path,
                                 const std::optional<std::string>& inner = {}) noexcept;
    // Creates an empty store in memory for reading and writing.
    static Result<Store> InMemory() noexcept;
    // Returns a Store that uses `store`, which the program implements; `store` must not be nullptr.
    static Result<Store> Wrap(std::shared_ptr<KeyValueStore> store) noexcept;

    // Returns the path or name of the store for error messages.
    Result<std::string> name() const noexcept;

    struct Impl;  // private to the library
    explicit Store(std::shared_ptr<const Impl> impl) noexcept;
    const Impl& impl() const noexcept { return *impl_; }

  private:
    std::shared_ptr<const Impl> impl_;
};

}  // namespace zarr_core
