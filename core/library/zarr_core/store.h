// SPDX-License-Identifier: MIT
// Stores: values by key, as Zarr keeps its metadata and chunks (Zarr v2 specification, "Storage";
// Zarr v3 specification, "Stores"). A key is a relative path such as "group/array/0.0".
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

// The bytes of a value that a read asks for.
struct ValuePart {
    enum class Kind : std::uint8_t {
        kWhole,  // all bytes
        kRange,  // `length` bytes from `offset` on; fewer if the value ends before
        kTail,   // the last `length` bytes; all of them if the value has fewer
    };
    Kind kind = Kind::kWhole;
    std::uint64_t offset = 0;  // bytes; only of kRange
    std::uint64_t length = 0;  // bytes; of kWhole the most that the caller accepts
};

// Result of KeyValueStore::ReadPart().
struct PartOfValue {
    std::string bytes;             // of the part
    std::uint64_t value_size = 0;  // bytes of the whole value; not needed for ValuePart::kRange
};

// A direct child of a prefix.
struct StoreEntry {
    std::string name;        // without the prefix and without '/'
    bool is_prefix = false;  // true: keys "PREFIX/NAME/..." exist; false: the key itself exists
};

// A store that a program implements, such as a database or an object store. The library calls its
// methods from several threads at once. A method that throws counts as one that failed with kIo.
class ZARR_CORE_EXPORT KeyValueStore {
  public:
    KeyValueStore() = default;
    KeyValueStore(const KeyValueStore&) = delete;
    KeyValueStore& operator=(const KeyValueStore&) = delete;
    virtual ~KeyValueStore();

    // Returns the name of the store for messages, such as its URL.
    virtual std::string name() const = 0;

    // Returns the whole value of a key; nullopt, and no error, if the key is absent.
    virtual Result<std::optional<std::string>> Read(const std::string& key) const = 0;
    // Returns a part of a value; nullopt if the key is absent. The default reads the whole value
    // and cuts it. Implement it if the array has shards, which are read in parts.
    virtual Result<std::optional<PartOfValue>> ReadPart(const std::string& key,
                                                        const ValuePart& part) const;
    // Returns the direct children of a prefix, in any order; none if there are none. `prefix` is ""
    // for the root, and has no '/' at its end. The default fails with kUnsupported: then
    // Hierarchy::Members() works only with consolidated metadata.
    virtual Result<std::vector<StoreEntry>> List(const std::string& prefix) const;

    // True if Write() and Erase() are implemented. The default is false.
    virtual bool is_writable() const;
    // Replaces the value of a key. A concurrent reader must see the old or the new value. The
    // default fails with kUnsupported.
    virtual Status Write(const std::string& key, std::string_view value);
    // Removes a key; an absent key is no error. The default fails with kUnsupported.
    virtual Status Erase(const std::string& key);

    // True if a read takes a round trip over a network. Then up to 32 reads run at a time, and near
    // ranges of one value are read together. The default is false.
    virtual bool is_remote() const;
};

// A store that was opened. Copies are the same store; it is closed with the last copy and the last
// Hierarchy and Array of it. Thread-safe. A moved-from Store may only be assigned to or destroyed.
class ZARR_CORE_EXPORT Store {
  public:
    // Opens a folder of this machine, one file per key, to read and write. `path` is in UTF-8,
    // absolute or relative to the current folder. kNotFound if there is no such folder.
    static Result<Store> OpenFolder(const std::string& path) noexcept;
    // Opens a folder, which is made if it is absent, and its parents with it.
    static Result<Store> CreateFolder(const std::string& path) noexcept;
    // Opens a zip file of this machine, to read only. `inner` is the folder in the zip file that
    // the store is in; without one the root of the zip file, or its only folder, is taken.
    // kNotFound if there is no such file, kCorrupt if it is not a zip file.
    static Result<Store> OpenZip(const std::string& path,
                                 const std::optional<std::string>& inner = {}) noexcept;
    // Makes an empty store in memory, to read and write.
    static Result<Store> InMemory() noexcept;
    // Uses a store of the program's own, which must not be nullptr.
    static Result<Store> Wrap(std::shared_ptr<KeyValueStore> store) noexcept;

    // Returns the path or name of the store, for messages.
    Result<std::string> name() const noexcept;

    struct Impl;  // private to the library
    explicit Store(std::shared_ptr<const Impl> impl) noexcept;
    const Impl& impl() const noexcept { return *impl_; }

  private:
    std::shared_ptr<const Impl> impl_;
};

}  // namespace zarr_core
