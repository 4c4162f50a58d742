// SPDX-License-Identifier: MIT
// Interface of a Zarr store, which holds values by key. A key is a relative path such as
// "group/array/0.0".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/store/read_ranges.h"

namespace zarr {

// Child of a prefix in a listing of keys, named without the prefix. `is_prefix` is true if the
// child has keys below it, as a folder does.
struct StoreEntry {
    std::string name;
    bool is_prefix = false;
};

// Version of the value under a key. If two versions of a key differ, the value has changed in
// between. Thus a caller need not read the value to see a change.
struct ObjectVersion {
    bool is_certain = false;  // false: the value may have changed although the versions are equal
    bool exists = false;
    std::uint64_t size = 0;  // bytes
    // Modification time in nanoseconds since any fixed time, or a number such as a checksum that
    // changes with the value.
    std::int64_t modified = 0;
    // Distinguishes values of equal size and time. For a file, it is the inode number. For a
    // server, it counts the different values seen so far, and is 0 before the first request.
    std::uint64_t mark = 0;
};
// True if all fields of the versions are equal, ignoring `is_certain`.
bool EqualButForCertainty(const ObjectVersion& a, const ObjectVersion& b);
// True if the versions are equal and certain, which means that the value has not changed.
bool SameVersion(const ObjectVersion& a, const ObjectVersion& b);

struct ReadManyOptions : ReadRangesOptions {
    std::size_t limit = 0;  // maximum size of one value in bytes
};

// Location of a value in a store of references: bytes of another file (the target), or the bytes
// themselves.
struct ValueLocation {
    std::string target;        // path or URL of the file with the value; empty if `bytes` is set
    std::uint64_t offset = 0;  // position of the value in the target file, in bytes
    // Size of the value in bytes. nullopt: the value is the whole target file.
    std::optional<std::uint64_t> size;
    std::optional<std::string> bytes;  // the value itself, if the references contain it
};

// Returns where the values of a store of references are located. Thread-safe.
class ValueLocator {
  public:
    virtual ~ValueLocator() = default;
    // Returns the location of the value of `key`; nullopt if the key is absent. Does not read the
    // file at that location.
    virtual Result<std::optional<ValueLocation>> Locate(const std::string& key) const = 0;
};

// Properties of a store that decide how callers read from it.
struct StoreTraits {
    static constexpr ReadCost kLocalCost{std::uint64_t{64} << 10, std::uint64_t{4} << 20, 0, 0};

    bool remote = false;     // true: each read takes a network round trip
    bool packed = false;     // true: values are parts of one object, so GetMany() joins requests
    bool in_memory = false;  // true: reading values costs as little as asking for their versions
    bool caches_absence = false;  // true: callers should remember which keys are absent
    // Number of concurrent reads with which a remote store has its highest throughput.
    std::size_t concurrent_reads = 1;
    ReadCost request_cost = kLocalCost;
    // Locates the values of a store of references; otherwise nullptr. Valid as long as the store.
    const ValueLocator* locator = nullptr;
    // Options with which the store is read, such as credentials, as text. Arrays of stores with
    // equal Identity() and different `access` share pending writes, but not cached chunks.
    std::string access;
};

// Selects which bytes of a value Store::Read() reads.
class ValuePart {
  public:
    // Selects the whole value. If the value has more than `limit` bytes, reading fails with kLimit
    // before any byte is read.
    static ValuePart Whole(std::size_t limit) { return {Kind::kWhole, 0, limit}; }
    // Selects `length` bytes from `offset` on, or fewer if the value ends earlier.
    static ValuePart Range(std::uint64_t offset, std::size_t length) {
        return {Kind::kRange, offset, length};
    }
    // Selects the last `length` bytes of a value, or all bytes of a shorter value.
    static ValuePart Tail(std::size_t length) { return {Kind::kTail, 0, length}; }

    bool is_whole() const { return kind_ == Kind::kWhole; }
    bool is_tail() const { return kind_ == Kind::kTail; }
    std::uint64_t offset() const { return offset_; }  // offset of a Range(); otherwise 0
    // Number of selected bytes; for Whole(), the maximum number.
    std::size_t length() const { return length_; }

    struct Extent {
        std::uint64_t offset = 0;
        std::size_t size = 0;
    };
    // Returns the bytes that are selected from a value of `value_size` bytes. `key` is named in
    // error messages.
    Result<Extent> Of(const std::string& key, std::uint64_t value_size) const;

  private:
    enum class Kind : std::uint8_t { kWhole, kRange, kTail };
    ValuePart(Kind kind, std::uint64_t offset, std::size_t length)
        : kind_(kind), offset_(offset), length_(length) {}

    Kind kind_;
    std::uint64_t offset_;
    std::size_t length_;
};

// Destination of Store::Read(): a Buffer or memory of fixed size. A Buffer takes the size of the
// data. Memory is filled only if the data has exactly its size.
class ReadSink {
  public:
    ReadSink(Buffer& buffer) : buffer_(&buffer) {}         // NOLINT(google-explicit-constructor)
    ReadSink(MutableByteSpan memory) : memory_(memory) {}  // NOLINT(google-explicit-constructor)

    // Returns memory for `size` bytes; nullopt if the destination is memory of another fixed size.
    Result<std::optional<MutableByteSpan>> Reserve(std::size_t size) const;
    // Copies `bytes` to the destination. Does nothing if the destination is memory of another fixed
    // size.
    Status Assign(ByteSpan bytes) const;
    // Returns nullptr if the destination is memory of fixed size.
    Buffer* buffer() const { return buffer_; }
    MutableByteSpan memory() const { return memory_; }

  private:
    Buffer* buffer_ = nullptr;
    MutableByteSpan memory_;
};

struct ReadResult {
    bool found = false;  // false if the store lacks the key
    // Size of the whole value in bytes; 0 if a part was read and the size is unknown.
    std::uint64_t size = 0;
    ObjectVersion version;  // version of the value before the read, if the whole value was read
};

// Requests values and listings before they are needed. Thread-safe.
class Prefetcher {
  public:
    virtual ~Prefetcher() = default;
    // Requests values and listings concurrently, and caches small results. If a request fails, a
    // later read repeats it and reports the error.
    virtual void Prefetch(const std::vector<std::string>& keys,
                          const std::vector<std::string>& prefixes) const = 0;
    // True if reading `key`, or listing `prefix`, needs no request. This includes keys that are
    // known to be absent.
    virtual bool IsCached(const std::string& key) const = 0;
    virtual bool IsListingCached(const std::string& prefix) const = 0;
};

// Interface for changing a store. The methods of Store document the behaviour.
class StoreWriter {
  public:
    virtual ~StoreWriter() = default;
    virtual Status WriteParts(const std::string& key, const std::vector<ByteSpan>& parts) = 0;
    virtual Status Remove(const std::string& key) = 0;
    // Removes several keys. The default implementation calls Remove() for each key.
    virtual Status RemoveMany(const std::vector<std::string>& keys);
    // RemovePrefix() removes a folder, MovePrefix() renames one. The default implementations return
    // false, for stores without folders.
    virtual Result<bool> RemovePrefix(const std::string& prefix);
    virtual Result<bool> MovePrefix(const std::string& from, const std::string& to);
    // Commit() implements Store::Flush(); BeginCreate() and EndCreate() implement the methods of
    // Store with their names. The default implementations do nothing.
    virtual Status Commit();
    virtual void BeginCreate() {}
    virtual void EndCreate() {}
};

// Store of values by key, see keys.h. An absent key is not an error. Error messages start with the
// key. Thread-safe.
class Store {
  public:
    virtual ~Store() = default;

    // Returns the store's path or URL, for messages.
    virtual std::string Describe() const = 0;
    // Returns a text that identifies the stored data, such as a folder's absolute path. Objects
    // that access the same data return equal texts. The default implementation returns a text that
    // is unique to the object.
    virtual std::string Identity() const;
    virtual StoreTraits Traits() const { return {}; }

    // Returns the version of the value under a key without reading the value. For a web server, it
    // is the version in the server's last response. The default implementation returns a version
    // that is not certain (ObjectVersion::is_certain).
    virtual ObjectVersion VersionOf(const std::string& key) const;
    // Returns the modification time and inode number of the folder at `prefix`. The version does
    // not exist if the store has no folders of a file system.
    virtual ObjectVersion VersionOfFolder(const std::string& /*prefix*/) const { return {}; }
    // True if reading the value waits for a disk, because the value is not in the system's page
    // cache. Concurrent reads are then worthwhile. The check costs as much as opening the value.
    virtual bool WaitsForDisk(const std::string& /*key*/) const { return false; }

    // Reads `part` of a value into `sink` with one request. ReadResult::found is false if the key
    // is absent.
    virtual Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                                    const ReadSink& sink) const = 0;

    // Reads whole values. Calls `take` for each key with its index in `keys` and its value, or
    // nullopt if the key is absent. Calls come in any order, from several threads at once; the
    // bytes are valid during the call. Returns the first failure, and may skip values after a
    // failure. The default implementation requests each key separately.
    using ValueTaker =
        std::function<Status(std::size_t index, const std::optional<ByteSpan>& bytes)>;
    virtual Status GetMany(const std::vector<std::string>& keys, const ReadManyOptions& options,
                           const ValueTaker& take) const;

    // Returns the direct children of `prefix`, sorted by name; empty if `prefix` has no children.
    // `prefix` is "" for the root and has no trailing '/'. Fails with kUnsupported if the store
    // cannot list.
    virtual Result<std::vector<StoreEntry>> List(const std::string& prefix) const = 0;

    // Calls `visit` for each direct child of `prefix`, in any order, until `visit` returns false.
    // Fails with kUnsupported if listing is impossible or costs more than reading a key. An
    // OverlayStore visits only the children in its base store. The default implementation calls
    // List().
    using EntryVisitor = std::function<bool(const StoreEntry&)>;
    virtual Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const;

    // Visits all keys below `prefix`, in any order. `visit` receives the rest of each key after
    // "PREFIX/", and the value's version if its size is known. `visit_prefix`, which may be empty,
    // receives each prefix (folder). Fails with kUnsupported if the store cannot list reliably. The
    // default implementation calls List() and VersionOf().
    using KeyVisitor = std::function<void(std::string_view, const std::optional<ObjectVersion>&)>;
    using PrefixVisitor = std::function<void(std::string_view)>;
    virtual Status ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                              const PrefixVisitor& visit_prefix) const;

    // Returns the store's Prefetcher; nullptr if the store has none, like a local store.
    virtual const Prefetcher* prefetcher() const { return nullptr; }
    // Returns the interface that changes the store; nullptr if the store is read-only.
    virtual StoreWriter* writer() { return nullptr; }

    // Reads a whole value into `value`. Returns false if the key is absent. A value of more than
    // `limit` bytes is a kLimit error.
    Result<bool> Get(const std::string& key, Buffer& value, std::size_t limit) const;
    // Returns true if the key has a value. Reads one byte.
    Result<bool> Exists(const std::string& key) const;

    void Prefetch(const std::vector<std::string>& keys,
                  const std::vector<std::string>& prefixes) const;
    // Return the answers of the Prefetcher methods with these names, or true if the store has no
    // Prefetcher.
    bool IsCached(const std::string& key) const;
    bool IsListingCached(const std::string& prefix) const;

    // Replaces a value atomically: a concurrent reader sees either the old or the new value. Fails
    // with kUnsupported if the store is read-only.
    Status Set(const std::string& key, ByteSpan value) { return SetParts(key, {value}); }
    // Replaces a value atomically by the concatenation of `parts`, as Set() does.
    Status SetParts(const std::string& key, const std::vector<ByteSpan>& parts);
    // Remove one key or several keys with as few requests as possible. Removing an absent key is
    // not an error.
    Status Erase(const std::string& key);
    Status EraseMany(const std::vector<std::string>& keys);
    // Removes an empty folder; of a link to a folder, removes only the link. Returns false if keys
    // remain, if `prefix` is no folder, or if the store has no folders.
    Result<bool> ErasePrefix(const std::string& prefix);
    // Renames the prefix `from` to `to`, with all keys below it, in one step. No key may exist
    // below `to`. Returns false, with nothing changed, if the store cannot rename in one step.
    Result<bool> RenamePrefix(const std::string& from, const std::string& to);
    // Makes all finished writes visible to programs that open the store from now on.
    Status Flush();
    // Mark the start and the end of creating a store; nested pairs count as one. In between, reads
    // of own values send no request, and a new store in an object store stays invisible.
    void BeginCreate();
    void EndCreate();
};

inline constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

// Reads a whole metadata document into `text`. Returns false if the key is absent. Fails with
// kLimit if the document has more than Limit::kMetadataSize bytes. Sets `version`, unless it is
// nullptr, to the version of the document before it was read.
Result<bool> GetDocument(const Store& store, const std::string& key, Buffer& text,
                         ObjectVersion* version = nullptr);

// Returns the kLimit error for a value of `size` bytes that exceeds `limit`.
Status ValueTooLarge(const std::string& key, std::uint64_t size, std::size_t limit);

// Implements Store::Read() for stores in memory: copies `part` of `value` to `sink`.
Result<ReadResult> ReadFrom(ByteSpan value, const std::string& key, const ValuePart& part,
                            const ReadSink& sink);

// Read-only store that forwards all calls to a base store. Derived classes override some calls.
class ForwardingStore : public Store {
  public:
    explicit ForwardingStore(std::shared_ptr<const Store> base) : base_(std::move(base)) {}

    std::string Describe() const override { return base_->Describe(); }
    std::string Identity() const override { return base_->Identity(); }
    StoreTraits Traits() const override { return base_->Traits(); }
    ObjectVersion VersionOf(const std::string& key) const override { return base_->VersionOf(key); }
    ObjectVersion VersionOfFolder(const std::string& prefix) const override {
        return base_->VersionOfFolder(prefix);
    }
    bool WaitsForDisk(const std::string& key) const override { return base_->WaitsForDisk(key); }
    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override {
        return base_->Read(key, part, sink);
    }
    Status GetMany(const std::vector<std::string>& keys, const ReadManyOptions& options,
                   const ValueTaker& take) const override {
        return base_->GetMany(keys, options, take);
    }
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override {
        return base_->List(prefix);
    }
    Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const override {
        return base_->VisitEntries(prefix, visit);
    }
    Status ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                      const PrefixVisitor& visit_prefix) const override {
        return base_->ForEachKey(prefix, visit, visit_prefix);
    }
    const Prefetcher* prefetcher() const override { return base_->prefetcher(); }

  protected:
    const Store& base() const { return *base_; }

  private:
    const std::shared_ptr<const Store> base_;
};

}  // namespace zarr
