// SPDX-License-Identifier: MIT
// Interface of a Zarr store: values by key. Keys are relative paths such as "group/array/0.0".
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

// Direct child of a prefix in a listing. `name` is the child's name without the prefix. `is_prefix`
// is true if the child contains further keys, as a folder does.
struct StoreEntry {
    std::string name;
    bool is_prefix = false;
};

// Version of the value under a key. If two versions of a key differ, the value has changed between
// them. A caller thus sees a change without reading the value.
struct ObjectVersion {
    bool is_certain = false;  // false: equal versions may still hide a change
    bool exists = false;
    std::uint64_t size = 0;  // bytes
    // Modification time in nanoseconds since any fixed time, or another number that changes with
    // the value, such as a checksum.
    std::int64_t modified = 0;
    // Number that distinguishes values of equal size and time, as far as the store can. For a file,
    // it is the inode number. For a server, it is the number of different values seen so far: 1 for
    // the first, 0 before the first request.
    std::uint64_t mark = 0;
};
// True if the versions are equal in all fields except `is_certain`.
bool EqualButForCertainty(const ObjectVersion& a, const ObjectVersion& b);
// True if the versions are equal and both certain, so that the value has not changed.
bool SameVersion(const ObjectVersion& a, const ObjectVersion& b);

struct ReadManyOptions : ReadRangesOptions {
    std::size_t limit = 0;  // maximum size of a value in bytes
};

// Location of a value in a store of references: a byte range of another file (the target), or the
// bytes themselves.
struct ValueLocation {
    std::string target;                 // path or URL of the target; empty if `bytes` is set
    std::uint64_t offset = 0;           // position of the value in the target, in bytes
    std::optional<std::uint64_t> size;  // size of the value in bytes; nullopt: the whole target
    std::optional<std::string> bytes;   // the value, if the references contain it
};

// Returns where the values of a store of references are located. Thread-safe.
class ValueLocator {
  public:
    virtual ~ValueLocator() = default;
    // Returns the location of a key's value; nullopt if the key is absent. Does not read the file
    // to which the location points.
    virtual Result<std::optional<ValueLocation>> Locate(const std::string& key) const = 0;
};

// Properties of a store that decide how callers read from it.
struct StoreTraits {
    static constexpr ReadCost kLocalCost{std::uint64_t{64} << 10, std::uint64_t{4} << 20, 0, 0};

    bool remote = false;          // each read takes a network round trip
    bool packed = false;          // values are parts of one object: GetMany() joins their requests
    bool caches_absence = false;  // callers should remember absent keys and not ask again
    // Number of concurrent reads at which a remote store reaches its highest throughput.
    std::size_t concurrent_reads = 1;
    ReadCost request_cost = kLocalCost;
    // Locates the store's values; nullptr unless the store is a store of references. Valid as long
    // as the store.
    const ValueLocator* locator = nullptr;
    // Options that decide how the store is read, such as credentials, as text. If two stores have
    // equal Identity() but different `access`, their arrays share pending writes, but not cached
    // chunks.
    std::string access;
};

// Selects which bytes of a value Store::Read() reads.
class ValuePart {
  public:
    // Selects the whole value. If the value has more than `limit` bytes, reading fails with kLimit
    // before any byte is read.
    static ValuePart Whole(std::size_t limit) { return {Kind::kWhole, 0, limit}; }
    // Selects `length` bytes at `offset`; fewer if the value ends earlier.
    static ValuePart Range(std::uint64_t offset, std::size_t length) {
        return {Kind::kRange, offset, length};
    }
    // Selects the last `length` bytes of a value, or the whole value if the value is shorter.
    static ValuePart Tail(std::size_t length) { return {Kind::kTail, 0, length}; }

    bool is_whole() const { return kind_ == Kind::kWhole; }
    bool is_tail() const { return kind_ == Kind::kTail; }
    std::uint64_t offset() const { return offset_; }  // offset of a Range(); else 0
    std::size_t length() const { return length_; }    // number of bytes; limit for Whole()

    struct Extent {
        std::uint64_t offset = 0;
        std::size_t size = 0;
    };
    // Returns the byte range that is selected from a value of `value_size` bytes. `key` is for
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

// Destination of Store::Read(): a Buffer or plain memory. A Buffer is resized to the number of
// bytes read. Plain memory is filled only if its size equals the number of bytes read.
class ReadSink {
  public:
    ReadSink(Buffer& buffer) : buffer_(&buffer) {}         // NOLINT(google-explicit-constructor)
    ReadSink(MutableByteSpan memory) : memory_(memory) {}  // NOLINT(google-explicit-constructor)

    // Returns memory for `size` bytes. Returns nullopt if the destination is plain memory of
    // another size.
    Result<std::optional<MutableByteSpan>> Reserve(std::size_t size) const;
    // Copies `bytes` to the destination. Does nothing if the destination is plain memory of another
    // size.
    Status Assign(ByteSpan bytes) const;
    Buffer* buffer() const { return buffer_; }  // nullptr for plain memory
    MutableByteSpan memory() const { return memory_; }

  private:
    Buffer* buffer_ = nullptr;
    MutableByteSpan memory_;
};

struct ReadResult {
    bool found = false;      // false if the key is absent
    std::uint64_t size = 0;  // size of the value in bytes; 0 for a range if unknown
    ObjectVersion version;   // version of the value before the read, if the whole value was read
};

// Requests values and listings before they are needed. Thread-safe.
class Prefetcher {
  public:
    virtual ~Prefetcher() = default;
    // Requests values and listings concurrently, and caches the small results. If a request fails,
    // reading the key later repeats the request and reports the error.
    virtual void Prefetch(const std::vector<std::string>& keys,
                          const std::vector<std::string>& prefixes) const = 0;
    // IsCached() returns true if reading `key` needs no request, because the value is cached or
    // `key` is known to be absent. IsListingCached() returns true if listing `prefix` needs no
    // request.
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
    // RemovePrefix() removes a folder, MovePrefix() renames a folder. The default implementations
    // are for stores without folders and return false.
    virtual Result<bool> RemovePrefix(const std::string& prefix);
    virtual Result<bool> MovePrefix(const std::string& from, const std::string& to);
    // Commit() implements Store::Flush(). BeginCreate() and EndCreate() implement the methods of
    // Store with these names. The default implementations do nothing.
    virtual Status Commit();
    virtual void BeginCreate() {}
    virtual void EndCreate() {}
};

// Key-value store. An absent key is not an error. Error messages start with the key. Keys follow
// the rules in keys.h. Thread-safe.
class Store {
  public:
    virtual ~Store() = default;

    // Returns the store's path or URL, for messages.
    virtual std::string Describe() const = 0;
    // Returns a text that identifies the stored data, such as a folder's absolute path. All objects
    // of this process that access one store return equal texts. The default implementation returns
    // a text that is unique to the object.
    virtual std::string Identity() const;
    virtual StoreTraits Traits() const { return {}; }

    // Returns the version of a key without reading the value. A store that learns versions from
    // responses, such as a web server, returns the version in the last response. In the result of
    // the default implementation, ObjectVersion::is_certain is false.
    virtual ObjectVersion VersionOf(const std::string& key) const;
    // True if the value is on disk and not in the system's page cache, so that concurrent reads are
    // worthwhile. The check costs as much as opening the value.
    virtual bool WaitsForDisk(const std::string& /*key*/) const { return false; }

    // Reads `part` of a value with one request into `sink`. `found` in the result is false if the
    // key is absent.
    virtual Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                                    const ReadSink& sink) const = 0;

    // Reads whole values. Calls `take` for each value with the key's index in `keys` and the
    // value's bytes. nullopt means an absent key. Calls come in any order, from several threads at
    // once; `bytes` are valid during the call.
    //
    // Returns the first failure; remaining values may then be skipped. The default implementation
    // reads each key by a separate request.
    using ValueTaker =
        std::function<Status(std::size_t index, const std::optional<ByteSpan>& bytes)>;
    virtual Status GetMany(const std::vector<std::string>& keys, const ReadManyOptions& options,
                           const ValueTaker& take) const;

    // Returns the direct children of `prefix`, sorted by name; empty if `prefix` has no children.
    // `prefix` is "" for the root and has no trailing '/'. Fails with kUnsupported if the store
    // cannot list.
    virtual Result<std::vector<StoreEntry>> List(const std::string& prefix) const = 0;

    // Calls `visit` for each direct child of `prefix`, in any order, until `visit` returns false.
    // An OverlayStore visits the children in its base store. Fails with kUnsupported if listing is
    // impossible or costs more than reading a key. The default implementation calls List().
    using EntryVisitor = std::function<bool(const StoreEntry&)>;
    virtual Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const;

    // Visits all keys below `prefix`, in any order. `visit` receives the rest of each key after
    // "PREFIX/", and the value's version if its size is known. `visit_prefix` receives
    // each prefix on the way, such as a folder, and may be empty. The default implementation lists
    // each prefix and calls VersionOf(). Fails with kUnsupported if the store cannot list reliably.
    using KeyVisitor = std::function<void(std::string_view, const std::optional<ObjectVersion>&)>;
    using PrefixVisitor = std::function<void(std::string_view)>;
    virtual Status ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                              const PrefixVisitor& visit_prefix) const;

    // Returns the store's Prefetcher; nullptr if the store does not prefetch, like local stores.
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
    // Return the results of the Prefetcher methods with these names; true if the store has no
    // Prefetcher.
    bool IsCached(const std::string& key) const;
    bool IsListingCached(const std::string& prefix) const;

    // Replaces a value atomically: a concurrent reader sees either the old or the new value. Fails
    // with kUnsupported if the store is read-only.
    Status Set(const std::string& key, ByteSpan value) { return SetParts(key, {value}); }
    // Replaces a value atomically by the concatenation of `parts`, as Set() does.
    Status SetParts(const std::string& key, const std::vector<ByteSpan>& parts);
    // Remove one key or several keys, with as few requests as possible. An absent key is not an
    // error.
    Status Erase(const std::string& key);
    Status EraseMany(const std::vector<std::string>& keys);
    // Removes an empty folder, or a link to a folder; the target of the link stays. Returns true if
    // the folder or link was removed. Returns false if keys remain, if `prefix` is no folder, or if
    // the store has no folders.
    Result<bool> ErasePrefix(const std::string& prefix);
    // Renames the prefix `from` to `to` with all keys below, in one step. No key may exist below
    // `to`. If the store cannot rename in one step, changes nothing and returns false.
    Result<bool> RenamePrefix(const std::string& from, const std::string& to);
    // Makes all writes visible to others that open the store.
    Status Flush();
    // BeginCreate() and EndCreate() mark the creation of a store. Between these calls, reads return
    // what this object wrote, without a request.
    void BeginCreate();
    void EndCreate();
};

inline constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

// Reads a whole metadata document into `text`. Returns false if the key is absent. Fails with
// kLimit if the document has more than Limit::kMetadataSize bytes.
Result<bool> GetDocument(const Store& store, const std::string& key, Buffer& text);

// Returns the kLimit error for a value of `size` bytes that exceeds `limit`.
Status ValueTooLarge(const std::string& key, std::uint64_t size, std::size_t limit);

// Reads `part` of `value`, a value in memory, into `sink`. Implements Store::Read() for stores in
// memory.
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
